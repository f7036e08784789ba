//! The command line.

#![forbid(unsafe_code)]
#![allow(clippy::indexing_slicing, reason = "pairs of arguments are indexed by 0 and 1")]

use prove_darkhex::convert;
use prove_darkhex::game::{Game, MAX_CELLS, Player, Rule};
use prove_darkhex::openspiel;
use prove_darkhex::plan::Strategy;
use prove_darkhex::solve::{self, Options, finish::Output, finish::Proved};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
prove-darkhex convert-sketch PLAN STRATEGY
    Writes a plan in the sketch's text format (DARKHEX-PLAN 1) as a strategy file.
prove-darkhex convert STRATEGY STRATEGY
    Writes a strategy file in the other format, or anew in its own.
prove-darkhex import --rule classic|abrupt --owner black|white POLICY STRATEGY
    Writes one player's part of a policy that OpenSpiel's TabularPolicy has serialised for dark_hex.
prove-darkhex solve --rule classic|abrupt --rows R --columns C --out FOLDER [OPTIONS]
    Solves a game and writes its certificate, which the checker's binary then judges.
    --opening SQUARE     Black's first stone is announced
    --format FORMAT      mix, mix.xz, realization or realization.xz (the last if not given)
    --time-limit SECONDS of processor time, earlier runs included; then the best bounds so far are written
    --checkpoint FILE    resumes from the file if it is there, and writes it every two minutes
    --checkpoint-every S or every so many seconds
    --start FOLDER       begins with the plans (realizations) of a certificate of the same game
    --threads 1|2        2 if not given: both best responses at once
    --rotation yes|no    yes if not given: half of the board does for the first probes of a game without an opening
    --highs FILE         libhighs.so; python3 -m venv .venv && .venv/bin/pip install highsbox puts it where it is found
    --checker FILE       verify-darkhex; the one beside this program if not given
    Progress is on standard error.

The name of a strategy file ends in .mix or .realization, then .xz if it is to be packed.
Exit code 0: written; 1: not; 64: wrong usage. Nothing is checked here: verify-darkhex does that.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["convert-sketch", from, to] => convert::from_sketch(Path::new(from), Path::new(to)),
        ["convert", from, to] => convert::between(Path::new(from), Path::new(to)),
        ["import", "--rule", rule, "--owner", owner, from, to] => {
            let owner = match *owner {
                "black" => Some(Player::Black),
                "white" => Some(Player::White),
                _ => None,
            };
            let (Some(rule), Some(owner)) = (solve::rule(rule), owner) else {
                eprint!("{HELP}");
                return ExitCode::from(64);
            };
            import(rule, owner, Path::new(from), Path::new(to))
        }
        ["solve", rest @ ..] => return solved(rest),
        ["--help"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(64);
        }
    };
    match result {
        Ok(strategy) => {
            println!("plans {}", strategy.plans.len());
            println!("histories {}", strategy.plans.iter().map(|plan| plan.listed.len()).sum::<usize>());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn import(rule: Rule, owner: Player, from: &Path, to: &Path) -> Result<Strategy, String> {
    let text = std::fs::read_to_string(from).map_err(|error| format!("{}: {error}", from.display()))?;
    let imported =
        openspiel::read(&text, rule, owner).map_err(|error| format!("{}: {error}", from.display()))?;
    println!("entries {}", imported.entries);
    println!("largest_deviation_of_a_sum_from_one {:e}", imported.deviation);
    convert::write_reordered(&imported.strategy, false, convert::TRIES, to)
}

fn solved(arguments: &[&str]) -> ExitCode {
    let Some(options) = options(arguments) else {
        eprint!("{HELP}");
        return ExitCode::from(64);
    };
    match solve::solve(&options) {
        Ok(Proved::Value(value)) => println!("exact_value {value}"),
        Ok(Proved::Bounds(lower, upper)) => println!("proved_bounds {lower} {upper}"),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The options of `solve`; `None` if one is missing, unknown, given twice or out of range.
fn options(arguments: &[&str]) -> Option<Options> {
    const KNOWN: [&str; 14] = [
        "--rule",
        "--rows",
        "--columns",
        "--out",
        "--opening",
        "--format",
        "--time-limit",
        "--checkpoint",
        "--checkpoint-every",
        "--start",
        "--threads",
        "--rotation",
        "--highs",
        "--checker",
    ];
    let pairs: Vec<[&str; 2]> =
        arguments.chunks(2).map(|pair| pair.try_into().ok()).collect::<Option<_>>()?;
    let fresh = |at: usize| !pairs.iter().take(at).any(|pair| pair[0] == pairs[at][0]);
    if !(0..pairs.len()).all(|at| KNOWN.contains(&pairs[at][0]) && fresh(at)) {
        return None;
    }
    let given = |name: &str| pairs.iter().find(|pair| pair[0] == name).map(|pair| pair[1]);
    let path = |name: &str| given(name).map(Into::into);
    let size = |name: &str| given(name)?.parse().ok().filter(|size| (1..=MAX_CELLS).contains(size));
    let mut game = Game {
        rule: solve::rule(given("--rule")?)?,
        rows: size("--rows")?,
        columns: size("--columns")?,
        opening: None,
    };
    if game.cells() > MAX_CELLS {
        return None;
    }
    if let Some(square) = given("--opening") {
        game.opening = Some(game.cell(square)?);
    }
    let time_limit = match given("--time-limit") {
        Some(seconds) => Some(seconds.parse().ok().filter(|seconds: &f64| *seconds >= 0.0)?),
        None => None,
    };
    let checkpoint_every = given("--checkpoint-every").unwrap_or("120").parse().ok()?;
    let format = given("--format").unwrap_or("realization.xz");
    let two_threads = match given("--threads") {
        None | Some("2") => true,
        Some("1") => false,
        Some(_) => return None,
    };
    let rotation = match given("--rotation") {
        None | Some("yes") => true,
        Some("no") => false,
        Some(_) => return None,
    };
    if !["mix", "mix.xz", "realization", "realization.xz"].contains(&format) {
        return None;
    }
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("verify-darkhex"));
    Some(Options {
        game,
        output: Output {
            folder: path("--out")?,
            format: format.to_string(),
            checker: path("--checker").or_else(beside)?,
        },
        time_limit,
        checkpoint: path("--checkpoint"),
        checkpoint_every: Duration::from_secs(checkpoint_every),
        start: path("--start"),
        highs: path("--highs"),
        two_threads,
        rotation,
    })
}
