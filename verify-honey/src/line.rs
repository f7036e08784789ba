//! A line of perfect play, replayed: every stone legal, every move the one that is due, every remoteness right.

use crate::board::{Mask, cells_of};
use crate::error::{Failure, Reason};
use crate::positions::{DEPTH, Positions};
use crate::proof::{Proved, Values, header, rejected};
use crate::remoteness::{Lengths, Spot};
use crate::rules::{Rule, Value, determined, undetermined, with_black};
use crate::text::{Lines, number};

/// Down from so many solutions, remoteness decides.
const EXACT: usize = 3000;
/// Plies of a line: more than a game has.
const PLIES: usize = 61;

/// A move of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ply {
    /// Line in the file.
    pub line: usize,
    /// On a determined-black cell.
    pub hint: bool,
    /// The cell.
    pub cell: usize,
    /// Solutions after it.
    pub left: u64,
    /// Remoteness after it, where one is stated.
    pub remoteness: Option<u64>,
}

/// Parses a file of a line.
///
/// # Errors
/// A malformed record.
pub fn parse(file: &str, bytes: &[u8], rule: Rule, positions: &Positions) -> Result<Vec<Ply>, Failure> {
    let mut lines = Lines::new(file, bytes)?;
    header(&mut lines, "honey-line", rule, positions)?;
    let mut plies = Vec::new();
    loop {
        let fields = lines.take().unwrap_or_default();
        let (due, word, cell, left, remoteness) = match fields.as_slice() {
            ["end"] => {
                lines.finish()?;
                return Ok(plies);
            }
            [due, word, cell, left, remoteness] if plies.len() < PLIES => {
                (*due, *word, *cell, *left, *remoteness)
            }
            _ => {
                return Err(lines.expected("PLY stone|hint CELL LEFT REMOTENESS, at most 61 of them, or end"));
            }
        };
        if number(due) != Some(plies.len() as u64 + 1) {
            return Err(rejected(file, lines.number, Reason::LineOrder));
        }
        let hint = match word {
            "stone" => false,
            "hint" => true,
            _ => return Err(lines.expected("stone or hint")),
        };
        let cell = number(cell).and_then(|c| usize::try_from(c).ok()).filter(|&c| c < positions.board.size());
        let cell = cell.ok_or_else(|| lines.expected("a cell from 0 to 60"))?;
        let left = number(left).ok_or_else(|| lines.expected("a number of solutions"))?;
        let remoteness = match remoteness {
            "-" => None,
            text => Some(number(text).ok_or_else(|| lines.expected("a remoteness or -"))?),
        };
        plies.push(Ply { line: lines.number, hint, cell, left, remoteness });
    }
}

/// The state of the replay.
struct Replay<'a> {
    rule: Rule,
    positions: &'a Positions,
    proved: &'a Proved,
    lengths: Lengths,
    solutions: Vec<Mask>,
    stones: Mask,
}

/// A legal move with what it leaves.
struct Choice {
    cell: usize,
    hint: bool,
    after: Spot,
}

/// Replays a line from the empty board, whose value must be among those proved. Returns plies and hints.
///
/// # Errors
/// The first move that is illegal or not due, or has a wrong figure.
pub fn check(
    file: &str,
    plies: &[Ply],
    rule: Rule,
    positions: &Positions,
    proved: &Proved,
    table_bytes: usize,
) -> Result<(u64, u64), Failure> {
    let root = proved.value(0).ok_or_else(|| Failure::NotProved("root".to_owned()))?;
    let lengths = Lengths::new(rule, table_bytes);
    let solutions = positions.solutions.clone();
    let mut replay = Replay { rule, positions, proved, lengths, solutions, stones: 0 };
    let mut mover = root;
    for ply in plies {
        let reject = |reason| Err(rejected(file, ply.line, reason));
        if replay.solutions.len() == 1 {
            return reject(Reason::End(1));
        }
        let due = replay.due(mover)?;
        if !replay.legal(ply) {
            return reject(Reason::Illegal);
        }
        if (due.cell, due.hint) != (ply.cell, ply.hint) {
            let word = if due.hint { "hint" } else { "stone" };
            return reject(Reason::OtherMove(format!("{word} {}", due.cell)));
        }
        replay.stones |= 1 << ply.cell;
        replay.solutions.clone_from(&due.after.solutions);
        let left = replay.solutions.len();
        if ply.left != left as u64 {
            return reject(Reason::Left(left));
        }
        let remoteness = if left <= EXACT { replay.remoteness(&due.after)?.map(u64::from) } else { None };
        if ply.remoteness != remoteness {
            return reject(Reason::Remoteness(remoteness.map_or_else(|| "-".to_owned(), |r| r.to_string())));
        }
        mover = match mover {
            Value::Won => Value::Lost,
            Value::Lost => Value::Won,
        };
    }
    // The player to move at the end has lost: it must be the one who was said to lose all along.
    if replay.solutions.len() != 1 || mover != Value::Lost {
        return Err(rejected(file, plies.len() + 4, Reason::End(replay.solutions.len())));
    }
    Ok((plies.len() as u64, plies.iter().filter(|ply| ply.hint).count() as u64))
}

