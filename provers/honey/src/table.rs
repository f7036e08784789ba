//! The transposition table: exact keys, four entries to a cache line.
//!
//! An entry is the determined-black mask `D` and two sets of numbers `p` of redundant hints: bit `p` if `(D, p)` is
//! lost for the player to move, bit `32 + p` if it is won. The standard rule uses `p = 0` alone. A full line gives up
//! the entry with most determined cells, which has the smallest tree below it.

use crate::Value;
use anyhow::Context;
use memmap2::MmapMut;

type Line = [u64; 8];

/// Anonymous memory, so that it can ask for huge pages: address translation is the cost of a probe.
pub struct Table {
    memory: MmapMut,
    mask: usize,
}

impl Table {
    /// A table of `2^bits` entries of 16 bytes; `bits >= 2`.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn new(bits: u32) -> anyhow::Result<Self> {
        let lines = 1_usize << (bits.max(2) - 2);
        let memory = MmapMut::map_anon(lines * size_of::<Line>()).context("memory for the table")?;
        #[cfg(target_os = "linux")]
        if let Err(error) = memory.advise(memmap2::Advice::HugePage) {
            eprintln!("no huge pages ({error}): the search will be slower");
        }
        Ok(Self { memory, mask: lines - 1 })
    }

    fn place(&self, closure: u64) -> usize {
        let x = closure.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 20) as usize & self.mask
    }

    /// Starts to load the line of a key that will be wanted soon.
    #[inline(always)]
    #[allow(unsafe_code, reason = "a prefetch has no safe name; without it half the time is spent waiting")]
    pub fn prefetch(&self, closure: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing into the program, and the address lies in the table.
        unsafe {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let lines: &[Line] = bytemuck::cast_slice(&self.memory);
            _mm_prefetch::<_MM_HINT_T0>((&raw const lines[self.place(closure)]).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = closure;
    }

    /// The value of `(closure, p)` for the player to move, if it is known.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, closure: u64, p: u32) -> Option<Value> {
        let line = &bytemuck::cast_slice::<_, Line>(&self.memory)[self.place(closure)];
        for entry in line.as_chunks::<2>().0 {
            if entry[0] == closure {
                return match entry[1] >> p & 0x1_0000_0001 {
                    0 => None,
                    1 => Some(Value::Loss),
                    _ => Some(Value::Win),
                };
            }
        }
        None
    }

    /// Remembers the value of `(closure, p)`; a closure of no cells is never stored.
    #[inline(always)]
    pub fn put(&mut self, closure: u64, p: u32, value: Value) {
        if closure == 0 {
            return;
        }
        let place = self.place(closure);
        let line = &mut bytemuck::cast_slice_mut::<_, Line>(&mut self.memory)[place];
        let bit = 1 << if value == Value::Win { 32 + p } else { p };
        let entries = line.as_chunks_mut::<2>().0;
        let mut victim = (0, 0);
        for (i, entry) in entries.iter_mut().enumerate() {
            if entry[0] == closure {
                entry[1] |= bit;
                return;
            }
            if entry[0] == 0 {
                *entry = [closure, bit];
                return;
            }
            victim = victim.max((entry[0].count_ones(), i));
        }
        entries[victim.1] = [closure, bit];
    }
}

/// A cache for the smallest positions that stays in the nearest memory: one exact entry a slot, 8 bytes, the value in
/// the three bits above the cells; a separate part for each `p` below 8.
pub struct SmallTable {
    slots: Vec<u64>,
    bits: u32,
}

const SMALL_HINTS: u32 = 8;

impl SmallTable {
    /// `2^bits` slots for each `p`.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self { slots: vec![0; (SMALL_HINTS as usize) << bits], bits }
    }

    fn place(&self, closure: u64, p: u32) -> usize {
        let x = closure.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ x >> 29).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (p as usize) << self.bits | (x >> (64 - self.bits)) as usize
    }

    /// The value of `(closure, p)`, if it is known.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, closure: u64, p: u32) -> Option<Value> {
        if p >= SMALL_HINTS {
            return None;
        }
        match self.slots[self.place(closure, p)] ^ closure {
            LOSS => Some(Value::Loss),
            WIN => Some(Value::Win),
            _ => None,
        }
    }

    /// Remembers the value of `(closure, p)`.
    #[inline(always)]
    pub fn put(&mut self, closure: u64, p: u32, value: Value) {
        if p < SMALL_HINTS {
            let place = self.place(closure, p);
            self.slots[place] = closure | if value == Value::Win { WIN } else { LOSS };
        }
    }
}

const LOSS: u64 = 1 << 61;
const WIN: u64 = 2 << 61;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::HashMap;

    #[test]
    fn a_crowded_table_forgets_but_never_lies() {
        let mut random = Random(5);
        let mut truth = HashMap::new();
        let (mut table, mut small) = (Table::new(6).unwrap(), SmallTable::new(4));
        let mut known = 0;
        for _ in 0..20_000 {
            let (closure, p) = (1 + random.bits() % 500, u32::try_from(random.below(26)).unwrap());
            let value = *truth.entry((closure, p)).or_insert(if random.bits() & 1 == 0 {
                Value::Win
            } else {
                Value::Loss
            });
            for found in [table.get(closure, p), small.get(closure, p)].into_iter().flatten() {
                assert_eq!(found, value);
                known += 1;
            }
            table.put(closure, p, value);
            small.put(closure, p, value);
            assert_eq!(table.get(closure, p), Some(value));
        }
        assert!(known > 100);
    }
}
