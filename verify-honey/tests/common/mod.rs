//! What tests share: a generator of random numbers, and the recursion that the solver must agree with.
#![allow(dead_code, reason = "not every test file uses all of it")]

use std::collections::HashMap;
use verify_honey::board::{Mask, cells_of};
use verify_honey::rules::{Rule, Value, determined, undetermined, with_black};

/// The generator `SplitMix64`.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }
}

/// The recursion of the rules, with the values of each set of stones remembered: nothing but stones is a key.
pub fn value_by_stones(rule: Rule, left: &[Mask], stones: Mask, known: &mut HashMap<Mask, Value>) -> Value {
    if left.len() == 1 {
        return Value::Lost;
    }
    if let Some(&value) = known.get(&stones) {
        return value;
    }
    let mut cells: Vec<usize> = cells_of(undetermined(left)).collect();
    if rule == Rule::RedundantHint {
        cells.extend(cells_of(determined(left) & !stones).take(1));
    }
    let won = cells.iter().any(|&cell| {
        value_by_stones(rule, &with_black(left, cell), stones | 1 << cell, known) == Value::Lost
    });
    let value = if won { Value::Won } else { Value::Lost };
    known.insert(stones, value);
    value
}
