//! Sets of solutions as the solver wants them: part of a block, or a list of any length.
//!
//! A block holds solutions by rows (the solutions themselves) and by columns: the *column* of a cell is the set of
//! solutions in which it is black, as words of bits. With columns the solutions in which two cells are black together
//! are an `and`, and 64 of them are counted at once. A part of a block is a set of its solutions as words of bits, so
//! moving on to `S[c]` costs nothing but an `and`.
#![allow(
    clippy::indexing_slicing,
    reason = "hot arrays of 64 are indexed by cells (below 64) and by the numbers of set bits of a word"
)]

use crate::board::Mask;
use crate::index;

/// Solutions of a small and of a large block.
pub(crate) const SMALL: usize = 64;
pub(crate) const LARGE: usize = 64 * LANES;
/// Words of a column of a large block: as many as vector registers hold, so that the compiler can use them.
const LANES: usize = 4;
/// Solutions of `S[c]` that are taken one by one before columns decide what is in doubt still. Results do not depend on
/// it. So many settle most cells.
const SAMPLE: u32 = 20;

/// What there is to know about `S[c]`: its finishes (cells black in exactly one of its solutions), and, if it has none,
/// its determined cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub finishes: Mask,
    pub determined: Mask,
}

/// A set of solutions.
pub(crate) trait Set {
    /// How many.
    fn len(&self) -> usize;

    /// In how many of them each cell is black.
    fn counts(&self) -> [u32; 64];

    /// Looks at `S[cell]`, which must not be empty. `open` are the undetermined cells of `S`. Only the finishes among
    /// `asked`, a part of `open`, are wanted. `short` allows to end the pass over the solutions early.
    fn look(&self, cell: usize, open: Mask, asked: Mask, short: bool) -> Look;
}

/// A pass over solutions one by one: the cells black in at least one, black in at least two, white in at least one.
#[derive(Default)]
struct Pass {
    once: Mask,
    twice: Mask,
    white: Mask,
}

impl Pass {
    #[inline]
    fn take(&mut self, solution: Mask) {
        self.twice |= self.once & solution;
        self.once |= solution;
        self.white |= !solution;
    }

    /// All solutions were taken.
    fn end(&self, asked: Mask) -> Look {
        Look { finishes: self.once & !self.twice & asked, determined: self.once & !self.white }
    }

    /// Some were. A cell black twice is no finish, a cell white once is not determined, and a cell outside of `open` is
    /// the same in all. Columns decide about the others: `once_together` and `implies` compare them with that of
    /// `cell`.
    fn settle(
        &self,
        cell: usize,
        open: Mask,
        asked: Mask,
        once_together: impl Fn(usize) -> bool,
        implies: impl Fn(usize) -> bool,
    ) -> Look {
        let mut finishes = 0;
        for other in cells(asked & !self.twice) {
            if once_together(other) {
                finishes |= 1 << other;
            }
        }
        let mut determined = self.once & !self.white;
        if finishes == 0 {
            for other in cells(determined & open & !(1 << cell)) {
                if !implies(other) {
                    determined &= !(1 << other);
                }
            }
        }
        Look { finishes, determined }
    }
}

/// The cells of a mask, lowest first.
#[inline]
fn cells(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = index(mask.trailing_zeros());
        let some = mask != 0;
        mask &= mask.wrapping_sub(1);
        some.then_some(cell)
    })
}

/// At most `64 W` solutions. `rows[r][l]` is a solution, and bit `r` of `columns[c][l]` tells whether `c` is black in
/// it. Places without a solution hold the empty mask, which is in no column.
pub(crate) struct Block<const W: usize> {
    rows: [[Mask; W]; 64],
    columns: [[u64; W]; 64],
}

impl<const W: usize> Block<W> {
    /// The block of a list of at most `64 W` solutions.
    pub fn new(list: &[Mask]) -> Self {
        let mut rows = [[0; W]; 64];
        let (full, rest) = list.as_chunks::<W>();
        rows[..full.len()].copy_from_slice(full);
        if !rest.is_empty() {
            rows[full.len()][..rest.len()].copy_from_slice(rest);
        }
        let mut columns = rows;
        transpose(&mut columns);
        Block { rows, columns }
    }

