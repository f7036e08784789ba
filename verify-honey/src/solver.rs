//! Who wins a position: depth-first search over the solutions still possible.
//!
//! Notation. `S` is the set of solutions left, `D` the cells black in all of them, `S[c]` those with `c` black. A move on
//! an undetermined `c` leads to `S[c]`. `p` counts determined-black cells without a stone; it is 0 under the standard
//! rule, where it plays no part. Then `f(S, p)` = the mover wins if some `f(S[c], p + g)` is lost, or `p > 0` and
//! `f(S, p - 1)` is lost, with `g = |D(S[c])| - |D(S)| - 1`: the new determined cells, one of which gets the stone.
//! `|S| = 1` is lost before any hint is counted. `D` determines `S`, so `(D, p)` is an exact key.
//!
//! A *finish* of `S` is a cell that is black in exactly one solution: the mover takes it and wins. Every searched node
//! has at least two solutions and no finish, hence no move to a single solution. A child with a finish is won for the
//! opponent whatever `p` is; the others are *safe* moves. Without a safe move each regular move loses, so the mover
//! wins exactly if `p` is odd: hints are exchanged until they run out.
//!
//! Shortcuts, each with a switch in [`Shortcuts`] that the tests turn off:
//! * pair cover: if `x` is a finish of `S[c]`, then `|S[c][x]| = 1` and, no cell being a finish of `S`, `c` is a finish
//!   of `S[x]`. So `x` is not safe either and is not looked at.
//! * merging: equal `D` means equal sets, so of moves with the same `D(S[c])` one is searched.
//! * early look-ups: all children are looked up before the first is searched.
//! * partner: the opponent refutes `c` by `r`, that is, `U = S[c][r]` is lost for the mover of `S`. After `r` the
//!   opponent answers `c` and reaches `U` with the same `p`, so `r` fails as well. If `c` is determined in `S[r]`, then
//!   `S[r] = U`. Under the standard rule `r` itself then reaches a lost position: the mover wins. Under the
//!   redundant-hint rule `r` leads to `U` with one more empty determined cell; the opponent takes it with a hint and
//!   reaches `U` with the same `p`, so `r` still fails.
//! * blocks: 64 solutions or fewer are numbered, and a set is a word of their numbers.
//! * early end of a scan, see [`look_list`].
//!
//! Cost. Looking at a child takes one pass with a few word operations a solution that compile to vector code, recursion
//! one filtering. The list of solutions should be in random order, so that scans end early.
//!
//! Recursion depth is bounded by the rules: each move determines at least one of 25 cells.
#![allow(
    clippy::indexing_slicing,
    reason = "hot tables are indexed by cells (below 64) and by the numbers of set bits of one word"
)]

use crate::board::Mask;
use crate::rules::{Rule, Value};
use crate::table::{Known, Table};

/// Switches of the shortcuts; all are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent switch for the tests")]
pub struct Shortcuts {
    /// See the module's head.
    pub pair_cover: bool,
    /// See the module's head.
    pub merging: bool,
    /// See the module's head.
    pub early_look_ups: bool,
    /// See the module's head.
    pub partner: bool,
    /// See the module's head.
    pub blocks: bool,
    /// End scans as soon as nothing can change.
    pub short_scans: bool,
    /// Keep values at all.
    pub tables: bool,
}

impl Shortcuts {
    /// Everything on.
    pub const ALL: Shortcuts = Shortcuts {
        pair_cover: true,
        merging: true,
        early_look_ups: true,
        partner: true,
        blocks: true,
        short_scans: true,
        tables: true,
    };
    /// Everything off but the tables, without which no large position can be solved.
    pub const NONE: Shortcuts = Shortcuts {
        pair_cover: false,
        merging: false,
        early_look_ups: false,
        partner: false,
        blocks: false,
        short_scans: false,
        tables: true,
    };
}

/// Solutions at and above which a position goes to the large table; below, to the small one that fits the cache.
const LARGE: [u32; 2] = [32, 16];
/// Solutions below which a position is searched again rather than kept.
const KEPT: u32 = 6;
const SMALL_TABLE_BYTES: usize = 1 << 18;
const BLOCK: usize = 64;

/// Solves positions; the tables are emptied for each, so that counters do not depend on what was solved before.
pub struct Solver {
    rule: Rule,
    shortcuts: Shortcuts,
    large: Table,
    small: Table,
    /// One list of solutions per level of the recursion.
    lists: Vec<Vec<Mask>>,
    nodes: u64,
}

