//! The trainer's search: exact values for labels, and shallow values for ordering and bootstrapping.
//!
//! Nothing here is trusted. Table entries are told apart by a 64-bit hash, and sums may be approximate: a wrong
//! label costs ordering quality, no more.

use crate::board::{Children, Placement, Position, beside, pairs};
use crate::evaluation::Evaluation;

/// Below this many empty squares an entry costs more than it saves.
const TABLE_FROM: u32 = 10;
/// From here on the children are looked up before any is searched.
const EARLY_LOOKUP_FROM: u32 = 18;
/// From here on the learned evaluation orders; below, static terms do.
pub const LEARNED_FROM: u32 = 18;
/// No bound known.
const UNKNOWN: i8 = 100;
const NO_PLACEMENT: u8 = 255;

#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u64,
    lower: i8,
    upper: i8,
    best: u8,
    /// Binary logarithm of the nodes spent; the cheapest entry of a bucket is replaced.
    cost: u8,
}

/// A transposition table with buckets of four entries.
pub struct Table {
    buckets: Vec<[Entry; 4]>,
}

impl Table {
    /// A table of `megabytes` MiB, a power of two.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        Self { buckets: vec![[Entry::default(); 4]; (megabytes << 20) / 64] }
    }

    #[inline]
    fn bucket(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.buckets.len() - 1)
    }

    #[inline]
    fn get(&self, hash: u64) -> Option<Entry> {
        self.buckets[self.bucket(hash)].iter().find(|entry| entry.hash == hash).copied()
    }

    fn put(&mut self, new: Entry) {
        let bucket = self.bucket(new.hash);
        let bucket = &mut self.buckets[bucket];
        if let Some(old) = bucket.iter_mut().find(|entry| entry.hash == new.hash) {
            old.lower = old.lower.max(new.lower);
            old.upper = old.upper.min(new.upper);
            old.cost = old.cost.max(new.cost);
            if new.best != NO_PLACEMENT {
                old.best = new.best;
            }
            return;
        }
        let Some(victim) = bucket.iter_mut().min_by_key(|entry| if entry.hash == 0 { 0 } else { entry.cost })
        else {
            return;
        };
        *victim = new;
        // What is dear grows old, or else stale entries would stay for ever.
        for entry in bucket {
            entry.cost = entry.cost.saturating_sub(u8::from(entry.hash != new.hash && entry.cost > new.cost));
        }
    }
}

/// A 64-bit hash, never zero.
#[inline]
fn hash(position: &Position) -> u64 {
    let mix = |a: u64, b: u64| {
        let product = u128::from(a).wrapping_mul(u128::from(b));
        product as u64 ^ (product >> 64) as u64
    };
    let colours = mix(position.mover ^ 0x9e37_79b9_7f4a_7c15, position.other ^ 0xd1b5_4a32_d192_ed03);
    let ends = mix(
        position.across.wrapping_add(position.mover.rotate_left(23)) ^ 0x8cb9_2ba7_2f3d_8dd7,
        position.down.wrapping_add(position.other.rotate_left(41)) ^ 0xabc9_8388_fb8f_ac03,
    );
    mix(colours ^ 0x2545_f491_4f6c_dd1d, ends ^ colours.rotate_left(32) ^ 0x94d0_49bb_1331_11eb) | 1
}

/// A search with its table and its ordering.
pub struct Search {
    table: Table,
    /// Frames for the children of the nodes on the current path. Boxed, since they are large and change hands often.
    #[allow(clippy::vec_box, reason = "a frame is moved out and in at every node")]
    free: Vec<Box<Children>>,
    /// Null-window nodes since the start.
    pub nodes: u64,
    /// Nodes of ordering searches since the start.
    pub shallow_nodes: u64,
}

impl Search {
    /// A search with an empty table of `megabytes` MiB.
    #[must_use]
    pub fn new(megabytes: usize) -> Self {
        Self { table: Table::new(megabytes), free: Vec::new(), nodes: 0, shallow_nodes: 0 }
    }

    /// The exact value of a position for its mover.
    pub fn value(&mut self, position: &Position, ordering: &Evaluation) -> i32 {
        let (mut lower, mut upper) = (-64, 64);
        let mut guess = if position.empties() < LEARNED_FROM { 0 } else { ordering.discs(position) / 2 * 2 };
        while lower < upper {
            let bound = guess.clamp(lower + 2, upper);
            guess = self.null_window(position, bound, ordering);
            if guess >= bound {
                lower = guess;
            } else {
                upper = guess;
            }
        }
        lower
    }

