//! Who wins a position, under either rule, by depth-first search.
//!
//! A position is the set `S` of solutions left, known by the mask `D` of its determined-black cells (its *closure*),
//! and under the redundant-hint rule the number `p` of determined-black cells without a stone. `S_c` are the solutions
//! of `S` in which cell `c` is black. A position with one solution is lost for the player to move.
//!
//! What makes it fast:
//!
//! * **Pair cover.** If `S_c` has a cell `x` that is black in exactly one solution, the opponent wins at once at `x`.
//!   `|S_c & S_x| = 1` reads the same from both sides, so a move on `x` loses as well and is not even looked at.
//! * **Equal closures.** If `x` is determined black in `S_c` and `|S_x| = |S_c|` then `S_x = S_c`: one move is enough.
//! * **Three solutions** without an immediate win: each move leaves two, which differ, so the next player wins. Lost, and
//!   with `p` hints in hand lost exactly if `p` is even.
//! * **Early look-ups.** The table is asked about every child before any child is searched; smaller children first.
//! * **Partners.** If the opponent answers `c` with `r` and wins, `U = S_c & S_r` is lost. The move `r` is then answered
//!   by `c` in the same way, so `r` is known to lose and is recorded without a search. Unless `c` is determined in
//!   `S_r`: then `U = S_r`. Under the standard rule `r` itself wins at once. Under the redundant-hint rule the lost
//!   position is `U` with the number of hints after both stones, which the opponent reaches from `S_r` by a hint on `c`,
//!   so `r` still loses.
//! * **Hints as a chain.** `(S, p)` is won if an ordinary move wins with `p`, else exactly if `(S, p - 1)` is lost. The
//!   moves do not depend on `p`: they are worked out once for the whole chain, and all values on it are recorded.
//! * **Wide sets.** Up to 256 solutions are a mask over the same columns in all positions below, so that nothing is
//!   moved; most nodes have so many.
//! * **Small sets.** Up to 64 solutions are a mask over one block; moves are bucketed by byte counts instead of sorted.

use crate::Value;
use crate::advice::Replies;
use crate::board::{ALL, Board, cells};
use crate::kernel::{self, Block, Columns, Row};
use crate::table::{SmallTable, Table};
use arrayvec::ArrayVec;

/// The two rules of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Rule {
    /// Stones go on undetermined cells only.
    Standard,
    /// A stone may also go on a determined-black cell that carries none.
    RedundantHint,
}

/// What the search may do; everything by default. The tests switch parts off.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Use the partner rule.
    pub partners: bool,
    /// From this many solutions on positions go to the large table.
    pub table_from: u32,
    /// From this many solutions on (and above 64) keys are canonical under the symmetries.
    pub canonical_from: u32,
}

impl Options {
    /// Measured best for the rule.
    #[must_use]
    pub fn for_rule(rule: Rule) -> Self {
        let table_from = if rule == Rule::Standard { 32 } else { 16 };
        Self { partners: true, table_from, canonical_from: 256 }
    }
}

/// Below this number of solutions not even the small table is worth a look.
const SMALL_FROM: u32 = 6;
const SMALL_BITS: u32 = 12;
/// No play is longer: a solution has 25 black cells.
const MAX_DEPTH: usize = 26;

/// Work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes with more than 64 solutions.
    pub large: u64,
    /// Nodes with at most 64 solutions.
    pub small: u64,
    /// Moves looked at.
    pub moves: u64,
}

/// The outcome of a node for the player to move there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Loss,
    /// By a stone on this undetermined cell.
    WinOn(u8),
    /// By a redundant hint, or on a cell that the table does not know.
    Win,
}

#[derive(Clone, Copy)]
struct Position {
    /// Number of solutions.
    n: u32,
    closure: u64,
    /// The closure or its canonical form: the name of the position in the table.
    key: u64,
}

#[derive(Clone, Copy)]
struct Move {
    cell: u8,
    /// Determined-black cells that it adds without a stone: hints gained.
    gains: u8,
    to: Position,
    /// The solutions left, in a small set.
    kept: u64,
}

