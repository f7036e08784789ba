//! The fast search against plain recursions written from the rules, and the producers against what they promise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    missing_docs,
    reason = "a test fails by panicking"
)]

use prove_honey::Value;
use prove_honey::advice::{self, Advice, Replies};
use prove_honey::board::{ALL, Board, cells};
use prove_honey::cover::Tree;
use prove_honey::game::{self, Mask, Node};
use prove_honey::line::{self, Ply};
use prove_honey::log::{self, Entry};
use prove_honey::random::Random;
use prove_honey::remoteness::{Remoteness, State};
use prove_honey::solver::{Options, Rule, Solver, Stats};
use prove_honey::{enumerate, list};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::sync::LazyLock;

static BOARD: LazyLock<Board> = LazyLock::new(Board::new);
static SOLUTIONS: LazyLock<Vec<u64>> = LazyLock::new(|| enumerate::solutions(&BOARD));
static OPENING: LazyLock<[BTreeMap<Mask, Node>; 4]> = LazyLock::new(|| game::opening(&BOARD, &SOLUTIONS));

/// Random stones until at most `cap` solutions are left: the list and the stones.
fn random_position(random: &mut Random, cap: usize) -> (Vec<u64>, u64) {
    let (mut list, mut stones) = (SOLUTIONS.clone(), 0);
    while list.len() > cap {
        let (all, some) = game::determined(&list);
        let open: Vec<usize> = cells(some & !all).collect();
        let cell = open[random.below(open.len())];
        stones |= 1 << cell;
        list.retain(|solution| solution >> cell & 1 == 1);
    }
    (list, stones)
}

/// The cells that the rule allows: determined ones too if hints are played.
fn allowed(list: &[u64], stones: u64, rule: Rule) -> (u64, (u64, u32)) {
    let (all, some) = game::determined(list);
    let free = some & !if rule == Rule::Standard { all } else { stones };
    (free, (all, (all & free).count_ones()))
}

fn kept(list: &[u64], cell: usize) -> Vec<u64> {
    list.iter().copied().filter(|solution| solution >> cell & 1 == 1).collect()
}

/// Who wins, by the rules alone: stones on cells, solutions struck out.
fn plain(list: &[u64], stones: u64, rule: Rule, memo: &mut HashMap<(u64, u32), Value>) -> Value {
    if list.len() == 1 {
        return Value::Loss;
    }
    let (free, key) = allowed(list, stones, rule);
    if let Some(&known) = memo.get(&key) {
        return known;
    }
    let wins =
        cells(free).any(|cell| plain(&kept(list, cell), stones | 1 << cell, rule, memo) == Value::Loss);
    let value = if wins { Value::Win } else { Value::Loss };
    memo.insert(key, value);
    value
}

/// Value and remoteness, in the same way.
fn plain_remoteness(
    list: &[u64],
    stones: u64,
    rule: Rule,
    memo: &mut HashMap<(u64, u32), (Value, u32)>,
) -> (Value, u32) {
    if list.len() == 1 {
        return (Value::Loss, 0);
    }
    let (free, key) = allowed(list, stones, rule);
    if let Some(&known) = memo.get(&key) {
        return known;
    }
    let (mut quickest, mut slowest) = (u32::MAX, 0);
    for cell in cells(free) {
        match plain_remoteness(&kept(list, cell), stones | 1 << cell, rule, memo) {
            (Value::Loss, plies) => quickest = quickest.min(plies + 1),
            (Value::Win, plies) => slowest = slowest.max(plies + 1),
        }
    }
    let result = if quickest < u32::MAX { (Value::Win, quickest) } else { (Value::Loss, slowest) };
    memo.insert(key, result);
    result
}

fn hints(list: &[u64], stones: u64, rule: Rule) -> u32 {
    if rule == Rule::Standard { 0 } else { (game::determined(list).0 & !stones).count_ones() }
}

#[test]
fn the_enumeration_finds_every_solution_and_its_images() {
    assert_eq!(SOLUTIONS.len(), 1_304_983);
    for &black in SOLUTIONS.iter().step_by(97) {
        let mut white = ALL & !black;
        for _ in 0..6 {
            let island = BOARD.component(white);
            assert_eq!(island.count_ones(), 6);
            white &= !island;
        }
        assert_eq!(white, 0);
        assert!(BOARD.images(black).iter().all(|image| SOLUTIONS.binary_search(image).is_ok()));
    }
}

