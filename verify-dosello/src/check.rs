//! The check of a claim. Reads what `claim.txt` names, expands the tree, propagates, compares.
//!
//! Two roads lead to a verdict and they share no facts. The conditional one propagates what files state. The
//! unconditional one propagates what the search has proved ([`ProvedFacts`]), in this run or in an earlier one that the
//! auditor resumes, nothing else. Only the second can end in [`Verdict::Proved`].

use crate::claim::{self, Claim, Statement};
use crate::error::{Error, Reason};
use crate::leaves::{Leaves, parse_leaves, parse_proof_set};
use crate::own_run::OwnRun;
use crate::report::{Report, Verdict};
use crate::rules::{Position, Side};
use crate::run::Engine;
use crate::search::{Bound, Proved};
use crate::text::Text;
use crate::tree::{Assumed, Derived, Interval, ProvedFacts, Tree};
use crate::units::{self, Logged, Unit};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// What to do besides reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Believe the leaf file and say so.
    Conditional,
    /// Prove every claim of the proof set in this run, or find it in the folder of the auditor's own.
    Resolve {
        /// Folder of the run.
        resume: Option<PathBuf>,
        /// How many units to prove at a time, each with a table of its own.
        threads: usize,
    },
    /// Believe a log, and the leaf file for the claims on which the log says nothing, and say so.
    Log {
        /// The log.
        log: PathBuf,
        /// How many of its units to prove again.
        recheck: usize,
        /// Which ones.
        seed: u64,
    },
}

/// A claim's folder as read.
pub struct Read {
    folder: PathBuf,
    claim: Claim,
    leaves: Option<Leaves>,
    units: Vec<Unit>,
    hashes: String,
}

/// Makes the engine when it is needed: a check that believes files needs no table.
pub type MakeEngine<'a> = &'a (dyn Fn() -> Result<Engine, Error> + Sync);
/// Takes a word of progress.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// Reads a claim's folder.
///
/// # Errors
/// Whatever is wrong with its files.
pub fn read(folder: &Path, proof_sets: &Path, report: &mut Report) -> Result<Read, Error> {
    let text = Text::read(&folder.join("claim.txt"))?;
    let claim = claim::parse(&text)?;
    report.line("statement", sentence(&claim.statement));
    report.line("checker", crate::sources::digest());
    report.line("checker_core", crate::sources::core_digest());
    let mut hashes = String::new();
    let mut note = |key: &str, text: &Text| {
        report.line(key, text.sha256());
        hashes.extend([key, " ", &text.sha256(), "\n"]);
    };
    note("claim_sha256", &text);
    let mut leaves = None;
    if let Some(name) = &claim.leaves {
        let text = Text::read(&folder.join(name))?;
        note("leaves_sha256", &text);
        let read = parse_leaves(&text)?;
        let lines = read.lines.iter().map(|(_, positions)| positions.as_slice());
        Tree::expand(lines).map_err(|index| {
            text.error(Reason::NoLeaf, index + 2, "the line ends at an inner position of the tree")
        })?;
        leaves = Some(read);
    }
    let mut units = Vec::new();
    if let Some(name) = &claim.proof_set {
        let text = Text::read(&proof_sets.join(name))?;
        note("proofset_sha256", &text);
        units = parse_proof_set(&text)?;
        expand(&units).map_err(|index| {
            text.error(Reason::NoLeaf, index + 2, "the line ends at an inner position of the tree")
        })?;
    } else if let Some(leaves) = &leaves {
        units = leaves.units()?;
    }
    Ok(Read { folder: folder.to_owned(), claim, leaves, units, hashes })
}

impl Read {
    /// The units of the claim, in order.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }
}

