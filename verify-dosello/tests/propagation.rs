//! Intervals, leaf files and the tree against definitions: every line of the propagation has a test that needs seconds
//! and no certificate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod common;

use common::{alpha_beta, random_game};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use verify_dosello::error::{Error, Reason};
use verify_dosello::leaves::{Leaves, parse_leaves, parse_proof_set};
use verify_dosello::rules::{Move, Position, SCORE_LIMIT, Side};
use verify_dosello::search::{Bound, Solver};
use verify_dosello::table::Table;
use verify_dosello::text::{MOVE_LIMIT, Text};
use verify_dosello::tree::{Assumed, Interval, ProvedFacts, Tree};

/// Scores at both ends, in the middle, and next to them.
const SCORES: [i32; 9] = [-64, -62, -4, -2, 0, 2, 4, 62, 64];

/// The scores of an interval, one by one.
fn set(interval: Interval) -> BTreeSet<i32> {
    (-64..=64).filter(|score| (interval.lower()..=interval.upper()).contains(score)).collect()
}

fn all_intervals() -> Vec<Interval> {
    let pairs = SCORES.iter().flat_map(|&lower| SCORES.iter().map(move |&upper| (lower, upper)));
    pairs.filter_map(|(lower, upper)| Interval::new(lower, upper)).collect()
}

#[test]
fn intervals_are_sets_of_scores_and_never_empty() {
    for lower in SCORES {
        for upper in SCORES {
            let made = Interval::new(lower, upper);
            assert_eq!(made.is_some(), lower <= upper, "{lower} {upper}");
            assert_eq!(
                made.map(|interval| (interval.lower(), interval.upper())),
                made.map(|_| (lower, upper))
            );
        }
    }
    assert_eq!(set(Interval::ALL).len(), 129);
    for a in all_intervals() {
        assert_eq!(set(a.negated()), set(a).into_iter().map(|score| -score).collect());
        for b in all_intervals() {
            let both: BTreeSet<i32> = set(a).intersection(&set(b)).copied().collect();
            assert_eq!(a.intersection(b).map(set), Some(both).filter(|both| !both.is_empty()), "{a} and {b}");
            assert_eq!(a.lies_in(b), set(a).is_subset(&set(b)), "{a} in {b}");
        }
    }
}

#[test]
fn an_interval_is_what_its_bounds_say_together() {
    for interval in all_intervals() {
        let bounds: Vec<Bound> = interval.bounds().collect();
        let together = bounds
            .iter()
            .fold(Interval::ALL, |known, &bound| known.intersection(Interval::of(bound).unwrap()).unwrap());
        assert_eq!(together, interval);
        // Nothing is stated that says nothing.
        let says_much = usize::from(interval.lower() > -64) + usize::from(interval.upper() < 64);
        assert_eq!(bounds.len(), says_much, "{interval}");
    }
    for score in SCORES {
        let at_least: BTreeSet<i32> = (score..=64).collect();
        let at_most: BTreeSet<i32> = (-64..=score).collect();
        assert_eq!(Interval::of(Bound::AtLeast(score)).map(set), Some(at_least));
        assert_eq!(Interval::of(Bound::AtMost(score)).map(set), Some(at_most));
    }
    assert_eq!((Interval::of(Bound::AtLeast(66)), Interval::of(Bound::AtMost(-66))), (None, None));
}

/// The images of a position under the half turn, which the initial position has, and the reflection in a diagonal.
fn turned(position: &Position) -> Position {
    let half = |squares: u64| squares.reverse_bits();
    Position {
        black: half(position.black),
        white: half(position.white),
        // The left square of a domino becomes its right one.
        left: half(position.left) >> 1,
        top: half(position.top) >> 8,
        turn: position.turn,
    }
}

#[test]
fn statements_on_one_position_and_its_images_are_intersected() {
    let position = after(&["f3-f4"]);
    assert_ne!(turned(&position), position);
    let mut facts = Assumed::default();
    assert_eq!(facts.of(&position), Interval::ALL);
    let interval = |lower, upper| Interval::new(lower, upper).unwrap();
    assert_eq!(facts.add(&position, interval(-2, 8)), Ok(()));
    assert_eq!((facts.of(&position), facts.of(&turned(&position))), (interval(-2, 8), interval(-2, 8)));
    assert_eq!(facts.add(&turned(&position), interval(-64, 4)), Ok(()));
    assert_eq!(facts.of(&position), interval(-2, 4));
    assert_eq!(facts.add(&position, interval(6, 64)), Err(Reason::Contradiction));
    assert_eq!(facts.of(&position), interval(-2, 4));
    assert_eq!(facts.of(&after(&["c3-d3"])), Interval::ALL);
}

