//! Counts of positions by ply, to compare the rules with other programs.

use crate::rules::Position;
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

/// Counts at plies 1 to `plies`, by sorting: a forced pass is one ply.
#[must_use]
pub fn counts(plies: u64) -> Vec<Count> {
    let mut layer = vec![(Position::initial(), 1u64)];
    let mut counts = Vec::new();
    for _ in 0..plies {
        let mut next: Vec<(Position, u64)> = Vec::new();
        for (position, paths) in &layer {
            next.extend(position.moves().into_iter().map(|(_, child)| (child, *paths)));
            // Merge from time to time, so that memory follows the distinct positions.
            if next.len() > 1 << 24 && next.len() == next.capacity() {
                merge(&mut next);
            }
        }
        merge(&mut next);
        let mut canonical: Vec<Position> = next.iter().map(|(position, _)| position.canonical()).collect();
        canonical.sort_unstable();
        canonical.dedup();
        counts.push(Count {
            positions: next.len(),
            up_to_symmetry: canonical.len(),
            paths: next.iter().map(|(_, paths)| paths).sum(),
            finished: next.iter().filter(|(position, _)| position.is_over()).count(),
        });
        layer = next;
    }
    counts
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