/// Checks a claim. The report gets its lines as they are known; the verdict is returned.
///
/// # Errors
/// Every reason not to accept the claim.
pub fn check(
    read: &Read,
    mode: &Mode,
    node_limit: u64,
    engine: MakeEngine,
    report: &mut Report,
    progress: Progress,
) -> Result<Verdict, Error> {
    if let Statement::Line { value, from, counts, positions } = &read.claim.statement {
        let resolve = match mode {
            Mode::Conditional => false,
            Mode::Resolve { resume: None, threads: 1 } => true,
            Mode::Resolve { .. } | Mode::Log { .. } => {
                return Err(Error::Usage(
                    "a line takes no log, no folder of a run, and one thread".to_owned(),
                ));
            }
        };
        return line(*value, *from, *counts, positions, (resolve, node_limit), engine, report);
    }
    let tree = expand(&read.units)
        .map_err(|_| Error::Internal("the tree differs from the one before".to_owned()))?;
    if let Some(leaves) = &read.leaves {
        let lines = leaves.lines.iter().map(|(_, positions)| positions.as_slice());
        let whole = Tree::expand(lines).map_err(|_| Error::Internal("the leaf tree differs".to_owned()))?;
        report.line("leaf_results", leaves.lines.len());
        report.line("leaf_positions", leaves.positions);
        report.line("leaf_tree", tree_size(&whole));
    }
    report.line("claims", read.units.len());
    report.line("claims_tree", tree_size(&tree));
    let contradiction =
        |reason| Error::of(reason, "a finished position has another score than the file states");
    match mode {
        Mode::Conditional => {
            let stated = read.leaves.as_ref().map(|leaves| leaves.stated.clone()).unwrap_or_default();
            let mut facts = Assumed::default();
            add_claimed(&mut facts, &read.units, &stated)?;
            let derived = tree.conditional(&facts).map_err(contradiction)?;
            let verdict = judge(&read.claim.statement, &derived, report)?;
            let count = read.units.len();
            Ok(Verdict::Conditional(format!("conditional_{verdict} assuming {count} leaf claims")))
        }
        Mode::Log { log, recheck, seed } => {
            let text = Text::read(log)?;
            let lines = Logged::parse_all(&text)?;
            report.line("log_sha256", text.sha256());
            report.line("log_lines", lines.len());
            let own = lines.iter().filter(|line| line.checker == crate::sources::core_digest()).count();
            report.line("log_lines_of_this_core", own);
            let stated = stated_by_log(&text, &lines)?;
            let leaves = read.leaves.as_ref().map(|leaves| leaves.stated.clone()).unwrap_or_default();
            let (logged, others) = split(&read.units, &stated)?;
            report.line("claims_in_log", logged.len());
            for unit in &others {
                report.line("not_in_log", unit);
            }
            let mut facts = Assumed::default();
            add_claimed(&mut facts, &logged, &stated)?;
            add_claimed(&mut facts, &others, &leaves)?;
            let drawn = draw(logged.len(), *recheck, *seed);
            if !drawn.is_empty() {
                let drawn = drawn.iter().filter_map(|&index| logged.get(index));
                prove_again(drawn, &mut engine()?, node_limit, report, progress)?;
            }
            let derived = tree.conditional(&facts).map_err(contradiction)?;
            let verdict = judge(&read.claim.statement, &derived, report)?;
            let mut words = format!(
                "conditional_{verdict} assuming {} logged units (log {}), {} re-proved here",
                logged.len(),
                text.sha256(),
                drawn.len()
            );
            if !others.is_empty() {
                let rest = format!(", and {} leaf claims that are not in the log", others.len());
                words.push_str(&rest);
            }
            Ok(Verdict::Conditional(words))
        }
        Mode::Resolve { resume, threads } => {
            let open = |run: &PathBuf| OwnRun::open(run, &read.folder, &read.hashes);
            let own_run = resume.as_ref().map(open).transpose()?;
            let work = Work { own_run: own_run.as_ref(), node_limit, engine, progress };
            let (facts, resumed) = resolve(&read.units, &work, *threads, report)?;
            let derived = tree.unconditional(&facts).map_err(contradiction)?;
            let verdict = judge(&read.claim.statement, &derived, report)?;
            let kind = if verdict.starts_with("value") { "exact" } else { "verified" };
            let earlier = match resumed {
                0 => String::new(),
                some => format!(", {some} of {} units by the folder of --resume", read.units.len()),
            };
            let words = format!("{kind}_{verdict}{earlier}");
            Ok(Verdict::Proved(words))
        }
    }
}