/// A set of solutions: a list, or a word over a block.
#[derive(Clone, Copy)]
enum Set<'a> {
    List(&'a [Mask]),
    Block(&'a Block, u64),
}

/// At most 64 solutions, by rows and by columns: `columns[c]` has the numbers of the solutions with cell `c` black.
struct Block {
    rows: [Mask; BLOCK],
    columns: [u64; 64],
}

impl Block {
    fn new(list: &[Mask]) -> Self {
        let mut rows = [0; BLOCK];
        rows[..list.len()].copy_from_slice(list);
        let mut columns = rows;
        transpose(&mut columns);
        Block { rows, columns }
    }
}

/// Transposes a 64 by 64 bit matrix in place: swaps ever smaller off-diagonal squares (Hacker's Delight, 7-3).
fn transpose(rows: &mut [u64; 64]) {
    let mut width = 32;
    let mut low: u64 = 0xffff_ffff;
    while width != 0 {
        for base in (0..64).step_by(2 * width) {
            for row in base..base + width {
                let swap = (rows[row] >> width ^ rows[row + width]) & low;
                rows[row] ^= swap << width;
                rows[row + width] ^= swap;
            }
        }
        width /= 2;
        low ^= low << width;
    }
}

/// What one pass over a child tells: its finishes and its determined cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    finishes: Mask,
    determined: Mask,
}

/// A pass over solutions: which cells were black once, black twice, and white at least once. Eight lanes, so that the
/// compiler can use vectors; the lanes meet in [`Scan::meet`].
struct Scan {
    once: [Mask; LANES],
    twice: [Mask; LANES],
    white: [Mask; LANES],
}

const LANES: usize = 8;

impl Scan {
    fn new() -> Self {
        Scan { once: [0; LANES], twice: [0; LANES], white: [0; LANES] }
    }

    /// Takes those of eight solutions in which `cell` is black.
    #[inline]
    fn step(&mut self, solutions: &[Mask; LANES], cell: usize) {
        for (lane, solution) in solutions.iter().enumerate() {
            let chosen = 0u64.wrapping_sub(solution >> cell & 1);
            let black = solution & chosen;
            self.twice[lane] |= self.once[lane] & black;
            self.once[lane] |= black;
            self.white[lane] |= chosen & !solution;
        }
    }

    fn meet(&self) -> (Mask, Mask, Mask) {
        (0..LANES).fold((0, 0, 0), |(once, twice, white), lane| {
            let also = self.once[lane];
            (once | also, twice | self.twice[lane] | once & also, white | self.white[lane])
        })
    }
}

/// Looks at `S[cell]` in a list that holds `S`; `open` are the undetermined cells of `S`.
///
/// The sets of a [`Scan`] only grow. Once every open cell was black twice and every open cell but `cell` was white once,
/// no further solution can make a finish or a determined cell, and the scan ends.
fn look_list(list: &[Mask], cell: usize, open: Mask, short: bool) -> Look {
    let mut scan = Scan::new();
    let (eights, remainder) = list.as_chunks::<LANES>();
    let mut ended = false;
    for group in eights.chunks(LANES) {
        for eight in group {
            scan.step(eight, cell);
        }
        if short {
            let (_, twice, white) = scan.meet();
            if open & !(twice & (white | 1 << cell)) == 0 {
                ended = true;
                break;
            }
        }
    }
    if !ended {
        // A solution without black cells is never chosen, so it may fill the last eight.
        let mut tail = [0; LANES];
        tail[..remainder.len()].copy_from_slice(remainder);
        scan.step(&tail, cell);
    }
    let (once, twice, white) = scan.meet();
    Look { finishes: once & !twice, determined: once & !white }
}

/// The number of solutions in which each cell is black, by vertical counters: plane `k` holds bit `k` of all counts.
fn count_list(list: &[Mask]) -> [u32; 64] {
    const PLANES: usize = 32;
    let mut planes = [0u64; PLANES];
    let mut add = |weight: usize, bits: u64| {
        let mut carry = bits;
        for plane in &mut planes[weight..] {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                break;
            }
        }
    };
    let full = |a: u64, b: u64, c: u64| (a ^ b ^ c, a & b | c & (a ^ b));
    let mut sevens = list.chunks_exact(7);
    for seven in sevens.by_ref() {
        let (sum_a, carry_a) = full(seven[0], seven[1], seven[2]);
        let (sum_b, carry_b) = full(seven[3], seven[4], seven[5]);
        let (ones, carry_c) = full(sum_a, sum_b, seven[6]);
        let (twos, fours) = full(carry_a, carry_b, carry_c);
        add(0, ones);
        add(1, twos);
        add(2, fours);
    }
    for &solution in sevens.remainder() {
        add(0, solution);
    }
    let used = (list.len().max(1).ilog2() as usize + 1).min(PLANES);
    let mut counts = [0u32; 64];
    for (weight, &plane) in planes[..used].iter().enumerate() {
        for (cell, count) in counts.iter_mut().enumerate() {
            *count |= u32::from(plane >> cell & 1 == 1) << weight;
        }
    }
    counts
}