#[test]
fn the_opening_has_the_published_numbers_of_positions() {
    let sizes: Vec<usize> = OPENING.iter().map(BTreeMap::len).collect();
    assert_eq!(sizes, [1, 9, 180, 3122]);
    let with_hint: Vec<Mask> = OPENING[3].keys().copied().filter(|mask| mask.count_ones() > 3).collect();
    assert_eq!(with_hint, [0x63]);
}

#[test]
fn the_search_agrees_with_a_plain_recursion() {
    let mut random = Random(7);
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let best = Options::for_rule(rule);
        for options in
            [best, Options { partners: false, ..best }, Options { table_from: 8, canonical_from: 65, ..best }]
        {
            let mut solver = Solver::new(&BOARD, rule, options, 12).unwrap();
            let mut values = BTreeSet::new();
            for i in 0..60 {
                let (list, stones) = random_position(&mut random, [12, 60, 150, 300][i % 4]);
                let p = hints(&list, stones, rule);
                let value = plain(&list, stones, rule, &mut HashMap::new());
                assert_eq!(solver.solve(&list, p), value, "{} solutions, {rule:?}, {p} hints", list.len());
                values.insert(value);
            }
            assert_eq!(values.len(), 2);
        }
    }
}

#[test]
fn remoteness_agrees_with_a_plain_recursion() {
    let mut random = Random(8);
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let mut solver = Solver::new(&BOARD, rule, Options::for_rule(rule), 12).unwrap();
        for i in 0..60 {
            let (list, stones) = random_position(&mut random, [20, 50, 100][i % 3]);
            let p = hints(&list, stones, rule);
            let state = State::new(list, p);
            let mut search = Remoteness::new(&mut solver, rule == Rule::RedundantHint);
            let expected = plain_remoteness(&state.list, stones, rule, &mut HashMap::new());
            assert_eq!((search.value(&state), search.of(&state)), expected);
        }
    }
}

#[test]
fn a_perfect_line_is_as_long_as_the_remoteness_of_its_start() {
    let mut random = Random(9);
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let mut solver = Solver::new(&BOARD, rule, Options::for_rule(rule), 16).unwrap();
        for _ in 0..5 {
            let (list, stones) = random_position(&mut random, 60);
            let mut search = Remoteness::new(&mut solver, rule == Rule::RedundantHint);
            // The line starts without stones, so every determined cell is a hint.
            let start = hints(&list, 0, rule);
            let length = search.of(&State::new(list.clone(), start));
            let line = line::perfect(&list, rule, &mut search).unwrap();
            assert_eq!(line.len() as u32, length);
            for (ply, Ply { left, remoteness, .. }) in line.iter().enumerate() {
                assert_eq!(*remoteness, Some(length - ply as u32 - 1));
                assert_eq!(*left == 1, ply + 1 == line.len());
            }
            assert_ne!(stones, 0);
            assert_moves_are_due(&list, rule, &line);
        }
    }
}

/// Works every move of a line out again by the plain recursion: remoteness, then solutions left, then the cell.
fn assert_moves_are_due(start: &[u64], rule: Rule, line: &[Ply]) {
    let (mut list, mut stones, mut memo) = (start.to_vec(), 0, HashMap::new());
    for ply in line {
        let (free, _) = allowed(&list, stones, rule);
        let options: Vec<(Value, u32, usize, usize)> = cells(free)
            .map(|cell| {
                let child = kept(&list, cell);
                let (value, plies) = plain_remoteness(&child, stones | 1 << cell, rule, &mut memo);
                (value, plies, child.len(), cell)
            })
            .collect();
        let winning = options.iter().filter(|(value, ..)| *value == Value::Loss);
        let due = winning.min_by_key(|&&(_, plies, left, cell)| (plies, left, cell)).unwrap_or_else(|| {
            options.iter().min_by_key(|&&(_, plies, left, cell)| (Reverse(plies), left, cell)).unwrap()
        });
        assert_eq!((ply.cell, ply.left, ply.remoteness), (due.3, due.2, Some(due.1)));
        assert_eq!(ply.hint, ply.left == list.len());
        (list, stones) = (kept(&list, ply.cell), stones | 1 << ply.cell);
    }
}

