//! Command line of the audit; see the library.

#![forbid(unsafe_code)]

use audit::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
