//! The solver against the recursion of the rules, on games made up for it: any sets of cells of one size are the
//! solutions of some puzzle, and small ones are solved in no time. So each shortcut and each table is tried on
//! thousands of positions, large and small.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Random, value_by_stones};
use std::collections::{BTreeSet, HashMap};
use verify_honey::board::Mask;
use verify_honey::rules::{Rule, Value, determined, plain_value};
use verify_honey::solver::{Shortcuts, Solver};

impl Random {
    /// So many sets of `size` of the first `cells` cells, spread over the 61 of a board.
    fn solutions(&mut self, count: usize, size: usize, cells: usize) -> Vec<Mask> {
        let step = 61 / cells;
        let mut found = BTreeSet::new();
        while found.len() < count {
            let mut mask: Mask = 0;
            while mask.count_ones() < u32::try_from(size).unwrap() {
                mask |= 1 << (step * self.below(cells));
            }
            found.insert(mask);
        }
        let mut found: Vec<Mask> = found.into_iter().collect();
        for last in (1..found.len()).rev() {
            found.swap(last, self.below(last + 1));
        }
        found
    }

    /// So many solutions of a puzzle in which one cell of each group is black: long games, since a stone says little.
    fn choices(&mut self, count: usize, groups: usize, cells: usize) -> Vec<Mask> {
        let mut found: Vec<Mask> = Vec::new();
        while found.len() < count {
            let cell = |random: &mut Random, group: usize| 1 << (cells * group + random.below(cells));
            let solution = (0..groups).fold(0, |mask: Mask, group| mask | cell(self, group));
            if !found.contains(&solution) {
                found.push(solution);
            }
        }
        found
    }
}

const ALL: Shortcuts = Shortcuts::ALL;
const SWITCHED: [Shortcuts; 9] = [
    ALL,
    Shortcuts { pair_cover: false, ..ALL },
    Shortcuts { merging: false, ..ALL },
    Shortcuts { early_look_ups: false, ..ALL },
    Shortcuts { partner: false, ..ALL },
    Shortcuts { blocks: false, ..ALL },
    Shortcuts { short_looks: false, ..ALL },
    Shortcuts { tables: false, ..ALL },
    Shortcuts::NONE,
];

/// Solves one game from its start, and from a start in which some stones are missing on determined cells.
fn agrees(rule: Rule, left: &[Mask], solvers: &mut [Solver]) -> Value {
    let fixed = determined(left);
    let hints = if rule == Rule::Standard { 0 } else { fixed.count_ones() };
    let expected = value_by_stones(rule, left, 0, &mut HashMap::new());
    for (index, solver) in solvers.iter_mut().enumerate() {
        let solved = solver.solve(left, hints);
        assert_eq!(solved.value, expected, "{rule}, {} solutions, {hints} hints, solver {index}", left.len());
    }
    expected
}

fn solvers(rule: Rule) -> Vec<Solver<'static>> {
    let mut solvers: Vec<Solver> = SWITCHED.iter().map(|s| Solver::new(rule, 1 << 16, *s)).collect();
    // One whose tables are so small that entries push each other out.
    solvers.push(Solver::new(rule, 64, ALL));
    solvers
}

#[test]
fn small_games_have_the_value_of_the_rules_whatever_is_switched_off() {
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let mut random = Random(1);
        let mut solvers = solvers(rule);
        let (mut won, mut lost, mut with_hints, mut plain) = (0, 0, 0, 0);
        for round in 0..1500 {
            // Of eight cells there are 28 pairs and more of the larger sets.
            let cells = 8 + random.below(4);
            let size = 2 + random.below(3);
            let count = 2 + random.below(if size == 2 { 10 } else { 20 });
            let mut left = match round % 3 {
                0 => random.choices(count, 5, 2),
                1 => random.choices(2 * count, 4, 3),
                _ => random.solutions(count, size, cells),
            };
            if random.below(3) == 0 {
                // Cells that are black in all solutions: hints, where the rule has them.
                let more: Mask = [1 << 60, 1 << 60 | 1 << 59, 1 << 58][random.below(3)];
                for solution in &mut left {
                    *solution |= more;
                }
                with_hints += 1;
            }
            let value = agrees(rule, &left, &mut solvers);
            if left.len() < 5 {
                assert_eq!(plain_value(rule, &left, 0), value, "{rule}: {left:x?}");
                plain += 1;
            }
            match value {
                Value::Won => won += 1,
                Value::Lost => lost += 1,
            }
        }
        assert!(won > 200 && lost > 200 && with_hints > 200, "{won} {lost} {with_hints}");
        assert!(plain > 100, "{plain}");
    }
}

#[test]
fn games_of_more_solutions_than_a_block_holds_have_the_value_of_the_rules() {
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let mut random = Random(2);
        // The slow ones are those without the shortcut that keeps their number small.
        let mut solvers: Vec<Solver> =
            [ALL, Shortcuts { blocks: false, ..ALL }, Shortcuts { short_looks: false, ..ALL }]
                .iter()
                .map(|shortcuts| Solver::new(rule, 1 << 16, *shortcuts))
                .collect();
        let mut values = [[0, 0], [0, 0]];
        for count in [60, 64, 65, 66, 128, 129, 200, 255, 256, 257, 258, 260, 280, 300, 340, 380] {
            for (groups, cells) in [(10, 2), (6, 3)] {
                let left = random.choices(count, groups, cells);
                let won = agrees(rule, &left, &mut solvers) == Value::Won;
                values[usize::from(count > 256)][usize::from(won)] += 1;
            }
        }
        // Without a move a position counts as lost, so won ones show that the moves are found.
        assert!(values[0][0] > 0 && values[0][1] > 0 && values[1][1] > 0, "{rule}: {values:?}");
    }
}

#[test]
fn the_tables_and_each_shortcut_save_nodes() {
    for rule in [Rule::Standard, Rule::RedundantHint] {
        let mut random = Random(4);
        let mut nodes = [0; SWITCHED.len()];
        for _ in 0..20 {
            let count = 60 + random.below(80);
            let left = random.choices(count, 9, 2);
            for (count, shortcuts) in nodes.iter_mut().zip(SWITCHED) {
                *count += Solver::new(rule, 1 << 16, shortcuts).solve(&left, 0).nodes;
            }
        }
        let [all, pair_cover, merging, early, partner, blocks, looks, tables, none] = nodes;
        // Pair cover and short looks save work within a node, and blocks are another form of the same sets.
        assert_eq!((all, all, all), (pair_cover, blocks, looks), "{rule}");
        assert!(
            all < merging && all < early && all < partner && all < tables && all < none,
            "{rule}: {nodes:?}"
        );
    }
}
