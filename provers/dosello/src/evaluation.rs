//! The learned evaluation: features, weights and the file that holds them.
//!
//! The evaluation of a position is a sum over 46 patterns (sets of squares, each in one of 3^n states) and a few
//! dense terms, with weights of its own for every four empty squares. The definition is that of
//! `verify-dosello/FORMAT.md`.

use std::ops::RangeInclusive;

use crate::board::{Position, beside, image, pairs, squares_of};

/// Number of phases: phase `p` holds the positions with `4 * p` to `4 * p + 3` empty squares.
pub const PHASES: usize = 16;
/// Number of pattern instances, the symmetric images of the shapes below.
pub const PATTERNS: usize = 46;
/// Instances rounded up to whole vector registers.
const LANES: usize = 48;
/// Number of dense terms.
pub const DENSE: usize = 10;
/// Brings the dense terms to about the size of one, so that one learning rate serves all weights.
const SCALE: [f32; DENSE] = [1.0, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 0.1, 0.03, 0.5];
/// The first line of a weights file.
const HEADER: &[u8] = b"dosello weights 1\n";
/// Weights of the file in a disc.
const UNITS_PER_DISC: f32 = 256.0;

/// The shapes, as squares in the order of their ternary digits, least first.
const SHAPES: [&[usize]; 11] = [
    &[0, 1, 2, 3, 4, 5, 6, 7, 9, 14],
    &[8, 9, 10, 11, 12, 13, 14, 15],
    &[16, 17, 18, 19, 20, 21, 22, 23],
    &[24, 25, 26, 27, 28, 29, 30, 31],
    &[0, 9, 18, 27, 36, 45, 54, 63],
    &[1, 10, 19, 28, 37, 46, 55],
    &[2, 11, 20, 29, 38, 47],
    &[3, 12, 21, 30, 39],
    &[0, 1, 2, 8, 9, 10, 16, 17, 18],
    &[0, 1, 2, 3, 4, 8, 9, 10, 11, 12],
    &[18, 19, 20, 21, 26, 27, 28, 29],
];

/// The weights of one evaluation.
#[derive(Clone)]
pub struct Evaluation {
    /// What a disc of the mover on each square adds to the index of each pattern instance; one of the other side
    /// adds twice that.
    digits: Box<[[u16; LANES]; 64]>,
    /// Where the weights of each instance's shape begin.
    offsets: [usize; PATTERNS],
    /// Number of pattern weights of a phase.
    states: usize,
    /// Weights in discs, one vector a phase: the pattern states, then the dense terms.
    pub weights: Vec<Vec<f32>>,
}

impl Default for Evaluation {
    fn default() -> Self {
        let mut digits = Box::new([[0; LANES]; 64]);
        let mut offsets = [0; PATTERNS];
        let (mut instance, mut states) = (0, 0);
        for shape in SHAPES {
            let mut seen: Vec<u64> = Vec::new();
            for symmetry in 0..8 {
                let squares: Vec<usize> = shape.iter().map(|&square| image(square, symmetry)).collect();
                let mask = squares.iter().fold(0u64, |mask, &square| mask | (1 << square));
                if seen.contains(&mask) {
                    continue;
                }
                seen.push(mask);
                let mut digit = 1;
                for square in squares {
                    digits[square][instance] = digit;
                    digit *= 3;
                }
                offsets[instance] = states;
                instance += 1;
            }
            states += 3usize.pow(u32::try_from(shape.len()).unwrap_or(0));
        }
        assert_eq!(instance, PATTERNS, "the shapes have exactly {PATTERNS} images");
        Self { digits, offsets, states, weights: vec![vec![0.0; states + DENSE]; PHASES] }
    }
}

/// The phase of a position.
#[inline]
#[must_use]
pub fn phase(position: &Position) -> usize {
    (position.empties() / 4) as usize
}

/// The dense terms of a position, as whole numbers.
#[inline]
#[must_use]
pub fn dense(position: &Position) -> [i16; DENSE] {
    let count = |set: u64| set.count_ones() as i16;
    let empty = !(position.mover | position.other);
    let mine = position.mobility() as i16;
    let theirs = position.passed().mobility() as i16;
    let (across, down) = pairs(empty);
    let lonely = empty & !beside(empty);
    [
        1,
        mine,
        theirs,
        count(across) + count(down),
        position.difference() as i16,
        i16::from(mine == 0),
        i16::from(theirs == 0),
        count(lonely),
        32 * (mine - theirs) / (mine + theirs + 2),
        if count(empty & !lonely) & 2 == 0 { -1 } else { 1 },
    ]
}

impl Evaluation {
    /// The weight number of each pattern instance.
    #[inline]
    #[must_use]
    pub fn indices(&self, position: &Position) -> [u32; PATTERNS] {
        // Sums stay below 3^10; wrapping additions let the compiler use vector registers.
        let total = |set: u64| {
            let mut sum = [0u16; LANES];
            for square in squares_of(set) {
                for (index, digit) in sum.iter_mut().zip(&self.digits[square]) {
                    *index = index.wrapping_add(*digit);
                }
            }
            sum
        };
        let (own, theirs) = (total(position.mover), total(position.other));
        let sum: [u16; LANES] =
            std::array::from_fn(|i| own[i].wrapping_add(theirs[i]).wrapping_add(theirs[i]));
        std::array::from_fn(|i| u32::from(sum[i]) + self.offsets[i] as u32)
    }

    /// The evaluation in discs from the mover's view.
    #[inline]
    #[must_use]
    pub fn value(&self, position: &Position) -> f32 {
        self.sum(phase(position), &self.indices(position), &dense(position))
    }

