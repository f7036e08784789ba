//! The order in which the search tries moves. Outside the trusted core: the search takes from here only which of its
//! own pending moves comes next, checks that it is pending, and ends a refuted node only when none is left. An order
//! can cost time; it cannot make a bound.
//!
//! With few empty squares static terms order the moves; the weightiest is how many live empty squares lie around the
//! new domino. With more, each child is rated by the learned evaluation after a shallow search.

#![allow(clippy::inline_always, reason = "without it the lanes go through memory; measured")]
#![allow(clippy::indexing_slicing, reason = "indices are below the number of children")]

use crate::expand::{Children, MOST, View};
use crate::rules::Squares;
use crate::table::{Hint, NO_HINT};
use crate::weights::{Rating, Terms, Weights};

/// Indices of children, one bit each.
pub type Indices = u128;

/// Place in the order: smaller comes first.
pub type Rank = i32;

/// Buffers of one ply.
pub struct Frame {
    /// The children of the node.
    pub children: Children,
    /// Their ranks.
    pub ranks: [Rank; MOST],
}

impl Default for Frame {
    fn default() -> Self {
        Self { children: Children::default(), ranks: [0; MOST] }
    }
}

/// Chooses which pending child comes next.
pub trait Order {
    /// True if [`Self::rank`] needs both sides' mobility of the children of a node with so many empty squares.
    fn needs_both_mobilities(&self, empties: u32) -> bool;
    /// Ranks the pending children of the node whose frame is given. The frames below are free for use.
    fn rank(
        &mut self,
        frame: &mut Frame,
        pending: Indices,
        hints: (Hint, Hint),
        empties: u32,
        below: &mut [Frame],
    );
    /// The pending child that comes next.
    fn next(&self, frame: &Frame, pending: Indices) -> Option<usize>;
    /// Positions looked at so far only to order moves.
    fn shallow_nodes(&self) -> u64;
}

/// From here on the learned evaluation orders.
const LEARNED_FROM: u32 = 18;
/// The shallow search is deeper by one for each four empty squares beyond this.
const DEEPER_FROM: u32 = 26;
/// One more from here on.
const DEEPER_STILL_FROM: u32 = 42;
const FIRST: Rank = Rank::MIN;
const SECOND: Rank = -1_000_000;
const DISC: i32 = 256;
/// A learned rank counts one placement of the opponent like 5/4 disc.
const PER_PLACEMENT: i32 = 320;
/// The second hint of the table counts like four discs.
const SECOND_BONUS: i32 = 4 * DISC;
/// Ratings beyond this say no more.
const RATING_LIMIT: i32 = 70 * DISC;
/// A shallow search stops where a child is this much worse than the best. Less saves shallow searches and costs nodes:
/// 10 discs take 15 % less time than 16 at the same count of nodes; 6 take more of both.
const MARGIN: i32 = 10 * DISC;
/// Beyond this depth a shallow search is preceded by shallower ones, by so many plies each.
const DEEPENED_FROM: u32 = 3;
const DEEPER_BY: u32 = 2;
/// Beyond every rating; a rating cannot reach it (46 * 2^15 + 10 * 2^15 * 64 is below 2^25).
const INFINITE: i32 = 1 << 28;

/// The order used in earnest.
pub struct Learned<'a> {
    weights: Option<&'a Weights>,
    shallow_nodes: u64,
    evaluate_from: u32,
}

impl<'a> Learned<'a> {
    /// Without weights the static terms order at every depth.
    #[must_use]
    pub fn new(weights: Option<&'a Weights>) -> Self {
        Self { weights, shallow_nodes: 0, evaluate_from: LEARNED_FROM }
    }

    /// The same with the learned evaluation from fewer empty squares on, for tests.
    #[must_use]
    pub fn learned_from(self, empties: u32) -> Self {
        Self { evaluate_from: empties, ..self }
    }

    /// A depth-limited search with the evaluation at its leaves.
    fn shallow(
        &mut self,
        weights: &Weights,
        node: &View,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        stack: &mut [Frame],
    ) -> i32 {
        self.shallow_nodes += 1;
        let Some((frame, below)) = stack.split_first_mut() else { return 0 };
        let rated = depth != 2;
        if rated {
            frame.children.expand::<true>(node);
        } else {
            frame.children.expand::<false>(node);
        }
        let count = frame.children.count();
        if count == 0 {
            let passed = node.passed();
            if !passed.can_place() {
                return node.difference() * DISC;
            }
            return -self.shallow(weights, &passed, depth, -beta, -alpha, below);
        }
        for index in 0..count {
            frame.ranks[index] = if depth >= 3 {
                self.shallow_nodes += 1;
                rating(weights, &frame.children, index)
            } else {
                static_rank(&frame.children, index)
            };
        }
        let mut pending: Indices = all(count);
        let mut best = -INFINITE;
        while let Some(index) = smallest(&frame.ranks, pending) {
            pending &= !(1 << index);
            let value = if depth <= 1 {
                self.shallow_nodes += 1;
                -rating(weights, &frame.children, index)
            } else {
                -self.shallow(weights, &frame.children.child(index), depth - 1, -beta, -alpha, below)
            };
            best = best.max(value);
            alpha = alpha.max(value);
            if value >= beta {
                break;
            }
        }
        best
    }
}

