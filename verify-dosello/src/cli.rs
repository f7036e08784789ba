//! The command line, read strictly.

use crate::check::Mode;
use crate::error::Error;
use crate::search::Settings;
use crate::text::{number, shown};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// What `--help` prints.
pub const HELP: &str = "\
Checks claims about DOSELLO.

  verify-dosello FOLDER                         believe the leaf results of the claim in FOLDER
  verify-dosello FOLDER --resolve [--resume DIR]   prove them all; keep results in DIR, go on there (not for lines)
  verify-dosello FOLDER --accept-log FILE [--recheck K --seed S]   believe a log, prove K of its units again
  verify-dosello FOLDER --list-units            names of the units of the claim
  verify-dosello --unit NAME [--log FILE]       prove one unit and append a line to a log
  verify-dosello --perft N                      count the positions after up to N plies

  --nodes N            give up a unit after N nodes
  --table-mb N         size of the transposition table, 1 to 65536 (1024)
  --threads N          with --resolve: prove N units at a time, 1 to 64 (1; lines: 1), each with its own table
  --weights FILE       order moves with these weights (dosello-weights.lzma of the proof sets), or none
  --proofsets DIR      folder of the proof sets (FOLDER/../../proofsets, or proofsets without a FOLDER)
  --no-early-look-ups  do not look children up before they are searched (for comparisons)
  --json FILE          write the report as JSON too
  --progress           name each unit on standard error
  --version            hash of all sources, and of the core on which the results of units depend
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

const WITH_VALUE: [&str; 13] = [
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
    "--threads",
    "--unit",
    "--weights",
];
const SWITCHES: [&str; 6] =
    ["--help", "--list-units", "--no-early-look-ups", "--progress", "--resolve", "--version"];

fn usage(what: &str) -> Error {
    Error::Usage(format!("{what}; --help shows what there is"))
}

/// The options that were given, each taken out when it is understood.
struct Options(BTreeMap<&'static str, String>);

impl Options {
    /// Sorts the arguments into options and a folder.
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<(Self, Option<PathBuf>), Error> {
        let mut options = BTreeMap::new();
        let mut folder = None;
        while let Some(argument) = arguments.next() {
            let known = |names: &[&'static str]| names.iter().find(|&&name| name == argument).copied();
            let (key, value) = if let Some(key) = known(&WITH_VALUE) {
                (key, arguments.next().ok_or_else(|| usage(&format!("{key} needs a value")))?)
            } else if let Some(key) = known(&SWITCHES) {
                (key, String::new())
            } else if argument.starts_with('-') || folder.is_some() {
                return Err(usage(&format!("unknown argument {}", shown(argument.as_bytes()))));
            } else {
                folder = Some(PathBuf::from(argument));
                continue;
            };
            if options.insert(key, value).is_some() {
                return Err(usage(&format!("{key} stands twice")));
            }
        }
        Ok((Self(options), folder))
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.0.remove(key)
    }

    fn path(&mut self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    fn switch(&mut self, key: &str) -> bool {
        self.text(key).is_some()
    }

    fn count(&mut self, key: &str) -> Result<Option<u64>, Error> {
        let Some(text) = self.text(key) else { return Ok(None) };
        number(&text).map(Some).ok_or_else(|| usage(&format!("{key}: expected a number")))
    }
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// [`Error::Usage`] for anything that `--help` does not show.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Arguments, Error> {
    let readable = |argument: OsString| {
        let unreadable = |argument: OsString| {
            usage(&format!("{} is not Unicode", shown(argument.as_os_str().as_encoded_bytes())))
        };
        argument.into_string().map_err(unreadable)
    };
    let arguments: Vec<String> = arguments.map(readable).collect::<Result<_, _>>()?;
    let (mut options, folder) = Options::read(arguments.into_iter())?;
    let nodes = options.count("--nodes")?.unwrap_or(u64::MAX);
    let table_mb = options.count("--table-mb")?.unwrap_or(1024);
    let table_mb = usize::try_from(table_mb).ok().filter(|mb| (1..=65536).contains(mb));
    let table_mb = table_mb.ok_or_else(|| usage("--table-mb: expected 1 to 65536"))?;
    let proof_sets = options.path("--proofsets").unwrap_or_else(|| {
        folder
            .as_ref()
            .map_or_else(|| PathBuf::from("proofsets"), |folder: &PathBuf| folder.join("../../proofsets"))
    });
    let weights = match options.text("--weights").as_deref() {
        None => Some(proof_sets.join("dosello-weights.lzma")),
        Some("none") => None,
        Some(path) => Some(path.into()),
    };
    let mut settings = Settings::default();
    if options.switch("--no-early-look-ups") {
        settings.early_look_ups_from = u32::MAX;
    }
    let json = options.path("--json");
    let progress = options.switch("--progress");
    let action = action(&mut options, folder)?;
    if let Some(key) = options.0.keys().next() {
        return Err(usage(&format!("{key} does not go with the rest")));
    }
    if json.is_some() && !matches!(action, Action::Check(..) | Action::Unit(..)) {
        return Err(usage("--json is for reports"));
    }
    Ok(Arguments { action, nodes, table_mb, weights, proof_sets, settings, json, progress })
}

/// The first form that fits takes its options out; whatever is left over is an error of the caller's.
fn action(options: &mut Options, folder: Option<PathBuf>) -> Result<Action, Error> {
    if let Some(folder) = folder {
        if options.switch("--list-units") {
            return Ok(Action::ListUnits(folder));
        }
        if options.switch("--resolve") {
            let threads = options.count("--threads")?.unwrap_or(1);
            let threads = usize::try_from(threads).ok().filter(|threads| (1..=64).contains(threads));
            let threads = threads.ok_or_else(|| usage("--threads: expected 1 to 64"))?;
            return Ok(Action::Check(folder, Mode::Resolve { resume: options.path("--resume"), threads }));
        }
        let Some(log) = options.path("--accept-log") else {
            return Ok(Action::Check(folder, Mode::Conditional));
        };
        let recheck = options.count("--recheck")?.unwrap_or(0);
        let recheck = usize::try_from(recheck).map_err(|_| usage("--recheck: too large"))?;
        let seed = options.count("--seed")?.unwrap_or(0);
        return Ok(Action::Check(folder, Mode::Log { log, recheck, seed }));
    }
    if options.switch("--help") {
        return Ok(Action::Help);
    }
    if options.switch("--version") {
        return Ok(Action::Version);
    }
    if let Some(unit) = options.text("--unit") {
        return Ok(Action::Unit(unit, options.path("--log")));
    }
    match options.count("--perft")? {
        Some(plies) if plies <= 7 => Ok(Action::Perft(plies)),
        Some(_) => Err(usage("--perft: expected 0 to 7")),
        None => Err(usage("no claim and nothing else to do")),
    }
}
