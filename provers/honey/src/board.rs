//! The board: a hexagon of radius 4, its 61 cells, their neighbours and the 12 symmetries.
//!
//! A set of cells is a `u64`, bit `i` for cell `i`. Cells are numbered row by row from the top, left to right; the
//! rows have 5 6 7 8 9 8 7 6 5 cells. In axial coordinates cell `(q, r)` has `|q|, |r|, |q + r| <= 4`.

/// Number of cells.
pub const CELLS: usize = 61;
/// The set of all cells.
pub const ALL: u64 = (1 << CELLS) - 1;
/// Rotations and reflections of the hexagon.
pub const SYMMETRIES: usize = 12;

const RADIUS: i32 = 4;

/// For each value of a byte of a set, its 12 images.
type ImageTable = Vec<[u64; SYMMETRIES]>;

/// Neighbours and symmetries, worked out once.
pub struct Board {
    neighbours: [u64; CELLS],
    /// `images[byte][value][g]`: what symmetry `g` makes of the cells `value` of byte `byte` of a set.
    images: Vec<ImageTable>,
}

impl Default for Board {
    fn default() -> Self {
        Self::new()
    }
}

impl Board {
    /// Works the tables out.
    #[must_use]
    pub fn new() -> Self {
        let cells: Vec<(i32, i32)> = (-RADIUS..=RADIUS)
            .flat_map(|r| (-RADIUS..=RADIUS).map(move |q| (q, r)))
            .filter(|(q, r)| (q + r).abs() <= RADIUS)
            .collect();
        let index = |cell: (i32, i32)| cells.iter().position(|&other| other == cell);
        let mut neighbours = [0; CELLS];
        for (set, &(q, r)) in neighbours.iter_mut().zip(&cells) {
            for (dq, dr) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)] {
                if let Some(i) = index((q + dq, r + dr)) {
                    *set |= 1 << i;
                }
            }
        }
        let mut images: Vec<ImageTable> = vec![vec![[0; SYMMETRIES]; 256]; 8];
        for (i, &cell) in cells.iter().enumerate() {
            for g in 0..SYMMETRIES {
                let image = index(symmetric(cell, g)).map_or(0, |j| 1 << j);
                for (_, row) in
                    images[i / 8].iter_mut().enumerate().filter(|(value, _)| value >> (i % 8) & 1 == 1)
                {
                    row[g] |= image;
                }
            }
        }
        Self { neighbours, images }
    }

    /// The cells outside `set` that touch it.
    #[must_use]
    pub fn halo(&self, set: u64) -> u64 {
        cells(set).fold(0, |halo, cell| halo | self.neighbours[cell]) & !set
    }

    /// The connected component, inside `within`, of the lowest cell of `within`.
    #[must_use]
    pub fn component(&self, within: u64) -> u64 {
        let mut component = within & within.wrapping_neg();
        loop {
            let grown = component | self.halo(component) & within;
            if grown == component {
                return component;
            }
            component = grown;
        }
    }

    /// The 12 images of a set of cells.
    #[must_use]
    pub fn images(&self, set: u64) -> [u64; SYMMETRIES] {
        let mut all = [0; SYMMETRIES];
        for (table, value) in self.images.iter().zip(set.to_le_bytes()) {
            for (image, part) in all.iter_mut().zip(&table[usize::from(value)]) {
                *image |= part;
            }
        }
        all
    }

    /// The least of the 12 images: one key for positions that differ by a symmetry.
    #[must_use]
    pub fn canonical(&self, set: u64) -> u64 {
        self.images(set).into_iter().fold(u64::MAX, u64::min)
    }
}

/// Image of an axial cell: a reflection if `g >= 6`, then `g % 6` turns by 60 degrees.
fn symmetric((q, r): (i32, i32), g: usize) -> (i32, i32) {
    let start = if g >= 6 { (r, q) } else { (q, r) };
    (0..g % 6).fold(start, |(q, r), _| (-r, q + r))
}

/// The cells of a set, lowest first.
pub fn cells(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            cell
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_has_three_neighbours_and_the_centre_six() {
        let board = Board::new();
        assert_eq!(board.halo(1), 1 << 1 | 1 << 5 | 1 << 6);
        assert_eq!(board.halo(1 << 30).count_ones(), 6);
    }

    #[test]
    fn the_symmetries_are_twelve_automorphisms() {
        let board = Board::new();
        let sample = 1 << 1 | 1 << 8 | 1 << 40;
        let mut seen = board.images(sample).to_vec();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), SYMMETRIES);
        for cell in 0..CELLS {
            let (images, halos) = (board.images(1 << cell), board.images(board.halo(1 << cell)));
            for (&image, &halo) in images.iter().zip(&halos) {
                assert_eq!(board.halo(image), halo);
            }
        }
    }

    #[test]
    fn the_canonical_form_is_the_same_for_all_images() {
        let board = Board::new();
        let set = 0x0001_2000_0842_0013;
        assert!(board.images(set).iter().all(|&image| board.canonical(image) == board.canonical(set)));
    }
}
