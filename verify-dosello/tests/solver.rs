//! The search against plain negamax, with hostile weights, hostile orders and other settings.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod common;

use common::{alpha_beta, plain_value, random_game, tabled_value};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use verify_dosello::expand::View;
use verify_dosello::order::{Frame, Indices, Learned, Order};
use verify_dosello::rules::{Position, Side};
use verify_dosello::search::{Bound, Halt, Settings, Solver};
use verify_dosello::table::{Hint, Key, Known, NO_HINT, Table, UNKNOWN};
use verify_dosello::weights::{Terms, Weights};

/// Everything switched on as early as can be.
const EAGER: Settings = Settings { table_from: 2, far_from: 6, near_mb: 1, early_look_ups_from: 4 };

fn weights_of(mut next: impl FnMut() -> i16) -> Weights {
    Weights::from_weights((0..Weights::count()).map(|_| next()).collect())
}

/// Positions of random games with so many empty squares, both sides able to move or not.
fn positions(seed: u64, empties: std::ops::RangeInclusive<u32>, count: usize) -> Vec<Position> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let game = random_game(&mut random);
        found.extend(game.into_iter().filter(|position| empties.contains(&position.empty().count_ones())));
    }
    found.truncate(count);
    found
}

fn assert_decides<O: Order>(solver: &mut Solver<O>, position: &Position, value: i32) {
    for score in [value, value - 2, value + 2, 0, -12].map(|score: i32| score.clamp(-64, 64)) {
        for bound in [Bound::AtLeast(score), Bound::AtMost(score)] {
            // Values are even.
            let (holds, opposite) = match bound {
                Bound::AtLeast(score) => (value >= score, Bound::AtMost(score - 2)),
                Bound::AtMost(score) => (value <= score, Bound::AtLeast(score + 2)),
            };
            let proved = solver.decide(position, bound, u64::MAX).unwrap();
            assert_eq!(proved.position(), position);
            assert_eq!(proved.bound(), if holds { bound } else { opposite }, "{position:?}");
        }
    }
}

#[test]
fn the_search_agrees_with_plain_negamax_on_two_thousand_positions_and_five_windows_each() {
    let weights = weights_of(|| 0);
    let mut table = Table::new(4);
    let mut solver = Solver::with_order(&mut table, Learned::new(Some(&weights)).learned_from(8), EAGER);
    let (mut passes, mut over) = (0, 0);
    for position in positions(3, 4..=10, 2000) {
        let value = plain_value(&position);
        assert_eq!(tabled_value(&position, &mut HashMap::new()), value);
        passes += usize::from(position.placements().is_empty() && !position.is_over());
        over += usize::from(position.is_over());
        assert_decides(&mut solver, &position, value);
    }
    assert!(passes > 20 && over > 20, "passes {passes}, over {over}");
}

#[test]
fn the_search_agrees_with_tabled_negamax_on_positions_with_eleven_to_sixteen_empty_squares() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let weights = weights_of(|| random.random_range(-300..300));
    let mut table = Table::new(4);
    for (empties, count) in [(11..=12, 200), (13..=14, 120), (15..=16, 60)] {
        for position in positions(4, empties, count) {
            let value = tabled_value(&position, &mut HashMap::new());
            assert_eq!(alpha_beta(&position, value - 1, value + 1), value);
            let order = Learned::new(Some(&weights)).learned_from(12);
            let mut solver = Solver::with_order(&mut table, order, EAGER);
            assert_decides(&mut solver, &position, value);
        }
    }
}

#[test]
fn a_bound_that_an_earlier_window_left_in_the_table_decides_only_what_it_bounds() {
    let mut table = Table::new(4);
    let mut at_once = 0;
    for position in positions(21, 8..=12, 200) {
        let value = tabled_value(&position, &mut HashMap::new());
        let mut solver = Solver::with_order(&mut table, Learned::new(None), EAGER);
        // Windows that come nearer by two points each time meet every bound that was left on the way.
        for offset in (1..=12).rev().map(|steps| 2 * steps) {
            let before = solver.nodes();
            for (asked, opposite) in [
                (Bound::AtLeast(value + offset), Bound::AtMost(value + offset - 2)),
                (Bound::AtMost(value - offset), Bound::AtLeast(value - offset + 2)),
            ] {
                let (Bound::AtLeast(score) | Bound::AtMost(score)) = asked;
                if score.abs() <= 64 {
                    let proved = solver.decide(&position, asked, u64::MAX).unwrap();
                    assert_eq!(proved.bound(), opposite, "{position:?}");
                }
            }
            at_once += usize::from(solver.nodes() == before + 2);
        }
    }
    assert!(at_once > 100, "{at_once}");
}

