//! Remoteness: the number of plies to the end if both play perfectly and the winner hurries while the loser delays.
//!
//! From worst to best for the player to move: quick loss, slow loss, slow tie, quick tie, slow win, quick win. A winner
//! takes a lost child of least remoteness, plus one; a player with a tie at best a tied child of least remoteness, plus
//! one; a loser a child of greatest remoteness, plus one. The definition needs an acyclic game: a draw by endless play
//! has no remoteness, and a cycle is reported instead of searched.
//!
//! [`remoteness`] is that definition for any acyclic game. [`Lengths`] computes the same for Honey Islands Battle,
//! which has no ties, by asking "within `k` plies?" with bounds per position.
#![allow(clippy::indexing_slicing, reason = "counts of cells are indexed by the cells of a mask")]

use crate::board::{Mask, cells_of};
use crate::rules::{Rule, Value, determined, undetermined, with_black};
use crate::solver::{Shortcuts, Solver};
use std::collections::{BTreeMap, HashMap};

/// A result for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The player to move loses.
    Loss,
    /// Nobody wins.
    Tie,
    /// The player to move wins.
    Win,
}

/// A game of two players in turn that always ends.
pub trait Game {
    /// A position, with the player to move understood.
    type Position: Clone + Ord;
    /// The positions after one move.
    fn children(&self, position: &Self::Position) -> Vec<Self::Position>;
    /// The result of a position without children.
    fn end(&self, position: &Self::Position) -> Outcome;
}

/// A position that can return to itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Cyclic;

/// The outcome and remoteness of a position, straight from the definition.
///
/// # Errors
/// A game that is not acyclic.
pub fn remoteness<G: Game>(game: &G, start: &G::Position) -> Result<(Outcome, u32), Cyclic> {
    // Positions in progress map to None. The stack is explicit: the game may be long.
    let mut known: BTreeMap<G::Position, Option<(Outcome, u32)>> = BTreeMap::new();
    let mut stack = vec![(start.clone(), false)];
    while let Some((position, expanded)) = stack.pop() {
        let children = game.children(&position);
        if expanded {
            let mut best = None;
            for child in &children {
                let Some(&Some((outcome, length))) = known.get(child) else { return Err(Cyclic) };
                let here = match outcome {
                    Outcome::Loss => Outcome::Win,
                    Outcome::Tie => Outcome::Tie,
                    Outcome::Win => Outcome::Loss,
                };
                // Within an outcome: a longer loss, a shorter tie, a shorter win is better.
                let better = |old: (Outcome, u32)| match here {
                    Outcome::Loss => (here, length + 1) > old,
                    _ => here > old.0 || here == old.0 && length + 1 < old.1,
                };
                if best.is_none_or(better) {
                    best = Some((here, length + 1));
                }
            }
            known.insert(position.clone(), Some(best.unwrap_or_else(|| (game.end(&position), 0))));
            continue;
        }
        match known.get(&position) {
            Some(Some(_)) => {}
            Some(None) => return Err(Cyclic),
            None => {
                known.insert(position.clone(), None);
                stack.push((position, true));
                for child in children {
                    match known.get(&child) {
                        Some(Some(_)) => {}
                        Some(None) => return Err(Cyclic),
                        None => stack.push((child, false)),
                    }
                }
            }
        }
    }
    known.get(start).copied().flatten().ok_or(Cyclic)
}

/// Remoteness in Honey Islands Battle, for positions of a few thousand solutions.
pub struct Lengths {
    rule: Rule,
    solver: Solver<'static>,
    values: HashMap<(Mask, u32), Value>,
    /// Bounds: the remoteness is at least the first and at most the second.
    bounds: HashMap<(Mask, u32), (u32, u32)>,
}

/// More plies than a game can have: 25 cells, each carrying at most one stone.
const ENDLESS: u32 = 64;

/// A position as [`Lengths`] wants it.
#[derive(Clone)]
pub struct Spot {
    /// Solutions left, at least one.
    pub solutions: Vec<Mask>,
    /// Cells black in all of them.
    pub determined: Mask,
    /// Determined-black cells without a stone.
    pub p: u32,
}

impl Spot {
    /// The position with these solutions and stones; `p` is 0 under the standard rule.
    #[must_use]
    pub fn new(rule: Rule, solutions: Vec<Mask>, stones: Mask) -> Self {
        let determined = determined(&solutions);
        let p = if rule == Rule::Standard { 0 } else { (determined & !stones).count_ones() };
        Spot { solutions, determined, p }
    }

    /// After a stone on an undetermined cell.
    fn after(&self, rule: Rule, cell: usize) -> Spot {
        let solutions = with_black(&self.solutions, cell);
        let determined = determined(&solutions);
        let new = (determined & !self.determined & !(1 << cell)).count_ones();
        let p = if rule == Rule::Standard { 0 } else { self.p + new };
        Spot { solutions, determined, p }
    }

    fn key(&self) -> (Mask, u32) {
        (self.determined, self.p)
    }
}

impl Lengths {
    /// With a solver of the given table.
    #[must_use]
    pub fn new(rule: Rule, table_bytes: usize) -> Self {
        let solver = Solver::new(rule, table_bytes, Shortcuts::ALL);
        Lengths { rule, solver, values: HashMap::new(), bounds: HashMap::new() }
    }

    /// Who wins.
    pub fn value(&mut self, spot: &Spot) -> Value {
        if let Some(&value) = self.values.get(&spot.key()) {
            return value;
        }
        let value = self.solver.solve_again(&spot.solutions, spot.p);
        self.values.insert(spot.key(), value);
        value
    }

    /// The remoteness, or `None` if the position has none (which the rules exclude).
    pub fn remoteness(&mut self, spot: &Spot) -> Option<u32> {
        let value = self.value(spot);
        let start = u32::from(value == Value::Won);
        (start..ENDLESS).step_by(2).find(|&plies| self.within(spot, value, plies))
    }

    /// Whether the game from `spot`, whose value is given, ends within so many plies under perfect play.
    ///
    /// Won: some lost child ends within one less. Lost: all children, which are won, end within one less.
    fn within(&mut self, spot: &Spot, value: Value, plies: u32) -> bool {
        if spot.solutions.len() == 1 {
            return true;
        }
        let (least, most) = self.bounds.get(&spot.key()).copied().unwrap_or((1, ENDLESS));
        if plies < least || plies >= most {
            return plies >= most;
        }
        let mut children: Vec<Spot> = Vec::new();
        let open = undetermined(&spot.solutions);
        let finish =
            cells_of(open).any(|cell| spot.solutions.iter().filter(|s| *s >> cell & 1 == 1).count() == 1);
        let inside = if finish {
            // Won at once: 1 is the remoteness.
            plies >= 1
        } else if plies < 2 {
            false
        } else {
            for cell in cells_of(open) {
                let child = spot.after(self.rule, cell);
                if children.iter().all(|other| other.key() != child.key()) {
                    children.push(child);
                }
            }
            children.sort_by_key(|child| child.solutions.len());
            if spot.p > 0 {
                children.push(Spot { p: spot.p - 1, ..spot.clone() });
            }
            match value {
                Value::Won => children.iter().any(|child| {
                    self.value(child) == Value::Lost && self.within(child, Value::Lost, plies - 1)
                }),
                Value::Lost => children.iter().rev().all(|child| self.within(child, Value::Won, plies - 1)),
            }
        };
        let bounds = self.bounds.entry(spot.key()).or_insert((1, ENDLESS));
        if inside {
            bounds.1 = bounds.1.min(plies);
        } else {
            bounds.0 = bounds.0.max(plies + 1);
        }
        inside
    }
}
