//! Units of work: one bound on one position, named so that any machine can run it, and the log line of its result.
//!
//! A line that was read is a remark of whoever wrote it. [`Logged`] cannot be turned into a proved bound.

use crate::error::{Error, Reason};
use crate::rules::{Move, Position};
use crate::search::{Bound, Halt, Proved};
use crate::text::{MOVE_LIMIT, Text, hex, number, play, score, shown};
use sha2::{Digest, Sha256};
use std::fmt;

/// A bound to be decided for the position after a line of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    moves: Vec<Move>,
    line: Vec<Position>,
    position: Position,
    bound: Bound,
}

impl Unit {
    /// Makes a unit from a line of play.
    ///
    /// # Errors
    /// If a move is illegal or there are too many or none.
    pub fn new(tokens: &[&str], bound: Bound) -> Result<Self, (Reason, String)> {
        if tokens.is_empty() || tokens.len() > MOVE_LIMIT {
            return Err((Reason::Malformed, format!("expected 1 to {MOVE_LIMIT} moves")));
        }
        let (moves, positions) = play(tokens).map_err(|what| (Reason::IllegalLine, what))?;
        let position = positions.last().copied().unwrap_or_else(Position::initial);
        Ok(Self { moves, line: positions, position, bound })
    }

    /// Reads a name such as `f3-f4_e6-f6_c3-d3_le-2`.
    ///
    /// # Errors
    /// If the name is not of that form or its line is illegal.
    pub fn parse(name: &str) -> Result<Self, (Reason, String)> {
        let expected =
            || (Reason::Malformed, format!("{}: expected MOVES_geN or MOVES_leN", shown(name.as_bytes())));
        let (line, claim) = name.rsplit_once('_').ok_or_else(expected)?;
        let bound = match (claim.strip_prefix("ge"), claim.strip_prefix("le")) {
            (Some(token), _) => score(token).map(Bound::AtLeast),
            (_, Some(token)) => score(token).map(Bound::AtMost),
            _ => return Err(expected()),
        };
        let bound = bound.map_err(|reason| {
            (reason, format!("{} is no even number from -64 to 64", shown(claim.as_bytes())))
        })?;
        let tokens: Vec<&str> = line.split('_').collect();
        Self::new(&tokens, bound)
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The positions of the line, the initial one first.
    #[must_use]
    pub fn line(&self) -> Vec<Position> {
        self.line.clone()
    }

    /// The bound claimed, from the view of the position's side to move.
    #[must_use]
    pub fn bound(&self) -> Bound {
        self.bound
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.moves {
            write!(out, "{step}_")?;
        }
        match self.bound {
            Bound::AtLeast(score) => write!(out, "ge{score}"),
            Bound::AtMost(score) => write!(out, "le{score}"),
        }
    }
}

/// How a unit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The bound holds.
    Proved,
    /// Its negation holds.
    Refuted,
    /// The node limit was reached.
    Undecided,
}

impl Verdict {
    /// The verdict on a unit that the result of its search amounts to.
    ///
    /// # Errors
    /// If the search found itself at fault.
    pub fn of(unit: &Unit, result: Result<Proved, Halt>) -> Result<Self, Error> {
        match result {
            Ok(proved) if proved.bound() == unit.bound() => Ok(Self::Proved),
            Ok(_) => Ok(Self::Refuted),
            Err(Halt::NodeLimit) => Ok(Self::Undecided),
            Err(Halt::Fault) => Err(Error::Internal(format!("the search of {unit} found itself at fault"))),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        }
    }
}

/// What a log line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The unit.
    pub unit: Unit,
    /// How it ended.
    pub verdict: Verdict,
    /// Null-window nodes.
    pub nodes: u64,
    /// Positions looked at only to order moves.
    pub shallow: u64,
    /// Size of the table in MiB.
    pub table_mb: u64,
    /// First 16 digits of the SHA-256 of the weights file, or `none`.
    pub weights: String,
    /// SHA-256 of the core of the checker's sources.
    pub checker: String,
}

impl Logged {
    /// What the verdict says of the position, or `None` if it says nothing.
    #[must_use]
    pub fn bound(&self) -> Option<Bound> {
        match self.verdict {
            Verdict::Proved => Some(self.unit.bound()),
            Verdict::Refuted => Some(self.unit.bound().negation()),
            Verdict::Undecided => None,
        }
    }

    /// Reads all lines of a log.
    ///
    /// # Errors
    /// The first line that is not exactly a log line, torn, altered or unfinished.
    pub fn parse_all(text: &Text) -> Result<Vec<Self>, Error> {
        text.lines()?
            .iter()
            .map(|line| {
                Self::parse(&line.tokens).map_err(|(reason, what)| text.error(reason, line.number, what))
            })
            .collect()
    }

    fn parse(tokens: &[&str]) -> Result<Self, (Reason, String)> {
        let damaged = |what: &str| (Reason::DamagedLog, what.to_owned());
        let [
            "dosello-unit",
            "1",
            name,
            verdict,
            "nodes",
            nodes,
            "shallow",
            shallow,
            "table-mb",
            table_mb,
            "weights",
            weights,
            "checker",
            checker,
            "check",
            check,
            "end",
        ] = *tokens
        else {
            return Err(damaged(
                "expected: dosello-unit 1 NAME VERDICT nodes N shallow N table-mb N weights HEX checker HEX check HEX end",
            ));
        };
        let verdict = [Verdict::Proved, Verdict::Refuted, Verdict::Undecided]
            .into_iter()
            .find(|known| known.word() == verdict)
            .ok_or_else(|| damaged("expected proved, refuted or undecided"))?;
        let count = |token| number(token).ok_or_else(|| damaged("expected a number"));
        let is_hex = |token: &str, digits| {
            token.len() == digits && token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        if weights != "none" && !is_hex(weights, 16) || !is_hex(checker, 64) {
            return Err(damaged("expected hexadecimal digits"));
        }
        let logged = Self {
            unit: Unit::parse(name)?,
            verdict,
            nodes: count(nodes)?,
            shallow: count(shallow)?,
            table_mb: count(table_mb)?,
            weights: weights.to_owned(),
            checker: checker.to_owned(),
        };
        if logged.check() != check || logged.to_string() != tokens.join(" ") {
            return Err(damaged("the check does not fit the line"));
        }
        Ok(logged)
    }

    fn body(&self) -> String {
        let Self { unit, verdict, nodes, shallow, table_mb, weights, checker } = self;
        let verdict = verdict.word();
        format!(
            "dosello-unit 1 {unit} {verdict} nodes {nodes} shallow {shallow} table-mb {table_mb} weights {weights} \
             checker {checker}"
        )
    }

    fn check(&self) -> String {
        hex(&Sha256::digest(self.body())).chars().take(16).collect()
    }
}

impl fmt::Display for Logged {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} check {} end", self.body(), self.check())
    }
}
