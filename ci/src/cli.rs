//! The command line.

use crate::checkers::Source;
use crate::escape::visible;
use crate::examine::{Named, Setting, Subject, examine};
use crate::machine::{self, hold};
use crate::outcome::{Audit, Tier};
use crate::schedule::Room;
use crate::{process, report, table, vectors};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the checkers on every claim, guards changes to claims, and leaves a report.
#[derive(Debug, Parser)]
#[command(name = "audit", version, after_help = CODES)]
struct Cli {
    /// The repository (default: the nearest folder above that has `certificates`).
    #[arg(long, global = true)]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const CODES: &str = "\
Exit codes of `all`: 0 every claim verified, 2 some claims conditional, declined or not run (named), 1 something failed.
Exit codes of `gate` and `manifest`: 0 passed, 1 refused. Of all: 64 usage, 74 input/output, 75 another audit is at work.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Verify every claim and write report.json and report.html.
    All(All),
    /// Compare the manifest with the files, or bring it up to date.
    Manifest(ManifestArgs),
    /// Decide whether a change may land: re-verify what it affects, refuse what is undocumented.
    Gate(Gate),
    /// Give the checkers good and bad inputs, each with the answer that is due.
    Vectors(vectors::Arguments),
    /// Become another program under limits. For this program's own use.
    #[command(hide = true)]
    Launch {
        #[arg(long)]
        mib: u64,
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        program: Vec<OsString>,
    },
}

/// How to run checkers.
#[derive(Debug, Args)]
struct Running {
    /// Checks that take longer are not run; they are listed as not run.
    #[arg(long)]
    tier: Option<Tier>,
    /// Checks at one time (default: the cores).
    #[arg(long)]
    jobs: Option<usize>,
    /// Memory that checks at one time may take, MiB (default: nine tenths of what is available).
    #[arg(long)]
    memory_mib: Option<u64>,
    /// Take the checkers' binaries from here instead of building them.
    #[arg(long, conflicts_with = "release")]
    bin_dir: Option<PathBuf>,
    /// Build the checkers with --release.
    #[arg(long)]
    release: bool,
    /// Where the reports go (default: target/audit).
    #[arg(long, visible_alias = "report")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct All {
    #[command(flatten)]
    running: Running,
    /// Only these claims; the others are listed as not run.
    #[arg(long = "claim")]
    claims: Vec<String>,
}

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of a command line")]
struct ManifestArgs {
    /// Compare; nothing is run, nothing is written.
    #[arg(long, conflicts_with = "update", required_unless_present = "update")]
    check: bool,
    /// Read all files anew, run what is new or unknown, and write MANIFEST.toml and SHA256SUMS.
    #[arg(long)]
    update: bool,
    /// With --update: run all checks of the tier, e.g. after a change to a checker's counters.
    #[arg(long, requires = "update")]
    rerun: bool,
    /// With --update: run nothing, e.g. after an edit of the manifest by hand.
    #[arg(long, requires = "update", conflicts_with = "rerun")]
    files_only: bool,
    /// With --update: run only these claims' checks.
    #[arg(long = "claim", requires = "update")]
    claims: Vec<String>,
    /// With --update: how the claims were made whose entries do not tell.
    #[arg(long, requires = "update")]
    provenance: Option<String>,
    #[command(flatten)]
    running: Running,
}

#[derive(Debug, Args)]
struct Gate {
    /// The revision that the change is compared with. Without one, every claim is re-verified and nothing is compared.
    #[arg(long)]
    base: Option<String>,
    /// Re-verify every claim, not only those that the change affects.
    #[arg(long)]
    every: bool,
    /// Let a checker (or the gate) and certificates change at once; the report shows this reason.
    #[arg(long = "override", value_name = "REASON")]
    set_aside: Option<String>,
    /// Called by a later revision's gate: do not ask an earlier revision in turn.
    #[arg(long, hide = true)]
    nested: bool,
    #[command(flatten)]
    running: Running,
}

const USAGE: u8 = 64;
const INPUT_OUTPUT: u8 = 74;
const BUSY: u8 = 75;

/// Carries the command line out.
#[must_use]
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let printed = error.print();
            let help = !error.use_stderr();
            return ExitCode::from(if help && printed.is_ok() { 0 } else { USAGE });
        }
    };
    let code = match cli.command {
        Command::Launch { mib, program } => Ok(ExitCode::from(launch(mib, &program))),
        command => root(cli.root).and_then(|root| match command {
            Command::All(all) => run_all(&root, &all).map(ExitCode::from),
            Command::Manifest(arguments) => manifest(&root, &arguments).map(ExitCode::from),
            Command::Gate(gate) => run_gate(&root, &gate).map(ExitCode::from),
            Command::Vectors(arguments) => Ok(vectors::command(&root, &arguments)),
            Command::Launch { .. } => Ok(ExitCode::from(USAGE)),
        }),
    };
    code.unwrap_or_else(|error| {
        // If standard error is closed, the exit code still tells.
        let _ = writeln!(io::stderr(), "audit: {}", visible(&error.to_string()));
        ExitCode::from(if error.kind() == io::ErrorKind::WouldBlock { BUSY } else { INPUT_OUTPUT })
    })
}

