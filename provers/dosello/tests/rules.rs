#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "tests fail by panicking"
)]

use std::collections::{HashMap, HashSet};

use prove_dosello::board::{Children, Placement, Position};
use prove_dosello::evaluation::Evaluation;
use prove_dosello::search::Search;
use prove_dosello::train::{Training, train};

/// A board of squares, from the wording of the rules: colours 1 (mover), -1, 0, and each disc's partner.
#[derive(Clone)]
struct Slow {
    colour: [i8; 64],
    partner: [usize; 64],
}

impl Slow {
    fn of(position: &Position) -> Self {
        let mut slow = Self { colour: [0; 64], partner: [64; 64] };
        for square in 0..64 {
            let bit = 1u64 << square;
            slow.colour[square] = i8::from(position.mover & bit != 0) - i8::from(position.other & bit != 0);
            for (ends, step) in [(position.across, 1), (position.down, 8)] {
                if ends & bit != 0 {
                    slow.partner[square] = square + step;
                    slow.partner[square + step] = square;
                }
            }
        }
        slow
    }

    fn captured_from(&self, square: usize) -> Vec<usize> {
        let mut captured = Vec::new();
        for (dr, dc) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let (mut row, mut column) = ((square / 8) as i32 + dr, (square % 8) as i32 + dc);
            let mut run = Vec::new();
            while (0..8).contains(&row) && (0..8).contains(&column) {
                let here = (row * 8 + column) as usize;
                match self.colour[here] {
                    -1 => run.push(here),
                    1 => {
                        captured.append(&mut run);
                        break;
                    }
                    _ => break,
                }
                (row, column) = (row + dr, column + dc);
            }
        }
        captured
    }

    /// The children, as boards of the next mover.
    fn children(&self) -> Vec<Self> {
        let mut result = Vec::new();
        for (step, first) in (0..64).flat_map(|square| [(1, square), (8, square)]) {
            let second = first + step;
            if (step == 1 && first % 8 == 7)
                || second > 63
                || self.colour[first] != 0
                || self.colour[second] != 0
            {
                continue;
            }
            let mut next = self.clone();
            (next.colour[first], next.colour[second]) = (1, 1);
            let mut flips: Vec<usize> =
                [first, second].into_iter().flat_map(|square| next.captured_from(square)).collect();
            if flips.is_empty() {
                continue;
            }
            for i in 0..flips.len() {
                flips.push(self.partner[flips[i]]);
            }
            for square in flips {
                next.colour[square] = 1;
            }
            (next.partner[first], next.partner[second]) = (second, first);
            next.colour = next.colour.map(|colour| -colour);
            result.push(next);
        }
        result
    }

    fn value(&self, passed: bool) -> i32 {
        let children = self.children();
        if let Some(best) = children.iter().map(|child| -child.value(false)).max() {
            return best;
        }
        if passed {
            return self.colour.iter().map(|&colour| i32::from(colour)).sum();
        }
        let mut other = self.clone();
        other.colour = other.colour.map(|colour| -colour);
        -other.value(true)
    }
}

