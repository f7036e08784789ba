//! The exact best response to a strategy: how much of its mass an opponent who knows it can win.
//!
//! Fix one player's strategy, a lottery over plans. The **responder** plays against it without chance, so what he does
//! not know is only the owner's private history. A **world** is a plan with a private history of it; its weight is the
//! history's mass. A **belief** is the responder's own stones, the cells that he has found occupied, and the set of
//! worlds that fit all that he saw, the responder being to move. Distinct histories are distinct worlds, so a belief is
//! a set of worlds and its value a function of that set: no weight enters the key. The value of a belief is the
//! greatest mass that any way of probing on can win:
//!
//! value(belief) = max over probes of: mass won at once + value(worlds of the success) + value(worlds of the collision)
//!
//! where the owner answers, after a success (Abrupt: after a collision too), with all probes of his plan, each world
//! splitting into its successors; a world in which the owner connects is lost. Every number of probes is finite, since
//! each adds a cell to somebody's history.
//!
//! # Why the shortcuts change nothing
//!
//! *Certain collisions* (Classic). If the cell is occupied in all worlds, the probe changes nothing but the responder's
//! list of found cells: the turn stays, the set of worlds stays, and the list forbids only that same useless probe. So
//! it is left out, and the found cells (all of them occupied in all worlds) are left out of the key. Under Abrupt such
//! a probe is a pass, which may be the only best move: there it is tried, and the found cells belong to the key.
//!
//! *Forced winning probe* (Classic). If a cell would join the responder's sides, probe it first. Where it is empty all
//! mass of those worlds is won, and no way of playing wins more there. Where it is occupied the responder has learnt it
//! for free, and any plan of his can go on as if he had not, skipping that cell.
//!
//! *Bounds*. A responder who saw the owner's history all along would win at least as much as one who does not. That
//! value, `full(stones, world)`, is computed world by world (under Abrupt allowing a pass wherever the owner has a
//! stone, which only adds to it). A probe whose worlds' bounds sum to no more than the best probe so far is skipped. No
//! window is passed down: every stored value is exact. A world whose bound is nothing is left out of the belief: what
//! is won is a sum over worlds, and this one adds nothing to it whatever is probed.
//!
//! The error that would lie is a value that is too small. So: for every probe expanded, the mass of the belief equals
//! what is won, lost and passed to the two branches; a world that occurs twice in a belief is an internal error; the
//! tests compare with a plain recursion without any of this; and [`crate::second`] computes it anew without the bounds,
//! and under Abrupt without any of this, where the auditor asks for it.

#![allow(
    clippy::indexing_slicing,
    reason = "worlds, steps and rows are named by indices that this module alone hands out and never takes back"
)]

use crate::board::{Board, Cell, Game, MAX_CELLS, Player, Rule, Stones};
use crate::error::Error;
use crate::hashing::Table;
use crate::index;
use crate::mass::{Mass, fits_u128};
use crate::strategy::{History, Strategy, knowledge, root};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Most worlds of a search.
pub const MAX_WORLDS: usize = 16_000_000;
/// Most beliefs of a search.
pub const MAX_BELIEFS: usize = 8_000_000;
/// Most worlds in all stored beliefs together.
pub const MAX_STORED: usize = 256_000_000;

/// Which shortcuts a search takes. All are taken by [`Shortcuts::default`]; the tests turn each off and compare.
#[derive(Clone, Copy, Debug)]
pub struct Shortcuts {
    /// Leave certain collisions out (Classic).
    pub certain: bool,
    /// Try a winning probe first and no other (Classic).
    pub forced: bool,
    /// Skip what full information does not make better.
    pub bounds: bool,
}

impl Default for Shortcuts {
    fn default() -> Self {
        Shortcuts { certain: true, forced: true, bounds: true }
    }
}

/// A best response and what it wins.
#[derive(Clone, Debug)]
pub struct Response {
    /// Who responds.
    pub responder: Player,
    /// The greatest mass that the responder can win; private so that only the search can make one.
    mass: BigUint,
    /// The total mass of the strategy responded to.
    total: BigUint,
    /// The responder's probe at each of his histories that his play reaches and where there is something left to win.
    pub policy: BTreeMap<History, Cell>,
    /// What the search took.
    pub counters: Counters,
}