/// The last positions with 4 to 16 empty squares of games in which one side loses all its discs: the loser drawn at
/// random moves so that few of its discs are left, the winner so that it takes many.
fn positions_before_wipe_outs(seed: u64, count: usize) -> Vec<Position> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut game = vec![Position::initial()];
        let loser = if random.random() { Side::Black } else { Side::White };
        let from = random.random_range(8..30);
        let left = |position: &Position| match loser {
            Side::Black => position.black.count_ones(),
            Side::White => position.white.count_ones(),
        };
        loop {
            let position = game.last().unwrap();
            let mut moves = position.moves();
            if moves.is_empty() {
                break;
            }
            let drawn = random.random_range(0..moves.len());
            moves.swap(0, drawn);
            let greedy = moves.iter().map(|(_, next)| *next).min_by_key(left).unwrap();
            game.push(if position.empty().count_ones() > from { moves[0].1 } else { greedy });
        }
        if left(game.last().unwrap()) == 0 {
            let late = |position: &&Position| (4..=16).contains(&position.empty().count_ones());
            found.extend(game.iter().rev().filter(late).take(3));
        }
    }
    found.truncate(count);
    found
}

#[test]
fn the_search_agrees_with_tabled_negamax_where_a_side_can_lose_all_its_discs() {
    let mut table = Table::new(4);
    let (mut wiped_out, mut values) = (0, 0);
    for position in positions_before_wipe_outs(15, 60) {
        let value = tabled_value(&position, &mut HashMap::new());
        wiped_out += usize::from(position.black == 0 || position.white == 0);
        let gone = position.black.count_ones() + position.white.count_ones();
        values += usize::from(value.unsigned_abs() >= gone && !position.is_over());
        let mut solver = Solver::with_order(&mut table, Learned::new(None), EAGER);
        assert_decides(&mut solver, &position, value);
    }
    assert!(wiped_out > 5 && values > 5, "wiped out {wiped_out}, lost in all {values}");
}

#[test]
fn hostile_weights_cost_time_and_change_no_result() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let kinds: [Weights; 4] = [
        weights_of(|| i16::MIN),
        weights_of(|| i16::MAX),
        weights_of(|| random.random()),
        Weights::from_weights(Vec::new()),
    ];
    for position in positions(6, 8..=12, 60) {
        let value = alpha_beta(&position, -64, 64);
        for weights in &kinds {
            let mut table = Table::new(1);
            let order = Learned::new(Some(weights)).learned_from(6);
            assert_decides(&mut Solver::with_order(&mut table, order, EAGER), &position, value);
        }
    }
}

/// An order that never names the last child.
struct Forgetful;

impl Order for Forgetful {
    fn needs_both_mobilities(&self, _: u32) -> bool {
        false
    }
    fn rank(&mut self, _: &mut Frame, _: Indices, _: (Hint, Hint), _: u32, _: &mut [Frame]) {}
    fn next(&self, frame: &Frame, pending: Indices) -> Option<usize> {
        let next = usize::try_from(pending.trailing_zeros()).unwrap();
        (next + 1 < frame.children.count()).then_some(next)
    }
    fn shallow_nodes(&self) -> u64 {
        0
    }
}

/// An order that names the first child again and again.
struct Stubborn;

impl Order for Stubborn {
    fn needs_both_mobilities(&self, _: u32) -> bool {
        false
    }
    fn rank(&mut self, _: &mut Frame, _: Indices, _: (Hint, Hint), _: u32, _: &mut [Frame]) {}
    fn next(&self, _: &Frame, _: Indices) -> Option<usize> {
        Some(0)
    }
    fn shallow_nodes(&self) -> u64 {
        0
    }
}

