//! The positions after at most three stones, up to symmetry, and their moves: the checker's own, never read.
//!
//! Symmetries permute the solutions (the enumeration checks this), so symmetric positions have equal values, and the
//! smallest image of the determined-black mask stands for all of them.
#![allow(
    clippy::indexing_slicing,
    reason = "levels are indexed by depths 0 to 3, positions by indices made here"
)]

use crate::board::{Board, Mask, cells_of};
use crate::index;
use crate::rules::{Rule, determined, undetermined};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Stones after which positions are no longer expanded.
pub const DEPTH: usize = 3;

/// A canonical position after at most [`DEPTH`] stones.
#[derive(Clone, Debug)]
pub struct Position {
    /// Determined-black cells, the smallest of the symmetric images.
    pub determined: Mask,
    /// Stones placed.
    pub depth: usize,
    /// Each legal first-to-last cell with the canonical mask to which it leads; empty at depth 3.
    pub moves: Vec<(usize, Mask)>,
}

/// All positions after at most three stones.
pub struct Positions {
    /// The board.
    pub board: Board,
    /// All solutions, in a fixed pseudo-random order, which is what the solver wants.
    pub solutions: Vec<Mask>,
    /// SHA-256 of the sorted solutions, one a line as 16 hexadecimal digits.
    pub digest: String,
    /// By determined-black mask.
    pub all: BTreeMap<Mask, Position>,
}

/// A position after fewer than [`DEPTH`] stones with a determined-black cell that carries none: a hint could be placed,
/// which [`Position::moves`] lacks. Does not happen on this board, and is checked.
#[derive(Debug, PartialEq, Eq)]
pub struct EarlyHint(pub Mask);

impl Positions {
    /// Expands the game from its sorted solutions.
    ///
    /// # Errors
    /// A position with a hint before the last level.
    pub fn new(board: Board, mut solutions: Vec<Mask>) -> Result<Self, EarlyHint> {
        let digest = digest(&solutions);
        solutions.sort_by_key(|s| {
            s.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xd6e8_feb8_6659_fd93)
        });
        let mut all: BTreeMap<Mask, Position> = BTreeMap::new();
        let mut level = vec![board.canonical(determined(&solutions))];
        for depth in 0..=DEPTH {
            let mut next = Vec::new();
            for &mask in &level {
                let mut moves = Vec::new();
                if depth < DEPTH {
                    if index(mask.count_ones()) != depth {
                        return Err(EarlyHint(mask));
                    }
                    let left: Vec<Mask> = solutions.iter().copied().filter(|s| s & mask == mask).collect();
                    for cell in cells_of(undetermined(&left)) {
                        let child = board.canonical(closure(&left, mask | 1 << cell));
                        moves.push((cell, child));
                        next.push(child);
                    }
                }
                // No mask has a position of another depth: it has `depth` cells here, on the last level at least that.
                all.insert(mask, Position { determined: mask, depth, moves });
            }
            next.sort_unstable();
            next.dedup();
            level = next;
        }
        Ok(Positions { board, solutions, digest, all })
    }

    /// The solutions left in a position.
    #[must_use]
    pub fn left(&self, determined: Mask) -> Vec<Mask> {
        self.solutions.iter().copied().filter(|s| s & determined == determined).collect()
    }

    /// The positions after `depth` stones, ascending by mask.
    pub fn at(&self, depth: usize) -> impl Iterator<Item = &Position> {
        self.all.values().filter(move |position| position.depth == depth)
    }

    /// The smallest line of stones, ascending, that leads to a position after three stones.
    #[must_use]
    pub fn line(&self, position: &Position) -> String {
        let cells: Vec<usize> = cells_of(position.determined).collect();
        let name = |a: usize, b: usize, c: usize| format!("{a}-{b}-{c}");
        if let [a, b, c] = cells[..] {
            return name(a, b, c);
        }
        // Three of the cells lead here exactly if no further solution has them.
        let left = self.left(position.determined).len();
        for (i, &a) in cells.iter().enumerate() {
            for (j, &b) in cells.iter().enumerate().skip(i + 1) {
                for &c in &cells[j + 1..] {
                    if self.left(1 << a | 1 << b | 1 << c).len() == left {
                        return name(a, b, c);
                    }
                }
            }
        }
        format!("{:016x}", position.determined)
    }
}

impl Position {
    /// Determined-black cells without a stone.
    #[must_use]
    pub fn p(&self) -> u32 {
        self.determined.count_ones().saturating_sub(u32::try_from(self.depth).unwrap_or(0))
    }

    /// The key as it stands in files.
    #[must_use]
    pub fn key(&self, rule: Rule) -> String {
        match rule {
            Rule::Standard => format!("{:016x}", self.determined),
            Rule::RedundantHint => format!("{:016x} {}", self.determined, self.p()),
        }
    }
}

/// The cells black in all solutions that contain `stones`, which lie in at least one. The running intersection only
/// shrinks and never below `stones`, so the scan ends there.
fn closure(solutions: &[Mask], stones: Mask) -> Mask {
    let mut all = Mask::MAX;
    for &solution in solutions {
        if solution & stones == stones {
            all &= solution;
            if all == stones {
                break;
            }
        }
    }
    all
}

/// SHA-256 of masks as lines of text.
fn digest(sorted: &[Mask]) -> String {
    let mut hash = Sha256::new();
    let mut line = String::new();
    for mask in sorted {
        line.clear();
        // Writing to a string does not fail.
        let _ = writeln!(line, "{mask:016x}");
        hash.update(&line);
    }
    hex(&hash.finalize())
}

/// Lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
