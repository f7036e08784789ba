//! Near-optimal plans of the restricted game by predictive regret matching (PCFR+).
//!
//! While the bounds are far apart the restricted game need not be solved to the end: any plan gives a valid bound. Each
//! round asks every choice how much each of its probes would have won against the opponent's present plan, and sets its
//! shares in proportion to what was missed so far, the last round counted once more: the next one is expected to be
//! like it, which takes a fourth of the rounds. The average of all rounds approaches an optimum. A round costs two
//! passes through the table of wins, so hundreds of them cost less than one linear programme, and what the choices have
//! learnt is where the next restricted game begins.
//!
//! Source: G. Farina, C. Kroer, T. Sandholm, Faster game solving via predictive Blackwell approachability, AAAI 2021;
//! here with rounds weighed by their squares.

use super::restricted::{Restricted, Sequences};
use super::tree::Masses;
use serde::{Deserialize, Serialize};

/// Rounds between two looks at what the averages guarantee, and the most rounds of a call.
const LOOK_EVERY: u32 = 25;
const MOST_ROUNDS: u32 = 20_000;

/// What the choices of both players have learnt: for each node, the regret of each of its probes.
#[derive(Default, Serialize, Deserialize)]
pub struct Regrets([Masses<f64>; 2]);

/// Average plans.
pub struct Averages {
    /// The masses of Black's sequences and of White's.
    pub plans: [Vec<f64>; 2],
    /// What Black's plan guarantees in the restricted game and what White's admits, summed over the frames.
    pub bounds: [f64; 2],
    /// How many rounds it took.
    pub rounds: u32,
}

/// One player's choices during the rounds; everything is by sequence.
struct Learner<'a> {
    sequences: &'a Sequences,
    regrets: Vec<f64>,
    /// The regrets of the last round alone.
    latest: Vec<f64>,
    shares: Vec<f64>,
    plan: Vec<f64>,
    sum: Vec<f64>,
}

impl<'a> Learner<'a> {
    fn new(sequences: &'a Sequences, learnt: &Masses<f64>) -> Learner<'a> {
        let zeros = || vec![0.0; sequences.count];
        let mut regrets = zeros();
        for choice in &sequences.choices {
            // Probes that were allowed since then have no regret yet.
            let earlier = learnt.get(choice.node as usize).map_or(&[][..], Vec::as_slice);
            regrets[choice.first..choice.first + earlier.len()].copy_from_slice(earlier);
        }
        let mut learner =
            Learner { sequences, regrets, latest: zeros(), shares: zeros(), plan: zeros(), sum: zeros() };
        learner.decide();
        learner
    }

    /// Sets the shares in proportion to the expected regrets, and the plan that they make.
    #[allow(clippy::cast_precision_loss, reason = "a choice has at most 16 probes")]
    fn decide(&mut self) {
        self.plan[0] = 1.0;
        for choice in &self.sequences.choices {
            let range = choice.first..choice.first + choice.width;
            let mut total = 0.0;
            for at in range.clone() {
                self.shares[at] = (self.regrets[at] + self.latest[at]).max(0.0);
                total += self.shares[at];
            }
            let mass = self.plan[choice.parent];
            for at in range {
                self.shares[at] =
                    if total > 0.0 { self.shares[at] / total } else { 1.0 / choice.width as f64 };
                self.plan[at] = mass * self.shares[at];
            }
        }
    }

    /// Learns from what each sequence gains by itself.
    fn learn(&mut self, mut gains: Vec<f64>) {
        for choice in self.sequences.choices.iter().rev() {
            let range = choice.first..choice.first + choice.width;
            let value: f64 = range.clone().map(|at| self.shares[at] * gains[at]).sum();
            for at in range {
                self.latest[at] = gains[at] - value;
                self.regrets[at] = (self.regrets[at] + self.latest[at]).max(0.0);
            }
            gains[choice.parent] += value;
        }
    }

    fn record(&mut self, weight: f64) {
        for (sum, mass) in self.sum.iter_mut().zip(&self.plan) {
            *sum += weight * mass;
        }
    }

    fn average(&self) -> Vec<f64> {
        self.sum.iter().map(|sum| sum / self.sum[0]).collect()
    }

    fn keep(&self, learnt: &mut Masses<f64>) {
        for choice in &self.sequences.choices {
            let node = choice.node as usize;
            if learnt.len() <= node {
                learnt.resize(node + 1, Vec::new());
            }
            learnt[node] = self.regrets[choice.first..choice.first + choice.width].to_vec();
        }
    }
}

/// How often Black wins at a pair of sequences, in a form that is quick to pass through.
struct Wins(Vec<(u32, u32, f32)>);

impl Wins {
    #[allow(clippy::cast_precision_loss, reason = "a count of frames")]
    fn new(game: &Restricted) -> Wins {
        Wins(
            game.wins
                .iter()
                .map(|&(black, white, count)| (black as u32, white as u32, count as f32))
                .collect(),
        )
    }

    /// What each of Black's sequences gains by itself against White's plan.
    fn for_black(&self, white_plan: &[f64], count: usize) -> Vec<f64> {
        let mut gains = vec![0.0; count];
        for &(black, white, wins) in &self.0 {
            gains[black as usize] += f64::from(wins) * white_plan[white as usize];
        }
        gains
    }

    /// What each of White's sequences gains: he loses what Black wins.
    fn for_white(&self, black_plan: &[f64], count: usize) -> Vec<f64> {
        let mut gains = vec![0.0; count];
        for &(black, white, wins) in &self.0 {
            gains[white as usize] -= f64::from(wins) * black_plan[black as usize];
        }
        gains
    }
}

/// The most that a player can gain when each sequence gains this by itself.
fn best(sequences: &Sequences, mut gains: Vec<f64>) -> f64 {
    for choice in sequences.choices.iter().rev() {
        let own = &gains[choice.first..choice.first + choice.width];
        let best = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        gains[choice.parent] += best;
    }
    gains[0]
}

/// Rounds until what the averages guarantee differs by at most `tolerance` in the restricted game.
pub fn averages(game: &Restricted, regrets: &mut Regrets, tolerance: f64) -> Averages {
    let wins = Wins::new(game);
    let counts = [game.sequences[0].count, game.sequences[1].count];
    let mut black = Learner::new(&game.sequences[0], &regrets.0[0]);
    let mut white = Learner::new(&game.sequences[1], &regrets.0[1]);
    let mut rounds = 0;
    loop {
        rounds += 1;
        let weight = f64::from(rounds) * f64::from(rounds);
        black.learn(wins.for_black(&white.plan, counts[0]));
        black.decide();
        black.record(weight);
        white.learn(wins.for_white(&black.plan, counts[1]));
        white.decide();
        white.record(weight);
        if rounds % LOOK_EVERY == 0 {
            let plans = [black.average(), white.average()];
            let lower = -best(white.sequences, wins.for_white(&plans[0], counts[1]));
            let upper = best(black.sequences, wins.for_black(&plans[1], counts[0]));
            if upper - lower <= tolerance || rounds >= MOST_ROUNDS {
                black.keep(&mut regrets.0[0]);
                white.keep(&mut regrets.0[1]);
                return Averages { plans, bounds: [lower, upper], rounds };
            }
        }
    }
}
