//! The command line. Everything else is in the library.

#![forbid(unsafe_code)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verify_darkhex::board::Player;
use verify_darkhex::check::as_strategy;
use verify_darkhex::claim::FileName;
use verify_darkhex::report::{Report, run, run_bound};
use verify_darkhex::{Error, files, sources, witness};

const HELP: &str = "\
verify-darkhex [--twice] [--json FILE] FOLDER
    Checks the claim (claim.txt) or the set of claims (set.txt) of a folder.
verify-darkhex bound --owner black|white [--response FILE] [--twice] [--json FILE] STRATEGY
    Computes exactly what one strategy file guarantees, without a claim.

  --twice          compute each best response by the second, slower search too and compare
  --response FILE  write the best response as a strategy of one policy
  --json FILE      write the same lines and verdict as JSON
  --help, --version

Lines of `key value` on standard output, the verdict last:
  exact_value V | proved_bounds L U | verified_set N of N | exact_bound lower|upper V    exit code 0
  failure malformed ... | failure not-proved L U | failure refuted L U                   exit code 1
  declined limit ...                                                                     exit code 3
Exit code 64: wrong usage; 70: a guard of this program failed; 74: a file could not be read or the output written.

Limits: boards of at most 16 cells (.mix: 15), 64 MiB a strategy file packed and unpacked, 4000000 histories,
100000 plans, 16000000 worlds and 8000000 beliefs of a search. FORMAT.md lists them all.
";

fn main() -> ExitCode {
    // No input should make this program panic; if one does, that is an internal error and not a verdict.
    std::panic::catch_unwind(parse_and_run).unwrap_or(ExitCode::from(70))
}

fn parse_and_run() -> ExitCode {
    let arguments: Vec<String> =
        match std::env::args_os().skip(1).map(std::ffi::OsString::into_string).collect() {
            Ok(arguments) => arguments,
            Err(_) => return usage("arguments have to be UTF-8"),
        };
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let place = match argument.as_str() {
            "--help" => return emit(HELP, 0),
            "--version" => {
                let version = env!("CARGO_PKG_VERSION");
                return emit(&format!("verify-darkhex {version} sources {}\n", sources::sha256()), 0);
            }
            "--twice" if !options.twice => {
                options.twice = true;
                continue;
            }
            "--json" => &mut options.json,
            "--response" => &mut options.response,
            "--owner" => &mut options.owner,
            "bound" if !options.bound && options.path.is_none() => {
                options.bound = true;
                continue;
            }
            other if other.starts_with('-') => return usage("an unknown or repeated option"),
            path => {
                if options.path.replace(path.to_string()).is_some() {
                    return usage("more than one path");
                }
                continue;
            }
        };
        match rest.next() {
            Some(value) if place.is_none() => *place = Some(value.clone()),
            _ => return usage("an option without its value, or twice"),
        }
    }
    options.carry_out()
}

#[derive(Default)]
struct Options {
    bound: bool,
    twice: bool,
    json: Option<String>,
    response: Option<String>,
    owner: Option<String>,
    path: Option<String>,
}

impl Options {
    fn carry_out(self) -> ExitCode {
        let Some(path) = self.path.map(PathBuf::from) else { return usage("a path is missing") };
        let report = match (self.bound, self.owner.as_deref()) {
            (false, None) if self.response.is_none() => run(&path, self.twice),
            (true, Some(owner @ ("black" | "white"))) => {
                let owner = if owner == "black" { Player::Black } else { Player::White };
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let Some(file) = FileName::parse(name) else {
                    return usage("the file is no .mix or .realization");
                };
                let source = files::load(&file.name, &path, file.kind, file.packed);
                let (mut report, examined) = run_bound(source, owner, self.twice);
                if let (Some(to), Some((game, examined))) = (&self.response, examined) {
                    write_or_fail(&mut report, to, &witness::text(&as_strategy(game, &examined.response)));
                }
                report
            }
            _ => return usage("bound needs --owner black or --owner white; --response goes with bound"),
        };
        let mut report = report;
        if let Some(to) = &self.json {
            let json = report.json();
            write_or_fail(&mut report, to, &json);
        }
        emit(&report.text(), report.code)
    }
}

/// A file that was asked for and cannot be written is not a success.
fn write_or_fail(report: &mut Report, to: &str, text: &str) {
    if let Err(error) = std::fs::write(Path::new(to), text) {
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
