//! Questions to bit matrices, the inner loops of the search.
//!
//! Up to 64 solutions form a block: word `c` has bit `i` set if cell `c` is black in solution `i`. More solutions are a
//! slice of blocks, all full but the last. For a cell `c`, `block[c] & block[x]` over all `x` at once says how often
//! each cell is black among the solutions that a stone on `c` leaves.
//!
//! The search does not need those counts: only which cells are black exactly once, and which always. Few cells can be
//! either, and a few blocks tell which; only those are then followed through all blocks. The blocks that are looked at
//! first lie apart, because neighbours in a sorted list are alike. The loops over 64 words have no branch, so that the
//! compiler makes wide instructions of them.

use crate::board::cells;

/// Up to 64 solutions, one word a cell.
pub type Block = [u64; 64];

/// What a move leaves, by cells of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// Cells that are black in exactly one remaining solution: an immediate win for whoever is to move.
    pub single: u64,
    /// Cells that are black in all remaining solutions.
    pub closure: u64,
}

/// The blocks of a list of solutions.
#[must_use]
pub fn blocks(list: &[u64]) -> Vec<Block> {
    let mut blocks = vec![[0; 64]; list.len().div_ceil(64)];
    for (block, chunk) in blocks.iter_mut().zip(list.chunks(64)) {
        for (i, &solution) in chunk.iter().enumerate() {
            for cell in cells(solution) {
                block[cell] |= 1 << i;
            }
        }
    }
    blocks
}

/// A set of up to `64 * WIDTH` solutions, a bit each.
pub type Row = [u64; WIDTH];
/// For each cell the solutions in which it is black.
pub type Columns = [Row; 64];
const WIDTH: usize = 4;

/// A few blocks cell by cell, and the set of all their solutions (each has a black cell); `None` if they are too many.
#[must_use]
pub fn columns(blocks: &[Block]) -> Option<(Columns, Row)> {
    if blocks.len() > WIDTH {
        return None;
    }
    let mut columns = [Row::default(); 64];
    let mut all = Row::default();
    for (i, block) in blocks.iter().enumerate() {
        for (column, word) in columns.iter_mut().zip(block) {
            column[i] = *word;
            all[i] |= word;
        }
    }
    Some((columns, all))
}

/// The solutions of both sets.
#[inline(always)]
#[must_use]
pub fn both(a: &Row, b: &Row) -> Row {
    std::array::from_fn(|i| a[i] & b[i])
}

/// The number of solutions of a set.
#[inline(always)]
#[must_use]
pub fn size(row: &Row) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

/// At most 64 solutions of the columns as a block.
#[must_use]
pub fn gather(columns: &Columns, kept: &Row) -> Block {
    let mut block = [0; 64];
    for (word, column) in block.iter_mut().zip(columns) {
        let mut filled = 0;
        for (&bits, &keep) in column.iter().zip(kept) {
            // Once 64 are placed, nothing is left.
            *word |= extract(bits, keep).checked_shl(filled).unwrap_or(0);
            filled += keep.count_ones();
        }
    }
    block
}

/// Writes the solutions in which `cell` is black to `to`, closing the gaps; returns the number of blocks used.
/// `to` must have room for one block more than that.
pub fn compact(from: &[Block], cell: usize, to: &mut [Block]) -> usize {
    let mut used = 0;
    let mut filled = 0;
    to[0] = [0; 64];
    for block in from {
        let keep = block[cell];
        if keep == 0 {
            continue;
        }
        let kept = keep.count_ones();
        let [here, next] = &mut to[used..used + 2] else { return used };
        if filled + kept < 64 {
            for (word, &source) in here.iter_mut().zip(block) {
                *word |= extract(source, keep) << filled;
            }
            filled += kept;
            continue;
        }
        // The first bit that has no place here is `64 - filled`; shifting in two steps allows for `filled == 0`.
        for ((word, more), &source) in here.iter_mut().zip(next).zip(block) {
            let bits = extract(source, keep);
            *word |= bits << filled;
            *more = bits >> 1 >> (63 - filled);
        }
        (used, filled) = (used + 1, filled + kept - 64);
    }
    used + usize::from(filled > 0)
}