/// A pseudo-random playout down to `empties` empty squares; `None` if the game ends before.
fn playout(seed: u64, empties: u32) -> Option<Position> {
    let (mut position, mut children, mut state) = (Position::initial(), Children::default(), seed * 2 + 1);
    while position.empties() > empties {
        position.expand(&mut children);
        if children.len == 0 {
            position = position.passed();
            if position.mobility() == 0 {
                return None;
            }
            continue;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        position = children.get((state >> 33) as usize % children.len, &position);
    }
    Some(position)
}

#[test]
fn positions_after_one_to_five_plies_are_as_many_as_published() {
    let mut layer = HashMap::from([(Position::initial(), 1u64)]);
    let mut children = Children::default();
    for published in [
        (20, 10, 20),
        (254, 127, 254),
        (3534, 1763, 3652),
        (46414, 23089, 49472),
        (653_294, 323_274, 756_090),
    ] {
        let mut next: HashMap<Position, u64> = HashMap::new();
        for (position, paths) in layer {
            position.expand(&mut children);
            for i in 0..children.len {
                *next.entry(children.get(i, &position)).or_default() += paths;
            }
        }
        let classes: HashSet<Position> = next.keys().map(Position::canonical).collect();
        assert_eq!((next.len(), classes.len(), next.values().sum()), published);
        layer = next;
    }
}

#[test]
fn the_generator_agrees_with_a_slow_one_written_from_the_rules() {
    let mut children = Children::default();
    let mut compared = 0;
    for seed in 0..3000 {
        let Some(position) = playout(seed, 4 + 2 * (seed as u32 % 26)) else { continue };
        position.expand(&mut children);
        let mut fast: Vec<_> = (0..children.len).map(|i| Slow::of(&children.get(i, &position))).collect();
        for (i, child) in fast.iter().enumerate() {
            assert_eq!(child.children().len(), children.replies[i] as usize);
        }
        let mut slow = Slow::of(&position).children();
        fast.sort_by_key(|board| (board.colour, board.partner));
        slow.sort_by_key(|board| (board.colour, board.partner));
        assert!(fast.iter().zip(&slow).all(|(a, b)| a.colour == b.colour && a.partner == b.partner));
        assert_eq!(fast.len(), slow.len());
        compared += 1;
    }
    assert!(compared > 2000);
}

#[test]
fn values_agree_with_plain_negamax() {
    let (mut search, ordering) = (Search::new(1), Evaluation::default());
    let mut compared = 0;
    for seed in 0..600 {
        let Some(position) = playout(seed, 6 + 2 * (seed as u32 % 4)) else { continue };
        assert_eq!(search.value(&position, &ordering), Slow::of(&position).value(false));
        compared += 1;
    }
    assert!(compared > 300);
}

#[test]
fn placements_are_read_as_they_are_written() {
    for placement in (0..120).map(Placement).filter(|p| p.0 >= 64 || p.0 % 8 != 7) {
        assert_eq!(Placement::parse(&placement.to_string()), Some(placement));
    }
    for wrong in ["h1-a2", "a1-b2", "a1-a3", "a0-a1", "i1-i2", "a1a2", ""] {
        assert_eq!(Placement::parse(wrong), None);
    }
}

#[test]
fn a_weights_file_is_read_as_it_was_written() {
    let mut evaluation = Evaluation::default();
    for (i, weight) in evaluation.weights.iter_mut().flatten().enumerate() {
        *weight = (i % 1000) as f32 / 256.0 - 1.5;
    }
    let bytes = evaluation.to_bytes();
    assert_eq!(bytes.len(), 5_560_178);
    assert_eq!(Evaluation::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    assert!(Evaluation::from_bytes(&bytes[1..]).is_none());
}

#[test]
fn smoothing_mixes_a_phase_with_its_neighbours_and_leaves_the_others() {
    let mut evaluation = Evaluation::default();
    for (phase, value) in [(4, 100.0), (5, 8.0), (6, 16.0), (7, 40.0), (8, 200.0)] {
        evaluation.weights[phase].fill(value);
    }
    let smooth = evaluation.smoothed(5..=7);
    let expected = [(4, 100.0), (5, 32.0 / 3.0), (6, 20.0), (7, 32.0), (8, 200.0), (9, 0.0)];
    for (phase, value) in expected {
        assert!(smooth.weights[phase].iter().all(|&weight| (weight - value).abs() < 1e-5), "phase {phase}");
    }
}

#[test]
fn training_repeats_bit_for_bit_also_when_it_was_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let run = |name: &str| {
        let training = Training { seed: 1, runs: 2, percent: 1, folder: path(name) };
        train(&training, |_| {}).unwrap().to_bytes()
    };
    let first = run("first");
    // Of the fits, every second is there, one is cut short and one is under its provisional name.
    std::fs::create_dir(path("second")).unwrap();
    let mut fits: Vec<_> =
        std::fs::read_dir(path("first")).unwrap().map(|file| file.unwrap().file_name()).collect();
    fits.sort();
    assert_eq!(fits.len(), 20);
    for (i, fit) in fits.iter().enumerate() {
        let mut bytes = std::fs::read(path("first").join(fit)).unwrap();
        let to = path("second").join(fit);
        match i {
            2 => bytes.truncate(1000),
            3 => bytes.clear(),
            _ => {}
        }
        if i % 2 == 0 || i == 3 {
            std::fs::write(to, bytes).unwrap();
        }
    }
    assert!(run("second") == first);
    // A finished run is not repeated.
    assert!(run("first") == first);
}
