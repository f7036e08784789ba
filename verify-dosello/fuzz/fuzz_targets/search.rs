//! The search and the fast expansion against plain negamax and the rules: the bytes choose the moves of a game, the
//! settings and the bound.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;
use verify_dosello::expand::{Children, View};
use verify_dosello::order::Learned;
use verify_dosello::rules::Position;
use verify_dosello::search::{Bound, Settings, Solver};
use verify_dosello::table::Table;
use verify_dosello_fuzz::common::tabled_value;

const EMPTY_AT_MOST: u32 = 10;

fuzz_target!(|data: &[u8]| {
    let Some((&[table_from, far_from, early, score], steps)) = data.split_first_chunk::<4>() else { return };
    let mut position = Position::initial();
    let mut steps = steps.iter().chain(std::iter::repeat(&0));
    let mut children = Children::default();
    loop {
        let moves = position.moves();
        children.expand::<true>(&View::of(&position));
        let placements = position.placements();
        let fast: Vec<Position> = (0..children.count())
            .map(|index| children.child(index).position(position.turn.other()))
            .collect();
        assert_eq!(fast, placements.iter().map(|(_, next)| *next).collect::<Vec<_>>());
        if moves.is_empty() || position.empty().count_ones() <= EMPTY_AT_MOST {
            break;
        }
        let step = usize::from(*steps.next().expect("endless"));
        position = moves[step % moves.len()].1;
    }
    if position.empty().count_ones() > EMPTY_AT_MOST {
        return;
    }
    let value = tabled_value(&position, &mut HashMap::new());
    let score = (i32::from(score) % 65 - 32) * 2;
    let settings = Settings {
        table_from: u32::from(table_from % 16),
        far_from: u32::from(far_from % 16),
        near_mb: 1,
        early_look_ups_from: u32::from(early % 16),
    };
    let mut table = Table::new(1);
    let mut solver = Solver::with_order(&mut table, Learned::new(None), settings);
    for (bound, holds) in [(Bound::AtLeast(score), value >= score), (Bound::AtMost(score), value <= score)] {
        let proved = solver.decide(&position, bound, u64::MAX).expect("no fault");
        assert_eq!(proved.bound() == bound, holds, "{position:?} {bound:?} {value}");
    }
});
