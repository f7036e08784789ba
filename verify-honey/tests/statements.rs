//! What follows from values: the figures of a claim, counted from a table of values, against plain counting. On a
//! smaller board, with values by lot, so that every figure is a number of its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::Random;
use std::collections::BTreeMap;
use verify_honey::board::{Board, Mask, Puzzle};
use verify_honey::enumerate::enumerate;
use verify_honey::error::{Failure, Reason};
use verify_honey::positions::{EarlyHint, Positions};
use verify_honey::proof::{
    By, Step, Task, Values, assume_derivation, assume_list, back_up, derive, joint, judge, parse_list,
    parse_proof_set,
};
use verify_honey::rules::{Rule, Value};
use verify_honey::run::{Results, Settings, solve};
use verify_honey::solver::Shortcuts;
use verify_honey::text::{Claim, Side};

/// Values by position.
#[derive(Clone)]
struct Table(BTreeMap<Mask, Value>);

impl Values for Table {
    fn value(&self, key: Mask) -> Option<Value> {
        self.0.get(&key).copied()
    }
}

/// Three islands of three cells on a board of 19: 509 solutions.
fn positions() -> Positions {
    let board = Board::new(2).unwrap();
    let puzzle = Puzzle { radius: 2, islands: 3, island_size: 3 };
    let found = enumerate(&board, puzzle, true).unwrap().solutions;
    let positions = Positions::new(board, found).unwrap();
    assert_eq!([0, 1, 2, 3].map(|depth| positions.at(depth).count()), [1, 4, 22, 100]);
    positions
}

#[test]
fn a_hint_before_the_third_stone_is_a_fault() {
    // Cell 0 is black in both; each stone determines a second cell.
    for (depth, solutions) in [vec![0b0011, 0b0101], vec![0b0011, 0b1100]].into_iter().enumerate() {
        let Err(EarlyHint(mask)) = Positions::new(Board::new(2).unwrap(), solutions) else {
            panic!("{depth}")
        };
        assert_eq!(mask.count_ones() as usize, depth + 1);
    }
}

/// Values for all positions: lost, if none leads to a lost one.
fn values(positions: &Positions, seed: u64) -> Table {
    let mut random = Random(seed);
    let mut table = BTreeMap::new();
    for position in positions.at(3) {
        // One in four is lost, so that positions of both kinds come up at each depth.
        let value = if random.below(4) == 0 { Value::Lost } else { Value::Won };
        table.insert(position.determined, value);
    }
    for depth in [2, 1, 0] {
        for position in positions.at(depth) {
            let lost = position.moves.iter().any(|(_, child)| table[child] == Value::Lost);
            table.insert(position.determined, if lost { Value::Won } else { Value::Lost });
        }
    }
    Table(table)
}

fn count(positions: &Positions, table: &Table, depth: usize, value: Value) -> u64 {
    positions.at(depth).filter(|position| table.0[&position.determined] == value).count() as u64
}

/// Moves to lost positions, and all moves.
fn moves(positions: &Positions, table: &Table, depth: usize) -> (u64, u64) {
    let of_won = positions.at(depth).filter(|p| depth == 0 || table.0[&p.determined] == Value::Won);
    let all: Vec<Mask> = of_won.flat_map(|position| position.moves.iter().map(|&(_, child)| child)).collect();
    (all.iter().filter(|child| table.0[child] == Value::Lost).count() as u64, all.len() as u64)
}

/// The claim that says of each figure what is so.
fn claim(positions: &Positions, table: &Table) -> Claim {
    let pair = |depth| {
        Some((count(positions, table, depth, Value::Won), count(positions, table, depth, Value::Lost)))
    };
    Claim {
        rule: Rule::Standard,
        root: positions.at(0).map(|position| table.0[&position.determined]).next().unwrap(),
        first_moves: Some(moves(positions, table, 0)),
        depth1: positions.at(1).map(|p| (p.determined, table.0[&p.determined])).collect(),
        depth2: pair(2),
        depth3: pair(3),
        second_moves: Some(moves(positions, table, 1)),
        third_moves: Some(moves(positions, table, 2)),
        joint: None,
        line: None,
        side: Side::ProofSet("x".to_owned()),
        advice: None,
    }
}