/// The bits of `word` at the places of `mask`, packed to the low end.
#[cfg(target_feature = "bmi2")]
#[inline(always)]
#[allow(unsafe_code, reason = "pext has no portable name; the build targets a processor that has it")]
fn extract(word: u64, mask: u64) -> u64 {
    // SAFETY: compiled only where the target has BMI2.
    unsafe { core::arch::x86_64::_pext_u64(word, mask) }
}

/// The bits of `word` at the places of `mask`, packed to the low end.
#[cfg(not(target_feature = "bmi2"))]
fn extract(word: u64, mut mask: u64) -> u64 {
    let mut packed = 0;
    let mut place = 1_u64;
    while mask != 0 {
        if word & mask & mask.wrapping_neg() != 0 {
            packed |= place;
        }
        place = place.wrapping_shl(1);
        mask &= mask - 1;
    }
    packed
}

/// How many solutions have each cell black.
#[must_use]
pub fn counts(blocks: &[Block]) -> [u32; 64] {
    let mut counts = [0_u64; 64];
    for block in blocks {
        for (count, word) in counts.iter_mut().zip(block) {
            *count += u64::from(word.count_ones());
        }
    }
    counts.map(|count| count as u32)
}

/// How many of the solutions `kept` of one block have each cell black.
#[must_use]
pub fn counts_small(block: &Block, kept: u64) -> [u8; 64] {
    block.map(|word| (word & kept).count_ones() as u8)
}

/// The cells with count `x`.
#[must_use]
pub fn equal(counts: &[u8; 64], x: u8) -> u64 {
    let mut set = 0;
    for (&count, bit) in counts.iter().zip(BITS) {
        set |= if count == x { bit } else { 0 };
    }
    set
}

/// What the solutions `kept` of one block have in common.
#[inline]
#[must_use]
pub fn after_small(block: &Block, kept: u64) -> After {
    let (mut single, mut closure) = (0, 0);
    for (&word, bit) in block.iter().zip(BITS) {
        let both = word & kept;
        // At most one bit, and not none.
        single |= if both & both.wrapping_sub(1) == 0 { bit } else { 0 };
        single &= if both == 0 { !bit } else { u64::MAX };
        closure |= if both == kept { bit } else { 0 };
    }
    After { single, closure }
}

/// What a stone on `cell`, which is not determined, leaves. `determined` are the cells black in all solutions, and
/// `possible` those black in some.
#[must_use]
pub fn after(blocks: &[Block], cell: usize, determined: u64, possible: u64) -> After {
    let sample = blocks.len().div_ceil(SAMPLE);
    let (mut at_most_one, mut always) = (0, 0);
    for group in 0..64 / GROUP {
        let range = group * GROUP..(group + 1) * GROUP;
        let (mut once, mut twice, mut missing) = ([0_u64; GROUP], [0_u64; GROUP], [0_u64; GROUP]);
        for block in blocks.iter().step_by(sample) {
            let kept = block[cell];
            for (x, word) in block[range.clone()].iter().enumerate() {
                let both = word & kept;
                twice[x] |= once[x] & both;
                once[x] |= both;
                missing[x] |= both ^ kept;
            }
        }
        for (x, bit) in BITS[range].iter().enumerate() {
            // No place of the words was seen twice, so the ones of `once` are all that there were.
            let more = twice[x] | once[x] & once[x].wrapping_sub(1);
            at_most_one |= if more == 0 { bit } else { &0 };
            always |= if missing[x] == 0 { bit } else { &0 };
        }
    }
    let mut result = After { single: 0, closure: determined | 1 << cell };
    for x in cells(at_most_one & possible) {
        let mut count = 0;
        for block in blocks {
            count += (block[x] & block[cell]).count_ones();
            if count > 1 {
                break;
            }
        }
        result.single |= u64::from(count == 1) << x;
    }
    for x in cells(always & possible & !result.closure) {
        result.closure |= u64::from(blocks.iter().all(|block| block[cell] & !block[x] == 0)) << x;
    }
    result
}

