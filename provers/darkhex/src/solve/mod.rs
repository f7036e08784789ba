//! Exact values by a double oracle on realization plans.
//!
//! Both players are kept to the probes of a tree each (the restricted game) and follow a stated default elsewhere. In
//! turns, the restricted game is solved as a linear programme, each player's best response to the other's plan is found
//! in the whole game, and what improves is added to the trees. The responses also bound the value from both sides.
//! When the bounds have all but met, the plans are read off the programme's basis in whole numbers and the checker says
//! whether they meet.
//!
//! Since a response to any plan gives a valid bound, the plans asked about are the programme's solutions smoothed with
//! the best plan so far, which converges in fewer steps than the vertices alone.
//! Source of the method: B. Bosansky, C. Kiekintveld, V. Lisy, M. Pechoucek, An exact double-oracle algorithm for
//! zero-sum extensive-form games with imperfect information, JAIR 51 (2014).

#![allow(clippy::float_arithmetic, reason = "plans are sought in floating point and proved by the checker")]

pub mod basis;
pub mod finish;
pub mod highs;
pub mod regret;
pub mod response;
pub mod restricted;
pub mod seed;
pub mod tree;

use crate::game::{Board, Game, Player, Rule};
use finish::{Output, Proved};
use highs::{Basis, Highs, Solution, status};
use regret::Regrets;
use response::{Response, bound};
use restricted::{Programme, Restricted, Sequences, masses, mixed};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tree::{Arena, Masses, NodeId, Tree, side};

/// Masses below this part of the gap are dropped: small plans are answered faster.
const CLIP: f64 = 0.005;
/// Improvements below this part of the gap are not worth a new probe.
const MARGIN: f64 = 0.0003;
/// With fewer new probes than this, the unsmoothed plan is asked about too, and the responder's other probes count as
/// played with this share.
const FEW: usize = 30;
const LEAST_SHARE: f64 = 0.01;
/// The gap at which an exact finish is tried, and iterations between two tries.
const CLOSED: f64 = 1e-8;
const BETWEEN_TRIES: u64 = 5;
/// Regrets are matched, to this part of the gap, while the programme is at least so large, the gap so wide, and the
/// rounds are of use; otherwise the programme is solved.
const LARGE: usize = 1000;
const WIDE: f64 = 1e-4;
const TOLERANCE: f64 = 0.05;
/// The part of the gap that the rounds have to reach for regret matching to go on.
const FAILURE: f64 = 0.5;
/// Weights of the best plan in the smoothing.
const WEIGHTS: std::ops::RangeInclusive<f64> = 0.5..=0.85;
const FIRST_WEIGHT: f64 = 0.8;

/// What to solve and where to put it.
pub struct Options {
    /// The game.
    pub game: Game,
    /// Where the certificate goes.
    pub output: Output,
    /// Processor seconds of solving, earlier runs included, after which the best bounds are written.
    pub time_limit: Option<f64>,
    /// The file of the state, read if it is there and written again and again.
    pub checkpoint: Option<PathBuf>,
    /// The time between two writings of that file.
    pub checkpoint_every: Duration,
    /// The folder of a certificate of the same game from which to start.
    pub start: Option<PathBuf>,
    /// The library for linear programmes.
    pub highs: Option<PathBuf>,
    /// Whether both best responses are sought at once.
    pub two_threads: bool,
    /// Whether to use the rotation of the board where it holds.
    pub rotation: bool,
}

/// The best plan of a player so far, on the first probes of each node.
#[derive(Default, Serialize, Deserialize)]
struct Best {
    masses: Masses<f64>,
    widths: Vec<u8>,
}

/// A basis by names, which outlive the programme: sequences by node and cell, choices by node.
#[derive(Default, Serialize, Deserialize)]
struct NamedBasis {
    sequences: [BTreeMap<u64, i32>; 2],
    choices: [BTreeMap<NodeId, i32>; 2],
}

