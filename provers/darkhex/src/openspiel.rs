//! Reads policies that `OpenSpiel` has serialised (`TabularPolicy::serialize`) for its `dark_hex`.
//!
//! The text is `TabularPolicy:` and then, all separated by `<~>`, an information state and its probabilities in turn:
//!
//! ```text
//! ox
//! ..
//! 4
//! 0,1 0,0 <~>2=0x1p-1,3=0x1p-1
//! ```
//!
//! An information state is the player's view of the board (x Black, o White), the number of moves that both have made,
//! and the player's own probes, oldest first. In Classic that number tells him of the opponent's collisions, which he
//! must not know, so it is dropped; then two entries may speak of one information set, and have to agree.
//!
//! Probabilities are floating-point numbers and as such multiples of powers of two. They are taken exactly as they are.
//! What their sum lacks of one is added to the greatest of them, so that masses remain multiples of a power of two;
//! scaling by the sum would make the common denominator of a large policy astronomically long.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "counts of bits are small, and negative ones are excluded before they are cast"
)]

use crate::game::{Board, Cell, Game, MAX_CELLS, Player, Rule, cells};
use crate::plan::{Fallback, History, Place, Plan, Strategy, followers, root, then};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

const SEPARATOR: &str = "<~>";

/// A number `significand * 2^exponent`.
#[derive(Clone, Debug)]
struct Dyadic {
    significand: BigInt,
    exponent: i64,
}

impl Dyadic {
    /// Reads a hexadecimal or decimal floating-point number, the latter as the double next to it.
    fn parse(text: &str) -> Option<Dyadic> {
        let Some(hexadecimal) = text.strip_prefix("0x") else {
            let bits = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)?.to_bits();
            let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
            let significand = if exponent == 0 { fraction } else { fraction | 1 << 52 };
            return Some(Dyadic { significand: significand.into(), exponent: exponent.max(1) - 1075 });
        };
        let (digits, exponent) = hexadecimal.split_once('p')?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let significand = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
        let exponent = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i64>().ok()?;
        if exponent.abs() > 1100 {
            return None;
        }
        Some(Dyadic { significand: significand.into(), exponent: exponent - 4 * fraction.len() as i64 })
    }

    /// Without factors of two in the significand.
    fn reduced(mut self) -> Dyadic {
        if self.significand.is_zero() {
            return Dyadic { significand: BigInt::zero(), exponent: 0 };
        }
        let twos = self.significand.trailing_zeros().unwrap_or(0);
        self.significand >>= twos;
        self.exponent += twos as i64;
        self
    }

    /// The number times `2^bits`, which has to be whole.
    fn scaled(&self, bits: i64) -> BigInt {
        &self.significand << (self.exponent + bits).max(0) as u64
    }
}

/// The probes at an information set as numerators over `2^bits`; they sum to that.
#[derive(Clone, Debug, PartialEq)]
struct Shares {
    bits: i64,
    numerators: BTreeMap<Cell, BigUint>,
}

struct Entry<'a> {
    text: &'a str,
    shares: Shares,
}

/// What was read, and how far the probabilities were from summing to one.
pub struct Imported {
    /// The strategy as one plan that lists every history it reaches.
    pub strategy: Strategy,
    /// The largest deviation of a sum from one, of either sign.
    pub deviation: f64,
    /// Entries of this player.
    pub entries: usize,
}

/// The strategy of one player in a serialised policy.
///
/// # Errors
/// What is wrong with the text; two entries of one information set that differ; an information set that is reached and
/// has no entry.
#[allow(clippy::float_arithmetic, reason = "the deviation is printed for people")]
pub fn read(text: &str, rule: Rule, owner: Player) -> Result<Imported, String> {
    let body = text.strip_prefix("TabularPolicy:").ok_or("expected TabularPolicy:")?;
    let parts: Vec<&str> = body.split(SEPARATOR).collect();
    let mut game = None;
    let mut entries: BTreeMap<History, Entry<'_>> = BTreeMap::new();
    let (mut deviation, mut count) = (0.0_f64, 0);
    for pair in parts.chunks(2) {
        let [state, probabilities] = pair else {
            return Err("an information state without probabilities".into());
        };
        let wrong = |reason: &str| format!("{reason} in {state:?}");
        let (found, player, history) = information_state(state, rule).ok_or_else(|| wrong("unknown form"))?;
        if *game.get_or_insert(found) != found {
            return Err(wrong("another board"));
        }
        if player != owner {
            continue;
        }
        count += 1;
        let (shares, off) = shares(probabilities).ok_or_else(|| wrong("unknown probabilities"))?;
        deviation = deviation.max(off);
        let entry = Entry { text: state, shares };
        if let Some(earlier) = entries.get(&history).filter(|earlier| earlier.shares != entry.shares) {
            return Err(format!(
                "one information set with different probabilities:\n{:?}\n{:?}",
                earlier.text, entry.text
            ));
        }
        entries.insert(history, entry);
    }
    let game = game.ok_or("a policy without entries")?;
    let plan = plan(&Board::new(game), owner, &entries)?;
    Ok(Imported { strategy: Strategy { game, owner, plans: vec![plan] }, deviation, entries: count })
}