/// About so many blocks are looked at for all cells.
const SAMPLE: usize = 8;
/// Cells at a time: their three words each stay in registers.
const GROUP: usize = 16;
/// Bit `x` at index `x`.
const BITS: [u64; 64] = {
    let mut bits = [0; 64];
    let mut x = 0;
    while x < 64 {
        bits[x] = 1 << x;
        x += 1;
    }
    bits
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn sample(random: &mut Random, n: usize) -> Vec<u64> {
        // Each cell with a frequency of its own, some of them near 0 and some near 1, so that every answer occurs.
        let often: Vec<usize> = (0..crate::board::CELLS).map(|_| random.below(8)).collect();
        let mut black = |often: usize| match often {
            0 => random.below(n) == 0,
            1 => random.below(n) > 0,
            _ => random.below(8) < often,
        };
        (0..n)
            .map(|_| often.iter().enumerate().fold(0, |set, (x, &often)| set | u64::from(black(often)) << x))
            .collect()
    }

    #[test]
    fn every_answer_agrees_with_counting_solutions() {
        let mut random = Random(1);
        for n in [1, 2, 3, 63, 64, 65, 128, 200, 1000, 3000] {
            let list = sample(&mut random, n);
            let (determined, possible) = crate::game::determined(&list);
            let blocks = blocks(&list);
            let plain = |list: &[u64]| -> [u32; 64] {
                std::array::from_fn(|x| list.iter().filter(|solution| *solution >> x & 1 == 1).count() as u32)
            };
            let total = plain(&list);
            assert_eq!(counts(&blocks), total);
            for cell in cells(possible & !determined) {
                let kept = |list: &[u64]| -> Vec<u64> {
                    list.iter().copied().filter(|solution| solution >> cell & 1 == 1).collect()
                };
                let expected = |list: &[u64]| {
                    let (left, counts) = (kept(list), plain(&kept(list)));
                    let set = |n: usize| {
                        (0..64).filter(|&x| counts[x] as usize == n).fold(0, |set, x| set | 1 << x)
                    };
                    (After { single: set(1), closure: set(left.len()) }, counts)
                };
                assert_eq!(after(&blocks, cell, determined, possible), expected(&list).0, "{n} {cell}");
                let first = &list[..n.min(64)];
                if blocks[0][cell] != 0 {
                    let (after, counts) = expected(first);
                    assert_eq!(after_small(&blocks[0], blocks[0][cell]), after);
                    let small = counts_small(&blocks[0], blocks[0][cell]);
                    assert_eq!(small.map(u32::from), counts);
                    for x in [0, 1, 2, 5, 64] {
                        let set = (0..64).filter(|&c| small[c] == x).fold(0, |set, c| set | 1 << c);
                        assert_eq!(equal(&small, x), set);
                    }
                }
            }
        }
    }

    #[test]
    fn compacting_keeps_exactly_the_solutions_with_the_cell_black() {
        let mut random = Random(2);
        for n in [1, 5, 64, 65, 300, 1000] {
            let list = sample(&mut random, n);
            let from = blocks(&list);
            for cell in 0..crate::board::CELLS {
                let kept: Vec<u64> =
                    list.iter().copied().filter(|solution| solution >> cell & 1 == 1).collect();
                let mut to = vec![[u64::MAX; 64]; from.len() + 1];
                let used = compact(&from, cell, &mut to);
                assert_eq!(to[..used], blocks(&kept));
            }
        }
    }

    #[test]
    fn columns_hold_the_blocks_and_gathering_keeps_what_is_kept() {
        let mut random = Random(4);
        for n in [1, 64, 65, 200, 256] {
            let list = sample(&mut random, n);
            let (columns, all) = columns(&blocks(&list)).unwrap();
            assert_eq!(size(&all) as usize, n);
            for cell in 0..crate::board::CELLS {
                let left: Vec<u64> = list.iter().copied().filter(|s| s >> cell & 1 == 1).collect();
                assert_eq!(size(&columns[cell]) as usize, left.len());
                if (1..=64).contains(&left.len()) {
                    assert_eq!([gather(&columns, &both(&all, &columns[cell]))], blocks(&left)[..]);
                }
            }
        }
        assert!(columns(&blocks(&sample(&mut random, 257))).is_none());
    }

    #[test]
    fn packing_bits_agrees_with_a_loop() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let (word, mask) = (random.bits(), random.bits() | random.bits());
            let mut expected = 0;
            for (i, cell) in cells(mask).enumerate() {
                expected |= (word >> cell & 1) << i;
            }
            assert_eq!(extract(word, mask), expected);
        }
    }
}
