//! The SHA-256 of the checker's own sources, so that a log can say which checker wrote it.
//!
//! There are two: one over all sources, and one over the core, the files on which the result of a unit depends. Log
//! lines carry the second, so that they stay comparable when only the command line or the reports change.

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

/// The files on which the result of a unit depends. A test checks that they use no other file of this crate. `lib.rs`
/// belongs to them, as it says which file a module is and forbids unsafe code.
pub const CORE: &[&str] = &[
    "error.rs",
    "expand.rs",
    "lib.rs",
    "order.rs",
    "rules.rs",
    "run.rs",
    "search.rs",
    "sources.rs",
    "table.rs",
    "text.rs",
    "units.rs",
    "weights.rs",
];

/// SHA-256 over name, length and content of each file.
#[must_use]
pub fn digest() -> String {
    digest_of(|_| true)
}

/// The same over the files of [`CORE`].
#[must_use]
pub fn core_digest() -> String {
    digest_of(|name| CORE.contains(&name))
}

fn digest_of(wanted: impl Fn(&str) -> bool) -> String {
    let mut hash = Sha256::new();
    for (name, content) in SOURCES.iter().filter(|(name, _)| wanted(name)) {
        hash.update(format!("{name} {}\n{content}", content.len()));
    }
    hex(&hash.finalize())
}
