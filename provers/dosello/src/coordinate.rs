//! Decides which leaf the checker should try next, and lets it.
//!
//! Best first: of all ways to choose replies, the tree that looks cheapest is found; of its open leaves, the one
//! with the smallest next budget is given to the checker, or by some of the workers the one with the largest: it
//! decides whether the choice was good, and it should not be left for the end. A leaf that was not decided within its
//! budget looks dearer after that, so that another reply may look cheaper. Published node counts, if given, are first
//! guesses of prices and nothing else. All state is the checker's log: killed at any moment, the next run continues
//! from it.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::log::{self, Entry, Outcome, unit_name};
use crate::tree::{Bound, Interval, Side, Tree, Unit};

/// Price of a leaf of which nothing is known: ten times a hard one, since its claim may also be false.
const PRIOR_UNKNOWN: f64 = 1e10;
/// Price of a leaf whose published interval says that its claim is false. It is tried last, not never.
const PRIOR_DENIED: f64 = 1e15;
/// A leaf that is thought to hold is given so many times its guessed price at once. Guesses miss by a factor of three
/// either way, and a run that ends undecided is lost, while one that is decided early costs no more for its budget.
const PATIENCE: f64 = 8.0;
/// A leaf that was not decided is thought to need this many times what it got, and is given that next.
const GROWTH: u64 = 4;
/// After so many runs in a row that left no line in the log, something is wrong with the checker.
const FAILURES_BORNE: u32 = 3;

/// Our nodes for so many published ones, as a first guess: fitted by eye to two dozen leaves, from 4 % of 1e8 to 0.5 %
/// of 1e11.
fn prior(published: f64) -> f64 {
    10.0 * published.powf(0.7)
}

/// What to prove, with what.
pub struct Plan {
    /// The checker.
    pub checker: PathBuf,
    /// Further arguments of every run: the claim, the weights, the size of the table.
    pub arguments: Vec<String>,
    /// Folder of this run, outside the repository: the log and the runs under way.
    pub folder: PathBuf,
    /// Bounds of the root to prove, from its mover's view.
    pub goals: Vec<Bound>,
    /// Nodes that a leaf is given first, unless a guess says more.
    pub budget: u64,
    /// Runs at a time.
    pub workers: usize,
    /// How many of the workers take the dearest open leaf first rather than the cheapest.
    pub dearest_first: usize,
    /// Start no run after this time.
    pub until: Option<Instant>,
}

/// A published result, by the author's own search: a guess of ours.
struct Published {
    interval: Interval,
    nodes: f64,
}

/// The coordinator's knowledge: the tree, what the log proves of its leaves, and what was tried in vain.
pub struct State {
    tree: Tree,
    published: HashMap<usize, Vec<Published>>,
    known: HashMap<usize, Interval>,
    /// The largest budget that did not decide a unit.
    in_vain: HashMap<Unit, u64>,
    /// The nodes of the run that decided a unit.
    spent: HashMap<Unit, u64>,
    /// Nodes of all runs.
    pub total: u64,
    running: BTreeSet<Unit>,
    failures: u32,
}

impl State {
    /// No knowledge yet.
    #[must_use]
    pub fn new(tree: Tree) -> Self {
        Self {
            tree,
            published: HashMap::new(),
            known: HashMap::new(),
            in_vain: HashMap::new(),
            spent: HashMap::new(),
            total: 0,
            running: BTreeSet::new(),
            failures: 0,
        }
    }

    /// Takes in the table of published results: tab-separated, `line`, `lower`, `upper` and `nodes` in columns 1, 4,
    /// 5 and 6.
    ///
    /// # Errors
    /// Names the first line that has another form.
    pub fn add_published(&mut self, table: &str) -> Result<(), String> {
        for (number, row) in table.lines().enumerate().skip(1) {
            let wrong = || format!("line {} of the published results is not understood", number + 1);
            let fields: Vec<&str> = row.split('\t').collect();
            let [line, _, _, lower, upper, nodes, ..] = fields[..] else { return Err(wrong()) };
            let parsed = (lower.parse(), upper.parse(), nodes.parse::<f64>());
            let (Ok(lower), Ok(upper), Ok(nodes)) = parsed else { return Err(wrong()) };
            let Some(node) = self.tree.find(&line.replace(' ', "_")) else { continue };
            let result = Published { interval: Interval { lower, upper }, nodes };
            self.published.entry(node).or_default().push(result);
        }
        Ok(())
    }

