//! The rules against their wording, against published counts, and against the fast version of the search.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Board, board_of, moves_by_the_wording, position_of, random_game};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use verify_dosello::expand::{Children, View};
use verify_dosello::perft::{Count, canonical, counts, counts_in_parts};
use verify_dosello::rules::{Move, Placement, Position, Side};

#[test]
fn all_moves_of_two_thousand_random_games_follow_the_wording_and_the_fast_version_agrees() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut children = Children::default();
    let (mut moves, mut passes) = (0, 0);
    for _ in 0..2000 {
        for position in random_game(&mut random) {
            let by_the_wording: BTreeMap<String, Position> =
                moves_by_the_wording(&board_of(&position), position.turn)
                    .into_iter()
                    .map(|(name, board)| (name, position_of(&board, position.turn.other())))
                    .collect();
            let by_the_rules: BTreeMap<String, Position> =
                position.placements().into_iter().map(|(step, next)| (step.to_string(), next)).collect();
            assert_eq!(by_the_rules, by_the_wording);
            moves += by_the_rules.len();
            passes += usize::from(by_the_rules.is_empty() && !position.is_over());

            let view = View::of(&position);
            children.expand::<true>(&view);
            assert_eq!(children.count(), by_the_rules.len());
            assert_eq!(view.can_place(), !by_the_rules.is_empty());
            for (index, (step, next)) in position.placements().into_iter().enumerate() {
                assert_eq!(children.child(index).position(position.turn.other()), next);
                let number = match step {
                    Placement::Horizontal(left) => u32::from(left),
                    Placement::Vertical(top) => 64 + u32::from(top),
                };
                assert_eq!(children.placed(index), number);
                assert_eq!(children.new_squares(index), step.squares());
                assert_eq!(children.placements(index), next.placements().len() as u64);
                assert_eq!(children.replies(index), next.passed().placements().len() as u64);
                let pairs = Placement::all().filter(|pair| pair.squares() & !next.empty() == 0).count();
                assert_eq!(children.pairs(index), pairs as u64);
            }
        }
    }
    assert!(moves > 300_000, "{moves}");
    assert!(passes > 100, "{passes}");
}

#[test]
fn the_counts_of_positions_up_to_six_plies_are_the_published_ones() {
    let found: Vec<(usize, usize, u64, usize)> = counts(6)
        .into_iter()
        .map(|Count { positions, up_to_symmetry, paths, finished }| {
            (positions, up_to_symmetry, paths, finished)
        })
        .collect();
    assert_eq!(
        found,
        [
            (20, 10, 20, 0),
            (254, 127, 254, 0),
            (3_534, 1_763, 3_652, 26),
            (46_414, 23_089, 49_472, 21),
            (653_294, 323_274, 756_090, 2_212),
            (9_185_497, 4_508_940, 11_616_826, 6_446),
        ]
    );
}

/// All lines of exactly so many placements after which the game is over, by the wording of the rules.
fn finished_by_the_wording(placements: usize) -> Vec<(String, Board)> {
    let mut games = vec![(Vec::new(), board_of(&Position::initial()))];
    for ply in 0..placements {
        let side = if ply % 2 == 0 { Side::Black } else { Side::White };
        games = games
            .into_iter()
            .flat_map(|(line, board)| {
                moves_by_the_wording(&board, side).into_iter().map(move |(step, next)| {
                    let mut line: Vec<String> = line.clone();
                    line.push(step);
                    (line, next)
                })
            })
            .collect();
    }
    let over = |board: &Board| {
        [Side::Black, Side::White].into_iter().all(|side| moves_by_the_wording(board, side).is_empty())
    };
    games.retain(|(_, board)| over(board));
    games.into_iter().map(|(line, board)| (line.join(" "), board)).collect()
}