fn expand(units: &[Unit]) -> Result<Tree, usize> {
    let lines: Vec<Vec<Position>> = units.iter().map(Unit::line).collect();
    Tree::expand(lines.iter().map(Vec::as_slice))
}

fn tree_size(tree: &Tree) -> String {
    let (moves, groups) = tree.moves();
    format!("positions {} leaves {} groups {groups} moves {moves}", tree.positions(), tree.leaves())
}

/// Adds the claims of the units and nothing more, each of them supported by what is stated.
fn add_claimed(facts: &mut Assumed, units: &[Unit], stated: &Assumed) -> Result<(), Error> {
    for unit in units {
        let claimed = Interval::of(unit.bound());
        let claimed =
            claimed.filter(|&claimed| stated.of(unit.position()).lies_in(claimed)).ok_or_else(|| {
                Error::of(
                    Reason::UnsupportedClaim,
                    format!("{unit}: stated is {}", stated.of(unit.position())),
                )
            })?;
        facts.add(unit.position(), claimed).map_err(|reason| Error::of(reason, unit.to_string()))?;
    }
    Ok(())
}

/// The units that a log supports, and those on which it says too little. A log that excludes a claim is refused.
fn split(units: &[Unit], stated: &Assumed) -> Result<(Vec<Unit>, Vec<Unit>), Error> {
    let mut parts = (Vec::new(), Vec::new());
    for unit in units {
        let logged = stated.of(unit.position());
        let claimed = Interval::of(unit.bound()).unwrap_or(Interval::ALL);
        if logged.intersection(claimed).is_none() {
            return Err(Error::of(Reason::Contradiction, format!("{unit}: the log says {logged}")));
        }
        let part = if logged.lies_in(claimed) { &mut parts.0 } else { &mut parts.1 };
        part.push(unit.clone());
    }
    Ok(parts)
}

/// What the lines of a log say of their positions.
fn stated_by_log(text: &Text, lines: &[Logged]) -> Result<Assumed, Error> {
    let mut stated = Assumed::default();
    for (index, line) in lines.iter().enumerate() {
        let Some(bound) = line.bound() else { continue };
        let interval = Interval::of(bound).ok_or_else(|| {
            text.error(Reason::EmptyInterval, index + 1, "no position has a value like this")
        })?;
        stated
            .add(line.unit.position(), interval)
            .map_err(|reason| text.error(reason, index + 1, "this result contradicts lines above"))?;
    }
    Ok(stated)
}

/// Proves units of a log here.
fn prove_again<'a>(
    units: impl Iterator<Item = &'a Unit>,
    engine: &mut Engine,
    node_limit: u64,
    report: &mut Report,
    progress: Progress,
) -> Result<(), Error> {
    for unit in units {
        progress(&format!("rechecking {unit}"));
        let (_, line) = engine.run(unit, node_limit)?;
        report.line("rechecked", &line);
        match line.verdict {
            units::Verdict::Proved => {}
            units::Verdict::Refuted => {
                let words = format!("{unit} is logged as proved and is false");
                return Err(Error::of(Reason::FalseLog, words));
            }
            units::Verdict::Undecided => {
                return Err(Error::Declined(format!("node-limit reached in rechecking {unit}")));
            }
        }
    }
    Ok(())
}

/// What the threads of a run share.
struct Work<'a> {
    own_run: Option<&'a OwnRun>,
    node_limit: u64,
    engine: MakeEngine<'a>,
    progress: Progress<'a>,
}