    /// Its first solutions, as many as it was made of.
    pub fn first(&self, count: usize) -> Part<'_, W> {
        let mut alive = [0; W];
        for (lane, word) in alive.iter_mut().enumerate() {
            let rows = (count + W - 1 - lane) / W;
            *word = if rows == 0 { 0 } else { u64::MAX >> (64 - rows) };
        }
        Part { block: self, alive }
    }
}

/// Some solutions of a block.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a, const W: usize> {
    block: &'a Block<W>,
    alive: [u64; W],
}

impl<const W: usize> Part<'_, W> {
    /// Those in which a cell is black.
    #[inline]
    pub fn with(mut self, cell: usize) -> Self {
        for (word, column) in self.alive.iter_mut().zip(&self.block.columns[cell]) {
            *word &= column;
        }
        self
    }

    /// Appends its solutions to a list.
    pub fn list(&self, list: &mut Vec<Mask>) {
        for (lane, &word) in self.alive.iter().enumerate() {
            list.extend(cells(word).map(|row| self.block.rows[row][lane]));
        }
    }
}

impl<const W: usize> Set for Part<'_, W> {
    fn len(&self) -> usize {
        self.alive.iter().map(|word| index(word.count_ones())).sum()
    }

    fn counts(&self) -> [u32; 64] {
        let mut counts = [0; 64];
        for (count, column) in counts.iter_mut().zip(&self.block.columns) {
            *count = self.alive.iter().zip(column).map(|(a, b)| (a & b).count_ones()).sum();
        }
        counts
    }

    #[inline]
    fn look(&self, cell: usize, open: Mask, asked: Mask, short: bool) -> Look {
        let (mut pass, mut taken) = (Pass::default(), 0);
        let chosen = self.with(cell).alive;
        for (lane, &word) in chosen.iter().enumerate() {
            if short && taken >= SAMPLE {
                let columns = &self.block.columns;
                let once_together = |other: usize| {
                    chosen.iter().zip(&columns[other]).map(|(a, b)| (a & b).count_ones()).sum::<u32>() == 1
                };
                let implies = |other: usize| chosen.iter().zip(&columns[other]).all(|(a, b)| a & !b == 0);
                return pass.settle(cell, open, asked, once_together, implies);
            }
            for row in cells(word) {
                pass.take(self.block.rows[row][lane]);
            }
            taken += word.count_ones();
        }
        pass.end(asked)
    }
}

/// A list of solutions of any length, in large blocks.
#[derive(Default)]
pub(crate) struct List {
    blocks: Vec<Block<LANES>>,
    length: usize,
}

impl List {
    /// Takes over a list.
    pub fn fill(&mut self, list: &[Mask]) {
        self.length = list.len();
        self.blocks.clear();
        self.blocks.extend(list.chunks(LARGE).map(Block::new));
    }

    /// Appends the solutions in which a cell is black.
    pub fn list_with(&self, cell: usize, list: &mut Vec<Mask>) {
        for block in &self.blocks {
            Part { block, alive: block.columns[cell] }.list(list);
        }
    }

    /// Whether two cells are black together in exactly one solution.
    fn once_together(&self, a: usize, b: usize) -> bool {
        let mut count = 0;
        for block in &self.blocks {
            count += block.columns[a]
                .iter()
                .zip(&block.columns[b])
                .map(|(x, y)| (x & y).count_ones())
                .sum::<u32>();
            if count > 1 {
                return false;
            }
        }
        count == 1
    }

    /// Whether `b` is black wherever `a` is.
    fn implies(&self, a: usize, b: usize) -> bool {
        let same =
            |block: &Block<LANES>| block.columns[a].iter().zip(&block.columns[b]).all(|(x, y)| x & !y == 0);
        self.blocks.iter().all(same)
    }
}

impl Set for List {
    fn len(&self) -> usize {
        self.length
    }

    fn counts(&self) -> [u32; 64] {
        let mut counts = [0; 64];
        for block in &self.blocks {
            for (count, column) in counts.iter_mut().zip(&block.columns) {
                *count += column.iter().map(|word| word.count_ones()).sum::<u32>();
            }
        }
        counts
    }

    fn look(&self, cell: usize, open: Mask, asked: Mask, short: bool) -> Look {
        let (mut pass, mut taken) = (Pass::default(), 0);
        for block in &self.blocks {
            for (lane, &word) in block.columns[cell].iter().enumerate() {
                if short && taken >= SAMPLE {
                    let once_together = |other| self.once_together(cell, other);
                    let implies = |other| self.implies(cell, other);
                    return pass.settle(cell, open, asked, once_together, implies);
                }
                for row in cells(word) {
                    pass.take(block.rows[row][lane]);
                }
                taken += word.count_ones();
            }
        }
        pass.end(asked)
    }
}