impl Order for Learned<'_> {
    #[inline(always)]
    fn needs_both_mobilities(&self, empties: u32) -> bool {
        self.weights.is_some() && empties >= self.evaluate_from
    }

    #[inline(always)]
    fn rank(
        &mut self,
        frame: &mut Frame,
        pending: Indices,
        hints: (Hint, Hint),
        empties: u32,
        below: &mut [Frame],
    ) {
        let (first, second) = (u32::from(hints.0), u32::from(hints.1));
        let learned = self.weights.filter(|_| empties >= self.evaluate_from);
        let Some(weights) = learned else {
            for index in bits(pending) {
                let placed = frame.children.placed(index);
                frame.ranks[index] = if placed == first {
                    FIRST
                } else if placed == second {
                    SECOND
                } else {
                    static_rank(&frame.children, index)
                };
            }
            return;
        };
        let full = empties.saturating_sub(DEEPER_FROM) / 4 + u32::from(empties >= DEEPER_STILL_FROM);
        for index in bits(pending) {
            self.shallow_nodes += 1;
            let value = -rating(weights, &frame.children, index);
            frame.ranks[index] = learned_rank(&frame.children, index, value);
        }
        let mut depth = if full > DEEPENED_FROM { DEEPER_BY } else { full };
        while depth > 0 {
            // The best so far first: the others then need less to be seen as worse.
            let mut rest = pending;
            let mut best = -INFINITE;
            let mut ranks = [0; MOST];
            while let Some(index) = smallest(&frame.ranks, rest) {
                rest &= !(1 << index);
                let limit = MARGIN.saturating_sub(best);
                let value =
                    -self.shallow(weights, &frame.children.child(index), depth, -INFINITE, limit, below);
                best = best.max(value);
                ranks[index] = learned_rank(&frame.children, index, value);
            }
            frame.ranks = ranks;
            depth = if depth < full { full.min(depth + DEEPER_BY) } else { 0 };
        }
        for index in bits(pending) {
            let placed = frame.children.placed(index);
            if placed == first {
                frame.ranks[index] = FIRST;
            } else if placed == second && hints.1 != NO_HINT {
                frame.ranks[index] -= SECOND_BONUS;
            }
        }
    }

    #[inline(always)]
    fn next(&self, frame: &Frame, pending: Indices) -> Option<usize> {
        smallest(&frame.ranks, pending)
    }

    fn shallow_nodes(&self) -> u64 {
        self.shallow_nodes
    }
}

/// The set of the first `count` indices, at most 112.
#[must_use]
#[inline(always)]
pub fn all(count: usize) -> Indices {
    (1 << count) - 1
}

/// The indices of a set in increasing order.
#[inline(always)]
pub fn bits(mut set: Indices) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let index = set.trailing_zeros();
        set &= set - 1;
        usize::try_from(index).ok()
    })
}

#[inline(always)]
fn smallest(ranks: &[Rank; MOST], pending: Indices) -> Option<usize> {
    bits(pending).min_by_key(|&index| ranks[index])
}

#[inline(always)]
fn rating(weights: &Weights, children: &Children, index: usize) -> i32 {
    let terms = Terms {
        placements: children.placements(index),
        replies: children.replies(index),
        pairs: children.pairs(index),
    };
    let Rating(rating) = weights.rate(children.own(index), children.other(index), terms);
    rating
}

#[inline(always)]
fn learned_rank(children: &Children, index: usize, value: i32) -> Rank {
    let placements = i32::try_from(children.placements(index)).unwrap_or(0);
    PER_PLACEMENT * placements - value.clamp(-RATING_LIMIT, RATING_LIMIT)
}

const CORNERS: Squares = 0x8100_0000_0000_0081;
/// Border squares that touch no corner.
const EDGES: Squares = 0x3c00_8181_8181_003c;

/// Hand-made terms, tuned for few nodes: the opponent's placements, corners and edges held, discs, live surroundings.
#[inline(always)]
fn static_rank(children: &Children, index: usize) -> Rank {
    let (own, other) = (children.own(index), children.other(index));
    let empty = !(own | other);
    let live = empty & around(empty);
    let count = |squares: Squares| squares.count_ones().cast_signed();
    let number = |number: u64| i32::try_from(number).unwrap_or(0);
    16 * number(children.placements(index)) - 8 * count(other & CORNERS) - 4 * count(other & EDGES)
        + count(other)
        - 3 * number(children.pairs(index))
        + 24 * count(children.new_squares(index) & around(live))
}

/// The orthogonal neighbours of a set.
#[inline(always)]
fn around(squares: Squares) -> Squares {
    (squares << 1 & !0x0101_0101_0101_0101)
        | (squares >> 1 & !0x8080_8080_8080_8080)
        | squares << 8
        | squares >> 8
}