    /// Fail-soft null window: a result of at least `bound` is a lower bound of the value, any other an upper one.
    pub fn null_window(&mut self, position: &Position, bound: i32, ordering: &Evaluation) -> i32 {
        self.nodes += 1;
        let empties = position.empties();
        let stored = empties >= TABLE_FROM;
        let key = if stored { hash(position) } else { 0 };
        let mut hint = NO_PLACEMENT;
        if stored && let Some(entry) = self.table.get(key) {
            if i32::from(entry.lower) >= bound {
                return i32::from(entry.lower);
            }
            if i32::from(entry.upper) < bound {
                return i32::from(entry.upper);
            }
            hint = entry.best;
        }
        let mut children = self.free.pop().unwrap_or_default();
        position.expand(&mut children);
        if children.len == 0 {
            self.free.push(children);
            let passed = position.passed();
            if passed.mobility() == 0 {
                return position.difference();
            }
            return -self.null_window(&passed, 2 - bound, ordering);
        }
        let before = self.nodes;
        let (best, placement) = self.best_child(position, &mut children, bound, hint, ordering);
        self.free.push(children);
        if stored {
            let cost = (64 - (self.nodes - before).leading_zeros()) as u8 + 1;
            let (lower, upper) = if best >= bound { (best as i8, UNKNOWN) } else { (-UNKNOWN, best as i8) };
            self.table.put(Entry { hash: key, lower, upper, best: placement, cost });
        }
        best
    }

    fn best_child(
        &mut self,
        position: &Position,
        children: &mut Children,
        bound: i32,
        hint: u8,
        ordering: &Evaluation,
    ) -> (i32, u8) {
        let empties = position.empties();
        let (mut best, mut placement) = (-i32::from(UNKNOWN), NO_PLACEMENT);
        for i in 0..children.len {
            children.key[i] = static_key(children, i);
            if children.pairs[i] == 0 {
                // Nobody can place any more.
                let value = -children.get(i, position).difference();
                children.key[i] = i32::MAX;
                if value > best {
                    (best, placement) = (value, children.placement[i].0);
                }
            } else if children.placement[i].0 == hint {
                children.key[i] = i32::MIN;
            }
        }
        if best >= bound {
            return (best, placement);
        }
        if empties >= EARLY_LOOKUP_FROM {
            for i in 0..children.len {
                let Some(entry) = self.table.get(hash(&children.get(i, position))) else { continue };
                if -i32::from(entry.upper) >= bound {
                    return (-i32::from(entry.upper), children.placement[i].0);
                }
                if -i32::from(entry.lower) < bound {
                    best = best.max(-i32::from(entry.lower));
                    children.key[i] = i32::MAX;
                }
            }
        }
        if empties >= LEARNED_FROM {
            let depth = empties.saturating_sub(26) / 4;
            let mut most = f32::NEG_INFINITY;
            for i in 0..children.len {
                if children.key[i] == i32::MAX || children.key[i] == i32::MIN {
                    continue;
                }
                let child = children.get(i, position);
                let value = -self.shallow(&child, depth, f32::NEG_INFINITY, 16.0 - most, ordering);
                most = most.max(value);
                children.key[i] =
                    (-16.0 * value.clamp(-70.0, 70.0)) as i32 + 20 * children.replies[i].cast_signed();
            }
        }
        while let Some(next) = next_child(children) {
            let value = -self.null_window(&children.get(next, position), 2 - bound, ordering);
            if value > best {
                (best, placement) = (value, children.placement[next].0);
                if best >= bound {
                    break;
                }
            }
        }
        (best, placement)
    }

    /// A depth-limited value from the evaluation, in discs.
    pub fn shallow(
        &mut self,
        position: &Position,
        depth: u32,
        mut low: f32,
        high: f32,
        ordering: &Evaluation,
    ) -> f32 {
        self.shallow_nodes += 1;
        if depth == 0 {
            return ordering.value(position);
        }
        let mut children = self.free.pop().unwrap_or_default();
        position.expand(&mut children);
        if children.len == 0 {
            self.free.push(children);
            let passed = position.passed();
            if passed.mobility() == 0 {
                return position.difference() as f32;
            }
            return -self.shallow(&passed, depth, -high, -low, ordering);
        }
        for i in 0..children.len {
            children.key[i] = if depth >= 3 {
                self.shallow_nodes += 1;
                (16.0 * ordering.value(&children.get(i, position))) as i32
            } else {
                static_key(&children, i)
            };
        }
        let mut best = f32::NEG_INFINITY;
        while let Some(next) = next_child(&mut children) {
            let value = -self.shallow(&children.get(next, position), depth - 1, -high, -low, ordering);
            best = best.max(value);
            low = low.max(value);
            if low >= high {
                break;
            }
        }
        self.free.push(children);
        best
    }
}

/// Takes the child of the smallest key that is not yet taken.
#[inline]
fn next_child(children: &mut Children) -> Option<usize> {
    let next = (0..children.len).min_by_key(|&i| children.key[i])?;
    if children.key[next] == i32::MAX {
        return None;
    }
    children.key[next] = i32::MAX;
    Some(next)
}

/// Ordering without learning: few replies, corners and edges, few own discs, few live squares around the domino.
#[inline]
fn static_key(children: &Children, i: usize) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    const EDGES: u64 = 0x3c00_8181_8181_003c;
    let count = |set: u64| set.count_ones().cast_signed();
    let own = children.other[i];
    let empty = !(children.mover[i] | own);
    let (across, down) = pairs(empty);
    let live = across | (across << 1) | down | (down << 8);
    let placed: Placement = children.placement[i];
    16 * children.replies[i].cast_signed() - 8 * count(own & CORNERS) - 4 * count(own & EDGES)
        + 24 * count(placed.squares() & beside(live))
        + count(own)
        - 3 * children.pairs[i].cast_signed()
}