impl Set<'_> {
    fn len(self) -> usize {
        match self {
            Set::List(list) => list.len(),
            Set::Block(_, alive) => alive.count_ones() as usize,
        }
    }

    /// How many solutions have each cell black.
    fn counts(self) -> [u32; 64] {
        match self {
            Set::List(list) => count_list(list),
            Set::Block(block, alive) => {
                let mut counts = [0; 64];
                for (count, column) in counts.iter_mut().zip(&block.columns) {
                    *count = (alive & column).count_ones();
                }
                counts
            }
        }
    }

    fn look(self, cell: usize, open: Mask, short: bool) -> Look {
        match self {
            Set::List(list) => look_list(list, cell, open, short),
            Set::Block(block, alive) => {
                let mut chosen = alive & block.columns[cell];
                let (mut once, mut twice, mut white) = (0, 0, 0);
                while chosen != 0 {
                    let solution = block.rows[chosen.trailing_zeros() as usize];
                    chosen &= chosen - 1;
                    twice |= once & solution;
                    once |= solution;
                    white |= !solution;
                }
                Look { finishes: once & !twice, determined: once & !white }
            }
        }
    }
}

/// The undetermined cells, fewest solutions first, ties by number. Returns how many, and their mask.
fn order(counts: &[u32; 64], solutions: usize, cells: &mut [u8; 64]) -> (usize, Mask) {
    let (mut length, mut open) = (0, 0);
    if solutions <= BLOCK {
        // Counts are below 64: one word of cells per count.
        let (mut by_count, mut used) = ([0u64; BLOCK], 0u64);
        for (cell, &count) in counts.iter().enumerate() {
            let count = count as usize;
            if count != 0 && count < solutions {
                by_count[count] |= 1 << cell;
                used |= 1 << count;
                open |= 1 << cell;
            }
        }
        while used != 0 {
            let mut these = by_count[used.trailing_zeros() as usize];
            used &= used - 1;
            while these != 0 {
                cells[length] = small(these.trailing_zeros());
                these &= these - 1;
                length += 1;
            }
        }
    } else {
        for (cell, &count) in (0u8..64).zip(counts) {
            if count != 0 && (count as usize) < solutions {
                cells[length] = cell;
                open |= 1 << cell;
                length += 1;
            }
        }
        cells[..length].sort_unstable_by_key(|&cell| (counts[usize::from(cell)], cell));
    }
    (length, open)
}

/// A cell number as a byte.
fn small(cell: u32) -> u8 {
    u8::try_from(cell).unwrap_or(u8::MAX)
}

/// A safe move.
#[derive(Clone, Copy, Default)]
struct Move {
    cell: u8,
    count: u32,
    determined: Mask,
}

/// The value of a searched node, and the cell by which it is won if a stone on an undetermined cell wins.
#[derive(Clone, Copy)]
struct Reply {
    value: Value,
    by: Option<u8>,
}

/// A solved position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solved {
    /// Who wins.
    pub value: Value,
    /// Nodes searched: depends on the position, the rule, the shortcuts and the size of the table, on nothing else.
    pub nodes: u64,
}

impl Solver {
    /// A solver whose large table takes at most `table_bytes` (and at least one bucket of 64 bytes).
    #[must_use]
    pub fn new(rule: Rule, table_bytes: usize, shortcuts: Shortcuts) -> Self {
        Solver {
            rule,
            shortcuts,
            large: Table::new(table_bytes),
            small: Table::new(SMALL_TABLE_BYTES),
            lists: vec![Vec::new(); 64],
            nodes: 0,
        }
    }

    /// The rule that it plays by.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Solves the position with these solutions left and `p` determined-black cells without a stone.
    ///
    /// A position without solutions does not occur in the game; it counts as lost.
    pub fn solve(&mut self, solutions: &[Mask], p: u32) -> Solved {
        // At most about one node in eight solutions of the root per bucket was ever useful; a power of two near it.
        self.large.clear(solutions.len().saturating_mul(64).max(1 << 10));
        self.small.clear(usize::MAX / 2);
        self.nodes = 0;
        let value = self.root(solutions, p);
        Solved { value, nodes: self.nodes }
    }

