//! Tests on the real board: enumeration, positions, solver against the rules, derivations and their forgeries.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Random, value_by_stones};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use verify_honey::advice::Advice;
use verify_honey::board::{Board, HONEY, Mask, Puzzle, SYMMETRIES, cells_of};
use verify_honey::check;
use verify_honey::enumerate::enumerate;
use verify_honey::error::{Failure, Reason};
use verify_honey::log;
use verify_honey::positions::Positions;
use verify_honey::proof::{self, Task, Values};
use verify_honey::remoteness::{Cyclic, Game, Lengths, Outcome, Spot, remoteness};
use verify_honey::rules::{Rule, Value, determined, plain_value, undetermined, with_black};
use verify_honey::run::{self, Results, Settings};
use verify_honey::solver::{Shortcuts, Solver};
use verify_honey::text;

const RULES: [Rule; 2] = [Rule::Standard, Rule::RedundantHint];

fn positions() -> &'static Positions {
    static POSITIONS: OnceLock<Positions> = OnceLock::new();
    POSITIONS.get_or_init(|| check::positions(true).unwrap().0)
}

/// A position of 2 to `most` solutions, from random legal play: solutions and stones.
fn random_position(rule: Rule, most: usize, random: &mut Random) -> (Vec<Mask>, Mask) {
    // Sizes of every order: the recursion on stones is slow on the largest.
    let most = most.min(4 << random.below(8));
    let most = 2 + random.below(most - 1);
    loop {
        let start = positions().at(3).nth(random.below(3122)).unwrap();
        let (mut left, mut stones) = (positions().left(start.determined), 0);
        // Any three stones whose closure this is will do; for the one position with a hint, leave cell 6 empty.
        for cell in cells_of(start.determined).take(3) {
            stones |= 1 << cell;
        }
        while left.len() > most {
            let mut moves: Vec<usize> = cells_of(undetermined(&left)).collect();
            if rule == Rule::RedundantHint {
                moves.extend(cells_of(determined(&left) & !stones));
            }
            let cell = moves[random.below(moves.len())];
            stones |= 1 << cell;
            left = with_black(&left, cell);
        }
        if left.len() >= 2 {
            return (left, stones);
        }
    }
}

fn empty_determined(rule: Rule, left: &[Mask], stones: Mask) -> u32 {
    if rule == Rule::Standard { 0 } else { (determined(left) & !stones).count_ones() }
}

#[test]
fn the_puzzle_has_the_published_number_of_solutions_and_of_positions() {
    assert_eq!(positions().solutions.len(), 1_304_983);
    let counts: Vec<usize> = (0..=3).map(|depth| positions().at(depth).count()).collect();
    assert_eq!(counts, [1, 9, 180, 3122]);
    let hints: Vec<(Mask, u32)> =
        positions().at(3).filter(|p| p.p() > 0).map(|p| (p.determined, p.p())).collect();
    assert_eq!(hints, [(0x63, 1)]);
    assert!(positions().at(1).chain(positions().at(2)).all(|p| p.p() == 0));
}

#[test]
fn positions_agree_with_their_definition() {
    // The moves of some positions, computed without any shortcut.
    for position in positions().at(2).step_by(45).chain(positions().at(1).step_by(4)) {
        let left = positions().left(position.determined);
        let expected: Vec<(usize, Mask)> = (0..61)
            .filter(|cell| position.determined >> cell & 1 == 0)
            .map(|cell| (cell, with_black(&left, cell)))
            .filter(|(_, child)| !child.is_empty() && child.len() < left.len())
            .map(|(cell, child)| {
                (cell, (0..12).map(|g| positions().board.image(determined(&child), g)).min().unwrap())
            })
            .collect();
        assert_eq!(position.moves, expected);
    }
}

/// The number of solutions, and a fingerprint of their set: the sum over all solutions of the product of a random
/// number for each black cell, modulo a prime. Two different sets are the zeros and ones of different polynomials of
/// degree 61 at most, so they agree in a random point with a probability below 61 in 2^61.
type Fingerprint = (u64, u64);

const PRIME: u64 = (1 << 61) - 1;

fn point(cell: usize) -> u64 {
    Random(2026 + cell as u64).next() % PRIME
}

fn times(a: u64, b: u64) -> u64 {
    u64::try_from(u128::from(a) * u128::from(b) % u128::from(PRIME)).unwrap()
}

fn fingerprint(solutions: &[Mask]) -> Fingerprint {
    let points: Vec<u64> = (0..64).map(point).collect();
    let product = |&black: &Mask| cells_of(black).fold(1, |product, cell| times(product, points[cell]));
    (solutions.len() as u64, solutions.iter().fold(0, |sum, s| (sum + product(s)) % PRIME))
}

