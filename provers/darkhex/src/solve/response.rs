//! Best response against a realization plan, in floating point.
//!
//! A belief is what the responder knows and the set of the opponent's histories that agree with it. Since there is no
//! chance and the responder's own play is pure, the weight of such a world is its mass in the plan. `value` is a
//! fail-soft search with a lower window: it returns the value, or an upper bound that does not exceed the window. The
//! bounds come from a responder who sees the opponent's history.
//!
//! In Classic a probe that wins if its cell is empty costs nothing when it collides, so it is made at once. That keeps
//! redundant histories out of the restricted game. In Abrupt a collision costs the turn, so there it does not hold.

use super::tree::{ABSENT, Arena, Masses, NodeId, ROOT, Tree, bits, side};
use crate::game::{Cell, Known, MAX_CELLS, Player, Rule, Stones};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values closer than this are taken for equal.
const TIE: f64 = 1e-11;
const NO_CELL: u8 = u8::MAX;
/// How many probes deep improvements are sought at several histories, and the mass below which a probe is not played.
const DEPTH: usize = 5;
const LEAST_MASS: f64 = 1e-9;

/// A multiplicative hasher for keys that are integers.
#[derive(Default)]
pub struct IntegerHasher(u64);

impl Hasher for IntegerHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0.rotate_left(8) ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (key ^ (key >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn write_u128(&mut self, key: u128) {
        self.write_u64(key as u64 ^ ((key >> 64) as u64).rotate_left(17));
    }
}

/// A map whose keys are integers.
pub type IntegerMap<K, V> = HashMap<K, V, BuildHasherDefault<IntegerHasher>>;

fn scattered(key: u64) -> u128 {
    let half = |key: u64| {
        let mut mixed = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    let first = half(key);
    u128::from(first) << 64 | u128::from(half(first ^ 0x0123_4567))
}

/// The place of a history of the opponent in the search's own list.
type World = u32;

#[derive(Clone, Copy)]
struct History {
    own: Stones,
    found: Stones,
    mass: f64,
    node: NodeId,
    /// The probe after which the default is followed; histories below it with equal knowledge are one.
    entry: u32,
    turned: bool,
    /// The first probe and the number of probes, once they are known.
    probes: Option<(u32, u32)>,
    key: u128,
}

#[derive(Clone, Copy)]
struct Probe {
    cell: u8,
    mass: f64,
    next: [World; 2],
}

#[derive(Clone, Copy)]
struct Found {
    value: f64,
    exact: bool,
    cell: u8,
}

/// A search for the best response of one player.
pub struct Response<'a> {
    arena: &'a Arena,
    me: Player,
    tree: &'a Tree,
    masses: &'a Masses<f64>,
    histories: Vec<History>,
    probes: Vec<Probe>,
    by_default: IntegerMap<u128, World>,
    informed: IntegerMap<u64, f64>,
    waiting: IntegerMap<u64, f64>,
    rows: IntegerMap<u64, u32>,
    row_values: Vec<[f64; MAX_CELLS]>,
    memo: IntegerMap<u128, Found>,
    roots: Vec<World>,
    /// Beliefs that were searched.
    pub beliefs: u64,
}

impl<'a> Response<'a> {
    /// A search for `me` against the opponent's masses on his tree; the root's mass is 1 in each frame.
    #[must_use]
    pub fn new(arena: &'a Arena, me: Player, tree: &'a Tree, masses: &'a Masses<f64>) -> Self {
        let mut search = Response {
            arena,
            me,
            tree,
            masses,
            histories: Vec::new(),
            probes: Vec::new(),
            by_default: IntegerMap::default(),
            informed: IntegerMap::default(),
            waiting: IntegerMap::default(),
            rows: IntegerMap::default(),
            row_values: Vec::new(),
            memo: IntegerMap::default(),
            roots: Vec::new(),
            beliefs: 0,
        };
        let start = arena.board.game.start(me.opponent());
        for frame in 0..arena.frames {
            let root = search.add(start, 1.0, ROOT, u32::MAX, frame == 1);
            search.roots.push(root);
        }
        search
    }

    fn add(&mut self, known: Known, mass: f64, node: NodeId, entry: u32, turned: bool) -> World {
        let world = self.histories.len() as World;
        let Known { own, found } = known;
        let key = scattered(u64::from(world));
        self.histories.push(History { own, found, mass, node, entry, turned, probes: None, key });
        world
    }

    fn abrupt(&self) -> bool {
        self.arena.board.game.rule == Rule::Abrupt
    }

    fn wins(&self, own: Stones, cell: u8) -> bool {
        self.arena.board.joins(self.me, own | 1 << cell)
    }

    /// The probes of the opponent at one of his histories, on the responder's board.
    fn probes_of(&mut self, world: World) -> std::ops::Range<usize> {
        let here = self.histories[world as usize];
        if let Some((first, count)) = here.probes {
            return first as usize..(first + count) as usize;
        }
        let first = self.probes.len();
        let seen = |cell: u8| if here.turned { self.arena.turned_cell(cell) } else { cell };
        let allowed = self.tree.probes(here.node);
        if allowed.is_empty() {
            let known = if here.turned {
                Known { own: self.arena.turned(here.own), found: self.arena.turned(here.found) }
            } else {
                Known { own: here.own, found: here.found }
            };
            let cell = seen(self.arena.default_cell(self.me.opponent(), known));
            self.probes.push(Probe { cell, mass: here.mass, next: [World::MAX; 2] });
        } else {
            let masses = &self.masses[here.node as usize];
            for (index, probe) in allowed.iter().enumerate() {
                let pure = masses.is_empty();
                let mass = if pure { here.mass } else { masses.get(index).copied().unwrap_or(0.0) };
                if mass > 0.0 {
                    self.probes.push(Probe { cell: seen(probe.cell), mass, next: [World::MAX; 2] });
                }
                if pure {
                    break;
                }
            }
        }
        let count = self.probes.len() - first;
        self.histories[world as usize].probes = Some((first as u32, count as u32));
        first..first + count
    }

    fn follow(&mut self, world: World, probe: usize, success: bool) -> World {
        let Probe { cell, mass, next } = self.probes[probe];
        if next[usize::from(success)] != World::MAX {
            return next[usize::from(success)];
        }
        let here = self.histories[world as usize];
        let known = Known { own: here.own, found: here.found }.then(Cell::from(cell), success);
        let plain = if here.turned { self.arena.turned_cell(cell) } else { cell };
        let below = self.tree.probes(here.node).iter().find(|allowed| allowed.cell == plain);
        let node = below.map_or(ABSENT, |allowed| allowed.next[usize::from(success)]);
        let made = if self.tree.probes(node).is_empty() {
            let entry = if here.entry == u32::MAX { probe as u32 } else { here.entry };
            let key = u128::from(entry) << 64 | u128::from(known.own) << 32 | u128::from(known.found);
            if let Some(&made) = self.by_default.get(&key) {
                made
            } else {
                let made = self.add(known, mass, ABSENT, entry, here.turned);
                self.by_default.insert(key, made);
                made
            }
        } else {
            self.add(known, mass, node, u32::MAX, here.turned)
        };
        self.probes[probe].next[usize::from(success)] = made;
        made
    }

    /// The opponent's turn against the responder's stones `mine`; his connections are left out.
    fn opponent_moves(&mut self, world: World, mine: Stones, out: &mut Vec<World>) {
        for probe in self.probes_of(world) {
            let cell = self.probes[probe].cell;
            if mine >> cell & 1 == 1 {
                let next = self.follow(world, probe, false);
                if self.abrupt() {
                    out.push(next);
                } else {
                    self.opponent_moves(next, mine, out);
                }
            } else {
                let own = self.histories[world as usize].own | 1 << cell;
                if !self.arena.board.joins(self.me.opponent(), own) {
                    let next = self.follow(world, probe, true);
                    out.push(next);
                }
            }
        }
    }

    /// What a responder wins who sees the opponent's history, the opponent being to move.
    fn waiting(&mut self, own: Stones, world: World) -> f64 {
        let key = u64::from(world) << 16 | u64::from(own);
        if let Some(&value) = self.waiting.get(&key) {
            return value;
        }
        let mut next = Vec::new();
        self.opponent_moves(world, own, &mut next);
        let value = next.into_iter().map(|world| self.informed(own, world)).sum();
        self.waiting.insert(key, value);
        value
    }

    /// The same with the responder to move.
    fn informed(&mut self, own: Stones, world: World) -> f64 {
        let key = u64::from(world) << 16 | u64::from(own);
        if let Some(&value) = self.informed.get(&key) {
            return value;
        }
        let here = self.histories[world as usize];
        let free = self.arena.board.game.full() & !(own | here.own);
        let mut best = 0.0;
        if bits(free).any(|cell| self.wins(own, cell)) {
            best = here.mass;
        } else if free != 0 {
            let first = self.arena.default_cell(self.me, Known { own, found: here.own });
            for cell in std::iter::once(first).chain(bits(free & !(1 << first))) {
                best = self.waiting(own | 1 << cell, world).max(best);
                if best >= here.mass {
                    break;
                }
            }
            if self.abrupt() && best < here.mass {
                best = self.waiting(own, world).max(best);
            }
        }
        self.informed.insert(key, best);
        best
    }

    /// The informed values after each successful probe.
    fn row(&mut self, own: Stones, world: World) -> usize {
        let key = u64::from(world) << 16 | u64::from(own);
        if let Some(&row) = self.rows.get(&key) {
            return row as usize;
        }
        let here = self.histories[world as usize];
        let mut values = [0.0; MAX_CELLS];
        for cell in bits(self.arena.board.game.full() & !(own | here.own)) {
            let won = self.wins(own, cell);
            values[usize::from(cell)] = if won { here.mass } else { self.waiting(own | 1 << cell, world) };
        }
        let row = self.row_values.len();
        self.row_values.push(values);
        self.rows.insert(key, row as u32);
        row
    }

    /// A hash stands for the belief: a prover may err, and the checker compares full keys.
    fn key(&self, known: Known, worlds: &[World]) -> u128 {
        let mut key = scattered(u64::from(known.own) | 1 << 40);
        // In Classic every found cell is held in all worlds, so the worlds say it.
        if self.abrupt() {
            key ^= scattered(u64::from(known.found) | 1 << 41);
        }
        worlds.iter().fold(key, |key, &world| key.wrapping_add(self.histories[world as usize].key))
    }

    fn owned(&self, world: World, cell: u8) -> bool {
        self.histories[world as usize].own >> cell & 1 == 1
    }

    /// The value of a belief and whether it is exact; otherwise it is an upper bound of at most `window`.
    fn value(&mut self, known: Known, worlds: &[World], window: f64) -> (f64, bool) {
        if worlds.is_empty() {
            return (0.0, true);
        }
        let key = self.key(known, worlds);
        if let Some(found) = self.memo.get(&key)
            && (found.exact || found.value <= window)
        {
            return (found.value, found.exact);
        }
        let mass: f64 = worlds.iter().map(|&world| self.histories[world as usize].mass).sum();
        if mass <= window {
            return (mass, false);
        }
        let bound: f64 = worlds.iter().map(|&world| self.informed(known.own, world)).sum();
        if bound <= window {
            return (bound, false);
        }
        self.beliefs += 1;
        let mut best = Found { value: window, exact: false, cell: NO_CELL };
        let mut soft = 0.0_f64;
        for (bound, success_bound, cell) in self.candidates(known, worlds) {
            if bound <= best.value {
                soft = soft.max(bound);
                break;
            }
            let (collision, exact) = self.after_collision(known, worlds, cell, best.value - success_bound);
            if collision + success_bound <= best.value {
                soft = soft.max(collision + success_bound);
                continue;
            }
            let (success, also_exact) = self.after_success(known, worlds, cell, best.value - collision);
            let value = collision + success;
            if value > best.value && exact && also_exact {
                best = Found { value, exact: true, cell };
            } else {
                soft = soft.max(value);
            }
        }
        if !best.exact {
            best.value = soft;
        }
        self.memo.insert(key, best);
        (best.value, best.exact)
    }

    /// The probes worth trying with their bounds in all and after a success, the greatest first.
    fn candidates(&mut self, known: Known, worlds: &[World]) -> Vec<(f64, f64, u8)> {
        let mut cells = self.arena.board.game.full() & !known.closed();
        if !self.abrupt() {
            let held = |held: Stones, &world: &World| held & self.histories[world as usize].own;
            cells &= !worlds.iter().fold(Stones::MAX, held);
        }
        if known.closed() == 0 {
            cells &= self.arena.first_cells();
        }
        if !self.abrupt()
            && let Some(cell) = bits(cells).find(|&cell| self.wins(known.own, cell))
        {
            cells = 1 << cell;
        }
        let mut success = [0.0; MAX_CELLS];
        let mut collision = [0.0; MAX_CELLS];
        for &world in worlds {
            let row = self.row(known.own, world);
            let own = self.histories[world as usize].own;
            let blocked =
                if self.abrupt() { self.waiting(known.own, world) } else { self.informed(known.own, world) };
            for cell in bits(cells & own) {
                collision[usize::from(cell)] += blocked;
            }
            for cell in bits(cells & !own) {
                success[usize::from(cell)] += self.row_values[row][usize::from(cell)];
            }
        }
        let mut found: Vec<_> = bits(cells)
            .map(|cell| {
                let at = usize::from(cell);
                (success[at] + collision[at], success[at], cell)
            })
            .collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        found
    }

    fn collided(&mut self, own: Stones, worlds: &[World], cell: u8) -> Vec<World> {
        let hit: Vec<World> = worlds.iter().copied().filter(|&world| self.owned(world, cell)).collect();
        if !self.abrupt() {
            return hit;
        }
        let mut next = Vec::new();
        for world in hit {
            self.opponent_moves(world, own, &mut next);
        }
        next
    }

    fn placed(&mut self, own: Stones, worlds: &[World], cell: u8) -> Vec<World> {
        let mut next = Vec::with_capacity(worlds.len() + 8);
        for &world in worlds {
            if !self.owned(world, cell) {
                self.opponent_moves(world, own | 1 << cell, &mut next);
            }
        }
        next
    }

    fn after_collision(&mut self, known: Known, worlds: &[World], cell: u8, window: f64) -> (f64, bool) {
        let next = self.collided(known.own, worlds, cell);
        self.value(known.then(Cell::from(cell), false), &next, window)
    }

    fn won(&self, worlds: &[World], cell: u8) -> f64 {
        let open = worlds.iter().filter(|&&world| !self.owned(world, cell));
        open.map(|&world| self.histories[world as usize].mass).sum()
    }

    fn after_success(&mut self, known: Known, worlds: &[World], cell: u8, window: f64) -> (f64, bool) {
        if self.wins(known.own, cell) {
            return (self.won(worlds, cell), true);
        }
        let next = self.placed(known.own, worlds, cell);
        self.value(known.then(Cell::from(cell), true), &next, window)
    }

    fn start(&mut self) -> (Known, Vec<World>) {
        let known = self.arena.board.game.start(self.me);
        let mut worlds = self.roots.clone();
        if self.arena.first() != self.me {
            let before = std::mem::take(&mut worlds);
            for world in before {
                self.opponent_moves(world, known.own, &mut worlds);
            }
        }
        (known, worlds)
    }

    /// The responder's probability of winning.
    #[allow(clippy::cast_precision_loss, reason = "there are one or two frames")]
    pub fn solve(&mut self) -> f64 {
        let (known, worlds) = self.start();
        self.value(known, &worlds, -1.0).0 / self.arena.frames as f64
    }

    /// What the responder gets if he is kept to his tree.
    fn restricted(&mut self, known: Known, worlds: &[World], mine: &Tree, node: NodeId) -> f64 {
        if worlds.is_empty() {
            return 0.0;
        }
        let mut probes = mine.probes(node).to_vec();
        if probes.is_empty() {
            let cell = self.arena.default_cell(self.me, known);
            probes.push(super::tree::Allowed { cell, next: [ABSENT; 2] });
        }
        let outcomes = probes.iter().map(|probe| self.restricted_probe(known, worlds, mine, probe));
        let sums: Vec<f64> = outcomes.map(|outcome| outcome[0] + outcome[1]).collect();
        sums.into_iter().fold(0.0, f64::max)
    }

    fn restricted_probe(
        &mut self,
        known: Known,
        worlds: &[World],
        mine: &Tree,
        probe: &super::tree::Allowed,
    ) -> [f64; 2] {
        let cell = probe.cell;
        let after = |success| known.then(Cell::from(cell), success);
        let hit = self.collided(known.own, worlds, cell);
        let collision = self.restricted(after(false), &hit, mine, probe.next[0]);
        let success = if self.wins(known.own, cell) {
            self.won(worlds, cell)
        } else {
            let next = self.placed(known.own, worlds, cell);
            self.restricted(after(true), &next, mine, probe.next[1])
        };
        [collision, success]
    }

    /// Allows improving probes in the responder's tree and returns how many.
    ///
    /// One best response alone repairs one hole of the restricted game. So this goes down the histories that the
    /// responder's own `plan` reaches, at most `DEPTH` probes deep, and at each of them takes a best response for the
    /// best probe and for every probe of the plan that can beat what the tree gets there. An improvement counts if it
    /// is more than `margin` after weighing it with the plan's mass: what matters little to the responder is left
    /// alone. Each probe counts as played with at least the share `least_share` of its history's mass.
    pub fn extend(&mut self, mine: &mut Tree, plan: &Masses<f64>, margin: f64, least_share: f64) -> usize {
        let (known, worlds) = self.start();
        let improving = Improving { plan, margin, least_share };
        self.improve(&improving, known, &worlds, mine, Reached { node: ROOT, mass: 1.0, depth: 0 })
    }

    fn improve(
        &mut self,
        improving: &Improving<'_>,
        known: Known,
        worlds: &[World],
        mine: &mut Tree,
        here: Reached,
    ) -> usize {
        let before: Vec<_> = mine.probes(here.node).to_vec();
        let parts: Vec<[f64; 2]> =
            before.iter().map(|probe| self.restricted_probe(known, worlds, mine, probe)).collect();
        let now = if before.is_empty() {
            self.restricted(known, worlds, mine, here.node)
        } else {
            parts.iter().map(|part| part[0] + part[1]).fold(0.0, f64::max)
        };
        let margin = improving.margin / here.mass;
        let enough = now + margin;
        let (value, exact) = self.value(known, worlds, enough);
        if !exact || value <= enough {
            return 0;
        }
        if before.is_empty() || here.depth == DEPTH {
            return self.respond(known, worlds, mine, here.node);
        }
        let best = self.memo[&self.key(known, worlds)].cell;
        let mut allowed = 0;
        for (index, probe) in before.iter().enumerate() {
            let mass = improving.mass(here, index, before.len());
            let played = mass >= LEAST_MASS;
            if probe.cell != best && !played {
                continue;
            }
            let (collision, _) = self.after_collision(known, worlds, probe.cell, -1.0);
            let (success, _) = self.after_success(known, worlds, probe.cell, enough - collision);
            if collision + success <= enough {
                continue;
            }
            for (outcome, found) in [(false, collision), (true, success)] {
                if found <= parts[index][usize::from(outcome)] + margin {
                    continue;
                }
                let next = self.after(known.own, worlds, probe.cell, outcome);
                if next.is_empty() {
                    continue;
                }
                let node = mine.follow(here.node, index, outcome);
                let known = known.then(Cell::from(probe.cell), outcome);
                allowed += if played {
                    let there = Reached { node, mass, depth: here.depth + 1 };
                    self.improve(improving, known, &next, mine, there)
                } else {
                    self.respond(known, &next, mine, node)
                };
            }
        }
        if !before.iter().any(|probe| probe.cell == best) {
            let index = mine.allow(here.node, best);
            allowed += 1 + self.respond_both(known, worlds, mine, here.node, index);
        }
        // What is gained here may be scattered over probes that matter too little one by one.
        if allowed == 0 { self.respond(known, worlds, mine, here.node) } else { allowed }
    }

    /// The worlds at the responder's next turn after a probe's outcome; none if he has won.
    fn after(&mut self, own: Stones, worlds: &[World], cell: u8, success: bool) -> Vec<World> {
        match success {
            true if self.wins(own, cell) => Vec::new(),
            true => self.placed(own, worlds, cell),
            false => self.collided(own, worlds, cell),
        }
    }

    /// Puts one best response into the tree, preferring what is allowed already where it is as good.
    fn respond(&mut self, known: Known, worlds: &[World], mine: &mut Tree, node: NodeId) -> usize {
        let (value, _) = self.value(known, worlds, -1.0);
        if value <= TIE {
            return 0;
        }
        let enough = value - 2.0 * TIE;
        let cells: Vec<u8> = mine.probes(node).iter().map(|probe| probe.cell).collect();
        let kept = cells.into_iter().position(|cell| {
            let (collision, _) = self.after_collision(known, worlds, cell, -1.0);
            let (success, _) = self.after_success(known, worlds, cell, enough - collision);
            collision + success > enough
        });
        if let Some(index) = kept {
            return self.respond_both(known, worlds, mine, node, index);
        }
        let best = self.memo[&self.key(known, worlds)].cell;
        let index = mine.allow(node, best);
        1 + self.respond_both(known, worlds, mine, node, index)
    }

    fn respond_both(
        &mut self,
        known: Known,
        worlds: &[World],
        mine: &mut Tree,
        node: NodeId,
        index: usize,
    ) -> usize {
        self.respond_after(known, worlds, mine, node, index, false)
            + self.respond_after(known, worlds, mine, node, index, true)
    }

    fn respond_after(
        &mut self,
        known: Known,
        worlds: &[World],
        mine: &mut Tree,
        node: NodeId,
        index: usize,
        success: bool,
    ) -> usize {
        let cell = mine.probes(node)[index].cell;
        let next = self.after(known.own, worlds, cell, success);
        if next.is_empty() {
            return 0;
        }
        let below = mine.follow(node, index, success);
        self.respond(known.then(Cell::from(cell), success), &next, mine, below)
    }
}

/// What counts as an improvement.
struct Improving<'a> {
    plan: &'a Masses<f64>,
    margin: f64,
    least_share: f64,
}

/// A history of the responder, the mass with which his plan reaches it, and the number of probes before it.
#[derive(Clone, Copy)]
struct Reached {
    node: NodeId,
    mass: f64,
    depth: usize,
}

impl Improving<'_> {
    /// The mass of one of a history's probes.
    fn mass(&self, here: Reached, index: usize, width: usize) -> f64 {
        if width == 1 {
            return here.mass;
        }
        let masses = self.plan.get(here.node as usize);
        let planned = masses.and_then(|masses| masses.get(index)).copied().unwrap_or(0.0);
        planned.max(self.least_share * here.mass)
    }
}

/// The upper bound that White's plan gives Black, or the lower bound that Black's plan gives him.
#[must_use]
pub fn bound(response: f64, responder: Player) -> f64 {
    if side(responder) == 0 { response } else { 1.0 - response }
}