/// Where a claim has a pair of numbers.
type Figure = fn(&mut Claim) -> &mut Option<(u64, u64)>;

/// Some tables in which won and lost positions occur at every depth below the root, and the root is of both kinds.
fn tables(positions: &Positions) -> Vec<Table> {
    let mixed = |table: &Table| {
        (1..=3).all(|depth| {
            count(positions, table, depth, Value::Won) > 0 && count(positions, table, depth, Value::Lost) > 0
        })
    };
    let found: Vec<Table> = (0..2000).map(|seed| values(positions, seed)).filter(mixed).take(5).collect();
    assert_eq!(found.len(), 5);
    found
}

#[test]
fn each_figure_of_a_claim_is_the_one_that_is_counted() {
    let positions = positions();
    for table in tables(&positions) {
        let right = claim(&positions, &table);
        let said = judge(&right, &positions, &table).unwrap();
        let named: Vec<&str> =
            said.iter().map(|(name, _)| name.as_str()).filter(|n| !n.starts_with("depth1")).collect();
        assert_eq!(named, ["root", "first-moves", "depth2", "depth3", "second-moves", "third-moves"]);
        assert_eq!(said.len(), 6 + positions.at(1).count());
        let words = |name: &str| said.iter().find(|(key, _)| key == name).unwrap().1.clone();
        assert_eq!(words("root"), right.root.to_string());
        let (won, lost) = right.depth3.unwrap();
        assert_eq!(words("depth3"), format!("{won} won {lost} lost"));
        let (wins, all) = right.third_moves.unwrap();
        assert_eq!(words("third-moves"), format!("{wins} of {all}"));

        let other = |value: Value| if value == Value::Won { Value::Lost } else { Value::Won };
        let mut wrong: Vec<(&str, Claim)> =
            vec![("root", Claim { root: other(right.root), ..right.clone() })];
        for index in 0..right.depth1.len() {
            let mut claim = right.clone();
            claim.depth1[index].1 = other(claim.depth1[index].1);
            wrong.push(("depth1-", claim));
        }
        let figures: [(&str, Figure); 5] = [
            ("first-moves", |claim| &mut claim.first_moves),
            ("depth2", |claim| &mut claim.depth2),
            ("depth3", |claim| &mut claim.depth3),
            ("second-moves", |claim| &mut claim.second_moves),
            ("third-moves", |claim| &mut claim.third_moves),
        ];
        for (name, figure) in figures {
            let (a, b) = figure(&mut right.clone()).unwrap();
            for pair in [
                (a + 1, b),
                (a, b + 1),
                (a.wrapping_sub(1), b),
                (a, b.wrapping_sub(1)),
                (a + 1, b.wrapping_sub(1)),
            ] {
                let mut claim = right.clone();
                *figure(&mut claim) = Some(pair);
                wrong.push((name, claim));
            }
        }
        for (name, claim) in wrong {
            match judge(&claim, &positions, &table) {
                Err(Failure::Refuted(what)) => assert!(what.starts_with(name), "{name}: {what}"),
                other => panic!("{name}: {other:?}"),
            }
        }
        // What is not claimed is not said.
        let less = Claim {
            first_moves: None,
            depth1: Vec::new(),
            depth2: None,
            depth3: None,
            second_moves: None,
            third_moves: None,
            ..right.clone()
        };
        assert_eq!(judge(&less, &positions, &table).unwrap().len(), 1);
        // Values after one stone are claimed for all positions in order, or for none.
        for swapped in [true, false] {
            let mut claim = right.clone();
            if swapped {
                claim.depth1.swap(0, 1);
            } else {
                claim.depth1.pop();
            }
            assert!(matches!(judge(&claim, &positions, &table), Err(Failure::Malformed { .. })));
        }
    }
}

#[test]
fn a_figure_that_rests_on_a_value_that_is_missing_is_not_proved() {
    let positions = positions();
    let table = tables(&positions).remove(0);
    let right = claim(&positions, &table);
    for depth in 0..=3 {
        for position in positions.at(depth).step_by(7) {
            let mut fewer = table.clone();
            fewer.0.remove(&position.determined);
            let judged = judge(&right, &positions, &fewer);
            assert!(matches!(judged, Err(Failure::NotProved(_))), "depth {depth}: {judged:?}");
        }
    }
}

