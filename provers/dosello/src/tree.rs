//! The first plies of the game as an and-or tree, and what it still costs to prove a bound on its root.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use crate::board::{Children, Position};

/// A lower or an upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// At least the score.
    Ge,
    /// At most the score.
    Le,
}

impl fmt::Display for Side {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Ge => "ge",
            Self::Le => "le",
        })
    }
}

/// "The value of a position is at least, or at most, so much", from the view that the holder of the claim states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bound {
    /// Which way.
    pub side: Side,
    /// The score.
    pub score: i32,
}

impl Bound {
    /// The same bound from the other player's view.
    #[must_use]
    pub fn turned(self) -> Self {
        let side = if self.side == Side::Ge { Side::Le } else { Side::Ge };
        Self { side, score: -self.score }
    }
}

/// What is known about a leaf from its mover's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Lower bound.
    pub lower: i32,
    /// Upper bound.
    pub upper: i32,
}

impl Interval {
    /// Nothing known.
    pub const ALL: Self = Self { lower: -64, upper: 64 };

    /// Whether the bound holds; `None` if the interval does not decide it.
    #[must_use]
    pub fn decides(self, bound: Bound) -> Option<bool> {
        let Bound { side, score } = bound;
        let (holds, fails) = match side {
            Side::Ge => (self.lower >= score, self.upper < score),
            Side::Le => (self.upper <= score, self.lower > score),
        };
        if holds {
            Some(true)
        } else if fails {
            Some(false)
        } else {
            None
        }
    }

    /// Both pieces of knowledge together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

/// A position of the tree, named by the first line in alphabetical order that reaches it up to symmetry.
#[derive(Debug)]
pub struct Node {
    /// The line, moves separated by `_`.
    pub line: String,
    position: Position,
    children: Vec<usize>,
    /// The score for the mover if the game is over.
    over: Option<i32>,
}

/// A claim on a leaf, from its mover's view.
pub type Unit = (usize, Bound);

/// All positions of the first plies; symmetric ones are one node.
pub struct Tree {
    nodes: Vec<Node>,
    named: HashMap<Position, usize>,
    root: usize,
}

/// The moves and the positions after them; a pass is written out.
fn moves(position: &Position) -> Vec<(String, Position)> {
    let mut children = Children::default();
    position.expand(&mut children);
    let mut result: Vec<_> =
        (0..children.len).map(|i| (children.placement[i].to_string(), children.get(i, position))).collect();
    if result.is_empty() && position.passed().mobility() > 0 {
        result.push(("pass".to_owned(), position.passed()));
    }
    result.sort();
    result
}

impl Tree {
    /// The tree below the position after `line` down to `plies` moves from the start of the game.
    #[must_use]
    pub fn new(line: &[String], plies: usize) -> Option<Self> {
        let mut position = Position::initial();
        for name in line {
            position = moves(&position).into_iter().find(|(move_, _)| move_ == name)?.1;
        }
        let mut tree = Self { nodes: Vec::new(), named: HashMap::new(), root: 0 };
        tree.root = tree.node(line.join("_"), position);
        let mut layer = vec![tree.root];
        for _ in line.len()..plies {
            let mut next = Vec::new();
            for parent in layer {
                let before = tree.nodes.len();
                for (move_, child) in moves(&tree.nodes[parent].position) {
                    let line = &tree.nodes[parent].line;
                    let line = if line.is_empty() { move_ } else { format!("{line}_{move_}") };
                    let child = tree.node(line, child);
                    if !tree.nodes[parent].children.contains(&child) {
                        tree.nodes[parent].children.push(child);
                    }
                }
                next.extend(before..tree.nodes.len());
            }
            layer = next;
        }
        Some(tree)
    }

    fn node(&mut self, line: String, position: Position) -> usize {
        *self.named.entry(position.canonical()).or_insert_with(|| {
            let over = moves(&position).is_empty().then(|| position.difference());
            self.nodes.push(Node { line, position, children: Vec::new(), over });
            self.nodes.len() - 1
        })
    }

    /// The node of a line, its moves separated by `_`, that ends in this tree.
    #[must_use]
    pub fn find(&self, line: &str) -> Option<usize> {
        let mut position = Position::initial();
        for name in line.split('_') {
            position = moves(&position).into_iter().find(|(move_, _)| move_ == name)?.1;
        }
        self.named.get(&position.canonical()).copied()
    }

    /// A node.
    #[must_use]
    pub fn get(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    /// The nodes below which nothing is expanded and whose games are not over.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes.len())
            .filter(|&node| self.nodes[node].children.is_empty() && self.nodes[node].over.is_none())
    }

    /// The cheapest way to prove `bound` on the root, from its mover's view: its price and the leaf claims that it
    /// rests on. `price` is that of one leaf claim, infinite if it cannot hold.
    #[must_use]
    pub fn cheapest(&self, bound: Bound, price: &dyn Fn(Unit) -> f64) -> (f64, BTreeSet<Unit>) {
        self.cheapest_at(self.root, bound, price)
    }

    // At most three plies deep.
    fn cheapest_at(&self, node: usize, bound: Bound, price: &dyn Fn(Unit) -> f64) -> (f64, BTreeSet<Unit>) {
        let Node { children, over, .. } = &self.nodes[node];
        if let Some(score) = *over {
            let holds = Interval { lower: score, upper: score }.decides(bound) == Some(true);
            return (if holds { 0.0 } else { f64::INFINITY }, BTreeSet::new());
        }
        if children.is_empty() {
            let unit = (node, bound);
            return (price(unit), BTreeSet::from([unit]));
        }
        let ways = children.iter().map(|&child| self.cheapest_at(child, bound.turned(), price));
        match bound.side {
            // One move suffices.
            Side::Ge => ways.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, BTreeSet::new())),
            // All moves must do; a leaf that two of them share is paid once.
            Side::Le => {
                let mut all = BTreeSet::new();
                let mut possible = true;
                for (cost, mut units) in ways {
                    possible &= cost.is_finite();
                    all.append(&mut units);
                }
                (if possible { all.iter().map(|&unit| price(unit)).sum() } else { f64::INFINITY }, all)
            }
        }
    }

    /// A subset of `units` that still proves every one of `goals` and from which nothing can be dropped; the
    /// dearest are dropped first.
    #[must_use]
    pub fn minimal(
        &self,
        goals: &[Bound],
        units: &BTreeSet<Unit>,
        price: &dyn Fn(Unit) -> f64,
    ) -> BTreeSet<Unit> {
        let mut kept = units.clone();
        let mut order: Vec<Unit> = units.iter().copied().collect();
        order.sort_by(|&a, &b| price(b).total_cmp(&price(a)));
        for unit in order {
            kept.remove(&unit);
            let known = |unit: Unit| if kept.contains(&unit) { 0.0 } else { f64::INFINITY };
            if goals.iter().any(|&goal| self.cheapest(goal, &known).0 > 0.0) {
                kept.insert(unit);
            }
        }
        kept
    }
}