#[test]
fn an_order_that_loses_or_repeats_a_move_is_found_out() {
    let position =
        positions(7, 10..=10, 40).into_iter().find(|position| position.placements().len() > 3).unwrap();
    let mut table = Table::new(1);
    let lost =
        Solver::with_order(&mut table, Forgetful, EAGER).decide(&position, Bound::AtLeast(64), u64::MAX);
    assert_eq!(lost.unwrap_err(), Halt::Fault);
    let repeated =
        Solver::with_order(&mut table, Stubborn, EAGER).decide(&position, Bound::AtLeast(64), u64::MAX);
    assert_eq!(repeated.unwrap_err(), Halt::Fault);
}

#[test]
fn equal_colours_with_another_pairing_are_another_position_with_another_value() {
    // Squares of four discs of one colour can be two dominoes in two ways.
    let mut found = 0;
    let mut by_colours: HashMap<(u64, u64, Side), Vec<Position>> = HashMap::new();
    for position in positions(8, 4..=14, 4000) {
        for row in 0..7 {
            for column in 0..7 {
                let (here, right, below) = (
                    1u64 << (8 * row + column),
                    1u64 << (8 * row + column + 1),
                    1u64 << (8 * row + column + 8),
                );
                let other = if position.left & here != 0 && position.left & below != 0 {
                    Position {
                        left: position.left & !here & !below,
                        top: position.top | here | right,
                        ..position
                    }
                } else if position.top & here != 0 && position.top & right != 0 {
                    Position {
                        top: position.top & !here & !right,
                        left: position.left | here | below,
                        ..position
                    }
                } else {
                    continue;
                };
                let square = here | right | below | below << 1;
                if position.black & square == square || position.white & square == square {
                    by_colours
                        .entry((position.black, position.white, position.turn))
                        .or_default()
                        .extend([position, other]);
                }
            }
        }
    }
    let mut table = Table::new(4);
    for group in by_colours.values() {
        for pair in group.chunks(2) {
            assert_ne!(Key::of(&View::of(&pair[0])), Key::of(&View::of(&pair[1])));
            if pair[0].empty().count_ones() > 10 {
                continue;
            }
            let values: Vec<i32> = pair.iter().map(plain_value).collect();
            found += usize::from(values[0] != values[1]);
            let mut solver = Solver::with_order(&mut table, Learned::new(None), EAGER);
            for (position, value) in pair.iter().zip(values) {
                assert_decides(&mut solver, position, value);
            }
        }
    }
    assert!(found >= 5, "{found}");
}

#[test]
fn keys_decode_to_the_view_they_were_made_of() {
    // The decoding of the head of `table`, as a program.
    let mut random = ChaCha8Rng::seed_from_u64(10);
    for _ in 0..200 {
        for position in random_game(&mut random) {
            let view = View::of(&position);
            let (occupied, code) = (view.own | view.other, view.left | (view.own & !view.top));
            let mut decoded = View { own: 0, other: 0, left: 0, top: 0 };
            let mut rest = occupied;
            while rest != 0 {
                let first = rest & rest.wrapping_neg();
                let horizontal = code & first != 0;
                let second = if horizontal { first << 1 } else { first << 8 };
                if horizontal {
                    decoded.left |= first;
                } else {
                    decoded.top |= first;
                }
                if code & second == 0 {
                    decoded.other |= first | second;
                } else {
                    decoded.own |= first | second;
                }
                rest &= !(first | second);
            }
            assert_eq!(decoded, view);
        }
    }
}

#[test]
fn a_table_keeps_and_intersects_bounds_and_finds_only_equal_keys() {
    let mut table = Table::new(1);
    let positions = positions(11, 4..=30, 3000);
    for position in &positions {
        let key = Key::of(&View::of(position));
        let score = position.difference();
        table.store(key, score - 4, UNKNOWN, 3, 1);
        table.store(key, -UNKNOWN, score + 4, 5, 1);
        let expected = Known { lower: score - 4, upper: score + 4, first: 5, second: 3 };
        assert_eq!(table.look_up(key), Some(expected));
    }
    // Whatever is still there is right.
    let mut kept = 0;
    for position in &positions {
        if let Some(known) = table.look_up(Key::of(&View::of(position))) {
            assert_eq!((known.lower, known.upper), (position.difference() - 4, position.difference() + 4));
            kept += 1;
        }
    }
    assert!(kept > 1000, "{kept}");
    table.clear();
    assert_eq!(table.look_up(Key::of(&View::of(&positions[0]))), None);
    table.store(Key::of(&View::of(&positions[0])), 300, UNKNOWN, NO_HINT, 1);
    assert_eq!(table.look_up(Key::of(&View::of(&positions[0]))), None);
}

