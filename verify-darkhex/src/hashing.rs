//! A quick hash for the searches' tables, the same on every run.
//!
//! The tables compare full keys, so a poor hash can cost time and nothing else; the standard one costs a third of the
//! whole check.

use std::hash::{BuildHasherDefault, Hasher};

/// A table of a search.
pub type Table<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Folding>>;

/// Multiplies each word in and folds the product.
#[derive(Default)]
pub struct Folding(u64);

impl Folding {
    fn fold(&mut self, word: u64) {
        let mixed = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

impl Hasher for Folding {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.fold(u64::from_le_bytes(*word));
        }
        for &byte in rest {
            self.fold(u64::from(byte));
        }
    }
    fn write_u16(&mut self, word: u16) {
        self.fold(u64::from(word));
    }
    fn write_u32(&mut self, word: u32) {
        self.fold(u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.fold(word);
    }
    fn write_usize(&mut self, word: usize) {
        self.fold(word as u64);
    }
}