/// Transposes `W` bit matrices of 64 by 64 in place: swaps ever smaller off-diagonal squares (Hacker's Delight, 7-3).
fn transpose<const W: usize>(rows: &mut [[u64; W]; 64]) {
    let mut low: u64 = 0xffff_ffff;
    for width in [32, 16, 8, 4, 2, 1] {
        for square in rows.chunks_exact_mut(2 * width) {
            let (upper, lower) = square.split_at_mut(width);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                for (a, b) in upper.iter_mut().zip(lower) {
                    let swap = (*a >> width ^ *b) & low;
                    *a ^= swap << width;
                    *b ^= swap;
                }
            }
        }
        low ^= low << (width / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn random_words(count: usize) -> Vec<u64> {
        let mut state = 7u64;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 3
            })
            .collect()
    }

    fn compare(set: &impl Set, list: &[Mask]) {
        let times = |list: &[Mask], x: usize| list.iter().filter(|s| *s >> x & 1 == 1).count();
        assert_eq!(set.len(), list.len());
        for (cell, &count) in set.counts().iter().enumerate() {
            assert_eq!(count as usize, times(list, cell), "cell {cell} of {}", list.len());
        }
        let open = rules::undetermined(list);
        for cell in crate::board::cells_of(open) {
            let child = rules::with_black(list, cell);
            let finishes = (0..64).filter(|&x| times(&child, x) == 1).fold(0, |m, x| m | 1u64 << x);
            let determined = rules::determined(&child);
            for asked in [open, open & 0x0f0f_0f0f_0f0f_0f0f, 0] {
                for short in [false, true] {
                    let look = set.look(cell, open, asked, short);
                    let name = format!("cell {cell} of {}, short {short}", list.len());
                    assert_eq!(look.finishes, finishes & asked, "{name}");
                    if look.finishes == 0 {
                        assert_eq!(look.determined, determined, "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_and_lists_agree_with_the_definitions() {
        for size in [2, 3, 5, 17, 63, 64, 65, 130, 200, 255, 256, 257, 511, 700, 1500] {
            // Words of different densities, a cell black in all, one black in all but one, one black in few.
            let words = random_words(3 * size);
            let mut list: Vec<u64> = words
                .chunks(3)
                .enumerate()
                .map(|(i, w)| {
                    let dense = (w[0] & w[1] | w[2] & 0xff) & !(3 << 11) | 1 << 9;
                    dense | u64::from(i != size / 2) << 11 | u64::from(i % 97 == 1) << 12
                })
                .collect();
            list.sort_unstable();
            list.dedup();
            let mut long = List::default();
            long.fill(&random_words(300));
            long.fill(&list);
            compare(&long, &list);
            if list.len() <= LARGE {
                let block = Block::<4>::new(&list);
                compare(&block.first(list.len()), &list);
                part(&block, &list);
            }
            if list.len() <= SMALL {
                let block = Block::<1>::new(&list);
                compare(&block.first(list.len()), &list);
                part(&block, &list);
            }
        }
    }

    /// A part that is no whole block.
    fn part<const W: usize>(block: &Block<W>, list: &[Mask]) {
        for cell in [13, 30] {
            let part = block.first(list.len()).with(cell);
            let mut found = Vec::new();
            part.list(&mut found);
            found.sort_unstable();
            assert_eq!(found, rules::with_black(list, cell));
            if found.len() > 1 {
                compare(&part, &found);
            }
            let mut long = Vec::new();
            let mut all = List::default();
            all.fill(list);
            all.list_with(cell, &mut long);
            long.sort_unstable();
            assert_eq!(long, found);
        }
    }

    #[test]
    fn transposing_twice_changes_nothing_and_once_swaps_rows_and_columns() {
        let words = random_words(256);
        let mut rows = [[0; 4]; 64];
        rows.copy_from_slice(words.as_chunks::<4>().0);
        let original = rows;
        transpose(&mut rows);
        for (r, row) in original.iter().enumerate() {
            for (c, column) in rows.iter().enumerate() {
                for (row, column) in row.iter().zip(column) {
                    assert_eq!(row >> c & 1, column >> r & 1);
                }
            }
        }
        transpose(&mut rows);
        assert_eq!(rows, original);
    }
}