/// The board, the player and his history that an information state tells.
fn information_state(state: &str, rule: Rule) -> Option<(Game, Player, History)> {
    let mut lines: Vec<&str> = state.split('\n').collect();
    let (tried, moves, view) = (lines.pop()?, lines.pop()?, lines);
    let (rows, columns) = (view.len(), view.first()?.len());
    let uneven = view.iter().any(|row| row.len() != columns);
    if columns == 0 || uneven || rows.checked_mul(columns).is_none_or(|cells| cells > MAX_CELLS) {
        return None;
    }
    let view = view.concat();
    let mut player = None;
    let mut history = 0;
    let mut closed = 0;
    for probe in tried.split_whitespace() {
        let (who, cell) = probe.split_once(',')?;
        let who = match who {
            "0" => Player::Black,
            "1" => Player::White,
            _ => return None,
        };
        if *player.get_or_insert(who) != who {
            return None;
        }
        let cell: Cell = cell.parse().ok()?;
        let success = match (who, view.as_bytes().get(cell)?) {
            (Player::Black, b'x') | (Player::White, b'o') => true,
            (Player::Black, b'o') | (Player::White, b'x') => false,
            _ => return None,
        };
        if closed >> cell & 1 == 1 {
            return None;
        }
        closed |= 1 << cell;
        history = then(history, cell, success);
    }
    // Before a player's first probe nothing but the number of moves tells who he is.
    let player = match (player, moves) {
        (Some(player), _) => player,
        (None, "0") => Player::Black,
        (None, "1") => Player::White,
        (None, _) => return None,
    };
    Some((Game { rule, rows, columns, opening: None }, player, history))
}

/// The probabilities with the greatest one made good, and what their sum was off.
#[allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "the deviation is printed for people"
)]
fn shares(text: &str) -> Option<(Shares, f64)> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (cell, probability) = part.split_once('=')?;
        numbers.push((cell.parse::<Cell>().ok()?, Dyadic::parse(probability)?.reduced()));
    }
    let bits = numbers.iter().map(|(_, number)| -number.exponent).max()?.max(0);
    let mut numerators: BTreeMap<Cell, BigInt> = BTreeMap::new();
    for (cell, number) in &numbers {
        if *cell >= MAX_CELLS || numerators.insert(*cell, number.scaled(bits)).is_some() {
            return None;
        }
    }
    let whole = BigInt::from(1) << bits as u64;
    let off: BigInt = &whole - numerators.values().sum::<BigInt>();
    let greatest = *numerators.iter().max_by_key(|(_, numerator)| (*numerator).clone())?.0;
    *numerators.get_mut(&greatest)? += &off;
    let mut positive = BTreeMap::new();
    for (cell, numerator) in numerators {
        if numerator.is_negative() {
            return None;
        }
        if !numerator.is_zero() {
            positive.insert(cell, numerator.to_biguint()?);
        }
    }
    // Sixty-two bits of the quotient are enough to print it.
    let scaled = (off.abs() << 62u32) / &whole;
    let deviation = u64::try_from(scaled).unwrap_or(u64::MAX) as f64 / (1u64 << 62) as f64;
    // The same probabilities have to look the same, however they were written.
    let common = positive.values().filter_map(BigUint::trailing_zeros).min()?.min(bits as u64);
    let numerators = positive.into_iter().map(|(cell, numerator)| (cell, numerator >> common)).collect();
    Some((Shares { bits: bits - common as i64, numerators }, deviation))
}

