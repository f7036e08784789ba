//! Times of the parts, with their node counts: `cargo bench -p verify-honey`.
//!
//! A plain program rather than a statistics library: each part runs for seconds, and the node counts, which repeat
//! exactly, are the figures to compare. Times are CPU seconds where the system tells them (Linux), else elapsed ones.
//! Set `RUSTFLAGS="-C target-cpu=x86-64-v3"` for the portable build.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench may stop by panicking")]

use std::sync::OnceLock;
use std::time::{Duration, Instant};
use verify_honey::check;
use verify_honey::proof;
use verify_honey::rules::Rule;
use verify_honey::solver::{Shortcuts, Solver};

/// CPU time of this process so far: it has one thread.
fn spent() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn main() {
    let start = spent();
    let (positions, nodes) = check::positions(true).unwrap();
    println!("enumeration and positions: {nodes} nodes, {:.2?}", spent().saturating_sub(start));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../proofsets");
    for (rule, file) in
        [(Rule::Standard, "honey-standard-root.txt"), (Rule::RedundantHint, "honey-redundant-root.txt")]
    {
        let bytes = std::fs::read(format!("{folder}/{file}")).expect("the proof sets of the repository");
        let steps = proof::parse_proof_set(file, &bytes, rule, &positions).unwrap();
        // The smallest positions of the set: enough for ratios.
        let mut tasks = proof::tasks(file, &steps, rule);
        tasks.sort_by_key(|task| positions.left(task.key).len());
        for (name, shortcuts) in [
            ("all shortcuts", Shortcuts::ALL),
            ("no merging", Shortcuts { merging: false, ..Shortcuts::ALL }),
            ("no pair cover", Shortcuts { pair_cover: false, ..Shortcuts::ALL }),
            ("no partner rule", Shortcuts { partner: false, ..Shortcuts::ALL }),
            ("no early look-ups", Shortcuts { early_look_ups: false, ..Shortcuts::ALL }),
            ("no blocks", Shortcuts { blocks: false, ..Shortcuts::ALL }),
            ("no short looks", Shortcuts { short_looks: false, ..Shortcuts::ALL }),
        ] {
            let mut solver = Solver::new(rule, 256 << 20, shortcuts);
            let start = spent();
            let mut nodes = 0;
            for task in tasks.iter().take(2) {
                let p = if rule == Rule::Standard {
                    0
                } else {
                    positions.all.get(&task.key).map_or(0, verify_honey::positions::Position::p)
                };
                nodes += solver.solve(&positions.left(task.key), p).nodes;
            }
            println!("{rule}, {name}: {nodes} nodes, {:.2?}", spent().saturating_sub(start));
        }
    }
}
