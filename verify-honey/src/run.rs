//! Solving many independent positions: threads, progress, samples.

use crate::advice::Advice;
use crate::board::Mask;
use crate::error::{Failure, Reason, escaped};
use crate::log::{self, Log};
use crate::positions::Positions;
use crate::proof::{Found, Task, rejected};
use crate::rules::{Rule, Value};
use crate::solver::{Shortcuts, Solver};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// How to solve.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Threads, at least one.
    pub threads: usize,
    /// Bytes of each thread's table.
    pub table_bytes: usize,
    /// Whether to tell the progress on standard error.
    pub progress: bool,
    /// The solver's shortcuts.
    pub shortcuts: Shortcuts,
}

/// What a run found.
#[derive(Debug, Default)]
pub struct Results {
    /// Values of positions.
    pub found: BTreeMap<(Rule, Mask), Found>,
    /// Nodes searched now.
    pub nodes: u64,
    /// Positions solved now.
    pub solved: usize,
}

/// The name of a unit: rule and line of moves.
#[must_use]
pub fn unit_name(task: &Task, positions: &Positions) -> String {
    let line = positions.all.get(&task.key).map(|position| positions.line(position)).unwrap_or_default();
    format!("{} {line}", task.rule)
}

/// Solves all tasks that are not found yet, appending each result to `log`.
///
/// Tasks are handed out in order and a wrong value stops the handing out, so the failure reported is the first in the
/// order of the file, whatever the threads do. Advice is for the standard rule.
///
/// # Errors
/// A task whose value is another than stated; a log that cannot be written.
pub fn solve(
    tasks: &[Task],
    positions: &Positions,
    settings: Settings,
    advice: Option<&Advice>,
    mut results: Results,
    log: Option<&mut Log>,
) -> Result<Results, Failure> {
    let open: Vec<&Task> = tasks.iter().filter(|t| !results.found.contains_key(&(t.rule, t.key))).collect();
    let next = AtomicUsize::new(0);
    let (nodes, done, stop) = (AtomicU64::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let log = Mutex::new(log);
    let start = Instant::now();
    let worker = || -> Vec<(usize, Result<Value, Failure>)> {
        let mut mine = Vec::new();
        let mut idle: Option<Solver> = None;
        while !stop.load(Ordering::SeqCst) {
            let index = next.fetch_add(1, Ordering::SeqCst);
            let Some(task) = open.get(index) else { break };
            let p = positions.all.get(&task.key).map_or(0, |position| match task.rule {
                Rule::Standard => 0,
                Rule::RedundantHint => position.p(),
            });
            let mut current = match idle.take() {
                Some(old) if old.rule() == task.rule => old,
                _ => {
                    let solver = Solver::new(task.rule, settings.table_bytes, settings.shortcuts);
                    match advice {
                        Some(advice) if task.rule == Rule::Standard => {
                            solver.advised(&positions.board, advice)
                        }
                        _ => solver,
                    }
                }
            };
            let outcome = current.solve(&positions.left(task.key), p);
            idle = Some(current);
            nodes.fetch_add(outcome.nodes, Ordering::SeqCst);
            let done = done.fetch_add(1, Ordering::SeqCst) + 1;
            let mut result = Ok(outcome.value);
            if outcome.value != task.stated {
                stop.store(true, Ordering::SeqCst);
                result = Err(rejected(&task.file, task.line, Reason::WrongValue));
            }
            if let Ok(mut log) = log.lock()
                && let Some(log) = log.as_mut()
                && let Err(failure) = log.append(&log::entry(task, positions, outcome.value, outcome.nodes))
            {
                stop.store(true, Ordering::SeqCst);
                result = Err(failure);
            }
            mine.push((index, result));
            if settings.progress {
                tell(done, open.len(), nodes.load(Ordering::SeqCst), start);
            }
        }
        mine
    };
    let mut all = Vec::new();
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..settings.threads.clamp(1, 256)).map(|_| scope.spawn(worker)).collect();
        for handle in handles {
            match handle.join() {
                Ok(mine) => all.extend(mine),
                Err(_) => {
                    all.push((
                        usize::MAX,
                        Err(Failure::Internal("a thread of the solver failed".to_owned())),
                    ));
                }
            }
        }
    });
    all.sort_by_key(|(index, _)| *index);
    for (index, result) in all {
        let value = result?;
        if let Some(task) = open.get(index) {
            results.found.insert((task.rule, task.key), Found(value));
            results.solved += 1;
        }
    }
    results.nodes += nodes.load(Ordering::SeqCst);
    Ok(results)
}

fn tell(done: usize, all: usize, nodes: u64, start: Instant) {
    let seconds = start.elapsed().as_secs();
    let rest = seconds.saturating_mul((all - done) as u64) / done.max(1) as u64;
    eprintln!("solved {done} of {all}, {nodes} nodes, {seconds} s, about {rest} s left");
}

/// `count` of the tasks at random, in their order: equal seeds give equal samples.
#[must_use]
pub fn sample(tasks: &[Task], count: usize, seed: u64) -> Vec<Task> {
    // SplitMix64, and a partial Fisher-Yates shuffle. The slight bias of the remainder does not matter here.
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    let count = count.min(order.len());
    for place in 0..count {
        let rest = (order.len() - place) as u64;
        let other = place + usize::try_from(random() % rest).unwrap_or(0);
        order.swap(place, other);
    }
    order.truncate(count);
    order.sort_unstable();
    order.into_iter().filter_map(|index| tasks.get(index).cloned()).collect()
}

/// A name of a unit as given on the command line, as a task.
///
/// # Errors
/// No unit has the name.
pub fn unit<'a>(name: &str, tasks: &'a [Task], positions: &Positions) -> Result<&'a Task, Failure> {
    let found = tasks.iter().find(|task| {
        let full = unit_name(task, positions);
        full == name || format!("{full} {}", task.stated) == name
    });
    found.ok_or_else(|| Failure::Usage(format!("the claim has no unit {}", escaped(name))))
}
