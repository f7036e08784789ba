//! The transposition table: bounds that the search has proved, found again by their full key.
//!
//! A key is 128 bits and loses nothing. `occupied` is the set of squares with a disc. `code` holds, on the first (left
//! or upper) square of each domino, whether it is horizontal, and on its second square whether it belongs to the side
//! to move. Decoding shows that no two views share a key: the lowest occupied square not yet decoded is the first
//! square of its domino, since a second square comes after its first; its bit tells where the partner is, and the
//! partner's bit tells the colour of both. No hash takes part in a comparison; the hash only chooses the bucket.
//!
//! A bucket is one cache line of three entries. All words start as zero, which means "empty": a real key has at least
//! eight occupied squares.

#![allow(clippy::inline_always, reason = "without it the lanes go through memory; measured")]
#![allow(
    clippy::indexing_slicing,
    reason = "buckets are chosen by a mask, ways are below the bucket's three"
)]

use crate::expand::View;
use crate::rules::{Score, Squares};

/// Identifies a view, see the head of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    occupied: Squares,
    code: Squares,
}

impl Key {
    /// The key of a view.
    #[must_use]
    #[inline(always)]
    pub fn of(view: &View) -> Self {
        Self { occupied: view.own | view.other, code: view.left | (view.own & !view.top) }
    }

    /// Spreads the key over the buckets: two rounds of widening multiplication.
    #[inline(always)]
    fn spread(self) -> u64 {
        let fold = |a: u64, b: u64| {
            // The upper half of a 128-bit product always fits.
            let upper = u64::try_from((u128::from(a) * u128::from(b)) >> 64).unwrap_or(0);
            a.wrapping_mul(b) ^ upper
        };
        let first = fold(self.occupied ^ 0x9e37_79b9_7f4a_7c15, self.code ^ 0xd1b5_4a32_d192_ed03);
        fold(first ^ self.code.rotate_left(32), 0xa076_1d64_78bd_642f)
    }
}

/// Number of a placement as a hint for the order of moves: no bound follows from it.
pub type Hint = u8;
/// No placement known.
pub const NO_HINT: Hint = 255;

/// What was proved about a view and two hints for the order of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The value is at least this.
    pub lower: Score,
    /// The value is at most this.
    pub upper: Score,
    /// The placement that did best.
    pub first: Hint,
    /// The one that did best before.
    pub second: Hint,
}

const WAYS: usize = 3;

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket {
    occupied: [Squares; WAYS],
    code: [Squares; WAYS],
    lower: [i8; WAYS],
    upper: [i8; WAYS],
    first: [Hint; WAYS],
    second: [Hint; WAYS],
    /// Logarithm of the nodes that the entry has cost; the cheapest of a bucket makes room.
    cost: [u8; WAYS],
}

/// No bound known on this side: beyond every score, and it fits the table's byte.
pub const UNKNOWN: Score = 100;

/// A table of fixed size.
pub struct Table {
    buckets: Vec<Bucket>,
    mask: u64,
}

impl Table {
    /// A table of at most `megabytes` (at least 1): the number of buckets is the largest power of two that fits.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        let fitting = megabytes.max(1).saturating_mul((1 << 20) / size_of::<Bucket>());
        let count = 1usize << fitting.ilog2();
        Self { buckets: vec![Bucket::default(); count], mask: count as u64 - 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
    }

    #[inline(always)]
    fn index(&self, key: Key) -> usize {
        // Below the number of buckets, which is a usize.
        usize::try_from(key.spread() & self.mask).unwrap_or(0)
    }

    /// Starts to fetch the bucket of a key from memory: a plain read whose result nobody waits for. Returns a word
    /// that the caller should keep alive so that the read is not left out.
    #[must_use]
    #[inline(always)]
    pub fn touch(&self, key: Key) -> u64 {
        self.buckets[self.index(key)].occupied[0]
    }

    /// What is known about this very key.
    #[must_use]
    #[inline(always)]
    pub fn look_up(&self, key: Key) -> Option<Known> {
        let bucket = &self.buckets[self.index(key)];
        let way =
            (0..WAYS).find(|&way| bucket.occupied[way] == key.occupied && bucket.code[way] == key.code)?;
        Some(Known {
            lower: Score::from(bucket.lower[way]),
            upper: Score::from(bucket.upper[way]),
            first: bucket.first[way],
            second: bucket.second[way],
        })
    }

    /// Adds proved bounds (`-UNKNOWN` and `UNKNOWN` where there is none) to what is known; they intersect.
    #[inline(always)]
    pub fn store(&mut self, key: Key, lower: Score, upper: Score, best: Hint, cost: u8) {
        // Scores fit a byte; should one not, nothing is stored.
        let (Ok(lower), Ok(upper)) = (i8::try_from(lower), i8::try_from(upper)) else { return };
        let index = self.index(key);
        let bucket = &mut self.buckets[index];
        let mut way = 0;
        for candidate in 0..WAYS {
            if bucket.occupied[candidate] == key.occupied && bucket.code[candidate] == key.code {
                bucket.lower[candidate] = bucket.lower[candidate].max(lower);
                bucket.upper[candidate] = bucket.upper[candidate].min(upper);
                if best != NO_HINT && best != bucket.first[candidate] {
                    bucket.second[candidate] = bucket.first[candidate];
                    bucket.first[candidate] = best;
                }
                bucket.cost[candidate] = bucket.cost[candidate].max(cost);
                return;
            }
            if bucket.occupied[candidate] == 0 {
                if bucket.occupied[way] != 0 {
                    way = candidate;
                }
            } else if bucket.occupied[way] != 0 && bucket.cost[candidate] < bucket.cost[way] {
                way = candidate;
            }
        }
        bucket.occupied[way] = key.occupied;
        bucket.code[way] = key.code;
        bucket.lower[way] = lower;
        bucket.upper[way] = upper;
        bucket.first[way] = best;
        bucket.second[way] = NO_HINT;
        bucket.cost[way] = cost;
    }
}
