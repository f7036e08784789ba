//! Command line of the DOSELLO checker: reads arguments, calls the library, writes the report.

#![forbid(unsafe_code)]

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use verify_dosello::check::{check, read};
use verify_dosello::cli::{Action, Arguments, HELP, parse};
use verify_dosello::error::{Error, Reason};
use verify_dosello::report::{Report, Verdict};
use verify_dosello::run::{Engine, append, write_whole};
use verify_dosello::units::{self, Unit};
use verify_dosello::{perft, sources};

fn main() -> ExitCode {
    let arguments = match parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing more can be done if standard error is closed; the exit code says it all.
            let _ = writeln!(std::io::stderr(), "{error}");
            return ExitCode::from(error.exit_code());
        }
    };
    let mut report = Report::default();
    let verdict = run(&arguments, &mut report);
    let (text, json, code) = match verdict {
        Ok(Output::Plain(text)) => (text, String::new(), 0),
        Ok(Output::Verdict(verdict)) => report.close(&verdict),
        Err(error) => report.close(&Verdict::Ended(error)),
    };
    // The JSON file comes first: if it cannot be written, the last line on standard output must not be a success.
    if let Some(path) = &arguments.json
        && let Err(error) = write_whole(path, &json)
    {
        let _ = writeln!(std::io::stderr(), "{error}");
        return ExitCode::from(74);
    }
    let mut out = std::io::stdout();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        return ExitCode::from(74);
    }
    ExitCode::from(code)
}

enum Output {
    Plain(String),
    Verdict(Verdict),
}

fn run(arguments: &Arguments, report: &mut Report) -> Result<Output, Error> {
    let engine = || Engine::new(arguments.weights.as_deref(), arguments.table_mb, arguments.settings);
    let loud = arguments.progress || std::io::stderr().is_terminal();
    let progress = |what: &str| {
        if loud {
            let _ = writeln!(std::io::stderr(), "{what}");
        }
    };
    match &arguments.action {
        Action::Help => Ok(Output::Plain(HELP.to_owned())),
        Action::Version => {
            let (all, core) = (sources::digest(), sources::core_digest());
            Ok(Output::Plain(format!("verify-dosello sources {all} core {core}\n")))
        }
        Action::Perft(plies) => Ok(Output::Plain(perft::table(*plies))),
        Action::ListUnits(folder) => {
            let read = read(folder, &arguments.proof_sets, report)?;
            Ok(Output::Plain(read.units().iter().map(|unit| unit.to_string() + "\n").collect()))
        }
        Action::Check(folder, mode) => {
            let read = read(folder, &arguments.proof_sets, report)?;
            check(&read, mode, arguments.nodes, &engine, report, &progress).map(Output::Verdict)
        }
        Action::Unit(name, log) => {
            let unit = Unit::parse(name).map_err(|(reason, what)| Error::of(reason, what))?;
            report.line("statement", format!("unit {unit}"));
            let (_, line) = engine()?.run(&unit, arguments.nodes)?;
            if let Some(log) = log {
                append(log, &line)?;
            }
            report.line("log", &line);
            match line.verdict {
                units::Verdict::Proved => Ok(Output::Verdict(Verdict::Proved(format!("proved_unit {unit}")))),
                units::Verdict::Refuted => {
                    Err(Error::of(Reason::Refuted, format!("the unit {unit} is false")))
                }
                units::Verdict::Undecided => {
                    Err(Error::Declined(format!("node-limit reached, not decided: {unit}")))
                }
            }
        }
    }
}
