//! All solutions of the puzzle, found from its rules.
//!
//! Search. The state is (cells not yet decided, islands still to place). Take the lowest undecided cell: it is black,
//! or it is the lowest cell of an island; then the island's undecided neighbours are black. Each solution is met
//! exactly once, because the colour of the lowest undecided cell and, if white, its whole island are read off the
//! solution. Undecided cells never touch a placed island, so the future depends on the state alone, which fits one
//! 64-bit word (61 cells, at most 7 islands): a state once found without solutions is dead whenever it returns. The
//! table of dead states is lossy but holds whole states, so it can forget and cannot confuse.
//!
//! A missed solution is the error that lies (a false "only one is left"), so each pruning is argued here:
//! 1. an undecided component smaller than an island holds none, so its cells are black;
//! 2. a component of `n` cells holds at most `(2n + 1) / (2s + 1)` islands of `s` cells. Removing one cell splits a
//!    connected region into at most three parts, because its remaining neighbours lie in at most three arcs of the
//!    ring around it. So `b` black cells leave at most `2b + 1` islands: `k <= 2 (n - k s) + 1`;
//! 3. fewer places than islands left: dead.
//!
//! Too many solutions cannot come out: each is checked by [`Board::is_solution`], which shares nothing with the search.
#![allow(
    clippy::indexing_slicing,
    reason = "the table of dead states is indexed by a masked hash, islands by a cell of the board"
)]

use crate::board::{Board, Mask, Puzzle, cells_of};
use crate::index;

/// Entries of the table of dead states (8 bytes each).
const DEAD_STATES: usize = 1 << 22;

/// The solutions of a puzzle, ascending, with the figures of the search.
pub struct Enumeration {
    /// The sets of black cells, strictly ascending.
    pub solutions: Vec<Mask>,
    /// Search nodes.
    pub nodes: u64,
}

/// Why an enumeration was rejected: always a fault of this program.
#[derive(Debug, PartialEq, Eq)]
pub enum EnumerationError {
    /// The search emitted a set of black cells that the plain check refuses.
    NotASolution(Mask),
    /// The search emitted a solution twice.
    Repeated(Mask),
    /// The image of a solution is none.
    NotClosed(usize),
}

impl std::fmt::Display for EnumerationError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            EnumerationError::NotASolution(mask) => write!(f, "enumeration: {mask:016x} is no solution"),
            EnumerationError::Repeated(mask) => write!(f, "enumeration: {mask:016x} was found twice"),
            EnumerationError::NotClosed(g) => {
                write!(f, "enumeration: symmetry {g} leaves the set of solutions")
            }
        }
    }
}

struct Search<'a> {
    board: &'a Board,
    puzzle: Puzzle,
    /// Per lowest cell: the islands, each with its neighbours.
    islands: Vec<Vec<(Mask, Mask)>>,
    dead: Vec<u64>,
    found: Vec<Mask>,
    nodes: u64,
}

/// Finds all solutions, checks each, and sorts them.
///
/// `memo` turns the table of dead states on; without it the search takes about twenty times as long.
///
/// # Errors
/// A result that fails its own check.
pub fn enumerate(board: &Board, puzzle: Puzzle, memo: bool) -> Result<Enumeration, EnumerationError> {
    let islands = (0..board.size()).map(|cell| islands_from(board, puzzle.island_size, cell)).collect();
    let dead = if memo { vec![0; DEAD_STATES] } else { Vec::new() };
    let mut search = Search { board, puzzle, islands, dead, found: Vec::new(), nodes: 0 };
    search.place(board.all(), puzzle.islands, 0);
    let mut solutions = search.found;
    solutions.sort_unstable();
    if let Some(twice) = solutions.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(EnumerationError::Repeated(twice[0]));
    }
    if let Some(&wrong) = solutions.iter().find(|&&black| !board.is_solution(puzzle, black)) {
        return Err(EnumerationError::NotASolution(wrong));
    }
    // Rotation and reflection generate all twelve symmetries. They permute masks, so the images of the set are the set
    // exactly if they are equal once sorted.
    for g in [1, 6] {
        let mut images: Vec<Mask> = solutions.iter().map(|&black| board.image(black, g)).collect();
        images.sort_unstable();
        if images != solutions {
            return Err(EnumerationError::NotClosed(g));
        }
    }
    Ok(Enumeration { solutions, nodes: search.nodes })
}