#[test]
fn the_shortest_games_are_26_of_three_placements_won_14_to_0_and_22_of_four_lost_0_to_16() {
    let mut games = vec![(String::new(), Position::initial())];
    let mut finished: Vec<BTreeMap<String, (u32, u32)>> = Vec::new();
    for _ in 0..4 {
        // No pass occurs so early, so plies are placements and the side to move alternates.
        games = games
            .iter()
            .flat_map(|(line, position)| {
                position.moves().into_iter().map(move |(step, next)| {
                    assert_ne!(step, Move::Pass);
                    (format!("{line} {step}").trim_start().to_owned(), next)
                })
            })
            .collect();
        let over = games.iter().filter(|(_, position)| position.is_over());
        finished.push(
            over.map(|(line, position)| {
                (line.clone(), (position.black.count_ones(), position.white.count_ones()))
            })
            .collect(),
        );
    }
    let counts = |ply: usize| finished[ply].values().copied().collect::<Vec<_>>();
    assert!(finished[0].is_empty() && finished[1].is_empty());
    assert_eq!(counts(2), [(14, 0); 26]);
    assert_eq!(counts(3), [(0, 16); 22]);
    // The lists are complete: the second version of the rules finds the same games, move by move.
    for placements in [3, 4] {
        let lines: Vec<String> = finished[placements - 1].keys().cloned().collect();
        let mut others: Vec<String> =
            finished_by_the_wording(placements).into_iter().map(|(line, _)| line).collect();
        others.sort();
        assert_eq!(lines, others);
    }
}

#[test]
fn the_quick_canonical_form_is_the_smallest_of_the_eight_images() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..50 {
        for position in random_game(&mut random) {
            for symmetry in 0..8 {
                assert_eq!(canonical(&position.image(symmetry)), position.canonical());
            }
        }
    }
    assert_eq!(canonical(&Position::initial()), Position::initial().canonical());
}

#[test]
fn counts_in_parts_are_the_counts_of_the_whole() {
    assert_eq!(counts_in_parts(5, 10_000), counts(5));
}

#[test]
fn a_half_turn_leaves_the_initial_position_as_it_is() {
    let initial = Position::initial();
    assert_eq!(initial.image(3), initial);
    assert_ne!(initial.image(1), initial);
}

#[test]
fn mirrored_positions_have_mirrored_moves_and_one_canonical_form() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..50 {
        for position in random_game(&mut random) {
            for symmetry in 0..8 {
                let image = position.image(symmetry);
                assert_eq!(image.canonical(), position.canonical());
                let mut mapped: Vec<Position> =
                    position.moves().iter().map(|(_, next)| next.image(symmetry)).collect();
                let mut moved: Vec<Position> = image.moves().into_iter().map(|(_, next)| next).collect();
                mapped.sort_unstable();
                moved.sort_unstable();
                assert_eq!(mapped, moved);
            }
        }
    }
}

#[test]
fn the_canonical_form_does_not_exchange_colours() {
    let position = common::after("f3-f4");
    let swapped = Position { black: position.white, white: position.black, turn: Side::Black, ..position };
    assert_ne!(position.canonical(), swapped.canonical());
}

#[test]
fn the_example_of_the_rules_flips_the_partner_but_does_not_cascade() {
    // The worked example of RULES.md: e5 is captured, its partner f5 flips, d4 stays white.
    let position = common::after("f3-f4");
    let squares = |names: &[&str]| names.iter().fold(0, |set, name| set | common::placement(name).squares());
    assert_eq!(position.black, squares(&["e3-e4", "f3-f4", "d5-d6", "e5-f5"]));
    assert_eq!(position.white, squares(&["c4-d4"]));
}

#[test]
fn occupied_pairs_captureless_pairs_and_needless_passes_are_illegal() {
    let initial = Position::initial();
    assert_eq!(initial.place(common::placement("c4-d4")), None);
    assert_eq!(initial.place(common::placement("a1-b1")), None);
    assert_eq!(initial.play(Move::Pass), None);
}

#[test]
fn names_of_moves_that_are_no_pairs_of_neighbours_are_refused() {
    for name in ["a1-a1", "b1-a1", "h1-i1", "h1-a2", "a8-a9", "a1-c1", "a1b1", "A1-B1", "a01-b1", "", "Pass"]
    {
        assert_eq!(Move::parse(name), None, "{name}");
    }
    assert_eq!(Placement::all().count(), 112);
    for placement in Placement::all() {
        assert_eq!(Placement::parse(&placement.to_string()), Some(placement));
    }
}
