//! Trains the weights from nothing but the rules, phase by phase from the end of the game.
//!
//! The last phases are labelled with exact values, the earlier ones with shallow searches that end in phases
//! already trained; phase 6 begins with the second kind, of which there are many, and ends with the first.
//! Each phase is fitted several times, to samples drawn from seeds of their own, and the mean of these fits is the
//! phase's weights: with 10 squares to a pattern, a single fit is short of samples, and its noise costs nodes.
//! Later phases are labelled with the means. At the end each phase is mixed with its neighbours, for the same reason:
//! what a pattern is worth changes less from phase to phase than it is uncertain. Everything is counted in samples and
//! drawn from the seeds, so a run repeats exactly.

use std::path::PathBuf;
use std::time::Instant;
use std::{fs, io};

use crate::board::{Children, Position};
use crate::evaluation::{Evaluation, PHASES};
use crate::search::Search;

/// Labels outside this range say no more than "lost" or "won" to an ordering.
const WIDEST_LABEL: f32 = 40.0;
/// Depth of the searches that label bootstrapped samples: two phases.
const BOOTSTRAP_DEPTH: u32 = 4;

/// One sample in so many is not trained on.
const HELD_OUT: usize = 20;
/// Passes over the samples of a fit.
const EPOCHS: u8 = 20;

/// The labelled positions are small; a table that fits into the processor's cache is the fastest.
const TABLE_MEGABYTES: usize = 16;

/// One line of the plan: a phase, its exactly labelled samples and its bootstrapped ones.
struct Step {
    phase: usize,
    exact: usize,
    bootstrapped: usize,
}

/// About 6 minutes a fit on one core of a server of 2024; most of it goes to 20 to 31 empty squares.
const PLAN: [Step; 10] = [
    Step { phase: 2, exact: 100_000, bootstrapped: 0 },
    Step { phase: 3, exact: 150_000, bootstrapped: 0 },
    Step { phase: 4, exact: 300_000, bootstrapped: 0 },
    Step { phase: 5, exact: 200_000, bootstrapped: 0 },
    Step { phase: 6, exact: 40_000, bootstrapped: 200_000 },
    Step { phase: 7, exact: 0, bootstrapped: 250_000 },
    Step { phase: 8, exact: 0, bootstrapped: 160_000 },
    Step { phase: 9, exact: 0, bootstrapped: 120_000 },
    Step { phase: 10, exact: 0, bootstrapped: 90_000 },
    Step { phase: 11, exact: 0, bootstrapped: 70_000 },
];

/// A splitmix64 generator (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 24) as f32
    }
}

/// Plays from the start to a position with the given number of empty squares whose mover can place: some moves at
/// random, the others greedily for mobility, with noise. The game may end before.
fn sample(random: &mut Random, empties: u32) -> Option<Position> {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let carelessness = 0.1 + 0.5 * random.unit();
    let mut position = Position::initial();
    let mut children = Children::default();
    while position.empties() > empties {
        position.expand(&mut children);
        if children.len == 0 {
            position = position.passed();
            if position.mobility() == 0 {
                return None;
            }
            continue;
        }
        let careless = position.empties() > 46 || random.unit() < carelessness;
        let choice = if careless {
            random.below(children.len)
        } else {
            for i in 0..children.len {
                children.key[i] = 10 * children.replies[i].cast_signed()
                    - 8 * (children.other[i] & CORNERS).count_ones().cast_signed()
                    + random.below(40) as i32;
            }
            (0..children.len).min_by_key(|&i| children.key[i])?
        };
        position = children.get(choice, &position);
    }
    (position.mobility() > 0).then_some(position)
}

fn samples(
    random: &mut Random,
    phase: usize,
    count: usize,
    mut label: impl FnMut(&Position) -> f32,
) -> Vec<(Position, f32)> {
    let mut result = Vec::with_capacity(count);
    while result.len() < count {
        let empties = 4 * phase as u32 + 2 * (random.next() & 1) as u32;
        if let Some(position) = sample(random, empties) {
            result.push((position, label(&position).clamp(-WIDEST_LABEL, WIDEST_LABEL)));
        }
    }
    result
}

