//! The game tree's first three moves: canonical positions and which of them follow on which.

use crate::board::{ALL, Board, cells};
use std::collections::{BTreeMap, BTreeSet};

/// A determined-black mask, canonical where it names a position.
pub type Mask = u64;

/// The solutions left when the cells of `mask` are black.
#[must_use]
pub fn left(solutions: &[u64], mask: Mask) -> Vec<u64> {
    solutions.iter().copied().filter(|solution| solution & mask == mask).collect()
}

/// The cells black in all of a list of solutions, and those black in some.
#[must_use]
pub fn determined(list: &[u64]) -> (Mask, u64) {
    list.iter().fold((ALL, 0), |(all, some), solution| (all & solution, some | solution))
}

/// An ordinary move: the cell, the mask and the number of solutions after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The cell of the stone.
    pub cell: usize,
    /// The determined-black mask after it, as it is (not canonical).
    pub mask: Mask,
    /// Number of solutions after it.
    pub n: usize,
}

/// All ordinary moves in the position whose solutions are `list`, by cell.
#[must_use]
pub fn replies(list: &[u64]) -> Vec<Reply> {
    let (all, some) = determined(list);
    let mut after = [(ALL, 0); 64];
    for &solution in list {
        for cell in cells(solution & !all) {
            let (mask, n) = &mut after[cell];
            *mask &= solution;
            *n += 1;
        }
    }
    cells(some & !all).map(|cell| Reply { cell, mask: after[cell].0, n: after[cell].1 }).collect()
}

/// A canonical position after one, two or three moves, or the root.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Number of solutions left.
    pub n: usize,
    /// The canonical positions that ordinary moves lead to, ascending; empty after three moves.
    pub children: Vec<Mask>,
}

/// The canonical positions by number of moves, 0 to 3, as if no hint were ever played.
///
/// Under the redundant-hint rule the number of hints of a position of depth `k` is `|D| - k`.
#[must_use]
pub fn opening(board: &Board, solutions: &[u64]) -> [BTreeMap<Mask, Node>; 4] {
    let mut levels: [BTreeMap<Mask, Node>; 4] = Default::default();
    levels[0].insert(0, Node { n: solutions.len(), children: Vec::new() });
    for depth in 0..3 {
        let mut next = BTreeMap::new();
        for (&mask, node) in &mut levels[depth] {
            let replies = replies(&left(solutions, mask));
            let children: BTreeMap<Mask, usize> =
                replies.iter().map(|reply| (board.canonical(reply.mask), reply.n)).collect();
            next.extend(children.iter().map(|(&child, &n)| (child, Node { n, children: Vec::new() })));
            node.children = children.into_keys().collect();
        }
        levels[depth + 1] = next;
    }
    levels
}

/// The canonical determined-black masks with at least `least` solutions, each with its number of images, in breadth
/// first order by masks.
#[must_use]
pub fn large_masks(board: &Board, solutions: &[u64], least: usize) -> BTreeMap<Mask, usize> {
    let mut found = BTreeMap::new();
    let mut open = BTreeSet::from([0]);
    while let Some(mask) = open.pop_first() {
        let images: BTreeSet<Mask> = board.images(mask).into_iter().collect();
        found.insert(mask, images.len());
        for reply in replies(&left(solutions, mask)) {
            let child = board.canonical(reply.mask);
            if reply.n >= least && !found.contains_key(&child) {
                open.insert(child);
            }
        }
    }
    found
}