impl Response {
    /// The greatest mass that the responder can win, out of [`Response::total`].
    #[must_use]
    pub fn mass(&self) -> &BigUint {
        &self.mass
    }

    /// The total mass of the strategy responded to.
    #[must_use]
    pub fn total(&self) -> &BigUint {
        &self.total
    }
}

/// The size of a search; the same on every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Beliefs whose value was computed.
    pub beliefs: usize,
    /// Worlds that were built.
    pub worlds: usize,
    /// Pairs of own stones and world whose full-information bound was computed.
    pub bounds: usize,
}

/// Computes the best response to a strategy.
///
/// # Errors
/// `Declined` beyond [`MAX_WORLDS`], [`MAX_BELIEFS`] or [`MAX_STORED`], `Internal` where a guard fails.
pub fn best_response(strategy: &Strategy, board: &Board, shortcuts: Shortcuts) -> Result<Response, Error> {
    let total = strategy.total();
    if fits_u128(&total) {
        Search::<u128>::new(strategy, board, shortcuts).run(total)
    } else {
        Search::<BigUint>::new(strategy, board, shortcuts).run(total)
    }
}

/// A private history of a plan of the owner.
struct World<M> {
    plan: usize,
    history: History,
    own: Stones,
    mass: M,
    /// Where its steps start, once they are built.
    steps: Option<(u32, u8)>,
}

/// A probe that the owner makes at a world, with the worlds that it leads to, once they are built.
struct Step<M> {
    cell: Cell,
    mass: M,
    next: [Option<u32>; 2],
}

/// A stored value: exact, with the probe that attains it (none where nothing can be won).
struct Value<M> {
    mass: M,
    choice: Option<Cell>,
}

/// A belief's probe under consideration.
struct Candidate<M> {
    cell: Cell,
    bound: M,
}

// A row of full-information bounds: the best of all, that of a probe that collides, then those of the cells that
// neither side owns, in their order.
const BEST: usize = 0;
const COLLISION: usize = 1;
const FIRST_CELL: usize = 2;

struct Search<'a, M> {
    strategy: &'a Strategy,
    game: Game,
    board: &'a Board,
    shortcuts: Shortcuts,
    responder: Player,
    worlds: Vec<World<M>>,
    steps: Vec<Step<M>>,
    values: Table<Box<[u32]>, Value<M>>,
    stored: usize,
    /// Full-information bounds: where the row of each pair of world and own stones starts in `row_data`.
    rows: Table<(u32, Stones), usize>,
    row_data: Vec<M>,
}

impl<'a, M: Mass> Search<'a, M> {
    fn new(strategy: &'a Strategy, board: &'a Board, shortcuts: Shortcuts) -> Self {
        Search {
            strategy,
            game: strategy.game,
            board,
            shortcuts,
            responder: strategy.owner.opponent(),
            worlds: Vec::new(),
            steps: Vec::new(),
            values: Table::default(),
            stored: 0,
            rows: Table::default(),
            row_data: Vec::new(),
        }
    }

    fn run(mut self, total: BigUint) -> Result<Response, Error> {
        let (own, found) = self.game.start(self.responder);
        let start = root(&self.game, self.strategy.owner);
        let mut roots = Vec::new();
        for (plan, mass) in self.strategy.plans.iter().map(|plan| &plan.total).enumerate() {
            let mass = M::fit(mass).ok_or(Error::Internal("a mass above the total"))?;
            roots.push(self.add_world(plan, start, mass)?);
        }
        let mut lost = M::zero();
        let worlds =
            if self.game.first() == self.responder { roots } else { self.answers(&roots, own, &mut lost)? };
        let mass = self.value(own, found, &worlds)?;
        let mut policy = BTreeMap::new();
        self.extract(own, found, &worlds, root(&self.game, self.responder), &mut policy)?;
        let counters =
            Counters { beliefs: self.values.len(), worlds: self.worlds.len(), bounds: self.rows.len() };
        Ok(Response { responder: self.responder, mass: mass.big(), total, policy, counters })
    }

