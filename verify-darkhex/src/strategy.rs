//! Strategies as both file formats describe them: a start-of-game lottery over realization plans.
//!
//! A **private history** is one player's own record, his probes with their outcomes. A **plan** puts an integer mass on
//! private histories: the root has the plan's total, a history's mass is split over its probes, and both outcomes of a
//! probe inherit the probe's mass. A deterministic policy is the plan in which every history has one probe.

use crate::board::{Board, Cell, Game, MAX_CELLS, Player, Rule, Stones};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// One player's probe with its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The probed cell.
    pub cell: Cell,
    /// Whether it was empty.
    pub success: bool,
}

/// A player's private history: six bits a probe, `(cell + 1) << 1 | success`, oldest first, the empty one 0.
///
/// At most one probe a cell, so that 96 bits suffice for [`MAX_CELLS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct History(u128);

const BITS: u32 = 6;

impl History {
    /// No probe yet.
    pub const EMPTY: History = History(0);

    /// This history with one more probe. The caller sees to it that no cell is probed twice.
    #[must_use]
    pub fn then(self, cell: Cell, success: bool) -> History {
        // At most 17 * 2 + 1 = 35, below 64.
        let code = (cell.index() as u128 + 1) << 1 | u128::from(success);
        History(self.0 << BITS | code)
    }

    /// The history without its last probe, and that probe.
    #[must_use]
    pub fn split(self) -> Option<(History, Probe)> {
        let code = usize::try_from(self.0 & 63).ok()?;
        let cell = Cell::new((code >> 1).checked_sub(1)?)?;
        Some((History(self.0 >> BITS), Probe { cell, success: code & 1 == 1 }))
    }

    /// The probes, oldest first.
    #[must_use]
    pub fn probes(self) -> Vec<Probe> {
        let mut probes: Vec<Probe> =
            std::iter::successors(self.split(), |(rest, _)| rest.split()).map(|(_, probe)| probe).collect();
        probes.reverse();
        probes
    }

    /// The history that a file writes with so many bits a probe, if the number encodes one on this board: probes of
    /// its cells, none twice.
    #[must_use]
    pub fn decode(number: &BigUint, bits: u32, game: &Game) -> Option<History> {
        let digits = number.to_radix_be(1 << bits);
        let digits: &[u8] = if *number == BigUint::ZERO { &[] } else { &digits };
        if digits.len() > MAX_CELLS {
            return None;
        }
        let mut history = History::EMPTY;
        let mut seen = Stones::NONE;
        for &code in digits {
            let cell = Cell::new(usize::from(code >> 1).checked_sub(1)?)
                .filter(|cell| cell.index() < game.cells())?;
            if seen.contains(cell) {
                return None;
            }
            seen = seen.with(cell);
            history = history.then(cell, code & 1 == 1);
        }
        Some(history)
    }

    /// The number that a file with so many bits a probe writes.
    #[must_use]
    pub fn encode(self, bits: u32) -> BigUint {
        self.probes().into_iter().fold(BigUint::ZERO, |number, probe| {
            (number << bits) + ((probe.cell.index() << 1) + 2 + usize::from(probe.success))
        })
    }

    /// Each probe's cell replaced.
    #[must_use]
    pub fn mapped(self, map: impl Fn(Cell) -> Cell) -> History {
        self.probes()
            .into_iter()
            .fold(History::EMPTY, |history, probe| history.then(map(probe.cell), probe.success))
    }
}

/// A realization plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Plan {
    /// The order in which cells are probed at histories that are not listed: the first that is neither owned nor known
    /// to be occupied.
    pub priority: Vec<Cell>,
    /// The mass of the root, positive; the plan is drawn with probability total / sum of the totals.
    pub total: BigUint,
    /// The listed histories, each with its probes in increasing order of cell and their positive masses.
    pub decisions: BTreeMap<History, Vec<(Cell, BigUint)>>,
}

impl Plan {
    /// The cell probed at a history that is not listed.
    #[must_use]
    pub fn default_cell(&self, own: Stones, blocked: Stones) -> Option<Cell> {
        self.priority.iter().copied().find(|&cell| !own.union(blocked).contains(cell))
    }

    /// The same plan on the board turned by 180 degrees.
    #[must_use]
    pub fn rotated(&self, game: &Game) -> Plan {
        let turn = |cell: Cell| game.rotated(cell);
        let turned = |probes: &Vec<(Cell, BigUint)>| {
            let mut probes: Vec<_> = probes.iter().map(|(cell, mass)| (turn(*cell), mass.clone())).collect();
            probes.sort();
            probes
        };
        Plan {
            priority: self.priority.iter().map(|&cell| turn(cell)).collect(),
            total: self.total.clone(),
            decisions: self
                .decisions
                .iter()
                .map(|(history, probes)| (history.mapped(turn), turned(probes)))
                .collect(),
        }
    }
}