/// A list that states the table's values after three stones.
fn list(positions: &Positions, table: &Table) -> Vec<Task> {
    let task = |(index, key): (usize, Mask)| Task {
        file: "l".to_owned(),
        line: index + 5,
        rule: Rule::Standard,
        key,
        stated: table.0[&key],
    };
    positions.at(3).map(|position| position.determined).enumerate().map(task).collect()
}

#[test]
fn values_are_backed_up_to_the_root_and_none_may_be_missing() {
    let positions = positions();
    for table in tables(&positions) {
        let mut tasks = list(&positions, &table);
        let assumed = assume_list(&tasks, &positions).unwrap();
        for &key in positions.all.keys() {
            assert_eq!(assumed.value(key), table.value(key), "{key:x}");
        }
        tasks.remove(17);
        assert!(matches!(assume_list(&tasks, &positions), Err(Failure::Internal(_))));
    }
}

#[test]
fn a_list_is_read_as_it_is_written() {
    let positions = positions();
    let table = tables(&positions).remove(0);
    let lines: Vec<String> = positions
        .at(3)
        .map(|position| format!("{} {}", position.key(Rule::Standard), table.0[&position.determined]))
        .collect();
    let (solutions, count) = (positions.solutions.len(), lines.len());
    let text = format!(
        "honey-depth3 1\nrule standard\nsolutions {solutions}\npositions {count}\n{}\nend\n",
        lines.join("\n")
    );
    let read = |text: &str| parse_list("l", text.as_bytes(), Rule::Standard, &positions);
    assert_eq!(read(&text).unwrap(), list(&positions, &table));
    for (from, to) in [
        ("end\n", "end\nend\n"),
        ("end\n", "end end\n"),
        ("end\n", ""),
        (&*format!("solutions {solutions}"), &*format!("solutions {}", solutions + 1)),
        (&*format!("positions {count}"), &*format!("positions {}", count - 1)),
        (&*format!("{}\n{}", lines[0], lines[1]), &*format!("{}\n{}", lines[1], lines[0])),
        (&*format!("{}\n", lines[3]), ""),
    ] {
        assert!(read(&text.replacen(from, to, 1)).is_err(), "{from:?} as {to:?}");
    }
    // A list that ends early: the line that is missing is named.
    let start: Vec<&str> = text.lines().take(14).collect();
    match read(&(start.join("\n") + "\n")) {
        Err(Failure::Malformed { line, .. }) => assert_eq!(line, 15),
        other => panic!("{other:?}"),
    }
}

/// A derivation of all values of the table, the positions after three stones first.
fn derivation(positions: &Positions, table: &Table) -> Vec<Step> {
    let mut steps = Vec::new();
    for depth in [3, 2, 1, 0] {
        for position in positions.at(depth) {
            let value = table.0[&position.determined];
            let lost = position.moves.iter().find(|(_, child)| table.0[child] == Value::Lost);
            let by = match lost {
                _ if depth == 3 => By::Search(value),
                Some(&(_, child)) => By::Child(child),
                None => By::Children,
            };
            steps.push(Step { line: steps.len() + 4, key: position.determined, by });
        }
    }
    steps
}

