//! The command line.

#![allow(
    clippy::indexing_slicing,
    reason = "positions come from the levels in which they are looked up, and depths are below 4"
)]

use anyhow::{Context, ensure};
use clap::{Parser, Subcommand};
use cpu_time::ThreadTime;
use prove_honey::advice::{self, Advice, Replies};
use prove_honey::board::Board;
use prove_honey::cover::Tree;
use prove_honey::game::{self, Mask, Node};
use prove_honey::log::{self, Entry, Log};
use prove_honey::remoteness::Remoteness;
use prove_honey::solver::{Options, Rule, Solver, Stats};
use prove_honey::{Value, enumerate, line, list};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Makes Honey Islands Battle certificates. Nothing it writes is trusted: the checker re-derives it.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Count the solutions and the positions after one, two and three stones.
    Enumerate,
    /// Solve all positions after three stones, smallest first, appending to a log; continues where the log ends.
    Values {
        #[command(flatten)]
        search: Search,
        /// Threads, each with a table of its own.
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// Solve only a random sample of this size of what the log holds, and compare it with the log.
        #[arg(long)]
        recheck: Option<usize>,
        /// With `--recheck`: a log of its own for what was solved again; continues where that ends.
        #[arg(long, requires = "recheck")]
        again: Option<PathBuf>,
    },
    /// Write the values of all positions after three stones as an `.xz` list and print what follows from them; with
    /// a log that has the other rule's values too, also the joint counts.
    ValuesList {
        #[arg(long)]
        rule: Rule,
        #[arg(long)]
        log: PathBuf,
        #[arg(long)]
        out: PathBuf,
    },
    /// Write a proof set from the values in the log, solving what is missing.
    ProofSet {
        #[command(flatten)]
        search: Search,
        /// Prove the root alone, not all first moves.
        #[arg(long)]
        root_only: bool,
        /// What one more position weighs besides its solutions: large for a short set, small for a cheap one.
        #[arg(long, default_value_t = 20_000)]
        per_position: usize,
        #[arg(long)]
        out: PathBuf,
    },
    /// Play the perfect line and write it. Values after at most three stones come from the log where it has them.
    Line {
        #[command(flatten)]
        search: Search,
        #[arg(long)]
        out: PathBuf,
    },
    /// Search for winning moves in the large positions of proofs, standard rule, appending them to a log of their own;
    /// continues where that ends.
    Advice {
        #[command(flatten)]
        search: Search,
        /// Log of winning moves; keep it outside the repository.
        #[arg(long)]
        moves: PathBuf,
        /// The searches of a proof set; otherwise all positions of the log of values, lost ones first.
        #[arg(long)]
        proof_set: Option<PathBuf>,
        /// Keep the winning moves of positions with at least so many solutions.
        #[arg(long, default_value_t = 1_000)]
        keep: u32,
        /// Threads, each with a table of its own.
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Write the winning moves that proofs need, as far as they are logged, as `.lzma`.
    AdviceList {
        #[arg(long)]
        log: PathBuf,
        #[arg(long)]
        moves: PathBuf,
        #[arg(long)]
        proof_set: Option<PathBuf>,
        /// Only of positions with at least so many solutions.
        #[arg(long, default_value_t = 1_000)]
        least: u32,
        #[arg(long)]
        out: PathBuf,
    },
    /// Count the determined-black masks with many solutions.
    Masks {
        #[arg(long, default_value_t = 100_000)]
        least: usize,
    },
}

#[derive(clap::Args)]
struct Search {
    #[arg(long)]
    rule: Rule,
    /// File of solved positions; keep it outside the repository.
    #[arg(long)]
    log: PathBuf,
    /// Size of the table: 2^BITS entries of 16 bytes.
    #[arg(long, default_value_t = 26)]
    table_bits: u32,
}

struct Game {
    board: Board,
    solutions: Vec<u64>,
    levels: [BTreeMap<Mask, Node>; 4],
}

impl Game {
    fn new() -> Self {
        let board = Board::new();
        let solutions = enumerate::solutions(&board);
        let levels = game::opening(&board, &solutions);
        Self { board, solutions, levels }
    }

