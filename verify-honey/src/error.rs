//! Why a claim was not verified.

use std::fmt;

/// A failure with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A file is not of its grammar.
    Malformed {
        /// Name as in the claim.
        file: String,
        /// Counted from 1; 0 for the file as a whole.
        line: usize,
        /// What was expected there.
        expected: String,
    },
    /// A step of a proof set, an entry of a list, a move of a line or an entry of a log is wrong.
    Rejected {
        /// Name as in the claim.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Why.
        reason: Reason,
    },
    /// What was proved does not reach the claim.
    NotProved(String),
    /// What was proved contradicts the claim.
    Refuted(String),
    /// A file cannot be read: exit code 74.
    Unreadable(String),
    /// A fault of this program: exit code 70.
    Internal(String),
    /// A call that asks for what does not exist: exit code 64.
    Usage(String),
}

/// Why a record of a side input was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The file is about another rule.
    OtherRule,
    /// The number of solutions differs from the enumeration's.
    SolutionCount(u64),
    /// No play of at most three stones leads to the mask or to a symmetric one.
    Unreachable,
    /// A symmetric image of the position is smaller.
    NotCanonical,
    /// The number of empty determined-black cells differs.
    WrongP(u32),
    /// The position was concluded on this earlier line.
    Duplicate(usize),
    /// A search of a position that is not one after three stones.
    SearchDepth(usize),
    /// No move leads from the position to the named one.
    NoChild,
    /// The named child has no value yet.
    ChildUnproved,
    /// The named child is won for the opponent.
    ChildWon,
    /// This child has no value yet.
    ChildMissing(String),
    /// This child is lost, so the position is won.
    ChildLost(String),
    /// The search found the other value.
    WrongValue,
    /// The list continues with another position.
    ListOrder(String),
    /// The line continues with another record.
    LineOrder,
    /// Against the rules.
    Illegal,
    /// Another number of solutions is left.
    Left(usize),
    /// Another move is due, by the rule named.
    OtherMove(String),
    /// Another remoteness.
    Remoteness(String),
    /// Moves after the end, or an end with more than one solution.
    End(usize),
    /// The log has another value than the claim's files.
    LoggedValue,
    /// A log of other sources.
    OtherSources,
    /// A unit that the claim does not have.
    NoUnit,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::OtherRule => write!(f, "other-rule: the claim is about another rule"),
            Reason::SolutionCount(n) => write!(f, "solution-count: the enumeration finds {n}"),
            Reason::Unreachable => {
                write!(f, "unreachable: no play of at most three stones leads to this key")
            }
            Reason::NotCanonical => write!(f, "not-canonical: a symmetric image is smaller"),
            Reason::WrongP(p) => write!(f, "wrong-p: {p} determined cells carry no stone"),
            Reason::Duplicate(line) => write!(f, "duplicate: already concluded on line {line}"),
            Reason::SearchDepth(depth) => {
                write!(f, "search-depth: a position after {depth} stones, 3 are due")
            }
            Reason::NoChild => write!(f, "no-child: no move leads to the named position"),
            Reason::ChildUnproved => write!(f, "child-unproved: no line above concludes the named position"),
            Reason::ChildWon => write!(f, "child-won: the named position is won for the opponent"),
            Reason::ChildMissing(key) => write!(f, "child-missing: no line above concludes child {key}"),
            Reason::ChildLost(key) => write!(f, "child-lost: child {key} is lost, so the position is won"),
            Reason::WrongValue => write!(f, "wrong-value: the search finds the other value"),
            Reason::ListOrder(key) => write!(f, "list-order: position {key} is due"),
            Reason::LineOrder => write!(f, "line-order: another ply is due"),
            Reason::Illegal => write!(f, "illegal: the rules forbid this stone"),
            Reason::Left(n) => write!(f, "left: {n} solutions are left"),
            Reason::OtherMove(due) => write!(f, "other-move: due is {due}"),
            Reason::Remoteness(due) => write!(f, "remoteness: it is {due}"),
            Reason::End(n) => write!(f, "end: {n} solutions are left"),
            Reason::LoggedValue => write!(f, "logged-value: the claim's files state the other value"),
            Reason::OtherSources => write!(f, "other-sources: written by another version of the checker"),
            Reason::NoUnit => write!(f, "no-unit: the claim has no such unit"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Malformed { file, line, expected } => {
                write!(f, "malformed {} line {line}: expected {expected}", escaped(file))
            }
            Failure::Rejected { file, line, reason } => {
                write!(f, "rejected {} line {line}: {reason}", escaped(file))
            }
            Failure::NotProved(what) => write!(f, "not-proved {what}"),
            Failure::Refuted(what) => write!(f, "refuted {what}"),
            Failure::Unreadable(what) => write!(f, "unreadable {what}"),
            Failure::Internal(what) => write!(f, "internal {what}"),
            Failure::Usage(what) => write!(f, "usage {what}"),
        }
    }
}

impl Failure {
    /// The exit code of a run that ends so.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Malformed { .. }
            | Failure::Rejected { .. }
            | Failure::NotProved(_)
            | Failure::Refuted(_) => 1,
            Failure::Usage(_) => 64,
            Failure::Internal(_) => 70,
            Failure::Unreadable(_) => 74,
        }
    }
}

/// Text of the input, safe to print: unprintable characters escaped, cut after 60.
#[must_use]
pub fn escaped(text: &str) -> String {
    let shown: String = text.chars().take(60).flat_map(char::escape_default).collect();
    if text.chars().count() > 60 { shown + "..." } else { shown }
}
