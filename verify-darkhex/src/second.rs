//! A second exact best response, slower and written apart from [`crate::response`], for use on the real certificates.
//!
//! It takes no full-information bound; of the shortcuts argued there only the two that keep the list short: certain
//! collisions are left out and a winning probe is forced (Classic; none under Abrupt). It does not recurse from the
//! root with a memory of values, but lists all beliefs that any way of probing can bring about, level by level, and
//! then computes the values from the last level back to the first. Under Abrupt the level is the number of the
//! responder's probes. Under Classic the cells known to be occupied are replaced by all cells that are occupied in
//! every world of the belief, which is what the responder can infer, and the level counts these and his own stones; a
//! probe of a cell occupied in every world changes nothing and is left out.

#![allow(
    clippy::indexing_slicing,
    reason = "levels, beliefs and worlds are named by indices handed out here alone"
)]

use crate::board::{Board, Cell, Game, Player, Rule, Stones};
use crate::error::Error;
use crate::hashing::Table;
use crate::index;
use crate::mass::{Mass, fits_u128};
use crate::strategy::{History, Strategy, knowledge, root};
use num_bigint::BigUint;

/// Most beliefs of all levels.
pub const MAX_BELIEFS: usize = 20_000_000;

/// The greatest mass that the opponent of this strategy can win, and the number of beliefs listed.
///
/// # Errors
/// `Declined` beyond [`MAX_BELIEFS`], `Internal` where a guard fails.
pub fn best_response_mass(strategy: &Strategy, board: &Board) -> Result<(BigUint, usize), Error> {
    if fits_u128(&strategy.total()) {
        Listing::<u128>::new(strategy, board).run()
    } else {
        Listing::<BigUint>::new(strategy, board).run()
    }
}

/// What the responder knows when it is his turn. The worlds are in increasing order.
#[derive(PartialEq, Eq, Hash)]
struct Belief {
    own: Stones,
    known: Stones,
    worlds: Box<[u32]>,
}

/// A listed belief's probe: what it wins at once, and the beliefs of its two outcomes.
struct Probe<M> {
    won: M,
    outcomes: [Option<Place>; 2],
}

/// Level and number within the level. There are millions, so the level is kept in a byte.
type Place = (u8, u32);

/// A plan's private history with the owner's stones on the board and its mass.
struct World<M> {
    plan: usize,
    history: History,
    own: Stones,
    mass: M,
}

/// The owner's turn in a world: the worlds after it, and the mass of his connections.
type Turn<M> = (Vec<u32>, M);

struct Listing<'a, M> {
    strategy: &'a Strategy,
    game: Game,
    board: &'a Board,
    responder: Player,
    worlds: Vec<World<M>>,
    ids: Table<(usize, History), u32>,
    turns: Table<(u32, Stones), Turn<M>>,
    /// The beliefs of each level that are still to be expanded.
    waiting: Vec<Table<Belief, u32>>,
    /// The probes of each level's beliefs.
    probes: Vec<Vec<Vec<Probe<M>>>>,
    count: usize,
}

impl<'a, M: Mass> Listing<'a, M> {
    fn new(strategy: &'a Strategy, board: &'a Board) -> Self {
        let game = strategy.game;
        let levels = game.cells() + 1;
        Listing {
            strategy,
            game,
            board,
            responder: strategy.owner.opponent(),
            worlds: Vec::new(),
            ids: Table::default(),
            turns: Table::default(),
            waiting: (0..levels).map(|_| Table::default()).collect(),
            probes: (0..levels).map(|_| Vec::new()).collect(),
            count: 0,
        }
    }

    fn run(mut self) -> Result<(BigUint, usize), Error> {
        let (own, known) = self.game.start(self.responder);
        let start = root(&self.game, self.strategy.owner);
        let mut worlds = Vec::new();
        for (plan, total) in self.strategy.plans.iter().map(|plan| &plan.total).enumerate() {
            let mass = M::fit(total).ok_or(Error::Internal("a mass above the total"))?;
            worlds.push(self.world(plan, start, mass)?);
        }
        if self.game.first() != self.responder {
            (worlds, _) = self.turn_of_all(&worlds, own)?;
        }
        let Some((first, _)) = self.place(own, known, worlds)? else { return Ok((BigUint::ZERO, 0)) };
        let first = usize::from(first);
        for level in first..self.waiting.len() {
            let mut beliefs: Vec<(Belief, u32)> =
                std::mem::take(&mut self.waiting[level]).into_iter().collect();
            beliefs.sort_unstable_by_key(|(_, number)| *number);
            for (belief, _) in beliefs {
                let probes = self.probes_of(&belief)?;
                self.probes[level].push(probes);
            }
        }
        let values = self.values();
        let value = values
            .get(first)
            .and_then(|level| level.first())
            .ok_or(Error::Internal("no belief was listed"))?;
        Ok((value.big(), self.count))
    }

    /// From the last level to the first: the best probe's mass of each belief.
    fn values(&self) -> Vec<Vec<M>> {
        let mut values: Vec<Vec<M>> = self.probes.iter().map(|_| Vec::new()).collect();
        for level in (0..self.probes.len()).rev() {
            for probes in &self.probes[level] {
                let mut best = M::zero();
                for probe in probes {
                    let mut mass = probe.won.clone();
                    for (next, number) in probe.outcomes.iter().flatten() {
                        mass += &values[usize::from(*next)][index(*number)];
                    }
                    best = best.max(mass);
                }
                values[level].push(best);
            }
        }
        values
    }