    fn solve(&self, solver: &mut Solver, rule: Rule, mask: Mask) -> Entry {
        let list = game::left(&self.solutions, mask);
        let hints = if rule == Rule::RedundantHint { mask.count_ones() - 3 } else { 0 };
        let (start, before) = (ThreadTime::now(), solver.stats);
        let value = solver.solve(&list, hints);
        let stats = Stats {
            large: solver.stats.large - before.large,
            small: solver.stats.small - before.small,
            moves: solver.stats.moves - before.moves,
        };
        Entry { rule, mask, hints, value, n: list.len(), stats, cpu_ms: start.elapsed().as_millis() }
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let game = Game::new();
    match arguments.command {
        Command::Enumerate => enumerate(&game),
        Command::Values { search, threads, recheck: None, .. } => values(&game, &search, threads)?,
        Command::Values { search, recheck: Some(sample), again, .. } => {
            recheck(&game, &search, sample, again.as_deref())?;
        }
        Command::ValuesList { rule, log, out } => {
            let values = log::read(&log, rule)?;
            let text = list::text(rule, game.solutions.len(), game.levels[3].keys(), &values)?;
            write(&out, &list::compress(&text)?)?;
            let tree = Tree { rule, levels: &game.levels, values: &values, per_position: 0 };
            count(&tree);
            count_moves(&game, &tree);
            count_joint(&log)?;
        }
        Command::ProofSet { search, root_only, per_position, out } => {
            proof_set(&game, &search, root_only, per_position, &out)?;
        }
        Command::Line { search, out } => perfect_line(&game, &search, &out)?,
        Command::Advice { search, moves, proof_set, keep, threads } => {
            ensure!(search.rule == Rule::Standard, "advice is for the standard rule");
            advise(&game, &search, &moves, proof_set.as_deref(), keep, threads)?;
        }
        Command::AdviceList { log, moves, proof_set, least, out } => {
            write_advice(&game, &log, &moves, proof_set.as_deref(), least, &out)?;
        }
        Command::Masks { least } => {
            let masks = game::large_masks(&game.board, &game.solutions, least);
            println!("masks {} canonical {}", masks.values().sum::<usize>(), masks.len());
        }
    }
    Ok(())
}

fn enumerate(game: &Game) {
    println!("solutions {}", game.solutions.len());
    for (depth, level) in game.levels.iter().enumerate() {
        let hints = level.keys().filter(|mask| mask.count_ones() as usize > depth).count();
        println!("stones {depth} positions {} with-hints {hints}", level.len());
    }
}

fn values(game: &Game, search: &Search, threads: usize) -> anyhow::Result<()> {
    let rule = search.rule;
    let known = log::read(&search.log, rule)?;
    let mut open: Vec<(usize, Mask)> = game.levels[3]
        .iter()
        .filter(|(mask, _)| !known.contains_key(mask))
        .map(|(&m, node)| (node.n, m))
        .collect();
    open.sort_unstable();
    let total: usize = open.iter().map(|(n, _)| n).sum();
    let state = Mutex::new((Log::open(&search.log)?, 0, 0));
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<()> {
        let mut solver = Solver::new(&game.board, rule, Options::for_rule(rule), search.table_bits)?;
        while let Some(&(n, mask)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            let entry = game.solve(&mut solver, rule, mask);
            let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (log, count, size) = &mut *state;
            log.append(&entry)?;
            (*count, *size) = (*count + 1, *size + n);
            if *count % 50 == 0 {
                eprintln!("{count} of {} positions, {size} of {total} solutions", open.len());
            }
        }
        Ok(())
    };
    on_threads(threads, &work)?;
    let values = log::read(&search.log, rule)?;
    count(&Tree { rule, levels: &game.levels, values: &values, per_position: 0 });
    Ok(())
}

/// Runs `work` on so many threads at once, at least one.
fn on_threads(threads: usize, work: &(impl Fn() -> anyhow::Result<()> + Sync)) -> anyhow::Result<()> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| anyhow::bail!("panic")))
    })
}

/// Solves a sample again and names every difference; with one, it fails.
fn recheck(game: &Game, search: &Search, sample: usize, again: Option<&Path>) -> anyhow::Result<()> {
    let known = log::read(&search.log, search.rule)?;
    let earlier = again.map_or_else(|| Ok(BTreeMap::new()), |path| log::read(path, search.rule))?;
    let mut log = again.map(Log::open).transpose()?;
    let mut solver =
        Solver::new(&game.board, search.rule, Options::for_rule(search.rule), search.table_bits)?;
    let mut random = prove_honey::random::Random(sample as u64);
    let mut masks: Vec<Mask> = known.keys().copied().collect();
    let (mut agree, mut differ) = (0, 0);
    while agree + differ < sample && !masks.is_empty() {
        let mask = masks.swap_remove(random.below(masks.len()));
        let entry = if let Some(&entry) = earlier.get(&mask) {
            entry
        } else {
            let entry = game.solve(&mut solver, search.rule, mask);
            if let Some(log) = &mut log {
                log.append(&entry)?;
            }
            entry
        };
        if known.get(&mask).is_some_and(|logged| logged.value == entry.value && logged.n == entry.n) {
            agree += 1;
        } else {
            differ += 1;
            println!("differs {mask:016x}");
        }
        if (agree + differ) % 50 == 0 {
            eprintln!("{agree} positions agree, {differ} differ");
        }
    }
    println!("rechecked {} agree {agree} differ {differ}", agree + differ);
    ensure!(differ == 0, "the log is wrong");
    Ok(())
}