#[test]
fn each_step_of_a_derivation_needs_what_it_says() {
    let positions = positions();
    let rule = Rule::Standard;
    let mut seen = [0; 8];
    for table in tables(&positions) {
        let steps = derivation(&positions, &table);
        let assumed = assume_derivation("d", &steps, &positions, rule).unwrap();
        for &key in positions.all.keys() {
            assert_eq!(assumed.value(key), table.value(key), "{key:x}");
        }
        let mut refused = |kind: usize, steps: &[Step], line: usize, reason: Reason| {
            let failure = Failure::Rejected { file: "d".to_owned(), line, reason };
            assert_eq!(assume_derivation("d", steps, &positions, rule), Err(failure));
            seen[kind] += 1;
        };
        let name = |key: Mask| positions.all[&key].key(rule);
        for (index, step) in steps.iter().enumerate() {
            let position = &positions.all[&step.key];
            let with = |by: By| {
                let mut steps = steps.clone();
                steps[index].by = by;
                steps
            };
            let twice = [&steps[..], &[Step { line: 999, ..*step }]].concat();
            refused(0, &twice, 999, Reason::Duplicate(step.line));
            if position.depth < 3 {
                let search = By::Search(table.0[&step.key]);
                refused(1, &with(search), step.line, Reason::SearchDepth(position.depth));
                // As the first step, before any other has given a child its value.
                let first = [Step { line: 1, ..*step }];
                match step.by {
                    By::Child(_) => refused(2, &first, 1, Reason::ChildUnproved),
                    _ => refused(3, &first, 1, Reason::ChildMissing(name(position.moves[0].1))),
                }
            } else {
                let none = Reason::ChildMissing("of a position after three stones".to_owned());
                refused(4, &with(By::Children), step.line, none);
            }
            refused(5, &with(By::Child(step.key)), step.line, Reason::NoChild);
            if let Some((_, won)) = position.moves.iter().find(|(_, child)| table.0[child] == Value::Won) {
                refused(6, &with(By::Child(*won)), step.line, Reason::ChildWon);
            }
            if let By::Child(lost) = step.by {
                refused(7, &with(By::Children), step.line, Reason::ChildLost(name(lost)));
            }
        }
        let outside = [Step { line: 7, key: 1 << 60, by: By::Children }];
        refused(0, &outside, 7, Reason::Unreachable);
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}

#[test]
fn a_derivation_is_read_as_it_is_written() {
    let positions = positions();
    let table = tables(&positions).remove(0);
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let steps = derivation(&positions, &table);
        let key = |key: Mask| positions.all[&key].key(rule);
        let line = |step: &Step| match step.by {
            By::Search(value) => format!("search {} {value}\n", key(step.key)),
            By::Child(child) => format!("won {} by {}\n", key(step.key), key(child)),
            By::Children => format!("lost {}\n", key(step.key)),
        };
        let lines: String = steps.iter().map(line).collect();
        let count = positions.solutions.len();
        let text = format!("honey-proofset 1\nrule {rule}\nsolutions {count}\n{lines}end\n");
        let read = |text: &str| parse_proof_set("d", text.as_bytes(), rule, &positions);
        assert_eq!(read(&text).unwrap(), steps);
        let other = if rule == Rule::Standard { Rule::RedundantHint } else { Rule::Standard };
        for (from, to) in [
            ("honey-proofset 1", "honey-proofset 2"),
            (&*format!("rule {rule}"), &*format!("rule {other}")),
            (&*format!("solutions {count}"), &*format!("solutions {}", count - 1)),
            ("\nend\n", "\nend\nend\n"),
            ("\nend\n", "\nend 1\n"),
            ("\nend\n", "\n"),
            (" by ", " of "),
            ("lost ", "lost lost "),
            ("search ", "search 0"),
            ("search 0", "search 8"),
        ] {
            assert_ne!(text.replacen(from, to, 1), text, "{from:?} is not there");
            assert!(read(&text.replacen(from, to, 1)).is_err(), "{rule}: {from:?} as {to:?}");
        }
    }
}

#[test]
fn the_values_of_both_rules_are_counted_together() {
    let positions = positions();
    let tables = tables(&positions);
    let (a, b) = (&tables[0], &tables[1]);
    let counted = joint(&positions, a, b).unwrap();
    let both = |of_a: Value, of_b: Value| {
        let same = positions.at(3).filter(|p| (a.0[&p.determined], b.0[&p.determined]) == (of_a, of_b));
        same.count() as u64
    };
    let expected = [
        both(Value::Won, Value::Won),
        both(Value::Won, Value::Lost),
        both(Value::Lost, Value::Won),
        both(Value::Lost, Value::Lost),
    ];
    assert_eq!(counted, expected);
    assert!(counted.iter().all(|&count| count > 0) && counted[1] != counted[2], "{counted:?}");
    for side in [0, 1] {
        let mut fewer = [a.clone(), b.clone()];
        let key = positions.at(3).last().unwrap().determined;
        fewer[side].0.remove(&key);
        assert_eq!(joint(&positions, &fewer[0], &fewer[1]), Err(Failure::NotProved("joint".into())));
    }
}

