//! Tests that mutated copies of this checker asked for: each fails for a change of one operator that the other tests let
//! pass, or might let pass on a bad day. `ci/mutants.md` says which.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code fails by panicking"
)]

use num_bigint::BigInt;
use num_rational::BigRational;
use verify_darkhex::board::{Board, Cell, Game, Rule};
use verify_darkhex::check::{Bound, Verdict, examine, judge};
use verify_darkhex::claim::{Interval, read_claim};
use verify_darkhex::response::{Shortcuts, best_response};
use verify_darkhex::strategy::History;
use verify_darkhex::{Error, mixture, realization};

/// Quarters.
fn quarters(count: usize) -> BigRational {
    BigRational::new(BigInt::from(count), BigInt::from(4))
}

/// A proved bound of so many quarters: a lottery of a policy that wins on 2 x 2 and of one that loses.
fn bound(count: usize) -> Bound {
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
    let strategy = mixture::read("f", text.as_bytes()).unwrap();
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
    let game = Game { rule: Rule::Classic, rows: 3, columns: 5, opening: None };
    // Every cell at every place, with both outcomes.
    for shift in 0..15 {
        for outcomes in [0u32, 0x7fff, 0x5555, 0x1234] {
            let mut history = History::EMPTY;
            for place in 0..15 {
                let cell = Cell::new((place + shift) % 15).unwrap();
                history = history.then(cell, outcomes >> place & 1 == 1);
                for bits in [5, 6] {
                    let number = history.encode(bits);
                    assert_eq!(History::decode(&number, bits, &game), Some(history), "{number}, {bits} bits");
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