/// All that the next step depends on.
#[derive(Serialize, Deserialize)]
struct State {
    game: String,
    iteration: u64,
    seconds: f64,
    processor_seconds: f64,
    trees: [Tree; 2],
    best: [Best; 2],
    lower: f64,
    upper: f64,
    weights: [f64; 2],
    unsmoothed: [bool; 2],
    basis: Option<NamedBasis>,
    regrets: Regrets,
    /// Regret matching no longer gets near enough in its rounds, or leads to nothing new.
    past_regrets: bool,
    /// The last step matched regrets.
    #[serde(default)]
    matched: bool,
    tried: Option<u64>,
}

/// What one player's responses brought.
struct Answers {
    /// The bounds by the smoothed plan and by the unsmoothed one, if it was asked about.
    bounds: (f64, Option<f64>),
    allowed: usize,
    beliefs: u64,
}

/// Solves a game and writes its certificate: the value, or the best bounds at the time limit.
///
/// # Errors
/// What hindered it, in words.
pub fn solve(options: &Options) -> Result<Proved, String> {
    let highs = Highs::load(options.highs.as_deref())?;
    let arena = Arena::new(Board::new(options.game), options.rotation);
    let mut state = State::load(&arena, options)?;
    let mut clock = Instant::now();
    let mut processor = processor_seconds();
    let mut saved = Instant::now();
    loop {
        let step = state.step(&arena, &highs, options.two_threads)?;
        state.seconds += clock.elapsed().as_secs_f64();
        clock = Instant::now();
        state.processor_seconds += processor_seconds() - processor;
        processor = processor_seconds();
        let ready = state.upper - state.lower < CLOSED || step.finished;
        let tries = ready && state.tried.is_none_or(|tried| state.iteration >= tried + BETWEEN_TRIES);
        if tries || state.iteration.is_multiple_of(10) {
            state.report(&step);
        }
        if tries {
            state.tried = Some(state.iteration);
            match state.exact(&arena, &highs, options, &step.trees) {
                Ok(proved @ Proved::Value(_)) => return Ok(proved),
                Ok(Proved::Bounds(lower, upper)) => eprintln!("exact bounds differ: {lower} and {upper}"),
                Err(error) => eprintln!("no exact plans yet: {error}"),
            }
        }
        state.iteration += 1;
        let over = options.time_limit.is_some_and(|limit| state.processor_seconds >= limit);
        if over || saved.elapsed() >= options.checkpoint_every {
            state.save(options)?;
            saved = Instant::now();
        }
        if over {
            let strategies = [Player::Black, Player::White].map(|player| {
                let (tree, best) = (&state.trees[side(player)], &state.best[side(player)]);
                finish::rounded(&arena, player, tree, &best.widths, &best.masses)
            });
            return options.output.certify(&strategies, arena.frames == 2, false);
        }
    }
}

/// Figures of one step, and the trees that it started from.
struct Step {
    trees: [Tree; 2],
    value: f64,
    sequences: [usize; 2],
    plays: u64,
    /// Rounds of regret matching or steps of the simplex method.
    work: String,
    seconds: [f64; 2],
    answers: [Answers; 2],
    /// Nothing improves on unsmoothed plans.
    finished: bool,
}

impl State {
    fn load(arena: &Arena, options: &Options) -> Result<State, String> {
        let game = format!("{:?}{}", options.game, if options.rotation { "" } else { " without rotation" });
        if let Some(file) = options.checkpoint.as_ref().filter(|file| file.exists()) {
            let at = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
            let text = std::fs::read_to_string(file).map_err(|error| at(&error))?;
            let state: State = serde_json::from_str(&text).map_err(|error| at(&error))?;
            if state.game != game {
                return Err(at(&"the state of another game"));
            }
            eprintln!("resumed at iteration {} after {:.0} s", state.iteration, state.seconds);
            return Ok(state);
        }
        let mut state = State {
            game,
            iteration: 0,
            seconds: 0.0,
            processor_seconds: 0.0,
            trees: [Player::Black, Player::White].map(|player| Tree::new(&arena.board, player)),
            best: [Best::default(), Best::default()],
            lower: 0.0,
            upper: 1.0,
            weights: [FIRST_WEIGHT; 2],
            unsmoothed: [false; 2],
            basis: None,
            regrets: Regrets::default(),
            past_regrets: false,
            matched: false,
            tried: None,
        };
        if let Some(folder) = &options.start {
            let black = seed::from_folder(arena, Player::Black, folder)?;
            let white = seed::from_folder(arena, Player::White, folder)?;
            (state.lower, state.upper) = (black.bound, white.bound);
            eprintln!("started from bounds [{:.8}, {:.8}]", state.lower, state.upper);
            for (at, seed) in [black, white].into_iter().enumerate() {
                state.best[at] = Best { masses: seed.masses, widths: seed.tree.widths() };
                state.trees[at] = seed.tree;
            }
            state.iteration = 1;
        }
        Ok(state)
    }

