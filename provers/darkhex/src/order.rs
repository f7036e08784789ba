//! Choosing the order of probes (`PRIORITY`) that leaves the least to be listed, and listing it.
//!
//! Below the last listed history a plan's further play depends on what the owner knows alone, so equal knowledge is
//! one node of a graph and an order is scored in one pass over the nodes.

use crate::game::{Board, Cell, Known, MAX_CELLS, Player, Stones};
use crate::plan::{Fallback, History, Place, Plan, followers, orderable, root};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Which histories a format wants to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Those at which the plan differs from the order.
    Differences,
    /// Those and all that come before them.
    WithPrefixes,
}

struct Node {
    closed: Stones,
    /// The only probe, or `None` where there are several.
    only: Option<Cell>,
    /// Earlier nodes, one for each outcome of each probe.
    next: Vec<usize>,
}

struct Graph {
    nodes: Vec<Node>,
    listing: Listing,
}

impl Graph {
    fn new(board: &Board, owner: Player, plan: &Plan, listing: Listing) -> Graph {
        let mut graph = Graph { nodes: Vec::new(), listing };
        let prefixes = listed_and_before(plan);
        graph.add(board, owner, plan, &prefixes, root(&board.game, owner), &mut HashMap::new());
        graph
    }

    fn add(
        &mut self,
        board: &Board,
        owner: Player,
        plan: &Plan,
        prefixes: &BTreeSet<History>,
        place: Place,
        by_knowledge: &mut HashMap<Known, usize>,
    ) -> usize {
        let free = !prefixes.contains(&place.history);
        if let Some(&index) = by_knowledge.get(&place.known).filter(|_| free) {
            return index;
        }
        let shares = plan.at(board, owner, place, &BigUint::ZERO);
        let mut next = Vec::new();
        for (cell, _) in &shares {
            for follower in followers(board, owner, place, *cell) {
                next.push(self.add(board, owner, plan, prefixes, follower, by_knowledge));
            }
        }
        let only = match shares.as_slice() {
            [(cell, _)] => Some(*cell),
            _ => None,
        };
        self.nodes.push(Node { closed: place.known.closed(), only, next });
        let index = self.nodes.len() - 1;
        if free {
            by_knowledge.insert(place.known, index);
        }
        index
    }

    /// How many histories of the whole plan are to be listed under an order; `counts` is scratch.
    fn listed(&self, order: &[Cell], counts: &mut Vec<u64>) -> u64 {
        counts.clear();
        for node in &self.nodes {
            let below: u64 = node.next.iter().map(|&next| counts[next]).sum();
            let differs = node.only != first_open(order, node.closed);
            let here = differs || (self.listing == Listing::WithPrefixes && below > 0);
            counts.push(below + u64::from(here));
        }
        counts.last().copied().unwrap_or(0)
    }
}

fn first_open(order: &[Cell], closed: Stones) -> Option<Cell> {
    order.iter().copied().find(|cell| closed >> cell & 1 == 0)
}

/// The histories that are listed and all that come before them.
fn listed_and_before(plan: &Plan) -> BTreeSet<History> {
    let before =
        |&history: &History| std::iter::successors(Some(history), |&rest| (rest != 0).then_some(rest >> 6));
    plan.listed.keys().flat_map(before).collect()
}

/// The plan with an order of its own as fallback and the histories that it then has to list.
#[must_use]
pub fn ordered(board: &Board, owner: Player, plan: &Plan, listing: Listing, tries: usize) -> Plan {
    let graph = Graph::new(board, owner, plan, listing);
    let order = best_order(&graph, &orderable(&board.game), tries);
    listed_under(board, owner, plan, listing, order)
}

/// Descends from several orders by moving one cell or exchanging two, as long as that lists less.
fn best_order(graph: &Graph, cells: &[Cell], tries: usize) -> Vec<Cell> {
    let mut counts = Vec::new();
    let mut seed = 1u64;
    let mut random = |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % end
    };
    let mut best = cells.to_vec();
    let mut least = u64::MAX;
    for attempt in 0..tries {
        let mut order = if attempt % 2 == 0 { cells.to_vec() } else { best.clone() };
        // Every other attempt disturbs the best order a little, the rest start anywhere.
        for _ in 0..if attempt == 0 {
            0
        } else if attempt % 2 == 0 {
            2 * MAX_CELLS
        } else {
            3
        } {
            let (from, to) = (random(order.len()), random(order.len()));
            order.swap(from, to);
        }
        let mut count = graph.listed(&order, &mut counts);
        loop {
            let before = count;
            for from in 0..order.len() {
                for to in 0..order.len() {
                    let mut moved = order.clone();
                    let cell = moved.remove(from);
                    moved.insert(to, cell);
                    let mut swapped = order.clone();
                    swapped.swap(from, to);
                    for candidate in [moved, swapped] {
                        let listed = graph.listed(&candidate, &mut counts);
                        if listed < count {
                            (order, count) = (candidate, listed);
                        }
                    }
                }
            }
            if count == before {
                break;
            }
        }
        if count < least {
            (best, least) = (order, count);
        }
    }
    best
}

fn listed_under(board: &Board, owner: Player, plan: &Plan, listing: Listing, order: Vec<Cell>) -> Plan {
    let mut walk = Walk {
        board,
        owner,
        plan,
        listing,
        order: &order,
        prefixes: listed_and_before(plan),
        clean: HashSet::new(),
        listed: BTreeMap::new(),
    };
    walk.below(root(&board.game, owner), &plan.total);
    let listed = walk.listed;
    Plan { total: plan.total.clone(), listed, fallback: Fallback::Priority(order) }
}

struct Walk<'a> {
    board: &'a Board,
    owner: Player,
    plan: &'a Plan,
    listing: Listing,
    order: &'a [Cell],
    prefixes: BTreeSet<History>,
    /// Knowledge below which, beyond the plan's own list, nothing has to be listed.
    clean: HashSet<Known>,
    listed: BTreeMap<History, Vec<(Cell, BigUint)>>,
}

impl Walk<'_> {
    /// Lists what has to be listed from here on and says whether there was anything.
    fn below(&mut self, place: Place, mass: &BigUint) -> bool {
        let free = !self.prefixes.contains(&place.history);
        if free && self.clean.contains(&place.known) {
            return false;
        }
        let shares = self.plan.at(self.board, self.owner, place, mass);
        let mut any = false;
        for (cell, mass) in &shares {
            for next in followers(self.board, self.owner, place, *cell) {
                any |= self.below(next, mass);
            }
        }
        let only = match shares.as_slice() {
            [(cell, _)] => Some(*cell),
            _ => None,
        };
        let differs = only != first_open(self.order, place.known.closed());
        if differs || (any && self.listing == Listing::WithPrefixes) {
            self.listed.insert(place.history, shares);
        }
        if free && !differs && !any {
            self.clean.insert(place.known);
        }
        differs || any
    }
}
