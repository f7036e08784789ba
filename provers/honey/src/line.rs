//! The perfect line of a rule.
//!
//! While more solutions than a threshold remain, the winner takes the winning move that leaves the fewest and the loser
//! the move that leaves the most; ties go to the lowest cell. From there on exact remoteness decides: the winner takes
//! the least, the loser the most remote child. Among equally remote ones both take the move that leaves the fewest
//! solutions, then the lowest cell.

use crate::Value;
use crate::board::cells;
use crate::game::{determined, left, replies};
use crate::remoteness::{Remoteness, State};
use crate::solver::Rule;
use anyhow::Context;
use std::cmp::Reverse;

/// At this number of solutions remoteness takes over.
pub const EXACT_FROM: usize = 3_000;

/// One move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// A stone on a determined-black cell.
    pub hint: bool,
    /// The cell.
    pub cell: usize,
    /// Solutions after the move.
    pub left: usize,
    /// Remoteness of the position after the move, where it was worked out.
    pub remoteness: Option<u32>,
}

/// Plays the line from the position with the given solutions and no stones.
///
/// # Errors
/// If the values contradict each other.
pub fn perfect(solutions: &[u64], rule: Rule, search: &mut Remoteness) -> anyhow::Result<Vec<Ply>> {
    let mut line = Vec::new();
    let mut list = solutions.to_vec();
    let mut stones = 0_u64;
    let mut mover = None;
    while list.len() > 1 {
        let (all, _) = determined(&list);
        let mut options: Vec<(bool, usize, State)> = replies(&list)
            .into_iter()
            .map(|reply| {
                let with_stone = stones | 1 << reply.cell;
                let hints = if rule == Rule::Standard { 0 } else { (reply.mask & !with_stone).count_ones() };
                (false, reply.cell, State::new(left(&list, reply.mask), hints))
            })
            .collect();
        let hints = if rule == Rule::Standard { 0 } else { all & !stones };
        for cell in cells(hints) {
            options.push((true, cell, State::new(list.clone(), hints.count_ones() - 1)));
        }
        let exact = list.len() <= EXACT_FROM;
        let mut choice = None;
        if mover != Some(Value::Loss) {
            options.sort_by_key(|(_, cell, state)| (state.list.len(), *cell));
            if exact {
                let mut winning: Vec<_> =
                    options.iter().filter(|(_, _, state)| search.value(state) == Value::Loss).collect();
                winning.sort_by_cached_key(|(_, cell, state)| (search.of(state), state.list.len(), *cell));
                choice = winning.first().copied();
            } else {
                choice = options.iter().find(|(_, _, state)| search.value(state) == Value::Loss);
            }
            mover = Some(if choice.is_some() { Value::Win } else { Value::Loss });
        }
        if mover == Some(Value::Loss) {
            if exact {
                options.sort_by_cached_key(|(_, cell, state)| {
                    (Reverse(search.of(state)), state.list.len(), *cell)
                });
            } else {
                options.sort_by_key(|(_, cell, state)| (Reverse(state.list.len()), *cell));
            }
            choice = options.first();
        }
        let (hint, cell, state) = choice.context("no move although solutions remain")?;
        stones |= 1 << cell;
        let left = state.list.len();
        let remoteness = (left <= EXACT_FROM).then(|| search.of(state));
        line.push(Ply { hint: *hint, cell: *cell, left, remoteness });
        eprintln!("{ply:?}", ply = line.last());
        list.clone_from(&state.list);
        mover = mover.map(Value::other);
    }
    Ok(line)
}

/// The line as text.
#[must_use]
pub fn text(rule: Rule, solutions: usize, line: &[Ply]) -> String {
    let mut lines =
        vec!["honey-line 1".into(), format!("rule {}", rule.word()), format!("solutions {solutions}")];
    for (number, ply) in line.iter().enumerate() {
        let kind = if ply.hint { "hint" } else { "stone" };
        let remoteness = ply.remoteness.map_or("-".into(), |plies| plies.to_string());
        lines.push(format!("{} {kind} {} {} {remoteness}", number + 1, ply.cell, ply.left));
    }
    lines.push("end\n".into());
    lines.join("\n")
}
