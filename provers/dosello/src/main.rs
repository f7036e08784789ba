//! `prove-dosello`: trains weights.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(command), Some(path)) = (arguments.next(), arguments.next()) else { return ExitCode::from(64) };
    if command != "train" {
        return ExitCode::from(64);
    }
    let percent = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(100);
    let evaluation = prove_dosello::train::train(1, percent, |line| eprintln!("{line}"));
    match std::fs::write(path, evaluation.to_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(74),
    }
}