/// All positions after three stones with their true values, and what a run found of them.
fn solved(positions: &Positions, rule: Rule) -> (Vec<Task>, Results) {
    let settings = Settings { threads: 1, table_bytes: 1 << 16, progress: false, shortcuts: Shortcuts::ALL };
    let keys = positions.at(3).map(|position| position.determined);
    let task = |(index, key)| Task { file: "l".to_owned(), line: index + 5, rule, key, stated: Value::Won };
    let mut tasks: Vec<Task> = keys.enumerate().map(task).collect();
    for task in &mut tasks {
        let alone = std::slice::from_ref(&*task);
        match solve(alone, positions, settings, None, Results::default(), None) {
            Ok(results) => assert_eq!(results.solved, 1),
            Err(failure) => {
                let reason = Reason::WrongValue;
                assert_eq!(failure, Failure::Rejected { file: "l".to_owned(), line: task.line, reason });
                task.stated = Value::Lost;
            }
        }
    }
    let results = solve(&tasks, positions, settings, None, Results::default(), None).unwrap();
    assert_eq!(results.found.len(), tasks.len());
    (tasks, results)
}

#[test]
fn a_statement_counts_only_if_this_run_found_the_same_under_the_same_rule() {
    let positions = positions();
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let (tasks, results) = solved(&positions, rule);
        let steps: Vec<Step> = tasks
            .iter()
            .map(|task| Step { line: task.line, key: task.key, by: By::Search(task.stated) })
            .collect();
        let assumed = assume_list(&tasks, &positions).unwrap();
        let proved = back_up(&tasks, &positions, rule, &results.found).unwrap();
        for &key in positions.all.keys() {
            assert_eq!(proved.value(key), assumed.value(key));
        }
        let derived = derive("l", &steps, &positions, rule, &results.found).unwrap();
        assert!(tasks.iter().all(|task| derived.value(task.key) == Some(task.stated)));
        assert_eq!(derived.value(0), None);

        let place = tasks.len() / 2;
        let other = if tasks[place].stated == Value::Won { Value::Lost } else { Value::Won };
        let wrong =
            Failure::Rejected { file: "l".to_owned(), line: tasks[place].line, reason: Reason::WrongValue };
        let mut forged = tasks.clone();
        forged[place].stated = other;
        assert_eq!(back_up(&forged, &positions, rule, &results.found), Err(wrong.clone()));
        let mut forged = steps.clone();
        forged[place].by = By::Search(other);
        assert_eq!(derive("l", &forged, &positions, rule, &results.found), Err(wrong));

        let mut fewer = results.found.clone();
        fewer.remove(&(rule, tasks[place].key));
        let mut of_the_other_rule = results.found.clone();
        let found = of_the_other_rule.remove(&(rule, tasks[place].key)).unwrap();
        let other_rule = if rule == Rule::Standard { Rule::RedundantHint } else { Rule::Standard };
        of_the_other_rule.insert((other_rule, tasks[place].key), found);
        for found in [fewer, of_the_other_rule] {
            assert!(matches!(back_up(&tasks, &positions, rule, &found), Err(Failure::Internal(_))));
            let derived = derive("l", &steps, &positions, rule, &found);
            assert!(matches!(derived, Err(Failure::Internal(_))));
        }
    }
}

#[test]
fn the_nodes_of_the_enumeration_are_counted_and_dead_states_are_not_searched_again() {
    let board = Board::new(2).unwrap();
    let puzzle = Puzzle { radius: 2, islands: 2, island_size: 3 };
    let [with, without] = [true, false].map(|memo| enumerate(&board, puzzle, memo).unwrap());
    assert_eq!(with.solutions, without.solutions);
    // Each solution is a node of its own.
    assert!(with.nodes > with.solutions.len() as u64, "{}", with.nodes);
    assert!(with.nodes <= without.nodes, "{} {}", with.nodes, without.nodes);
}
