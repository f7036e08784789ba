//! Runs jobs in parallel, as many as cores and memory allow.

use crate::process::{Ended, Job, run};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A job and what it takes.
#[derive(Clone, Debug)]
pub struct Task {
    /// For progress.
    pub label: String,
    /// Threads that it uses.
    pub threads: usize,
    /// Memory set aside for it, MiB.
    pub mib: u64,
    /// Tasks of the largest rank begin first: those that may take longest, so that none of them begins last.
    pub rank: u64,
    /// The process.
    pub job: Job,
}

/// What the machine gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Threads at one time.
    pub cores: usize,
    /// MiB at one time. A task that needs more runs alone.
    pub mib: u64,
}

struct State {
    pending: Vec<usize>,
    free: Room,
    running: usize,
    results: Vec<Option<io::Result<Ended>>>,
}

/// Runs all tasks; the results are in the order of the tasks. Progress goes to standard error: bars on a terminal, else
/// a line for each task that ends.
#[must_use]
pub fn run_all(tasks: &[Task], room: Room) -> Vec<io::Result<Ended>> {
    let mut pending: Vec<usize> = (0..tasks.len()).collect();
    pending.sort_by_key(|&index| tasks.get(index).map(|task| std::cmp::Reverse(task.rank)));
    let results = tasks.iter().map(|_| None).collect();
    let state = Mutex::new(State { pending, free: room, running: 0, results });
    let changed = Condvar::new();
    let screen = Screen::new(tasks.len());
    std::thread::scope(|scope| {
        for _ in 0..room.cores.clamp(1, tasks.len().max(1)) {
            scope.spawn(|| work(tasks, room, &state, &changed, &screen));
        }
    });
    screen.close();
    let results = state.into_inner().unwrap_or_else(PoisonError::into_inner).results;
    let missing = || Err(io::Error::other("the task was not run"));
    results.into_iter().map(|result| result.unwrap_or_else(missing)).collect()
}

fn work(tasks: &[Task], room: Room, state: &Mutex<State>, changed: &Condvar, screen: &Screen) {
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let mut now = lock();
        let (index, task, threads, mib) = loop {
            if now.pending.is_empty() {
                return;
            }
            let fits = |&index: &usize| {
                tasks.get(index).is_some_and(|task| {
                    now.running == 0
                        || (task.threads.min(room.cores) <= now.free.cores && task.mib <= now.free.mib)
                })
            };
            let next = now.pending.iter().position(fits).map(|place| now.pending.remove(place));
            match next.and_then(|index| tasks.get(index).map(|task| (index, task))) {
                Some((index, task)) => {
                    break (index, task, task.threads.min(now.free.cores), task.mib.min(now.free.mib));
                }
                None => now = changed.wait(now).unwrap_or_else(PoisonError::into_inner),
            }
        };
        now.running += 1;
        now.free.cores -= threads;
        now.free.mib -= mib;
        drop(now);
        let bar = screen.begin(task);
        let result = run(&task.job);
        screen.end(&bar, task, &result);
        let mut now = lock();
        now.running -= 1;
        now.free.cores += threads;
        now.free.mib += mib;
        if let Some(place) = now.results.get_mut(index) {
            *place = Some(result);
        }
        drop(now);
        changed.notify_all();
    }
}

/// Progress on standard error. Nothing depends on whether it can be written.
struct Screen {
    bars: Option<(MultiProgress, ProgressBar)>,
}

impl Screen {
    fn new(tasks: usize) -> Screen {
        if tasks == 0 || !io::stderr().is_terminal() {
            return Screen { bars: None };
        }
        let bars = MultiProgress::new();
        let whole = bars.add(ProgressBar::new(tasks as u64));
        if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos} of {len} checks")
        {
            whole.set_style(style);
        }
        whole.enable_steady_tick(Duration::from_millis(500));
        Screen { bars: Some((bars, whole)) }
    }

    fn begin(&self, task: &Task) -> ProgressBar {
        let Some((bars, _)) = &self.bars else { return ProgressBar::hidden() };
        let bar = bars.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("  {spinner} {elapsed:>5} {msg}") {
            bar.set_style(style);
        }
        let memory = if task.job.mib == 0 { "no".to_owned() } else { format!("{} MiB", task.job.mib) };
        bar.set_message(format!("{} (limits {} s, {memory})", task.label, task.job.seconds));
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    fn end(&self, bar: &ProgressBar, task: &Task, result: &io::Result<Ended>) {
        bar.finish_and_clear();
        if let Some((_, whole)) = &self.bars {
            whole.inc(1);
        } else {
            let seconds = result.as_ref().map_or(0.0, |ended| ended.seconds);
            let _ = writeln!(io::stderr(), "ended after {seconds:.1} s: {}", task.label);
        }
    }

    fn close(&self) {
        if let Some((_, whole)) = &self.bars {
            whole.finish_and_clear();
        }
    }
}
