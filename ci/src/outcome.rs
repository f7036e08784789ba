//! What an audit yields. `report.json` is [`Audit`] as it stands here: the same inputs give the same bytes, apart from
//! the one section [`Run`].

use serde::{Deserialize, Serialize};
use std::fmt;

/// Cost of a check, cheapest first. A tier includes the cheaper ones.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Seconds, up to a few minutes: with every change.
    EveryRun,
    /// Some minutes, or some gigabytes.
    Gate,
    /// Hours.
    Nightly,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::EveryRun => "every-run",
            Tier::Gate => "gate",
            Tier::Nightly => "nightly",
        })
    }
}

/// Which game a claim is about, and so which checker reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// `game dark-hex`, read by `verify-darkhex`.
    DarkHex,
    /// `game honey-islands`, read by `verify-honey`.
    HoneyIslands,
    /// `game dosello`, read by `verify-dosello`.
    Dosello,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 3] = [Family::DarkHex, Family::HoneyIslands, Family::Dosello];

    /// The value of `game` in `claim.txt` and `set.txt`.
    #[must_use]
    pub fn game(self) -> &'static str {
        match self {
            Family::DarkHex => "dark-hex",
            Family::HoneyIslands => "honey-islands",
            Family::Dosello => "dosello",
        }
    }

    /// The checker's package and binary.
    #[must_use]
    pub fn checker(self) -> &'static str {
        match self {
            Family::DarkHex => "verify-darkhex",
            Family::HoneyIslands => "verify-honey",
            Family::Dosello => "verify-dosello",
        }
    }

    /// The family whose `game` this is.
    #[must_use]
    pub fn of_game(game: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.game() == game)
    }
}

/// How a check, or a claim over all its checks, stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", content = "reason", rename_all = "kebab-case")]
pub enum Status {
    /// Proved in this run, unconditionally, and as the manifest expects.
    Verified,
    /// Holds if what the verdict line names holds.
    Conditional,
    /// Beyond a documented limit of the checker.
    Declined,
    /// Anything else that ran, with what went wrong in one sentence.
    Failed(String),
    /// Did not run, with why. Never counted for anything.
    NotRun(String),
}

/// One `key value` line of a checker, escaped and cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Up to the first space; in sets with the member in front, as in `a1.lower_bound`.
    pub key: String,
    /// The rest.
    pub value: String,
}

/// What one check of a claim yields: the checker run once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Folder below `certificates/`.
    pub claim: String,
    /// Name of this check among those of the claim, e.g. `plain`, `twice`, `resolve`.
    pub check: String,
    /// Package and binary of the checker, e.g. `verify-darkhex`.
    pub checker: String,
    /// The game.
    pub family: Family,
    /// The claim's folder from the root of the repository, e.g. `certificates/classic-4x4`.
    pub folder: String,
    /// Its cost.
    pub tier: Tier,
    /// What to type at the root of the repository to see the same.
    pub command: String,
    /// Limit on wall-clock time.
    pub limit_seconds: u64,
    /// Limit on address space, MiB (2^20 bytes).
    pub limit_mib: u64,
    /// How it stands.
    #[serde(flatten)]
    pub status: Status,
    /// The value of the line `statement`, empty if there is none.
    pub statement: String,
    /// The last line, empty if there is none.
    pub verdict: String,
    /// Exit code, if the process ended by itself.
    pub exit_code: Option<i32>,
    /// Signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Whether exit code and last line say the same.
    pub agrees: bool,
    /// All lines of standard output in order, with statement and verdict.
    pub lines: Vec<Line>,
    /// The end of standard error, escaped and cut.
    pub stderr: String,
}

/// One file of a claim, as the manifest has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// From the root of the repository, with `/`.
    pub path: String,
    /// SHA-256 of the file as it lies there, in hexadecimal.
    pub sha256: String,
    /// Its bytes.
    pub packed: u64,
    /// Bytes after unpacking `.xz` or `.lzma`; else equal to `packed`.
    pub unpacked: u64,
}

