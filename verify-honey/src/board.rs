//! The rules of the puzzle: a hexagon of cells, islands, symmetries.
//!
//! Cells have axial coordinates `(q, r)` with `|q|`, `|r|`, `|q + r|` at most the radius. Two cells are adjacent if
//! they differ by one of the six [`STEPS`]. Numbers run along the rows `r` from the top, `q` ascending within a row. A
//! set of cells is a [`Mask`]; the board of the game has 61 cells, so three bits of a mask stay free.
#![allow(
    clippy::indexing_slicing,
    reason = "cells index arrays of 64; every cell comes from a mask of the board or from its own list of cells"
)]

use crate::index;
use std::fmt;

/// A set of cells: bit `i` is cell `i`.
pub type Mask = u64;

/// The directions of the six neighbours, in the order of a turn around the cell.
pub const STEPS: [(i8, i8); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// Symmetries of a hexagon: six rotations, with and without a reflection.
pub const SYMMETRIES: usize = 12;

/// The puzzle: a hexagon whose white cells form `islands` components of `island_size` cells each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// Cells from the centre to a corner, at most 4.
    pub radius: i8,
    /// Number of islands.
    pub islands: u32,
    /// Cells of an island.
    pub island_size: u32,
}

/// The puzzle of the game: 61 cells, six islands of six, hence 25 black cells.
pub const HONEY: Puzzle = Puzzle { radius: 4, islands: 6, island_size: 6 };

/// A hexagon with its neighbour lists and symmetries.
pub struct Board {
    cells: Vec<(i8, i8)>,
    /// Neighbours of each cell.
    near: [Mask; 64],
    /// `images[g][b][v]`: the image under symmetry `g` of the cells whose bits form byte `b` with value `v`.
    images: Vec<[[Mask; 256]; 8]>,
}

/// The cells of a mask, lowest first.
pub fn cells_of(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = usize::try_from(mask.trailing_zeros()).ok().filter(|&c| c < 64)?;
        mask &= mask - 1;
        Some(cell)
    })
}

impl Board {
    /// Builds the hexagon of a radius from 0 to 4.
    ///
    /// # Errors
    /// A radius beyond these, whose cells would not fit into a mask.
    pub fn new(radius: i8) -> Result<Self, RadiusError> {
        if !(0..=4).contains(&radius) {
            return Err(RadiusError(radius));
        }
        let mut cells = Vec::new();
        for r in -radius..=radius {
            for q in -radius..=radius {
                if (q + r).abs() <= radius {
                    cells.push((q, r));
                }
            }
        }
        let number = |cell: (i8, i8)| cells.iter().position(|&other| other == cell);
        let mut near = [0; 64];
        for (cell, &(q, r)) in cells.iter().enumerate() {
            for (dq, dr) in STEPS {
                if let Some(other) = number((q + dq, r + dr)) {
                    near[cell] |= 1 << other;
                }
            }
        }
        let mut images = vec![[[0; 256]; 8]; SYMMETRIES];
        for (g, tables) in images.iter_mut().enumerate() {
            for (cell, &place) in cells.iter().enumerate() {
                let image: Mask = number(image(place, g)).map_or(0, |to| 1 << to);
                for (value, entry) in tables[cell / 8].iter_mut().enumerate() {
                    if value >> (cell % 8) & 1 == 1 {
                        *entry |= image;
                    }
                }
            }
        }
        Ok(Board { cells, near, images })
    }

    /// Number of cells.
    #[must_use]
    pub fn size(&self) -> usize {
        self.cells.len()
    }

    /// All cells of the board.
    #[must_use]
    pub fn all(&self) -> Mask {
        (0..self.size()).fold(0, |mask, cell| mask | 1 << cell)
    }

    /// The neighbours of one cell.
    #[must_use]
    pub fn neighbours(&self, cell: usize) -> Mask {
        self.near[cell]
    }

    /// The connected component of `within` that contains the cell `seed` of it.
    #[must_use]
    pub fn component(&self, seed: Mask, within: Mask) -> Mask {
        let mut found = seed;
        let mut frontier = seed;
        while frontier != 0 {
            let cell = frontier.trailing_zeros();
            frontier &= frontier - 1;
            let new = self.near[index(cell) & 63] & within & !found;
            found |= new;
            frontier |= new;
        }
        found
    }

    /// The image of a set of cells under symmetry `g` (0 to 11; 0 is the identity).
    #[must_use]
    pub fn image(&self, mask: Mask, g: usize) -> Mask {
        let tables = &self.images[g];
        mask.to_le_bytes()
            .iter()
            .zip(tables)
            .fold(0, |image, (&byte, table)| image | table[usize::from(byte)])
    }

