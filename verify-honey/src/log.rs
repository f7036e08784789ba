//! Logs of finished units: what a line says, reading, appending.

use crate::board::Mask;
use crate::error::{Failure, Reason};
use crate::positions::Positions;
use crate::proof::{Found, Task, rejected};
use crate::rules::{Rule, Value};
use crate::run::unit_name;
use crate::sources;
use crate::text::{Lines, number, rule, value};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

const HEAD: &str = "honey-unit 1 ";

/// The line that a finished unit appends.
#[must_use]
pub fn entry(task: &Task, positions: &Positions, value: Value, nodes: u64) -> String {
    let unit = unit_name(task, positions);
    format!("{HEAD}{unit} {value} nodes {nodes} source {} end\n", sources::digest())
}

/// Whether a log has an entry of a unit.
#[must_use]
pub fn has(bytes: &[u8], unit: &str) -> bool {
    let head = format!("{HEAD}{unit} ");
    bytes.split(|&byte| byte == b'\n').any(|line| line.starts_with(head.as_bytes()))
}

/// A log up to its last newline, and what an interrupted write left behind it.
#[must_use]
pub fn whole_lines(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1))
}

/// Whether an interrupted write of an entry may have left this.
#[must_use]
pub fn may_begin_entry(torn: &[u8]) -> bool {
    torn.starts_with(HEAD.as_bytes()) || HEAD.as_bytes().starts_with(torn)
}

/// Reads a log against the tasks of a claim.
///
/// # Errors
/// An entry that is malformed, foreign, repeated or of another value; no entry.
pub fn read(
    file: &str,
    bytes: &[u8],
    tasks: &[Task],
    positions: &Positions,
) -> Result<BTreeMap<(Rule, Mask), Found>, Failure> {
    let mut found = BTreeMap::new();
    let names: BTreeMap<String, &Task> =
        tasks.iter().map(|task| (unit_name(task, positions), task)).collect();
    let source = sources::digest();
    let mut first_lines = BTreeMap::new();
    let mut lines = Lines::new(file, bytes)?;
    while let Some(fields) = lines.take() {
        let (name, stated, hash) = match fields.as_slice() {
            ["honey-unit", "1", r, line, v, "nodes", n, "source", hash, "end"]
                if rule(r).is_some() && number(n).is_some() =>
            {
                (format!("{r} {line}"), value(v).ok_or_else(|| lines.expected("won or lost"))?, *hash)
            }
            _ => return Err(lines.expected("honey-unit 1 RULE LINE VALUE nodes N source SHA256 end")),
        };
        let reject = |reason| Err(rejected(file, lines.number, reason));
        if hash != source {
            return reject(Reason::OtherSources);
        }
        let Some(task) = names.get(&name) else { return reject(Reason::NoUnit) };
        if let Some(line) = first_lines.insert(name, lines.number) {
            return reject(Reason::Duplicate(line));
        }
        if stated != task.stated {
            return reject(Reason::LoggedValue);
        }
        found.insert((task.rule, task.key), Found(stated));
    }
    Ok(found)
}

fn unreadable(why: impl std::fmt::Display) -> Failure {
    Failure::Unreadable(format!("log: {why}"))
}

/// A log that is open for appending.
#[derive(Debug)]
pub struct Log(File);

impl Log {
    /// Opens a log, or makes it. Other processes may append to it as well.
    ///
    /// # Errors
    /// It is a link, a pipe or a folder, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if std::fs::symlink_metadata(path).is_ok_and(|kind| !kind.is_file()) {
            return Err(unreadable("not a plain file"));
        }
        OpenOptions::new().read(true).append(true).create(true).open(path).map(Log).map_err(unreadable)
    }

    /// Opens a log that no other process opens so as long as this one has it.
    ///
    /// # Errors
    /// As [`Log::open`]; another process has it, or the file system knows no locks.
    pub fn open_alone(path: &Path) -> Result<Self, Failure> {
        let log = Self::open(path)?;
        match log.0.try_lock() {
            Ok(()) => Ok(log),
            Err(TryLockError::WouldBlock) => Err(unreadable("another run has it open")),
            Err(TryLockError::Error(error)) => Err(unreadable(error)),
        }
    }

    /// Cuts off what follows its first `length` bytes.
    ///
    /// # Errors
    /// The file cannot be cut.
    pub fn cut(&mut self, length: usize) -> Result<(), Failure> {
        self.0.set_len(length as u64).map_err(unreadable)
    }

    /// Appends an entry in one write, so that the entries of several processes do not mix.
    ///
    /// # Errors
    /// It cannot be written whole, or would join what an interrupted write left.
    pub fn append(&mut self, entry: &str) -> Result<(), Failure> {
        if self.0.metadata().map_err(unreadable)?.len() > 0 {
            let mut last = [0];
            self.0.seek(SeekFrom::End(-1)).and_then(|_| self.0.read_exact(&mut last)).map_err(unreadable)?;
            if last != *b"\n" {
                return Err(unreadable("its last line is not whole; take it out first"));
            }
        }
        let written = self.0.write(entry.as_bytes()).map_err(unreadable)?;
        if written == entry.len() { Ok(()) } else { Err(unreadable("an entry was written in part")) }
    }
}
