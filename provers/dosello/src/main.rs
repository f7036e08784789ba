//! `prove-dosello`: trains weights, or decides which leaves the checker re-proves next.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::prelude::*;
use prove_dosello::coordinate::{self, Plan, State};
use prove_dosello::evaluation::Evaluation;
use prove_dosello::log::parse_unit;
use prove_dosello::train::{self, Training};
use prove_dosello::tree::{Bound, Side, Tree};

const HELP: &str = "\
prove-dosello train OUT [--runs N] [--seed N] [--percent N]
    Trains move-ordering weights and writes them, unpacked, to OUT: the mean of N runs (default 3). What is done is
    kept in the folder OUT.fits; stop it as you like, the next run continues.
prove-dosello prove FOLDER --checker PATH [OPTIONS] [-- ARGUMENTS]
    Lets the checker re-prove leaves until the goals follow. State is FOLDER/log.txt; stop it as you like, the next
    run continues. ARGUMENTS go to every run of the checker: the claim's folder, --weights, --table-mb.
    --goal BOUND        ge2 or le2: a bound on the root from its mover's view; may be repeated (default: both)
    --from LINE         the root, moves joined by _ (default: the initial position)
    --published FILE    table of published results, to guess prices
    --budget N          nodes that a leaf is given first, unless its guess says more (default 30000000)
    --workers N         runs at a time (default 1)
    --dearest-first N   so many of the workers take the dearest open leaf instead of the cheapest (default 0)
    --minutes N         start no run after so many minutes
    --write-set FILE    write the proof set when the tree is closed
    --dry-run           print what is open, run and change nothing
Exit codes: 0 done, 1 goals not proved yet, 64 usage, 70 the checker or the log failed, 74 input/output, or
another coordinator uses FOLDER.
";

enum Failure {
    Usage(String),
    Run(String),
    File(String),
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

fn main() -> ExitCode {
    let (code, message) = match command() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => return ExitCode::from(1),
        Err(Failure::Usage(message)) => (64, format!("{message}\n{HELP}")),
        Err(Failure::Run(message)) => (70, message),
        Err(Failure::File(message)) => (74, message),
    };
    eprintln!("prove-dosello: {message}");
    ExitCode::from(code)
}

fn command() -> Result<bool, Failure> {
    let mut parser = lexopt::Parser::from_env();
    match parser.next()? {
        Some(Value(word)) if word == "train" => train(parser),
        Some(Value(word)) if word == "prove" => prove(parser),
        Some(Short('h') | Long("help")) => {
            print!("{HELP}");
            Ok(true)
        }
        _ => Err(Failure::Usage("a command is missing".into())),
    }
}

fn train(mut parser: lexopt::Parser) -> Result<bool, Failure> {
    let (mut out, mut runs, mut seed, mut percent) = (None, 3, 1, 100);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("runs") => runs = parser.value()?.parse()?,
            Long("seed") => seed = parser.value()?.parse()?,
            Long("percent") => percent = parser.value()?.parse()?,
            Value(path) if out.is_none() => out = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    let out = out.ok_or_else(|| Failure::Usage("OUT is missing".into()))?;
    if runs == 0 || percent == 0 {
        return Err(Failure::Usage("--runs and --percent are at least 1".into()));
    }
    let mut folder = out.clone().into_os_string();
    folder.push(".fits");
    let training = Training { seed, runs, percent, folder: folder.into() };
    let write = |evaluation: Evaluation| std::fs::write(&out, evaluation.to_bytes());
    (train::train(&training, |line| eprintln!("{line}")).and_then(write))
        .map_err(|error| Failure::File(format!("{}: {error}", out.display())))?;
    Ok(true)
}

fn prove(mut parser: lexopt::Parser) -> Result<bool, Failure> {
    let (mut folder, mut checker, mut published, mut set, mut until) = (None, None, None, None, None);
    let (mut goals, mut line, mut arguments, mut dry_run) = (Vec::new(), Vec::new(), Vec::new(), false);
    let (mut budget, mut workers, mut dearest_first) = (30_000_000, 1, 0);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("checker") => checker = Some(PathBuf::from(parser.value()?)),
            Long("goal") => {
                // As at the end of a unit's name.
                let text = format!("_{}", parser.value()?.string()?);
                let (_, goal) =
                    parse_unit(&text).ok_or_else(|| Failure::Usage("--goal is no bound".into()))?;
                goals.push(goal);
            }
            Long("from") => line = parser.value()?.string()?.split('_').map(str::to_owned).collect(),
            Long("published") => published = Some(PathBuf::from(parser.value()?)),
            Long("budget") => budget = parser.value()?.parse()?,
            Long("workers") => workers = parser.value()?.parse()?,
            Long("dearest-first") => dearest_first = parser.value()?.parse()?,
            Long("minutes") => {
                until = Some(Instant::now() + Duration::from_secs(60 * parser.value()?.parse::<u64>()?));
            }
            Long("write-set") => set = Some(PathBuf::from(parser.value()?)),
            Long("dry-run") => dry_run = true,
            Value(path) if folder.is_none() => folder = Some(PathBuf::from(path)),
            // What follows `--`.
            Value(word) => arguments.push(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let missing = |what: &str| Failure::Usage(format!("{what} is missing"));
    let checker = checker.or_else(|| dry_run.then(PathBuf::new)).ok_or_else(|| missing("--checker"))?;
    let folder = folder.ok_or_else(|| missing("FOLDER"))?;
    if goals.is_empty() {
        goals = vec![Bound { side: Side::Ge, score: 2 }, Bound { side: Side::Le, score: 2 }];
    }
    let tree = Tree::new(&line, 3).ok_or_else(|| Failure::Usage("--from is no legal line".into()))?;
    let mut state = State::new(tree);
    if let Some(path) = published {
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Failure::File(format!("{}: {error}", path.display())))?;
        state.add_published(&text).map_err(Failure::Run)?;
    }
    let plan = Plan { checker, arguments, folder, goals, budget, workers, dearest_first, until };
    if dry_run {
        coordinate::look(&plan, &mut state).map_err(Failure::Run)?;
    } else {
        let file =
            |error: &dyn std::fmt::Display| Failure::File(format!("{}: {error}", plan.folder.display()));
        let mut lock = coordinate::folder_lock(&plan).map_err(|error| file(&error))?;
        let held = lock.try_write().map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => file(&"another coordinator uses this folder"),
            _ => file(&error),
        })?;
        coordinate::restore(&plan, &mut state).map_err(Failure::Run)?;
        state = coordinate::run(&plan, state).map_err(Failure::Run)?.1;
        drop(held);
    }
    print!("{}", state.summary(&plan));
    let proof_set = state.proof_set(&plan.goals);
    if let (Some(path), Some(text)) = (set, &proof_set) {
        std::fs::write(&path, text).map_err(|error| Failure::File(format!("{}: {error}", path.display())))?;
    }
    Ok(proof_set.is_some())
}