    /// Takes in one line of the log.
    ///
    /// # Errors
    /// If it contradicts another one.
    pub fn add(&mut self, entry: &Entry) -> Result<(), String> {
        self.total += entry.nodes;
        let Some(node) = self.tree.find(&entry.line) else { return Ok(()) };
        let unit = (node, entry.bound);
        let Bound { side, score } = entry.bound;
        let learned = match (entry.outcome, side) {
            (Outcome::Undecided, _) => {
                let most = self.in_vain.entry(unit).or_default();
                *most = entry.nodes.max(*most);
                return Ok(());
            }
            (Outcome::Proved, Side::Ge) => Interval { lower: score, upper: 64 },
            (Outcome::Proved, Side::Le) => Interval { lower: -64, upper: score },
            (Outcome::Refuted, Side::Ge) => Interval { lower: -64, upper: score - 2 },
            (Outcome::Refuted, Side::Le) => Interval { lower: score + 2, upper: 64 },
        };
        self.spent.insert(unit, entry.nodes);
        let known = self.known.entry(node).or_insert(Interval::ALL);
        *known = known.and(learned);
        if known.lower > known.upper {
            return Err(format!("the log contradicts itself on {}", entry.line));
        }
        let contradicts = |other: &Published| {
            let both = known.and(other.interval);
            both.lower > both.upper
        };
        if self.published.get(&node).is_some_and(|results| results.iter().any(contradicts)) {
            eprintln!("CONTRADICTION with the published interval of {}: found {known:?}", entry.line);
        }
        Ok(())
    }

    /// What a leaf claim is thought to cost still, in nodes.
    fn price(&self, unit: Unit) -> f64 {
        let (node, bound) = unit;
        match self.known.get(&node).and_then(|known| known.decides(bound)) {
            Some(true) => return 0.0,
            Some(false) => return f64::INFINITY,
            None => {}
        }
        let prior = self.prior(unit);
        self.in_vain.get(&unit).map_or(prior, |&nodes| prior.max((GROWTH * nodes) as f64))
    }

    /// The same before anything was tried.
    fn prior(&self, (node, bound): Unit) -> f64 {
        let guess = |published: &Published| match published.interval.decides(bound) {
            Some(true) => prior(published.nodes),
            Some(false) => PRIOR_DENIED,
            None => PRIOR_UNKNOWN,
        };
        let published = self.published.get(&node).into_iter().flatten();
        published.map(guess).min_by(f64::total_cmp).unwrap_or(PRIOR_UNKNOWN)
    }

    fn next_budget(&self, unit: Unit, first: u64) -> u64 {
        let prior = self.prior(unit);
        let first = if prior < PRIOR_UNKNOWN { first.max((PATIENCE * prior) as u64) } else { first };
        self.in_vain.get(&unit).map_or(first, |&nodes| nodes.saturating_mul(GROWTH).max(first))
    }

    /// The open leaves of the tree that looks cheapest, those to be tried first in front, and what they look like
    /// costing together. None left means that all goals are proved.
    fn open(&self, plan: &Plan) -> (f64, Vec<Unit>) {
        let mut units = BTreeSet::new();
        let mut price = 0.0;
        for &goal in &plan.goals {
            let (cost, mut some) = self.tree.cheapest(goal, &|unit| self.price(unit));
            price += cost;
            units.append(&mut some);
        }
        let mut open: Vec<Unit> = units.into_iter().filter(|&unit| self.price(unit) > 0.0).collect();
        open.sort_by(|&a, &b| {
            let key = |unit| self.next_budget(unit, plan.budget);
            key(a).cmp(&key(b)).then(self.price(a).total_cmp(&self.price(b))).then(a.cmp(&b))
        });
        (price, open)
    }

    fn name(&self, (node, bound): Unit) -> String {
        unit_name(&self.tree.get(node).line, bound)
    }

    /// A proof set in the checker's format: leaf claims proved in the log on which the goals rest, cheap and without
    /// a superfluous one. `None` while the tree is not closed.
    #[must_use]
    pub fn proof_set(&self, goals: &[Bound]) -> Option<String> {
        let price = |unit: Unit| {
            let holds = self.known.get(&unit.0).and_then(|known| known.decides(unit.1)) == Some(true);
            // One is added so that no claim is free.
            if holds { self.spent.get(&unit).map_or(1.0, |&nodes| nodes as f64 + 1.0) } else { f64::INFINITY }
        };
        let mut units = BTreeSet::new();
        for &goal in goals {
            let (cost, mut some) = self.tree.cheapest(goal, &price);
            if cost.is_infinite() {
                return None;
            }
            units.append(&mut some);
        }
        let mut text = "proofset 1\n".to_owned();
        let mut lines: Vec<String> = (self.tree.minimal(goals, &units, &price).into_iter())
            .map(|(node, Bound { side, score })| {
                format!("claim {} {side} {score}\n", self.tree.get(node).line.replace('_', " "))
            })
            .collect();
        lines.sort();
        text.extend(lines);
        Some(text)
    }