/// The plan of all histories that are reached with positive mass. Its total is the power of two that keeps every mass
/// whole.
fn plan(board: &Board, owner: Player, entries: &BTreeMap<History, Entry<'_>>) -> Result<Plan, String> {
    let start = root(&board.game, owner);
    let mut listed = BTreeMap::new();
    let mut most = 0;
    // Masses as numerators over powers of two.
    let mut todo: Vec<(Place, BigUint, i64)> = vec![(start, BigUint::from(1u32), 0)];
    while let Some((place, mass, bits)) = todo.pop() {
        let entry = entries.get(&place.history).ok_or_else(|| {
            format!(
                "no entry for the reached history {:?} (cell, success)",
                crate::plan::probes(place.history)
            )
        })?;
        let open = board.game.full() & !place.known.closed();
        let after = bits + entry.shares.bits;
        most = most.max(after);
        let mut shares = Vec::new();
        for (&cell, numerator) in &entry.shares.numerators {
            if !cells(open).any(|open| open == cell) {
                return Err(format!("cell {cell} cannot be probed in {:?}", entry.text));
            }
            let mass = &mass * numerator;
            for next in followers(board, owner, place, cell) {
                todo.push((next, mass.clone(), after));
            }
            shares.push((cell, mass));
        }
        listed.insert(place.history, (shares, after));
    }
    let scaled = |(history, (shares, bits)): (History, (Vec<(Cell, BigUint)>, i64))| {
        let shift = (most - bits) as u64;
        (history, shares.into_iter().map(|(cell, mass)| (cell, mass << shift)).collect())
    };
    Ok(Plan {
        total: BigUint::from(1u32) << most as u64,
        listed: listed.into_iter().map(scaled).collect(),
        fallback: Fallback::Priority(Vec::new()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numerators(text: &str) -> (Vec<u64>, i64, f64) {
        let (shares, off) = shares(text).unwrap();
        (shares.numerators.values().map(|part| part.try_into().unwrap()).collect(), shares.bits, off)
    }

    #[test]
    fn hexadecimal_and_decimal_numbers_are_taken_exactly() {
        assert_eq!(numerators("0=0x1p-2,3=0x1.8p-1"), (vec![1, 3], 2, 0.0));
        assert_eq!(numerators("0=0.25,3=0.75"), (vec![1, 3], 2, 0.0));
        assert_eq!(numerators("2=0x1p+0,1=0x0p+0"), (vec![1], 0, 0.0));
    }

    #[test]
    fn what_a_sum_lacks_goes_to_the_greatest() {
        assert_eq!(numerators("0=0x1p-3,1=0x1p-1,2=0x1p-2"), (vec![1, 5, 2], 3, 0.125));
    }

    #[test]
    fn malformed_probabilities_are_refused() {
        for text in ["", "0", "0=", "0=x", "0=-0.5,1=1.5", "0=0.5,0=0.5", "0=nan", "0=0x1p+9999", "77=1"] {
            assert!(shares(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_collision_is_told_from_a_success_by_the_view() {
        let (game, player, history) = information_state("ox\n..\n4\n0,1 0,0 ", Rule::Abrupt).unwrap();
        assert_eq!((game.rows, game.columns, player), (2, 2, Player::Black));
        assert_eq!(history, then(then(0, 1, true), 0, false));
    }

    #[test]
    fn in_classic_entries_that_differ_by_the_leaked_count_have_to_agree() {
        let entry = |count: u32, share: &str| format!("x.\n..\n{count}\n1,0 <~>{share}");
        let text = |one: &str, other: &str| format!("TabularPolicy:{}<~>{}", entry(2, one), entry(3, other));
        let refusal = |one, other| read(&text(one, other), Rule::Classic, Player::White).err().unwrap();
        let disagreeing = refusal("1=0x1p+0", "1=0x1p-1,2=0x1p-1");
        assert!(disagreeing.contains("different probabilities"), "{disagreeing}");
        assert!(disagreeing.contains("\\n2\\n") && disagreeing.contains("\\n3\\n"), "{disagreeing}");
        let agreeing = refusal("1=0x1p+0", "1=1.0");
        assert!(agreeing.contains("no entry for the reached history"), "{agreeing}");
    }
}
