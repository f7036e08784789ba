//! From strategies to a verdict: the proved bounds, what they say of the claim, and the cross-checks.

use crate::board::{Board, Game, Player};
use crate::claim::{Claim, Interval};
use crate::error::{Error, Fault};
use crate::referee;
use crate::response::{Response, Shortcuts, best_response};
use crate::second;
use crate::strategy::{Plan, Strategy};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use std::collections::BTreeMap;

/// A proved bound on the value of a game. Only a search, or the rules of probability, can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound(BigRational);

impl Bound {
    /// Probabilities are at least 0 and at most 1.
    fn trivial(owner: Player) -> Bound {
        Bound(BigRational::from_integer(BigInt::from(match owner {
            Player::Black => 0,
            Player::White => 1,
        })))
    }

    /// What the strategy guarantees: no play is drawn, so Black wins whatever a best responding White does not.
    fn proved(response: &Response) -> Bound {
        let wins =
            BigRational::new(BigInt::from(response.mass().clone()), BigInt::from(response.total().clone()));
        Bound(match response.responder {
            Player::Black => wins,
            Player::White => BigRational::from_integer(BigInt::from(1)) - wins,
        })
    }

    /// The bound.
    #[must_use]
    pub fn value(&self) -> &BigRational {
        &self.0
    }
}

/// What the proved bounds say of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The value is exactly this, as claimed.
    ExactValue(BigRational),
    /// The value lies in the claimed interval.
    ProvedBounds(BigRational, BigRational),
    /// The claim may be right, but these bounds do not prove it.
    NotProved(BigRational, BigRational),
    /// The claim is wrong: the value lies between these bounds, and what is claimed does not.
    Refuted(BigRational, BigRational),
}

/// One strategy examined: the best response to it, confirmed on real boards.
#[derive(Clone, Debug)]
pub struct Examined {
    /// Whose strategy.
    pub owner: Player,
    /// What it guarantees: a lower bound on Black's value if it is Black's, an upper bound if it is White's.
    pub bound: Bound,
    /// The best response.
    pub response: Response,
    /// The number of beliefs that the second best response listed, if it was asked for.
    pub second: Option<usize>,
}

/// All that was computed for a claim.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Black's strategy, if the claim has one.
    pub black: Option<Examined>,
    /// White's strategy, if the claim has one.
    pub white: Option<Examined>,
    /// What Black's strategy wins against White's.
    pub cross_play: Option<BigRational>,
    /// The lower bound on the value.
    pub lower: Bound,
    /// The upper bound on the value.
    pub upper: Bound,
    /// What that says of the claim.
    pub verdict: Verdict,
}

/// Checks a claim against the strategies of its files, which are given as read, before any rotation.
///
/// # Errors
/// `Malformed` if a strategy is for another game or player, `Declined` beyond a limit of the search, `Internal` if a
/// guard fails.
pub fn check(
    claim: &Claim,
    black: Option<&Strategy>,
    white: Option<&Strategy>,
    twice: bool,
) -> Result<Checked, Error> {
    let turned = |strategy: &Strategy| if claim.rotate { strategy.rotated() } else { strategy.clone() };
    let (black, white) = (black.map(turned), white.map(turned));
    for (strategy, owner) in [(&black, Player::Black), (&white, Player::White)] {
        if let Some(strategy) = strategy {
            same_game(&claim.game, owner, strategy)?;
        }
    }
    let board = Board::new(&claim.game);
    let examined = |strategy: &Option<Strategy>| match strategy {
        Some(strategy) => examine(strategy, &board, twice).map(Some),
        None => Ok(None),
    };
    let (first, second) = (examined(&black)?, examined(&white)?);
    let bound = |examined: &Option<Examined>, owner| match examined {
        Some(examined) => examined.bound.clone(),
        None => Bound::trivial(owner),
    };
    let (lower, upper) = (bound(&first, Player::Black), bound(&second, Player::White));
    let cross_play = match (&black, &white) {
        (Some(black), Some(white)) => Some(referee::play(black, white)?),
        _ => None,
    };
    if cross_play.as_ref().is_some_and(|value| value < lower.value() || value > upper.value()) {
        return Err(Error::Internal("the strategies play each other outside their bounds"));
    }
    let verdict = judge(&claim.value, &lower, &upper)?;
    Ok(Checked { black: first, white: second, cross_play, lower, upper, verdict })
}

