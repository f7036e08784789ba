//! What the tests share: a plain best response, random strategies, and writers of both formats.
#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test code")]

use num_bigint::BigUint;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verify_darkhex::board::{Board, Cell, Game, Player, Rule};
use verify_darkhex::strategy::{History, Plan, Strategy, knowledge, reachable, root};

pub fn game(rule: Rule, rows: usize, columns: usize, opening: Option<&str>) -> Game {
    let game = Game { rule, rows, columns, opening: None };
    Game { opening: opening.map(|square| game.cell(square).unwrap()), ..game }
}

/// The games on which random strategies are compared: all small boards, both rules, with and without an opening.
pub fn small_games() -> Vec<Game> {
    let mut games = Vec::new();
    for rule in [Rule::Classic, Rule::Abrupt] {
        for (rows, columns) in [(2, 2), (2, 3), (3, 2)] {
            games.push(game(rule, rows, columns, None));
            for cell in games.last().unwrap().board().cells() {
                games.push(Game { opening: Some(cell), ..game(rule, rows, columns, None) });
            }
        }
    }
    games
}

/// A private history with everything written out: the cells probed and whether a stone was put.
type Record = Vec<(usize, bool)>;

/// A plan's private history and its mass, written out.
#[derive(Clone)]
struct World {
    plan: usize,
    record: Record,
    mass: BigUint,
}

/// The greatest mass that the opponent can win, by the definition: all private histories, all worlds, no memory, no
/// shortcut, a board of its own.
pub fn plain_best_response(strategy: &Strategy) -> BigUint {
    plain_best_response_where(strategy, &|_, _| true)
}

/// Which probes are tried, by the number of worlds in which the cell is taken and in which it is empty.
type Allowed<'a> = &'a dyn Fn(usize, usize) -> bool;

/// As [`plain_best_response`], for a responder who tries only the allowed probes.
pub fn plain_best_response_where(strategy: &Strategy, allowed: Allowed<'_>) -> BigUint {
    let game = strategy.game;
    let responder = strategy.owner.opponent();
    let opening: Record = game.opening.iter().map(|cell| (cell.index(), true)).collect();
    let (black, white) = (opening, Record::new());
    let (owner_start, mine) = if strategy.owner == Player::Black { (black, white) } else { (white, black) };
    let mut worlds: Vec<World> = strategy
        .plans
        .iter()
        .enumerate()
        .map(|(plan, p)| World { plan, record: owner_start.clone(), mass: p.total.clone() })
        .collect();
    let black_first = game.opening.is_none();
    if black_first == (strategy.owner == Player::Black) {
        worlds = worlds.iter().flat_map(|world| owner_turn(strategy, world, &stones(&mine))).collect();
    }
    best(strategy, responder, &mine, &worlds, allowed)
}

fn best(
    strategy: &Strategy,
    responder: Player,
    mine: &Record,
    worlds: &[World],
    allowed: Allowed<'_>,
) -> BigUint {
    let game = strategy.game;
    let mut best_mass = BigUint::ZERO;
    if worlds.is_empty() {
        return best_mass;
    }
    for cell in 0..game.cells() {
        if mine.iter().any(|(probed, _)| *probed == cell) || is_announced_to(&game, responder, cell) {
            continue;
        }
        let (taken, empty): (Vec<World>, Vec<World>) =
            worlds.iter().cloned().partition(|world| stones(&world.record).contains(&cell));
        if !allowed(taken.len(), empty.len()) {
            continue;
        }
        let mut placed = mine.clone();
        placed.push((cell, true));
        let mut mass = if joins(&game, responder, &stones(&placed)) {
            empty.iter().map(|world| &world.mass).sum()
        } else {
            let next: Vec<World> =
                empty.iter().flat_map(|world| owner_turn(strategy, world, &stones(&placed))).collect();
            best(strategy, responder, &placed, &next, allowed)
        };
        let mut collided = mine.clone();
        collided.push((cell, false));
        let next: Vec<World> = match game.rule {
            Rule::Classic => taken,
            Rule::Abrupt => {
                taken.iter().flat_map(|world| owner_turn(strategy, world, &stones(mine))).collect()
            }
        };
        mass += best(strategy, responder, &collided, &next, allowed);
        best_mass = best_mass.max(mass);
    }
    best_mass
}