/// A player's strategy: a lottery over plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// The game for which it is written.
    pub game: Game,
    /// Whose strategy it is.
    pub owner: Player,
    /// The plans, at least one.
    pub plans: Vec<Plan>,
}

impl Strategy {
    /// The sum of the plans' totals.
    #[must_use]
    pub fn total(&self) -> BigUint {
        self.plans.iter().map(|plan| &plan.total).sum()
    }

    /// The number of listed histories of all plans.
    #[must_use]
    pub fn histories(&self) -> usize {
        self.plans.iter().map(|plan| plan.decisions.len()).sum()
    }

    /// The same strategy on the board turned by 180 degrees, the opening turned with it.
    #[must_use]
    pub fn rotated(&self) -> Strategy {
        let opening = self.game.opening.map(|cell| self.game.rotated(cell));
        Strategy {
            game: Game { opening, ..self.game },
            owner: self.owner,
            plans: self.plans.iter().map(|plan| plan.rotated(&self.game)).collect(),
        }
    }

    /// Whether the lottery as written is the same after half a turn of the board. It need not be for any bound.
    #[must_use]
    pub fn is_rotation_invariant(&self) -> bool {
        let sorted = |mut plans: Vec<Plan>| {
            plans.sort();
            plans
        };
        let turned = self.rotated();
        self.game == turned.game && sorted(self.plans.clone()) == sorted(turned.plans)
    }
}

/// The history at which the owner makes the first probe of his own choice.
#[must_use]
pub fn root(game: &Game, owner: Player) -> History {
    match (owner, game.opening) {
        (Player::Black, Some(opening)) => History::EMPTY.then(opening, true),
        _ => History::EMPTY,
    }
}

/// What the owner owns and knows to be occupied at a history.
#[must_use]
pub fn knowledge(game: &Game, owner: Player, history: History) -> (Stones, Stones) {
    let (_, blocked) = game.start(owner);
    history.probes().into_iter().fold((Stones::NONE, blocked), |(own, blocked), probe| {
        if probe.success { (own.with(probe.cell), blocked) } else { (own, blocked.with(probe.cell)) }
    })
}

/// Whether some opponent can bring this history about such that the game goes on and its owner is to probe.
///
/// The opponent places his stones on the cells of the collisions, in their order and as early as he can, wastes turns
/// on the owner's stones where the rule lets him, and puts what is left on cells that the history leaves open. So there
/// have to be turns enough before each collision, and room for the rest that does not join his sides. The owner's
/// probes have to be of cells that are neither owned nor known, and must not have joined his own sides.
#[must_use]
pub fn reachable(game: &Game, board: &Board, owner: Player, history: History) -> bool {
    let (_, mut found) = game.start(owner);
    let mut own = Stones::NONE;
    // Turns that the opponent has had, and stones that he has for certain.
    let head_start = usize::from(owner == Player::White);
    for (index, probe) in history.probes().into_iter().enumerate() {
        if own.union(found).contains(probe.cell) || board.connected(owner, own) {
            return false;
        }
        let stones_at_most = match game.rule {
            Rule::Classic => own.count(),
            Rule::Abrupt => index,
        }
        .saturating_add(head_start);
        if probe.success {
            own = own.with(probe.cell);
        } else {
            found = found.with(probe.cell);
            if found.count() > stones_at_most {
                return false;
            }
        }
    }
    let stones = match game.rule {
        Rule::Classic => own.count().saturating_add(head_start),
        Rule::Abrupt => {
            let probes = history.probes().len();
            let wasted_at_most = own.without(game.start(owner.opponent()).1).count();
            let turns = probes.saturating_add(head_start);
            found.count().max(turns.saturating_sub(wasted_at_most))
        }
    };
    let open = game.board().without(own.union(found));
    !board.connected(owner, own)
        && stones >= found.count()
        && has_room(board, owner.opponent(), found, open, stones.saturating_sub(found.count()))
}

/// Whether so many cells of `open` can be added to the stones without joining the player's sides.
fn has_room(board: &Board, player: Player, stones: Stones, open: Stones, more: usize) -> bool {
    if board.connected(player, stones) || open.count() < more {
        return false;
    }
    if more == 0 {
        return true;
    }
    let mut rest = open;
    open.cells().any(|cell| {
        rest = rest.without(Stones::NONE.with(cell));
        has_room(board, player, stones.with(cell), rest, more.saturating_sub(1))
    })
}