/// The line of perfect play itself, by the same rules, as the lines of a file. For tests and for the curious.
///
/// # Errors
/// A value that is not proved.
pub fn compute(
    rule: Rule,
    positions: &Positions,
    proved: &Proved,
    table_bytes: usize,
) -> Result<Vec<String>, Failure> {
    let root = proved.value(0).ok_or_else(|| Failure::NotProved("root".to_owned()))?;
    let lengths = Lengths::new(rule, table_bytes);
    let mut replay =
        Replay { rule, positions, proved, lengths, solutions: positions.solutions.clone(), stones: 0 };
    let mut mover = root;
    let mut text = Vec::new();
    while replay.solutions.len() > 1 && text.len() < PLIES {
        let due = replay.due(mover)?;
        replay.stones |= 1 << due.cell;
        let left = due.after.solutions.len();
        let remoteness = if left <= EXACT { replay.remoteness(&due.after)? } else { None };
        let word = if due.hint { "hint" } else { "stone" };
        let remoteness = remoteness.map_or_else(|| "-".to_owned(), |r| r.to_string());
        text.push(format!("{} {word} {} {left} {remoteness}", text.len() + 1, due.cell));
        replay.solutions = due.after.solutions;
        mover = if mover == Value::Won { Value::Lost } else { Value::Won };
    }
    Ok(text)
}

impl Replay<'_> {
    fn legal(&self, ply: &Ply) -> bool {
        let cell = 1 << ply.cell;
        if ply.hint {
            self.rule == Rule::RedundantHint && determined(&self.solutions) & !self.stones & cell != 0
        } else {
            undetermined(&self.solutions) & cell != 0
        }
    }

    fn spot(&self, solutions: Vec<Mask>, stones: Mask) -> Spot {
        Spot::new(self.rule, solutions, stones)
    }

    /// All different moves by ascending cell. Empty determined cells are equivalent; the lowest stands for them.
    fn choices(&self) -> Vec<Choice> {
        let mut choices: Vec<Choice> = cells_of(undetermined(&self.solutions))
            .map(|cell| {
                let after = self.spot(with_black(&self.solutions, cell), self.stones | 1 << cell);
                Choice { cell, hint: false, after }
            })
            .collect();
        if self.rule == Rule::RedundantHint
            && let Some(cell) = cells_of(determined(&self.solutions) & !self.stones).next()
        {
            let after = self.spot(self.solutions.clone(), self.stones | 1 << cell);
            choices.push(Choice { cell, hint: true, after });
        }
        choices.sort_by_key(|choice| choice.cell);
        choices
    }

    /// The move that the rules of `FORMAT.md` pick for a player who wins or loses.
    fn due(&mut self, mover: Value) -> Result<Choice, Failure> {
        let none = || Failure::Internal("a position without the move that its value promises".to_owned());
        let before = self.solutions.len();
        let mut choices = self.choices();
        match (mover, before > EXACT) {
            (Value::Lost, true) => {
                choices.sort_by_key(|choice| std::cmp::Reverse(choice.after.solutions.len()));
                choices.into_iter().next().ok_or_else(none)
            }
            (Value::Won, true) => {
                choices.sort_by_key(|choice| choice.after.solutions.len());
                for choice in choices {
                    if self.value(&choice.after, self.stones | 1 << choice.cell)? == Value::Lost {
                        return Ok(choice);
                    }
                }
                Err(none())
            }
            (_, false) => {
                let mut best: Option<(u32, usize, Choice)> = None;
                for choice in choices {
                    if mover == Value::Won && self.lengths.value(&choice.after) == Value::Won {
                        continue;
                    }
                    let (length, left) =
                        (self.remoteness(&choice.after)?.ok_or_else(none)?, choice.after.solutions.len());
                    let better = |&(old, most, _): &(u32, usize, Choice)| match mover {
                        Value::Won => length < old || length == old && left < most,
                        Value::Lost => length > old || length == old && left < most,
                    };
                    if best.as_ref().is_none_or(better) {
                        best = Some((length, left, choice));
                    }
                }
                best.map(|(_, _, choice)| choice).ok_or_else(none)
            }
        }
    }

    /// The value of a position: proved already if it is one after at most three stones, else solved here.
    fn value(&mut self, spot: &Spot, stones: Mask) -> Result<Value, Failure> {
        let canonical = self.positions.board.canonical(spot.determined);
        if let Some(position) = self.positions.all.get(&canonical)
            && u32::try_from(position.depth) == Ok(stones.count_ones())
        {
            if let Some(value) = self.proved.value(canonical) {
                return Ok(value);
            }
            if position.depth < DEPTH {
                return Err(Failure::NotProved(format!(
                    "{canonical:016x}, of which the line needs the value"
                )));
            }
        }
        Ok(self.lengths.value(spot))
    }

    fn remoteness(&mut self, spot: &Spot) -> Result<Option<u32>, Failure> {
        match self.lengths.remoteness(spot) {
            Some(remoteness) => Ok(Some(remoteness)),
            None => Err(Failure::Internal("a position without remoteness".to_owned())),
        }
    }
}