fn after(line: &[&str]) -> Position {
    let play = |position: Position, step: &&str| position.play(Move::parse(step).unwrap()).unwrap();
    line.iter().fold(Position::initial(), play)
}

fn leaves(lines: &str) -> Result<Leaves, Error> {
    parse_leaves(&Text::new("l", format!("leaves 1\n{lines}\n").into_bytes()))
}

fn words(error: &Error) -> (Option<Reason>, String) {
    (error.reason(), error.to_string())
}

#[test]
fn a_leaf_is_its_position_and_interval() {
    let read = leaves(
        "leaf f3-f4 e6-f6 interval -4 2 origin x nodes 0\nleaf f3-f4 e6-f6 interval -2 64 origin x nodes 0\n\
         leaf f3-f4 interval 2 2 origin x nodes 0",
    );
    let read = read.unwrap();
    assert_eq!((read.lines.len(), read.positions), (3, 2));
    let (moves, positions) = &read.lines[0];
    assert_eq!(*moves, ["f3-f4", "e6-f6"]);
    assert_eq!(*positions, [Position::initial(), after(&["f3-f4"]), after(&["f3-f4", "e6-f6"])]);
    assert_eq!(read.stated.of(&after(&["f3-f4", "e6-f6"])), Interval::new(-2, 2).unwrap());
    let units: Vec<String> = read.units().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(units, ["f3-f4_e6-f6_ge-2", "f3-f4_e6-f6_le2", "f3-f4_ge2", "f3-f4_le2"]);
}

#[test]
fn each_fault_of_a_leaf_file_has_its_reason_and_line() {
    let good = "leaf f3-f4 interval -2 2 origin a-b9 nodes 7";
    assert!(leaves(good).is_ok());
    let edit = |from: &str, to: &str| good.replacen(from, to, 1);
    for (text, reason, place) in [
        (edit(" f3-f4", ""), Reason::Malformed, "l line 2: expected a line of moves"),
        (edit("leaf", "leave"), Reason::Malformed, "line 2: expected: leaf MOVES interval"),
        (edit("interval", "internal"), Reason::Malformed, "line 2: expected: leaf MOVES interval"),
        (edit(" nodes 7", ""), Reason::Malformed, "line 2: expected: leaf MOVES interval"),
        (edit("a-b9", "a_b"), Reason::Malformed, "line 2: expected: leaf MOVES interval"),
        (edit("nodes 7", "nodes 07"), Reason::Malformed, "line 2: expected: leaf MOVES interval"),
        (edit("nodes 7", "nodes -7"), Reason::Malformed, "line 2: expected: leaf MOVES interval"),
        (edit("f3-f4", "f3-f5"), Reason::IllegalLine, "line 2: f3-f5 is no move"),
        (edit("f3-f4", "a1-a2"), Reason::IllegalLine, "line 2: move 1 (a1-a2) is illegal"),
        (edit("-2 2", "-2 3"), Reason::NotAScore, "line 2: 3: expected an even number"),
        (edit("-2 2", "-66 2"), Reason::NotAScore, "line 2: -66: expected an even number"),
        (edit("-2 2", "-2 x"), Reason::Malformed, "line 2: x: expected an even number"),
        (edit("-2 2", "2 -2"), Reason::EmptyInterval, "line 2: the ends are exchanged"),
        (format!("{good}\n{good}"), Reason::Duplicate, "line 3: the same line stands above"),
        (format!("{good}\n{}", edit("-2 2", "4 6")), Reason::Contradiction, "line 3: no value lies"),
    ] {
        let (found, text_of) = words(&leaves(&text).err().unwrap());
        assert!(found == Some(reason) && text_of.contains(place), "{text}: {text_of}");
    }
    for text in ["", "leaves 2\n", "leaf\n", "leaves 1 1\n"] {
        assert_eq!(
            parse_leaves(&Text::new("l", text.as_bytes().to_vec())).err().unwrap().reason(),
            Some(Reason::Malformed),
            "{text}"
        );
    }
}

