//! What varies from run to run: date, machine, revision. And locks, so that two audits do not get into each other's
//! way.

use crate::outcome::Run;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The run, as far as it is known at its beginning.
#[must_use]
pub fn describe(root: &Path, cores: usize) -> Run {
    let line = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let field = |path: &str, key: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let found = text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'));
        found.map(|value| value.trim().to_owned()).unwrap_or_default()
    };
    Run {
        date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds: 0.0,
        processor: field("/proc/cpuinfo", "model name"),
        system: format!("{} {}", line("/proc/sys/kernel/ostype"), line("/proc/sys/kernel/osrelease")),
        cores,
        memory_bytes: memory("MemTotal"),
        revision: revision(root),
        costs: Vec::new(),
    }
}

/// Bytes of memory, by a key of `/proc/meminfo`; 0 if unknown.
#[must_use]
pub fn memory(key: &str) -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kib = value.and_then(|value| value.trim().split(' ').next()?.parse::<u64>().ok());
    kib.unwrap_or_default().saturating_mul(1024)
}

fn revision(root: &Path) -> String {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let output = command.arg("-C").arg(root).args(arguments).stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(head) = git(&["rev-parse", "--verify", "--quiet", "HEAD"]) else { return String::new() };
    match git(&["status", "--porcelain"]) {
        Some(changes) if changes.is_empty() => head,
        _ => head + "-dirty",
    }
}

/// A folder that is held as long as this lives. No file is made: the lock is on the folder itself, and the system drops
/// it with the process.
#[derive(Debug)]
pub struct Hold {
    _folder: Flock<File>,
}

/// Holds a folder, alone or beside others who hold it so too.
///
/// # Errors
/// Somebody else holds it, or it cannot be opened.
pub fn hold(folder: &Path, alone: bool) -> io::Result<Hold> {
    let file = File::open(folder)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
    let how = if alone { FlockArg::LockExclusiveNonblock } else { FlockArg::LockSharedNonblock };
    match Flock::lock(file, how) {
        Ok(folder) => Ok(Hold { _folder: folder }),
        Err((_, Errno::EWOULDBLOCK)) => Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            format!("another audit is at work in {}", folder.display()),
        )),
        Err((_, error)) => Err(error.into()),
    }
}