    fn add_world(&mut self, plan: usize, history: History, mass: M) -> Result<u32, Error> {
        if self.worlds.len() >= MAX_WORLDS {
            return Err(Error::Declined(format!("the best response needs more than {MAX_WORLDS} worlds")));
        }
        let id = u32::try_from(self.worlds.len()).map_err(|_| Error::Internal("too many worlds"))?;
        let (own, _) = knowledge(&self.game, self.strategy.owner, history);
        self.worlds.push(World { plan, history, own, mass, steps: None });
        Ok(id)
    }

    /// The owner's probes at a world: what is listed, or else all mass on the first legal cell of the default order.
    fn steps_of(&mut self, world: u32) -> Result<std::ops::Range<usize>, Error> {
        let World { plan, history, mass, steps, .. } = &self.worlds[index(world)];
        if let Some((first, count)) = *steps {
            return Ok(index(first)..index(first) + usize::from(count));
        }
        let first = self.steps.len();
        let plan = &self.strategy.plans[*plan];
        if let Some(probes) = plan.decisions.get(history) {
            for (cell, mass) in probes {
                let mass = M::fit(mass).ok_or(Error::Internal("a mass above the total"))?;
                self.steps.push(Step { cell: *cell, mass, next: [None, None] });
            }
        } else {
            let (own, blocked) = knowledge(&self.game, self.strategy.owner, *history);
            let cell =
                plan.default_cell(own, blocked).ok_or(Error::Internal("a full board without a winner"))?;
            self.steps.push(Step { cell, mass: mass.clone(), next: [None, None] });
        }
        let range = (u32::try_from(first), u8::try_from(self.steps.len() - first));
        let (Ok(start), Ok(count)) = range else { return Err(Error::Internal("too many steps")) };
        self.worlds[index(world)].steps = Some((start, count));
        Ok(first..self.steps.len())
    }

    /// The world that a step leads to. Both outcomes inherit the step's mass; only one of them fits a given board.
    fn next(&mut self, world: u32, step: usize, success: bool) -> Result<u32, Error> {
        let Step { cell, mass, next } = &self.steps[step];
        if let Some(known) = next[usize::from(success)] {
            return Ok(known);
        }
        let World { plan, history, .. } = &self.worlds[index(world)];
        let (plan, history, mass) = (*plan, history.then(*cell, success), mass.clone());
        let id = self.add_world(plan, history, mass)?;
        self.steps[step].next[usize::from(success)] = Some(id);
        Ok(id)
    }

    /// The owner's turn in one world against the responder's stones: adds the worlds in which the responder is to move
    /// again, and the mass of those in which the owner connects.
    fn answer(&mut self, world: u32, stones: Stones, out: &mut Vec<u32>, lost: &mut M) -> Result<(), Error> {
        for step in self.steps_of(world)? {
            let cell = self.steps[step].cell;
            if stones.contains(cell) {
                let next = self.next(world, step, false)?;
                match self.game.rule {
                    Rule::Classic => self.answer(next, stones, out, lost)?,
                    Rule::Abrupt => out.push(next),
                }
            } else if self.board.connected(self.strategy.owner, self.worlds[index(world)].own.with(cell)) {
                *lost += &self.steps[step].mass;
            } else {
                let next = self.next(world, step, true)?;
                out.push(next);
            }
        }
        Ok(())
    }

    /// The owner's turn in all worlds: the worlds after it in increasing order, each once.
    fn answers(&mut self, worlds: &[u32], stones: Stones, lost: &mut M) -> Result<Vec<u32>, Error> {
        let mut out = Vec::new();
        for &world in worlds {
            self.answer(world, stones, &mut out, lost)?;
        }
        out.sort_unstable();
        if out.iter().zip(out.iter().skip(1)).any(|(one, next)| one == next) {
            return Err(Error::Internal("a world occurs twice in a belief"));
        }
        Ok(out)
    }

    fn mass_of(&self, worlds: &[u32]) -> M {
        let mut sum = M::zero();
        for &world in worlds {
            sum += &self.worlds[index(world)].mass;
        }
        sum
    }

    fn key(&self, own: Stones, found: Stones, worlds: &[u32]) -> Box<[u32]> {
        let found = if self.leaves_certain_out() { Stones::NONE } else { found };
        let head = u32::from(own.bits()) << 16 | u32::from(found.bits());
        std::iter::once(head).chain(worlds.iter().copied()).collect()
    }