/// A legal line of so many moves.
fn long_line(moves: usize) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    loop {
        let game = random_game(&mut random);
        if game.len() > moves {
            let step = |pair: &[Position]| {
                let found = pair[0].moves().into_iter().find(|(_, next)| *next == pair[1]);
                found.unwrap().0.to_string()
            };
            let steps: Vec<String> = game[..=moves].windows(2).map(step).collect();
            return steps.join(" ");
        }
    }
}

#[test]
fn lines_of_twelve_moves_are_read_and_longer_ones_declined_in_both_kinds_of_files() {
    for (moves, is_read) in [(MOVE_LIMIT, true), (MOVE_LIMIT + 1, false), (MOVE_LIMIT + 2, false)] {
        let line = long_line(moves);
        let leaf = leaves(&format!("leaf {line} interval -2 2 origin x nodes 0")).err();
        let text = format!("proofset 1\nclaim {line} ge -2\n");
        let claim = parse_proof_set(&Text::new("l", text.into_bytes())).err();
        for error in [leaf, claim] {
            match error {
                None => assert!(is_read, "{moves}"),
                Some(error) => {
                    assert!(!is_read && error.to_string().contains("line 2: more than 12 moves"), "{error}");
                    assert!(matches!(error, Error::Declined(_)), "{error}");
                }
            }
        }
    }
}

#[test]
fn each_fault_of_a_proof_set_has_its_reason_and_line() {
    let read = |lines: &str| parse_proof_set(&Text::new("p", format!("proofset 1\n{lines}\n").into_bytes()));
    let units = read("claim f3-f4 ge -2\nclaim f3-f4 le 4\nclaim c3-d3 ge 0").unwrap();
    let names: Vec<String> = units.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["f3-f4_ge-2", "f3-f4_le4", "c3-d3_ge0"]);
    for (text, reason, place) in [
        ("claim f3-f4 ge -2\nclaim f3-f4 ge 0", Reason::Duplicate, "line 3: this position and direction"),
        // The half turn of the same position.
        ("claim f3-f4 ge -2\nclaim c5-c6 ge 0", Reason::Duplicate, "line 3: this position and direction"),
        ("claims f3-f4 ge -2", Reason::Malformed, "line 2: expected: claim MOVES"),
        ("claim f3-f4 gt -2", Reason::Malformed, "line 2: expected: claim MOVES"),
        ("claim ge", Reason::Malformed, "line 2: expected: claim MOVES"),
        ("claim ge 2", Reason::Malformed, "line 2: expected 1 to 12 moves"),
        ("claim f3-f4 ge 1", Reason::NotAScore, "line 2: 1: expected an even number"),
        ("claim f3-f4 f3-f4 ge 2", Reason::IllegalLine, "line 2: move 2 (f3-f4) is illegal"),
    ] {
        let (found, text_of) = words(&read(text).err().unwrap());
        assert!(found == Some(reason) && text_of.contains(place), "{text}: {text_of}");
    }
    assert_eq!(
        parse_proof_set(&Text::new("p", b"leaves 1\n".to_vec())).err().unwrap().reason(),
        Some(Reason::Malformed)
    );
}

/// The value's interval by its definition, without canonical forms: every legal move of every inner position.
fn plain(position: &Position, depth: usize, inner: &HashSet<Position>, facts: &Assumed) -> Interval {
    let moves = position.moves();
    if moves.is_empty() {
        let score = position.difference();
        return Interval::new(score, score).unwrap();
    }
    if depth >= 3 && !inner.contains(&position.canonical()) {
        return facts.of(position);
    }
    let below: Vec<Interval> =
        moves.iter().map(|(_, next)| plain(next, depth + 1, inner, facts).negated()).collect();
    let lower = below.iter().map(|interval| interval.lower()).max().unwrap();
    let upper = below.iter().map(|interval| interval.upper()).max().unwrap();
    Interval::new(lower, upper).unwrap()
}

/// Positions that the lines make inner, and what the tree must count.
struct Shape {
    inner: HashSet<Position>,
    positions: HashSet<Position>,
    leaves: usize,
    moves: usize,
    groups: usize,
}