/// Proves every unit, in this process or earlier in the auditor's own run. A unit that meets the node limit does not
/// keep the others from being tried. Returns also how many units ended earlier.
fn resolve(
    units: &[Unit],
    work: &Work,
    threads: usize,
    report: &mut Report,
) -> Result<(ProvedFacts, usize), Error> {
    let mut facts = ProvedFacts::default();
    let mut ended = Vec::new();
    let mut open = Vec::new();
    for unit in units {
        match work.own_run.map(|run| run.earlier(unit)).transpose()?.flatten() {
            Some(line) => {
                if line.verdict == units::Verdict::Proved {
                    facts.add_earlier(unit, &line)?;
                }
                ended.push(line);
            }
            None => open.push(unit),
        }
    }
    let resumed = ended.len();
    if work.own_run.is_some() {
        report.line("resumed", resumed);
        if let Some(line) = ended.iter().find(|line| line.verdict == units::Verdict::Refuted) {
            let words = format!("the unit {} is false, by the folder of the run", line.unit);
            return Err(Error::of(Reason::Refuted, words));
        }
    }
    for (proved, line) in work.run(&open, threads)? {
        if let Some(proved) = &proved {
            facts.add(proved)?;
        }
        ended.push(line);
    }
    let of = |verdict| ended.iter().filter(move |line| line.verdict == verdict).map(|line| &line.unit);
    if let Some(unit) = of(units::Verdict::Refuted).next() {
        return Err(refuted(unit));
    }
    let undecided: Vec<&Unit> = of(units::Verdict::Undecided).collect();
    for unit in &undecided {
        report.line("not_decided", unit);
    }
    match undecided.as_slice() {
        [] => {}
        [unit] => return Err(Error::Declined(format!("node-limit reached, not decided: {unit}"))),
        many => {
            return Err(Error::Declined(format!("node-limit reached, not decided: {} units", many.len())));
        }
    }
    let proved = of(units::Verdict::Proved).count();
    if proved != units.len() {
        return Err(Error::Internal("a unit was left out".to_owned()));
    }
    report.line("proved_units", proved);
    report.line("nodes", ended.iter().fold(0u64, |sum, line| sum.saturating_add(line.nodes)));
    report.line("shallow_nodes", ended.iter().fold(0u64, |sum, line| sum.saturating_add(line.shallow)));
    Ok((facts, resumed))
}

fn refuted(unit: &Unit) -> Error {
    Error::of(Reason::Refuted, format!("the unit {unit} is false"))
}

/// How a unit ended in this process: the proof, if it was proved, and the log line.
type Ended = (Option<Proved>, Logged);

/// Bytes of the stack of a thread: the least that `main` has on usual systems.
const STACK: usize = 8 << 20;

impl Work<'_> {
    /// Runs units, each on one of the threads and with an empty table, so that counts do not depend on the threads.
    fn run(&self, units: &[&Unit], threads: usize) -> Result<Vec<Ended>, Error> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let worker = || {
            let results = self.take(units, &next, &stop);
            // Nobody waits for the proofs of a run that has failed.
            stop.fetch_or(results.is_err(), Ordering::Relaxed);
            results
        };
        thread::scope(|scope| {
            let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            let workers = (0..threads.min(units.len())).map(start).collect::<Result<Vec<_>, _>>();
            stop.fetch_or(workers.is_err(), Ordering::Relaxed);
            let mut ended = Vec::new();
            for worker in workers.map_err(|error| Error::Internal(format!("no thread: {error}")))? {
                let results = worker.join().map_err(|_| Error::Internal("a thread panicked".to_owned()))?;
                ended.extend(results?);
            }
            Ok(ended)
        })
    }

    /// Takes units off the common list until it is empty, or one is false, or a thread has failed.
    fn take(&self, units: &[&Unit], next: &AtomicUsize, stop: &AtomicBool) -> Result<Vec<Ended>, Error> {
        let mut engine = (self.engine)()?;
        let mut ended = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(unit) = units.get(index) else { break };
            (self.progress)(&format!("unit {} of {}: {unit}", index + 1, units.len()));
            let (proved, line) = engine.run(unit, self.node_limit)?;
            if line.verdict != units::Verdict::Undecided
                && let Some(run) = self.own_run
            {
                run.keep(&line)?;
            }
            stop.fetch_or(line.verdict == units::Verdict::Refuted, Ordering::Relaxed);
            ended.push((proved, line));
        }
        Ok(ended)
    }
}

