//! The rule that plans in the sketch's text format follow where they list nothing, `shortest-path-1`.
//!
//! Of the open cells it takes one on a shortest way between the owner's sides (own stones cost nothing, known stones of
//! the opponent bar the way), among those one with the largest product of the numbers of ways from either side, among
//! those the lowest. The ways are counted by layers and not in full; the plans depend on this very count.

use crate::game::{Board, Cell, Known, Player, Stones, cells, flood};

/// The distance of a cell that cannot be reached.
const FAR: u64 = 100;

/// The cell probed by the rule; at least one cell has to be open.
#[must_use]
pub fn cell(board: &Board, owner: Player, known: Known) -> Cell {
    let open = board.game.full() & !known.closed();
    let [near, far] = board.game.sides(owner).map(|side| Layers::new(board, side, known.own, open));
    let rank = |cell: &Cell| {
        let distance = match (near.distance[*cell], far.distance[*cell]) {
            (Some(near), Some(far)) => near + far - 1,
            _ => FAR,
        };
        (distance, std::cmp::Reverse(near.ways[*cell] * far.ways[*cell]), *cell)
    };
    cells(open).min_by_key(rank).unwrap_or(0)
}

/// Stones still to be placed to join a cell with one side, itself included, and the count of ways to do so.
struct Layers {
    distance: Vec<Option<u64>>,
    ways: Vec<u64>,
}

impl Layers {
    fn new(board: &Board, side: Stones, own: Stones, open: Stones) -> Layers {
        let next = &board.neighbours;
        let around = |stones: Stones| cells(stones).fold(0, |all, cell| all | next[cell]);
        let mut layers =
            Layers { distance: vec![None; board.game.cells()], ways: vec![0; board.game.cells()] };
        let mut layer = flood(next, side & own, own);
        for cell in cells(layer) {
            layers.distance[cell] = Some(0);
            layers.ways[cell] = 1;
        }
        let mut reached = layer;
        for distance in 1.. {
            let from_side = if distance == 1 { side } else { 0 };
            let fresh = (around(layer) | from_side) & open & !reached;
            if fresh == 0 {
                break;
            }
            for cell in cells(fresh) {
                layers.distance[cell] = Some(distance);
                layers.ways[cell] = u64::from(from_side >> cell & 1) + layers.sum(next[cell] & layer);
            }
            // Own stones joined to the fresh cells cost nothing more. One that touches none of them counts one way.
            let stones = flood(next, around(fresh) & own & !reached, own) & !reached;
            for cell in cells(stones) {
                layers.distance[cell] = Some(distance);
                layers.ways[cell] = layers.sum(next[cell] & fresh).max(1);
            }
            layer = fresh | stones;
            reached |= layer;
        }
        layers
    }

    fn sum(&self, stones: Stones) -> u64 {
        cells(stones).map(|cell| self.ways[cell]).sum()
    }
}