/// A node's solutions, in one of three forms.
trait Set {
    fn search<const HINTS: bool>(&mut self, solver: &mut Solver, step: &Move, p: u32) -> Outcome;
    /// Whether `y` is black in every solution in which `x` is.
    fn implies(&self, x: usize, y: usize) -> bool;
}

struct Large<'a> {
    blocks: &'a [Block],
    /// Scratch for the children.
    scratch: &'a mut [Block],
}

/// More than 64 solutions in columns; a move leaves fewer of the same columns.
struct Wide<'a> {
    columns: &'a Columns,
    kept: Row,
}

struct Small<'a> {
    block: &'a Block,
    kept: u64,
}

impl Set for Large<'_> {
    fn search<const HINTS: bool>(&mut self, solver: &mut Solver, step: &Move, p: u32) -> Outcome {
        let used = kernel::compact(self.blocks, usize::from(step.cell), self.scratch);
        let (child, scratch) = self.scratch.split_at_mut(used);
        solver.node::<HINTS>(child, scratch, step.to, p)
    }

    fn implies(&self, x: usize, y: usize) -> bool {
        self.blocks.iter().all(|block| block[x] & !block[y] == 0)
    }
}

impl Set for Wide<'_> {
    fn search<const HINTS: bool>(&mut self, solver: &mut Solver, step: &Move, p: u32) -> Outcome {
        let kept = kernel::both(&self.kept, &self.columns[usize::from(step.cell)]);
        if step.to.n <= 64 {
            let block = kernel::gather(self.columns, &kept);
            solver.small_node::<HINTS>(&Small { block: &block, kept: low_bits(step.to.n) }, step.to, p)
        } else {
            solver.wide_node::<HINTS>(Wide { columns: self.columns, kept }, step.to, p)
        }
    }

    fn implies(&self, x: usize, y: usize) -> bool {
        let rows = self.columns[x].iter().zip(&self.columns[y]);
        self.kept.iter().zip(rows).all(|(kept, (x, y))| x & kept & !y == 0)
    }
}

impl Set for Small<'_> {
    fn search<const HINTS: bool>(&mut self, solver: &mut Solver, step: &Move, p: u32) -> Outcome {
        solver.small_node::<HINTS>(&Small { block: self.block, kept: step.kept }, step.to, p)
    }

    fn implies(&self, x: usize, y: usize) -> bool {
        self.block[x] & self.kept & !self.block[y] == 0
    }
}

/// The search with its tables, which later searches under the same rule use again.
pub struct Solver<'b> {
    board: &'b Board,
    rule: Rule,
    options: Options,
    table: Table,
    small_table: SmallTable,
    scratch: Vec<Block>,
    /// Where the winning moves of large positions are kept, under the standard rule.
    replies: Option<&'b Replies>,
    /// Work done so far.
    pub stats: Stats,
}

impl<'b> Solver<'b> {
    /// A solver with `2^table_bits` entries of 16 bytes.
    ///
    /// # Errors
    /// If the memory cannot be had.
    pub fn new(board: &'b Board, rule: Rule, options: Options, table_bits: u32) -> anyhow::Result<Self> {
        Ok(Self {
            board,
            rule,
            options,
            table: Table::new(table_bits)?,
            small_table: SmallTable::new(SMALL_BITS),
            scratch: Vec::new(),
            replies: None,
            stats: Stats::default(),
        })
    }

    /// Keeps and uses the winning moves of large positions. Standard rule only.
    #[must_use]
    pub fn with_replies(mut self, replies: &'b Replies) -> Self {
        debug_assert!(self.rule == Rule::Standard && replies.least > self.options.canonical_from);
        self.replies = Some(replies);
        self
    }

