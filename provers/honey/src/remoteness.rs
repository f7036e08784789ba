//! Remoteness: the number of plies to the end if the winner hurries and the loser delays.
//!
//! "Remoteness at most `k`" is a search for a yes or no: a winner needs one lost child within `k - 1`, a loser must
//! have all children within `k - 1`. The last player to move wins, so remoteness is odd in won positions and even in
//! lost ones, and `k` rises by two. The win/loss search says which children are worth a look.

use crate::Value;
use crate::board::ALL;
use crate::game::{Mask, determined, left, replies};
use crate::solver::Solver;
use std::collections::HashMap;

/// Bounds found so far for positions of one game, by mask and hints.
pub struct Remoteness<'s, 'b> {
    /// The win/loss search.
    pub solver: &'s mut Solver<'b>,
    hints: bool,
    bounds: HashMap<(Mask, u32), (u32, u32)>,
    values: HashMap<(Mask, u32), Value>,
}

/// Longer than any play.
const NEVER: u32 = 99;

/// A position: its solutions and its hints.
#[derive(Clone, Debug)]
pub struct State {
    /// The solutions left.
    pub list: Vec<u64>,
    /// Redundant hints.
    pub hints: u32,
    mask: Mask,
}

impl State {
    /// The position with these solutions and hints.
    #[must_use]
    pub fn new(list: Vec<u64>, hints: u32) -> Self {
        let mask = if list.is_empty() { ALL } else { determined(&list).0 };
        Self { list, hints, mask }
    }
}

impl<'s, 'b> Remoteness<'s, 'b> {
    /// With `hints`, the redundant-hint rule.
    pub fn new(solver: &'s mut Solver<'b>, hints: bool) -> Self {
        Self { solver, hints, bounds: HashMap::new(), values: HashMap::new() }
    }

    /// Takes the value of a position as given, so that it is not searched.
    pub fn know(&mut self, mask: Mask, hints: u32, value: Value) {
        self.values.insert((mask, hints), value);
    }

    /// Who wins.
    pub fn value(&mut self, state: &State) -> Value {
        let solver = &mut *self.solver;
        *self
            .values
            .entry((state.mask, state.hints))
            .or_insert_with(|| solver.solve(&state.list, state.hints))
    }

    /// The positions that one move leads to, each once: ordinary moves by falling or rising size do not matter here,
    /// but the smaller ones come first because they are cheaper.
    #[must_use]
    pub fn children(&self, state: &State) -> Vec<State> {
        let mut moves = replies(&state.list);
        moves.sort_by_key(|reply| (reply.n, reply.mask));
        moves.dedup_by_key(|reply| reply.mask);
        let determined = state.mask.count_ones();
        let mut children: Vec<State> = moves
            .iter()
            .map(|reply| State {
                list: left(&state.list, reply.mask),
                hints: if self.hints { state.hints + reply.mask.count_ones() - determined - 1 } else { 0 },
                mask: reply.mask,
            })
            .collect();
        if state.hints > 0 {
            children.push(State { hints: state.hints - 1, ..state.clone() });
        }
        children
    }

    /// The remoteness of a position.
    pub fn of(&mut self, state: &State) -> u32 {
        if state.list.len() <= 1 {
            return 0;
        }
        let mut k = if self.value(state) == Value::Win { 1 } else { 2 };
        while !self.within(state, k) {
            k += 2;
        }
        k
    }

    fn within(&mut self, state: &State, k: u32) -> bool {
        if state.list.len() <= 1 {
            return true;
        }
        let key = (state.mask, state.hints);
        let (least, most) = self.bounds.get(&key).copied().unwrap_or((1, NEVER));
        if k < least {
            return false;
        }
        if k >= most {
            return true;
        }
        let children = self.children(state);
        let answer = if children.iter().any(|child| child.list.len() == 1) {
            true
        } else if self.value(state) == Value::Win {
            k >= 3
                && children.iter().any(|child| self.value(child) == Value::Loss && self.within(child, k - 1))
        } else {
            k >= 2 && children.iter().all(|child| self.within(child, k - 1))
        };
        let bounds = self.bounds.entry(key).or_insert((1, NEVER));
        if answer {
            bounds.1 = bounds.1.min(k);
        } else {
            bounds.0 = bounds.0.max(k + 1);
        }
        answer
    }
}