#[test]
fn the_search_agrees_with_the_committed_log() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/runs/values.log.xz");
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("values.log");
    let mut packed = liblzma::read::XzDecoder::new(std::fs::File::open(path).unwrap());
    std::io::copy(&mut packed, &mut std::fs::File::create(&plain).unwrap()).unwrap();
    let mut random = Random(10);
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let log = log::read(&plain, rule).unwrap();
        let mut solver = Solver::new(&BOARD, rule, Options::for_rule(rule), 20).unwrap();
        for value in [Value::Win, Value::Loss] {
            let mut cheap: Vec<&Entry> =
                log.values().filter(|entry| entry.n <= 8_000 && entry.value == value).collect();
            for _ in 0..6 {
                let entry = cheap.swap_remove(random.below(cheap.len()));
                let list = game::left(&SOLUTIONS, entry.mask);
                let hints = if rule == Rule::Standard { 0 } else { entry.mask.count_ones() - 3 };
                assert_eq!((list.len(), hints), (entry.n, entry.hints));
                assert_eq!(solver.solve(&list, hints), value, "{:016x}, {rule:?}", entry.mask);
            }
        }
    }
}

/// Values drawn at random: what a proof set must show does not depend on the game.
fn random_values(seed: u64, lost_in: usize) -> BTreeMap<Mask, Entry> {
    let mut random = Random(seed);
    let entry = |(&mask, node): (&Mask, &Node)| {
        let value = if random.below(lost_in) == 0 { Value::Loss } else { Value::Win };
        let rule = Rule::RedundantHint;
        (
            mask,
            Entry {
                rule,
                mask,
                hints: mask.count_ones() - 3,
                value,
                n: node.n,
                stats: Stats::default(),
                cpu_ms: 0,
            },
        )
    };
    OPENING[3].iter().map(entry).collect()
}

#[test]
fn a_derivation_rests_every_step_on_earlier_ones_and_reaches_its_claim() {
    // Values with won and lost positions after one stone.
    let first_values = |values: &BTreeMap<Mask, Entry>| -> BTreeMap<Mask, Value> {
        let tree = Tree { rule: Rule::RedundantHint, levels: &OPENING, values, per_position: 0 };
        OPENING[1].keys().map(|&mask| (mask, tree.value(1, mask).unwrap())).collect()
    };
    let mixed = |values: &BTreeMap<Mask, Entry>| {
        first_values(values).into_values().collect::<BTreeSet<_>>().len() == 2
    };
    let values = (0..100).map(|seed| random_values(seed, 15)).find(mixed).unwrap();
    let depth1 = first_values(&values);
    let tree = Tree { rule: Rule::RedundantHint, levels: &OPENING, values: &values, per_position: 1000 };
    for (leaves, all) in [(tree.prove_depth1().unwrap(), true), (tree.prove_root().unwrap(), false)] {
        let text = tree.derivation(SOLUTIONS.len(), &leaves);
        let mut proved = BTreeMap::new();
        let body = text.strip_prefix("honey-proofset 1\nrule redundant-hint\nsolutions 1304983\n").unwrap();
        for step in body.strip_suffix("end\n").unwrap().lines() {
            let words: Vec<&str> = step.split(' ').collect();
            let mask = Mask::from_str_radix(words[1], 16).unwrap();
            let depth = OPENING.iter().position(|level| level.contains_key(&mask)).unwrap();
            assert_eq!(words[2].parse(), Ok(mask.count_ones() - depth as u32));
            let value = match (words[0], &words[3..]) {
                ("search", [value]) => {
                    assert_eq!((depth, *value), (3, values[&mask].value.word()));
                    values[&mask].value
                }
                ("won", ["by", child, p]) => {
                    let child = Mask::from_str_radix(child, 16).unwrap();
                    assert_eq!(p.parse(), Ok(child.count_ones() - depth as u32 - 1));
                    assert!(tree.children(depth, mask).contains(&child));
                    assert_eq!(proved[&child], Value::Loss);
                    Value::Win
                }
                ("lost", []) => {
                    assert!(tree.children(depth, mask).iter().all(|child| proved[child] == Value::Win));
                    Value::Loss
                }
                _ => panic!("unknown step {step}"),
            };
            assert_eq!(proved.insert(mask, value), None);
        }
        assert_eq!(proved[&0], Value::Win);
        assert_eq!(depth1.iter().all(|(mask, value)| proved.get(mask) == Some(value)), all);
    }
}

