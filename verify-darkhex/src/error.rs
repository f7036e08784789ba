//! Why a check ended without a proof: one error type, each reason with its place and with what was expected.

use std::fmt;

/// Everything that can end a check before its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An input file does not follow its grammar.
    Malformed {
        /// The file, as named by the auditor or the claim.
        file: String,
        /// The line, counted from 1; 0 where the whole file is meant.
        line: usize,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The input is beyond a limit of this program, which says nothing about the claim.
    Declined(String),
    /// A guard of this program found that it had erred.
    Internal(&'static str),
    /// A file could not be read or written.
    Io {
        /// The file.
        file: String,
        /// The operating system's words.
        reason: String,
    },
}

/// What is wrong with a line of an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A byte that the formats have no use for, by its usual name.
    Byte(&'static str),
    /// The last line lacks its LF.
    NoFinalNewline,
    /// A blank line, or a space at either end of a line, or two in a row.
    Spacing,
    /// Text after the end of the file's grammar.
    Trailing,
    /// The file ends where something is still expected.
    Truncated {
        /// What is expected.
        expected: String,
    },
    /// Something else stands where this is expected.
    Expected {
        /// What is expected.
        expected: String,
        /// What stands there, cut to a few characters.
        found: String,
    },
    /// Not a decimal number in its one spelling.
    Number {
        /// What stands there, cut.
        found: String,
    },
    /// A number outside its range.
    Range {
        /// What the number says.
        what: &'static str,
        /// The range.
        expected: String,
        /// The number, cut.
        found: String,
    },
    /// A name or a line for the second time, or a list that does not increase strictly.
    Order {
        /// What has to increase.
        what: &'static str,
    },
    /// The file speaks of another game or player than the claim.
    OtherGame {
        /// What differs.
        what: &'static str,
        /// What the claim says.
        expected: String,
        /// What the file says.
        found: String,
    },
    /// `PRIORITY` is not a permutation of the cells that it has to order.
    Priority,
    /// The number does not encode a history: a probe of no cell, or a cell probed twice, or one never legal.
    NotAHistory,
    /// The history cannot come about: the owner's plan does not probe so.
    NotPlayed,
    /// The history cannot come about against any opponent with the owner to move.
    Unreachable,
    /// The probed cell is owned or known to be occupied.
    IllegalProbe,
    /// A prefix of the history is not listed.
    MissingPrefix,
    /// The listing only repeats what `PRIORITY` says.
    Redundant,
    /// The masses of the probes do not sum to the mass of the history.
    Mass {
        /// Mass of the history.
        expected: String,
        /// Sum over its probes.
        found: String,
    },
    /// The same plan twice in a file.
    SamePlan,
    /// A value that is not a fraction in lowest terms between 0 and 1.
    Fraction,
    /// A file name with other characters, a folder, or an ending that no format has.
    FileName,
    /// A link, a folder or a device where a plain file is expected.
    NotAPlainFile,
    /// More bytes than the limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// An `.xz` container that this program does not read, or a damaged one.
    Xz(&'static str),
    /// The sub-folders of a set are not its members.
    Members(String),
}

impl Error {
    /// A fault of a line of a file.
    #[must_use]
    pub fn malformed(file: &str, line: usize, fault: Fault) -> Error {
        Error::Malformed { file: file.to_string(), line, fault }
    }

    /// A failed reading or writing.
    #[must_use]
    pub fn io(file: &str, error: &std::io::Error) -> Error {
        Error::Io { file: file.to_string(), reason: error.to_string() }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Malformed { file, line: 0, fault } => write!(f, "malformed {}: {fault}", shown(file)),
            Error::Malformed { file, line, fault } => {
                write!(f, "malformed {} line {line}: {fault}", shown(file))
            }
            Error::Declined(limit) => write!(f, "limit {limit}"),
            Error::Internal(guard) => write!(f, "internal error: {guard}"),
            Error::Io { file, reason } => write!(f, "cannot access {}: {}", shown(file), shown(reason)),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Byte(name) => write!(f, "{name} in the file, expected printable ASCII and LF"),
            Fault::NoFinalNewline => write!(f, "expected a newline at the end of the last line"),
            Fault::Spacing => write!(f, "expected tokens separated by exactly one space"),
            Fault::Trailing => write!(f, "expected the end of the file"),
            Fault::Truncated { expected } => write!(f, "the file ends, expected {expected}"),
            Fault::Expected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Fault::Number { found } => {
                write!(f, "expected a decimal number without sign or leading zero, found {found}")
            }
            Fault::Range { what, expected, found } => write!(f, "{what}: expected {expected}, found {found}"),
            Fault::Order { what } => write!(f, "expected {what} in strictly increasing order"),
            Fault::OtherGame { what, expected, found } => {
                write!(f, "{what}: the claim says {expected}, the file {found}")
            }
            Fault::Priority => write!(f, "expected each cell that can be probed exactly once"),
            Fault::NotAHistory => write!(f, "the number encodes no history of legal probes"),
            Fault::NotPlayed => write!(f, "the plan itself never reaches this history"),
            Fault::Unreachable => {
                write!(f, "no opponent can bring this history about with its owner to move")
            }
            Fault::IllegalProbe => {
                write!(f, "the cell is owned or known to be occupied, or probed twice here")
            }
            Fault::MissingPrefix => write!(f, "a prefix of this history is not listed"),
            Fault::Redundant => {
                write!(f, "the history and all listed after it only repeat the default order")
            }
            Fault::Mass { expected, found } => {
                write!(f, "the masses sum to {found}, the mass of the history is {expected}")
            }
            Fault::SamePlan => write!(f, "the same plan stands in the file before"),
            Fault::Fraction => write!(f, "expected a fraction in lowest terms between 0 and 1"),
            Fault::FileName => {
                write!(f, "expected the name of a strategy file in the folder of the claim or its set")
            }
            Fault::NotAPlainFile => write!(f, "expected a plain file, no link"),
            Fault::TooLarge { limit } => write!(f, "expected at most {limit} bytes"),
            Fault::Xz(reason) => write!(f, "xz: {reason}"),
            Fault::Members(reason) => write!(f, "{reason}"),
        }
    }
}

/// Echoes foreign text: anything but printable ASCII escaped, and cut.
#[must_use]
pub fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let escape = |character: char| match character {
        ' '..='~' if character != '\\' => character.to_string(),
        other => other.escape_default().to_string(),
    };
    let escaped: String = text.chars().take(MOST + 1).map(escape).collect();
    if text.chars().nth(MOST).is_some() {
        format!("{}…", escaped.chars().take(MOST).collect::<String>())
    } else {
        escaped
    }
}