/// The worlds after the owner's turn in which the game goes on.
fn owner_turn(strategy: &Strategy, world: &World, theirs: &[usize]) -> Vec<World> {
    let game = strategy.game;
    let plan = &strategy.plans[world.plan];
    let history = world
        .record
        .iter()
        .fold(History::EMPTY, |history, (cell, success)| history.then(Cell::new(*cell).unwrap(), *success));
    let probes: Vec<(usize, BigUint)> = if let Some(probes) = plan.decisions.get(&history) {
        probes.iter().map(|(cell, mass)| (cell.index(), mass.clone())).collect()
    } else {
        let is_free = |cell: &&Cell| {
            !world.record.iter().any(|(probed, _)| *probed == cell.index())
                && !is_announced_to(&game, strategy.owner, cell.index())
        };
        vec![(plan.priority.iter().find(is_free).unwrap().index(), world.mass.clone())]
    };
    let mut after = Vec::new();
    for (cell, mass) in probes {
        let success = !theirs.contains(&cell);
        let mut record = world.record.clone();
        record.push((cell, success));
        let next = World { plan: world.plan, record, mass };
        if !success && game.rule == Rule::Classic {
            after.extend(owner_turn(strategy, &next, theirs));
        } else if !success || !joins(&game, strategy.owner, &stones(&next.record)) {
            after.push(next);
        }
    }
    after
}

fn is_announced_to(game: &Game, player: Player, cell: usize) -> bool {
    player == Player::White && game.opening.map(Cell::index) == Some(cell)
}

fn stones(record: &Record) -> Vec<usize> {
    record.iter().filter(|(_, success)| *success).map(|(cell, _)| *cell).collect()
}

/// Whether the stones join the player's sides, by walking from stone to touching stone.
pub fn joins(game: &Game, player: Player, stones: &[usize]) -> bool {
    let (rows, columns) = (game.rows, game.columns);
    let place = |cell: usize| (cell / columns, cell % columns);
    let touch = |one: usize, other: usize| {
        let ((r, c), (s, d)) = (place(one), place(other));
        // Shifted by one to stay above zero: the neighbours (-1,0) (-1,1) (0,-1) (0,1) (1,-1) (1,0).
        [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
            .iter()
            .any(|&(dr, dc)| (r + dr, c + dc) == (s + 1, d + 1))
    };
    let mut reached: Vec<usize> = stones
        .iter()
        .copied()
        .filter(|&cell| if player == Player::Black { place(cell).0 == 0 } else { place(cell).1 == 0 })
        .collect();
    let mut next = 0;
    while let Some(&cell) = reached.get(next) {
        next += 1;
        if (player == Player::Black && place(cell).0 + 1 == rows)
            || (player == Player::White && place(cell).1 + 1 == columns)
        {
            return true;
        }
        for &other in stones {
            if touch(cell, other) && !reached.contains(&other) {
                reached.push(other);
            }
        }
    }
    false
}

/// A random strategy of up to `plans` plans. Deterministic plans give a mixture.
pub fn random_strategy(rng: &mut StdRng, game: Game, owner: Player, plans: usize, mixed: bool) -> Strategy {
    let count = rng.random_range(1..=plans);
    Strategy { game, owner, plans: (0..count).map(|_| random_plan(rng, game, owner, mixed)).collect() }
}

fn random_plan(rng: &mut StdRng, game: Game, owner: Player, mixed: bool) -> Plan {
    let mut priority: Vec<Cell> = game.board().cells().filter(|&cell| game.opening != Some(cell)).collect();
    priority.shuffle(rng);
    let total = BigUint::from(rng.random_range(1u64..1_000_000));
    let mut plan = Plan { priority, total: total.clone(), decisions: BTreeMap::new() };
    let board = Board::new(&game);
    let often = rng.random_range(0.2..0.95);
    list(rng, &game, &board, owner, &mut plan, root(&game, owner), total, (often, mixed));
    remove_redundant(&game, owner, &mut plan);
    plan
}

#[allow(clippy::too_many_arguments)]
fn list(
    rng: &mut StdRng,
    game: &Game,
    board: &Board,
    owner: Player,
    plan: &mut Plan,
    history: History,
    mass: BigUint,
    style: (f64, bool),
) {
    if !reachable(game, board, owner, history) || !rng.random_bool(style.0) {
        return;
    }
    let (own, blocked) = knowledge(game, owner, history);
    let mut cells: Vec<Cell> = game.board().without(own.union(blocked)).cells().collect();
    cells.shuffle(rng);
    let most = usize::try_from(&mass).unwrap().min(if style.1 { 3 } else { 1 });
    cells.truncate(rng.random_range(1..=most));
    cells.sort_unstable();
    let mut left = mass;
    let mut probes = Vec::new();
    for (index, &cell) in cells.iter().enumerate() {
        let others = BigUint::from(cells.len() - index - 1);
        let share = if others == BigUint::ZERO {
            left.clone()
        } else {
            let most = u64::try_from(&(&left - &others)).unwrap();
            BigUint::from(rng.random_range(1..=most))
        };
        left -= &share;
        probes.push((cell, share));
    }
    plan.decisions.insert(history, probes.clone());
    for (cell, share) in probes {
        for success in [true, false] {
            list(rng, game, board, owner, plan, history.then(cell, success), share.clone(), style);
        }
    }
}

/// Leaves out what the canonical form does not list.
pub fn remove_redundant(game: &Game, owner: Player, plan: &mut Plan) {
    let histories: Vec<History> = plan.decisions.keys().rev().copied().collect();
    for history in histories {
        let (own, blocked) = knowledge(game, owner, history);
        let probes = &plan.decisions[&history];
        let default = probes.len() == 1 && Some(probes[0].0) == plan.default_cell(own, blocked);
        let extended =
            plan.decisions.keys().any(|other| other.split().is_some_and(|(prefix, _)| prefix == history));
        if default && !extended {
            plan.decisions.remove(&history);
        }
    }
}

fn mode(game: &Game) -> &'static str {
    if game.rule == Rule::Classic { "STANDARD" } else { "ABRUPT" }
}

