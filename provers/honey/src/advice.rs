//! Winning moves for large positions: the order in which the checker does well to try moves.
//!
//! A search wastes most of its nodes on moves that do not win in positions that are won. Whoever knows a winning move
//! of each large position proves the same value with a fifth of the nodes. [`Replies`] keeps them during the searches,
//! [`Advice`] picks those that the proofs of given positions need. Standard rule only: the searches of the other
//! rule are short.
//!
//! Positions are canonical determined-black masks, and the cell is that of the canonical board.

use crate::Value;
use crate::board::Board;
use crate::game::{self, Mask};
use anyhow::{Context, bail, ensure};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{PoisonError, RwLock};

/// A winning move, or none in a lost position.
pub type Reply = Option<u8>;

/// What the searches found about positions with at least `least` solutions, for all threads. Nothing is forgotten.
pub struct Replies {
    /// Least number of solutions.
    pub least: u32,
    found: RwLock<HashMap<Mask, Reply>>,
}

impl Replies {
    /// Replies that are known from the start.
    #[must_use]
    pub fn new(least: u32, known: HashMap<Mask, Reply>) -> Self {
        Self { least, found: RwLock::new(known) }
    }

    /// The value of a canonical position, if it was found.
    #[must_use]
    pub fn value(&self, mask: Mask) -> Option<Value> {
        self.get(mask).map(|reply| if reply.is_some() { Value::Win } else { Value::Loss })
    }

    fn get(&self, mask: Mask) -> Option<Reply> {
        self.found.read().unwrap_or_else(PoisonError::into_inner).get(&mask).copied()
    }

    /// Remembers a position as it is on the board: won by a stone on a cell, or lost.
    pub fn put(&self, board: &Board, determined: Mask, reply: Reply) {
        let (mask, g) = canonical(board, determined);
        let reply = reply.map(|cell| image(board, cell, g));
        self.found.write().unwrap_or_else(PoisonError::into_inner).insert(mask, reply);
    }
}

/// The canonical image, and a symmetry that leads there.
fn canonical(board: &Board, mask: Mask) -> (Mask, usize) {
    let images = board.images(mask).into_iter().zip(0..);
    images.min().unwrap_or((mask, 0))
}

fn image(board: &Board, cell: u8, g: usize) -> u8 {
    board.images(1 << cell)[g].trailing_zeros() as u8
}

/// The winning moves that the proofs of some positions need.
#[derive(Default)]
pub struct Advice {
    /// A winning move for each won position.
    pub moves: BTreeMap<Mask, u8>,
    visited: HashSet<Mask>,
}

impl Advice {
    /// Adds what the proof of a position needs down to `least` solutions and returns what is new: in a won position the
    /// winning move and the proof of what it leads to, in a lost one the proofs of all positions after it. `list` are
    /// the solutions left.
    ///
    /// # Errors
    /// If `replies` do not hold the whole proof.
    pub fn add(
        &mut self,
        board: &Board,
        replies: &Replies,
        least: usize,
        list: Vec<u64>,
    ) -> anyhow::Result<Vec<(Mask, Reply)>> {
        let mut new = Vec::new();
        let mut open = vec![list];
        while let Some(list) = open.pop() {
            let (determined, _) = game::determined(&list);
            let (mask, g) = canonical(board, determined);
            if !self.visited.insert(mask) {
                continue;
            }
            let after = game::replies(&list);
            if after.iter().any(|reply| reply.n == 1) {
                continue;
            }
            let reply = replies.get(mask).with_context(|| format!("nothing is known of {mask:016x}"))?;
            new.push((mask, reply));
            self.moves.extend(reply.map(|cell| (mask, cell)));
            for child in after.iter().filter(|child| child.n >= least) {
                if reply.is_none_or(|cell| cell == image(board, child.cell as u8, g)) {
                    open.push(game::left(&list, child.mask));
                }
            }
        }
        Ok(new)
    }
}

/// The advice as a side input of a certificate, ascending by mask.
#[must_use]
pub fn text(solutions: usize, least: u32, moves: &BTreeMap<Mask, u8>) -> String {
    let mut lines: Vec<String> = vec![
        "honey-advice 1".into(),
        "rule standard".into(),
        format!("solutions {solutions}"),
        format!("least {least}"),
    ];
    lines.extend(moves.iter().map(|(mask, cell)| format!("{mask:016x} {cell}")));
    lines.push("end\n".into());
    lines.join("\n")
}

/// Lines of a log: `MASK CELL` for a winning move, `MASK lost`, and `MASK solved` once the whole proof of a position is
/// logged.
#[must_use]
pub fn log_lines(found: &[(Mask, Reply)], solved: Mask) -> String {
    let lines = found.iter().map(|&(mask, reply)| match reply {
        Some(cell) => format!("{mask:016x} {cell}\n"),
        None => format!("{mask:016x} lost\n"),
    });
    lines.chain([format!("{solved:016x} solved\n")]).collect()
}

/// A log up to its last complete proof: what follows may be an interrupted write.
#[must_use]
pub fn complete(text: &str) -> &str {
    const END: &str = " solved\n";
    text.rfind(END).and_then(|at| text.get(..at + END.len())).unwrap_or_default()
}

/// Reads a complete log.
///
/// # Errors
/// A line that cannot be understood.
pub fn read_log(text: &str) -> anyhow::Result<(HashMap<Mask, Reply>, HashSet<Mask>)> {
    let (mut found, mut solved) = (HashMap::new(), HashSet::new());
    for (number, line) in text.lines().enumerate() {
        let at = || format!("line {}", number + 1);
        let Some((mask, word)) = line.split_once(' ') else { bail!("{}: two fields expected", at()) };
        let mask = Mask::from_str_radix(mask, 16).with_context(at)?;
        match word {
            "solved" => drop(solved.insert(mask)),
            "lost" => drop(found.insert(mask, None)),
            cell => {
                let cell = cell.parse().with_context(at)?;
                ensure!(usize::from(cell) < crate::board::CELLS, "{}: no cell", at());
                found.insert(mask, Some(cell));
            }
        }
    }
    Ok((found, solved))
}