/// A claim over all its checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Folder below `certificates/`.
    pub name: String,
    /// The game.
    pub family: Family,
    /// From the root of the repository.
    pub folder: String,
    /// The sentence that the manifest expects.
    pub statement: String,
    /// `Failed` if one check failed; else the best that a check gave.
    #[serde(flatten)]
    pub status: Status,
    /// The verdict line that `status` stems from, empty if none.
    pub verdict: String,
    /// What that verdict takes for granted: the part of the verdict line after `assuming` or `not proved:`.
    pub rests_on: Option<String>,
    /// The command that made the certificate.
    pub provenance: String,
    /// The claim's files and the proof sets that it names.
    pub files: Vec<FileEntry>,
    /// In the manifest's order.
    pub checks: Vec<Outcome>,
}

/// A test suite that is too long for the ordinary tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suite {
    /// Name in the manifest.
    pub name: String,
    /// Its cost.
    pub tier: Tier,
    /// What to type.
    pub command: String,
    /// `Verified`, `Failed` or `NotRun`.
    #[serde(flatten)]
    pub status: Status,
    /// Tests that passed.
    pub passed: u64,
}

/// The good and bad inputs of one checker, `ci/vectors/*.toml`, run once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vectors {
    /// Package and binary of the checker.
    pub checker: String,
    /// Cost of all cases together.
    pub tier: Tier,
    /// What to type.
    pub command: String,
    /// `Verified` if the checker answers every case as stated; else `Failed` or `NotRun`.
    #[serde(flatten)]
    pub status: Status,
    /// Cases in the file.
    pub cases: usize,
    /// Cases that came out as stated.
    pub as_stated: usize,
}

impl Vectors {
    /// Name in lists and among the costs.
    #[must_use]
    pub fn name(&self) -> String {
        vectors_name(&self.checker)
    }
}

/// Name of a checker's good and bad inputs.
#[must_use]
pub fn vectors_name(checker: &str) -> String {
    format!("{checker}, good and bad inputs")
}

/// A checker's binary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checker {
    /// Package and binary.
    pub name: String,
    /// What `--version` prints: with the SHA-256 of the checker's own sources.
    pub version: String,
}

/// How often each status occurs among the claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Unconditionally.
    pub verified: usize,
    /// On named inputs.
    pub conditional: usize,
    /// Beyond a limit.
    pub declined: usize,
    /// Not proved.
    pub failed: usize,
    /// No check of the claim ran.
    pub not_run: usize,
}

/// What one check cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Claim, or the name of a suite or of a checker's good and bad inputs.
    pub claim: String,
    /// Check, empty for what is no claim.
    pub check: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Processor seconds, user and system.
    pub cpu_seconds: f64,
    /// Largest resident memory, bytes; at least that of the process which started it (some MiB).
    pub peak_bytes: u64,
}

/// Everything that varies from run to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// When it began, UTC, RFC 3339.
    pub date: String,
    /// Wall-clock seconds of the whole.
    pub seconds: f64,
    /// The processor's name.
    pub processor: String,
    /// Operating system and kernel.
    pub system: String,
    /// Cores used.
    pub cores: usize,
    /// Memory of the machine, bytes.
    pub memory_bytes: u64,
    /// The commit, with `-dirty` if files differ from it; empty outside a repository.
    pub revision: String,
    /// In the order of `claims` and their `checks`, then of `suites`, then of `vectors`; only what ran.
    pub costs: Vec<Cost>,
}

/// The whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// 1: the form of this structure.
    pub format: u32,
    /// The most expensive checks that were asked for.
    pub tier: Tier,
    /// 0 every claim verified, 2 some conditional, declined or not run, 1 something failed.
    pub exit_code: u8,
    /// The same in a sentence.
    pub conclusion: String,
    /// Over the claims.
    pub counts: Counts,
    /// What is wrong besides the claims: the manifest against the files, refusals of the gate.
    pub problems: Vec<String>,
    /// What a reader must know, e.g. that a base revision was absent.
    pub notes: Vec<String>,
    /// Refusals of the gate that somebody set aside, with the reason given.
    pub overrides: Vec<String>,
    /// By name.
    pub checkers: Vec<Checker>,
    /// By name.
    pub claims: Vec<Claim>,
    /// In the manifest's order.
    pub suites: Vec<Suite>,
    /// By game.
    #[serde(default)]
    pub vectors: Vec<Vectors>,
    /// What varies.
    pub run: Run,
}