fn numbers(cells: &[Cell]) -> String {
    cells.iter().map(|cell| cell.index().to_string()).collect::<Vec<_>>().join(" ")
}

/// The strategy as a `.realization` file.
pub fn realization_text(strategy: &Strategy) -> String {
    let game = &strategy.game;
    let mut out = String::new();
    writeln!(out, "DARKHEX_REALIZATION\nROWS {}\nCOLUMNS {}\nMODE {}", game.rows, game.columns, mode(game))
        .unwrap();
    let opening = game.opening.map_or("none".to_string(), |cell| game.square(cell));
    let owner = strategy.owner.to_string().to_uppercase();
    writeln!(out, "OPENING {opening}\nOWNER {owner}\nPLANS {}", strategy.plans.len()).unwrap();
    for plan in &strategy.plans {
        writeln!(out, "PLAN\nPRIORITY {}\nTOTAL {}", numbers(&plan.priority), plan.total).unwrap();
        writeln!(out, "HISTORIES {}", plan.decisions.len()).unwrap();
        for (history, probes) in &plan.decisions {
            writeln!(out, "HISTORY {} {}", history.encode(6), probes.len()).unwrap();
            for (cell, mass) in probes {
                writeln!(out, "{} {mass}", cell.index()).unwrap();
            }
        }
        out.push_str("END\n");
    }
    out + "DONE\n"
}

/// The strategy, all of whose plans are deterministic, as a `.mix` file.
pub fn mix_text(strategy: &Strategy) -> String {
    let game = &strategy.game;
    let header = if game.opening.is_some() { "DARKHEX_OPENING_MIXTURE" } else { "DARKHEX_MIXTURE" };
    let mut out = format!("{header}\nROWS {}\nCOLUMNS {}\nMODE {}\n", game.rows, game.columns, mode(game));
    if let Some(cell) = game.opening {
        writeln!(out, "OPENING {}", game.square(cell)).unwrap();
    }
    let owner = strategy.owner.to_string().to_uppercase();
    writeln!(out, "OWNER {owner}\nPOLICIES {}", strategy.plans.len()).unwrap();
    for plan in &strategy.plans {
        writeln!(out, "POLICY {}\nPRIORITY {}", plan.total, numbers(&plan.priority)).unwrap();
        writeln!(out, "DECISIONS {}", plan.decisions.len()).unwrap();
        for (history, probes) in &plan.decisions {
            assert_eq!(probes.len(), 1);
            writeln!(out, "{} {}", history.encode(5), probes[0].0.index()).unwrap();
        }
        out.push_str("END\n");
    }
    out + "DONE\n"
}