    /// The state in a few lines for people.
    #[must_use]
    pub fn summary(&self, plan: &Plan) -> String {
        let (price, open) = self.open(plan);
        let proved = self.spent.len();
        let mut text = format!(
            "decided {proved} units, {} nodes in all runs; the cheapest tree has {} open leaves, guessed {price:.3e} nodes\n",
            self.total,
            open.len()
        );
        for &unit in &open {
            let tried = self.in_vain.get(&unit).copied().unwrap_or(0);
            let _ = writeln!(text, "open {} guess {:.2e} tried {tried}", self.name(unit), self.price(unit));
        }
        text
    }
}

fn log_path(plan: &Plan) -> PathBuf {
    plan.folder.join("log.txt")
}

/// The right to use a folder, which one coordinator has at a time. The system takes it back when the process ends,
/// however it ends; the runs it has started do not inherit it.
pub type FolderLock = fd_lock::RwLock<File>;

/// The lock of the folder, not yet taken: `try_write` takes it.
///
/// # Errors
/// If the folder cannot be made or used.
pub fn folder_lock(plan: &Plan) -> io::Result<FolderLock> {
    std::fs::create_dir_all(&plan.folder)?;
    let file = File::options().create(true).write(true).truncate(false).open(plan.folder.join("lock"))?;
    Ok(fd_lock::RwLock::new(file))
}

/// Reads what earlier runs left: the log, and lines of runs whose coordinator was killed. The folder must be locked.
///
/// # Errors
/// If the folder cannot be used or its log contradicts itself.
pub fn restore(plan: &Plan, state: &mut State) -> Result<(), String> {
    let text = |error: io::Error| error.to_string();
    log::drop_torn_end(&log_path(plan)).map_err(text)?;
    for entry in std::fs::read_dir(&plan.folder).map_err(text)? {
        let path = entry.map_err(text)?.path();
        if path.extension().is_some_and(|extension| extension == "part") {
            log::adopt(&path, &log_path(plan)).map_err(text)?;
        }
    }
    look(plan, state)
}

/// Reads the log and changes nothing.
///
/// # Errors
/// If the log cannot be read, has a line that is not whole, or contradicts itself.
pub fn look(plan: &Plan, state: &mut State) -> Result<(), String> {
    let entries = log::read(&log_path(plan)).map_err(|error| error.to_string())?;
    entries.iter().try_for_each(|entry| state.add(entry))
}

/// Runs the checker until the goals are proved or the time is over. True if they are proved.
///
/// # Errors
/// If the checker does not work or the log cannot be written.
pub fn run(plan: &Plan, state: State) -> Result<(bool, State), String> {
    let mutex = Mutex::new(state);
    let shared = &mutex;
    let results: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.workers)
            .map(|worker| scope.spawn(move || work(plan, shared, worker < plan.dearest_first)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| Err("a worker died".into())))
            .collect()
    });
    results.into_iter().collect::<Result<(), String>>()?;
    let state = mutex.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((state.open(plan).1.is_empty(), state))
}

fn work(plan: &Plan, shared: &Mutex<State>, dearest_first: bool) -> Result<(), String> {
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if plan.until.is_some_and(|until| Instant::now() >= until) {
            return Ok(());
        }
        let (unit, name, budget) = {
            let mut state = lock();
            let (price, open) = state.open(plan);
            if open.is_empty() {
                return Ok(());
            }
            if price.is_infinite() {
                return Err("the log refutes the goals".into());
            }
            if state.failures >= FAILURES_BORNE {
                return Err("the checker has left no line in the log several times in a row".into());
            }
            let mut waiting = open.iter().filter(|unit| !state.running.contains(*unit));
            let next = if dearest_first { waiting.next_back() } else { waiting.next() };
            let Some(&unit) = next else {
                drop(state);
                std::thread::sleep(Duration::from_secs(1));
                continue;
            };
            state.running.insert(unit);
            let budget = state.next_budget(unit, plan.budget);
            eprintln!("{} open, guessed {price:.2e} nodes; {} with {budget}", open.len(), state.name(unit));
            (unit, state.name(unit), budget)
        };
        let outcome = run_unit(plan, &name, budget);
        let mut state = lock();
        state.running.remove(&unit);
        let entries = outcome.map_err(|error| format!("{name}: {error}"))?;
        state.failures = if entries.is_empty() { state.failures + 1 } else { 0 };
        for entry in &entries {
            eprintln!("  {name} {:?} nodes {}", entry.outcome, entry.nodes);
            state.add(entry)?;
        }
    }
}

/// Lets the checker run one unit and takes its line into the log. The checker writes to a file of this unit's own,
/// so that no two runs ever write to one file.
fn run_unit(plan: &Plan, name: &str, budget: u64) -> io::Result<Vec<Entry>> {
    let part: &Path = &plan.folder.join(format!("{name}.part"));
    match std::fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    Command::new(&plan.checker)
        .args(&plan.arguments)
        .args(["--unit", name, "--nodes", &budget.to_string(), "--log"])
        .arg(part)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    log::adopt(part, &log_path(plan))
}