    /// Writes the state beside its file and then in its place, so that a whole one is always there.
    fn save(&self, options: &Options) -> Result<(), String> {
        let Some(file) = &options.checkpoint else { return Ok(()) };
        let at = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = serde_json::to_string(self).map_err(|error| at(&error))?;
        let part = file.with_extension("part");
        std::fs::write(&part, text).map_err(|error| at(&error))?;
        std::fs::rename(&part, file).map_err(|error| at(&error))
    }

    #[allow(clippy::cast_precision_loss, reason = "there are one or two frames")]
    fn step(&mut self, arena: &Arena, highs: &Highs, two_threads: bool) -> Result<Step, String> {
        let started = Instant::now();
        let gap = (self.upper - self.lower).max(1e-9);
        let clip = (CLIP * gap).max(1e-10);
        let matching = gap >= WIDE && !self.past_regrets;
        if self.matched && !matching {
            self.shed(arena);
        }
        let trees = self.trees.clone();
        let game = Restricted::new(arena, [&trees[0], &trees[1]]);
        let programme = Programme::new(&game);
        let approximate = matching && programme.columns + programme.rows.len() >= LARGE;
        self.matched = approximate;
        let (values, value, work) = if approximate {
            let gap = gap * arena.frames as f64;
            let averages = regret::averages(&game, &mut self.regrets, TOLERANCE * gap);
            let [lower, upper] = averages.bounds;
            self.past_regrets = upper - lower > FAILURE * gap;
            (averages.plans, f64::midpoint(lower, upper), format!("{} rounds", averages.rounds))
        } else {
            let solution = self.solution(highs, &game, &programme, &trees)?;
            let steps = format!("{} steps", solution.steps);
            (sequence_values(&programme, &solution), solution.objective, steps)
        };
        let raw = [0, 1].map(|at| masses(&trees[at], &game.sequences[at], &values[at], clip));
        let smooth = [0, 1].map(|at| self.iteration > 0 && gap > 1e-7 && !self.unsmoothed[at]);
        let asked = [0, 1].map(|at| {
            let (tree, sequences) = (&trees[at], &game.sequences[at]);
            if smooth[at] {
                mixed(tree, sequences, &raw[at], &self.best[at].masses, self.weights[at], clip)
            } else {
                raw[at].clone()
            }
        });
        let solved = started.elapsed().as_secs_f64();
        let margin = (MARGIN * gap).max(1e-10);
        let answer = |me: Player, mine: &mut Tree| {
            let (at, other) = (side(me), side(me.opponent()));
            let mut search = Response::new(arena, me, &trees[other], &asked[other]);
            let smoothed = bound(search.solve(), me);
            let mut allowed = search.extend(mine, &raw[at], margin, 0.0);
            let mut beliefs = search.beliefs;
            let mut unsmoothed = None;
            if smooth[other] && allowed < FEW {
                let mut search = Response::new(arena, me, &trees[other], &raw[other]);
                unsmoothed = Some(bound(search.solve(), me));
                allowed += search.extend(mine, &raw[at], margin, LEAST_SHARE);
                beliefs += search.beliefs;
            }
            Answers { bounds: (smoothed, unsmoothed), allowed, beliefs }
        };
        let [black, white] = &mut self.trees;
        let answers = if two_threads {
            std::thread::scope(|scope| {
                let blacks = scope.spawn(|| answer(Player::Black, black));
                let whites = answer(Player::White, white);
                blacks.join().map(|blacks| [blacks, whites])
            })
            .map_err(|_| "a best response failed".to_string())?
        } else {
            [answer(Player::Black, black), answer(Player::White, white)]
        };
        let settled = answers.iter().all(|answers| answers.allowed == 0) && !smooth[0] && !smooth[1];
        // Only against an optimum of the restricted game does it mean that there is no more to come.
        let finished = settled && !approximate;
        self.past_regrets |= settled;
        self.judge(&answers, &trees, asked, raw);
        Ok(Step {
            value: value / arena.frames as f64,
            sequences: [game.sequences[0].count, game.sequences[1].count],
            plays: game.plays,
            work,
            seconds: [solved, started.elapsed().as_secs_f64() - solved],
            trees,
            answers,
            finished,
        })
    }