    fn leaves_certain_out(&self) -> bool {
        self.game.rule == Rule::Classic && self.shortcuts.certain
    }

    /// The value of a belief, the responder to move.
    fn value(&mut self, own: Stones, found: Stones, worlds: &[u32]) -> Result<M, Error> {
        let worlds = &self.hopeful(own, worlds)?;
        if worlds.is_empty() {
            return Ok(M::zero());
        }
        let key = self.key(own, found, worlds);
        if let Some(value) = self.values.get(&key) {
            return Ok(value.mass.clone());
        }
        let mut best = Value { mass: M::zero(), choice: None };
        for Candidate { cell, bound } in self.candidates(own, found, worlds)? {
            if self.shortcuts.bounds && bound <= best.mass {
                continue;
            }
            if let Some(mass) = self.probe_value(own, found, worlds, cell, &best.mass)?
                && mass > best.mass
            {
                best = Value { mass, choice: Some(cell) };
            }
        }
        let mass = best.mass.clone();
        self.stored = self.stored.saturating_add(key.len());
        let beyond = |what| Err(Error::Declined(format!("the best response needs more than {what}")));
        if self.values.len() >= MAX_BELIEFS {
            return beyond(format!("{MAX_BELIEFS} beliefs"));
        }
        if self.stored > MAX_STORED {
            return beyond(format!("{MAX_STORED} worlds in its beliefs"));
        }
        self.values.insert(key, best);
        Ok(mass)
    }

    /// The worlds in which something can be won at all.
    fn hopeful(&mut self, own: Stones, worlds: &[u32]) -> Result<Vec<u32>, Error> {
        let mut kept = Vec::with_capacity(worlds.len());
        for &world in worlds {
            if self.shortcuts.bounds {
                let row = self.row(own, world)?;
                if self.row_data[row + BEST] == M::zero() {
                    continue;
                }
            }
            kept.push(world);
        }
        Ok(kept)
    }

    /// The probes worth trying, those with the greatest bounds first.
    fn candidates(&mut self, own: Stones, found: Stones, worlds: &[u32]) -> Result<Vec<Candidate<M>>, Error> {
        let mut bounds = vec![M::zero(); MAX_CELLS];
        let mut empty_somewhere = Stones::NONE;
        for &world in worlds {
            let theirs = self.worlds[index(world)].own;
            let open = self.game.board().without(own.union(theirs));
            empty_somewhere = empty_somewhere.union(open);
            if self.shortcuts.bounds {
                let row = self.row(own, world)?;
                for (cell, bound) in open.cells().zip(&self.row_data[row + FIRST_CELL..]) {
                    bounds[cell.index()] += bound;
                }
                for cell in theirs.cells() {
                    bounds[cell.index()] += &self.row_data[row + COLLISION];
                }
            }
        }
        let mut tried = self.game.board().without(own.union(found));
        if self.leaves_certain_out() {
            tried = tried.common(empty_somewhere);
        }
        if self.game.rule == Rule::Classic && self.shortcuts.forced {
            let wins = |cell: &Cell| self.board.connected(self.responder, own.with(*cell));
            if let Some(cell) = tried.common(empty_somewhere).cells().find(wins) {
                tried = Stones::NONE.with(cell);
            }
        }
        let mut candidates: Vec<Candidate<M>> =
            tried.cells().map(|cell| Candidate { cell, bound: bounds[cell.index()].clone() }).collect();
        candidates.sort_by(|one, other| other.bound.cmp(&one.bound).then(one.cell.cmp(&other.cell)));
        Ok(candidates)
    }

    /// What a probe is worth, or nothing if it turns out on the way that it cannot be more than `least`.
    fn probe_value(
        &mut self,
        own: Stones,
        found: Stones,
        worlds: &[u32],
        cell: Cell,
        least: &M,
    ) -> Result<Option<M>, Error> {
        let After { mut won, success, collision } = self.probe(own, worlds, cell)?;
        // The collision first: it has fewer worlds as a rule, and its exact value sharpens the probe's bound.
        won += &self.value(own, found.with(cell), &collision)?;
        if self.shortcuts.bounds {
            let mut bound = won.clone();
            for &world in &success {
                let row = self.row(own.with(cell), world)?;
                bound += &self.row_data[row + BEST];
            }
            if bound <= *least {
                return Ok(None);
            }
        }
        won += &self.value(own.with(cell), found, &success)?;
        Ok(Some(won))
    }