#[test]
fn a_search_that_is_stopped_anywhere_leaves_only_true_bounds_in_the_table() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for position in positions(13, 10..=12, 40) {
        let value = alpha_beta(&position, -64, 64);
        let mut table = Table::new(1);
        let mut stopped = 0;
        for _ in 0..30 {
            let limit = random.random_range(1..400);
            let mut solver = Solver::with_order(&mut table, Learned::new(None), EAGER);
            let bound = Bound::AtLeast(value + 2 * random.random_range(-1..=1));
            if let Bound::AtLeast(score) = bound
                && (-64..=64).contains(&score)
            {
                match solver.decide(&position, bound, limit) {
                    Err(Halt::NodeLimit) => {
                        assert_eq!(solver.nodes(), limit);
                        stopped += 1;
                    }
                    other => assert_eq!(other.unwrap().bound() == bound, value >= score),
                }
            }
        }
        let mut solver = Solver::with_order(&mut table, Learned::new(None), EAGER);
        assert_decides(&mut solver, &position, value);
        assert!(stopped < 30);
    }
}

#[test]
fn a_wipe_out_at_the_third_placement_is_a_finished_leaf() {
    let initial = Position::initial();
    let found = initial
        .moves()
        .into_iter()
        .flat_map(|(_, next)| next.moves())
        .flat_map(|(_, next)| next.moves())
        .map(|(_, next)| next)
        .find(Position::is_over)
        .unwrap();
    assert_eq!((found.black.count_ones(), found.white.count_ones(), found.difference()), (14, 0, -14));
    let mut table = Table::new(1);
    let mut solver = Solver::new(&mut table, None);
    let proved = solver.decide(&found, Bound::AtMost(-14), 10).unwrap();
    assert_eq!((proved.bound(), solver.nodes()), (Bound::AtMost(-14), 1));
    let proved = solver.decide(&found, Bound::AtLeast(-14), 10).unwrap();
    assert_eq!(proved.bound(), Bound::AtLeast(-14));
}

#[test]
fn scores_that_no_game_has_are_not_searched() {
    let mut table = Table::new(1);
    let mut solver = Solver::new(&mut table, None);
    for bound in [Bound::AtLeast(1), Bound::AtLeast(66), Bound::AtMost(-68), Bound::AtMost(66)] {
        assert_eq!(solver.decide(&Position::initial(), bound, 10).unwrap_err(), Halt::Fault, "{bound:?}");
    }
}

