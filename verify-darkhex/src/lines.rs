//! The lines and rules that both formats of strategy files share.

use crate::board::{Board, Cell, Game, MAX_CELLS, Player, Rule, Stones};
use crate::error::{Error, Fault};
use crate::strategy::{History, Plan, knowledge, reachable, root};
use crate::text::Text;
use num_bigint::BigUint;
use std::cmp::Ordering;

/// Most plans or policies of a file.
pub const MAX_PLANS: usize = 100_000;
/// Most listed histories of a file.
pub const MAX_HISTORIES: usize = 4_000_000;

/// `ROWS` and `COLUMNS` within the limits of the format and of this program.
pub(crate) fn size_lines(text: &mut Text<'_>, most: usize) -> Result<(usize, usize), Error> {
    let rows = text.count("ROWS", 1..=most)?;
    let columns = text.count("COLUMNS", 1..=most)?;
    check_size(text, rows, columns, most)?;
    Ok((rows, columns))
}

pub(crate) fn check_size(text: &Text<'_>, rows: usize, columns: usize, most: usize) -> Result<(), Error> {
    let cells = rows.saturating_mul(columns);
    if cells > most {
        let expected = format!("rows x columns at most {most}");
        return Err(text.fault(Fault::Range { what: "cells", expected, found: cells.to_string() }));
    }
    if cells > MAX_CELLS {
        return Err(Error::Declined(format!("a board of {cells} cells, at most {MAX_CELLS}")));
    }
    Ok(())
}

/// `MODE STANDARD` or `MODE ABRUPT`.
pub(crate) fn mode_line(text: &mut Text<'_>) -> Result<Rule, Error> {
    match text.after("MODE")? {
        "STANDARD" => Ok(Rule::Classic),
        "ABRUPT" => Ok(Rule::Abrupt),
        other => Err(text.unexpected("STANDARD or ABRUPT", other)),
    }
}

/// `OPENING` and a square of the board, or `none` where the format allows it.
pub(crate) fn opening_line(text: &mut Text<'_>, game: Game, or_none: bool) -> Result<Game, Error> {
    let square = text.after("OPENING")?;
    match game.cell(square) {
        None if or_none && square == "none" => Ok(game),
        // On a single row Black's first stone joins his sides, and no game is left.
        Some(cell) if game.rows > 1 => Ok(Game { opening: Some(cell), ..game }),
        _ => Err(text.unexpected("a square of the board that does not end the game", square)),
    }
}

/// `OWNER BLACK` or `OWNER WHITE`.
pub(crate) fn owner_line(text: &mut Text<'_>) -> Result<Player, Error> {
    match text.after("OWNER")? {
        "BLACK" => Ok(Player::Black),
        "WHITE" => Ok(Player::White),
        other => Err(text.unexpected("BLACK or WHITE", other)),
    }
}

/// `PRIORITY`: every cell that can be probed exactly once.
pub(crate) fn priority_line(text: &mut Text<'_>, game: &Game) -> Result<Vec<Cell>, Error> {
    let mut missing = game.opening.map_or(game.board(), |cell| game.board().without(Stones::NONE.with(cell)));
    let mut priority = Vec::new();
    for token in text.after("PRIORITY")?.split(' ') {
        let cell = cell_token(text, token, game)?;
        if !missing.contains(cell) {
            return Err(text.fault(Fault::Priority));
        }
        missing = missing.without(Stones::NONE.with(cell));
        priority.push(cell);
    }
    if missing.is_empty() { Ok(priority) } else { Err(text.fault(Fault::Priority)) }
}

/// The number of a cell of the board.
pub(crate) fn cell_token(text: &Text<'_>, token: &str, game: &Game) -> Result<Cell, Error> {
    let range = 0..=game.cells().saturating_sub(1);
    Cell::new(text.small(token, "cell", range)?).ok_or(Error::Internal("a cell beyond the board"))
}

/// The number of a history.
pub(crate) fn history_token(text: &Text<'_>, token: &str, bits: u32, game: &Game) -> Result<History, Error> {
    let number: BigUint = text.big(token)?;
    History::decode(&number, bits, game).ok_or_else(|| text.fault(Fault::NotAHistory))
}

/// The history starts at the owner's root, and some opponent can bring it about.
pub(crate) fn check_history(
    text: &Text<'_>,
    game: &Game,
    board: &Board,
    owner: Player,
    history: History,
) -> Result<(), Error> {
    let start = root(game, owner);
    let starts_there =
        std::iter::successors(Some(history), |h| h.split().map(|(prefix, _)| prefix)).any(|h| h == start);
    if starts_there && reachable(game, board, owner, history) {
        Ok(())
    } else {
        Err(text.fault(Fault::Unreachable))
    }
}

/// The owner may probe the cell at the history.
pub(crate) fn check_legal(
    text: &Text<'_>,
    game: &Game,
    owner: Player,
    history: History,
    cell: Cell,
) -> Result<(), Error> {
    let (own, blocked) = knowledge(game, owner, history);
    if own.union(blocked).contains(cell) { Err(text.fault(Fault::IllegalProbe)) } else { Ok(()) }
}

/// No plan stands twice, whatever its total.
pub(crate) fn no_plan_twice(file: &str, plans: &[Plan]) -> Result<(), Error> {
    let mut sorted: Vec<&Plan> = plans.iter().collect();
    sorted.sort_by(|one, other| behaviour_order(one, other));
    let twice =
        sorted.iter().zip(sorted.iter().skip(1)).any(|(one, other)| behaviour_order(one, other).is_eq());
    if twice { Err(Error::malformed(file, 0, Fault::SamePlan)) } else { Ok(()) }
}

/// Orders plans by what they do: default order, histories and cells, then each mass as a fraction of the total.
fn behaviour_order(one: &Plan, other: &Plan) -> Ordering {
    let cells = |plan: &Plan| -> Vec<(History, Vec<Cell>)> {
        plan.decisions
            .iter()
            .map(|(h, probes)| (*h, probes.iter().map(|(cell, _)| *cell).collect()))
            .collect()
    };
    let masses = |plan: &Plan, factor: &BigUint| -> Vec<BigUint> {
        plan.decisions.values().flatten().map(|(_, mass)| mass * factor).collect()
    };
    one.priority
        .cmp(&other.priority)
        .then_with(|| one.decisions.len().cmp(&other.decisions.len()))
        .then_with(|| cells(one).cmp(&cells(other)))
        .then_with(|| masses(one, &other.total).cmp(&masses(other, &one.total)))
}
