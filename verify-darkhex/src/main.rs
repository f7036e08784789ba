//! The command line. Everything else is in the library.

#![forbid(unsafe_code)]

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use verify_darkhex::check::as_strategy;
use verify_darkhex::claim::FileName;
use verify_darkhex::options::{HELP, Request, parse};
use verify_darkhex::report::{Report, run, run_bound};
use verify_darkhex::{Error, files, sources, witness};

fn main() -> ExitCode {
    // No input should make this program panic; if one does, that is an internal error and not a verdict.
    std::panic::catch_unwind(carry_out).unwrap_or(ExitCode::from(70))
}

fn carry_out() -> ExitCode {
    let (mut report, json) = match parse(std::env::args_os().skip(1)) {
        Err(problem) => return usage(problem),
        Ok(Request::Help) => return emit(HELP, 0),
        Ok(Request::Version) => {
            let version = env!("CARGO_PKG_VERSION");
            return emit(&format!("verify-darkhex {version} sources {}\n", sources::sha256()), 0);
        }
        Ok(Request::Check(common)) => (run(Path::new(&common.path), common.twice), common.json),
        Ok(Request::Bound { owner, response, common }) => {
            let path = Path::new(&common.path);
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(file) = FileName::parse(name) else {
                return usage("the file is no .mix or .realization");
            };
            let source = files::load(&file.name, path, file.kind, file.packed);
            let (mut report, examined) = run_bound(source, owner, common.twice);
            if let (Some(to), Some((game, examined))) = (response, examined) {
                write_or_fail(&mut report, &to, &witness::text(&as_strategy(game, &examined.response)));
            }
            (report, common.json)
        }
    };
    if let Some(to) = json {
        let text = report.json();
        write_or_fail(&mut report, &to, &text);
    }
    emit(&report.text(), report.code)
}

/// A file that was asked for and cannot be written is not a success.
fn write_or_fail(report: &mut Report, to: &str, text: &str) {
    if let Err(error) = std::fs::write(to, text) {
        report.verdict = format!("failure {}", Error::io(to, &error));
        report.code = 74;
    }
}

fn emit(text: &str, code: u8) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::from(code),
        Err(_) => ExitCode::from(74),
    }
}

fn usage(problem: &str) -> ExitCode {
    // If standard error is closed too, the exit code still tells.
    let _ = writeln!(std::io::stderr(), "usage: {problem}\n\n{HELP}");
    ExitCode::from(64)
}
