//! Who wins a position: depth-first search over the solutions still possible.
//!
//! Notation. `S` is the set of solutions left, `D` the cells black in all of them, `S[c]` those with `c` black. A move
//! on an undetermined `c` leads to `S[c]`. `p` counts determined-black cells without a stone; it is 0 under the
//! standard rule, where it plays no part. Then `f(S, p)` = the mover wins if some `f(S[c], p + g)` is lost, or `p > 0`
//! and `f(S, p - 1)` is lost, with `g = |D(S[c])| - |D(S)| - 1`: the new determined cells, one of which gets the stone.
//! `|S| = 1` is lost before any hint is counted. `D` determines `S`, so `(D, p)` is an exact key.
//!
//! A *finish* of `S` is a cell that is black in exactly one solution: the mover takes it and wins. Every searched node
//! has at least two solutions and no finish, hence no move to a single solution. A child with a finish is won for the
//! opponent whatever `p` is; the others are *safe* moves. Without a safe move each regular move loses, so the mover
//! wins exactly if `p` is odd: hints are exchanged until they run out.
//!
//! Shortcuts, each with a switch in [`Shortcuts`] that the tests turn off:
//! * pair cover: if `x` is a finish of `S[c]`, then `|S[c][x]| = 1` and, no cell being a finish of `S`, `c` is a finish
//!   of `S[x]`. So `x` is not safe either and is not looked at. For the same reason a finish of `S[x]` among cells that
//!   were looked at is impossible once `x` has not been skipped: only the others are asked for.
//! * merging: equal `D` means equal sets, so of moves with the same `D(S[c])` one is searched.
//! * early look-ups: all children are looked up before the first is searched.
//! * partner: the opponent refutes `c` by `r`, that is, `U = S[c][r]` is lost for the mover of `S`. After `r` the
//!   opponent answers `c` and reaches `U` with the same `p`, so `r` fails as well. If `c` is determined in `S[r]`, then
//!   `S[r] = U`. Under the standard rule `r` itself then reaches a lost position: the mover wins. Under the
//!   redundant-hint rule `r` leads to `U` with one more empty determined cell; the opponent takes it with a hint and
//!   reaches `U` with the same `p`, so `r` still fails.
//! * blocks: 256 solutions or fewer are numbered, and a set is a few words of their numbers; 64 are numbered again.
//! * short looks: see [`crate::sets`].
//! * advice: see [`crate::advice`]. The advised move is searched before the others, and like them.
//!
//! Cost. Most nodes have between 10 and 250 solutions and fit a block: all of one costs some thousand cycles, and none
//! of it allocates. The list of solutions should be in random order, so that short looks end early.
//!
//! Recursion depth is bounded by the rules: each move determines at least one of 25 cells.
#![allow(
    clippy::indexing_slicing,
    reason = "hot tables are indexed by cells (below 64) and by the numbers of set bits of one word"
)]

use crate::advice::Advice;
use crate::board::{Board, Mask};
use crate::index;
use crate::rules::{Rule, Value};
use crate::sets::{Block, LARGE, List, Part, SMALL, Set};
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
    /// See the module's head.
    pub short_looks: bool,
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
        short_looks: true,
        tables: true,
    };
    /// Everything off but the tables, without which no large position can be solved.
    pub const NONE: Shortcuts = Shortcuts {
        pair_cover: false,
        merging: false,
        early_look_ups: false,
        partner: false,
        blocks: false,
        short_looks: false,
        tables: true,
    };
}

/// Solutions at and above which a position goes to the large table; below, to the small one that fits the cache.
const KEPT_LARGE: [u32; 2] = [32, 16];
/// Solutions below which a position is searched again rather than kept.
const KEPT: u32 = 6;
const SMALL_TABLE_BYTES: usize = 1 << 19;

/// Solves positions; the tables are emptied for each, so that counters do not depend on what was solved before.
pub struct Solver<'a> {
    rule: Rule,
    shortcuts: Shortcuts,
    /// Moves to try first, and the board that they are on.
    advice: Option<(&'a Board, &'a Advice)>,
    large: Table,
    small: Table,
    /// Buffers, one per level of the recursion.
    rows: Vec<Vec<Mask>>,
    lists: Vec<List>,
    nodes: u64,
}