    /// The value for the player to move when the solutions of `list` are left and `p` redundant hints (0 under the
    /// standard rule). `list` must be all solutions in which the stones so far are black, and not empty.
    pub fn solve(&mut self, list: &[u64], p: u32) -> Value {
        debug_assert!(!list.is_empty() && (self.rule == Rule::RedundantHint || p == 0));
        if list.len() == 1 {
            return Value::Loss;
        }
        let blocks = kernel::blocks(list);
        if kernel::counts(&blocks).contains(&1) {
            return Value::Win;
        }
        let n = u32::try_from(list.len()).unwrap_or(u32::MAX);
        let position = self.position(n, list.iter().fold(ALL, |all, solution| all & solution));
        if let Some(value) = self.known(position, p) {
            return value;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        // Zeroed pages that are never touched cost nothing.
        if scratch.len() < MAX_DEPTH * (blocks.len() + 1) {
            scratch = vec![[0; 64]; MAX_DEPTH * (blocks.len() + 1)];
        }
        let outcome = match self.rule {
            Rule::Standard => self.node::<false>(&blocks, &mut scratch, position, p),
            Rule::RedundantHint => self.node::<true>(&blocks, &mut scratch, position, p),
        };
        self.scratch = scratch;
        if outcome == Outcome::Loss { Value::Loss } else { Value::Win }
    }

    /// A node without an immediate win, in the form that its size asks for.
    fn node<const HINTS: bool>(
        &mut self,
        blocks: &[Block],
        scratch: &mut [Block],
        position: Position,
        p: u32,
    ) -> Outcome {
        if let [block] = blocks {
            self.small_node::<HINTS>(&Small { block, kept: low_bits(position.n) }, position, p)
        } else if let Some((columns, kept)) = kernel::columns(blocks) {
            self.wide_node::<HINTS>(Wide { columns: &columns, kept }, position, p)
        } else {
            self.large_node::<HINTS>(Large { blocks, scratch }, position, p)
        }
    }

    fn position(&self, n: u32, closure: u64) -> Position {
        let canonical = n >= self.options.canonical_from && n > 64;
        Position { n, closure, key: if canonical { self.board.canonical(closure) } else { closure } }
    }

    /// What is known of a position in which the player to move has no immediate win.
    #[inline(always)]
    fn known(&self, position: Position, p: u32) -> Option<Value> {
        if position.n == 3 {
            Some(if p.is_multiple_of(2) { Value::Loss } else { Value::Win })
        } else if let Some(replies) = self.kept(position) {
            replies.value(position.key)
        } else if position.n >= self.options.table_from {
            self.table.get(position.key, p)
        } else if position.n >= SMALL_FROM {
            self.small_table.get(position.key, p)
        } else {
            None
        }
    }

    /// Where a position is kept that is so large that its winning move is wanted.
    #[inline(always)]
    fn kept(&self, position: Position) -> Option<&'b Replies> {
        self.replies.filter(|replies| position.n >= replies.least)
    }

    #[inline(always)]
    fn record(&mut self, position: Position, p: u32, value: Value) {
        if position.n >= self.options.table_from {
            self.table.put(position.key, p, value);
        } else if position.n >= SMALL_FROM {
            self.small_table.put(position.key, p, value);
        }
    }

    fn keep(&self, position: Position, outcome: Outcome) {
        let reply = match outcome {
            Outcome::Loss => None,
            Outcome::WinOn(cell) => Some(cell),
            Outcome::Win => return,
        };
        if let Some(replies) = self.kept(position) {
            replies.put(self.board, position.closure, reply);
        }
    }