/// Compares derived intervals with the claim. Returns the words of the verdict after its first syllable.
fn judge(statement: &Statement, derived: &Derived, report: &mut Report) -> Result<String, Error> {
    let initial = Position::initial();
    let root = derived.for_black(&initial);
    report.line("derived_root", root);
    let compare = |what: &str, derived: Interval, claimed: Interval| {
        if derived.lies_in(claimed) {
            return Ok(());
        }
        let words = format!("{what}: derived {derived}, claimed {claimed}");
        let reason =
            if derived.intersection(claimed).is_none() { Reason::Refuted } else { Reason::NotProved };
        Err(Error::of(reason, words))
    };
    let listed = |position: &Position, intervals: &[(_, Interval)], report: &mut Report| {
        let table = derived.table(position);
        for (name, (_, interval)) in &table {
            report.line("derived", format!("{name} {interval}"));
        }
        // The claim's list is in the order of the table, and the reader has compared it with the legal moves.
        if table.len() != intervals.len() {
            return Err(Error::of(Reason::WrongList, "the claim lists other moves than the legal ones"));
        }
        table.values().zip(intervals).try_for_each(|(&(step, interval), &(listed, claimed))| {
            if step != listed {
                return Err(Error::of(Reason::WrongList, format!("{listed} where {step} was expected")));
            }
            compare(&step.to_string(), interval, claimed)
        })
    };
    match statement {
        Statement::Value(value) => {
            compare("root", root, Interval::new(*value, *value).unwrap_or(Interval::ALL))?;
            Ok(format!("value {value}"))
        }
        Statement::Openings { best, intervals } => {
            listed(&initial, intervals, report)?;
            best_openings(best, derived)?;
            Ok(format!("set {} of {}", intervals.len() + 1, intervals.len() + 1))
        }
        Statement::Replies { opening, perfect, intervals } => {
            let after =
                initial.play(*opening).ok_or_else(|| Error::Internal("illegal opening".to_owned()))?;
            listed(&after, intervals, report)?;
            if root.lower() != root.upper() {
                return Err(Error::of(
                    Reason::NotProved,
                    format!("root: derived {root}, one value was needed"),
                ));
            }
            for (index, position) in perfect.iter().enumerate() {
                compare(&format!("perfect play after {index} moves"), derived.for_black(position), root)?;
            }
            Ok(format!("set {} of {}", intervals.len() + 1, intervals.len() + 1))
        }
        Statement::Line { .. } => Err(Error::Internal("a line needs no tree".to_owned())),
    }
}

/// The best openings lead to one position up to symmetry, or have one and the same exact value; and each other opening
/// is worth less.
fn best_openings(best: &[crate::rules::Move], derived: &Derived) -> Result<(), Error> {
    let initial = Position::initial();
    let mut worst_best = Interval::ALL;
    let mut first = None;
    for (step, next) in initial.moves() {
        if !best.contains(&step) {
            continue;
        }
        let interval = derived.for_black(&next);
        let (same, known) = *first.get_or_insert((next.canonical(), interval));
        let exact = interval.lower() == interval.upper();
        if next.canonical() != same && !(exact && interval == known) {
            return Err(Error::of(
                Reason::NotProved,
                format!("{step} is not known to be as good as the other best openings"),
            ));
        }
        worst_best = interval;
    }
    for (step, next) in initial.moves() {
        let upper = derived.for_black(&next).upper();
        if !best.contains(&step) && upper >= worst_best.lower() {
            let reason = if derived.for_black(&next).lower() >= worst_best.upper() {
                Reason::Refuted
            } else {
                Reason::NotProved
            };
            return Err(Error::of(reason, format!("{step} may be as good as the best openings")));
        }
    }
    Ok(())
}

