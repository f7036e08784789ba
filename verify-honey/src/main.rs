//! Command line of the Honey Islands Battle checker; see the library.
#![forbid(unsafe_code)]

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use verify_honey::options::{Call, HELP, parse};
use verify_honey::{check, error::Failure};

fn main() -> ExitCode {
    let arguments: Option<Vec<String>> = std::env::args_os().skip(1).map(|a| a.into_string().ok()).collect();
    let call = arguments
        .ok_or_else(|| Failure::Usage("arguments must be UTF-8".to_owned()))
        .and_then(|arguments| parse(&arguments, std::io::stderr().is_terminal()));
    let (text, json, code) = match call {
        Ok(Call::Help) => (HELP.to_owned(), None, 0),
        Ok(Call::Version) => (check::version(), None, 0),
        Ok(Call::Check(options)) => {
            let (report, code) = check::run(&options);
            (report.text(), options.json.map(|path| (path, report.json())), code)
        }
        Err(failure) => {
            eprintln!("verify-honey: {failure}");
            return ExitCode::from(failure.exit_code());
        }
    };
    // A verdict that could not be written is none.
    let mut stdout = std::io::stdout().lock();
    let written = json
        .map_or(Ok(()), |(path, json)| std::fs::write(path, json))
        .and_then(|()| stdout.write_all(text.as_bytes()))
        .and_then(|()| stdout.flush());
    match written {
        Ok(()) => ExitCode::from(code),
        Err(error) => {
            eprintln!("verify-honey: the verdict could not be written: {error}");
            ExitCode::from(74)
        }
    }
}