    /// A probe in all worlds, with the owner's turn after it where the rule gives him one.
    fn probe(&mut self, own: Stones, worlds: &[u32], cell: Cell) -> Result<After<M>, Error> {
        let (taken, empty): (Vec<u32>, Vec<u32>) =
            worlds.iter().partition(|&&world| self.worlds[index(world)].own.contains(cell));
        let (mut won, mut lost) = (M::zero(), M::zero());
        let success = if self.board.connected(self.responder, own.with(cell)) {
            won = self.mass_of(&empty);
            Vec::new()
        } else {
            self.answers(&empty, own.with(cell), &mut lost)?
        };
        let collision = match self.game.rule {
            Rule::Classic => taken,
            Rule::Abrupt => self.answers(&taken, own, &mut lost)?,
        };
        let mut out = won.clone();
        out += &lost;
        out += &self.mass_of(&success);
        out += &self.mass_of(&collision);
        if out != self.mass_of(worlds) {
            return Err(Error::Internal("a probe does not conserve mass"));
        }
        Ok(After { won, success, collision })
    }

    /// The row of full-information bounds of a world, the responder to move.
    fn row(&mut self, own: Stones, world: u32) -> Result<usize, Error> {
        if let Some(&row) = self.rows.get(&(world, own)) {
            return Ok(row);
        }
        let theirs = self.worlds[index(world)].own;
        // Under Abrupt a collision passes the turn, and any stone of the owner's gives an occasion.
        let passes = self.game.rule == Rule::Abrupt && !theirs.is_empty();
        let pass = if passes { self.full_after(own, world)? } else { M::zero() };
        let mut bounds = vec![M::zero(), pass];
        for cell in self.game.board().without(own.union(theirs)).cells() {
            let bound = if self.board.connected(self.responder, own.with(cell)) {
                self.worlds[index(world)].mass.clone()
            } else {
                self.full_after(own.with(cell), world)?
            };
            bounds.push(bound);
        }
        bounds[BEST] = bounds.iter().max().cloned().unwrap_or_else(M::zero);
        if self.game.rule == Rule::Classic {
            // A collision leaves the turn where it is.
            bounds[COLLISION] = bounds[BEST].clone();
        }
        let row = self.row_data.len();
        self.row_data.append(&mut bounds);
        self.rows.insert((world, own), row);
        Ok(row)
    }

    /// The sum of the best bounds of the worlds after the owner's turn.
    fn full_after(&mut self, stones: Stones, world: u32) -> Result<M, Error> {
        let (mut worlds, mut lost) = (Vec::new(), M::zero());
        self.answer(world, stones, &mut worlds, &mut lost)?;
        let mut sum = M::zero();
        for next in worlds {
            let row = self.row(stones, next)?;
            sum += &self.row_data[row + BEST];
        }
        Ok(sum)
    }

    /// Follows the stored choices through all observations that can occur.
    fn extract(
        &mut self,
        own: Stones,
        found: Stones,
        worlds: &[u32],
        history: History,
        policy: &mut BTreeMap<History, Cell>,
    ) -> Result<(), Error> {
        let worlds = &self.hopeful(own, worlds)?;
        if worlds.is_empty() {
            return Ok(());
        }
        let key = self.key(own, found, worlds);
        let value = self.values.get(&key).ok_or(Error::Internal("a belief of the response has no value"))?;
        let Some(cell) = value.choice else { return Ok(()) };
        policy.insert(history, cell);
        let after = self.probe(own, worlds, cell)?;
        self.extract(own.with(cell), found, &after.success, history.then(cell, true), policy)?;
        self.extract(own, found.with(cell), &after.collision, history.then(cell, false), policy)
    }
}

/// What a probe leads to.
struct After<M> {
    won: M,
    success: Vec<u32>,
    collision: Vec<u32>,
}