/// A complete game: legal (the reader played it), finished, with the counts of the claim; and from `from` moves on,
/// passes counted, every position is worth `value`, proved here. With `resolve` the earlier positions, of which the
/// claim says nothing, are tried too, back to the first that is not worth `value` or is not decided.
fn line(
    value: i32,
    from: usize,
    counts: [u32; 3],
    positions: &[Position],
    (resolve, node_limit): (bool, u64),
    make_engine: MakeEngine,
    report: &mut Report,
) -> Result<Verdict, Error> {
    let end = positions.last().copied().unwrap_or_else(Position::initial);
    let found = [end.black.count_ones(), end.white.count_ones(), end.empty().count_ones()];
    if !end.is_over() {
        return Err(Error::of(Reason::WrongEnd, "the line ends before the game does"));
    }
    if found != counts {
        let what = format!("black, white and empty at the end are {found:?}, claimed {counts:?}");
        return Err(Error::of(Reason::WrongEnd, what));
    }
    report.line("end", format!("black {} white {} empty {}", found[0], found[1], found[2]));
    let mut engine = make_engine()?;
    let first = if resolve { 0 } else { from };
    let mut proved_from = positions.len();
    for (index, position) in positions.iter().enumerate().skip(first).rev() {
        let own = if position.turn == Side::Black { value } else { -value };
        let mut nodes = 0;
        for bound in [Bound::AtLeast(own), Bound::AtMost(own)] {
            let (verdict, spent) = engine.decide_on(position, bound, node_limit)?;
            nodes += spent;
            match verdict {
                units::Verdict::Proved => {}
                verdict if index < from => {
                    let why = if verdict == units::Verdict::Refuted { "is not so" } else { "is not decided" };
                    report.line("stopped", format!("after {index} moves worth {value} {why}"));
                    return Ok(line_verdict(proved_from, positions.len()));
                }
                units::Verdict::Refuted => {
                    return Err(Error::of(
                        Reason::Refuted,
                        format!("the position after {index} moves is not worth {value}"),
                    ));
                }
                units::Verdict::Undecided => {
                    return Err(Error::Declined(format!(
                        "node-limit reached, not decided: position after {index} moves"
                    )));
                }
            }
        }
        report.line("position", format!("after {index} moves worth {value} nodes {nodes}"));
        proved_from = index;
    }
    Ok(line_verdict(proved_from, positions.len()))
}

fn line_verdict(proved_from: usize, count: usize) -> Verdict {
    let proved = count - proved_from;
    let rest = match proved_from {
        0 => String::new(),
        1 => ", not proved: the initial position".to_owned(),
        _ => format!(", not proved: the positions after 0 to {} moves", proved_from - 1),
    };
    Verdict::Proved(format!("verified_set {proved} of {proved}{rest}"))
}

/// One canonical sentence of what is claimed.
fn sentence(statement: &Statement) -> String {
    match statement {
        Statement::Value(value) => format!("DOSELLO is worth {value} to Black"),
        Statement::Openings { best, intervals } => {
            let best: Vec<String> = best.iter().map(ToString::to_string).collect();
            format!(
                "DOSELLO's best openings are {}, and the {} openings lie in the claimed intervals",
                best.join(" and "),
                intervals.len()
            )
        }
        Statement::Replies { opening, perfect, intervals } => format!(
            "the {} replies to {opening} lie in the claimed intervals, and perfect play can start with the claimed {} moves",
            intervals.len(),
            perfect.len() - 1
        ),
        Statement::Line { value, from, positions, .. } => format!(
            "the line of {} moves is a complete game, and each position after {from} moves or more is worth {value} to Black",
            positions.len() - 1
        ),
    }
}

/// `count` different numbers below `below`, a function of the seed (splitmix64 and a partial shuffle).
fn draw(below: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut state = seed;
    let mut numbers: Vec<usize> = (0..below).collect();
    let mut drawn = Vec::new();
    while drawn.len() < count && !numbers.is_empty() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        let index = usize::try_from(word % numbers.len() as u64).unwrap_or(0);
        drawn.push(numbers.swap_remove(index));
    }
    drawn
}
