//! `.realization` files: weighted realization plans, each in its one encoding. The grammar is in `FORMAT.md`.

use crate::board::{Board, Cell, Game, Player};
use crate::error::{Error, Fault, shown};
use crate::lines::{
    MAX_HISTORIES, MAX_PLANS, cell_token, check_history, check_legal, history_token, mode_line,
    no_plan_twice, opening_line, owner_line, priority_line, size_lines,
};
use crate::strategy::{History, Plan, Strategy, knowledge, root};
use crate::text::Text;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// Bits of a probe in a history's number.
pub const BITS: u32 = 6;
/// `cell + 1` has to fit into five bits.
const REALIZATION_CELLS: usize = 31;

/// Reads a `.realization` file.
///
/// # Errors
/// The first fault with its line, or `Declined` for a board beyond the limit.
pub fn read(file: &str, bytes: &[u8]) -> Result<Strategy, Error> {
    let mut text = Text::new(file, bytes)?;
    text.exactly("DARKHEX_REALIZATION")?;
    let (rows, columns) = size_lines(&mut text, REALIZATION_CELLS)?;
    let rule = mode_line(&mut text)?;
    let game = opening_line(&mut text, Game { rule, rows, columns, opening: None }, true)?;
    let owner = owner_line(&mut text)?;
    let board = Board::new(&game);
    let mut plans = Vec::new();
    let mut room = MAX_HISTORIES;
    for _ in 0..text.count("PLANS", 1..=MAX_PLANS)? {
        text.exactly("PLAN")?;
        let priority = priority_line(&mut text, &game)?;
        let total = text.after("TOTAL")?;
        let mut plan = Plan { priority, total: text.positive(total, "total")?, decisions: BTreeMap::new() };
        let count = text.count("HISTORIES", 0..=room)?;
        room = room.saturating_sub(count);
        for _ in 0..count {
            read_history(&mut text, &game, &board, owner, &mut plan)?;
        }
        text.exactly("END")?;
        check_nothing_redundant(&text, &game, owner, &plan)?;
        plans.push(plan);
    }
    text.exactly("DONE")?;
    text.end()?;
    no_plan_twice(file, &plans)?;
    Ok(Strategy { game, owner, plans })
}

/// One `HISTORY` with its probes: listed in order, played by the plan, legal, and its mass conserved.
fn read_history(
    text: &mut Text<'_>,
    game: &Game,
    board: &Board,
    owner: Player,
    plan: &mut Plan,
) -> Result<(), Error> {
    let line = text.after("HISTORY")?;
    let (number, count) = text.pair(line, "a history and the number of its probes")?;
    let history = history_token(text, number, BITS, game)?;
    let count = text.small(count, "probes", 1..=game.cells())?;
    if plan.decisions.last_key_value().is_some_and(|(&last, _)| last >= history) {
        return Err(text.fault(Fault::Order { what: "histories" }));
    }
    check_history(text, game, board, owner, history)?;
    let inherited = inherited_mass(text, game, owner, plan, history)?;
    let mut probes: Vec<(Cell, BigUint)> = Vec::with_capacity(count);
    for _ in 0..count {
        let line = text.line("a cell and its mass")?;
        let (cell, mass) = text.pair(line, "a cell and its mass")?;
        let cell = cell_token(text, cell, game)?;
        if probes.last().is_some_and(|(last, _)| *last >= cell) {
            return Err(text.fault(Fault::Order { what: "cells" }));
        }
        check_legal(text, game, owner, history, cell)?;
        probes.push((cell, text.positive(mass, "mass")?));
    }
    let sum: BigUint = probes.iter().map(|(_, mass)| mass).sum();
    if sum != inherited {
        return Err(text
            .fault(Fault::Mass { expected: shown(&inherited.to_string()), found: shown(&sum.to_string()) }));
    }
    plan.decisions.insert(history, probes);
    Ok(())
}

/// The mass of a history: the plan's total at the root, elsewhere the mass of its last probe.
fn inherited_mass(
    text: &Text<'_>,
    game: &Game,
    owner: Player,
    plan: &Plan,
    history: History,
) -> Result<BigUint, Error> {
    if history == root(game, owner) {
        return Ok(plan.total.clone());
    }
    let (prefix, last) = history.split().ok_or(Error::Internal("the empty history is no root"))?;
    let probes = plan.decisions.get(&prefix).ok_or_else(|| text.fault(Fault::MissingPrefix))?;
    let made = probes.iter().find(|(cell, _)| *cell == last.cell);
    made.map(|(_, mass)| mass.clone()).ok_or_else(|| text.fault(Fault::NotPlayed))
}

/// A history that does what `PRIORITY` would do is listed only for the sake of a listed extension.
fn check_nothing_redundant(text: &Text<'_>, game: &Game, owner: Player, plan: &Plan) -> Result<(), Error> {
    let prefixes: BTreeSet<History> =
        plan.decisions.keys().filter_map(|history| history.split().map(|(prefix, _)| prefix)).collect();
    for (history, probes) in &plan.decisions {
        let (own, blocked) = knowledge(game, owner, *history);
        let is_default =
            matches!(probes.as_slice(), [(cell, _)] if Some(*cell) == plan.default_cell(own, blocked));
        if is_default && !prefixes.contains(history) {
            return Err(text.fault(Fault::Redundant));
        }
    }
    Ok(())
}
