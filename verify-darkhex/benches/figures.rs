//! Figures that are counts or ratios, so that they mean something on a busy machine too: the beliefs of each best
//! response with each shortcut on and off, and how many times faster the check is than the plain Python best response
//! on the published pair in the same run. Fails if two ways of computing differ, or if the ratio is below 50.
//!
//!     cargo bench -p verify-darkhex --bench figures [-- beliefs | -- python]
//!
//! The rows of 4x4 without bounds take minutes and more than a gigabyte.

#![allow(missing_docs, clippy::expect_used, reason = "a bench may stop at the first surprise")]

mod pairs;

use pairs::Pair;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use verify_darkhex::board::{Board, Rule};
use verify_darkhex::check::examine;
use verify_darkhex::error::Error;
use verify_darkhex::response::{Response, Shortcuts, best_response};

/// How much faster than plain Python the check has to be.
const LEAST_RATIO: u128 = 50;
/// How long the check is repeated for its mean time.
const MEASURED: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |word: &str| wanted.is_empty() || wanted.iter().any(|other| other == word);
    let pairs = pairs::present();
    let mut sound = true;
    if wants("beliefs") {
        sound &= beliefs(&pairs);
    }
    if wants("python") {
        match pairs.iter().find(|pair| pair.name == "published-classic") {
            Some(pair) => sound &= against_python(pair),
            None => println!("SKIPPED the comparison with Python: the published pair is not there"),
        }
    }
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a table of beliefs; false if a shortcut changed a value.
fn beliefs(pairs: &[Pair]) -> bool {
    let on = Shortcuts::default();
    let off = Shortcuts { certain: false, forced: false, bounds: false };
    let settings = [
        ("all on", on),
        ("certain collisions tried", Shortcuts { certain: false, ..on }),
        ("winning probes not forced", Shortcuts { forced: false, ..on }),
        ("no bounds", Shortcuts { bounds: false, ..on }),
        ("all off", off),
    ];
    let mut sound = true;
    println!("| strategy | shortcuts | beliefs | worlds | full-information bounds |");
    println!("| --- | --- | ---: | ---: | ---: |");
    for pair in pairs {
        for file in pair.files {
            let strategy = pair.read(file);
            let board = Board::new(&strategy.game);
            let mut all_on: Option<Response> = None;
            for (name, shortcuts) in settings {
                // Under Abrupt the bounds are the only shortcut.
                let classic = strategy.game.rule == Rule::Classic;
                if !classic && name != "all on" && name != "no bounds" {
                    continue;
                }
                let owner = strategy.owner;
                let row = match best_response(&strategy, &board, shortcuts) {
                    Ok(response) => {
                        let counters = response.counters;
                        let first = all_on.get_or_insert_with(|| response.clone());
                        if first.mass() != response.mass() {
                            sound = false;
                            println!("DIFFERENT VALUE on the next line");
                        }
                        format!("{} | {} | {}", counters.beliefs, counters.worlds, counters.bounds)
                    }
                    Err(Error::Declined(reason)) => format!("{reason} | |"),
                    Err(error) => {
                        sound = false;
                        format!("FAILED: {error} | |")
                    }
                };
                println!("| {}, {owner} | {name} | {row} |", pair.name);
            }
        }
    }
    sound
}

/// Prints the ratio of times; false if the masses differ or the ratio is too small.
fn against_python(pair: &Pair) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/plain_best_response.py");
    let (mut theirs, mut python) = (Vec::new(), Duration::ZERO);
    for file in pair.files {
        let started = Instant::now();
        let output = Command::new("python3")
            .arg(&script)
            .arg(pair.folder.join(file))
            .output()
            .expect("python3 is on the path");
        python += started.elapsed();
        theirs.push(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let (mut ours, mut runs) = (Vec::new(), 0u32);
    let started = Instant::now();
    while started.elapsed() < MEASURED {
        ours.clear();
        for file in pair.files {
            let strategy = pair.read(file);
            let board = Board::new(&strategy.game);
            let response = examine(&strategy, &board, false).expect("the check succeeds").response;
            ours.push(format!("best_response {} {}", response.mass(), response.total()));
        }
        runs += 1;
    }
    let rust = started.elapsed() / runs;
    let ratio = python.as_nanos() / rust.as_nanos();
    println!(
        "python {} ms, check {} us (mean of {runs}), ratio {ratio}",
        python.as_millis(),
        rust.as_micros()
    );
    if ours != theirs {
        println!("DIFFERENT: {ours:?} here, {theirs:?} by Python");
    }
    if ratio < LEAST_RATIO {
        println!("TOO SLOW: at least {LEAST_RATIO} is asked for");
    }
    ours == theirs && ratio >= LEAST_RATIO
}
