//! From one format to another, the strategy remaining the same.

use crate::files;
use crate::game::Board;
use crate::order::{Listing, ordered};
use crate::plan::{Plan, Strategy};
use crate::sketch;
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// Orders of probes tried for a plan, and for each policy of a mixture.
pub const TRIES: usize = 40;
const TRIES_A_POLICY: usize = 6;
/// Orders tried where the file has to be ready soon: it becomes a little longer.
pub const FEW_TRIES: usize = 2;

/// Reads a plan in the sketch's text format and writes it as a `.mix` or a `.realization`.
///
/// # Errors
/// What hindered it, in words.
pub fn from_sketch(from: &Path, to: &Path) -> Result<Strategy, String> {
    let text = std::fs::read_to_string(from).map_err(|error| format!("{}: {error}", from.display()))?;
    let (strategy, symmetric) =
        sketch::read(&text).map_err(|error| format!("{}: {error}", from.display()))?;
    write_reordered(&strategy, symmetric, TRIES, to)
}

/// Writes a strategy in the format that the name says, each plan under an order of probes that keeps the file small
/// (the best of `tries`, for a realization); with `symmetric` it stands for the average of itself and its image after
/// half a turn of the board.
///
/// # Errors
/// What hindered it, in words.
pub fn write_reordered(
    strategy: &Strategy,
    symmetric: bool,
    tries: usize,
    to: &Path,
) -> Result<Strategy, String> {
    let board = Board::new(strategy.game);
    let mut result = if files::is_mixture(to)? {
        mixture(&board, strategy, symmetric)
    } else {
        realization(&board, strategy, symmetric, tries)
    };
    result.reduce();
    files::write(to, &result)?;
    Ok(result)
}

/// Writes a strategy file in the other format, or anew in its own.
///
/// A mixture becomes one plan. A realization becomes the policies into which its plans decompose.
///
/// # Errors
/// What hindered it, in words.
pub fn between(from: &Path, to: &Path) -> Result<Strategy, String> {
    let strategy = files::read(from)?;
    let board = Board::new(strategy.game);
    let mut result = match (files::is_mixture(from)?, files::is_mixture(to)?) {
        (true, true) => policies(&board, &strategy, strategy.plans.clone(), false),
        (true, false) => realization(&board, &strategy.merged(&board), false, TRIES),
        (false, true) => mixture(&board, &strategy, false),
        (false, false) => realization(&board, &strategy, false, TRIES),
    };
    result.reduce();
    files::write(to, &result)?;
    Ok(result)
}

/// Each plan under the order of probes that lists least; with `symmetric`, its image after half a turn besides.
fn realization(board: &Board, strategy: &Strategy, symmetric: bool, tries: usize) -> Strategy {
    let mut plans: Vec<Plan> = Vec::new();
    for plan in &strategy.plans {
        let plan = ordered(board, strategy.owner, plan, Listing::WithPrefixes, tries);
        let turned = symmetric.then(|| plan.rotated(&board.game)).filter(|turned| *turned != plan);
        plans.push(plan);
        plans.extend(turned);
    }
    Strategy { plans, ..strategy.clone() }
}

fn mixture(board: &Board, strategy: &Strategy, symmetric: bool) -> Strategy {
    let peeled = strategy.plans.iter().flat_map(|plan| plan.peeled(board, strategy.owner)).collect();
    policies(board, strategy, peeled, symmetric)
}

/// Deterministic policies, equal ones added up, the heaviest first.
fn policies(board: &Board, strategy: &Strategy, policies: Vec<Plan>, symmetric: bool) -> Strategy {
    // What a policy plays, without its weight, and how it is written.
    let mut weights: BTreeMap<Plan, (BigUint, Plan)> = BTreeMap::new();
    let mut add = |played: Plan, written: Plan| match weights.entry(played) {
        Entry::Occupied(mut entry) => entry.get_mut().0 += &written.total,
        Entry::Vacant(entry) => {
            entry.insert((written.total.clone(), written));
        }
    };
    for policy in policies {
        let written = ordered(board, strategy.owner, &policy, Listing::Differences, TRIES_A_POLICY);
        let mut played = written.spelled_out(board, strategy.owner);
        played.total = BigUint::ZERO;
        for (_, mass) in played.listed.values_mut().flatten() {
            *mass = BigUint::ZERO;
        }
        if symmetric {
            add(played.rotated(&board.game), written.rotated(&board.game));
        }
        add(played, written);
    }
    let mut plans: Vec<Plan> = weights
        .into_values()
        .map(|(total, mut written)| {
            for (_, mass) in written.listed.values_mut().flatten() {
                mass.clone_from(&total);
            }
            Plan { total, ..written }
        })
        .collect();
    plans.sort_by(|one, other| other.total.cmp(&one.total));
    Strategy { plans, ..strategy.clone() }
}
