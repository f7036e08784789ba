//! Command line of the DOSELLO checker.

#![forbid(unsafe_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use verify_dosello::error::Error;
use verify_dosello::run::{Engine, append};
use verify_dosello::search::Settings;
use verify_dosello::units::{Unit, Verdict};

fn run() -> Result<(String, u8), Error> {
    let (mut unit, mut nodes, mut table, mut log) = (None, u64::MAX, 1024usize, None);
    let mut weights = Some(PathBuf::from("proofsets/dosello-weights.lzma"));
    let mut settings = Settings::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--no-early-look-ups" {
            settings.early_look_ups_from = u32::MAX;
            continue;
        }
        let value = arguments.next().ok_or_else(|| Error::Usage(format!("{argument} needs a value")))?;
        let wrong = |_| Error::Usage(format!("{argument} {value}"));
        match argument.as_str() {
            "--unit" => unit = Some(value),
            "--nodes" => nodes = value.parse().map_err(wrong)?,
            "--table-mb" => table = value.parse().map_err(wrong)?,
            "--weights" => weights = (value != "none").then(|| value.into()),
            "--log" => log = Some(PathBuf::from(value)),
            _ => return Err(Error::Usage(argument)),
        }
    }
    let name = unit.ok_or_else(|| Error::Usage("--unit NAME is missing".into()))?;
    let unit = Unit::parse(&name).map_err(|(reason, what)| Error::of(reason, what))?;
    let mut engine = Engine::new(weights.as_deref(), table, settings)?;
    let (_, line) = engine.run(&unit, nodes)?;
    if let Some(log) = log {
        append(&log, &line)?;
    }
    let (verdict, code) = match line.verdict {
        Verdict::Proved => ("proved", 0),
        Verdict::Refuted => ("failure refuted", 1),
        Verdict::Undecided => ("declined node-limit", 3),
    };
    Ok((format!("statement unit {unit}\nlog {line}\n{verdict}\n"), code))
}

fn main() -> ExitCode {
    let (text, code) = run().unwrap_or_else(|error| (format!("{error}\n"), error.exit_code()));
    if std::io::stdout().write_all(text.as_bytes()).is_err() {
        return ExitCode::from(74);
    }
    ExitCode::from(code)
}
