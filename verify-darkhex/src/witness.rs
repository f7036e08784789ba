//! Writes a best response as a strategy file of one policy: `.mix`, or `.realization` where a board is too large for
//! the five bits of a `.mix` probe.

use crate::board::{Game, Player, Rule, Stones};
use crate::strategy::{History, Plan, Strategy, knowledge};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The text of a strategy of one deterministic plan, without the listings that only repeat its default order.
#[must_use]
pub fn text(strategy: &Strategy) -> String {
    let Strategy { game, owner, plans } = strategy;
    let mode = match game.rule {
        Rule::Classic => "STANDARD",
        Rule::Abrupt => "ABRUPT",
    };
    let owner_word = match owner {
        Player::Black => "BLACK",
        Player::White => "WHITE",
    };
    let size = format!("ROWS {}\nCOLUMNS {}\nMODE {mode}\n", game.rows, game.columns);
    let opening = game.opening.map_or("none".to_string(), |cell| game.square(cell));
    let is_mix = game.cells() <= 15;
    let mut out = match (is_mix, game.opening) {
        (true, None) => format!("DARKHEX_MIXTURE\n{size}OWNER {owner_word}\nPOLICIES 1\n"),
        (true, Some(_)) => {
            format!("DARKHEX_OPENING_MIXTURE\n{size}OPENING {opening}\nOWNER {owner_word}\nPOLICIES 1\n")
        }
        (false, _) => format!("DARKHEX_REALIZATION\n{size}OPENING {opening}\nOWNER {owner_word}\nPLANS 1\n"),
    };
    for plan in plans {
        let listed = needed(game, *owner, plan);
        let priority: Vec<String> = plan.priority.iter().map(|cell| cell.index().to_string()).collect();
        let (priority, count, total) = (priority.join(" "), listed.len(), &plan.total);
        // Writing into a string cannot fail.
        let _ = if is_mix {
            writeln!(out, "POLICY {total}\nPRIORITY {priority}\nDECISIONS {count}")
        } else {
            writeln!(out, "PLAN\nPRIORITY {priority}\nTOTAL {total}\nHISTORIES {count}")
        };
        for (history, cell) in &listed {
            let _ = if is_mix {
                writeln!(out, "{} {}", history.encode(5), cell)
            } else {
                writeln!(out, "HISTORY {} 1\n{cell} {total}", history.encode(6))
            };
        }
        out.push_str("END\n");
    }
    out.push_str("DONE\n");
    out
}

/// The listed histories at which the plan leaves its default order, with their prefixes.
fn needed(game: &Game, owner: Player, plan: &Plan) -> BTreeMap<History, usize> {
    let mut needed = BTreeMap::new();
    for (history, probes) in plan.decisions.iter().rev() {
        let (own, blocked): (Stones, Stones) = knowledge(game, owner, *history);
        let Some((cell, _)) = probes.first() else { continue };
        let is_prefix = needed
            .keys()
            .any(|longer: &History| longer.split().is_some_and(|(prefix, _)| prefix == *history));
        if is_prefix || plan.default_cell(own, blocked) != Some(*cell) {
            needed.insert(*history, cell.index());
        }
    }
    needed
}
