//! The tree of all legal moves below the initial position, and the propagation of intervals through it.
//!
//! A certificate contributes lines and intervals, never moves. Of every inner position all legal moves are generated
//! here, so that an upper bound (every move bounded) cannot rest on a list that lacks a move. Positions that are
//! mirror images are one node: the rules know no direction.
//!
//! For the side to move at an inner position the value is the maximum of the negated values of the children. So it
//! lies between the maxima of their negated upper and of their negated lower bounds.

use crate::error::{Error, Reason};
use crate::rules::{Move, Position, SCORE_LIMIT, Score, Side};
use crate::search::{Bound, Proved};
use crate::units::{Logged, Unit};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

/// The values that are possible, both ends included; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    lower: Score,
    upper: Score,
}

impl Interval {
    /// All scores.
    pub const ALL: Self = Self { lower: -SCORE_LIMIT, upper: SCORE_LIMIT };

    /// An interval, or `None` if it is empty.
    #[must_use]
    pub fn new(lower: Score, upper: Score) -> Option<Self> {
        (lower <= upper).then_some(Self { lower, upper })
    }

    /// Lower end.
    #[must_use]
    pub fn lower(self) -> Score {
        self.lower
    }

    /// Upper end.
    #[must_use]
    pub fn upper(self) -> Score {
        self.upper
    }

    /// The interval of a bound.
    #[must_use]
    pub fn of(bound: Bound) -> Option<Self> {
        match bound {
            Bound::AtLeast(score) => Self::new(score, SCORE_LIMIT),
            Bound::AtMost(score) => Self::new(-SCORE_LIMIT, score),
        }
    }

    /// What both allow, or `None` if they contradict each other.
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        Self::new(self.lower.max(other.lower), self.upper.min(other.upper))
    }

    /// True if all of this lies in the other.
    #[must_use]
    pub fn lies_in(self, other: Self) -> bool {
        self.lower >= other.lower && self.upper <= other.upper
    }

    /// The same from the other side's view.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower }
    }

    /// The bounds that say more than nothing.
    pub fn bounds(self) -> impl Iterator<Item = Bound> {
        let lower = (self.lower > -SCORE_LIMIT).then_some(Bound::AtLeast(self.lower));
        let upper = (self.upper < SCORE_LIMIT).then_some(Bound::AtMost(self.upper));
        lower.into_iter().chain(upper)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.lower, self.upper)
    }
}

/// Intervals that somebody states: leaf files and logs. A conditional verdict may rest on them.
#[derive(Clone, Debug, Default)]
pub struct Assumed(HashMap<Position, Interval>);

impl Assumed {
    /// Adds a statement; what is known of the position already is intersected with it.
    ///
    /// # Errors
    /// If both cannot be true.
    pub fn add(&mut self, position: &Position, interval: Interval) -> Result<(), Reason> {
        let entry = self.0.entry(position.canonical()).or_insert(Interval::ALL);
        *entry = entry.intersection(interval).ok_or(Reason::Contradiction)?;
        Ok(())
    }

    /// What is stated of a position.
    #[must_use]
    pub fn of(&self, position: &Position) -> Interval {
        self.0.get(&position.canonical()).copied().unwrap_or(Interval::ALL)
    }
}

/// Intervals that the search has proved. Only these carry an unconditional verdict.
#[derive(Debug, Default)]
pub struct ProvedFacts(HashMap<Position, Interval>);

impl ProvedFacts {
    /// Adds a proved bound.
    ///
    /// # Errors
    /// If two proved bounds contradict each other: a fault of this program.
    pub fn add(&mut self, proved: &Proved) -> Result<(), Error> {
        let fault = || Error::Internal("two proved bounds contradict each other".to_owned());
        let entry = self.0.entry(proved.position().canonical()).or_insert(Interval::ALL);
        let interval = Interval::of(proved.bound()).ok_or_else(fault)?;
        *entry = entry.intersection(interval).ok_or_else(fault)?;
        Ok(())
    }

    /// Adds what the auditor's own run proved in an earlier process, as its folder says. The folder is trusted like
    /// the memory of the process: same core, same claim, kept by the auditor (see `own_run`).
    ///
    /// # Errors
    /// If the line is not about the unit, or contradicts what is proved.
    pub(crate) fn add_earlier(&mut self, unit: &Unit, line: &Logged) -> Result<(), Error> {
        let fault = || Error::of(Reason::ForeignRun, format!("the earlier result of {unit} does not fit"));
        let bound = line.bound().filter(|_| line.unit == *unit).ok_or_else(fault)?;
        let entry = self.0.entry(unit.position().canonical()).or_insert(Interval::ALL);
        let interval = Interval::of(bound).ok_or_else(fault)?;
        *entry = entry.intersection(interval).ok_or_else(fault)?;
        Ok(())
    }

    /// What is proved of a position.
    #[must_use]
    pub fn of(&self, position: &Position) -> Interval {
        self.0.get(&position.canonical()).copied().unwrap_or(Interval::ALL)
    }
}

/// All positions before so many plies are inner, whatever the lines are: a leaf may be reached by many lines, and its
/// file names one of them.
const FULL_PLIES: usize = 3;

