//! The game on top of the puzzle: positions, moves, and the plain recursion that defines who wins.
#![allow(clippy::indexing_slicing, reason = "counts of cells are indexed by the cells of a mask")]

use crate::board::{Mask, cells_of};
use std::fmt;

/// Which stones may be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Only on undetermined cells.
    Standard,
    /// Also on a determined-black cell that carries no stone.
    RedundantHint,
}

/// Who wins under perfect play, seen from the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// The player to move wins.
    Won,
    /// The player who just moved wins.
    Lost,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Rule::Standard => "standard",
            Rule::RedundantHint => "redundant-hint",
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Value::Won => "won",
            Value::Lost => "lost",
        })
    }
}

/// The cells that are black in all of `solutions`; all cells if there are none.
#[must_use]
pub fn determined(solutions: &[Mask]) -> Mask {
    solutions.iter().fold(Mask::MAX, |all, s| all & s)
}

/// The cells that are black in some of `solutions` but not in all.
#[must_use]
pub fn undetermined(solutions: &[Mask]) -> Mask {
    solutions.iter().fold(0, |some, s| some | s) & !determined(solutions)
}

/// The solutions in which `cell` is black.
#[must_use]
pub fn with_black(solutions: &[Mask], cell: usize) -> Vec<Mask> {
    solutions.iter().copied().filter(|s| s >> cell & 1 == 1).collect()
}

/// The value of a position by the definition, slowly: `stones` lie on the board, `solutions` are those still possible.
///
/// A stone goes on a cell that is undetermined or, under the redundant-hint rule, determined black and empty. Whoever
/// leaves exactly one solution wins, so a player who faces one solution has lost. The recursion places stones one by
/// one; it knows no keys, no counts and no shortcuts. It ends, since at most 25 stones fit on a solution.
#[must_use]
pub fn plain_value(rule: Rule, solutions: &[Mask], stones: Mask) -> Value {
    if solutions.len() == 1 {
        return Value::Lost;
    }
    for cell in cells_of(undetermined(solutions)) {
        if plain_value(rule, &with_black(solutions, cell), stones | 1 << cell) == Value::Lost {
            return Value::Won;
        }
    }
    if rule == Rule::RedundantHint {
        // Which of the empty determined cells is taken does not change what is possible later: one stands for all.
        if let Some(cell) = cells_of(determined(solutions) & !stones).next()
            && plain_value(rule, solutions, stones | 1 << cell) == Value::Lost
        {
            return Value::Won;
        }
    }
    Value::Lost
}