/// Counts solutions cell by cell from the top, keeping which white cells of the frontier hang together and how large
/// their components are: a method without islands, search or table of dead states.
fn by_frontier(board: &Board, puzzle: Puzzle) -> Fingerprint {
    // Per frontier cell its component (0: black), per component its cells; and finished islands.
    type State = (Vec<u8>, Vec<u8>, u32);
    let n = board.size();
    let last = |cell: usize| cells_of(board.neighbours(cell)).max().unwrap_or(cell).max(cell);
    let mut frontier: Vec<usize> = Vec::new();
    let mut states: HashMap<State, Fingerprint> = HashMap::from([((vec![], vec![], 0), (1, 1))]);
    for cell in 0..n {
        let mut next: HashMap<State, Fingerprint> = HashMap::new();
        let mut wider = frontier.clone();
        wider.push(cell);
        let kept: Vec<bool> = wider.iter().map(|&c| last(c) > cell).collect();
        for ((labels, sizes, done), (count, print)) in &states {
            for white in [false, true] {
                let factor = if white { 1 } else { point(cell) };
                let (mut labels, mut sizes) = (labels.clone(), sizes.clone());
                labels.push(0);
                if white {
                    let new = u8::try_from(sizes.len() + 1).unwrap();
                    sizes.push(1);
                    *labels.last_mut().unwrap() = new;
                    for (place, &other) in frontier.iter().enumerate() {
                        let old = labels[place];
                        if old != 0 && old != new && board.neighbours(cell) >> other & 1 == 1 {
                            let moved = std::mem::take(&mut sizes[usize::from(old) - 1]);
                            sizes[usize::from(new) - 1] += moved;
                            labels.iter_mut().filter(|l| **l == old).for_each(|l| *l = new);
                        }
                    }
                    if u32::from(sizes[usize::from(new) - 1]) > puzzle.island_size {
                        continue;
                    }
                }
                // Cells that have met all their neighbours leave; a component whose last cell leaves is finished.
                let mut done = *done;
                let rest: Vec<u8> = labels.iter().zip(&kept).filter(|(_, k)| **k).map(|(l, _)| *l).collect();
                let mut fits = true;
                for label in 1..=u8::try_from(sizes.len()).unwrap() {
                    if labels.contains(&label) && !rest.contains(&label) {
                        fits &= u32::from(sizes[usize::from(label) - 1]) == puzzle.island_size;
                        done += 1;
                    }
                }
                // Renumber by first occurrence.
                let mut names: Vec<u8> = Vec::new();
                let rest: Vec<u8> = rest
                    .into_iter()
                    .map(|l| {
                        if l == 0 {
                            return 0;
                        }
                        let at = names.iter().position(|&name| name == l).unwrap_or_else(|| {
                            names.push(l);
                            names.len() - 1
                        });
                        u8::try_from(at + 1).unwrap()
                    })
                    .collect();
                let sizes: Vec<u8> = names.iter().map(|&l| sizes[usize::from(l) - 1]).collect();
                let white: u32 = done * puzzle.island_size + sizes.iter().map(|&s| u32::from(s)).sum::<u32>();
                let all_black = u32::try_from(n).unwrap() - puzzle.islands * puzzle.island_size;
                let black = u32::try_from(cell).unwrap() + 1 - white.min(u32::try_from(cell).unwrap() + 1);
                // Open components may still merge, so only finished ones are compared.
                if fits && done <= puzzle.islands && black <= all_black {
                    let sum = next.entry((rest, sizes, done)).or_default();
                    *sum = (sum.0 + count, (sum.1 + times(*print, factor)) % PRIME);
                }
            }
        }
        frontier = wider.into_iter().zip(kept).filter(|(_, k)| *k).map(|(c, _)| c).collect();
        states = next;
    }
    states
        .iter()
        .filter(|((_, _, done), _)| *done == puzzle.islands)
        .fold((0, 0), |sum, (_, more)| (sum.0 + more.0, (sum.1 + more.1) % PRIME))
}

#[test]
fn the_fingerprint_tells_sets_of_equal_size_apart() {
    let solutions = &positions().solutions;
    assert_ne!(fingerprint(&solutions[..1000]), fingerprint(&solutions[1..1001]));
    let mut turned = solutions[..1000].to_vec();
    turned.rotate_left(7);
    assert_eq!(fingerprint(&solutions[..1000]), fingerprint(&turned));
}

#[test]
fn counting_cell_by_cell_agrees_on_smaller_hexagons() {
    let mut solved = 0;
    for (radius, islands, island_size) in [
        (1, 1, 3),
        (2, 2, 3),
        (2, 3, 3),
        (2, 2, 5),
        (2, 2, 6),
        (3, 2, 4),
        (3, 3, 6),
        (3, 4, 5),
        (3, 5, 4),
        (3, 4, 6),
    ] {
        let board = Board::new(radius).unwrap();
        let puzzle = Puzzle { radius, islands, island_size };
        let found = enumerate(&board, puzzle, true).unwrap().solutions;
        solved += usize::from(!found.is_empty());
        assert_eq!(fingerprint(&found), by_frontier(&board, puzzle), "{puzzle:?}");
    }
    assert!(solved >= 5, "only {solved} of the puzzles have solutions");
}