fn perfect_line(game: &Game, search: &Search, out: &Path) -> anyhow::Result<()> {
    let rule = search.rule;
    let values = log::read(&search.log, rule)?;
    let tree = Tree { rule, levels: &game.levels, values: &values, per_position: 0 };
    let mut solver = Solver::new(&game.board, rule, Options::for_rule(rule), search.table_bits)?;
    let mut lengths = Remoteness::new(&mut solver, rule == Rule::RedundantHint);
    for (depth, (stones, level)) in (0_u32..).zip(&game.levels).enumerate() {
        for &mask in level.keys() {
            if let Some(value) = tree.value(depth, mask) {
                let hints = if rule == Rule::RedundantHint { mask.count_ones() - stones } else { 0 };
                for image in game.board.images(mask) {
                    lengths.know(image, hints, value);
                }
            }
        }
    }
    let plies = line::perfect(&game.solutions, rule, &mut lengths)?;
    println!("plies {} hints {}", plies.len(), plies.iter().filter(|ply| ply.hint).count());
    write(out, line::text(rule, game.solutions.len(), &plies).as_bytes())
}

fn count(tree: &Tree) {
    for depth in (0..4).rev() {
        let mut counts = [0; 3];
        for &mask in tree.levels[depth].keys() {
            let kind = match tree.value(depth, mask) {
                Some(Value::Win) => 0,
                Some(Value::Loss) => 1,
                None => 2,
            };
            counts[kind] += 1;
        }
        println!("stones {depth} won {} lost {} unknown {}", counts[0], counts[1], counts[2]);
    }
}

/// Counts the winning moves, each cell for itself, in the won positions after no, one and two stones.
fn count_moves(game: &Game, tree: &Tree) {
    for depth in 0..3 {
        let (mut winning, mut moves) = (0, 0);
        for &mask in tree.levels[depth].keys() {
            if tree.value(depth, mask) == Some(Value::Win) {
                for reply in game::replies(&game::left(&game.solutions, mask)) {
                    let child = game.board.canonical(reply.mask);
                    winning += usize::from(tree.value(depth + 1, child) == Some(Value::Loss));
                    moves += 1;
                }
            }
        }
        println!("move {} winning {winning} of {moves}", depth + 1);
    }
}

/// Counts the positions whose values under both rules are known: won under both, under the standard rule only, under
/// the redundant-hint rule only, lost under both.
fn count_joint(log: &Path) -> anyhow::Result<()> {
    let (standard, hints) = (log::read(log, Rule::Standard)?, log::read(log, Rule::RedundantHint)?);
    let mut joint = [0; 4];
    for (mask, entry) in &standard {
        if let Some(other) = hints.get(mask) {
            let lost = |value| usize::from(value == Value::Loss);
            joint[2 * lost(entry.value) + lost(other.value)] += 1;
        }
    }
    println!("joint {} {} {} {}", joint[0], joint[1], joint[2], joint[3]);
    Ok(())
}

