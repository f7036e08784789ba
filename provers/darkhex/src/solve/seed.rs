//! Starting from a certificate at hand: its plans become the first trees, and their bounds the first bounds.

use super::response::{Response, bound};
use super::tree::{ABSENT, Arena, Masses, NodeId, ROOT, Tree};
use crate::files;
use crate::game::{Cell, Known, Player};
use crate::plan::{Fallback, History, Place, Plan, Share, followers, root, then};
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// A tree with a plan on it.
pub struct Seed {
    /// The plan's probes.
    pub tree: Tree,
    /// Its masses.
    pub masses: Masses<f64>,
    /// The opponent's best response to it, as a bound on the value.
    pub bound: f64,
}

/// The first plan of the certificate's file for this player. With two frames its second plan is the first one turned,
/// and the frames stand for that.
///
/// # Errors
/// That there is no such file, or it is of another game.
pub fn from_folder(arena: &Arena, player: Player, folder: &Path) -> Result<Seed, String> {
    let stem = if player == Player::Black { "black-lower" } else { "white-upper" };
    let name = |ending: &str| folder.join(format!("{stem}.{ending}"));
    let endings = ["realization.xz", "realization"].map(name);
    let file = endings.iter().find(|file| file.exists());
    let file = file.ok_or_else(|| format!("{} holds no {stem}.realization", folder.display()))?;
    let strategy = files::read(file)?;
    if (strategy.game, strategy.owner) != (arena.board.game, player) {
        return Err(format!("{} is of another game", file.display()));
    }
    let plan = strategy.plans.first().ok_or("a strategy without plans")?;
    let (tree, masses) = tree_of(arena, player, plan);
    let responder = player.opponent();
    let response = Response::new(arena, responder, &tree, &masses).solve();
    let bound = bound(response, responder);
    Ok(Seed { tree, masses, bound })
}

struct Walk<'a> {
    arena: &'a Arena,
    player: Player,
    plan: &'a Plan,
    /// Knowledge below which the unlisted play is that of the default.
    plain: HashSet<Known>,
    kept: BTreeMap<History, Vec<Share>>,
}

impl Walk<'_> {
    /// Keeps the histories from here on at which the plan differs from the default, with all that come before them,
    /// and says whether there are any.
    fn keep(&mut self, place: Place, mass: &BigUint) -> bool {
        let unlisted = !self.plan.listed.contains_key(&place.history);
        if unlisted && self.plain.contains(&place.known) {
            return false;
        }
        let board = &self.arena.board;
        let shares = self.plan.at(board, self.player, place, mass);
        let default = Cell::from(self.arena.default_cell(self.player, place.known));
        let mut differs = shares.len() != 1 || shares.iter().any(|(cell, _)| *cell != default);
        for (cell, mass) in &shares {
            for next in followers(board, self.player, place, *cell).collect::<Vec<_>>() {
                differs |= self.keep(next, mass);
            }
        }
        if differs {
            self.kept.insert(place.history, shares);
        } else if unlisted {
            self.plain.insert(place.known);
        }
        differs
    }
}

/// The plan's tree above the shortest-path default, and its masses where there is a choice.
///
/// The plan has to list every prefix of what it lists, as the realization format demands.
fn tree_of(arena: &Arena, player: Player, plan: &Plan) -> (Tree, Masses<f64>) {
    debug_assert!(matches!(plan.fallback, Fallback::Priority(_)), "files name an order");
    let mut walk = Walk { arena, player, plan, plain: HashSet::new(), kept: BTreeMap::new() };
    let start = root(&arena.board.game, player);
    walk.keep(start, &plan.total);
    let mut tree = Tree::new(&arena.board, player);
    let mut masses: Masses<f64> = vec![Vec::new()];
    let mut nodes: HashMap<History, NodeId> = HashMap::from([(start.history, ROOT)]);
    // A history's number exceeds those of its prefixes, so parents come first.
    for (history, shares) in &walk.kept {
        let node = nodes.get(history).copied().unwrap_or(ABSENT);
        if node == ABSENT {
            continue;
        }
        for (cell, mass) in shares {
            let index = tree.allow(node, *cell as u8);
            for success in [false, true] {
                let next = then(*history, *cell, success);
                if walk.kept.contains_key(&next) {
                    nodes.insert(next, tree.follow(node, index, success));
                    masses.push(Vec::new());
                }
            }
            if shares.len() > 1 {
                masses[node as usize].push(ratio(mass, &plan.total));
            }
        }
    }
    (tree, masses)
}

/// The quotient to about 60 bits.
#[allow(clippy::cast_precision_loss, reason = "the quotient is wanted in floating point")]
fn ratio(part: &BigUint, whole: &BigUint) -> f64 {
    let scaled = (part << 60u32) / whole;
    u64::try_from(scaled).unwrap_or(u64::MAX) as f64 / (1u64 << 60) as f64
}