#[test]
fn an_incomplete_list_is_refused_and_a_complete_one_is_compressed_without_loss() {
    let mut values = random_values(4, 3);
    let text = list::text(Rule::RedundantHint, SOLUTIONS.len(), OPENING[3].keys(), &values).unwrap();
    assert_eq!(text.lines().count(), 3122 + 5);
    let mut back = String::new();
    liblzma::read::XzDecoder::new(&list::compress(&text).unwrap()[..]).read_to_string(&mut back).unwrap();
    assert_eq!(back, text);
    values.pop_first();
    let error = list::text(Rule::RedundantHint, SOLUTIONS.len(), OPENING[3].keys(), &values).unwrap_err();
    assert!(error.to_string().starts_with("1 of 3122"));
}

#[test]
fn large_masks_are_counted_once_each() {
    // Down to this size they are the root and all first and second positions of at least that size, and more.
    let least = 600_000;
    let found = game::large_masks(&BOARD, &SOLUTIONS, least);
    for level in OPENING.iter() {
        for (mask, node) in level {
            assert_eq!(found.contains_key(mask), node.n >= least);
        }
    }
    let mut raw = BTreeSet::from([0]);
    let mut open = vec![0];
    while let Some(mask) = open.pop() {
        for reply in game::replies(&game::left(&SOLUTIONS, mask)) {
            if reply.n >= least && raw.insert(reply.mask) {
                open.push(reply.mask);
            }
        }
    }
    assert_eq!(found.values().sum::<usize>(), raw.len());
}

#[test]
fn advised_moves_win_and_cover_the_whole_proof() {
    let rule = Rule::Standard;
    let mut solver = Solver::new(&BOARD, rule, Options::for_rule(rule), 20).unwrap();
    // A lost position after three stones.
    let start = game::left(&SOLUTIONS, 0x0500_0010);
    let replies = Replies::new(300, HashMap::new());
    let mut keeping = Solver::new(&BOARD, rule, Options::for_rule(rule), 20).unwrap().with_replies(&replies);
    assert_eq!(keeping.solve(&start, 0), Value::Loss);
    let mut advice = Advice::default();
    let found = advice.add(&BOARD, &replies, 300, start.clone()).unwrap();
    assert!(advice.moves.len() > 100, "{}", advice.moves.len());
    // Each advised move leads to a lost position, and each large move from a lost position to an advised one.
    for (&mask, reply) in found.iter().map(|(mask, reply)| (mask, reply)).step_by(20) {
        let list = game::left(&SOLUTIONS, mask);
        if let Some(cell) = reply {
            assert_eq!(solver.solve(&kept(&list, usize::from(*cell)), 0), Value::Loss);
            continue;
        }
        for next in game::replies(&list).iter().filter(|next| next.n >= 300) {
            let after = game::replies(&game::left(&SOLUTIONS, next.mask));
            let known = advice.moves.contains_key(&BOARD.canonical(next.mask));
            assert!(known || after.iter().any(|reply| reply.n == 1));
        }
    }
    // The log brings everything back, and what is missing is noticed.
    let log = advice::log_lines(&found, 5) + "0000000000000007 1";
    let (read, done) = advice::read_log(advice::complete(&log)).unwrap();
    assert_eq!((read.len(), done.contains(&5)), (found.len(), true));
    let mut again = Advice::default();
    again.add(&BOARD, &Replies::new(300, read), 300, start.clone()).unwrap();
    assert_eq!(again.moves, advice.moves);
    assert!(Advice::default().add(&BOARD, &Replies::new(300, HashMap::new()), 300, start).is_err());
}

#[test]
fn advice_is_packed_without_loss() {
    let text = advice::text(1_304_983, 1_000, &BTreeMap::from([(3, 17), (0x5000, 60)]));
    assert_eq!(
        text,
        "honey-advice 1\nrule standard\nsolutions 1304983\nleast 1000\n0000000000000003 17\n0000000000005000 60\nend\n"
    );
    let packed = list::compress_lzma(&text).unwrap();
    let stream = liblzma::stream::Stream::new_lzma_decoder(1 << 30).unwrap();
    let mut unpacked = String::new();
    liblzma::read::XzDecoder::new_stream(&packed[..], stream).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, text);
}