/// All connected sets of `size` cells whose lowest cell is `lowest`, with their neighbours.
fn islands_from(board: &Board, size: u32, lowest: usize) -> Vec<(Mask, Mask)> {
    let higher = board.all() & !((1 << lowest) - 1);
    let halo = |set: Mask| cells_of(set).fold(0, |near, cell| near | board.neighbours(cell)) & !set;
    let mut sets = vec![1u64 << lowest];
    for _ in 1..size {
        sets = sets
            .iter()
            .flat_map(|&set| cells_of(halo(set) & higher).map(move |cell| set | 1 << cell))
            .collect();
        sets.sort_unstable();
        sets.dedup();
    }
    sets.into_iter().map(|set| (set, halo(set))).collect()
}

impl Search<'_> {
    /// Whether the state has a solution; `white` holds the islands placed so far. Recursion ends after at most as many
    /// levels as the board has cells: each level decides one.
    fn place(&mut self, free: Mask, left: u32, white: Mask) -> bool {
        self.nodes += 1;
        if left == 0 {
            self.found.push(self.board.all() & !white);
            return true;
        }
        let (free, places) = self.places(free);
        if places < left {
            return false;
        }
        let state = free << 3 | u64::from(left);
        let slot = usize::try_from(state.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 42).unwrap_or(0);
        if self.dead.get(slot) == Some(&state) {
            return false;
        }
        let lowest = index(free.trailing_zeros());
        let mut alive = self.place(free & !(1 << lowest), left, white);
        for choice in 0..self.islands[lowest].len() {
            let (island, halo) = self.islands[lowest][choice];
            if island & !free == 0 {
                alive |= self.place(free & !(island | halo), left - 1, white | island);
            }
        }
        if !alive && let Some(entry) = self.dead.get_mut(slot) {
            *entry = state;
        }
        alive
    }

    /// The undecided cells that can still be white, and an upper bound of the islands that fit on them.
    fn places(&self, free: Mask) -> (Mask, u32) {
        let size = self.puzzle.island_size;
        let (mut useful, mut places, mut rest) = (0, 0, free);
        while rest != 0 {
            let part = self.board.component(rest & rest.wrapping_neg(), rest);
            rest &= !part;
            let cells = part.count_ones();
            if cells >= size {
                useful |= part;
                places += (2 * cells + 1) / (2 * size + 1);
            }
        }
        (useful, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every subset of the board, tried.
    fn brute_force(board: &Board, puzzle: Puzzle) -> Vec<Mask> {
        (0..=board.all()).filter(|&black| board.is_solution(puzzle, black)).collect()
    }

    #[test]
    fn the_search_agrees_with_all_subsets_on_small_hexagons() {
        let mut solved = 0;
        for radius in [0, 1, 2] {
            let board = Board::new(radius).unwrap();
            for (islands, island_size) in [
                (1, 1),
                (2, 1),
                (4, 1),
                (7, 1),
                (1, 3),
                (2, 2),
                (3, 2),
                (2, 3),
                (3, 3),
                (1, 6),
                (2, 5),
                (2, 6),
                (4, 3),
            ] {
                let puzzle = Puzzle { radius, islands, island_size };
                let expected = brute_force(&board, puzzle);
                solved += usize::from(!expected.is_empty());
                for memo in [false, true] {
                    let found = enumerate(&board, puzzle, memo).unwrap();
                    assert_eq!(found.solutions, expected, "{puzzle:?} memo {memo}");
                }
            }
        }
        assert!(solved >= 15, "only {solved} of the puzzles have solutions");
    }

    #[test]
    fn three_islands_may_meet_at_one_black_cell() {
        // The bound of a component must allow for this: a tripod of 3 x 2 + 1 cells holds three islands of two.
        let board = Board::new(2).unwrap();
        let search = Search {
            board: &board,
            puzzle: Puzzle { radius: 2, islands: 3, island_size: 2 },
            islands: Vec::new(),
            dead: Vec::new(),
            found: Vec::new(),
            nodes: 0,
        };
        let arm = |cells: [usize; 2]| cells.iter().fold(0, |mask, &cell| mask | 1u64 << cell);
        let tripod = 1 << 9 | arm([10, 11]) | arm([4, 0]) | arm([13, 16]);
        assert_eq!(board.component(1 << 9, tripod), tripod);
        assert_eq!(search.places(tripod), (tripod, 3));
    }

    #[test]
    fn there_are_22573_islands_of_six_cells() {
        let board = Board::new(4).unwrap();
        let count: usize = (0..61).map(|cell| islands_from(&board, 6, cell).len()).sum();
        assert_eq!(count, 22_573);
    }
}