/// The undetermined cells, fewest solutions first, ties by number. Returns how many, and their mask.
fn order(counts: &[u32; 64], solutions: usize, cells: &mut [u8; 64]) -> (usize, Mask) {
    const BUCKETS: usize = 256;
    let (mut length, mut open) = (0, 0);
    if solutions <= BUCKETS {
        // One word of cells per count.
        let (mut by_count, mut used) = ([0u64; BUCKETS], [0u64; BUCKETS / 64]);
        for (cell, &count) in counts.iter().enumerate() {
            let count = index(count);
            if count != 0 && count < solutions {
                by_count[count] |= 1 << cell;
                used[count / 64] |= 1 << (count % 64);
                open |= 1 << cell;
            }
        }
        for (word, mut used) in used.into_iter().enumerate() {
            while used != 0 {
                let mut these = by_count[64 * word + index(used.trailing_zeros())];
                used &= used - 1;
                while these != 0 {
                    cells[length] = small(these.trailing_zeros());
                    these &= these - 1;
                    length += 1;
                }
            }
        }
    } else {
        for (cell, &count) in (0u8..64).zip(counts) {
            if count != 0 && index(count) < solutions {
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
    /// Nodes searched: depends on the position, the rule, the shortcuts, the size of the table and the advice, on
    /// nothing else.
    pub nodes: u64,
}

impl<'a> Solver<'a> {
    /// A solver whose large table takes at most `table_bytes` (and at least one bucket of 64 bytes).
    #[must_use]
    pub fn new(rule: Rule, table_bytes: usize, shortcuts: Shortcuts) -> Self {
        Solver {
            rule,
            shortcuts,
            advice: None,
            large: Table::new(table_bytes),
            small: Table::new(SMALL_TABLE_BYTES),
            rows: vec![Vec::new(); 64],
            lists: (0..64).map(|_| List::default()).collect(),
            nodes: 0,
        }
    }

    /// Tries advised moves first.
    #[must_use]
    pub fn advised(mut self, board: &'a Board, advice: &'a Advice) -> Self {
        self.advice = Some((board, advice));
        self
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
        // Larger tables saved no node, and clearing them takes time.
        self.large.clear(solutions.len().saturating_mul(16).max(1 << 10));
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
        let mut all = List::default();
        all.fill(solutions);
        if all.counts().contains(&1) {
            return Value::Won;
        }
        let determined = solutions.iter().fold(Mask::MAX, |all, s| all & s);
        if let Some(value) = self.look_up(determined, solutions.len(), p) {
            return value;
        }
        self.search_list(solutions, determined, p, 0).value
    }

    /// Searches the smallest kind of set that holds a list.
    fn search_list(&mut self, list: &[Mask], determined: Mask, p: u32, level: usize) -> Reply {
        match list.len() {
            0..=SMALL if self.shortcuts.blocks => {
                self.search(&Block::<1>::new(list).first(list.len()), determined, p, level)
            }
            0..=LARGE if self.shortcuts.blocks => {
                self.search(&Block::<4>::new(list).first(list.len()), determined, p, level)
            }
            _ => {
                let mut set = std::mem::take(&mut self.lists[level]);
                set.fill(list);
                let reply = self.search(&set, determined, p, level);
                self.lists[level] = set;
                reply
            }
        }
    }

    /// Searches a set of at least two solutions without a finish.
    fn search<S: Node>(&mut self, set: &S, determined: Mask, p: u32, level: usize) -> Reply {
        self.nodes += 1;
        let solutions = set.len();
        let counts = set.counts();
        let mut cells = [0u8; 64];
        let (length, open) = order(&counts, solutions, &mut cells);
        let mut safe = [Move::default(); 64];
        let mut moves = 0;
        // Cells that are not safe or merged with another; and cells that were not looked at.
        let (mut skip, mut asked): (Mask, Mask) = (0, open);
        for &cell in &cells[..length] {
            if skip >> cell & 1 == 1 {
                continue;
            }
            let look = set.look(usize::from(cell), open, asked & !(1 << cell), self.shortcuts.short_looks);
            if self.shortcuts.pair_cover {
                asked &= !(1 << cell);
                skip |= look.finishes;
            }
            if look.finishes != 0 {
                continue;
            }
            let count = counts[usize::from(cell)];
            if self.shortcuts.merging {
                // For x determined in S[c], S[c] is part of S[x]: x is black whenever c is. Equal counts make them the
                // same set.
                let mut twins = look.determined & open & !(1 << cell);
                while twins != 0 {
                    let twin = twins.trailing_zeros();
                    twins &= twins - 1;
                    if counts[index(twin)] == count {
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

    /// The determined cells without a stone after a move, from `q` before it.
    fn after(&self, m: &Move, determined: Mask, q: u32) -> u32 {
        match self.rule {
            Rule::Standard => 0,
            Rule::RedundantHint => q + (m.determined & !determined).count_ones() - 1,
        }
    }

    /// A safe move to a position lost for the opponent, if there is one, with `q` determined cells without a stone.
    fn winning_move<S: Node>(
        &mut self,
        set: &S,
        determined: Mask,
        q: u32,
        safe: &[Move],
        level: usize,
    ) -> Option<u8> {
        let hints = self.rule == Rule::RedundantHint;
        let mut fails: Mask = 0;
        if self.shortcuts.early_look_ups {
            for m in safe {
                match self.look_up(m.determined, index(m.count), self.after(m, determined, q)) {
                    Some(Value::Lost) => return Some(m.cell),
                    Some(Value::Won) => fails |= 1 << m.cell,
                    None => {}
                }
            }
        }
        for m in self.advised_move(determined, set.len(), safe).into_iter().chain(safe) {
            if fails >> m.cell & 1 == 1 {
                continue;
            }
            let p = self.after(m, determined, q);
            let known = if self.shortcuts.early_look_ups {
                None
            } else {
                self.look_up(m.determined, index(m.count), p)
            };
            let reply = match known {
                Some(value) => Reply { value, by: None },
                None => set.descend(self, m, p, level),
            };
            if reply.value == Value::Lost {
                return Some(m.cell);
            }
            fails |= 1 << m.cell;
            if self.shortcuts.partner
                && let Some(by) = reply.by
                && let Some(partner) = safe.iter().find(|other| other.cell == by)
            {
                if !hints && partner.determined >> m.cell & 1 == 1 {
                    return Some(by);
                }
                if fails >> by & 1 == 0 {
                    fails |= 1 << by;
                    let known = Known { won: 1 << self.after(partner, determined, q), lost: 0 };
                    self.keep(partner.determined, index(partner.count), known);
                }
            }
        }
        None
    }

    /// Of the safe moves that determine the advised cell, the one that leaves the most solutions. If the advised move is
    /// safe, this is the same move: `S[x]` is part of `S[c]` if `x` determines `c`. It may be on another cell, since of
    /// moves that leave the same solutions one is searched.
    fn advised_move<'m>(&self, determined: Mask, solutions: usize, safe: &'m [Move]) -> Option<&'m Move> {
        let (board, advice) = self.advice?;
        let cell = advice.cell(board, determined, solutions)?;
        safe.iter().filter(|m| m.determined >> cell & 1 == 1).max_by_key(|m| m.count)
    }

    fn look_up(&self, determined: Mask, solutions: usize, p: u32) -> Option<Value> {
        if solutions < index(KEPT) || !self.shortcuts.tables {
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
        if solutions >= index(KEPT) && determined != 0 && self.shortcuts.tables {
            if solutions >= self.least_large() { &mut self.large } else { &mut self.small }
                .put(determined, solutions, known);
        }
    }

    fn table(&self, solutions: usize) -> &Table {
        if solutions >= self.least_large() { &self.large } else { &self.small }
    }

    fn least_large(&self) -> usize {
        index(KEPT_LARGE[usize::from(self.rule == Rule::RedundantHint)])
    }
}

/// A set that the solver can search below.
trait Node: Set {
    /// Searches the position after a move.
    fn descend(&self, solver: &mut Solver, m: &Move, p: u32, level: usize) -> Reply;
}

impl Node for Part<'_, 1> {
    fn descend(&self, solver: &mut Solver, m: &Move, p: u32, level: usize) -> Reply {
        solver.search(&self.with(usize::from(m.cell)), m.determined, p, level + 1)
    }
}

impl Node for Part<'_, 4> {
    fn descend(&self, solver: &mut Solver, m: &Move, p: u32, level: usize) -> Reply {
        let child = self.with(usize::from(m.cell));
        if index(m.count) > SMALL {
            return solver.search(&child, m.determined, p, level + 1);
        }
        let mut list = std::mem::take(&mut solver.rows[level]);
        list.clear();
        child.list(&mut list);
        let reply = solver.search_list(&list, m.determined, p, level + 1);
        solver.rows[level] = list;
        reply
    }
}

impl Node for List {
    fn descend(&self, solver: &mut Solver, m: &Move, p: u32, level: usize) -> Reply {
        let mut list = std::mem::take(&mut solver.rows[level]);
        list.clear();
        self.list_with(usize::from(m.cell), &mut list);
        let reply = solver.search_list(&list, m.determined, p, level + 1);
        solver.rows[level] = list;
        reply
    }
}

/// The value for the other player.
fn opposite(value: Value) -> Value {
    match value {
        Value::Won => Value::Lost,
        Value::Lost => Value::Won,
    }
}