#[derive(Debug)]
enum Node {
    /// Canonical positions after all legal moves.
    Inner(Vec<Position>),
    Leaf,
    Finished(Score),
}

/// The tree below the initial position, its positions in canonical form.
#[derive(Debug)]
pub struct Tree {
    nodes: HashMap<Position, Node>,
    /// Inner positions, children before parents.
    order: Vec<Position>,
    moves: usize,
    groups: usize,
}

impl Tree {
    /// Expands the tree in which every position before the third ply and every proper prefix of a line is inner. A line
    /// is its positions, the initial one first.
    ///
    /// # Errors
    /// The index of the first line that ends at an inner position.
    pub fn expand<'a>(lines: impl Iterator<Item = &'a [Position]> + Clone) -> Result<Self, usize> {
        let mut inner = HashSet::from([Position::initial().canonical()]);
        for _ in 1..FULL_PLIES {
            let children: Vec<Position> =
                inner.iter().flat_map(Position::moves).map(|(_, next)| next.canonical()).collect();
            inner.extend(children);
        }
        for line in lines.clone() {
            inner.extend(line.iter().rev().skip(1).map(Position::canonical));
        }
        for (index, line) in lines.enumerate() {
            if line.last().is_some_and(|last| inner.contains(&last.canonical())) {
                return Err(index);
            }
        }
        let mut tree = Self { nodes: HashMap::new(), order: Vec::new(), moves: 0, groups: 0 };
        let mut waiting = vec![Position::initial().canonical()];
        while let Some(position) = waiting.pop() {
            if tree.nodes.contains_key(&position) {
                continue;
            }
            let moves = position.moves();
            let node = if moves.is_empty() {
                Node::Finished(position.difference())
            } else if inner.contains(&position) {
                let mut children: Vec<Position> = moves.iter().map(|(_, next)| next.canonical()).collect();
                tree.moves += children.len();
                children.sort_unstable();
                children.dedup();
                tree.groups += children.len();
                waiting.extend(&children);
                tree.order.push(position);
                Node::Inner(children)
            } else {
                Node::Leaf
            };
            tree.nodes.insert(position, node);
        }
        // A placement adds discs. A pass does not, but two in a row end the game: at equal counts the position that
        // has only the pass comes after the one that it leads to.
        tree.order.sort_by_key(|position| (position.empty().count_ones(), position.placements().is_empty()));
        Ok(tree)
    }

    /// Number of positions, finished ones and leaves included.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// Number of legal moves of the inner positions, and of their distinct children summed over them.
    #[must_use]
    pub fn moves(&self) -> (usize, usize) {
        (self.moves, self.groups)
    }

    /// Number of leaves, finished positions not counted.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.nodes.values().filter(|node| matches!(node, Node::Leaf)).count()
    }

    /// Propagates what is assumed.
    ///
    /// # Errors
    /// [`Reason::Contradiction`] if a finished position has another score than assumed.
    pub fn conditional(&self, facts: &Assumed) -> Result<Derived, Reason> {
        self.propagate(|position| facts.of(position))
    }

    /// Propagates what is proved, and nothing else.
    ///
    /// # Errors
    /// [`Reason::Contradiction`] if a finished position has another score than proved.
    pub fn unconditional(&self, facts: &ProvedFacts) -> Result<Derived, Reason> {
        self.propagate(|position| facts.of(position))
    }

    fn propagate(&self, known: impl Fn(&Position) -> Interval) -> Result<Derived, Reason> {
        let mut intervals: HashMap<Position, Interval> = HashMap::with_capacity(self.nodes.len());
        for (position, node) in &self.nodes {
            let interval = match node {
                Node::Inner(_) => continue,
                Node::Leaf => known(position),
                Node::Finished(score) => {
                    let exact = Interval { lower: *score, upper: *score };
                    exact.intersection(known(position)).ok_or(Reason::Contradiction)?
                }
            };
            intervals.insert(*position, interval);
        }
        for position in &self.order {
            let Some(Node::Inner(children)) = self.nodes.get(position) else { continue };
            // A child that is missing counts as unknown.
            let of = |child: &Position| intervals.get(child).copied().unwrap_or(Interval::ALL).negated();
            let best = children.iter().map(of).reduce(|best, child| Interval {
                lower: best.lower.max(child.lower),
                upper: best.upper.max(child.upper),
            });
            intervals.insert(*position, best.unwrap_or(Interval::ALL));
        }
        Ok(Derived(intervals))
    }
}

/// The intervals of all positions of a tree.
#[derive(Debug)]
pub struct Derived(HashMap<Position, Interval>);

impl Derived {
    /// From the view of the position's side to move.
    #[must_use]
    pub fn of(&self, position: &Position) -> Interval {
        self.0.get(&position.canonical()).copied().unwrap_or(Interval::ALL)
    }

    /// From Black's view.
    #[must_use]
    pub fn for_black(&self, position: &Position) -> Interval {
        if position.turn == Side::Black { self.of(position) } else { self.of(position).negated() }
    }

    /// The intervals of all moves of a position, by name, from Black's view.
    #[must_use]
    pub fn table(&self, position: &Position) -> BTreeMap<String, (Move, Interval)> {
        let moves = position.moves().into_iter();
        moves.map(|(step, next)| (step.to_string(), (step, self.for_black(&next)))).collect()
    }
}