    /// Solves further positions with the tables of the last one: for searches that ask about many related positions.
    pub(crate) fn solve_again(&mut self, solutions: &[Mask], p: u32) -> Value {
        self.root(solutions, p)
    }

    fn root(&mut self, solutions: &[Mask], p: u32) -> Value {
        if solutions.len() <= 1 {
            return Value::Lost;
        }
        if count_list(solutions).contains(&1) {
            return Value::Won;
        }
        let determined = solutions.iter().fold(Mask::MAX, |all, s| all & s);
        if let Some(value) = self.look_up(determined, solutions.len(), p) {
            return value;
        }
        self.search_list(solutions, determined, p, 0).value
    }

    /// Searches a list, as a block if it is small.
    #[inline(never)]
    fn search_list(&mut self, list: &[Mask], determined: Mask, p: u32, level: usize) -> Reply {
        if list.len() <= BLOCK && self.shortcuts.blocks {
            let block = Block::new(list);
            self.search(Set::Block(&block, Mask::MAX >> (BLOCK - list.len())), determined, p, level)
        } else {
            self.search(Set::List(list), determined, p, level)
        }
    }

    /// Searches a set of at least two solutions without a finish.
    fn search(&mut self, set: Set, determined: Mask, p: u32, level: usize) -> Reply {
        self.nodes += 1;
        let solutions = set.len();
        let counts = set.counts();
        let mut cells = [0u8; 64];
        let (length, open) = order(&counts, solutions, &mut cells);
        let mut safe = [Move::default(); 64];
        let mut moves = 0;
        let mut skip: Mask = 0;
        for &cell in &cells[..length] {
            if skip >> cell & 1 == 1 {
                continue;
            }
            let look = set.look(usize::from(cell), open, self.shortcuts.short_scans);
            if look.finishes != 0 {
                if self.shortcuts.pair_cover {
                    skip |= look.finishes;
                }
                continue;
            }
            let count = counts[usize::from(cell)];
            if self.shortcuts.merging {
                // S[x] is part of S[c] for x determined in S[c] the other way round: c black whenever x is. Equal counts
                // make them the same set.
                let mut twins = look.determined & open & !(1 << cell);
                while twins != 0 {
                    let twin = twins.trailing_zeros();
                    twins &= twins - 1;
                    if counts[twin as usize] == count {
                        skip |= 1 << twin;
                    }
                }
            }
            safe[moves] = Move { cell, count, determined: look.determined };
            moves += 1;
        }
        let safe = &safe[..moves];
        // The chain p, p - 1, ...: down to the largest q at which a stone on an undetermined cell wins.
        let mut q = p;
        let found = loop {
            if moves != 0
                && let Some(cell) = self.winning_move(set, determined, q, safe, level)
            {
                break Some(cell);
            }
            if q == 0 || moves == 0 {
                break None;
            }
            q -= 1;
        };
        // Up again: won at q if a move was found there, lost at 0 otherwise, and a hint negates.
        let first = if found.is_some() { q } else { 0 };
        let mut value = if found.is_some() { Value::Won } else { Value::Lost };
        let mut known = Known::default();
        for step in first..=p {
            if step > first {
                value = opposite(value);
            }
            match value {
                Value::Won => known.won |= 1 << step,
                Value::Lost => known.lost |= 1 << step,
            }
        }
        self.keep(determined, solutions, known);
        Reply { value, by: found.filter(|_| q == p) }
    }