    /// A node of more than 64 solutions without an immediate win.
    fn large_node<const HINTS: bool>(&mut self, mut set: Large, position: Position, p: u32) -> Outcome {
        self.stats.large += 1;
        let counts = kernel::counts(set.blocks);
        let mut order = [0_u32; 64];
        let (mut length, mut possible) = (0, 0_u64);
        for (cell, &count) in counts.iter().enumerate() {
            possible |= u64::from(count > 0) << cell;
            if count >= 2 && count < position.n {
                order[length] = count << 6 | cell as u32;
                length += 1;
            }
        }
        let order = &mut order[..length];
        order.sort_unstable();

        let mut moves = ArrayVec::<Move, 64>::new();
        let mut skip = 0_u64;
        for &entry in order.iter() {
            let (n, cell) = (entry >> 6, (entry & 63) as usize);
            if skip >> cell & 1 == 1 {
                continue;
            }
            let after = kernel::after(set.blocks, cell, position.closure, possible);
            self.stats.moves += 1;
            if after.single != 0 {
                skip |= after.single;
                continue;
            }
            if n == 2 {
                continue;
            }
            let gained = after.closure & !position.closure & !(1 << cell);
            for other in cells(gained) {
                skip |= u64::from(counts[other] == n) << other;
            }
            let to = self.position(n, after.closure);
            if n >= self.options.table_from {
                self.table.prefetch(to.key);
            }
            moves.push(Move { cell: cell as u8, gains: gained.count_ones() as u8, to, kept: 0 });
        }
        self.decide::<HINTS>(&mut set, &moves, position, p)
    }

    /// A node of more than 64 solutions in columns, without an immediate win.
    fn wide_node<const HINTS: bool>(&mut self, mut set: Wide, position: Position, p: u32) -> Outcome {
        self.stats.large += 1;
        let mut order = [0_u32; 64];
        let mut length = 0;
        for (cell, column) in set.columns.iter().enumerate() {
            let count = kernel::size(&kernel::both(column, &set.kept));
            if count >= 2 && count < position.n {
                order[length] = count << 6 | cell as u32;
                length += 1;
            }
        }
        let order = &mut order[..length];
        order.sort_unstable();
        let mut rows = [Row::default(); 64];
        for (row, &entry) in rows.iter_mut().zip(order.iter()) {
            *row = kernel::both(&set.columns[(entry & 63) as usize], &set.kept);
        }

        let mut moves = ArrayVec::<Move, 64>::new();
        let mut skip = 0_u64;
        for (i, &entry) in order.iter().enumerate() {
            let (n, cell) = (entry >> 6, (entry & 63) as usize);
            if skip >> cell & 1 == 1 {
                continue;
            }
            self.stats.moves += 1;
            let common = |row: &Row| kernel::size(&kernel::both(row, &rows[i]));
            let (mut single, mut determined) = (0_u64, 0_u64);
            // An earlier cell that was looked at has more in common with this one, or this one would be skipped.
            for (row, &other) in rows[..i].iter().zip(order.iter()) {
                if skip >> (other & 63) & 1 == 1 {
                    single |= u64::from(common(row) == 1) << (other & 63);
                }
            }
            // No earlier cell is determined by this one: it has fewer solutions, or as many others.
            for (row, &other) in rows[i + 1..length].iter().zip(&order[i + 1..]) {
                let common = common(row);
                single |= u64::from(common == 1) << (other & 63);
                determined |= u64::from(common == n) << (other & 63);
                skip |= u64::from(common == n && other >> 6 == n) << (other & 63);
            }
            skip |= single;
            if single != 0 || n == 2 {
                continue;
            }
            let to = self.position(n, position.closure | determined | 1 << cell);
            if n >= self.options.table_from {
                self.table.prefetch(to.key);
            }
            moves.push(Move { cell: cell as u8, gains: determined.count_ones() as u8, to, kept: 0 });
        }
        self.decide::<HINTS>(&mut set, &moves, position, p)
    }