    /// The smallest of the twelve images: equal for two sets exactly if a symmetry takes one to the other.
    #[must_use]
    pub fn canonical(&self, mask: Mask) -> Mask {
        (1..SYMMETRIES).fold(mask, |least, g| least.min(self.image(mask, g)))
    }

    /// Whether these black cells solve the puzzle, read off the rules: every white component has the size of an island
    /// and there are as many as the puzzle wants. Nothing here is shared with the search that finds solutions.
    #[must_use]
    pub fn is_solution(&self, puzzle: Puzzle, black: Mask) -> bool {
        if black & !self.all() != 0 {
            return false;
        }
        let mut white = self.all() & !black;
        let mut islands = 0;
        while white != 0 {
            let mut island = white & white.wrapping_neg();
            loop {
                let grown = cells_of(island).fold(island, |mask, cell| mask | self.near[cell]) & white;
                if grown == island {
                    break;
                }
                island = grown;
            }
            if island.count_ones() != puzzle.island_size {
                return false;
            }
            white &= !island;
            islands += 1;
        }
        islands == puzzle.islands
    }
}

/// Symmetry `g` on coordinates: a reflection if `g >= 6`, then `g % 6` turns by sixty degrees.
fn image((mut q, mut r): (i8, i8), g: usize) -> (i8, i8) {
    if g >= 6 {
        (q, r) = (r, q);
    }
    for _ in 0..g % 6 {
        (q, r) = (-r, q + r);
    }
    (q, r)
}

/// A hexagon that does not fit into a mask.
#[derive(Debug, PartialEq, Eq)]
pub struct RadiusError(i8);

impl fmt::Display for RadiusError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a board of radius {} is not supported (0 to 4 are)", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_board_have_five_to_nine_cells_and_the_centre_is_cell_30() {
        let board = Board::new(4).unwrap();
        let rows: Vec<usize> =
            (-4..=4).map(|r| board.cells.iter().filter(|&&(_, row)| row == r).count()).collect();
        assert_eq!(rows, [5, 6, 7, 8, 9, 8, 7, 6, 5]);
        assert_eq!(board.cells[30], (0, 0));
        assert_eq!(board.cells[0], (0, -4));
        assert_eq!((board.size(), board.all()), (61, (1 << 61) - 1));
    }

    #[test]
    fn adjacency_is_symmetric_and_has_156_edges() {
        let board = Board::new(4).unwrap();
        let mut ends = 0;
        for a in 0..61 {
            for b in cells_of(board.neighbours(a)) {
                assert_ne!(board.neighbours(b) >> a & 1, 0, "{a} {b}");
                ends += 1;
            }
        }
        assert_eq!(ends, 2 * 156);
        assert_eq!(board.neighbours(30).count_ones(), 6);
        assert_eq!(board.neighbours(0), 1 << 1 | 1 << 5 | 1 << 6);
    }

    #[test]
    fn the_twelve_symmetries_are_different_permutations_that_keep_adjacency() {
        let board = Board::new(4).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for g in 0..SYMMETRIES {
            let to: Vec<Mask> = (0..61).map(|cell| board.image(1 << cell, g)).collect();
            assert!(to.iter().all(|m| m.is_power_of_two()));
            assert_eq!(to.iter().fold(0, |all, m| all | m), board.all());
            for (cell, &image) in to.iter().enumerate() {
                let number = cells_of(image).next().unwrap();
                assert_eq!(board.image(board.neighbours(cell), g), board.neighbours(number));
            }
            seen.insert(to);
        }
        assert_eq!(seen.len(), SYMMETRIES);
        assert_eq!(board.image(0x1234_5678_9abc, 0), 0x1234_5678_9abc);
    }

    #[test]
    fn rotation_and_reflection_generate_all_symmetries() {
        let board = Board::new(4).unwrap();
        let mut orbit = std::collections::BTreeSet::from([0b1001_0000_0011u64]);
        loop {
            let grown: Vec<Mask> =
                orbit.iter().flat_map(|&m| [board.image(m, 1), board.image(m, 6)]).collect();
            let before = orbit.len();
            orbit.extend(grown);
            if orbit.len() == before {
                break;
            }
        }
        let images: std::collections::BTreeSet<Mask> =
            (0..SYMMETRIES).map(|g| board.image(0b1001_0000_0011, g)).collect();
        assert_eq!(orbit, images);
        assert_eq!(orbit.len(), 12);
    }

    #[test]
    fn a_radius_that_does_not_fit_is_refused() {
        assert_eq!(Board::new(5).err(), Some(RadiusError(5)));
        assert_eq!(Board::new(-1).err(), Some(RadiusError(-1)));
    }
}
