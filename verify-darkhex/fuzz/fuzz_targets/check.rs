//! `check`: a claim, Black's strategy and White's, separated by NUL bytes. The verdict is that of the plain recursion.
#![no_main]

use libfuzzer_sys::fuzz_target;
use num_bigint::BigInt;
use num_rational::BigRational;
use verify_darkhex::board::{Board, Player};
use verify_darkhex::check::examine;
use verify_darkhex::claim::{Claim, read_claim};
use verify_darkhex::{Error, Strategy, Verdict, check, mixture, realization};
use verify_darkhex_fuzz::common::plain_best_response;
use verify_darkhex_fuzz::refusal;

const MOST_CELLS: usize = 6;
const MOST_PLANS: usize = 4;

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |&byte| byte == 0);
    let mut part = || parts.next().unwrap_or_default();
    let (claim, black, white) = (part(), part(), part());
    let (black, white) = (read(black), read(white));
    // Whatever the claim says, each strategy alone has the value of the plain recursion.
    for strategy in [&black, &white].into_iter().flatten() {
        let examined = examine(strategy, &Board::new(&strategy.game), true).expect("no guard fails");
        if is_small(strategy) {
            assert_eq!(*examined.response.mass(), plain_best_response(strategy));
        }
    }
    let Ok(claim) = read_claim("c", claim) else { return };
    if claim.game.cells() > MOST_CELLS {
        return;
    }
    let black = black.as_ref().filter(|_| claim.black.is_some());
    let white = white.as_ref().filter(|_| claim.white.is_some());
    match check(&claim, black, white, true) {
        Ok(checked) => {
            for (strategy, owner) in [(black, Player::Black), (white, Player::White)] {
                assert!(strategy.is_none_or(|strategy| is_for(strategy, &claim, owner)));
            }
            if [black, white].into_iter().flatten().all(is_small) {
                assert_eq!(checked.verdict, expected(&claim, black, white));
            }
        }
        Err(error @ Error::Malformed { .. }) => {
            refusal(&error);
            let fits = |strategy: Option<&Strategy>, owner| strategy.is_none_or(|s| is_for(s, &claim, owner));
            assert!(!fits(black, Player::Black) || !fits(white, Player::White), "{error}");
        }
        Err(error) => refusal(&error),
    }
});

/// A strategy in either format that is small enough for many runs a second.
fn read(bytes: &[u8]) -> Option<Strategy> {
    mixture::read("s", bytes)
        .or_else(|_| realization::read("s", bytes))
        .ok()
        .filter(|strategy| strategy.game.cells() <= MOST_CELLS && strategy.plans.len() <= MOST_PLANS)
}

/// Whether the plain recursion takes milliseconds.
fn is_small(strategy: &Strategy) -> bool {
    strategy.game.cells() <= 4 || strategy.plans.len() <= 2
}

/// Whether the strategy, turned if the claim says so, is of this player in the claimed game.
fn is_for(strategy: &Strategy, claim: &Claim, owner: Player) -> bool {
    let mut game = strategy.game;
    if claim.rotate {
        game.opening = game.opening.map(|cell| game.rotated(cell));
    }
    game == claim.game && strategy.owner == owner
}

/// The verdict by its definition, from bounds by the plain recursion on the strategies as they stand in the files:
/// turning the board changes no value.
fn expected(claim: &Claim, black: Option<&Strategy>, white: Option<&Strategy>) -> Verdict {
    let one = BigRational::from_integer(BigInt::from(1));
    let lower =
        black.map_or(BigRational::from_integer(BigInt::from(0)), |black| &one - responders_share(black));
    let upper = white.map_or(one, responders_share);
    let (from, to) = (&claim.value.lower, &claim.value.upper);
    if *to < lower || upper < *from {
        Verdict::Refuted(lower, upper)
    } else if !(*from <= lower && upper <= *to) {
        Verdict::NotProved(lower, upper)
    } else if from == to {
        Verdict::ExactValue(from.clone())
    } else {
        Verdict::ProvedBounds(from.clone(), to.clone())
    }
}

fn responders_share(strategy: &Strategy) -> BigRational {
    let total = strategy.plans.iter().map(|plan| BigInt::from(plan.total.clone())).sum();
    BigRational::new(BigInt::from(plain_best_response(strategy)), total)
}