/// How to train.
pub struct Training {
    /// Seed of the first fit of each phase; the next ones count on from it.
    pub seed: u64,
    /// Fits of each phase.
    pub runs: u64,
    /// Share of the planned samples that each fit gets.
    pub percent: usize,
    /// Where the weights of each fit are kept, so that a run that was stopped goes on from there.
    pub folder: PathBuf,
}

/// Trains all phases and reports each fit on `progress`.
///
/// # Errors
/// If the folder cannot be used.
pub fn train(training: &Training, mut progress: impl FnMut(&str)) -> io::Result<Evaluation> {
    fs::create_dir_all(&training.folder)?;
    let mut mean = Evaluation::default();
    for step in &PLAN {
        let phase = step.phase;
        mean.copy_phase(phase - 1, phase);
        let mut members = Vec::new();
        let mut last_held_out = Vec::new();
        for run in 0..training.runs {
            let Training { seed, runs, percent, .. } = training;
            let name = format!("seed-{seed}-runs-{runs}-percent-{percent}-phase-{phase}-run-{run}");
            let path = training.folder.join(name);
            let mut member = mean.clone();
            if let Ok(bytes) = fs::read(&path)
                && member.read_phase(phase, &bytes)
            {
                last_held_out.clear();
            } else {
                last_held_out = fit(&mut member, step, training, run, |line| {
                    progress(&format!("phase {phase} run {run} {line}"));
                });
                let unfinished = path.with_extension("unfinished");
                fs::write(&unfinished, member.phase_bytes(phase))?;
                fs::rename(&unfinished, &path)?;
            }
            members.push(member);
        }
        mean.set_mean(phase, &members);
        if !last_held_out.is_empty() {
            progress(&format!("phase {phase} mean held-out-error {:.2}", mean.error(phase, &last_held_out)));
        }
    }
    let (first, last) = (PLAN[0].phase, PLAN[PLAN.len() - 1].phase);
    let mut smooth = mean.smoothed(first..=last);
    // The ends of the game that the plan leaves out use the nearest trained phase.
    for phase in 0..first {
        smooth.copy_phase(first, phase);
    }
    for phase in last + 1..PHASES {
        smooth.copy_phase(last, phase);
    }
    Ok(smooth)
}

/// Fits one phase of `member` to samples of its own, and returns those that were held out.
fn fit(
    member: &mut Evaluation,
    step: &Step,
    training: &Training,
    run: u64,
    mut progress: impl FnMut(&str),
) -> Vec<(Position, f32)> {
    let mut search = Search::new(TABLE_MEGABYTES);
    let mut held_out = Vec::new();
    let share = |count: usize| count * training.percent / 100;
    // Mixed once, or seeds that differ by little would begin alike.
    let seed = Random(training.seed.wrapping_add(run)).next() ^ step.phase as u64;
    let mut random = Random(seed);
    for (kind, count) in [("bootstrapped", share(step.bootstrapped)), ("exact", share(step.exact))] {
        if count == 0 {
            continue;
        }
        let start = Instant::now();
        let nodes = search.nodes + search.shallow_nodes;
        let mut samples = samples(&mut random, step.phase, count, |position| {
            if kind == "exact" {
                search.value(position, member) as f32
            } else {
                search.shallow(position, BOOTSTRAP_DEPTH, -f32::INFINITY, f32::INFINITY, member)
            }
        });
        let spent = (search.nodes + search.shallow_nodes - nodes) / count as u64;
        let labelled = start.elapsed().as_secs();
        held_out = samples.split_off(samples.len() - samples.len() / HELD_OUT);
        let trained = member.fit(step.phase, &samples, EPOCHS);
        progress(&format!(
            "{kind} samples {count} nodes-per-label {spent} error {trained:.2} held-out-error {:.2} \
             seconds {labelled}+{}",
            member.error(step.phase, &held_out),
            start.elapsed().as_secs() - labelled
        ));
    }
    held_out
}