/// The best response to one strategy, confirmed by the referee, and by the second search if asked for.
///
/// # Errors
/// As [`check`].
pub fn examine(strategy: &Strategy, board: &Board, twice: bool) -> Result<Examined, Error> {
    let response = best_response(strategy, board, Shortcuts::default())?;
    let bound = Bound::proved(&response);
    let reply = as_strategy(strategy.game, &response);
    let (black, white) = match strategy.owner {
        Player::Black => (strategy, &reply),
        Player::White => (&reply, strategy),
    };
    if referee::play(black, white)? != *bound.value() {
        return Err(Error::Internal("the best response does not win its value on real boards"));
    }
    let second = if twice {
        let (mass, beliefs) = second::best_response_mass(strategy, board)?;
        if mass != *response.mass() {
            return Err(Error::Internal("the two best responses differ"));
        }
        Some(beliefs)
    } else {
        None
    };
    Ok(Examined { owner: strategy.owner, bound, response, second })
}

/// What bounds say of a claim.
///
/// # Errors
/// `Internal` if the bounds contradict each other.
pub fn judge(claimed: &Interval, lower: &Bound, upper: &Bound) -> Result<Verdict, Error> {
    let (low, high) = (lower.value(), upper.value());
    if low > high {
        return Err(Error::Internal("the lower bound lies above the upper one"));
    }
    let exact = claimed.lower == claimed.upper;
    let verdict = if claimed.upper < *low || claimed.lower > *high {
        Verdict::Refuted(low.clone(), high.clone())
    } else if claimed.lower > *low || claimed.upper < *high {
        Verdict::NotProved(low.clone(), high.clone())
    } else if exact {
        Verdict::ExactValue(low.clone())
    } else {
        Verdict::ProvedBounds(claimed.lower.clone(), claimed.upper.clone())
    };
    Ok(verdict)
}

/// The bounds on the game in which Black announces an opening of his choice, from the bounds on every opening.
///
/// # Errors
/// `Malformed` at the named set file if an opening is missing, stands twice, or belongs to another game.
pub fn free_opening(
    file: &str,
    game: &Game,
    members: &[(Game, Bound, Bound)],
) -> Result<(Bound, Bound), Error> {
    let fault = |reason: String| Error::malformed(file, 0, Fault::Members(reason));
    for (member, _, _) in members {
        let same = (member.rule, member.rows, member.columns) == (game.rule, game.rows, game.columns);
        if !same || member.opening.is_none() {
            return Err(fault("a member is about another game than the set's".to_string()));
        }
    }
    for cell in game.board().cells() {
        let count = members.iter().filter(|(member, _, _)| member.opening == Some(cell)).count();
        if count != 1 {
            return Err(fault(format!(
                "{count} members for the opening {}, expected one",
                game.square(cell)
            )));
        }
    }
    // Black picks the best opening: he gets at least the best lower bound, and no opening gives more than its upper
    // one.
    let best = |bounds: &mut dyn Iterator<Item = &Bound>| bounds.map(Bound::value).max().cloned().map(Bound);
    let lower = best(&mut members.iter().map(|(_, lower, _)| lower));
    let upper = best(&mut members.iter().map(|(_, _, upper)| upper));
    lower.zip(upper).ok_or_else(|| fault("no member".to_string()))
}

/// A response as a strategy of one plan: the listed probes, and the cells in their order where nothing is left to win.
#[must_use]
pub fn as_strategy(game: Game, response: &Response) -> Strategy {
    let one = BigUint::from(1u8);
    let priority = game.board().cells().filter(|&cell| game.opening != Some(cell)).collect();
    let decisions: BTreeMap<_, _> =
        response.policy.iter().map(|(history, cell)| (*history, vec![(*cell, one.clone())])).collect();
    Strategy { game, owner: response.responder, plans: vec![Plan { priority, total: one, decisions }] }
}

/// The strategy is for the claimed game and of the right player.
fn same_game(game: &Game, owner: Player, strategy: &Strategy) -> Result<(), Error> {
    let theirs = &strategy.game;
    let square = |game: &Game| game.opening.map_or("none".to_string(), |cell| game.square(cell));
    let pairs = [
        ("rule", game.rule.to_string(), theirs.rule.to_string()),
        ("rows", game.rows.to_string(), theirs.rows.to_string()),
        ("columns", game.columns.to_string(), theirs.columns.to_string()),
        ("opening", square(game), square(theirs)),
        ("owner", owner.to_string(), strategy.owner.to_string()),
    ];
    for (what, expected, found) in pairs {
        if expected != found {
            let file = format!("{owner}'s strategy");
            return Err(Error::malformed(&file, 0, Fault::OtherGame { what, expected, found }));
        }
    }
    Ok(())
}
