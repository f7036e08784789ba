//! Moves that a side input advises in large positions.
//!
//! A search spends most of its nodes on moves that fail in positions that are won. Advice names one cell for such a
//! position, and the solver tries that move before the others. It counts as a win only if the search finds that it
//! wins, so no advice, however wrong, changes a value: it changes how many nodes are searched.

use crate::board::{Board, Mask, SYMMETRIES};
use crate::error::{Failure, Reason};
use crate::positions::Positions;
use crate::proof::{header, rejected};
use crate::rules::Rule;
use crate::text::{Lines, mask, number};

/// Advised moves by canonical determined-black mask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// Least number of solutions of the positions that the file names. Smaller positions are not looked up.
    least: usize,
    /// Ascending by mask.
    moves: Vec<(Mask, u8)>,
}

impl Advice {
    /// Parses a file.
    ///
    /// # Errors
    /// A malformed line, masks that do not ascend or are not canonical.
    pub fn parse(file: &str, bytes: &[u8], positions: &Positions) -> Result<Self, Failure> {
        let mut lines = Lines::new(file, bytes)?;
        header(&mut lines, "honey-advice", Rule::Standard, positions)?;
        let least = match lines.required("least")?.as_slice() {
            [count] => number(count).and_then(|n| usize::try_from(n).ok()).filter(|&n| n >= 2),
            _ => None,
        };
        let least = least.ok_or_else(|| lines.expected("least N, N at least 2"))?;
        let mut moves: Vec<(Mask, u8)> = Vec::new();
        let board = &positions.board;
        while let Some(fields) = lines.take() {
            let parsed = match fields.as_slice() {
                ["end"] => {
                    lines.finish()?;
                    return Ok(Advice { least, moves });
                }
                [key, cell] => mask(key).zip(number(cell).and_then(|n| u8::try_from(n).ok())),
                _ => None,
            };
            let on_board = |&(key, cell): &(Mask, u8)| {
                key & !board.all() == 0 && usize::from(cell) < board.size() && key >> cell & 1 == 0
            };
            let (key, cell) = parsed
                .filter(on_board)
                .ok_or_else(|| lines.expected("D and a cell outside of it, or end"))?;
            if board.canonical(key) != key {
                return Err(rejected(file, lines.number, Reason::NotCanonical));
            }
            if moves.last().is_some_and(|&(last, _)| last >= key) {
                return Err(lines.expected("the positions in ascending order"));
            }
            moves.push((key, cell));
        }
        lines.number += 1;
        Err(lines.expected("end"))
    }

    /// How many moves are advised.
    #[must_use]
    pub fn count(&self) -> usize {
        self.moves.len()
    }

    /// The move advised in the position with this determined-black mask and number of solutions.
    #[must_use]
    pub fn cell(&self, board: &Board, determined: Mask, solutions: usize) -> Option<usize> {
        if solutions < self.least {
            return None;
        }
        let (canonical, g) = (0..SYMMETRIES).map(|g| (board.image(determined, g), g)).min()?;
        let found = self.moves.binary_search_by_key(&canonical, |&(key, _)| key).ok()?;
        let &(_, advised) = self.moves.get(found)?;
        (0..board.size()).find(|&cell| board.image(1 << cell, g) == 1 << advised)
    }
}
