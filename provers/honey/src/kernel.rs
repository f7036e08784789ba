//! Counting over bit matrices, the inner loops of the search.
//!
//! Up to 64 solutions form a block: word `c` has bit `i` set if cell `c` is black in solution `i`. More solutions are a
//! slice of blocks, all full but the last. For a cell `c`, `popcount(block[c] & block[x])` over all `x` at once says
//! how often each cell is black among the solutions that a stone on `c` leaves.
//!
//! These loops take nearly all the time, and the compiler does not find the wide popcounts and mask moves by itself, so
//! they are written a second time for AVX-512. That version is chosen when the build targets such a processor.

/// Up to 64 solutions, one word a cell.
pub type Block = [u64; 64];

/// What a move leaves, by cells of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// Cells that are black in exactly one remaining solution: an immediate win for whoever is to move.
    pub single: u64,
    /// Cells that are black in all remaining solutions; 0 if there is an immediate win.
    pub closure: u64,
}

/// The blocks of a list of solutions.
#[must_use]
pub fn blocks(list: &[u64]) -> Vec<Block> {
    let mut blocks = vec![[0; 64]; list.len().div_ceil(64)];
    for (block, chunk) in blocks.iter_mut().zip(list.chunks(64)) {
        for (i, &solution) in chunk.iter().enumerate() {
            for cell in crate::board::cells(solution) {
                block[cell] |= 1 << i;
            }
        }
    }
    blocks
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
        } else if filled + kept == 64 {
            for (word, &source) in here.iter_mut().zip(block) {
                *word |= extract(source, keep) << filled;
            }
            *next = [0; 64];
            (used, filled) = (used + 1, 0);
        } else {
            for ((word, more), &source) in here.iter_mut().zip(next).zip(block) {
                let bits = extract(source, keep);
                *word |= bits << filled;
                *more = bits >> (64 - filled);
            }
            (used, filled) = (used + 1, filled + kept - 64);
        }
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

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vpopcntdq"))]
pub use wide::{after, after_small, counts, counts_small, equal};

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vpopcntdq"
)))]
pub use portable::{after, after_small, counts, counts_small, equal};

/// The same in plain Rust.
pub mod portable {
    use super::{After, Block};

    /// How many solutions have each cell black.
    #[must_use]
    pub fn counts(blocks: &[Block]) -> [u32; 64] {
        let mut counts = [0; 64];
        for block in blocks {
            for (count, word) in counts.iter_mut().zip(block) {
                *count += word.count_ones();
            }
        }
        counts
    }

    /// What a stone on `cell` leaves; `n` is the number of solutions in which it is black.
    #[must_use]
    pub fn after(blocks: &[Block], cell: usize, n: u32) -> After {
        let mut counts = [0; 64];
        for block in blocks.iter().filter(|block| block[cell] != 0) {
            for (count, word) in counts.iter_mut().zip(block) {
                *count += (word & block[cell]).count_ones();
            }
        }
        classify(|x| counts[x], n)
    }

    /// What the `n` solutions `kept` of one block have in common.
    #[must_use]
    pub fn after_small(block: &Block, kept: u64, n: u32) -> After {
        classify(|x| (block[x] & kept).count_ones(), n)
    }

    fn classify(count: impl Fn(usize) -> u32, n: u32) -> After {
        let single = (0..64).fold(0, |set, x| set | u64::from(count(x) == 1) << x);
        if single != 0 {
            return After { single, closure: 0 };
        }
        After { single, closure: (0..64).fold(0, |set, x| set | u64::from(count(x) == n) << x) }
    }

    /// How many of the solutions `kept` of one block have each cell black.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "a word has at most 64 ones")]
    pub fn counts_small(block: &Block, kept: u64) -> [u8; 64] {
        block.map(|word| (word & kept).count_ones() as u8)
    }

    /// The cells with count `x`.
    #[must_use]
    pub fn equal(counts: &[u8; 64], x: u8) -> u64 {
        counts.iter().rev().fold(0, |set, &count| set << 1 | u64::from(count == x))
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vpopcntdq"))]
#[allow(
    unsafe_code,
    clippy::cast_possible_wrap,
    reason = "intrinsics: loads and stores stay inside the arrays that are passed by reference"
)]
mod wide {
    use super::{After, Block};
    use core::arch::x86_64::{
        __m512i, _mm_storel_epi64, _mm256_storeu_si256, _mm512_add_epi64, _mm512_and_si512,
        _mm512_cmpeq_epi8_mask, _mm512_cmpeq_epi64_mask, _mm512_cvtepi64_epi8, _mm512_cvtepi64_epi32,
        _mm512_kunpackb, _mm512_kunpackd, _mm512_kunpackw, _mm512_loadu_si512, _mm512_popcnt_epi64,
        _mm512_set1_epi8, _mm512_set1_epi64, _mm512_setzero_si512,
    };

    /// Eight cells a register.
    type Row = [__m512i; 8];

    /// # Safety
    /// The processor must have AVX-512 F, BW and VPOPCNTDQ.
    #[inline(always)]
    unsafe fn common(block: &Block, kept: u64) -> Row {
        // SAFETY: `k * 8 + 8 <= 64`, so each load stays inside the block.
        unsafe {
            let kept = _mm512_set1_epi64(kept as i64);
            std::array::from_fn(|k| {
                let words = _mm512_loadu_si512(block.as_ptr().add(k * 8).cast());
                _mm512_popcnt_epi64(_mm512_and_si512(kept, words))
            })
        }
    }

