//! The search that proves bounds: null-window, fail-soft negamax over all legal moves, without any forward pruning.
//!
//! Claim of `null_window(node, beta)`: if it returns v >= beta, the value of `node` to its side to move is at least v;
//! if it returns v < beta, the value is at most v. By induction over the number of plies left:
//! 1. A finished game returns its disc difference. A pass returns the negated result with the window turned around.
//! 2. v >= beta was returned by one child that the mover can choose; a child's negated upper bound bounds from below.
//! 3. v < beta is returned only when every child has been settled: each left the set `pending`, one for one with the
//!    counter `settled`, with a proved upper bound of at most v on what it yields. Both are checked at the end of each
//!    such node; a difference is an internal fault, never a result.
//! 4. A table entry was stored by this very function under the full key of the position (`table`), and only after
//!    2 or 3 held. A search that is stopped returns an error through all levels and stores nothing.
//! 5. Values are even, so "not at least beta" is "at most beta - 2".

#![allow(clippy::inline_always, reason = "without it the lanes go through memory; measured")]

use crate::expand::View;
use crate::order::{Frame, Indices, Learned, Order, all, bits};
use crate::rules::{Position, Score, is_score};
use crate::table::{Hint, Key, NO_HINT, Table, UNKNOWN};
use crate::weights::Weights;
use std::hint::black_box;

/// A one-sided bound on a position's value, from the view of its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// The value is at least this score.
    AtLeast(Score),
    /// The value is at most this score.
    AtMost(Score),
}

impl Bound {
    /// The opposite statement: values are even.
    #[must_use]
    pub fn negation(self) -> Self {
        match self {
            Self::AtLeast(score) => Self::AtMost(score - 2),
            Self::AtMost(score) => Self::AtLeast(score + 2),
        }
    }
}

/// A bound that this process has proved. Only the search makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proved {
    position: Position,
    bound: Bound,
}

impl Proved {
    /// The position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }
    /// The bound on its value, from the view of its side to move.
    #[must_use]
    pub fn bound(&self) -> Bound {
        self.bound
    }
}

/// Why a search ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The node limit was reached.
    NodeLimit,
    /// A child was lost or counted twice, or the stack is too small: a fault of this program.
    Fault,
}

/// What may be switched without changing a result.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Positions with fewer empty squares are not kept in the table.
    pub table_from: u32,
    /// Positions with fewer empty squares are kept in the small table.
    pub far_from: u32,
    /// Size of the small table in MiB.
    pub near_mb: usize,
    /// From here on all children are looked up before one is searched.
    pub early_look_ups_from: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { table_from: 12, far_from: 16, near_mb: 4, early_look_ups_from: 20 }
    }
}

/// Plies that a game can last: 28 placements after the initial position, a pass before each, and the end.
const PLIES: usize = 64;

/// A solver with its table.
pub struct Solver<'a, O = Learned<'a>> {
    table: &'a mut Table,
    /// Small enough for the cache: most transpositions near the end of the game come soon or never.
    near: Table,
    order: O,
    settings: Settings,
    stack: Vec<Frame>,
    nodes: u64,
    limit: u64,
}

impl<'a> Solver<'a> {
    /// A solver that orders moves with these weights. What the table holds is kept.
    #[must_use]
    pub fn new(table: &'a mut Table, weights: Option<&'a Weights>) -> Self {
        Self::with_order(table, Learned::new(weights), Settings::default())
    }
}

impl<'a, O: Order> Solver<'a, O> {
    /// A solver with its parts given.
    #[must_use]
    pub fn with_order(table: &'a mut Table, order: O, settings: Settings) -> Self {
        let stack = std::iter::repeat_with(Frame::default).take(PLIES).collect();
        let near = Table::new(settings.near_mb);
        Self { table, near, order, settings, stack, nodes: 0, limit: u64::MAX }
    }

    /// Null-window nodes searched so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Positions looked at so far only to order moves.
    #[must_use]
    pub fn shallow_nodes(&self) -> u64 {
        self.order.shallow_nodes()
    }

