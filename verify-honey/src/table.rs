//! Transposition table: values of positions by their full key.
//!
//! A position is the determined-black mask `D` of its solutions and `p`, the determined-black cells without a stone.
//! One entry holds the values of `D` for all `p` (at most 25) as two bit sets. Whole masks are compared, never a hash
//! alone, so the table can forget and cannot confuse.
#![allow(clippy::indexing_slicing, reason = "buckets are indexed by a masked hash, ways by a constant range")]

use crate::board::Mask;

const WAYS: usize = 4;
/// A mask has 61 bits; the three above hold the class of the entry's size, for replacement only.
const KEY: u64 = (1 << 61) - 1;

/// What is known about a determined-black mask: bit `p` of `won` and `lost`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub won: u32,
    pub lost: u32,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    known: Known,
}

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

/// A table of a power of two of buckets of 64 bytes.
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    /// Buckets in use, less one: a small position does not pay for clearing a large table.
    mask: usize,
}

impl Table {
    /// A table of at most `bytes` bytes, and at least one bucket.
    pub fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        let size = 1 << buckets.ilog2();
        Table { buckets: vec![Bucket::default(); size], mask: size - 1 }
    }

    /// Empties the table and uses at most `buckets` of its buckets from now on.
    pub fn clear(&mut self, buckets: usize) {
        let used = buckets.next_power_of_two().min(self.buckets.len());
        self.mask = used - 1;
        self.buckets[..used].fill(Bucket::default());
    }

    fn bucket(&self, key: Mask) -> usize {
        // The high bits of a product depend on all bits of the key; half of them come down to where the mask is.
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        usize::try_from(hash >> 32).unwrap_or(0) & self.mask
    }

    pub fn get(&self, key: Mask) -> Known {
        let ways = &self.buckets[self.bucket(key)].0;
        ways.iter().find(|entry| entry.key & KEY == key).map_or(Known::default(), |entry| entry.known)
    }

    /// Adds values of a position with `solutions` solutions left. A full bucket loses its entry of the least class.
    pub fn put(&mut self, key: Mask, solutions: usize, new: Known) {
        debug_assert!(key != 0, "the empty mask marks a free entry");
        let class = u64::from(solutions.max(1).ilog2() / 2).min(7);
        let bucket = self.bucket(key);
        let ways = &mut self.buckets[bucket].0;
        let mut victim = 0;
        for way in 0..WAYS {
            if ways[way].key & KEY == key {
                ways[way].known.won |= new.won;
                ways[way].known.lost |= new.lost;
                return;
            }
            let (this, least) = (ways[way].key, ways[victim].key);
            if least != 0 && (this == 0 || this >> 61 < least >> 61) {
                victim = way;
            }
        }
        ways[victim] = Entry { key: key | class << 61, known: new };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_forgets_and_never_confuses() {
        let mut table = Table::new(64);
        table.clear(1);
        for key in 1..100u64 {
            table.put(key, 100, Known { won: 1 << (key % 20), lost: 0 });
        }
        let kept: Vec<u64> = (1..100).filter(|&key| table.get(key) != Known::default()).collect();
        assert_eq!(kept.len(), WAYS);
        for key in kept {
            assert_eq!(table.get(key), Known { won: 1 << (key % 20), lost: 0 });
        }
    }

    #[test]
    fn values_of_one_mask_add_up_and_clearing_forgets_them() {
        let mut table = Table::new(1 << 12);
        table.clear(1 << 6);
        table.put(5, 10, Known { won: 1, lost: 2 });
        table.put(5, 10, Known { won: 4, lost: 0 });
        assert_eq!(table.get(5), Known { won: 5, lost: 2 });
        table.clear(1 << 6);
        assert_eq!(table.get(5), Known::default());
    }
}