    /// # Safety
    /// As for [`common`].
    #[inline(always)]
    unsafe fn add(to: &mut Row, row: &Row) {
        for (sum, &part) in to.iter_mut().zip(row) {
            // SAFETY: no memory is touched.
            *sum = unsafe { _mm512_add_epi64(*sum, part) };
        }
    }

    /// The cells whose count is `x`.
    /// # Safety
    /// As for [`common`].
    #[inline(always)]
    unsafe fn where_equal(row: &Row, x: u32) -> u64 {
        // SAFETY: no memory is touched.
        unsafe {
            let x = _mm512_set1_epi64(i64::from(x));
            let byte = |k: usize| u16::from(_mm512_cmpeq_epi64_mask(row[k], x));
            let pair = |k: usize| u32::from(_mm512_kunpackb(byte(k + 1), byte(k)));
            let four = |k: usize| u64::from(_mm512_kunpackw(pair(k + 2), pair(k)));
            _mm512_kunpackd(four(4), four(0))
        }
    }

    /// # Safety
    /// As for [`common`].
    #[inline(always)]
    unsafe fn classify(row: &Row, n: u32) -> After {
        // SAFETY: passed on to the caller.
        unsafe {
            let single = where_equal(row, 1);
            After { single, closure: if single == 0 { where_equal(row, n) } else { 0 } }
        }
    }

    /// How many solutions have each cell black.
    #[must_use]
    pub fn counts(blocks: &[Block]) -> [u32; 64] {
        let mut counts = [0_u32; 64];
        // SAFETY: the features are those of the build; eight stores of eight `u32` fill the array.
        unsafe {
            let mut sums = [_mm512_setzero_si512(); 8];
            for block in blocks {
                add(&mut sums, &common(block, u64::MAX));
            }
            for (k, &sum) in sums.iter().enumerate() {
                _mm256_storeu_si256(counts.as_mut_ptr().add(k * 8).cast(), _mm512_cvtepi64_epi32(sum));
            }
        }
        counts
    }

    /// What a stone on `cell` leaves; `n` is the number of solutions in which it is black.
    #[inline]
    #[must_use]
    pub fn after(blocks: &[Block], cell: usize, n: u32) -> After {
        // SAFETY: the features are those of the build.
        unsafe {
            let mut sums = [_mm512_setzero_si512(); 8];
            for block in blocks {
                let kept = block[cell];
                if kept != 0 {
                    add(&mut sums, &common(block, kept));
                }
            }
            classify(&sums, n)
        }
    }

    /// What the `n` solutions `kept` of one block have in common.
    #[inline]
    #[must_use]
    pub fn after_small(block: &Block, kept: u64, n: u32) -> After {
        // SAFETY: the features are those of the build.
        unsafe { classify(&common(block, kept), n) }
    }

    /// How many of the solutions `kept` of one block have each cell black.
    #[inline]
    #[must_use]
    pub fn counts_small(block: &Block, kept: u64) -> [u8; 64] {
        let mut counts = [0_u8; 64];
        // SAFETY: the features are those of the build; eight stores of eight bytes fill the array.
        unsafe {
            for (k, &words) in common(block, kept).iter().enumerate() {
                _mm_storel_epi64(counts.as_mut_ptr().add(k * 8).cast(), _mm512_cvtepi64_epi8(words));
            }
        }
        counts
    }

    /// The cells with count `x`.
    #[inline]
    #[must_use]
    pub fn equal(counts: &[u8; 64], x: u8) -> u64 {
        // SAFETY: the features are those of the build; one load of 64 bytes reads the array.
        unsafe {
            _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(counts.as_ptr().cast()), _mm512_set1_epi8(x as i8))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn sample(random: &mut Random, n: usize) -> Vec<u64> {
        (0..n).map(|_| random.next() & random.next() & crate::board::ALL).collect()
    }

    #[test]
    fn the_chosen_kernels_agree_with_the_portable_ones() {
        let mut random = Random(1);
        for n in [1, 2, 3, 63, 64, 65, 128, 200, 1000] {
            let list = sample(&mut random, n);
            let blocks = blocks(&list);
            let counts = counts(&blocks);
            assert_eq!(counts, portable::counts(&blocks));
            for (cell, &count) in counts.iter().enumerate() {
                assert_eq!(after(&blocks, cell, count), portable::after(&blocks, cell, count));
                let kept = blocks[0][cell];
                let small = counts_small(&blocks[0], kept);
                assert_eq!(small, portable::counts_small(&blocks[0], kept));
                assert_eq!(
                    after_small(&blocks[0], kept, kept.count_ones()),
                    portable::after_small(&blocks[0], kept, kept.count_ones())
                );
                for x in [0, 1, 2, 5, 64] {
                    assert_eq!(equal(&small, x), portable::equal(&small, x));
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
    fn packing_bits_agrees_with_a_loop() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let (word, mask) = (random.next(), random.next() | random.next());
            let mut expected = 0;
            for (i, cell) in crate::board::cells(mask).enumerate() {
                expected |= (word >> cell & 1) << i;
            }
            assert_eq!(extract(word, mask), expected);
        }
    }
}