fn proof_set(
    game: &Game,
    search: &Search,
    root_only: bool,
    per_position: usize,
    out: &Path,
) -> anyhow::Result<()> {
    let rule = search.rule;
    let mut values = log::read(&search.log, rule)?;
    let mut log = Log::open(&search.log)?;
    let mut solver = Solver::new(&game.board, rule, Options::for_rule(rule), search.table_bits)?;
    let mut firsts: Vec<(usize, Mask)> = game.levels[1].iter().map(|(&mask, node)| (node.n, mask)).collect();
    firsts.sort_unstable();
    for (_, first) in firsts {
        for &second in &game.levels[1][&first].children {
            let mut thirds = game.levels[2][&second].children.clone();
            thirds.sort_unstable_by_key(|mask| game.levels[3][mask].n);
            for third in thirds {
                if (Tree { rule, levels: &game.levels, values: &values, per_position: 0 })
                    .value(2, second)
                    .is_none()
                {
                    let entry = game.solve(&mut solver, rule, third);
                    log.append(&entry)?;
                    values.insert(third, entry);
                }
            }
        }
        let tree = Tree { rule, levels: &game.levels, values: &values, per_position: 0 };
        if root_only && tree.value(1, first) == Some(Value::Loss) {
            break;
        }
    }
    let tree = Tree { rule, levels: &game.levels, values: &values, per_position };
    let leaves = if root_only { tree.prove_root()? } else { tree.prove_depth1()? };
    let total = |work: fn(&Entry) -> u64| leaves.iter().filter_map(|x| values.get(x)).map(work).sum::<u64>();
    println!(
        "positions {} solutions {} large {} small {} moves {} cpu_ms {}",
        leaves.len(),
        total(|entry| entry.n as u64),
        total(|entry| entry.stats.large),
        total(|entry| entry.stats.small),
        total(|entry| entry.stats.moves),
        leaves.iter().filter_map(|x| values.get(x)).map(|entry| entry.cpu_ms).sum::<u128>()
    );
    write(out, tree.derivation(game.solutions.len(), &leaves).as_bytes())
}

/// The positions whose proofs want advice: the searches of a proof set, or all that are logged; lost ones first, then
/// the smaller ones.
fn wanted(log: &Path, proof_set: Option<&Path>) -> anyhow::Result<Vec<Mask>> {
    let mut entries: Vec<Entry> = log::read(log, Rule::Standard)?.into_values().collect();
    if let Some(path) = proof_set {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let searches: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_prefix("search ")).collect();
        entries
            .retain(|e| searches.contains(&*format!("{} {}", list::key(e.rule, e.mask, 0), e.value.word())));
        ensure!(entries.len() == searches.len(), "the log lacks a value that the proof set names");
    }
    entries.sort_unstable_by_key(|entry| (entry.value, entry.n, entry.mask));
    Ok(entries.iter().map(|entry| entry.mask).collect())
}

/// The winning moves of a log, and the positions whose proofs are complete; cuts an interrupted write off.
fn read_moves(path: &Path) -> anyhow::Result<(HashMap<Mask, advice::Reply>, HashSet<Mask>)> {
    let text = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
    let complete = advice::complete(&text);
    if complete.len() < text.len() {
        std::fs::OpenOptions::new().write(true).open(path)?.set_len(complete.len() as u64)?;
    }
    advice::read_log(complete).with_context(|| path.display().to_string())
}

fn advise(
    game: &Game,
    search: &Search,
    moves: &Path,
    proof_set: Option<&Path>,
    keep: u32,
    threads: usize,
) -> anyhow::Result<()> {
    let (known, done) = read_moves(moves)?;
    let mut open = wanted(&search.log, proof_set)?;
    open.retain(|mask| !done.contains(mask));
    let replies = Replies::new(keep, known);
    let state = Mutex::new((Log::open(moves)?, Advice::default(), 0));
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<()> {
        let mut solver =
            Solver::new(&game.board, search.rule, Options::for_rule(search.rule), search.table_bits)?
                .with_replies(&replies);
        while let Some(&mask) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            let list = game::left(&game.solutions, mask);
            let value = solver.solve(&list, 0);
            let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (log, advice, count) = &mut *state;
            let new = advice.add(&game.board, &replies, keep as usize, list)?;
            log.append_lines(&advice::log_lines(&new, mask))?;
            *count += 1;
            let (of, nodes) = (open.len(), solver.stats.large + solver.stats.small);
            eprintln!("{count} of {of} {mask:016x} {} nodes of this thread {nodes}", value.word());
        }
        Ok(())
    };
    on_threads(threads, &work)
}

fn write_advice(
    game: &Game,
    log: &Path,
    moves: &Path,
    proof_set: Option<&Path>,
    least: u32,
    out: &Path,
) -> anyhow::Result<()> {
    let (known, done) = read_moves(moves)?;
    let replies = Replies::new(least, known);
    let mut advice = Advice::default();
    for mask in wanted(log, proof_set)?.iter().filter(|mask| done.contains(mask)) {
        advice.add(&game.board, &replies, least as usize, game::left(&game.solutions, *mask))?;
    }
    println!("moves {}", advice.moves.len());
    let text = advice::text(game.solutions.len(), least, &advice.moves);
    write(out, &list::compress_lzma(&text)?)
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| path.display().to_string())
}
