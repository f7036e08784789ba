//! Realization plans, mixtures of them, and what can be done with them without changing what they play.

use crate::game::{Board, Cell, Game, Known, Player, Stones, cells};
use crate::shortest;
use num_bigint::BigUint;
use num_integer::Integer;
use std::collections::BTreeMap;

/// A player's record of his probes: six bits a probe, `(cell + 1) << 1 | success`, oldest first.
pub type History = u128;

/// The record with one more probe.
#[must_use]
pub fn then(history: History, cell: Cell, success: bool) -> History {
    history << 6 | ((cell as u128 + 1) << 1 | u128::from(success))
}

/// The probes of a record, oldest first.
#[must_use]
pub fn probes(history: History) -> Vec<(Cell, bool)> {
    let mut probes = Vec::new();
    let mut rest = history;
    while rest != 0 {
        probes.push(((rest as usize & 63) / 2 - 1, rest & 1 == 1));
        rest >>= 6;
    }
    probes.reverse();
    probes
}

/// The number that a file with so many bits a probe gives the record.
#[must_use]
pub fn number(history: History, bits: u32) -> u128 {
    probes(history)
        .into_iter()
        .fold(0, |number, (cell, success)| number << bits | ((cell as u128 + 1) << 1 | u128::from(success)))
}

/// What is probed where nothing is listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fallback {
    /// The sketch's rule.
    ShortestPath,
    /// The first open cell of this order.
    Priority(Vec<Cell>),
}

impl Fallback {
    fn cell(&self, board: &Board, owner: Player, known: Known) -> Cell {
        match self {
            Fallback::ShortestPath => shortest::cell(board, owner, known),
            Fallback::Priority(order) => first_open(order, known.closed()),
        }
    }
}

fn first_open(order: &[Cell], closed: Stones) -> Cell {
    order.iter().copied().find(|cell| closed >> cell & 1 == 0).unwrap_or(0)
}

/// A probe and the mass on it.
pub type Share = (Cell, BigUint);

/// A realization plan. A deterministic policy is one with a single probe everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Plan {
    /// The mass of the first history.
    pub total: BigUint,
    /// The listed histories, their probes in increasing order of cell.
    pub listed: BTreeMap<History, Vec<Share>>,
    /// What is played elsewhere.
    pub fallback: Fallback,
}

/// A player's lottery over plans, each drawn in proportion to its total.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// The game.
    pub game: Game,
    /// Whose strategy it is.
    pub owner: Player,
    /// The plans.
    pub plans: Vec<Plan>,
}

/// A history with what its owner knows there.
#[derive(Clone, Copy)]
pub struct Place {
    /// The record.
    pub history: History,
    /// What follows from it.
    pub known: Known,
}

/// Where the owner makes the first choice of his own.
#[must_use]
pub fn root(game: &Game, owner: Player) -> Place {
    let history = match (owner, game.opening) {
        (Player::Black, Some(opening)) => then(0, opening, true),
        _ => 0,
    };
    Place { history, known: game.start(owner) }
}

/// The places that can follow a probe and at which its owner is to probe again.
pub fn followers(board: &Board, owner: Player, place: Place, cell: Cell) -> impl Iterator<Item = Place> {
    [false, true].into_iter().filter_map(move |success| {
        let known = place.known.then(cell, success);
        let history = then(place.history, cell, success);
        board.can_follow(owner, known, !success).then_some(Place { history, known })
    })
}

impl Plan {
    /// The probes at a place that has this mass.
    #[must_use]
    pub fn at(&self, board: &Board, owner: Player, place: Place, mass: &BigUint) -> Vec<Share> {
        match self.listed.get(&place.history) {
            Some(probes) => probes.clone(),
            None => vec![(self.fallback.cell(board, owner, place.known), mass.clone())],
        }
    }

    /// The same plan with every history listed that can come about with positive mass, and no other.
    #[must_use]
    pub fn spelled_out(&self, board: &Board, owner: Player) -> Plan {
        let mut listed = BTreeMap::new();
        let mut todo = vec![(root(&board.game, owner), self.total.clone())];
        while let Some((place, mass)) = todo.pop() {
            let shares = self.at(board, owner, place, &mass);
            for (cell, mass) in &shares {
                todo.extend(followers(board, owner, place, *cell).map(|next| (next, mass.clone())));
            }
            listed.insert(place.history, shares);
        }
        Plan { total: self.total.clone(), listed, fallback: Fallback::Priority(Vec::new()) }
    }