fn shape(lines: &[Vec<Position>]) -> Shape {
    let inner: HashSet<Position> =
        lines.iter().flat_map(|line| &line[..line.len() - 1]).map(Position::canonical).collect();
    let mut shape = Shape { inner, positions: HashSet::new(), leaves: 0, moves: 0, groups: 0 };
    let mut level = HashSet::from([Position::initial().canonical()]);
    let mut depth = 0;
    while !level.is_empty() {
        let mut next_level = HashSet::new();
        for position in level {
            if !shape.positions.insert(position) {
                continue;
            }
            let children: Vec<Position> = position.moves().iter().map(|(_, next)| next.canonical()).collect();
            if children.is_empty() {
            } else if depth < 3 || shape.inner.contains(&position) {
                shape.moves += children.len();
                shape.groups += children.iter().collect::<HashSet<_>>().len();
                next_level.extend(children);
            } else {
                shape.leaves += 1;
            }
        }
        level = next_level;
        depth += 1;
    }
    shape
}

/// Lines of 3 to 6 moves that end at no inner position.
fn lines(random: &mut ChaCha8Rng) -> Vec<Vec<Position>> {
    loop {
        let lines: Vec<Vec<Position>> = (0..4)
            .map(|_| {
                let length = random.random_range(3..=6);
                random_game(random).into_iter().take(length + 1).collect()
            })
            .collect();
        let inner = shape(&lines).inner;
        if lines
            .iter()
            .all(|line: &Vec<Position>| line.len() > 3 && !inner.contains(&line[line.len() - 1].canonical()))
        {
            return lines;
        }
    }
}

#[test]
fn the_tree_derives_what_the_definition_gives_and_counts_what_is_there() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut wide, mut narrow) = (0, 0);
    for round in 0..6 {
        let lines = if round == 0 { Vec::new() } else { lines(&mut random) };
        let tree = Tree::expand(lines.iter().map(Vec::as_slice)).unwrap();
        let shape = shape(&lines);
        assert_eq!(tree.positions(), shape.positions.len());
        assert_eq!(tree.leaves(), shape.leaves);
        assert_eq!(tree.moves(), (shape.moves, shape.groups));
        // Something is stated of most leaves, and in the last rounds of all.
        let mut facts = Assumed::default();
        let mut sorted: Vec<Position> = shape.positions.iter().copied().collect();
        sorted.sort_unstable();
        for position in sorted.iter().filter(|position| !position.moves().is_empty()) {
            if round > 3 || random.random_range(0..10) > 0 {
                let ends = [random.random_range(-32..=32) * 2, random.random_range(-32..=32) * 2];
                facts
                    .add(position, Interval::new(ends[0].min(ends[1]), ends[0].max(ends[1])).unwrap())
                    .unwrap();
            }
        }
        let derived = tree.conditional(&facts).unwrap();
        let initial = Position::initial();
        let root = plain(&initial, 0, &shape.inner, &facts);
        assert_eq!(derived.of(&initial), root);
        assert_eq!(derived.for_black(&initial), root);
        wide += usize::from(root.lower() < root.upper());
        let table = derived.table(&initial);
        assert_eq!(table.len(), initial.moves().len());
        for (step, opening) in initial.moves() {
            let expected = plain(&opening, 1, &shape.inner, &facts);
            assert_eq!(opening.turn, Side::White);
            assert_eq!(derived.of(&opening), expected);
            assert_eq!(derived.for_black(&opening), expected.negated());
            assert_eq!(table[&step.to_string()], (step, expected.negated()));
            narrow += usize::from(expected != Interval::ALL);
            for (_, reply) in opening.moves() {
                assert_eq!(derived.for_black(&reply), plain(&reply, 2, &shape.inner, &facts));
            }
        }
    }
    assert!(wide > 3 && narrow > 100, "{wide} {narrow}");
}