    fn world(&mut self, plan: usize, history: History, mass: M) -> Result<u32, Error> {
        if let Some(&id) = self.ids.get(&(plan, history)) {
            return Ok(id);
        }
        let id =
            u32::try_from(self.worlds.len()).map_err(|_| Error::Declined("too many worlds".to_string()))?;
        let (own, _) = knowledge(&self.game, self.strategy.owner, history);
        self.worlds.push(World { plan, history, own, mass });
        self.ids.insert((plan, history), id);
        Ok(id)
    }

    /// Files a belief under its level, or nothing if it has no world.
    fn place(&mut self, own: Stones, found: Stones, mut worlds: Vec<u32>) -> Result<Option<Place>, Error> {
        if worlds.is_empty() {
            return Ok(None);
        }
        worlds.sort_unstable();
        if worlds.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::Internal("a world stands twice in a belief"));
        }
        let known = match self.game.rule {
            Rule::Abrupt => found,
            Rule::Classic => {
                let all = self.game.board();
                let in_all = worlds.iter().fold(all, |set, &world| set.common(self.worlds[index(world)].own));
                if !found.without(in_all).is_empty() {
                    return Err(Error::Internal("a found stone is missing in a world"));
                }
                in_all
            }
        };
        // The opening is known to White from the start and no probe of his.
        let level = own.count() + known.count();
        let waiting = self.waiting.get_mut(level).ok_or(Error::Internal("more stones than cells"))?;
        let next = u32::try_from(waiting.len()).map_err(|_| Error::Internal("too many beliefs"))?;
        let number = *waiting.entry(Belief { own, known, worlds: worlds.into() }).or_insert(next);
        if number == next {
            self.count += 1;
            if self.count > MAX_BELIEFS {
                return Err(Error::Declined(format!(
                    "the second best response needs more than {MAX_BELIEFS} beliefs"
                )));
            }
        }
        let level = u8::try_from(level).map_err(|_| Error::Internal("more levels than cells"))?;
        Ok(Some((level, number)))
    }

    fn probes_of(&mut self, belief: &Belief) -> Result<Vec<Probe<M>>, Error> {
        let mut free = self.game.board().without(belief.own.union(belief.known));
        if self.game.rule == Rule::Classic {
            let wins = |cell: &Cell| self.board.connected(self.responder, belief.own.with(*cell));
            if let Some(cell) = free.cells().find(wins) {
                free = Stones::NONE.with(cell);
            }
        }
        let before = self.mass(&belief.worlds);
        let mut probes = Vec::with_capacity(free.count());
        for cell in free.cells() {
            let holds = |world: &u32| self.worlds[index(*world)].own.contains(cell);
            let (taken, empty): (Vec<u32>, Vec<u32>) = belief.worlds.iter().partition(|world| holds(world));
            let own = belief.own.with(cell);
            let wins = self.board.connected(self.responder, own);
            let won = if wins { self.mass(&empty) } else { M::zero() };
            let (success, mut lost) =
                if wins { (Vec::new(), M::zero()) } else { self.turn_of_all(&empty, own)? };
            let collision = match self.game.rule {
                Rule::Classic => taken,
                Rule::Abrupt => {
                    let (worlds, more) = self.turn_of_all(&taken, belief.own)?;
                    lost += &more;
                    worlds
                }
            };
            let mut after = self.mass(&success);
            for part in [&won, &lost, &self.mass(&collision)] {
                after += part;
            }
            if after != before {
                return Err(Error::Internal("a listed probe does not conserve mass"));
            }
            let outcomes = [
                self.place(own, belief.known, success)?,
                self.place(belief.own, belief.known.with(cell), collision)?,
            ];
            probes.push(Probe { won, outcomes });
        }
        Ok(probes)
    }

    fn mass(&self, worlds: &[u32]) -> M {
        worlds.iter().fold(M::zero(), |mut sum, &world| {
            sum += &self.worlds[index(world)].mass;
            sum
        })
    }

    fn turn_of_all(&mut self, worlds: &[u32], stones: Stones) -> Result<Turn<M>, Error> {
        let mut all = (Vec::new(), M::zero());
        for &world in worlds {
            if !self.turns.contains_key(&(world, stones)) {
                let mut turn = (Vec::new(), M::zero());
                let World { plan, history, mass, .. } = &self.worlds[index(world)];
                self.owner_turn(*plan, *history, mass.clone(), stones, &mut turn)?;
                self.turns.insert((world, stones), turn);
            }
            let (worlds, lost) = &self.turns[&(world, stones)];
            all.0.extend(worlds);
            all.1 += lost;
        }
        Ok(all)
    }

    /// The owner probes at a history until his turn ends: he connects, puts a stone, or (Abrupt) collides.
    fn owner_turn(
        &mut self,
        plan: usize,
        history: History,
        mass: M,
        stones: Stones,
        turn: &mut Turn<M>,
    ) -> Result<(), Error> {
        let (own, known) = knowledge(&self.game, self.strategy.owner, history);
        let source = &self.strategy.plans[plan];
        let probes: Vec<(Cell, M)> = if let Some(listed) = source.decisions.get(&history) {
            let fit = |(cell, mass): &(Cell, BigUint)| M::fit(mass).map(|mass| (*cell, mass));
            listed.iter().map(fit).collect::<Option<_>>().ok_or(Error::Internal("a mass above the total"))?
        } else {
            let cell =
                source.default_cell(own, known).ok_or(Error::Internal("the owner has no probe left"))?;
            vec![(cell, mass)]
        };
        for (cell, mass) in probes {
            let collides = stones.contains(cell);
            let after = history.then(cell, !collides);
            if collides && self.game.rule == Rule::Classic {
                self.owner_turn(plan, after, mass, stones, turn)?;
            } else if !collides && self.board.connected(self.strategy.owner, own.with(cell)) {
                turn.1 += &mass;
            } else {
                turn.0.push(self.world(plan, after, mass)?);
            }
        }
        Ok(())
    }
}