    /// Decides whether a bound holds: returns it, or its negation, as proved. Searches at most `node_limit` nodes.
    ///
    /// # Errors
    /// [`Halt::NodeLimit`] if the limit was reached, [`Halt::Fault`] if the search found itself at fault.
    pub fn decide(&mut self, position: &Position, bound: Bound, node_limit: u64) -> Result<Proved, Halt> {
        let (Bound::AtLeast(score) | Bound::AtMost(score)) = bound;
        if !is_score(score) {
            return Err(Halt::Fault);
        }
        let beta = if bound == Bound::AtLeast(score) { score } else { score + 2 };
        self.limit = self.nodes.saturating_add(node_limit);
        let mut stack = std::mem::take(&mut self.stack);
        let result = self.null_window(&View::of(position), beta, &mut stack);
        self.stack = stack;
        let reached = if result? >= beta { Bound::AtLeast(beta) } else { Bound::AtMost(beta - 2) };
        let bound = if reached == bound { bound } else { bound.negation() };
        Ok(Proved { position: *position, bound })
    }

    #[inline(always)]
    fn table(&self, empties: u32) -> &Table {
        if empties >= self.settings.far_from { self.table } else { &self.near }
    }

    fn null_window(&mut self, node: &View, beta: Score, stack: &mut [Frame]) -> Result<Score, Halt> {
        if self.nodes >= self.limit {
            return Err(Halt::NodeLimit);
        }
        self.nodes += 1;
        let nodes_before = self.nodes;
        let (frame, below) = stack.split_first_mut().ok_or(Halt::Fault)?;
        let empties = node.empties();
        let key = (empties >= self.settings.table_from).then(|| Key::of(node));
        if let Some(key) = key {
            // The expansion below does not depend on this read and covers a part of its latency.
            black_box(self.table(empties).touch(key));
        }
        if self.order.needs_both_mobilities(empties) {
            frame.children.expand::<true>(node);
        } else {
            frame.children.expand::<false>(node);
        }
        let mut hints = (NO_HINT, NO_HINT);
        if let Some(known) = key.and_then(|key| self.table(empties).look_up(key)) {
            if known.lower >= beta {
                return Ok(known.lower);
            }
            if known.upper < beta {
                return Ok(known.upper);
            }
            hints = (known.first, known.second);
        }
        let count = frame.children.count();
        if count == 0 {
            let passed = node.passed();
            if !passed.can_place() {
                return Ok(node.difference());
            }
            return Ok(-self.null_window(&passed, 2 - beta, below)?);
        }

        let mut pending: Indices = all(count);
        let mut settled = 0;
        let mut best = -UNKNOWN;
        let mut best_placed = NO_HINT;
        for index in 0..count {
            if frame.children.pairs(index) == 0 {
                // No two adjacent squares are empty: the game is over there.
                let value = -frame.children.child(index).difference();
                if value > best {
                    (best, best_placed) = (value, hint(frame, index));
                }
                pending &= !(1 << index);
                settled += 1;
            }
        }
        if best < beta && key.is_some() && empties >= self.settings.early_look_ups_from {
            let mut read = 0;
            for index in bits(pending) {
                read ^= self.table.touch(Key::of(&frame.children.child(index)));
            }
            black_box(read);
            for index in bits(pending) {
                let Some(known) = self.table.look_up(Key::of(&frame.children.child(index))) else { continue };
                if -known.upper >= beta {
                    (best, best_placed) = (-known.upper, hint(frame, index));
                    break;
                }
                if -known.lower < beta {
                    best = best.max(-known.lower);
                    pending &= !(1 << index);
                    settled += 1;
                }
            }
        }
        if best < beta {
            if pending & pending.wrapping_sub(1) != 0 {
                self.order.rank(frame, pending, hints, empties, below);
            }
            while let Some(index) = self.order.next(frame, pending) {
                if index >= count || pending >> index & 1 == 0 {
                    return Err(Halt::Fault);
                }
                pending &= !(1 << index);
                settled += 1;
                let value = -self.null_window(&frame.children.child(index), 2 - beta, below)?;
                if value > best {
                    (best, best_placed) = (value, hint(frame, index));
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        if best < beta && (pending != 0 || settled != count) {
            return Err(Halt::Fault);
        }
        if let Some(key) = key {
            let (lower, upper) = if best >= beta { (best, UNKNOWN) } else { (-UNKNOWN, best) };
            let table = if empties >= self.settings.far_from { &mut *self.table } else { &mut self.near };
            table.store(key, lower, upper, best_placed, cost(self.nodes - nodes_before));
        }
        Ok(best)
    }
}

fn hint(frame: &Frame, index: usize) -> Hint {
    Hint::try_from(frame.children.placed(index)).unwrap_or(NO_HINT)
}

/// Logarithm of the nodes spent, which decides what stays in the table.
fn cost(nodes: u64) -> u8 {
    u8::try_from((nodes + 1).ilog2()).unwrap_or(u8::MAX)
}