#[test]
fn a_line_that_ends_at_an_inner_position_is_named_by_its_place() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let mut lines = lines(&mut random);
    assert!(Tree::expand(lines.iter().map(Vec::as_slice)).is_ok());
    // A proper prefix of a line that stands before it.
    let shorter = lines[0][..lines[0].len() - 1].to_vec();
    lines.insert(2, shorter);
    assert_eq!(Tree::expand(lines.iter().map(Vec::as_slice)).err(), Some(2));
    // Before the third ply all positions are inner, without any other line.
    for moves in [0, 1, 2] {
        let short = lines[0][..=moves].to_vec();
        assert_eq!(Tree::expand(std::iter::once(short.as_slice())).err(), Some(0), "{moves} moves");
    }
    let three = lines[0][..=3].to_vec();
    assert!(Tree::expand(std::iter::once(three.as_slice())).is_ok());
}

#[test]
fn a_finished_position_has_its_score_and_a_statement_against_it_is_a_contradiction() {
    let tree = Tree::expand(std::iter::empty()).unwrap();
    let mut finished: BTreeMap<Position, i32> = BTreeMap::new();
    for (_, one) in Position::initial().moves() {
        for (_, two) in one.moves() {
            for (_, three) in two.moves().into_iter().filter(|(_, three)| three.moves().is_empty()) {
                finished.insert(three.canonical(), three.difference());
            }
        }
    }
    // Black has taken all, and White is to move: -14.
    assert!(!finished.is_empty() && finished.values().all(|&score| score == -14));
    let nothing = Assumed::default();
    let derived = tree.conditional(&nothing).unwrap();
    for (&position, &score) in &finished {
        assert_eq!(derived.of(&position), Interval::new(score, score).unwrap());
        let stated = |lower, upper| {
            let mut facts = Assumed::default();
            facts.add(&position, Interval::new(lower, upper).unwrap()).unwrap();
            tree.conditional(&facts).map(|derived| derived.of(&position)).err()
        };
        assert_eq!(stated(-SCORE_LIMIT, -14), None);
        assert_eq!(stated(-12, SCORE_LIMIT), Some(Reason::Contradiction));
        assert_eq!(stated(-SCORE_LIMIT, -16), Some(Reason::Contradiction));
    }
}

#[test]
fn what_the_search_proved_is_intersected_and_propagated_like_what_is_stated() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut table = Table::new(1);
    let mut proved_leaves = 0;
    for _ in 0..4 {
        // A line to the end of a game, on which the last choice that is left open can be searched in no time.
        let (game, place) = loop {
            let game = random_game(&mut random);
            let late =
                |position: &Position| position.empty().count_ones() <= 10 && position.placements().len() > 1;
            if let Some(place) = game.iter().position(late) {
                break (game, place);
            }
        };
        let parent = game[place];
        let tree = Tree::expand(std::iter::once(&game[..=place + 1])).unwrap();
        let (mut proved, mut stated) = (ProvedFacts::default(), Assumed::default());
        for (_, leaf) in parent.moves() {
            assert_eq!(proved.of(&leaf), Interval::ALL);
            let value = alpha_beta(&leaf, -SCORE_LIMIT, SCORE_LIMIT);
            let mut solver = Solver::new(&mut table, None);
            for (bound, known) in [
                (Bound::AtLeast(value), Interval::new(value, SCORE_LIMIT)),
                (Bound::AtMost(value), Interval::new(value, value)),
                (Bound::AtMost(SCORE_LIMIT), Interval::new(value, value)),
            ] {
                proved.add(&solver.decide(&leaf, bound, u64::MAX).unwrap()).unwrap();
                assert_eq!(Some(proved.of(&leaf)), known);
                assert_eq!(proved.of(&turned(&leaf)), proved.of(&leaf));
            }
            stated.add(&leaf, Interval::new(value, value).unwrap()).unwrap();
            proved_leaves += usize::from(!leaf.is_over());
        }
        let nothing = tree.unconditional(&ProvedFacts::default()).unwrap();
        let (of_proved, of_stated) =
            (tree.unconditional(&proved).unwrap(), tree.conditional(&stated).unwrap());
        let value = alpha_beta(&parent, -SCORE_LIMIT, SCORE_LIMIT);
        assert_eq!(Some(of_proved.of(&parent)), Interval::new(value, value));
        assert_ne!(nothing.of(&parent), of_proved.of(&parent));
        for position in &game[..=place + 1] {
            assert_eq!(of_proved.of(position), of_stated.of(position));
        }
    }
    assert!(proved_leaves > 4, "{proved_leaves}");
}