    /// The same, rounded to an even score that can occur.
    #[must_use]
    pub fn discs(&self, position: &Position) -> i32 {
        (self.value(position) / 2.0).round().clamp(-31.0, 31.0) as i32 * 2
    }

    #[inline]
    fn sum(&self, phase: usize, indices: &[u32; PATTERNS], dense: &[i16; DENSE]) -> f32 {
        let weights = &self.weights[phase];
        let patterns: f32 = indices.iter().map(|&i| weights[i as usize]).sum();
        let terms: f32 = weights[self.states..]
            .iter()
            .zip(dense)
            .zip(SCALE)
            .map(|((w, &x), s)| w * s * f32::from(x))
            .sum();
        patterns + terms
    }

    /// Gives the weights of one phase to another.
    pub fn copy_phase(&mut self, from: usize, to: usize) {
        let weights = self.weights[from].clone();
        self.weights[to] = weights;
    }

    /// Fits the weights of `phase` to `samples` by stochastic gradient descent, each weight slowed down while few
    /// samples touch it. Returns the mean absolute error, in discs, over the last epoch.
    pub fn fit(&mut self, phase: usize, samples: &[(Position, f32)], epochs: u8) -> f32 {
        let rows: Vec<_> = samples.iter().map(|(p, label)| (self.indices(p), dense(p), *label)).collect();
        let mut seen = vec![0.0f32; self.states];
        for &index in rows.iter().flat_map(|(indices, ..)| indices) {
            seen[index as usize] += 1.0;
        }
        let pace: Vec<f32> = seen.iter().map(|&n| n / (n + 20.0)).collect();
        let mut trained = 0.0;
        for epoch in 0..epochs {
            let rate = 0.02 + 0.3 * (1.0 - f32::from(epoch) / f32::from(epochs));
            trained = 0.0;
            for (indices, dense, label) in &rows {
                let error = label - self.sum(phase, indices, dense);
                trained += error.abs();
                let step = rate * error / (PATTERNS as f32 + 4.0);
                let (patterns, terms) = self.weights[phase].split_at_mut(self.states);
                for &index in indices {
                    patterns[index as usize] += step * pace[index as usize];
                }
                for ((weight, &x), scale) in terms.iter_mut().zip(dense).zip(SCALE) {
                    *weight += 0.3 * step * scale * f32::from(x);
                }
            }
        }
        trained / rows.len().max(1) as f32
    }

    /// The mean absolute error, in discs, of the weights of `phase` on samples.
    #[must_use]
    pub fn error(&self, phase: usize, samples: &[(Position, f32)]) -> f32 {
        let error = |(position, label): &(Position, f32)| {
            (label - self.sum(phase, &self.indices(position), &dense(position))).abs()
        };
        samples.iter().map(error).sum::<f32>() / samples.len().max(1) as f32
    }

    /// Sets the weights of `phase` to the mean of those of `members`.
    pub fn set_mean(&mut self, phase: usize, members: &[Self]) {
        for (i, weight) in self.weights[phase].iter_mut().enumerate() {
            *weight =
                members.iter().map(|member| member.weights[phase][i]).sum::<f32>() / members.len() as f32;
        }
    }

    /// The same with each of these phases mixed with those before and after it (as far as they are among them), its
    /// own weights counting twice.
    #[must_use]
    pub fn smoothed(&self, phases: RangeInclusive<usize>) -> Self {
        let mut result = self.clone();
        for phase in phases.clone() {
            let near: Vec<&Vec<f32>> = [phase.wrapping_sub(1), phase, phase, phase + 1]
                .iter()
                .filter(|near| phases.contains(near))
                .map(|&near| &self.weights[near])
                .collect();
            for (i, weight) in result.weights[phase].iter_mut().enumerate() {
                *weight = near.iter().map(|weights| weights[i]).sum::<f32>() / near.len() as f32;
            }
        }
        result
    }

    /// The weights of one phase, exactly.
    #[must_use]
    pub fn phase_bytes(&self, phase: usize) -> Vec<u8> {
        self.weights[phase].iter().flat_map(|weight| weight.to_le_bytes()).collect()
    }

    /// Reads what [`Self::phase_bytes`] gave; false, and nothing changes, if it has another length.
    #[must_use]
    pub fn read_phase(&mut self, phase: usize, bytes: &[u8]) -> bool {
        let (words, rest) = bytes.as_chunks::<4>();
        let fits = words.len() == self.weights[phase].len() && rest.is_empty();
        if fits {
            self.weights[phase] = words.iter().map(|word| f32::from_le_bytes(*word)).collect();
        }
        fits
    }

    /// The content of a weights file, before compression.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        for phase in &self.weights {
            let (patterns, terms) = phase.split_at(self.states);
            let scaled = patterns.iter().copied().chain(terms.iter().zip(SCALE).map(|(w, s)| w * s));
            for weight in scaled {
                bytes.extend(((weight * UNITS_PER_DISC).round() as i16).to_le_bytes());
            }
        }
        bytes
    }

    /// Reads the content of a weights file.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut result = Self::default();
        let body = bytes.strip_prefix(HEADER)?;
        if body.len() != PHASES * 2 * (result.states + DENSE) {
            return None;
        }
        let states = result.states;
        for (phase, bytes) in result.weights.iter_mut().zip(body.chunks_exact(2 * (states + DENSE))) {
            for (i, (weight, pair)) in phase.iter_mut().zip(bytes.chunks_exact(2)).enumerate() {
                let scale = if i < states { 1.0 } else { SCALE[i - states] };
                *weight = f32::from(i16::from_le_bytes([pair[0], pair[1]])) / UNITS_PER_DISC / scale;
            }
        }
        Some(result)
    }
}
