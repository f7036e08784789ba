//! The restricted game's side of one player: his private histories, each with the probes that he is allowed there.
//!
//! At a history without allowed probes, and at every history that is not in the tree, the player follows the stated
//! default, the shortest-path rule. It depends on what he knows alone, so nothing below such a history is stored.

use crate::game::{Board, Cell, Known, MAX_CELLS, Player, Stones};
use crate::plan::{Fallback, Plan, Share, root, then};
use crate::shortest;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};

/// A node's place in its tree.
pub type NodeId = u32;
/// No node: the default is followed.
pub const ABSENT: NodeId = NodeId::MAX;
/// The first history.
pub const ROOT: NodeId = 0;

/// An allowed probe with the nodes that follow a collision and a success, in this order.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Allowed {
    /// The probed cell.
    pub cell: u8,
    /// `[after a collision, after a success]`
    pub next: [NodeId; 2],
}

/// A private history.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Node {
    /// The player's stones.
    pub own: Stones,
    /// The opponent's stones that he has found.
    pub found: Stones,
    /// The allowed probes, in the order in which they were allowed.
    pub probes: Vec<Allowed>,
}

impl Node {
    /// What the player knows here.
    #[must_use]
    pub fn known(&self) -> Known {
        Known { own: self.own, found: self.found }
    }
}

/// All histories of a player that have been opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tree {
    /// The nodes; the first is the root and every node stands after its parent.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// The root alone.
    #[must_use]
    pub fn new(board: &Board, player: Player) -> Tree {
        let Known { own, found } = board.game.start(player);
        Tree { nodes: vec![Node { own, found, probes: Vec::new() }] }
    }

    /// The allowed probes at a node; none where the default is followed.
    #[must_use]
    pub fn probes(&self, node: NodeId) -> &[Allowed] {
        if node == ABSENT { &[] } else { &self.nodes[node as usize].probes }
    }

    /// Allows one more probe and returns its place among the node's probes.
    pub fn allow(&mut self, node: NodeId, cell: u8) -> usize {
        let probes = &mut self.nodes[node as usize].probes;
        probes.push(Allowed { cell, next: [ABSENT; 2] });
        probes.len() - 1
    }

    /// The node after a probe's outcome, made if it is not there yet.
    pub fn follow(&mut self, node: NodeId, index: usize, success: bool) -> NodeId {
        let here = &self.nodes[node as usize];
        let probe = here.probes[index];
        let next = probe.next[usize::from(success)];
        if next != ABSENT {
            return next;
        }
        let Known { own, found } = here.known().then(Cell::from(probe.cell), success);
        let made = self.nodes.len() as NodeId;
        self.nodes.push(Node { own, found, probes: Vec::new() });
        self.nodes[node as usize].probes[index].next[usize::from(success)] = made;
        made
    }

    /// The part of the tree that a plan on the first `widths` probes of each node uses, and the plan there.
    #[must_use]
    pub fn support(
        &self,
        board: &Board,
        player: Player,
        widths: &[u8],
        masses: &Masses<f64>,
    ) -> (Tree, Masses<f64>) {
        let mut part = Tree::new(board, player);
        let mut kept: Masses<f64> = vec![Vec::new()];
        let mut todo = vec![(ROOT, ROOT)];
        while let Some((node, here)) = todo.pop() {
            let width = widths.get(node as usize).map_or(0, |&width| usize::from(width));
            let shares = masses.get(node as usize).map_or(&[][..], Vec::as_slice);
            for (at, probe) in self.probes(node)[..width].iter().enumerate() {
                let mass = shares.get(at).copied();
                if mass.unwrap_or(if at == 0 { 1.0 } else { 0.0 }) == 0.0 {
                    continue;
                }
                let index = part.allow(here, probe.cell);
                kept[here as usize].extend(mass);
                for success in [false, true] {
                    let next = probe.next[usize::from(success)];
                    if next != ABSENT {
                        todo.push((next, part.follow(here, index, success)));
                        kept.push(Vec::new());
                    }
                }
            }
            if let [_] = kept[here as usize][..] {
                kept[here as usize].clear();
            }
        }
        (part, kept)
    }

    /// How many probes are allowed at each node.
    #[must_use]
    pub fn widths(&self) -> Vec<u8> {
        self.nodes.iter().map(|node| node.probes.len() as u8).collect()
    }
}

/// The mass on each allowed probe, node by node. A node without entries puts all of its mass on its first probe.
pub type Masses<W> = Vec<Vec<W>>;

/// The plan with these masses, restricted to the first `widths` probes of each node, in whole numbers.
///
/// `split` distributes a node's whole mass over its probes.
#[must_use]
pub fn plan(
    board: &Board,
    player: Player,
    tree: &Tree,
    widths: &[u8],
    total: &BigUint,
    split: &dyn Fn(NodeId, usize, &BigUint) -> Vec<BigUint>,
) -> Plan {
    let mut listed: BTreeMap<_, Vec<Share>> = BTreeMap::new();
    let mut todo = vec![(ROOT, root(&board.game, player).history, total.clone())];
    while let Some((node, history, mass)) = todo.pop() {
        let width = widths.get(node as usize).map_or(0, |&width| usize::from(width));
        if width == 0 {
            continue;
        }
        let mut shares = Vec::new();
        for (probe, mass) in tree.probes(node).iter().zip(split(node, width, &mass)) {
            if mass == BigUint::ZERO {
                continue;
            }
            let cell = Cell::from(probe.cell);
            for success in [false, true] {
                let next = probe.next[usize::from(success)];
                if next != ABSENT {
                    todo.push((next, then(history, cell, success), mass.clone()));
                }
            }
            shares.push((cell, mass));
        }
        shares.sort();
        listed.insert(history, shares);
    }
    Plan { total: total.clone(), listed, fallback: Fallback::ShortestPath }
}

