//! The checker's own sources, so that `--version` can name what was built.

use crate::files::hex;

/// Each source file of the crate with its text, in the order of their names.
pub const SOURCES: [(&str, &str); 22] = [
    ("board.rs", include_str!("board.rs")),
    ("check.rs", include_str!("check.rs")),
    ("claim.rs", include_str!("claim.rs")),
    ("error.rs", include_str!("error.rs")),
    ("files.rs", include_str!("files.rs")),
    ("hashing.rs", include_str!("hashing.rs")),
    ("lib.rs", include_str!("lib.rs")),
    ("lines.rs", include_str!("lines.rs")),
    ("main.rs", include_str!("main.rs")),
    ("mass.rs", include_str!("mass.rs")),
    ("mixture.rs", include_str!("mixture.rs")),
    ("options.rs", include_str!("options.rs")),
    ("realization.rs", include_str!("realization.rs")),
    ("referee.rs", include_str!("referee.rs")),
    ("report.rs", include_str!("report.rs")),
    ("response.rs", include_str!("response.rs")),
    ("second.rs", include_str!("second.rs")),
    ("sources.rs", include_str!("sources.rs")),
    ("strategy.rs", include_str!("strategy.rs")),
    ("text.rs", include_str!("text.rs")),
    ("witness.rs", include_str!("witness.rs")),
    ("xz.rs", include_str!("xz.rs")),
];

/// SHA-256 over all sources: for each its name, a line feed, its length, a line feed, its text.
#[must_use]
pub fn sha256() -> String {
    let mut all = Vec::new();
    for (name, text) in SOURCES {
        all.extend_from_slice(format!("{name}\n{}\n", text.len()).as_bytes());
        all.extend_from_slice(text.as_bytes());
    }
    hex(&all)
}
