//! Weights: refused within the cap, or of the layout; and whatever they say, a small search gives the plain value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::collections::HashMap;
use std::sync::LazyLock;
use verify_dosello::order::Learned;
use verify_dosello::rules::Position;
use verify_dosello::search::{Bound, Settings, Solver};
use verify_dosello::table::Table;
use verify_dosello::weights::Weights;
use verify_dosello_fuzz::common::{random_game, tabled_value};
use verify_dosello_fuzz::printable;

/// Positions with 8 to 12 empty squares and their values.
static KNOWN: LazyLock<Vec<(Position, i32)>> = LazyLock::new(|| {
    let mut random = StdRng::seed_from_u64(1);
    let mut known = Vec::new();
    while known.len() < 40 {
        let game = random_game(&mut random);
        let late = game.iter().find(|position| (8..=12).contains(&position.empty().count_ones()));
        known.extend(late.map(|position| (*position, tabled_value(position, &mut HashMap::new()))));
    }
    known
});

fuzz_target!(|data: &[u8]| {
    let weights = match Weights::read(data) {
        Ok(weights) => weights,
        Err(error) => {
            printable(&error.to_string());
            // The bytes as weights, repeated. Of the 16 phases, the positions below reach the first four.
            let mut pairs = data.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).cycle();
            Weights::from_weights((0..Weights::count() / 4).map_while(|_| pairs.next()).collect())
        }
    };
    let mut random = StdRng::seed_from_u64(data.len() as u64);
    let (position, value) = KNOWN[random.random_range(0..KNOWN.len())];
    let mut table = Table::new(1);
    let settings = Settings { table_from: 2, far_from: 6, near_mb: 1, early_look_ups_from: 4 };
    let mut solver = Solver::with_order(&mut table, Learned::new(Some(&weights)).learned_from(4), settings);
    for (bound, holds) in [
        (Bound::AtLeast(value), true),
        (Bound::AtMost(value), true),
        (Bound::AtLeast((value + 2).min(64)), value == 64),
        (Bound::AtMost((value - 2).max(-64)), value == -64),
    ] {
        let proved = solver.decide(&position, bound, u64::MAX).expect("no fault");
        assert_eq!(proved.bound() == bound, holds);
    }
});
