//! The restricted game in sequence form, and what is done with its plans.
//!
//! Only nodes with two or more allowed probes are choices. The other nodes are passed through, so that the linear
//! programme has variables for real choices alone. A sequence is a choice's probe; sequence 0 is the empty one.

use super::response::IntegerMap;
use super::tree::{ABSENT, Allowed, Arena, Masses, NodeId, ROOT, Tree, side};
use crate::game::{Cell, Known, Player, Rule};

/// A node at which there is a choice.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The node.
    pub node: NodeId,
    /// The sequence on which it depends.
    pub parent: usize,
    /// The sequence of its first probe; the others follow.
    pub first: usize,
    /// The number of its probes.
    pub width: usize,
}

/// One player's choices that some play of the restricted game reaches, each after those on which it depends.
pub struct Sequences {
    /// The choices.
    pub choices: Vec<Choice>,
    /// The number of sequences, the empty one included.
    pub count: usize,
    /// The first sequence of each node's choice, 0 where there is none.
    first: Vec<usize>,
}

/// The restricted game: both players' sequences, and how often Black wins at each pair of them over all frames.
pub struct Restricted {
    /// Black's sequences and White's.
    pub sequences: [Sequences; 2],
    /// `(Black's sequence, White's sequence, frames in which Black wins there)`, in order.
    pub wins: Vec<(usize, usize, i32)>,
    /// The number of complete plays.
    pub plays: u64,
}

#[derive(Clone, Copy)]
struct Stand {
    node: NodeId,
    known: Known,
    sequence: usize,
}

struct Walk<'a> {
    arena: &'a Arena,
    trees: [&'a Tree; 2],
    sequences: [Sequences; 2],
    wins: IntegerMap<u64, i32>,
    plays: u64,
}

impl Restricted {
    /// Enumerates the plays of the two trees.
    #[must_use]
    pub fn new(arena: &Arena, trees: [&Tree; 2]) -> Restricted {
        let sequences =
            trees.map(|tree| Sequences { choices: Vec::new(), count: 1, first: vec![0; tree.nodes.len()] });
        let mut walk = Walk { arena, trees, sequences, wins: IntegerMap::default(), plays: 0 };
        for frame in 0..arena.frames {
            let stands = [Player::Black, Player::White].map(|player| Stand {
                node: ROOT,
                known: arena.board.game.start(player),
                sequence: 0,
            });
            walk.from(arena.first(), stands, frame == 1);
        }
        let split = |(key, count): (u64, i32)| ((key >> 32) as usize, (key & 0xFFFF_FFFF) as usize, count);
        let mut wins: Vec<_> = walk.wins.into_iter().map(split).collect();
        wins.sort_unstable();
        Restricted { sequences: walk.sequences, wins, plays: walk.plays }
    }
}

impl Walk<'_> {
    fn from(&mut self, player: Player, stands: [Stand; 2], turned: bool) {
        let at = side(player);
        let here = stands[at];
        let tree = self.trees[at];
        let probes = tree.probes(here.node);
        match probes {
            [] => {
                let cell = self.arena.default_cell(player, here.known);
                let probe = Allowed { cell, next: [ABSENT; 2] };
                self.step(player, stands, turned, probe, here.sequence);
            }
            [probe] => self.step(player, stands, turned, *probe, here.sequence),
            _ => {
                let sequences = &mut self.sequences[at];
                let mut first = sequences.first[here.node as usize];
                if first == 0 {
                    first = sequences.count;
                    sequences.first[here.node as usize] = first;
                    sequences.count += probes.len();
                    let (node, parent, width) = (here.node, here.sequence, probes.len());
                    sequences.choices.push(Choice { node, parent, first, width });
                }
                for (index, probe) in probes.iter().enumerate() {
                    self.step(player, stands, turned, *probe, first + index);
                }
            }
        }
    }

    fn step(&mut self, player: Player, stands: [Stand; 2], turned: bool, probe: Allowed, sequence: usize) {
        let (at, opponent) = (side(player), player.opponent());
        let cell = Cell::from(probe.cell);
        let seen = if turned { self.arena.board.game.rotated(cell) } else { cell };
        let success = stands[1 - at].known.own >> seen & 1 == 0;
        let mut next = stands;
        next[at] = Stand {
            node: probe.next[usize::from(success)],
            known: stands[at].known.then(cell, success),
            sequence,
        };
        if success && self.arena.board.joins(player, next[at].known.own) {
            self.plays += 1;
            if player == Player::Black {
                *self.wins.entry((next[0].sequence as u64) << 32 | next[1].sequence as u64).or_default() += 1;
            }
            return;
        }
        let again = !success && self.arena.board.game.rule == Rule::Classic;
        self.from(if again { player } else { opponent }, next, turned);
    }
}

/// A linear programme in whole numbers: maximise `cost . x`, the rows up to `equations` being equal to zero and the
/// others at most zero. Its columns are Black's sequences (at least 0, the empty one fixed to 1), then the values of
/// White's choices (free). White's plan is the prices of the inequalities, one for each of his sequences but the first.
pub struct Programme {
    /// Columns that are Black's sequences.
    pub sequences: usize,
    /// All columns.
    pub columns: usize,
    /// Rows that are equations.
    pub equations: usize,
    /// The coefficients of the objective.
    pub cost: Vec<i32>,
    /// `(column, coefficient)` of each row.
    pub rows: Vec<Vec<(usize, i32)>>,
}

