//! The command line, read strictly.

use crate::check::Mode;
use crate::error::Error;
use crate::search::Settings;
use crate::text::{number, shown};
use std::path::PathBuf;

/// What `--help` prints.
pub const HELP: &str = "\
Checks claims about DOSELLO.

  verify-dosello FOLDER                         believe the leaf results of the claim in FOLDER
  verify-dosello FOLDER --resolve [--resume DIR]   prove them all in this run
  verify-dosello FOLDER --accept-log FILE [--recheck K --seed S]   believe a log, prove K of its units again
  verify-dosello FOLDER --list-units            names of the units of the claim
  verify-dosello --unit NAME [--log FILE]       prove one unit and append a line to a log
  verify-dosello --perft N                      count the positions after up to N plies

  --nodes N            give up a unit after N nodes
  --table-mb N         size of the transposition table, 1 to 65536 (1024)
  --weights FILE       order moves with these weights (dosello-weights.lzma of the proof sets), or none
  --proofsets DIR      folder of the proof sets (FOLDER/../../proofsets, or proofsets without a FOLDER)
  --no-early-look-ups  do not look children up before they are searched (for comparisons)
  --json FILE          write the report as JSON too
  --progress           name each unit on standard error
  --version            hash of the sources
  --help               this text

Exit codes: 0 verified, 1 failure, 2 conditional, 3 declined (a limit: of nodes, of bytes, of lines), 64 usage,
70 internal, 74 input/output. Limits: see FORMAT.md.
";

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Print the help text.
    Help,
    /// Print the hash of the sources.
    Version,
    /// Check the claim of a folder.
    Check(PathBuf, Mode),
    /// Print the units of a claim.
    ListUnits(PathBuf),
    /// Run one unit.
    Unit(String, Option<PathBuf>),
    /// Count positions.
    Perft(u64),
}

/// Everything the command line says.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// What to do.
    pub action: Action,
    /// Node limit of a unit.
    pub nodes: u64,
    /// Size of the table.
    pub table_mb: usize,
    /// Weights, unless the static order is asked for.
    pub weights: Option<PathBuf>,
    /// Folder of the proof sets.
    pub proof_sets: PathBuf,
    /// Switches of the search.
    pub settings: Settings,
    /// Where to write JSON.
    pub json: Option<PathBuf>,
    /// Name each unit on standard error.
    pub progress: bool,
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// [`Error::Usage`] for anything that `--help` does not show.
pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Arguments, Error> {
    let usage = |what: String| Error::Usage(format!("{what}; --help shows what there is"));
    let mut values: std::collections::BTreeMap<&str, String> = std::collections::BTreeMap::new();
    let mut folder = None;
    let mut arguments = arguments;
    let with_value = [
        "--accept-log",
        "--json",
        "--log",
        "--nodes",
        "--perft",
        "--proofsets",
        "--recheck",
        "--resume",
        "--seed",
        "--table-mb",
        "--unit",
        "--weights",
    ];
    let without = ["--help", "--list-units", "--no-early-look-ups", "--progress", "--resolve", "--version"];
    while let Some(argument) = arguments.next() {
        let escaped = shown(argument.as_bytes());
        let (key, value) = if let Some(key) = with_value.iter().find(|&&key| key == argument) {
            (*key, arguments.next().ok_or_else(|| usage(format!("{key} needs a value")))?)
        } else if let Some(key) = without.iter().find(|&&key| key == argument) {
            (*key, String::new())
        } else if argument.starts_with('-') || folder.is_some() {
            return Err(usage(format!("unknown argument {escaped}")));
        } else {
            folder = Some(PathBuf::from(argument));
            continue;
        };
        if values.insert(key, value).is_some() {
            return Err(usage(format!("{key} stands twice")));
        }
    }
    let mut count = |key: &str, default: u64| match values.remove(key) {
        None => Ok(default),
        Some(text) => number(&text).ok_or_else(|| usage(format!("{key}: expected a number"))),
    };
    let nodes = count("--nodes", u64::MAX)?;
    let table_mb = usize::try_from(count("--table-mb", 1024)?).unwrap_or(0);
    if !(1..=65536).contains(&table_mb) {
        return Err(usage("--table-mb: expected 1 to 65536".to_owned()));
    }
    let (has_recheck, has_seed) = (values.contains_key("--recheck"), values.contains_key("--seed"));
    let mut count = |key: &str, default: u64| match values.remove(key) {
        None => Ok(default),
        Some(text) => number(&text).ok_or_else(|| usage(format!("{key}: expected a number"))),
    };
    let recheck = usize::try_from(count("--recheck", 0)?).unwrap_or(usize::MAX);
    let seed = count("--seed", 0)?;
    let perft =
        if values.contains_key("--perft") { count_of(values.remove("--perft"), &usage)? } else { None };
    let path = |text: String| PathBuf::from(text);
    let proof_sets = values.remove("--proofsets").map_or_else(
        || {
            folder
                .as_ref()
                .map_or_else(|| PathBuf::from("proofsets"), |folder: &PathBuf| folder.join("../../proofsets"))
        },
        path,
    );
    let weights = values.remove("--weights").unwrap_or_default();
    let weights = match weights.as_str() {
        "" => Some(proof_sets.join("dosello-weights.lzma")),
        "none" => None,
        _ => Some(weights.into()),
    };
    let mut settings = Settings::default();
    if values.remove("--no-early-look-ups").is_some() {
        settings.early_look_ups_from = u32::MAX;
    }
    let json = values.remove("--json").map(path);
    let progress = values.remove("--progress").is_some();
    let log = values.remove("--log").map(path);
    let accept_log = values.remove("--accept-log").map(path);
    let resume = values.remove("--resume").map(path);
    let resolve = values.remove("--resolve").is_some();
    let unit = values.remove("--unit");
    let list = values.remove("--list-units").is_some();
    let (help, version) = (values.remove("--help").is_some(), values.remove("--version").is_some());
    if accept_log.is_none() && (has_recheck || has_seed) {
        return Err(usage("--recheck and --seed go with --accept-log".to_owned()));
    }
    if resume.is_some() && !resolve || log.is_some() && unit.is_none() {
        return Err(usage("--resume goes with --resolve, --log with --unit".to_owned()));
    }
    let action = match (folder, unit, perft, resolve, accept_log, list, help, version) {
        (None, None, None, false, None, false, true, false) => Action::Help,
        (None, None, None, false, None, false, false, true) => Action::Version,
        (None, Some(unit), None, false, None, false, false, false) => Action::Unit(unit, log),
        (None, None, Some(plies), false, None, false, false, false) => Action::Perft(plies),
        (Some(folder), None, None, false, None, true, false, false) => Action::ListUnits(folder),
        (Some(folder), None, None, false, None, false, false, false) => {
            Action::Check(folder, Mode::Conditional)
        }
        (Some(folder), None, None, true, None, false, false, false) => {
            Action::Check(folder, Mode::Resolve { resume })
        }
        (Some(folder), None, None, false, Some(log), false, false, false) => {
            Action::Check(folder, Mode::Log { log, recheck, seed })
        }
        _ => return Err(usage("expected one of the forms of --help".to_owned())),
    };
    Ok(Arguments { action, nodes, table_mb, weights, proof_sets, settings, json, progress })
}

fn count_of(text: Option<String>, usage: &dyn Fn(String) -> Error) -> Result<Option<u64>, Error> {
    let plies = text.as_deref().and_then(number).filter(|&plies| plies <= 7);
    plies.map(Some).ok_or_else(|| usage("--perft: expected 0 to 7".to_owned()))
}