    /// A node of at most 64 solutions without an immediate win.
    fn small_node<const HINTS: bool>(&mut self, set: &Small, position: Position, p: u32) -> Outcome {
        self.stats.small += 1;
        let counts = kernel::counts_small(set.block, set.kept);
        let determined = position.closure.count_ones();
        let mut moves = ArrayVec::<Move, 64>::new();
        let mut skip = 0_u64;
        for n in 2..position.n {
            let bucket = kernel::equal(&counts, n as u8);
            let mut open = bucket & !skip;
            while open != 0 {
                let cell = open.trailing_zeros() as usize;
                open &= open - 1;
                let kept = set.block[cell] & set.kept;
                let after = kernel::after_small(set.block, kept);
                self.stats.moves += 1;
                if after.single != 0 {
                    skip |= after.single;
                    open &= !after.single;
                    continue;
                }
                if n == 2 {
                    continue;
                }
                skip |= after.closure & bucket;
                open &= !after.closure;
                let gains = after.closure.count_ones() - determined - 1;
                // Small keys are not canonical: the symmetries would cost more than they save.
                let to = Position { n, closure: after.closure, key: after.closure };
                if n == 3 && (!HINTS || (p + gains).is_multiple_of(2)) {
                    return Outcome::WinOn(cell as u8);
                }
                if n >= self.options.table_from {
                    self.table.prefetch(to.key);
                }
                moves.push(Move { cell: cell as u8, gains: gains as u8, to, kept });
            }
        }
        self.decide::<HINTS>(&mut Small { block: set.block, kept: set.kept }, &moves, position, p)
    }

    /// Goes down the chain of hints until an ordinary move wins or a value is known, then records the whole chain.
    #[inline(always)]
    fn decide<const HINTS: bool>(
        &mut self,
        set: &mut impl Set,
        moves: &[Move],
        position: Position,
        p: u32,
    ) -> Outcome {
        let mut q = p;
        let mut by = Outcome::Win;
        let value = loop {
            match self.try_moves::<HINTS>(set, moves, q) {
                Outcome::Loss if q == 0 => break Value::Loss,
                Outcome::Loss if moves.is_empty() => {
                    q = 0;
                    break Value::Loss;
                }
                Outcome::Loss => {}
                win => {
                    by = win;
                    break Value::Win;
                }
            }
            q -= 1;
            if let Some(value) = self.known(position, q) {
                break value;
            }
        };
        // Above `q` no ordinary move wins, so the values alternate.
        let at = |t: u32| if (t - q).is_multiple_of(2) { value } else { value.other() };
        for t in q..=p {
            self.record(position, t, at(t));
        }
        let outcome = match at(p) {
            Value::Loss => Outcome::Loss,
            Value::Win if q == p => by,
            Value::Win => Outcome::Win,
        };
        self.keep(position, outcome);
        outcome
    }

    /// Whether an ordinary move wins with `q` hints in hand.
    #[inline(always)]
    fn try_moves<const HINTS: bool>(&mut self, set: &mut impl Set, moves: &[Move], q: u32) -> Outcome {
        let hints = |step: &Move| if HINTS { q + u32::from(step.gains) } else { 0 };
        let mut losing = 0_u64;
        for step in moves {
            match self.known(step.to, hints(step)) {
                Some(Value::Loss) => return Outcome::WinOn(step.cell),
                Some(Value::Win) => losing |= 1 << step.cell,
                None => {}
            }
        }
        let mut searched = false;
        for (i, step) in moves.iter().enumerate() {
            if losing >> step.cell & 1 == 1 {
                continue;
            }
            // A search since the first look may have found it.
            let known = if searched { self.known(step.to, hints(step)) } else { None };
            searched = true;
            let reply = match known {
                Some(Value::Loss) => Outcome::Loss,
                Some(Value::Win) => Outcome::Win,
                None => set.search::<HINTS>(self, step, hints(step)),
            };
            match reply {
                Outcome::Loss => return Outcome::WinOn(step.cell),
                Outcome::WinOn(partner) if self.options.partners => {
                    if !HINTS && set.implies(usize::from(partner), usize::from(step.cell)) {
                        return Outcome::WinOn(partner);
                    }
                    losing |= 1 << partner;
                    if let Some(other) = moves[i + 1..].iter().find(|other| other.cell == partner) {
                        self.record(other.to, hints(other), Value::Win);
                        self.keep(other.to, Outcome::WinOn(step.cell));
                    }
                }
                _ => {}
            }
        }
        Outcome::Loss
    }
}

fn low_bits(n: u32) -> u64 {
    u64::MAX >> (64 - n)
}
