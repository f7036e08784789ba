//! The command line.

use crate::error::{Failure, escaped};
use crate::run::Settings;
use crate::solver::Shortcuts;
use std::path::PathBuf;

/// What `--help` prints.
pub const HELP: &str = "\
verify-honey: checks a claim about Honey Islands Battle

usage: verify-honey [OPTIONS] CLAIM-FOLDER

  --threads N        solve independent positions on N threads (default 1)
  --table-mb N       table of each thread in MiB, a power of two is used (default 256; 1 to 65536)
  --json FILE        write the report also as JSON
  --stats            also print what depends on the machine: seconds
  --progress         tell the progress on standard error also if it is no terminal
  --no-memo          enumerate the solutions without the table of dead states (slow)
  --sample N         re-solve only N random positions of a list of values: conditional verdict
  --seed S           seed of --sample and --recheck (default 1)
  --list-units       print the units of the claim and stop
  --unit NAME        solve one unit, e.g. 'standard 0-1-2', and append the result to --log
  --log FILE         where --unit appends
  --resume DIR       keep results in DIR/units.log and continue there; DIR must exist, be yours alone
  --accept-log FILE  take over results of other machines: conditional verdict
  --recheck K        solve K of the taken-over units again
  --help, --version

exit codes: 0 verified, 1 failure, 2 conditional, 3 declined (a documented limit; this checker has none),
            64 usage, 70 internal error, 74 input or output failed (also if the verdict cannot be written)

limits: claim and line 64 KiB, proof set 1 MiB and 4,096 steps, list of values 256 KiB packed and 1 MiB unpacked,
        advice 8 MiB packed and 32 MiB unpacked, log 1 MiB. The depth-3 claims take three quarters of a
        CPU-hour and one and a half; the others up to some minutes.
";

/// A parsed command line.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of a command line")]
pub struct Options {
    /// Folder of the claim.
    pub folder: PathBuf,
    /// How to solve.
    pub settings: Settings,
    /// Where to write JSON.
    pub json: Option<PathBuf>,
    /// Print seconds.
    pub stats: bool,
    /// Enumerate with the table of dead states.
    pub memo: bool,
    /// Size of a sample.
    pub sample: Option<usize>,
    /// Seed of samples.
    pub seed: u64,
    /// Print units only.
    pub list_units: bool,
    /// Solve one unit.
    pub unit: Option<String>,
    /// Log of that unit.
    pub log: Option<PathBuf>,
    /// Folder of an own run.
    pub resume: Option<PathBuf>,
    /// Log of another run.
    pub accept_log: Option<PathBuf>,
    /// Units of it to solve again.
    pub recheck: usize,
}

/// What the command line asks for.
#[derive(Debug)]
pub enum Call {
    /// Print the help.
    Help,
    /// Print the version.
    Version,
    /// Check a claim.
    Check(Box<Options>),
}

/// Parses the arguments after the program's name. `terminal`: standard error is one.
///
/// # Errors
/// [`Failure::Usage`].
pub fn parse(arguments: &[String], terminal: bool) -> Result<Call, Failure> {
    let usage = |what: String| Failure::Usage(format!("{what}; see --help"));
    let mut options = Options {
        folder: PathBuf::new(),
        settings: Settings {
            threads: 1,
            table_bytes: 256 << 20,
            progress: terminal,
            shortcuts: Shortcuts::ALL,
        },
        json: None,
        stats: false,
        memo: true,
        sample: None,
        seed: 1,
        list_units: false,
        unit: None,
        log: None,
        resume: None,
        accept_log: None,
        recheck: 0,
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if !argument.starts_with('-') {
            if options.folder != PathBuf::new() {
                return Err(usage("more than one claim".to_owned()));
            }
            options.folder = PathBuf::from(argument);
            continue;
        }
        if !seen.insert(argument.as_str()) {
            return Err(usage(format!("{} given twice", escaped(argument))));
        }
        let mut text = || {
            rest.next().cloned().ok_or_else(|| Failure::Usage(format!("{} wants a value", escaped(argument))))
        };
        let mut count = |least: u64, most: u64| {
            let text = text()?;
            let number = crate::text::number(&text).filter(|n| (least..=most).contains(n));
            number.and_then(|n| usize::try_from(n).ok()).ok_or_else(|| {
                Failure::Usage(format!("{} wants a number from {least} to {most}", escaped(argument)))
            })
        };
        match argument.as_str() {
            "--help" => return Ok(Call::Help),
            "--version" => return Ok(Call::Version),
            "--threads" => options.settings.threads = count(1, 256)?,
            "--table-mb" => options.settings.table_bytes = count(1, 65_536)? << 20,
            "--json" => options.json = Some(text()?.into()),
            "--stats" => options.stats = true,
            "--progress" => options.settings.progress = true,
            "--no-memo" => options.memo = false,
            "--sample" => options.sample = Some(count(1, 1_000_000)?),
            "--seed" => options.seed = count(0, 999_999_999_999)? as u64,
            "--list-units" => options.list_units = true,
            "--unit" => options.unit = Some(text()?),
            "--log" => options.log = Some(text()?.into()),
            "--resume" => options.resume = Some(text()?.into()),
            "--accept-log" => options.accept_log = Some(text()?.into()),
            "--recheck" => options.recheck = count(1, 1_000_000)?,
            _ => return Err(usage(format!("unknown option {}", escaped(argument)))),
        }
    }
    let modes = [
        options.sample.is_some(),
        options.list_units,
        options.unit.is_some(),
        options.resume.is_some(),
        options.accept_log.is_some(),
    ];
    if options.folder == PathBuf::new() {
        return Err(usage("no claim given".to_owned()));
    }
    if modes.iter().filter(|&&mode| mode).count() > 1 {
        return Err(usage(
            "--sample, --list-units, --unit, --resume and --accept-log exclude each other".to_owned(),
        ));
    }
    if options.unit.is_some() != options.log.is_some() || options.recheck > 0 && options.accept_log.is_none()
    {
        return Err(usage("--unit goes with --log, --recheck with --accept-log".to_owned()));
    }
    Ok(Call::Check(Box::new(options)))
}
