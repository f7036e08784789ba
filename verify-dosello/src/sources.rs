//! The SHA-256 of the checker's own sources, so that a log can say which checker wrote it.

use crate::text::hex;
use sha2::{Digest, Sha256};

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        /// Name and content of every source file, in order of names. A test compares the list with the folder.
        pub const SOURCES: &[(&str, &str)] = &[$(($name, include_str!($name))),*];
    };
}

sources![
    "check.rs",
    "claim.rs",
    "cli.rs",
    "error.rs",
    "expand.rs",
    "leaves.rs",
    "lib.rs",
    "main.rs",
    "order.rs",
    "own_run.rs",
    "perft.rs",
    "report.rs",
    "rules.rs",
    "run.rs",
    "search.rs",
    "sources.rs",
    "table.rs",
    "text.rs",
    "tree.rs",
    "units.rs",
    "weights.rs",
];

/// SHA-256 over name, length and content of each file.
#[must_use]
pub fn digest() -> String {
    let mut hash = Sha256::new();
    for (name, content) in SOURCES {
        hash.update(format!("{name} {}\n{content}", content.len()));
    }
    hex(&hash.finalize())
}