#[test]
fn counting_cell_by_cell_agrees_on_the_board_of_the_game() {
    let found = by_frontier(&positions().board, HONEY);
    assert_eq!(found.0, 1_304_983);
    assert_eq!(found, fingerprint(&positions().solutions));
}

#[test]
#[ignore = "two CPU minutes: for the gate"]
fn the_enumeration_without_the_table_of_dead_states_finds_the_same_solutions() {
    assert_eq!(check::positions(false).unwrap().0.digest, positions().digest);
}

#[test]
fn the_solver_agrees_with_the_rules_on_random_positions_whatever_is_switched_off() {
    let all = Shortcuts::ALL;
    let switched = [
        all,
        Shortcuts { pair_cover: false, ..all },
        Shortcuts { merging: false, ..all },
        Shortcuts { early_look_ups: false, ..all },
        Shortcuts { partner: false, ..all },
        Shortcuts { blocks: false, ..all },
        Shortcuts { short_looks: false, ..all },
        Shortcuts { tables: false, ..all },
        Shortcuts::NONE,
    ];
    for rule in RULES {
        let mut random = Random(5);
        let mut solvers: Vec<Solver> = switched.iter().map(|s| Solver::new(rule, 1 << 16, *s)).collect();
        solvers.push(Solver::new(rule, 64, all));
        let (mut counts, mut with_hints) = ([0; 2], 0);
        for round in 0..1000 {
            let (left, stones) = random_position(rule, 500, &mut random);
            let expected = value_by_stones(rule, &left, stones, &mut HashMap::new());
            let p = empty_determined(rule, &left, stones);
            counts[usize::from(expected == Value::Won)] += 1;
            with_hints += usize::from(p > 0);
            // All solvers on small positions, on large ones two: the standard one and another in turn.
            let turn = round % solvers.len();
            for (index, solver) in solvers.iter_mut().enumerate() {
                if index == 0 || index == turn || left.len() < 40 {
                    let solved = solver.solve(&left, p);
                    assert_eq!(
                        solved.value,
                        expected,
                        "{rule}, {} solutions, p {p}, solver {index}",
                        left.len()
                    );
                }
            }
        }
        assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
        assert!(rule == Rule::Standard || with_hints > 200, "{with_hints}");
    }
}

#[test]
fn the_remembered_recursion_agrees_with_the_plain_one() {
    let mut random = Random(9);
    for rule in RULES {
        for _ in 0..200 {
            let (left, stones) = random_position(rule, 12, &mut random);
            let plain = plain_value(rule, &left, stones);
            assert_eq!(value_by_stones(rule, &left, stones, &mut HashMap::new()), plain);
        }
    }
}

#[test]
fn one_solution_is_lost_before_any_hint_is_counted() {
    let one = positions().solutions[0];
    for p in [0, 1, 7] {
        assert_eq!(Solver::new(Rule::RedundantHint, 64, Shortcuts::ALL).solve(&[one], p).value, Value::Lost);
    }
    assert_eq!(plain_value(Rule::RedundantHint, &[one], 0), Value::Lost);
}

#[test]
fn node_counts_do_not_depend_on_what_was_solved_before() {
    let mut random = Random(3);
    let (a, _) = random_position(Rule::Standard, 500, &mut random);
    let (b, _) = random_position(Rule::Standard, 500, &mut random);
    let mut solver = Solver::new(Rule::Standard, 1 << 16, Shortcuts::ALL);
    let first = solver.solve(&a, 0);
    solver.solve(&b, 0);
    assert_eq!(solver.solve(&a, 0), first);
}