fn launch(mib: u64, program: &[OsString]) -> u8 {
    let Some((program, arguments)) = program.split_first() else { return USAGE };
    let error = process::launch(mib, Path::new(program), arguments);
    let _ = writeln!(io::stderr(), "{}: {error}", Path::new(program).display());
    u8::try_from(process::NOT_STARTED).unwrap_or(u8::MAX)
}

fn root(given: Option<PathBuf>) -> io::Result<PathBuf> {
    if let Some(root) = given {
        return root.canonicalize().map_err(|error| io::Error::new(error.kind(), format!("--root: {error}")));
    }
    let here = std::env::current_dir()?;
    let found = here.ancestors().find(|folder| folder.join("certificates").is_dir());
    found.map(Path::to_owned).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "no folder above has a folder `certificates`; see --root")
    })
}

fn setting(root: &Path, running: &Running, tier: Tier) -> io::Result<Setting> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let available = match machine::memory("MemAvailable") >> 20 {
        0 => 4096,
        mib => mib / 10 * 9,
    };
    Ok(Setting {
        root: root.to_owned(),
        launcher: std::env::current_exe()?,
        source: match &running.bin_dir {
            Some(folder) => Source::Folder(root.join(folder)),
            None => Source::Cargo { release: running.release, target: None },
        },
        tier: running.tier.unwrap_or(tier),
        room: Room {
            cores: running.jobs.unwrap_or(cores).max(1),
            mib: running.memory_mib.unwrap_or(available),
        },
    })
}

/// The folder of the reports, made if it is missing, and held against another audit.
fn out(root: &Path, running: &Running) -> io::Result<(PathBuf, machine::Hold)> {
    let out = running.out.clone().unwrap_or_else(|| root.join("target/audit"));
    fs::create_dir_all(&out)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", out.display())))?;
    let held = hold(&out, true)?;
    Ok((out, held))
}

fn run_all(root: &Path, all: &All) -> io::Result<u8> {
    let setting = setting(root, &all.running, Tier::Nightly)?;
    let (out, _out) = out(root, &all.running)?;
    let _certificates = hold(&root.join("certificates"), false)?;
    let subject = Subject::open(root)?;
    if let Some(unknown) = all.claims.iter().find(|name| !subject.tree.claims.contains_key(*name)) {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no claim {unknown}")));
    }
    let audit = examine(&setting, &subject, &Named(all.claims.clone())).map_err(io::Error::other)?;
    finish(&audit, root, &out)?;
    Ok(audit.exit_code)
}

fn run_gate(root: &Path, gate: &Gate) -> io::Result<u8> {
    let setting = setting(root, &gate.running, Tier::Gate)?;
    let (out, _out) = out(root, &gate.running)?;
    let _certificates = hold(&root.join("certificates"), false)?;
    let wish = crate::gate::Wish {
        base: gate.base.clone(),
        every: gate.every,
        set_aside: gate.set_aside.clone(),
        nested: gate.nested,
        bin_dir: gate.running.bin_dir.clone(),
    };
    let audit = crate::gate::gate(&setting, &wish)?;
    finish(&audit, root, &out)?;
    // What the manifest expects to be conditional may land; whether the claims are proved is what `all` tells.
    Ok(u8::from(audit.exit_code == 1))
}

/// Reports first: a table that calls a success must not stand above a report that could not be written.
fn finish(audit: &Audit, root: &Path, out: &Path) -> io::Result<()> {
    report::write(audit, root, out)
        .map_err(|error| io::Error::new(error.kind(), format!("the report in {}: {error}", out.display())))?;
    print(&table::render(audit))?;
    print(&format!("report: {}\n", out.join("report.html").display()))
}

/// Whatever reached a text on its way here (a name in a change, say), no terminal acts on it.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(visible(text).as_bytes())?;
    stdout.flush()
}

fn manifest(root: &Path, arguments: &ManifestArgs) -> io::Result<u8> {
    let certificates = root.join("certificates");
    if arguments.check {
        let _held = hold(&certificates, false)?;
        let subject = Subject::open(root)?;
        for (entry, check) in subject.manifest.uncounted() {
            let (claim, name, reason) = (&entry.name, &check.name, check.reason());
            print(&format!("note: {claim} {name} has no counters recorded: {reason}\n"))?;
        }
        for problem in &subject.problems {
            print(&format!("problem: {problem}\n"))?;
        }
        if subject.problems.is_empty() {
            let files: usize = subject.tree.claims.values().map(|claim| claim.files.len()).sum();
            print(&format!("{} claims, {files} files: as the manifest says\n", subject.tree.claims.len()))?;
        }
        return Ok(u8::from(!subject.problems.is_empty()));
    }
    let _held = hold(&certificates, true)?;
    let wish = crate::update::Wish {
        rerun: arguments.rerun,
        files_only: arguments.files_only,
        claims: arguments.claims.clone(),
        provenance: arguments.provenance.clone(),
    };
    let setting = setting(root, &arguments.running, Tier::EveryRun)?;
    let updated = crate::update::update(&setting, &wish)?;
    updated.manifest.save(root)?;
    for line in &updated.news {
        print(&format!("{line}\n"))?;
    }
    for line in &updated.problems {
        print(&format!("problem: {line}\n"))?;
    }
    Ok(u8::from(!updated.problems.is_empty()))
}