    /// A safe move to a position lost for the opponent, if there is one, with `q` determined cells without a stone.
    fn winning_move(
        &mut self,
        set: Set,
        determined: Mask,
        q: u32,
        safe: &[Move],
        level: usize,
    ) -> Option<u8> {
        let hints = self.rule == Rule::RedundantHint;
        let after = |m: &Move| if hints { q + (m.determined & !determined).count_ones() - 1 } else { 0 };
        let mut fails: Mask = 0;
        if self.shortcuts.early_look_ups {
            for m in safe {
                match self.look_up(m.determined, m.count as usize, after(m)) {
                    Some(Value::Lost) => return Some(m.cell),
                    Some(Value::Won) => fails |= 1 << m.cell,
                    None => {}
                }
            }
        }
        for m in safe {
            if fails >> m.cell & 1 == 1 {
                continue;
            }
            let p = after(m);
            let known = if self.shortcuts.early_look_ups {
                None
            } else {
                self.look_up(m.determined, m.count as usize, p)
            };
            let reply = match (known, set) {
                (Some(value), _) => Reply { value, by: None },
                (None, Set::Block(block, alive)) => {
                    let child = Set::Block(block, alive & block.columns[usize::from(m.cell)]);
                    self.search(child, m.determined, p, level + 1)
                }
                (None, Set::List(list)) => self.search_child(list, m, p, level),
            };
            if reply.value == Value::Lost {
                return Some(m.cell);
            }
            if self.shortcuts.partner
                && let Some(by) = reply.by
                && let Some(partner) = safe.iter().find(|other| other.cell == by)
            {
                if !hints && partner.determined >> m.cell & 1 == 1 {
                    return Some(by);
                }
                if fails >> by & 1 == 0 {
                    fails |= 1 << by;
                    let known = Known { won: 1 << after(partner), lost: 0 };
                    self.keep(partner.determined, partner.count as usize, known);
                }
            }
        }
        None
    }

    fn search_child(&mut self, list: &[Mask], m: &Move, p: u32, level: usize) -> Reply {
        let mut child = std::mem::take(&mut self.lists[level]);
        if child.len() < list.len() {
            child.resize(list.len(), 0);
        }
        let mut length = 0;
        for &solution in list {
            child[length] = solution;
            length += usize::from(solution >> m.cell & 1 == 1);
        }
        let reply = self.search_list(&child[..length], m.determined, p, level + 1);
        self.lists[level] = child;
        reply
    }

    fn look_up(&self, determined: Mask, solutions: usize, p: u32) -> Option<Value> {
        if solutions < KEPT as usize || !self.shortcuts.tables {
            // Three solutions without a finish: each open cell is black in two of them, so no move is safe.
            return None;
        }
        let known = self.table(solutions).get(determined);
        match (known.won >> p & 1, known.lost >> p & 1) {
            (1, _) => Some(Value::Won),
            (_, 1) => Some(Value::Lost),
            _ => None,
        }
    }

    fn keep(&mut self, determined: Mask, solutions: usize, known: Known) {
        if solutions >= KEPT as usize && determined != 0 && self.shortcuts.tables {
            if solutions >= self.least_large() { &mut self.large } else { &mut self.small }
                .put(determined, solutions, known);
        }
    }

    fn table(&self, solutions: usize) -> &Table {
        if solutions >= self.least_large() { &self.large } else { &self.small }
    }

    fn least_large(&self) -> usize {
        LARGE[usize::from(self.rule == Rule::RedundantHint)] as usize
    }
}

/// The value for the other player.
fn opposite(value: Value) -> Value {
    match value {
        Value::Won => Value::Lost,
        Value::Lost => Value::Won,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_words(count: usize) -> Vec<u64> {
        let mut state = 7u64;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state ^ state >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 3
            })
            .collect()
    }

    #[test]
    fn vertical_counters_agree_with_counting() {
        for length in [1, 2, 6, 7, 8, 63, 64, 65, 500, 3000] {
            let list = random_words(length);
            let counts = count_list(&list);
            for (cell, &count) in counts.iter().enumerate() {
                assert_eq!(count as usize, list.iter().filter(|s| *s >> cell & 1 == 1).count());
            }
        }
    }

    #[test]
    fn a_look_agrees_with_the_definition_in_lists_and_blocks() {
        for size in [2, 3, 5, 17, 63, 64, 65, 130, 700] {
            // Sparse words, so that finishes, determined and closed cells all occur.
            let list: Vec<u64> = random_words(2 * size).chunks(2).map(|w| w[0] & w[1] | 1 << 9).collect();
            let open = crate::rules::undetermined(&list);
            for cell in crate::board::cells_of(open) {
                let child = crate::rules::with_black(&list, cell);
                let times = |x: usize| child.iter().filter(|s| *s >> x & 1 == 1).count();
                let finishes = (0..64).filter(|&x| times(x) == 1).fold(0, |m, x| m | 1u64 << x);
                let expected = Look { finishes, determined: crate::rules::determined(&child) };
                assert_eq!(look_list(&list, cell, open, false), expected);
                assert_eq!(look_list(&list, cell, open, true), expected, "short scan, {size}");
                if size <= 64 {
                    let block = Block::new(&list);
                    let numbered = Set::Block(&block, Mask::MAX >> (64 - size));
                    assert_eq!(numbered.look(cell, open, true), expected);
                    assert_eq!(numbered.counts(), count_list(&list));
                }
            }
        }
    }
}
