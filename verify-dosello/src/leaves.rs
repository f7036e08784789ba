//! Leaf files and proof sets: what somebody says of positions. Read strictly, believed by nobody.

use crate::error::{Error, Reason};
use crate::rules::Position;
use crate::search::Bound;
use crate::text::{Line, MOVE_LIMIT, Text, number, play, score, shown};
use crate::tree::{Assumed, Interval};
use crate::units::Unit;
use std::collections::HashSet;

/// A leaf file.
pub struct Leaves {
    /// For each line of the file its moves and positions (the initial one first), in the order of the file.
    pub lines: Vec<(Vec<String>, Vec<Position>)>,
    /// What the file states, intersected for each position.
    pub stated: Assumed,
    /// Distinct positions.
    pub positions: usize,
}

fn played(text: &Text, line: &Line<'_>, moves: &[&str]) -> Result<Vec<Position>, Error> {
    if moves.is_empty() {
        return Err(text.error(Reason::Malformed, line.number, "expected a line of moves"));
    }
    if moves.len() > MOVE_LIMIT {
        return Err(Error::Declined(format!(
            "{} line {}: more than {MOVE_LIMIT} moves",
            text.name, line.number
        )));
    }
    let (_, positions) = play(moves).map_err(|what| text.error(Reason::IllegalLine, line.number, what))?;
    Ok(positions)
}

fn scored(text: &Text, line: &Line<'_>, token: &str) -> Result<i32, Error> {
    score(token).map_err(|reason| {
        let what = format!("{}: expected an even number from -64 to 64", shown(token.as_bytes()));
        text.error(reason, line.number, what)
    })
}

fn header<'a, 'b>(text: &Text, lines: &'b [Line<'a>], word: &str) -> Result<&'b [Line<'a>], Error> {
    match lines.split_first() {
        Some((first, rest)) if first.tokens == [word, "1"] => Ok(rest),
        _ => Err(text.error(Reason::Malformed, 1, format!("expected {word} 1"))),
    }
}

/// Reads a leaf file.
///
/// # Errors
/// The first line that breaks the grammar or states the impossible.
pub fn parse_leaves(text: &Text) -> Result<Leaves, Error> {
    let all = text.lines()?;
    let mut leaves = Leaves { lines: Vec::new(), stated: Assumed::default(), positions: 0 };
    let (mut seen, mut positions_seen) = (HashSet::new(), HashSet::new());
    for line in header(text, &all, "leaves")? {
        let expected = "expected: leaf MOVES interval LOWER UPPER origin WORD nodes N";
        let malformed = || text.error(Reason::Malformed, line.number, expected);
        let Some((&"leaf", rest)) = line.tokens.split_first() else { return Err(malformed()) };
        let Some((moves, &["interval", lower, upper, "origin", origin, "nodes", nodes])) =
            rest.split_last_chunk::<7>()
        else {
            return Err(malformed());
        };
        if !origin.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') || number(nodes).is_none()
        {
            return Err(malformed());
        }
        let positions = played(text, line, moves)?;
        let interval = Interval::new(scored(text, line, lower)?, scored(text, line, upper)?)
            .ok_or_else(|| text.error(Reason::EmptyInterval, line.number, "the ends are exchanged"))?;
        if !seen.insert(&line.tokens) {
            return Err(text.error(Reason::Duplicate, line.number, "the same line stands above"));
        }
        let position = positions.last().copied().unwrap_or_else(Position::initial);
        leaves.stated.add(&position, interval).map_err(|reason| {
            text.error(reason, line.number, "no value lies in this interval and in those of the lines above")
        })?;
        positions_seen.insert(position.canonical());
        leaves.lines.push((moves.iter().map(|&step| step.to_owned()).collect(), positions));
    }
    leaves.positions = positions_seen.len();
    Ok(leaves)
}

impl Leaves {
    /// Every bound of the file as a unit of its own, each position once.
    ///
    /// # Errors
    /// None for a file that was read.
    pub fn units(&self) -> Result<Vec<Unit>, Error> {
        let mut seen = HashSet::new();
        let mut units = Vec::new();
        for (moves, positions) in &self.lines {
            let position = positions.last().copied().unwrap_or_else(Position::initial);
            if !seen.insert(position.canonical()) {
                continue;
            }
            let tokens: Vec<&str> = moves.iter().map(String::as_str).collect();
            for bound in self.stated.of(&position).bounds() {
                units.push(Unit::new(&tokens, bound).map_err(|(_, what)| Error::Internal(what))?);
            }
        }
        Ok(units)
    }
}

/// Reads a proof set.
///
/// # Errors
/// The first line that breaks the grammar, is illegal, or repeats a position and direction.
pub fn parse_proof_set(text: &Text) -> Result<Vec<Unit>, Error> {
    let all = text.lines()?;
    let mut units = Vec::new();
    let mut seen = HashSet::new();
    for line in header(text, &all, "proofset")? {
        let malformed = || text.error(Reason::Malformed, line.number, "expected: claim MOVES ge N, or le N");
        let Some((&"claim", rest)) = line.tokens.split_first() else { return Err(malformed()) };
        let Some((moves, &[direction, token])) = rest.split_last_chunk::<2>() else {
            return Err(malformed());
        };
        if moves.len() > MOVE_LIMIT {
            return Err(Error::Declined(format!(
                "{} line {}: more than {MOVE_LIMIT} moves",
                text.name, line.number
            )));
        }
        let score = scored(text, line, token)?;
        let bound = match direction {
            "ge" => Bound::AtLeast(score),
            "le" => Bound::AtMost(score),
            _ => return Err(malformed()),
        };
        let unit = Unit::new(moves, bound).map_err(|(reason, what)| text.error(reason, line.number, what))?;
        if !seen.insert((unit.position().canonical(), direction)) {
            let what = "this position and direction stand above already";
            return Err(text.error(Reason::Duplicate, line.number, what));
        }
        units.push(unit);
    }
    Ok(units)
}
