//! Why a check ended without success. Each kind of fault has a word of its own, so that a test can ask for it.

use std::fmt;

/// What is wrong with an input, one word each on the verdict line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not the grammar of `FORMAT.md`.
    Malformed,
    /// A move that is not a move, or illegal where it is played.
    IllegalLine,
    /// A line that ends at an inner position of the tree.
    NoLeaf,
    /// A number that no finished game can have as its score: odd, or beyond 64.
    NotAScore,
    /// An interval whose ends are exchanged.
    EmptyInterval,
    /// Results for one position that cannot all be true.
    Contradiction,
    /// The same line, or the same statement about one position, twice.
    Duplicate,
    /// The list of the claim is not the list of legal moves.
    WrongList,
    /// A claim of the proof set that no leaf result supports.
    UnsupportedClaim,
    /// The tree's intervals are sound but do not reach the claim.
    NotProved,
    /// The tree's intervals exclude the claim.
    Refuted,
    /// The game of the claim is not over, or has other counts.
    WrongEnd,
    /// A log line that was torn or altered.
    DamagedLog,
    /// A logged result that this run's own search contradicts.
    FalseLog,
    /// A folder that belongs to another run.
    ForeignRun,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Malformed => "malformed",
            Self::IllegalLine => "illegal-line",
            Self::NoLeaf => "no-leaf",
            Self::NotAScore => "not-a-score",
            Self::EmptyInterval => "empty-interval",
            Self::Contradiction => "contradiction",
            Self::Duplicate => "duplicate",
            Self::WrongList => "wrong-list",
            Self::UnsupportedClaim => "unsupported-claim",
            Self::NotProved => "not-proved",
            Self::Refuted => "refuted",
            Self::WrongEnd => "wrong-end",
            Self::DamagedLog => "damaged-log",
            Self::FalseLog => "false-log",
            Self::ForeignRun => "foreign-run",
        })
    }
}

/// Everything that ends a check early. The exit code follows from the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input is wrong or proves too little: exit code 1.
    Failure {
        /// The kind of fault.
        reason: Reason,
        /// File and line (from 1; 0 if the whole file is meant), where there is one.
        place: Option<(String, usize)>,
        /// What was expected or found, in words; bytes of the input are escaped and cut.
        what: String,
    },
    /// Beyond a documented limit: exit code 3.
    Declined(String),
    /// The command line is wrong: exit code 64.
    Usage(String),
    /// This program found itself at fault: exit code 70.
    Internal(String),
    /// Something could not be read or written: exit code 74.
    InputOutput(String),
}

impl Error {
    /// A failure at a line of a file.
    #[must_use]
    pub fn at(reason: Reason, file: &str, line: usize, what: impl Into<String>) -> Self {
        Self::Failure { reason, place: Some((file.to_owned(), line)), what: what.into() }
    }

    /// A failure of the whole.
    #[must_use]
    pub fn of(reason: Reason, what: impl Into<String>) -> Self {
        Self::Failure { reason, place: None, what: what.into() }
    }

    /// The kind of fault, for a failure.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        if let Self::Failure { reason, .. } = self { Some(*reason) } else { None }
    }

    /// The exit code that this error ends in.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Failure { .. } => 1,
            Self::Declined(_) => 3,
            Self::Usage(_) => 64,
            Self::Internal(_) => 70,
            Self::InputOutput(_) => 74,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure { reason, place: Some((file, line)), what } => {
                write!(out, "failure {reason} {file} line {line}: {what}")
            }
            Self::Failure { reason, place: None, what } => write!(out, "failure {reason} {what}"),
            Self::Declined(what) => write!(out, "declined {what}"),
            Self::Usage(what) => write!(out, "usage error: {what}"),
            Self::Internal(what) => write!(out, "internal error: {what}"),
            Self::InputOutput(what) => write!(out, "input/output error: {what}"),
        }
    }
}

impl std::error::Error for Error {}
