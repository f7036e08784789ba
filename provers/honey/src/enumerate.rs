//! All solutions: 25 black cells, the 36 white ones in exactly six islands of six cells.
//!
//! Depth-first over the lowest undecided cell: either an island whose lowest cell it is goes there, and its halo
//! becomes black, or it becomes black. A component of `n` undecided cells holds at most `(n + 1) / 7` islands, since
//! islands in it are kept apart by cells of it. Because every halo is black already, what can still follow depends on
//! the undecided cells and the number of islands left alone, so dead states are remembered under that key.

use crate::board::{ALL, Board, CELLS, cells};

const BLACK: u32 = 25;
const ISLANDS: u32 = 6;
const ISLAND_SIZE: u32 = 6;
const MEMO_BITS: u32 = 22;

struct Placement {
    island: u64,
    halo: u64,
}

/// The sorted black sets of all solutions.
#[must_use]
pub fn solutions(board: &Board) -> Vec<u64> {
    let placements = (0..CELLS).map(|lowest| placements(board, lowest)).collect();
    let mut search = Search { board, placements, found: Vec::new(), dead: vec![0; 1 << MEMO_BITS] };
    search.extend(0, 0, ISLANDS);
    search.found.sort_unstable();
    search.found
}

/// The connected sets of six cells whose lowest cell is `lowest`.
fn placements(board: &Board, lowest: usize) -> Vec<Placement> {
    let allowed = ALL << lowest & ALL;
    let mut sets = vec![1_u64 << lowest];
    for _ in 1..ISLAND_SIZE {
        sets = sets
            .iter()
            .flat_map(|&set| cells(board.halo(set) & allowed).map(move |cell| set | 1 << cell))
            .collect();
        sets.sort_unstable();
        sets.dedup();
    }
    sets.into_iter().map(|island| Placement { island, halo: board.halo(island) }).collect()
}

struct Search<'b> {
    board: &'b Board,
    placements: Vec<Vec<Placement>>,
    found: Vec<u64>,
    /// A lossy set of states known to lead nowhere.
    dead: Vec<u64>,
}

impl Search<'_> {
    fn extend(&mut self, mut black: u64, white: u64, islands: u32) {
        let free = ALL & !(black | white);
        if islands == 0 {
            let all_black = black | free;
            if all_black.count_ones() == BLACK {
                self.found.push(all_black);
            }
            return;
        }
        let mut rest = free;
        let mut room = 0;
        while rest != 0 {
            let component = self.board.component(rest);
            rest &= !component;
            let holds = (component.count_ones() + 1) / (ISLAND_SIZE + 1);
            if holds == 0 {
                black |= component;
            }
            room += holds;
        }
        if room < islands || black.count_ones() > BLACK {
            return;
        }
        let free = ALL & !(black | white);
        let state = free | u64::from(islands) << CELLS;
        let slot = (state.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - MEMO_BITS)) as usize;
        if self.dead[slot] == state {
            return;
        }
        let before = self.found.len();
        let lowest = free.trailing_zeros() as usize;
        for i in 0..self.placements[lowest].len() {
            let Placement { island, halo } = self.placements[lowest][i];
            if island & !free == 0 && (black | halo).count_ones() <= BLACK {
                self.extend(black | halo, white | island, islands - 1);
            }
        }
        if black.count_ones() < BLACK {
            self.extend(black | 1 << lowest, white, islands);
        }
        if self.found.len() == before {
            self.dead[slot] = state;
        }
    }
}