impl Programme {
    /// The programme of a restricted game. Its value is Black's probability of winning times the number of frames.
    #[must_use]
    pub fn new(game: &Restricted) -> Programme {
        let [black, white] = &game.sequences;
        let equations = black.choices.len();
        let mut rows = vec![Vec::new(); equations + white.count - 1];
        let mut cost = vec![0; black.count + white.choices.len()];
        for (row, choice) in black.choices.iter().enumerate() {
            rows[row].push((choice.parent, -1));
            rows[row].extend((choice.first..choice.first + choice.width).map(|sequence| (sequence, 1)));
        }
        let row_of = |sequence: usize| equations + sequence - 1;
        for (index, choice) in white.choices.iter().enumerate() {
            let value = black.count + index;
            for sequence in choice.first..choice.first + choice.width {
                rows[row_of(sequence)].push((value, 1));
            }
            if choice.parent == 0 {
                cost[value] = 1;
            } else {
                rows[row_of(choice.parent)].push((value, -1));
            }
        }
        for &(black, white, count) in &game.wins {
            if white == 0 {
                cost[black] += count;
            } else {
                rows[row_of(white)].push((black, -count));
            }
        }
        Programme { sequences: black.count, columns: cost.len(), equations, cost, rows }
    }
}

/// The masses that raw values of the sequences stand for: values below `clip` are dropped, then each choice's values
/// are scaled to sum to the mass of the sequence on which it depends.
#[must_use]
pub fn masses(tree: &Tree, sequences: &Sequences, raw: &[f64], clip: f64) -> Masses<f64> {
    let mut masses = vec![Vec::new(); tree.nodes.len()];
    let mut of_sequence = vec![0.0; sequences.count];
    of_sequence[0] = 1.0;
    for choice in &sequences.choices {
        let parts = &raw[choice.first..choice.first + choice.width];
        let kept: Vec<f64> = parts.iter().map(|&mass| if mass < clip { 0.0 } else { mass }).collect();
        let scaled = scaled(kept, of_sequence[choice.parent], || 0);
        of_sequence[choice.first..choice.first + choice.width].copy_from_slice(&scaled);
        masses[choice.node as usize] = scaled;
    }
    masses
}

fn scaled(mut parts: Vec<f64>, mass: f64, if_empty: impl Fn() -> usize) -> Vec<f64> {
    let sum: f64 = parts.iter().sum();
    if sum > 0.0 {
        for part in &mut parts {
            *part *= mass / sum;
        }
    } else {
        parts[if_empty()] = mass;
    }
    parts
}

/// A plan of an older tree weighed with a newer one: `weight` of the older. Where one of them leaves open what to do
/// the other one's shares are taken.
#[must_use]
pub fn mixed(
    tree: &Tree,
    sequences: &Sequences,
    newer: &Masses<f64>,
    older: &Masses<f64>,
    weight: f64,
    clip: f64,
) -> Masses<f64> {
    let mut masses = vec![Vec::new(); tree.nodes.len()];
    let root = || {
        let mut of_sequence = vec![0.0; sequences.count];
        of_sequence[0] = 1.0;
        of_sequence
    };
    let (mut newer_mass, mut older_mass, mut mixed_mass) = (root(), root(), root());
    for choice in &sequences.choices {
        let range = choice.first..choice.first + choice.width;
        let shares = |plan: &Masses<f64>| {
            let parts = plan.get(choice.node as usize)?;
            let sum: f64 = parts.iter().sum();
            let share = |index| parts.get(index).copied().unwrap_or(0.0) / sum;
            (sum > 1e-12).then(|| (0..choice.width).map(share).collect::<Vec<_>>())
        };
        let first = || (0..choice.width).map(|index| if index == 0 { 1.0 } else { 0.0 }).collect::<Vec<_>>();
        let (new, old) = (shares(newer), shares(older));
        let new_shares = new.clone().or_else(|| old.clone()).unwrap_or_else(first);
        let old_shares = old.or(new).unwrap_or_else(first);
        let mut parts = Vec::with_capacity(choice.width);
        for (index, sequence) in range.clone().enumerate() {
            newer_mass[sequence] = newer_mass[choice.parent] * new_shares[index];
            older_mass[sequence] = older_mass[choice.parent] * old_shares[index];
            parts.push(weight * older_mass[sequence] + (1.0 - weight) * newer_mass[sequence]);
        }
        let kept: Vec<f64> = parts.iter().map(|&mass| if mass < clip { 0.0 } else { mass }).collect();
        let greatest =
            || (0..parts.len()).max_by(|&one, &other| parts[one].total_cmp(&parts[other])).unwrap_or(0);
        let scaled = scaled(kept, mixed_mass[choice.parent], greatest);
        mixed_mass[range].copy_from_slice(&scaled);
        masses[choice.node as usize] = scaled;
    }
    masses
}