    /// Drops all probes that the best plans leave out. Regret matching makes use of many, and a programme of them all
    /// takes minutes; what was of use after all is allowed again.
    fn shed(&mut self, arena: &Arena) {
        for (player, (tree, best)) in
            [Player::Black, Player::White].into_iter().zip(self.trees.iter_mut().zip(&mut self.best))
        {
            let (part, masses) = tree.support(&arena.board, player, &best.widths, &best.masses);
            *best = Best { masses, widths: part.widths() };
            *tree = part;
        }
        (self.basis, self.regrets) = (None, Regrets::default());
    }

    /// Takes the bounds over and keeps the plans that gave better ones.
    fn judge(
        &mut self,
        answers: &[Answers; 2],
        trees: &[Tree; 2],
        asked: [Masses<f64>; 2],
        raw: [Masses<f64>; 2],
    ) {
        for (at, (asked, raw)) in asked.into_iter().zip(raw).enumerate() {
            // Black's plan is answered by White and bounds the value from below. Signs make higher the better.
            let sign = if at == 0 { 1.0 } else { -1.0 };
            let (smoothed, unsmoothed) = answers[1 - at].bounds;
            let raw_bound = unsmoothed.map_or(f64::NEG_INFINITY, |bound| sign * bound);
            let smoothed = sign * smoothed;
            let before = sign * if at == 0 { self.lower } else { self.upper };
            let now = smoothed.max(raw_bound);
            if now > before || self.iteration == 0 {
                let masses = if raw_bound > smoothed { raw } else { asked };
                self.best[at] = Best { masses, widths: trees[at].widths() };
            }
            let better = now.max(before);
            *(if at == 0 { &mut self.lower } else { &mut self.upper }) = sign * better;
            if self.iteration > 0 {
                let change = if now > better - 1e-12 { 0.1 } else { -0.05 };
                self.weights[at] = (self.weights[at] + change).clamp(*WEIGHTS.start(), *WEIGHTS.end());
            }
            self.unsmoothed[at] = answers[1 - at].allowed == 0;
        }
    }

    fn solution(
        &mut self,
        highs: &Highs,
        game: &Restricted,
        programme: &Programme,
        trees: &[Tree; 2],
    ) -> Result<Solution, String> {
        let start = self.basis.as_ref().map(|basis| basis.of(game, programme, trees));
        // A basis from which the simplex method gets into trouble is given up.
        let solution = match highs.solve(programme, start.as_ref()) {
            Err(_) if start.is_some() => highs.solve(programme, None)?,
            ended => ended?,
        };
        self.basis = Some(NamedBasis::new(game, programme, trees, &solution.basis));
        Ok(solution)
    }

    /// The plans at the basis of the restricted game of these trees, judged by the checker.
    fn exact(
        &mut self,
        arena: &Arena,
        highs: &Highs,
        options: &Options,
        trees: &[Tree; 2],
    ) -> Result<Proved, String> {
        let game = Restricted::new(arena, [&trees[0], &trees[1]]);
        let programme = Programme::new(&game);
        let solution = self.solution(highs, &game, &programme, trees)?;
        let nodes = [trees[0].nodes.len(), trees[1].nodes.len()];
        let [black, white] = basis::exact_plans(&game, &programme, &solution.basis, nodes)?;
        eprintln!("masses of {} and {} bits", black.total.bits(), white.total.bits());
        let strategies = [
            finish::exact(arena, Player::Black, &trees[0], &black),
            finish::exact(arena, Player::White, &trees[1], &white),
        ];
        options.output.certify(&strategies, arena.frames == 2, true)
    }

