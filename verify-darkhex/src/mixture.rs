//! `.mix` files: a weighted list of deterministic policies. The grammar is in `FORMAT.md`.

use crate::board::{Board, Game, Player, Rule};
use crate::error::{Error, Fault};
use crate::lines::{
    MAX_HISTORIES, MAX_PLANS, cell_token, check_history, check_legal, check_size, history_token, mode_line,
    no_plan_twice, opening_line, owner_line, priority_line, size_lines,
};
use crate::strategy::{History, Plan, Strategy, knowledge, root};
use crate::text::Text;
use std::collections::BTreeMap;

/// Bits of a probe in a history's number; so a board has at most [`MIX_CELLS`] cells.
const BITS: u32 = 5;
/// `cell + 1` has to fit into four bits.
const MIX_CELLS: usize = 15;

/// Reads a `.mix` file.
///
/// # Errors
/// The first fault with its line, or `Declined` for a board beyond the limit.
pub fn read(file: &str, bytes: &[u8]) -> Result<Strategy, Error> {
    let mut text = Text::new(file, bytes)?;
    let game = match text.line("DARKHEX_MIXTURE or another header of a mixture")? {
        "DARKHEX_MIXTURE" => {
            let (rows, columns) = size_lines(&mut text, MIX_CELLS)?;
            Game { rule: mode_line(&mut text)?, rows, columns, opening: None }
        }
        "DARKHEX_OPENING_MIXTURE" => {
            let (rows, columns) = size_lines(&mut text, MIX_CELLS)?;
            let rule = mode_line(&mut text)?;
            opening_line(&mut text, Game { rule, rows, columns, opening: None }, false)?
        }
        "DARKHEX_PUBLIC_MIXTURE" => {
            let board = text.after("BOARD")?;
            let (rows, columns) = text.pair(board, "rows and columns")?;
            let range = 1..=MIX_CELLS;
            let (rows, columns) =
                (text.small(rows, "rows", range.clone())?, text.small(columns, "columns", range)?);
            check_size(&text, rows, columns, MIX_CELLS)?;
            text.exactly("MODE PUBLIC")?;
            opening_line(&mut text, Game { rule: Rule::Classic, rows, columns, opening: None }, false)?
        }
        other => return Err(text.unexpected("DARKHEX_MIXTURE or another header of a mixture", other)),
    };
    let owner = owner_line(&mut text)?;
    let board = Board::new(&game);
    let mut plans = Vec::new();
    let mut room = MAX_HISTORIES;
    for _ in 0..text.count("POLICIES", 1..=MAX_PLANS)? {
        let weight = text.after("POLICY")?;
        let total = text.positive(weight, "weight")?;
        let mut plan = Plan { priority: priority_line(&mut text, &game)?, total, decisions: BTreeMap::new() };
        let count = text.count("DECISIONS", 0..=room)?;
        room = room.saturating_sub(count);
        for _ in 0..count {
            let line = text.line("a history and a cell")?;
            let (number, cell) = text.pair(line, "a history and a cell")?;
            let history = history_token(&text, number, BITS, &game)?;
            let cell = cell_token(&text, cell, &game)?;
            if plan.decisions.last_key_value().is_some_and(|(&last, _)| last >= history) {
                return Err(text.fault(Fault::Order { what: "histories" }));
            }
            check_history(&text, &game, &board, owner, history)?;
            if !is_played(&game, owner, &plan, history) {
                return Err(text.fault(Fault::NotPlayed));
            }
            check_legal(&text, &game, owner, history, cell)?;
            plan.decisions.insert(history, vec![(cell, plan.total.clone())]);
        }
        text.exactly("END")?;
        plans.push(plan);
    }
    text.exactly("DONE")?;
    text.end()?;
    no_plan_twice(file, &plans)?;
    Ok(Strategy { game, owner, plans })
}

/// Whether the deterministic plan itself makes each probe of the history. All prefixes stand before the history, so
/// what is listed so far decides.
fn is_played(game: &Game, owner: Player, plan: &Plan, history: History) -> bool {
    let start = root(game, owner);
    let mut rest = history;
    while rest != start {
        let Some((prefix, probe)) = rest.split() else { return false };
        let (own, blocked) = knowledge(game, owner, prefix);
        let choice = match plan.decisions.get(&prefix) {
            Some(probes) => probes.first().map(|(cell, _)| *cell),
            None => plan.default_cell(own, blocked),
        };
        if choice != Some(probe.cell) {
            return false;
        }
        rest = prefix;
    }
    true
}