/// A game with the tables that a solve wants: its frames and the default probe for every knowledge.
///
/// Without an announced opening an optimal plan may be averaged with its image after half a turn of the board. The same
/// is got by a hidden fair coin that decides whether White's board is turned against Black's: there are then two
/// frames, the first probe of each player needs only one half of the board, and every plan stands for the average.
pub struct Arena {
    /// The game.
    pub board: Board,
    /// 2 where the board's rotation is used, otherwise 1.
    pub frames: usize,
    /// The number that a set of cells makes in base three.
    ternary: Vec<u32>,
    defaults: [Vec<AtomicU8>; 2],
}

const UNKNOWN: u8 = u8::MAX;

impl Arena {
    /// Makes the tables: two bytes for each of the 3^cells states of knowledge, filled when they are first asked for.
    /// Rotation is used if it is wanted and holds.
    #[must_use]
    pub fn new(board: Board, rotation: bool) -> Arena {
        let cells = board.game.cells();
        let digit = |cell: usize| 3u32.pow(cell as u32);
        let ternary = (0..=board.game.full())
            .map(|stones| (0..cells).filter(|&cell| stones >> cell & 1 == 1).map(digit).sum())
            .collect();
        let table = || (0..3usize.pow(cells as u32)).map(|_| AtomicU8::new(UNKNOWN)).collect();
        let frames = if rotation && board.game.opening.is_none() { 2 } else { 1 };
        Arena { board, frames, ternary, defaults: [table(), table()] }
    }

    /// The default probe.
    #[must_use]
    pub fn default_cell(&self, player: Player, known: Known) -> u8 {
        let at = self.ternary[known.own as usize] + 2 * self.ternary[known.found as usize];
        let entry = &self.defaults[side(player)][at as usize];
        let mut cell = entry.load(Ordering::Relaxed);
        if cell == UNKNOWN {
            cell = shortest::cell(&self.board, player, known) as u8;
            entry.store(cell, Ordering::Relaxed);
        }
        cell
    }

    /// A set of cells after half a turn of the board.
    #[must_use]
    pub fn turned(&self, stones: Stones) -> Stones {
        stones.reverse_bits() >> (Stones::BITS as usize - self.board.game.cells())
    }

    /// A cell after half a turn of the board.
    #[must_use]
    pub fn turned_cell(&self, cell: u8) -> u8 {
        self.board.game.cells() as u8 - 1 - cell
    }

    /// The cells on which a first probe is tried: with two frames, one of each pair that a half turn exchanges.
    #[must_use]
    pub fn first_cells(&self) -> Stones {
        let cells = self.board.game.cells();
        if self.frames == 1 { self.board.game.full() } else { (1 << cells.div_ceil(2)) - 1 }
    }

    /// Who makes the first choice.
    #[must_use]
    pub fn first(&self) -> Player {
        if self.board.game.opening.is_some() { Player::White } else { Player::Black }
    }
}

/// The player's place in a pair.
#[must_use]
pub fn side(player: Player) -> usize {
    usize::from(player == Player::White)
}

/// The cells of a set, lowest first, without looking at the others.
pub fn bits(stones: Stones) -> impl Iterator<Item = u8> {
    let mut rest = stones;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let cell = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            cell
        })
    })
}

const _: () = assert!(MAX_CELLS <= 16, "the tables of defaults have 3^cells entries");

#[cfg(test)]
mod tests {
    use super::super::finish::rounded;
    use super::*;
    use crate::game::Game;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A tree on 3 x 3 with random probes, and a plan on it that leaves about a third of them out.
    fn random_plan(board: &Board, player: Player, random: &mut ChaCha8Rng) -> (Tree, Masses<f64>) {
        let mut tree = Tree::new(board, player);
        for _ in 0..300 {
            let node = random.random_range(0..tree.nodes.len()) as NodeId;
            let cell = random.random_range(0..9u8);
            let Known { own, found } = tree.nodes[node as usize].known();
            let probes = tree.probes(node);
            if (own | found) >> cell & 1 == 1 || probes.iter().any(|probe| probe.cell == cell) {
                continue;
            }
            let index = tree.allow(node, cell);
            for success in [false, true] {
                if random.random_bool(0.7) {
                    tree.follow(node, index, success);
                }
            }
        }
        let masses = tree.nodes.iter().map(|node| match node.probes.len() {
            0 | 1 => Vec::new(),
            width => {
                let used = random.random_range(0..width);
                let mut share =
                    |at| if at == used || random.random_bool(0.6) { random.random() } else { 0.0 };
                (0..width).map(&mut share).collect()
            }
        });
        let masses = masses.collect();
        (tree, masses)
    }

    #[test]
    fn the_support_of_a_plan_bears_the_same_plan_and_nothing_else() {
        let game = Game { rule: crate::game::Rule::Classic, rows: 3, columns: 3, opening: None };
        let arena = Arena::new(Board::new(game), false);
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for player in [Player::Black, Player::White].repeat(50) {
            let (tree, masses) = random_plan(&arena.board, player, &mut random);
            let (part, kept) = tree.support(&arena.board, player, &tree.widths(), &masses);
            let plans = [(&tree, &masses), (&part, &kept)]
                .map(|(tree, masses)| rounded(&arena, player, tree, &tree.widths(), masses).plans);
            assert_eq!(plans[0][0].listed, plans[1][0].listed);
            let shares = plans[1][0].listed.values().map(Vec::len).sum::<usize>();
            assert_eq!(shares, part.nodes.iter().map(|node| node.probes.len()).sum::<usize>());
            assert!(part.nodes.len() < tree.nodes.len());
        }
    }
}