    /// The plan on the board turned by 180 degrees; its fallback has to be an order or empty.
    #[must_use]
    pub fn rotated(&self, game: &Game) -> Plan {
        let turn = |history| {
            probes(history)
                .into_iter()
                .fold(0, |turned, (cell, success)| then(turned, game.rotated(cell), success))
        };
        let listed = self.listed.iter().map(|(&history, shares)| {
            (
                turn(history),
                shares.iter().rev().map(|(cell, mass)| (game.rotated(*cell), mass.clone())).collect(),
            )
        });
        let fallback = match &self.fallback {
            Fallback::Priority(order) => {
                Fallback::Priority(order.iter().map(|&cell| game.rotated(cell)).collect())
            }
            Fallback::ShortestPath => Fallback::ShortestPath,
        };
        Plan { total: self.total.clone(), listed: listed.collect(), fallback }
    }

    /// Deterministic policies whose weighted sum is this plan: again and again the one with the largest weight that
    /// the masses left over bear everywhere. Each lists histories that this plan lists and keeps its fallback.
    #[must_use]
    pub fn peeled(&self, board: &Board, owner: Player) -> Vec<Plan> {
        let mut rest = self.clone();
        let mut policies = Vec::new();
        while rest.total != BigUint::ZERO {
            let mut choices = BTreeMap::new();
            let start = root(&board.game, owner);
            let weight =
                rest.heaviest(board, owner, start, &mut choices).unwrap_or_else(|| rest.total.clone());
            let mut listed = BTreeMap::new();
            let mut todo = vec![start];
            while let Some(place) = todo.pop() {
                let Some(&cell) = choices.get(&place.history) else { continue };
                listed.insert(place.history, vec![(cell, weight.clone())]);
                if let Some(shares) = rest.listed.get_mut(&place.history) {
                    for (_, mass) in shares.iter_mut().filter(|(made, _)| *made == cell) {
                        *mass -= &weight;
                    }
                    shares.retain(|(_, mass)| *mass != BigUint::ZERO);
                }
                todo.extend(followers(board, owner, place, cell));
            }
            rest.total -= &weight;
            policies.push(Plan { total: weight, listed, fallback: self.fallback.clone() });
        }
        policies
    }

    /// The largest weight of a policy from here on, `None` where nothing listed bounds it; writes down its probes.
    fn heaviest(
        &self,
        board: &Board,
        owner: Player,
        place: Place,
        choices: &mut BTreeMap<History, Cell>,
    ) -> Option<BigUint> {
        let mut best: Option<Share> = None;
        for (cell, mass) in self.listed.get(&place.history)? {
            let weight = followers(board, owner, place, *cell)
                .filter_map(|next| self.heaviest(board, owner, next, choices))
                .fold(mass.clone(), BigUint::min);
            if best.as_ref().is_none_or(|(_, most)| weight > *most) {
                best = Some((*cell, weight));
            }
        }
        let (cell, weight) = best?;
        choices.insert(place.history, cell);
        Some(weight)
    }
}

impl Strategy {
    /// The same strategy as one plan: masses of equal probes at equal histories are added.
    #[must_use]
    pub fn merged(&self, board: &Board) -> Strategy {
        let mut sums: BTreeMap<History, BTreeMap<Cell, BigUint>> = BTreeMap::new();
        for plan in &self.plans {
            for (history, shares) in plan.spelled_out(board, self.owner).listed {
                for (cell, mass) in shares {
                    *sums.entry(history).or_default().entry(cell).or_default() += mass;
                }
            }
        }
        let listed =
            sums.into_iter().map(|(history, shares)| (history, shares.into_iter().collect())).collect();
        let total = self.plans.iter().map(|plan| &plan.total).sum();
        let plan = Plan { total, listed, fallback: Fallback::Priority(Vec::new()) };
        Strategy { plans: vec![plan], ..self.clone() }
    }

    /// Divides all masses by their greatest common divisor.
    pub fn reduce(&mut self) {
        let masses = |plan: &Plan| {
            let shares = plan.listed.values().flatten().map(|(_, mass)| mass.clone());
            shares.chain([plan.total.clone()]).collect::<Vec<_>>()
        };
        let divisor =
            self.plans.iter().flat_map(masses).fold(BigUint::ZERO, |divisor, mass| divisor.gcd(&mass));
        for plan in &mut self.plans {
            plan.total /= &divisor;
            for (_, mass) in plan.listed.values_mut().flatten() {
                *mass /= &divisor;
            }
        }
    }
}

/// The cells that an order of probes lists: all but the opening.
#[must_use]
pub fn orderable(game: &Game) -> Vec<Cell> {
    cells(game.full()).filter(|cell| Some(*cell) != game.opening).collect()
}
