//! Tests that mutated copies of this checker asked for: each fails for a change of one operator that the other tests
//! let pass, or might let pass on a bad day. `ci/mutants.md` says which.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code fails by panicking"
)]

use num_bigint::BigInt;
use num_rational::BigRational;
use verify_darkhex::board::{Board, Cell, Game, Player, Rule};
use verify_darkhex::check::{Bound, Verdict, check, examine, free_opening, judge};
use verify_darkhex::claim::{Claim, Interval, read_claim};
use verify_darkhex::response::{Shortcuts, best_response};
use verify_darkhex::strategy::{History, Strategy};
use verify_darkhex::{Error, mixture, realization};

/// Quarters.
fn quarters(count: usize) -> BigRational {
    BigRational::new(BigInt::from(count), BigInt::from(4))
}

/// A lottery of a policy that wins on 2 x 2, with so many quarters, and of one that loses.
fn lottery(count: usize) -> Strategy {
    let policies: Vec<String> = [(count, "1 2 3 0"), (4 - count, "0 1 2 3")]
        .iter()
        .filter(|(weight, _)| *weight > 0)
        .map(|(weight, order)| format!("POLICY {weight}\nPRIORITY {order}\nDECISIONS 0\nEND\n"))
        .collect();
    let text = format!(
        "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOWNER BLACK\nPOLICIES {}\n{}DONE\n",
        policies.len(),
        policies.concat()
    );
    mixture::read("f", text.as_bytes()).unwrap()
}

/// A proved bound of so many quarters.
fn bound(count: usize) -> Bound {
    let strategy = lottery(count);
    let bound = examine(&strategy, &Board::new(&strategy.game), true).unwrap().bound;
    assert_eq!(*bound.value(), quarters(count));
    bound
}

#[test]
fn each_claim_is_judged_by_each_pair_of_bounds_as_intervals_demand() {
    let bounds: Vec<Bound> = (0..=4).map(bound).collect();
    let mut seen = [0; 5];
    for (low, lower) in bounds.iter().enumerate() {
        for (high, upper) in bounds.iter().enumerate() {
            for from in 0..=4 {
                for to in from..=4 {
                    let claimed = Interval { lower: quarters(from), upper: quarters(to) };
                    let verdict = judge(&claimed, lower, upper);
                    // Sets of points, quarter by quarter and between them: eighths.
                    let proved: Vec<usize> = (2 * low..=2 * high).collect();
                    let stated: Vec<usize> = (2 * from..=2 * to).collect();
                    let kind = if proved.is_empty() {
                        assert!(matches!(verdict, Err(Error::Internal(_))));
                        0
                    } else if proved.iter().all(|point| stated.contains(point)) {
                        if from == to {
                            assert_eq!(verdict, Ok(Verdict::ExactValue(quarters(from))));
                            1
                        } else {
                            assert_eq!(verdict, Ok(Verdict::ProvedBounds(quarters(from), quarters(to))));
                            2
                        }
                    } else if proved.iter().any(|point| stated.contains(point)) {
                        assert_eq!(verdict, Ok(Verdict::NotProved(quarters(low), quarters(high))));
                        3
                    } else {
                        assert_eq!(verdict, Ok(Verdict::Refuted(quarters(low), quarters(high))));
                        4
                    };
                    seen[kind] += 1;
                }
            }
        }
    }
    assert_eq!(seen.iter().sum::<i32>(), 25 * 15);
    assert!(seen.iter().all(|&count| count >= 5), "{seen:?}");
}

