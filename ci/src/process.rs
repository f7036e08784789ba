//! One child process under limits: wall-clock time, address space, bytes of output.
//!
//! The child is started through this program's own hidden command `launch` ([`launch`]), which sets the limits on
//! itself and becomes the child. It leads a process group of its own, so that what it starts ends with it; on Linux it
//! dies with the audit.

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// Most bytes of standard output that are kept; a child that prints more is stopped.
pub const STDOUT_BYTES: usize = 8 << 20;
/// Bytes at the end of standard error that are kept.
const STDERR_BYTES: usize = 4 << 10;
/// How long output may stay open after the child has ended and its group was stopped.
const DRAIN: Duration = Duration::from_secs(10);
/// What [`launch`] exits with if it cannot become the child.
pub const NOT_STARTED: i32 = 127;

/// What to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// This program, which knows `launch`.
    pub launcher: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where it runs.
    pub folder: PathBuf,
    /// Wall-clock limit.
    pub seconds: u64,
    /// Limit on address space, MiB; 0 for none.
    pub mib: u64,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that did not come from here.
    Signal(i32),
    /// Stopped at the limit on time.
    TimedOut,
    /// Stopped because it printed too much.
    TooMuchOutput,
    /// It ended, but something that it started keeps its output open.
    Unclosed,
}

/// What is known of a child that ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub end: End,
    /// Standard output, at most [`STDOUT_BYTES`].
    pub stdout: Vec<u8>,
    /// The end of standard error.
    pub stderr: Vec<u8>,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Processor seconds, user and system.
    pub cpu_seconds: f64,
    /// Peak resident memory, bytes.
    pub peak_bytes: u64,
}

/// Runs a child to its end.
///
/// # Errors
/// The child could not be started or waited for.
pub fn run(job: &Job) -> io::Result<Ended> {
    let started = Instant::now();
    let mut child = Command::new(&job.launcher)
        .args(["launch", "--mib", &job.mib.to_string(), "--"])
        .arg(&job.program)
        .args(&job.arguments)
        .current_dir(&job.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pid = i32::try_from(child.id()).map(Pid::from_raw).map_err(io::Error::other)?;
    let excess = Arc::new(AtomicBool::new(false));
    let stdout = child.stdout.take().map(|pipe| gather(pipe, Keep::First(STDOUT_BYTES), Arc::clone(&excess)));
    let stderr = child.stderr.take().map(|pipe| gather(pipe, Keep::Last(STDERR_BYTES), Arc::default()));
    let (ended, end) = channel();
    std::thread::spawn(move || {
        // WNOWAIT: the child stays a zombie, so its number cannot be given to another process before the group is
        // stopped below.
        while waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(Errno::EINTR) {}
        let _ = ended.send(());
    });
    let limit = Duration::from_secs(job.seconds);
    let mut stopped = None;
    loop {
        match end.recv_timeout(Duration::from_millis(50)) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if excess.load(Ordering::SeqCst) {
                    stopped.get_or_insert(End::TooMuchOutput);
                } else if started.elapsed() >= limit {
                    stopped.get_or_insert(End::TimedOut);
                }
                if stopped.is_some() {
                    stop(pid);
                }
            }
        }
    }
    // What the child has started ends with it. There may be nothing left.
    stop(pid);
    let used = child.wait4()?;
    let seconds = started.elapsed().as_secs_f64();
    let mut end = match (stopped, used.status.code(), used.status.signal()) {
        (Some(end), _, _) => end,
        (None, Some(code), _) => End::Exited(code),
        (None, None, signal) => End::Signal(signal.unwrap_or_default()),
    };
    let (stdout, whole) = collect(stdout);
    let (stderr, _) = collect(stderr);
    if excess.load(Ordering::SeqCst) {
        end = End::TooMuchOutput;
    } else if !whole && matches!(end, End::Exited(_)) {
        end = End::Unclosed;
    }
    Ok(Ended {
        end,
        stdout,
        stderr,
        seconds,
        cpu_seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
    })
}

fn stop(group: Pid) {
    // ESRCH: nobody is left.
    let _ = killpg(group, Signal::SIGKILL);
}

#[derive(Clone, Copy)]
enum Keep {
    First(usize),
    Last(usize),
}

/// Reads a pipe to its end on a thread of its own. Whatever comes is read, so that the child is never blocked.
fn gather(mut pipe: impl Read + Send + 'static, keep: Keep, excess: Arc<AtomicBool>) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let new = buffer.get(..count).unwrap_or_default();
            match keep {
                Keep::First(most) => {
                    let room = most.saturating_sub(kept.len());
                    kept.extend_from_slice(new.get(..room).unwrap_or(new));
                    if count > room {
                        excess.store(true, Ordering::SeqCst);
                    }
                }
                Keep::Last(most) => {
                    kept.extend_from_slice(new);
                    kept.drain(..kept.len().saturating_sub(most));
                }
            }
        }
        let _ = send.send(kept);
    });
    receive
}

fn collect(pipe: Option<Receiver<Vec<u8>>>) -> (Vec<u8>, bool) {
    match pipe.map(|receive| receive.recv_timeout(DRAIN)) {
        Some(Ok(bytes)) => (bytes, true),
        _ => (Vec::new(), false),
    }
}

/// Sets the limits on this process and becomes the program. Returns only if that fails.
#[must_use]
pub fn launch(mib: u64, program: &Path, arguments: &[OsString]) -> io::Error {
    #[cfg(target_os = "linux")]
    if let Err(error) = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL) {
        return error.into();
    }
    if mib > 0 {
        let bytes = mib.saturating_mul(1 << 20);
        if let Err(error) = setrlimit(Resource::RLIMIT_AS, bytes, bytes) {
            return error.into();
        }
    }
    // A checker that aborts at the limit should not fill the disk.
    if let Err(error) = setrlimit(Resource::RLIMIT_CORE, 0, 0) {
        return error.into();
    }
    Command::new(program).args(arguments).exec()
}
