//! The command line.

#![forbid(unsafe_code)]

use prove_darkhex::convert;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
prove-darkhex convert-sketch PLAN STRATEGY
    Writes a plan in the sketch's text format (DARKHEX-PLAN 1) as a strategy file.
prove-darkhex convert STRATEGY STRATEGY
    Writes a strategy file in the other format, or anew in its own.

The name of a strategy file ends in .mix or .realization, then .xz if it is to be packed.
Exit code 0: written; 1: not; 64: wrong usage. Nothing is checked here: verify-darkhex does that.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["convert-sketch", from, to] => convert::from_sketch(Path::new(from), Path::new(to)),
        ["convert", from, to] => convert::between(Path::new(from), Path::new(to)),
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