/// The shortcuts are there to save work. One that has come to save nothing, or that saves too much, shows in the number
/// of beliefs; what it must not change is the mass.
#[test]
fn each_shortcut_saves_beliefs_and_changes_no_mass() {
    let path = |name: &str| format!("{}/../certificates/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path("classic-3x4/black-lower.mix")).unwrap();
    let strategy = mixture::read("f", &text).unwrap();
    let board = Board::new(&strategy.game);
    let run = |shortcuts| best_response(&strategy, &board, shortcuts).unwrap();
    let all = run(Shortcuts::default());
    assert!(all.counters.beliefs > 100);
    for shortcuts in [
        Shortcuts { certain: false, ..Shortcuts::default() },
        Shortcuts { forced: false, ..Shortcuts::default() },
        Shortcuts { bounds: false, ..Shortcuts::default() },
    ] {
        let without = run(shortcuts);
        assert_eq!(without.mass(), all.mass());
        assert!(without.counters.beliefs > all.counters.beliefs, "{:?}", without.counters);
    }
}

#[test]
fn under_abrupt_only_the_bounds_are_a_shortcut() {
    let path = |name: &str| format!("{}/../certificates/{name}", env!("CARGO_MANIFEST_DIR"));
    for side in ["black-lower", "white-upper"] {
        let text = std::fs::read(path(&format!("abrupt-3x3-public/b1/{side}.mix"))).unwrap();
        let strategy = mixture::read("f", &text).unwrap();
        let board = Board::new(&strategy.game);
        let run = |shortcuts| best_response(&strategy, &board, shortcuts).unwrap();
        let all = run(Shortcuts::default());
        for shortcuts in [
            Shortcuts { certain: false, ..Shortcuts::default() },
            Shortcuts { forced: false, ..Shortcuts::default() },
        ] {
            let without = run(shortcuts);
            assert_eq!((without.mass(), without.counters), (all.mass(), all.counters));
        }
        let without = run(Shortcuts { bounds: false, ..Shortcuts::default() });
        assert_eq!(without.mass(), all.mass());
        assert!(without.counters.beliefs > all.counters.beliefs);
    }
}

#[test]
fn a_board_of_sixteen_cells_is_read_and_one_of_seventeen_declined() {
    for (rows, columns, is_read) in [
        (4, 4, true),
        (2, 8, true),
        (8, 2, true),
        (16, 1, true),
        (17, 1, false),
        (1, 17, false),
        (2, 9, false),
    ] {
        let cells: usize = rows * columns;
        let claim = format!(
            "claim 1\ngame dark-hex\nrule classic\nrows {rows}\ncolumns {columns}\nopening none\nvalue 1/3\n\
             black b.realization\nwhite none\nrotate no\n"
        );
        let order: Vec<String> = (0..cells).map(|cell| cell.to_string()).collect();
        let plan = format!(
            "DARKHEX_REALIZATION\nROWS {rows}\nCOLUMNS {columns}\nMODE STANDARD\nOPENING none\nOWNER BLACK\n\
             PLANS 1\nPLAN\nPRIORITY {}\nTOTAL 1\nHISTORIES 0\nEND\nDONE\n",
            order.join(" ")
        );
        let errors = [
            read_claim("f", claim.as_bytes()).map(|_| ()),
            realization::read("f", plan.as_bytes()).map(|_| ()),
        ];
        for result in errors {
            match result {
                Ok(()) => assert!(is_read, "{rows} x {columns}"),
                Err(error) => {
                    assert!(!is_read, "{rows} x {columns}: {error}");
                    assert_eq!(error.to_string(), format!("limit a board of {cells} cells, at most 16"));
                }
            }
        }
    }
}

#[test]
fn the_number_of_a_history_is_read_back_as_that_history() {
    // Five bits hold the probes of 15 cells.
    for (rows, columns, widths) in [(3, 5, &[5, 6][..]), (4, 4, &[6])] {
        let game = Game { rule: Rule::Classic, rows, columns, opening: None };
        let cells = rows * columns;
        // Every cell at every place, with both outcomes.
        for shift in 0..cells {
            for outcomes in [0u32, 0xffff, 0x5555, 0x1234] {
                let mut history = History::EMPTY;
                for place in 0..cells {
                    let cell = Cell::new((place + shift) % cells).unwrap();
                    history = history.then(cell, outcomes >> place & 1 == 1);
                    for &bits in widths {
                        let number = history.encode(bits);
                        let read = History::decode(&number, bits, &game);
                        assert_eq!(read, Some(history), "{number}, {bits} bits");
                    }
                }
            }
        }
    }
}

#[test]
fn the_opening_of_a_claim_is_the_square_that_it_names() {
    for (square, cell) in
        [("none", None), ("a1", Some(0)), ("d1", Some(3)), ("b3", Some(9)), ("d3", Some(11))]
    {
        let claim = format!(
            "claim 1\ngame dark-hex\nrule classic\nrows 3\ncolumns 4\nopening {square}\nvalue 1/3\n\
             black b.realization\nwhite none\nrotate no\n"
        );
        let game = read_claim("f", claim.as_bytes()).unwrap().game;
        let expected = Game { rule: Rule::Classic, rows: 3, columns: 4, opening: cell.and_then(Cell::new) };
        assert_eq!(game, expected, "{square}");
    }
}

/// A claim on 2 x 2 with two strategies.
fn claim_of(value: &str, rotate: &str) -> Claim {
    let claim = format!(
        "claim 1\ngame dark-hex\nrule classic\nrows 2\ncolumns 2\nopening none\nvalue {value}\n\
         black b.mix\nwhite w.mix\nrotate {rotate}\n"
    );
    read_claim("f", claim.as_bytes()).unwrap()
}

/// A policy of White's on 2 x 2.
fn white(order: &str) -> Strategy {
    let text = format!(
        "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOWNER WHITE\nPOLICIES 1\n\
         POLICY 1\nPRIORITY {order}\nDECISIONS 0\nEND\nDONE\n"
    );
    mixture::read("f", text.as_bytes()).unwrap()
}

#[test]
fn strategies_may_play_each_other_at_either_bound() {
    for count in 0..=4 {
        // The first order beats the policy that loses and no other; the second one beats none.
        for (order, cross) in [("2 1 3 0", quarters(count)), ("0 1 2 3", quarters(4))] {
            for (rotate, turned) in [("no", false), ("yes", true)] {
                let turn = |strategy: Strategy| if turned { strategy.rotated() } else { strategy };
                let (black, white) = (turn(lottery(count)), turn(white(order)));
                let value = if count == 4 { "1" } else { "1/3" };
                let checked = check(&claim_of(value, rotate), Some(&black), Some(&white), true).unwrap();
                assert_eq!((checked.lower.value(), checked.upper.value()), (&quarters(count), &quarters(4)));
                assert_eq!(checked.cross_play, Some(cross.clone()));
                let verdict = match count {
                    4 => Verdict::ExactValue(quarters(4)),
                    // A third lies below the lower bound, or the bounds do not reach it.
                    2 | 3 => Verdict::Refuted(quarters(count), quarters(4)),
                    _ => Verdict::NotProved(quarters(count), quarters(4)),
                };
                assert_eq!(checked.verdict, verdict);
                // One strategy alone: the other bound is the trivial one, and nobody is played against.
                let alone = check(&claim_of(value, rotate), Some(&black), None, false).unwrap();
                assert_eq!((alone.lower.value(), alone.upper.value()), (&quarters(count), &quarters(4)));
                assert!(alone.cross_play.is_none() && alone.white.is_none());
                let alone = check(&claim_of(value, rotate), None, Some(&white), false).unwrap();
                assert_eq!((alone.lower.value(), alone.upper.value()), (&quarters(0), &quarters(4)));
                assert!(alone.cross_play.is_none() && alone.black.is_none());
            }
        }
    }
}

#[test]
fn half_a_turn_takes_the_opening_and_every_cell_with_it() {
    let text = "DARKHEX_OPENING_MIXTURE\nROWS 2\nCOLUMNS 3\nMODE STANDARD\nOPENING b1\nOWNER WHITE\nPOLICIES 1\n\
                POLICY 1\nPRIORITY 0 2 5 3 4\nDECISIONS 0\nEND\nDONE\n";
    let strategy = mixture::read("f", text.as_bytes()).unwrap();
    let turned = strategy.rotated();
    let cells = |cells: &[usize]| cells.iter().map(|&cell| Cell::new(cell).unwrap()).collect::<Vec<_>>();
    assert_eq!(turned.game, Game { opening: Cell::new(4), ..strategy.game });
    assert_eq!(turned.owner, Player::White);
    assert_eq!(turned.plans[0].priority, cells(&[5, 3, 0, 2, 1]));
    assert_eq!(turned.rotated(), strategy);
    assert!(!strategy.is_rotation_invariant() && !turned.is_rotation_invariant());
}

#[test]
fn an_opening_that_ends_the_game_is_refused_in_claims_and_strategies() {
    for (rows, columns, is_read) in [(1, 4, false), (2, 4, true)] {
        let claim = format!(
            "claim 1\ngame dark-hex\nrule classic\nrows {rows}\ncolumns {columns}\nopening b1\nvalue 1/3\n\
             black b.mix\nwhite none\nrotate no\n"
        );
        assert_eq!(read_claim("f", claim.as_bytes()).is_ok(), is_read);
        let order: Vec<String> =
            (0..rows * columns).filter(|cell| *cell != 1).map(|cell| cell.to_string()).collect();
        let text = format!(
            "DARKHEX_OPENING_MIXTURE\nROWS {rows}\nCOLUMNS {columns}\nMODE STANDARD\nOPENING b1\nOWNER WHITE\n\
             POLICIES 1\nPOLICY 1\nPRIORITY {}\nDECISIONS 0\nEND\nDONE\n",
            order.join(" ")
        );
        assert_eq!(mixture::read("f", text.as_bytes()).is_ok(), is_read);
    }
}

#[test]
fn a_free_opening_is_worth_the_best_opening_and_needs_each_of_them_once() {
    let game = Game { rule: Rule::Classic, rows: 2, columns: 2, opening: None };
    let member = |cell: usize, low: usize, high: usize| {
        (Game { opening: Cell::new(cell), ..game }, bound(low), bound(high))
    };
    let right = [member(0, 1, 2), member(1, 0, 3), member(2, 2, 2), member(3, 0, 1)];
    let (lower, upper) = free_opening("s", &game, &right).unwrap();
    assert_eq!((lower.value(), upper.value()), (&quarters(2), &quarters(3)));
    let refused = |members: &[(Game, Bound, Bound)], words: &str| {
        let error = free_opening("s", &game, members).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    for index in 0..4 {
        let mut fewer = right.to_vec();
        let left_out = fewer.remove(index);
        refused(&fewer, &format!("0 members for the opening {}", ["a1", "b1", "a2", "b2"][index]));
        refused(&[&right[..], std::slice::from_ref(&left_out)].concat(), "2 members for the opening");
        for other in [
            Game { rule: Rule::Abrupt, ..left_out.0 },
            Game { rows: 3, ..left_out.0 },
            Game { columns: 3, ..left_out.0 },
            Game { opening: None, ..left_out.0 },
        ] {
            let mut members = right.to_vec();
            members[index].0 = other;
            refused(&members, "a member is about another game");
            // As one more than those that are due.
            members[index].0 = left_out.0;
            members.push((other, bound(4), bound(4)));
            refused(&members, "a member is about another game");
        }
    }
    refused(&[], "0 members for the opening a1");
}