    fn report(&self, step: &Step) {
        eprintln!(
            "iteration {} time {:.1} s processor {:.1} s bounds [{:.8}, {:.8}] restricted {:.8} sequences {} {} plays {} | programme {:.2} s \
             ({}) responses {:.2} s | beliefs {} {} new probes {} {} memory {} MiB",
            self.iteration,
            self.seconds,
            self.processor_seconds,
            self.lower,
            self.upper,
            step.value,
            step.sequences[0],
            step.sequences[1],
            step.plays,
            step.seconds[0],
            step.work,
            step.seconds[1],
            step.answers[0].beliefs,
            step.answers[1].beliefs,
            step.answers[0].allowed,
            step.answers[1].allowed,
            resident_mebibytes()
        );
    }
}

/// Black's sequences are columns; White's are the prices of the inequalities, the empty one being 1.
fn sequence_values(programme: &Programme, solution: &Solution) -> [Vec<f64>; 2] {
    let mut white = vec![1.0];
    white.extend(solution.prices[programme.equations..].iter().map(|price| price.abs()));
    [solution.columns[..programme.sequences].to_vec(), white]
}

fn names(tree: &Tree, sequences: &Sequences) -> Vec<u64> {
    let mut names = vec![u64::MAX; sequences.count];
    for choice in &sequences.choices {
        for (index, probe) in tree.probes(choice.node)[..choice.width].iter().enumerate() {
            names[choice.first + index] = u64::from(choice.node) << 8 | u64::from(probe.cell);
        }
    }
    names
}

impl NamedBasis {
    fn new(game: &Restricted, programme: &Programme, trees: &[Tree; 2], basis: &Basis) -> NamedBasis {
        let mut named = NamedBasis::default();
        let [black, white] = &game.sequences;
        let black_names = names(&trees[0], black).into_iter().zip(&basis.columns).skip(1);
        named.sequences[0] = black_names.map(|(name, &status)| (name, status)).collect();
        let white_names = names(&trees[1], white).into_iter().skip(1);
        let white_rows = white_names.zip(&basis.rows[programme.equations..]);
        named.sequences[1] = white_rows.map(|(name, &status)| (name, status)).collect();
        let choices = |sequences: &Sequences, statuses: &[i32]| {
            sequences.choices.iter().map(|choice| choice.node).zip(statuses.iter().copied()).collect()
        };
        named.choices[0] = choices(black, &basis.rows);
        named.choices[1] = choices(white, &basis.columns[programme.sequences..]);
        named
    }

    /// The basis of a later programme: what has no name in it yet is left out of Black's plan and free for White.
    fn of(&self, game: &Restricted, programme: &Programme, trees: &[Tree; 2]) -> Basis {
        let [black, white] = &game.sequences;
        let known =
            |map: &BTreeMap<u64, i32>, name: u64, otherwise: i32| *map.get(&name).unwrap_or(&otherwise);
        let mut columns: Vec<i32> = names(&trees[0], black)
            .into_iter()
            .map(|name| known(&self.sequences[0], name, status::LOWER))
            .collect();
        let choice = |at: usize, node: NodeId| *self.choices[at].get(&node).unwrap_or(&status::BASIC);
        columns.extend(white.choices.iter().map(|white| choice(1, white.node)));
        let mut rows: Vec<i32> = black.choices.iter().map(|black| choice(0, black.node)).collect();
        let white_names = names(&trees[1], white).into_iter().skip(1);
        rows.extend(white_names.map(|name| known(&self.sequences[1], name, status::BASIC)));
        debug_assert_eq!((columns.len(), rows.len()), (programme.columns, programme.rows.len()));
        Basis { columns, rows }
    }
}

/// What this process has spent on all its threads so far.
#[allow(clippy::cast_precision_loss, reason = "seconds with a fraction")]
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn resident_mebibytes() -> u64 {
    let statistics = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statistics.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4 / 1024
}

/// The rule of this name.
#[must_use]
pub fn rule(name: &str) -> Option<Rule> {
    match name {
        "classic" => Some(Rule::Classic),
        "abrupt" => Some(Rule::Abrupt),
        _ => None,
    }
}