#[test]
#[ignore = "some CPU minutes: for the gate"]
fn twenty_positions_of_the_proof_set_keep_their_values_with_a_small_table_and_no_shortcuts() {
    for (rule, file) in [(Rule::Standard, "honey-standard.txt"), (Rule::RedundantHint, "honey-redundant.txt")]
    {
        let text = std::fs::read(format!("{}/../proofsets/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let steps = proof::parse_proof_set(file, &text, rule, positions()).unwrap();
        let mut tasks = proof::tasks(file, &steps, rule);
        tasks.sort_by_key(|task| positions().left(task.key).len());
        tasks.truncate(10);
        let settings =
            Settings { threads: 1, table_bytes: 1 << 20, progress: false, shortcuts: Shortcuts::NONE };
        let results = run::solve(&tasks, positions(), settings, None, Results::default(), None).unwrap();
        assert_eq!(results.solved, 10);
    }
}

// Advice.

fn advice_lines(least: usize, moves: &BTreeMap<Mask, usize>) -> Vec<String> {
    let mut lines: Vec<String> =
        ["honey-advice 1", "rule standard", "solutions 1304983"].map(str::to_owned).into();
    lines.push(format!("least {least}"));
    lines.extend(moves.iter().map(|(key, cell)| format!("{key:016x} {cell}")));
    lines.push("end".to_owned());
    lines
}

fn parsed_advice(lines: &[String]) -> Result<Advice, Failure> {
    Advice::parse("advice", (lines.join("\n") + "\n").as_bytes(), positions())
}

/// The positions after at most `depth` moves, and what `cell` says about each.
fn advise(
    left: &[Mask],
    depth: usize,
    moves: &mut BTreeMap<Mask, usize>,
    cell: &mut impl FnMut(&[Mask]) -> Option<usize>,
) {
    let board = &positions().board;
    let known = determined(left);
    let images = (0..SYMMETRIES).map(|g| (board.image(known, g), g));
    let (key, g) = images.min().unwrap();
    if let Some(cell) = cell(left) {
        moves.insert(key, cells_of(board.image(1 << cell, g)).next().unwrap());
    }
    if depth > 0 {
        for next in cells_of(undetermined(left)) {
            advise(&with_black(left, next), depth - 1, moves, cell);
        }
    }
}

/// A position that has to be searched: no cell wins at once.
fn open_position(most: usize, random: &mut Random) -> (Vec<Mask>, Mask) {
    loop {
        let (left, stones) = random_position(Rule::Standard, most, random);
        let once = |cell: usize| left.iter().filter(|&&s| s >> cell & 1 == 1).count() == 1;
        if left.len() >= 30 && !(0..61).any(once) {
            return (left, stones);
        }
    }
}

#[test]
fn no_advice_changes_a_value() {
    let mut random = Random(12);
    let (mut changed, mut counts) = (0, [0; 2]);
    for _ in 0..40 {
        let (left, stones) = open_position(200, &mut random);
        // Any cells, most of them failing moves or none at all.
        let mut moves = BTreeMap::new();
        advise(&left, 2, &mut moves, &mut |left| {
            let free: Vec<usize> = cells_of(positions().board.all() & !determined(left)).collect();
            (!free.is_empty()).then(|| free[random.below(free.len())])
        });
        let advice = parsed_advice(&advice_lines(2, &moves)).unwrap();
        let expected = value_by_stones(Rule::Standard, &left, stones, &mut HashMap::new());
        counts[usize::from(expected == Value::Won)] += 1;
        for shortcuts in [Shortcuts::ALL, Shortcuts::NONE] {
            let plain = Solver::new(Rule::Standard, 1 << 16, shortcuts).solve(&left, 0);
            let mut solver =
                Solver::new(Rule::Standard, 1 << 16, shortcuts).advised(&positions().board, &advice);
            let found = solver.solve(&left, 0);
            assert_eq!(found.value, expected, "{} solutions", left.len());
            changed += usize::from(found.nodes != plain.nodes);
        }
    }
    assert!(changed > 10 && counts[0] > 5 && counts[1] > 5, "{changed} {counts:?}");
}

#[test]
fn good_advice_saves_nodes_in_every_image_of_a_position() {
    let mut random = Random(13);
    let (mut saved, mut plain_nodes, mut advised_nodes) = (0, 0, 0);
    for _ in 0..20 {
        let (left, _) = open_position(500, &mut random);
        let mut solver = Solver::new(Rule::Standard, 1 << 16, Shortcuts::ALL);
        let mut moves = BTreeMap::new();
        // The winning moves that cost the fewest nodes, found by solving what each move leads to.
        advise(&left, 1, &mut moves, &mut |left| {
            let after =
                cells_of(undetermined(left)).map(|cell| (solver.solve(&with_black(left, cell), 0), cell));
            let winning = after.filter(|(after, _)| after.value == Value::Lost);
            winning.min_by_key(|(after, _)| after.nodes).map(|(_, cell)| cell)
        });
        let advice = parsed_advice(&advice_lines(2, &moves)).unwrap();
        let board = &positions().board;
        let mut advised = Solver::new(Rule::Standard, 1 << 16, Shortcuts::ALL).advised(board, &advice);
        for g in 0..SYMMETRIES {
            let image: Vec<Mask> = left.iter().map(|&solution| board.image(solution, g)).collect();
            let (a, b) = (solver.solve(&image, 0), advised.solve(&image, 0));
            assert_eq!(a.value, b.value);
            saved += usize::from(b.nodes < a.nodes);
            plain_nodes += a.nodes;
            advised_nodes += b.nodes;
        }
    }
    assert!(saved > 50 && 3 * advised_nodes < 2 * plain_nodes, "{saved} {plain_nodes} {advised_nodes}");
}

#[test]
fn advice_is_read_strictly() {
    let key = positions().at(3).nth(40).unwrap().determined;
    let later = positions().at(3).nth(41).unwrap().determined;
    let free: Vec<usize> = cells_of(positions().board.all() & !(key | later)).collect();
    let good = advice_lines(100, &BTreeMap::from([(key, free[0]), (later, free[1])]));
    assert_eq!(parsed_advice(&good).unwrap().count(), 2);
    let turned = (1..SYMMETRIES).map(|g| positions().board.image(key, g)).find(|&m| m != key).unwrap();
    let inside = key.trailing_zeros();
    let cases: [(&str, usize, String); 12] = [
        ("kind", 1, "honey-advise 1".into()),
        ("version", 1, "honey-advice 2".into()),
        ("rule", 2, "rule redundant-hint".into()),
        ("solutions", 3, "solutions 1304982".into()),
        ("least", 4, "least 1".into()),
        ("turned", 5, format!("{turned:016x} {}", cells_of(!turned).next().unwrap())),
        ("determined", 5, format!("{key:016x} {inside}")),
        ("cell", 5, format!("{key:016x} 61")),
        ("no-cell", 5, format!("{key:016x}")),
        ("board", 5, format!("{:016x} {}", key | 1 << 61, free[0])),
        ("order", 5, format!("{later:016x} {}", free[1])),
        ("end", 7, "end 1".into()),
    ];
    for (name, line, text) in cases {
        let mut bad = good.clone();
        bad[line - 1] = text;
        let at = match parsed_advice(&bad) {
            Err(Failure::Malformed { line, .. }) => (line, None),
            Err(Failure::Rejected { line, reason, .. }) => (line, Some(reason)),
            other => panic!("{name}: {other:?}"),
        };
        let expected = match name {
            "rule" => (2, Some(Reason::OtherRule)),
            "solutions" => (3, Some(Reason::SolutionCount(1_304_983))),
            "turned" => (5, Some(Reason::NotCanonical)),
            "order" => (6, None),
            _ => (line, None),
        };
        assert_eq!(at, expected, "{name}");
    }
    for (lines, at) in [(&good[..6], 7), (&[&good[..], &["end".to_owned()]].concat()[..], 8)] {
        assert!(matches!(parsed_advice(lines), Err(Failure::Malformed { line, .. }) if line == at), "{at}");
    }
}

// Derivations. The root-only set of the redundant-hint rule is small; forging it needs no search.

fn root_set() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../proofsets/honey-redundant-root.txt");
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// Everything but the searches: the root's value as far as the set goes.
fn judged(lines: &[String], rule: Rule) -> Result<Option<Value>, Failure> {
    let text = lines.join("\n") + "\n";
    let steps = proof::parse_proof_set("set", text.as_bytes(), rule, positions())?;
    Ok(proof::assume_derivation("set", &steps, positions(), rule)?.value(0))
}

fn reason(lines: &[String]) -> (usize, Reason) {
    match judged(lines, Rule::RedundantHint) {
        Err(Failure::Rejected { line, reason, .. }) => (line, reason),
        other => panic!("not rejected: {other:?}"),
    }
}

fn malformed_at(lines: &[String]) -> usize {
    match judged(lines, Rule::RedundantHint) {
        Err(Failure::Malformed { line, .. }) => line,
        other => panic!("not malformed: {other:?}"),
    }
}

fn find(lines: &[String], start: &str) -> usize {
    lines.iter().position(|line| line.starts_with(start)).unwrap()
}

#[test]
fn the_root_set_is_accepted() {
    assert_eq!(judged(&root_set(), Rule::RedundantHint), Ok(Some(Value::Won)));
}

#[test]
fn each_forgery_of_a_proof_set_has_its_own_reason() {
    let good = root_set();
    let forged = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = good.clone();
        change(&mut lines);
        lines
    };
    let search = find(&good, "search");
    let lost = find(&good, "lost");
    // The last child of the centre.
    let won = lost - 1;
    let root = find(&good, "won 0000000000000000");
    let key = |line: &str| line.split(' ').nth(1).unwrap().to_owned();
    let searched = key(&good[search]);

    assert_eq!(reason(&forged(&|l| l[1] = "rule standard".into())), (2, Reason::OtherRule));
    assert_eq!(
        reason(&forged(&|l| l[2] = "solutions 1304982".into())),
        (3, Reason::SolutionCount(1_304_983))
    );
    let line = format!("search {searched} 1 lost");
    assert_eq!(reason(&forged(&|l| l[search].clone_from(&line))), (search + 1, Reason::WrongP(0)));
    // Two adjacent black cells more than the game has stones for: four cells that no three stones determine.
    let line = "search 000000000000000f 1 lost".to_owned();
    assert_eq!(reason(&forged(&|l| l[search].clone_from(&line))), (search + 1, Reason::Unreachable));
    let line = "search 8000000000000003 0 lost".to_owned();
    assert_eq!(reason(&forged(&|l| l[search].clone_from(&line))), (search + 1, Reason::Unreachable));
    let image = (1..12)
        .map(|g| positions().board.image(Mask::from_str_radix(&searched, 16).unwrap(), g))
        .find(|image| format!("{image:016x}") != searched)
        .unwrap();
    let line = format!("search {image:016x} 0 lost");
    assert_eq!(reason(&forged(&|l| l[search].clone_from(&line))), (search + 1, Reason::NotCanonical));
    let again = good[search].clone();
    assert_eq!(
        reason(&forged(&|l| l.insert(search + 1, again.clone()))),
        (search + 2, Reason::Duplicate(search + 1))
    );
    let line = "search 0000000000000001 0 lost".to_owned();
    assert_eq!(reason(&forged(&|l| l.insert(search, line.clone()))), (search + 1, Reason::SearchDepth(1)));
    // A child of another parent: the root's child named under a position after two stones, and the other way round.
    let parent = key(&good[won]);
    let line = format!("won {parent} 0 by 0000000000000001 0");
    assert_eq!(reason(&forged(&|l| l[won].clone_from(&line))), (won + 1, Reason::NoChild));
    let line = format!("won {parent} 0 by {parent} 0");
    assert_eq!(reason(&forged(&|l| l[won].clone_from(&line))), (won + 1, Reason::NoChild));
    let line = format!("won 0000000000000000 0 by {searched} 0");
    assert_eq!(reason(&forged(&|l| l[root].clone_from(&line))), (root + 1, Reason::NoChild));
    // A conclusion before what it rests on.
    let child = good[won].split(' ').nth(4).unwrap().to_owned();
    let from = find(&good, &format!("search {child}"));
    let moved = forged(&|l| {
        let line = l.remove(from);
        l.insert(won, line);
    });
    let (line, why) = reason(&moved);
    assert!(line <= won && why == Reason::ChildUnproved, "{line} {why:?}");
    assert_eq!(reason(&forged(&|l| l.swap(lost, root))), (lost + 1, Reason::ChildUnproved));
    // A search with the other value: what rests on it falls.
    let line = good[from].replace("lost", "won");
    let (_, why) = reason(&forged(&|l| l[from].clone_from(&line)));
    assert_eq!(why, Reason::ChildWon);
    // A child left out.
    let missing = forged(&|l| {
        l.remove(won);
    });
    assert!(matches!(reason(&missing), (line, Reason::ChildMissing(_)) if line == lost));
    let leaf = format!("lost {searched} 0");
    assert!(matches!(reason(&forged(&|l| l[search].clone_from(&leaf))), (_, Reason::ChildMissing(_))));
    // A lost child among those said to be all won, here the last one.
    let position = &positions().all[&Mask::from_str_radix(&parent, 16).unwrap()];
    let mut children: Vec<Mask> = position.moves.iter().map(|&(_, child)| child).collect();
    children.sort_unstable();
    children.dedup();
    let mut lines = good[..3].to_vec();
    for (place, child) in children.iter().enumerate() {
        let value = if place + 1 == children.len() { "lost" } else { "won" };
        lines.push(format!("search {} {value}", positions().all[child].key(Rule::RedundantHint)));
    }
    lines.push(format!("lost {parent} 0"));
    lines.push("end".to_owned());
    assert!(matches!(reason(&lines), (line, Reason::ChildLost(_)) if line == lines.len() - 1));
    // Form.
    let end = good.len();
    assert_eq!(malformed_at(&forged(&|l| l.push("end".into()))), end + 1);
    assert_eq!(malformed_at(&forged(&|l| l.truncate(end - 1))), end);
    assert_eq!(malformed_at(&forged(&|l| l[search].push_str(" 0"))), search + 1);
    let line = format!("search {searched} lost");
    assert_eq!(malformed_at(&forged(&|l| l[search].clone_from(&line))), search + 1);
    let line = format!("search {searched} 00 lost");
    assert_eq!(malformed_at(&forged(&|l| l[search].clone_from(&line))), search + 1);
    let line = good[search].to_uppercase();
    assert_eq!(malformed_at(&forged(&|l| l[search].clone_from(&line))), search + 1);
    assert_eq!(malformed_at(&forged(&|l| l[search].push('\r'))), search + 1);
    assert_eq!(malformed_at(&forged(&|l| l.insert(search, String::new()))), search + 1);
}

#[test]
fn without_a_step_above_it_the_root_is_not_proved() {
    let mut lines = root_set();
    let root = find(&lines, "won 0000000000000000");
    lines.remove(root);
    assert_eq!(judged(&lines, Rule::RedundantHint), Ok(None));
    let text = (lines.join("\n") + "\n").into_bytes();
    let steps = proof::parse_proof_set("set", &text, Rule::RedundantHint, positions()).unwrap();
    let assumed = proof::assume_derivation("set", &steps, positions(), Rule::RedundantHint).unwrap();
    let claim =
        text::claim(b"claim 1\ngame honey-islands\nrule redundant-hint\nroot won\nproofset x\n").unwrap();
    assert_eq!(proof::judge(&claim, positions(), &assumed), Err(Failure::NotProved("root".into())));
}

#[test]
fn no_single_edit_of_a_proof_set_is_accepted() {
    let good = root_set().join("\n") + "\n";
    let accepted = |bytes: &[u8]| {
        let rule = Rule::RedundantHint;
        proof::parse_proof_set("set", bytes, rule, positions())
            .and_then(|steps| proof::assume_derivation("set", &steps, positions(), rule))
            .is_ok_and(|assumed| assumed.value(0) == Some(Value::Won))
    };
    assert!(accepted(good.as_bytes()));
    let mut edits = 0;
    for place in 0..good.len() {
        let mut shorter = good.clone().into_bytes();
        shorter.remove(place);
        // Leaving out one of two equal neighbours gives the same text, so this stays strict.
        assert!(!accepted(&shorter), "byte {place} left out");
        for byte in *b"0189afwl \n\r\x00~" {
            let mut edited = good.clone().into_bytes();
            if edited[place] != byte {
                edited[place] = byte;
                edits += 1;
                assert!(!accepted(&edited), "byte {place} became {byte}");
            }
        }
    }
    assert!(edits > 5000);
}

#[test]
fn a_search_of_the_other_value_is_rejected_by_solving() {
    let small = positions().at(3).min_by_key(|p| positions().left(p.determined).len()).unwrap();
    let task =
        |stated| Task { file: "set".into(), line: 7, rule: Rule::Standard, key: small.determined, stated };
    let settings = Settings { threads: 2, table_bytes: 1 << 20, progress: false, shortcuts: Shortcuts::ALL };
    let outcome = |stated| {
        run::solve(&[task(stated)], positions(), settings, None, Results::default(), None).map(|r| r.solved)
    };
    let outcomes = [outcome(Value::Won), outcome(Value::Lost)];
    let wrong = Failure::Rejected { file: "set".into(), line: 7, reason: Reason::WrongValue };
    assert!(outcomes.contains(&Ok(1)) && outcomes.contains(&Err(wrong)), "{outcomes:?}");
}

#[test]
fn a_derivation_without_its_searches_proves_nothing() {
    let text = (root_set().join("\n") + "\n").into_bytes();
    let steps = proof::parse_proof_set("set", &text, Rule::RedundantHint, positions()).unwrap();
    let derived = proof::derive("set", &steps, positions(), Rule::RedundantHint, &BTreeMap::new());
    assert!(matches!(derived, Err(Failure::Internal(_))), "{derived:?}");
}

// Lists of values.

fn list(rule: Rule) -> Vec<String> {
    let mut lines = vec![
        "honey-depth3 1".to_owned(),
        format!("rule {rule}"),
        "solutions 1304983".to_owned(),
        "positions 3122".to_owned(),
    ];
    lines.extend(positions().at(3).map(|p| p.key(rule) + " won"));
    lines.push("end".to_owned());
    lines
}

fn parsed_list(lines: &[String], rule: Rule) -> Result<Vec<Task>, Failure> {
    proof::parse_list("list", (lines.join("\n") + "\n").as_bytes(), rule, positions())
}

#[test]
fn a_list_names_every_position_once_and_in_order() {
    for rule in RULES {
        let good = list(rule);
        let tasks = parsed_list(&good, rule).unwrap();
        assert_eq!(tasks.len(), 3122);
        // All positions after three stones won: after two lost, after one won, and the root lost.
        assert_eq!(proof::assume_list(&tasks, positions()).unwrap().value(0), Some(Value::Lost));
        let mut swapped = good.clone();
        swapped.swap(10, 11);
        let due = positions().at(3).nth(6).unwrap().key(rule);
        let expected = Failure::Rejected { file: "list".into(), line: 11, reason: Reason::ListOrder(due) };
        assert_eq!(parsed_list(&swapped, rule), Err(expected));
        for (line, change) in [(3125, "end"), (4, "positions 3121"), (3127, "0")] {
            let mut bad = good.clone();
            if line == 3125 {
                bad.remove(line);
                bad[line] = change.into();
            } else if line == 3127 {
                bad.push(change.into());
            } else {
                bad[line - 1] = change.into();
            }
            assert!(matches!(parsed_list(&bad, rule), Err(Failure::Malformed { .. })), "{line}");
        }
    }
}

// Logs.

#[test]
fn logs_are_read_strictly() {
    let tasks = parsed_list(&list(Rule::Standard), Rule::Standard).unwrap();
    let source = verify_honey::sources::digest();
    let entry =
        |unit: &str, value: &str| format!("honey-unit 1 {unit} {value} nodes 5 source {source} end\n");
    let unit = run::unit_name(&tasks[0], positions());
    assert_eq!(unit, "standard 0-1-2");
    let read = |text: &str| log::read("log", text.as_bytes(), &tasks, positions());
    let fault = |text: &str| match read(text) {
        Err(Failure::Rejected { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let good = entry(&unit, "won");
    assert_eq!(read(&good).unwrap().len(), 1);
    assert_eq!(fault(&(good.clone() + &good)), Reason::Duplicate(1));
    assert_eq!(fault(&entry(&unit, "lost")), Reason::LoggedValue);
    assert_eq!(fault(&entry("standard 0-1-0", "won")), Reason::NoUnit);
    assert_eq!(fault(&entry("redundant-hint 0-1-2", "won")), Reason::NoUnit);
    assert_eq!(fault(&good.replace(&source, &"0".repeat(64))), Reason::OtherSources);
    for cut in 0..good.len() {
        assert!(matches!(read(&good[..cut]), Err(Failure::Malformed { .. })), "{cut}");
    }
}

#[test]
fn samples_are_of_the_size_asked_for_and_repeat_with_their_seed() {
    let tasks = parsed_list(&list(Rule::Standard), Rule::Standard).unwrap();
    let sample = run::sample(&tasks, 50, 1);
    assert_eq!(sample.len(), 50);
    assert!(sample.windows(2).all(|pair| pair[0].line < pair[1].line));
    assert_eq!(sample, run::sample(&tasks, 50, 1));
    assert_ne!(sample, run::sample(&tasks, 50, 2));
    assert_eq!(run::sample(&tasks, 5000, 1), tasks);
}

#[test]
fn the_only_position_with_a_hint_is_named_by_three_stones() {
    let position = &positions().all[&0x63];
    let line = positions().line(position);
    let stones = line.split('-').map(|cell| cell.parse::<u32>().unwrap()).fold(0, |m, cell| m | 1 << cell);
    assert_eq!(determined(&positions().left(stones)), 0x63);
    let mut names: Vec<String> = positions().at(3).map(|p| positions().line(p)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 3122);
}

// Remoteness.

struct TakeAway;

impl Game for TakeAway {
    type Position = u32;
    fn children(&self, &n: &u32) -> Vec<u32> {
        (1..=2).filter(|take| *take <= n).map(|take| n - take).collect()
    }
    fn end(&self, _: &u32) -> Outcome {
        Outcome::Loss
    }
}

#[test]
fn ten_to_zero_by_one_or_two_has_the_published_remoteness() {
    let found: Vec<(Outcome, u32)> = (0..=10).map(|n| remoteness(&TakeAway, &n).unwrap()).collect();
    let lengths: Vec<u32> = found.iter().map(|(_, length)| *length).collect();
    assert_eq!(lengths, [0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7]);
    let losses: Vec<usize> = (0..=10).filter(|&n| found[n].0 == Outcome::Loss).collect();
    assert_eq!(losses, [0, 3, 6, 9]);
}

/// A game given by its edges; ends have the outcomes given.
struct Graph(BTreeMap<u32, Vec<u32>>, BTreeMap<u32, Outcome>);

impl Game for Graph {
    type Position = u32;
    fn children(&self, n: &u32) -> Vec<u32> {
        self.0.get(n).cloned().unwrap_or_default()
    }
    fn end(&self, n: &u32) -> Outcome {
        self.1[n]
    }
}

#[test]
fn ties_are_quick_and_wins_come_before_them() {
    let ends = BTreeMap::from([(0, Outcome::Loss), (1, Outcome::Tie), (2, Outcome::Win)]);
    let edges = BTreeMap::from([
        (10, vec![1]),      // a tie in one
        (11, vec![10]),     // a tie in two
        (12, vec![10, 11]), // two ties: the quick one
        (13, vec![0, 1]),   // a win and a tie
        (14, vec![2, 11]),  // a loss and a tie
        (15, vec![2, 13]),  // a quick and a slow loss
        (16, vec![15, 0]),  // a slow and a quick win
        (17, vec![2]),      // a loss in one
    ]);
    let game = Graph(edges, ends);
    let of = |n| remoteness(&game, &n).unwrap();
    assert_eq!(of(1), (Outcome::Tie, 0));
    assert_eq!(of(11), (Outcome::Tie, 2));
    assert_eq!(of(12), (Outcome::Tie, 2));
    assert_eq!(of(13), (Outcome::Win, 1));
    assert_eq!(of(14), (Outcome::Tie, 3));
    assert_eq!(of(15), (Outcome::Loss, 2));
    assert_eq!(of(16), (Outcome::Win, 1));
    assert_eq!(of(17), (Outcome::Loss, 1));
}

#[test]
fn a_cycle_is_reported() {
    let game = Graph(BTreeMap::from([(1, vec![2]), (2, vec![3]), (3, vec![1])]), BTreeMap::new());
    assert_eq!(remoteness(&game, &1), Err(Cyclic));
}

/// Honey Islands on stones, for the definition.
struct Honey(Rule);

impl Game for Honey {
    type Position = (Vec<Mask>, Mask);
    fn children(&self, (left, stones): &Self::Position) -> Vec<Self::Position> {
        if left.len() == 1 {
            return Vec::new();
        }
        let mut cells: Vec<usize> = cells_of(undetermined(left)).collect();
        if self.0 == Rule::RedundantHint {
            cells.extend(cells_of(determined(left) & !stones));
        }
        cells.into_iter().map(|cell| (with_black(left, cell), stones | 1 << cell)).collect()
    }
    fn end(&self, _: &Self::Position) -> Outcome {
        Outcome::Loss
    }
}

#[test]
fn lengths_of_honey_islands_agree_with_the_definition() {
    let mut random = Random(11);
    for rule in RULES {
        let mut longest = 0;
        for _ in 0..60 {
            let (left, stones) = random_position(rule, 14, &mut random);
            let (outcome, length) = remoteness(&Honey(rule), &(left.clone(), stones)).unwrap();
            let mut lengths = Lengths::new(rule, 1 << 16);
            let spot = Spot::new(rule, left, stones);
            assert_eq!(lengths.value(&spot) == Value::Won, outcome == Outcome::Win);
            assert_eq!(lengths.remoteness(&spot), Some(length));
            longest = longest.max(length);
        }
        assert!(longest >= 3, "{rule} {longest}");
    }
}
