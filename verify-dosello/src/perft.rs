//! Counts of positions by ply, to compare the rules with other programs.

use crate::rules::{Position, captures};
use std::fmt::Write;

/// Counts at one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Distinct positions.
    pub positions: usize,
    /// Positions that are no mirror images of each other.
    pub up_to_symmetry: usize,
    /// Lines of play.
    pub paths: u64,
    /// Positions in which the game is over; they are not expanded.
    pub finished: usize,
}

/// Layers of more positions than this are counted in parts, so that a part fits into memory.
const PART: usize = 1 << 21;

/// Counts at plies 1 to `plies`, by sorting: a forced pass is one ply.
#[must_use]
pub fn counts(plies: u64) -> Vec<Count> {
    counts_in_parts(plies, PART)
}

/// The same with the size given from which on the last layer is counted in parts.
#[must_use]
pub fn counts_in_parts(plies: u64, part_size: usize) -> Vec<Count> {
    let mut layer = vec![(Position::initial(), 1u64)];
    let mut counts = Vec::new();
    for ply in 1..=plies {
        let parts =
            if ply == plies { u32::try_from(layer.len() / part_size.max(1)).unwrap_or(0) + 1 } else { 1 };
        let mut count = Count { positions: 0, up_to_symmetry: 0, paths: 0, finished: 0 };
        let mut next = Vec::new();
        for part in 0..parts {
            next = children(&layer, part, parts);
            let mut canonical: Vec<Position> = next.iter().map(|(position, _)| canonical(position)).collect();
            canonical.sort_unstable();
            canonical.dedup();
            count.positions += next.len();
            count.up_to_symmetry += canonical.len();
            count.paths += next.iter().map(|(_, paths)| paths).sum::<u64>();
            count.finished += next.iter().filter(|(position, _)| is_over(position)).count();
        }
        counts.push(count);
        layer = next;
    }
    counts
}

/// The distinct positions after the moves from a layer, those of one part, with the lines of play that lead to each.
fn children(layer: &[(Position, u64)], part: u32, parts: u32) -> Vec<(Position, u64)> {
    let mut next: Vec<(Position, u64)> = Vec::new();
    for (position, paths) in layer {
        let children = position.moves().into_iter().map(|(_, child)| child);
        next.extend(children.filter(|child| mark(child) % parts == part).map(|child| (child, *paths)));
        // Merge from time to time, so that memory follows the distinct positions.
        if next.len() > 1 << 24 && next.len() + MOVES_AT_MOST > next.capacity() {
            merge(&mut next);
        }
    }
    merge(&mut next);
    next
}

/// There are 112 placements.
const MOVES_AT_MOST: usize = 112;

/// A number that all mirror images share: discs of both colours on the border, on the next ring, and on the diagonals.
fn mark(position: &Position) -> u32 {
    const SETS: [u64; 3] = [0xff81_8181_8181_81ff, 0x007e_4242_4242_7e00, 0x8142_2418_1824_4281];
    let counts = SETS.iter().fold(0u32, |counts, set| {
        17 * (17 * counts + (position.black & set).count_ones()) + (position.white & set).count_ones()
    });
    counts.wrapping_mul(0x9e37_79b9) >> 8
}

/// [`Position::canonical`], of the same result: the smallest image is one whose black discs are smallest, so the other
/// images need not be made.
#[must_use]
pub fn canonical(position: &Position) -> Position {
    let images: [u64; 8] = std::array::from_fn(|symmetry| {
        let mut black = position.black;
        if symmetry & 1 != 0 {
            black = black.swap_bytes();
        }
        if symmetry & 2 != 0 {
            black = black.reverse_bits().swap_bytes();
        }
        if symmetry & 4 != 0 { transposed(black) } else { black }
    });
    let least = images.iter().min();
    (0..8u8)
        .zip(&images)
        .filter(|&(_, image)| Some(image) == least)
        .map(|(symmetry, _)| position.image(symmetry))
        .min()
        .unwrap_or(*position)
}

/// Rows and columns exchanged: squares apart from the diagonal change places in blocks of one, two and four.
fn transposed(mut squares: u64) -> u64 {
    for (set, step) in [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)]
    {
        let change = (squares ^ squares >> step) & set;
        squares ^= change ^ change << step;
    }
    squares
}

/// [`Position::is_over`] at once for all placements: a placement is legal if one of its two squares captures.
fn is_over(position: &Position) -> bool {
    let empty = position.empty();
    let beside = (empty << 1 & !0x0101_0101_0101_0101)
        | (empty >> 1 & !0x8080_8080_8080_8080)
        | empty << 8
        | empty >> 8;
    let placeable = empty & beside;
    captures(position.black, position.white, placeable) == 0
        && captures(position.white, position.black, placeable) == 0
}

fn merge(positions: &mut Vec<(Position, u64)>) {
    positions.sort_unstable();
    positions.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
}

/// The counts as lines of text.
#[must_use]
pub fn table(plies: u64) -> String {
    counts(plies).iter().enumerate().fold(String::new(), |mut text, (index, count)| {
        let Count { positions, up_to_symmetry, paths, finished } = count;
        let _ = writeln!(
            text,
            "ply {} positions {positions} up_to_symmetry {up_to_symmetry} paths {paths} finished {finished}",
            index + 1
        );
        text
    })
}