/// The definition of FORMAT.md, square by square.
fn rating_by_definition(weights: &[i16], view: &View, terms: Terms) -> i64 {
    let classes: [&[u8]; 11] = [
        &[0, 1, 2, 3, 4, 5, 6, 7, 9, 14],
        &[8, 9, 10, 11, 12, 13, 14, 15],
        &[16, 17, 18, 19, 20, 21, 22, 23],
        &[24, 25, 26, 27, 28, 29, 30, 31],
        &[0, 9, 18, 27, 36, 45, 54, 63],
        &[1, 10, 19, 28, 37, 46, 55],
        &[2, 11, 20, 29, 38, 47],
        &[3, 12, 21, 30, 39],
        &[0, 1, 2, 8, 9, 10, 16, 17, 18],
        &[0, 1, 2, 3, 4, 8, 9, 10, 11, 12],
        &[18, 19, 20, 21, 26, 27, 28, 29],
    ];
    let empty = !(view.own | view.other);
    let phase = usize::try_from(view.empties() / 4).unwrap().min(15);
    let weights = &weights[phase * 173_755..(phase + 1) * 173_755];
    let (mut sum, mut offset, mut instances) = (0i64, 0, 0);
    for class in classes {
        let mut seen: Vec<Vec<(u8, u8)>> = Vec::new();
        for symmetry in 0..8u8 {
            let image: Vec<(u8, u8)> = class
                .iter()
                .map(|cell| {
                    let (mut row, mut column) = (cell / 8, cell % 8);
                    if symmetry & 1 == 1 {
                        row = 7 - row;
                    }
                    if symmetry & 2 == 2 {
                        column = 7 - column;
                    }
                    if symmetry & 4 == 4 { (column, row) } else { (row, column) }
                })
                .collect();
            let mut set = image.clone();
            set.sort_unstable();
            if seen.contains(&set) {
                continue;
            }
            seen.push(set);
            instances += 1;
            let index = image.iter().rev().fold(0, |index, (row, column)| {
                let bit = 8 * row + column;
                3 * index
                    + usize::from(view.own >> bit & 1 == 1)
                    + 2 * usize::from(view.other >> bit & 1 == 1)
            });
            sum += i64::from(weights[offset + index]);
        }
        offset += 3usize.pow(u32::try_from(class.len()).unwrap());
    }
    assert_eq!((instances, offset), (46, 173_745));
    let lone = (0..64u32)
        .filter(|&bit| {
            let (row, column) = (bit / 8, bit % 8);
            let is_empty =
                |row: u32, column: u32| row < 8 && column < 8 && empty >> (8 * row + column) & 1 == 1;
            is_empty(row, column)
                && !is_empty(row + 1, column)
                && !is_empty(row, column + 1)
                && !is_empty(row.wrapping_sub(1), column)
                && !is_empty(row, column.wrapping_sub(1))
        })
        .count();
    let (own, other) = (i64::try_from(terms.placements).unwrap(), i64::try_from(terms.replies).unwrap());
    let dense = [
        1,
        own,
        other,
        i64::try_from(terms.pairs).unwrap(),
        i64::from(view.difference()),
        i64::from(own == 0),
        i64::from(other == 0),
        i64::try_from(lone).unwrap(),
        32 * (own - other) / (own + other + 2),
        if (i64::from(view.empties()) - i64::try_from(lone).unwrap()) % 4 >= 2 { 1 } else { -1 },
    ];
    sum + dense.iter().zip(&weights[173_745..]).map(|(term, &weight)| term * i64::from(weight)).sum::<i64>()
}

#[test]
fn ratings_follow_the_definition_of_the_weights_file() {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    let plain: Vec<i16> = (0..Weights::count()).map(|_| random.random()).collect();
    let weights = Weights::from_weights(plain.clone());
    for _ in 0..20 {
        for position in random_game(&mut random) {
            let view = View::of(&position);
            let terms = Terms {
                placements: position.placements().len() as u64,
                replies: position.passed().placements().len() as u64,
                pairs: verify_dosello::rules::Placement::all()
                    .filter(|pair| pair.squares() & !position.empty() == 0)
                    .count() as u64,
            };
            let rating = weights.rate(view.own, view.other, terms);
            assert_eq!(i64::from(rating.0), rating_by_definition(&plain, &view, terms));
        }
    }
}

#[test]
fn a_weights_file_that_is_torn_longer_or_foreign_is_refused() {
    let pack = |bytes: &[u8]| {
        let mut packed = Vec::new();
        lzma_rs::lzma_compress(&mut &bytes[..], &mut packed).unwrap();
        packed
    };
    let mut plain = b"dosello weights 1\n".to_vec();
    plain.resize(18 + 2 * Weights::count(), 0);
    let good = pack(&plain);
    assert!(Weights::read(&good).is_ok());
    let message = |packed: &[u8]| Weights::read(packed).err().unwrap().to_string();
    assert!(Weights::read(&[good.clone(), vec![0]].concat()).is_err());
    assert!(message(&pack(&plain[..plain.len() - 2])).contains("length"));
    assert!(message(&pack(&[plain.clone(), vec![0]].concat())).contains("length"));
    let mut foreign = plain.clone();
    foreign[16] = b'2';
    assert!(message(&pack(&foreign)).contains("first line"));
    assert!(Weights::read(&good[..good.len() / 2]).is_err());
    assert!(Weights::read(&[]).is_err());
}
