//! The best response against a plain recursion over all private histories, on random strategies of small boards.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code fails by panicking"
)]

mod common;

use common::{game, mix_text, plain_best_response, random_strategy, realization_text, small_games};
use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use verify_darkhex::board::{Board, Game, Player, Rule};
use verify_darkhex::check::examine;
use verify_darkhex::response::{Shortcuts, best_response};
use verify_darkhex::strategy::Strategy;
use verify_darkhex::{mixture, realization, second};

const ALL: [Shortcuts; 8] = {
    let mut all = [Shortcuts { certain: false, forced: false, bounds: false }; 8];
    let mut index = 0;
    while index < 8 {
        all[index] = Shortcuts { certain: index & 1 != 0, forced: index & 2 != 0, bounds: index & 4 != 0 };
        index += 1;
    }
    all
};

/// All ways of computing the best response agree, and the referee confirms it.
fn agree(strategy: &Strategy) {
    let board = Board::new(&strategy.game);
    let expected = plain_best_response(strategy);
    for shortcuts in ALL {
        let response = best_response(strategy, &board, shortcuts).unwrap();
        assert_eq!(response.mass(), &expected, "{shortcuts:?} on {strategy:?}");
    }
    assert_eq!(second::best_response_mass(strategy, &board).unwrap().0, expected, "second on {strategy:?}");
    examine(strategy, &board, true).unwrap();
}

fn both_players(rng: &mut StdRng, game: Game, plans: usize, mixed: bool) {
    for owner in [Player::Black, Player::White] {
        agree(&random_strategy(rng, game, owner, plans, mixed));
    }
}

#[test]
fn random_plans_on_small_boards_agree_with_the_plain_recursion() {
    let mut rng = StdRng::seed_from_u64(1);
    for game in small_games() {
        for _ in 0..12 {
            both_players(&mut rng, game, 3, true);
        }
    }
}

#[test]
fn random_mixtures_on_small_boards_agree_with_the_plain_recursion() {
    let mut rng = StdRng::seed_from_u64(2);
    for game in small_games() {
        for _ in 0..12 {
            both_players(&mut rng, game, 4, false);
        }
    }
}

#[test]
fn random_mixtures_and_plans_on_3x3_agree_with_the_plain_recursion() {
    let mut rng = StdRng::seed_from_u64(3);
    for rule in [Rule::Classic, Rule::Abrupt] {
        for opening in [None, Some("a1"), Some("b2"), Some("b1")] {
            both_players(&mut rng, game(rule, 3, 3, opening), 2, false);
            both_players(&mut rng, game(rule, 3, 3, opening), 1, true);
        }
    }
}

#[test]
fn a_file_read_back_is_the_strategy_that_was_written() {
    let mut rng = StdRng::seed_from_u64(4);
    for game in small_games() {
        for owner in [Player::Black, Player::White] {
            let plans = random_strategy(&mut rng, game, owner, 1, true);
            assert_eq!(realization::read("x", realization_text(&plans).as_bytes()).unwrap(), plans);
            let policy = random_strategy(&mut rng, game, owner, 1, false);
            assert_eq!(mixture::read("x", mix_text(&policy).as_bytes()).unwrap(), policy);
        }
    }
}

#[test]
fn a_plan_scaled_by_a_factor_of_200_bits_guarantees_the_same() {
    let mut rng = StdRng::seed_from_u64(5);
    let factor = BigUint::from(3u8).pow(126);
    assert_eq!(factor.bits(), 200);
    for game in small_games() {
        let strategy = random_strategy(&mut rng, game, Player::White, 2, true);
        let mut scaled = strategy.clone();
        for plan in &mut scaled.plans {
            plan.total *= &factor;
            plan.decisions.values_mut().flatten().for_each(|(_, mass)| *mass *= &factor);
        }
        let board = Board::new(&game);
        let (small, large) =
            (examine(&strategy, &board, true).unwrap(), examine(&scaled, &board, true).unwrap());
        assert_eq!(small.bound, large.bound);
        assert_eq!(small.response.counters, large.response.counters);
        assert_eq!(small.response.policy, large.response.policy);
    }
}

#[test]
fn plans_damaged_at_random_agree_with_the_plain_recursion() {
    let mut rng = StdRng::seed_from_u64(6);
    for game in small_games() {
        for owner in [Player::Black, Player::White] {
            let mut strategy = random_strategy(&mut rng, game, owner, 2, true);
            // A subtree dropped to the default order: the masses below it are no longer the plan's.
            for plan in &mut strategy.plans {
                let Some(dropped) = plan.decisions.keys().nth(rng.random_range(0..3)).copied() else {
                    continue;
                };
                plan.decisions.retain(|history, _| {
                    !std::iter::successors(Some(*history), |h| h.split().map(|(prefix, _)| prefix))
                        .any(|h| h == dropped)
                });
            }
            agree(&strategy);
        }
    }
}

#[test]
fn a_turned_strategy_guarantees_the_same_on_the_turned_board() {
    let mut rng = StdRng::seed_from_u64(7);
    for game in small_games() {
        for owner in [Player::Black, Player::White] {
            let strategy = random_strategy(&mut rng, game, owner, 2, true);
            let turned = strategy.rotated();
            let bound =
                |strategy: &Strategy| examine(strategy, &Board::new(&strategy.game), false).unwrap().bound;
            assert_eq!(bound(&strategy), bound(&turned));
            assert_eq!(turned.rotated(), strategy);
        }
    }
}
