//! The checker's own sources and their digest: what `--version` names and logs carry.

use crate::positions::hex;
use sha2::{Digest, Sha256};

/// Every file of `src`, in the order of the digest.
pub const SOURCES: &[(&str, &str)] = &[
    ("advice.rs", include_str!("advice.rs")),
    ("board.rs", include_str!("board.rs")),
    ("check.rs", include_str!("check.rs")),
    ("enumerate.rs", include_str!("enumerate.rs")),
    ("error.rs", include_str!("error.rs")),
    ("lib.rs", include_str!("lib.rs")),
    ("line.rs", include_str!("line.rs")),
    ("log.rs", include_str!("log.rs")),
    ("main.rs", include_str!("main.rs")),
    ("options.rs", include_str!("options.rs")),
    ("positions.rs", include_str!("positions.rs")),
    ("proof.rs", include_str!("proof.rs")),
    ("remoteness.rs", include_str!("remoteness.rs")),
    ("report.rs", include_str!("report.rs")),
    ("rules.rs", include_str!("rules.rs")),
    ("run.rs", include_str!("run.rs")),
    ("sets.rs", include_str!("sets.rs")),
    ("solver.rs", include_str!("solver.rs")),
    ("sources.rs", include_str!("sources.rs")),
    ("table.rs", include_str!("table.rs")),
    ("text.rs", include_str!("text.rs")),
    ("xz.rs", include_str!("xz.rs")),
];

/// SHA-256 over name, length and text of each source file.
#[must_use]
pub fn digest() -> String {
    let mut hash = Sha256::new();
    for (name, text) in SOURCES {
        hash.update(format!("{name} {}\n", text.len()));
        hash.update(text);
    }
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::SOURCES;

    #[test]
    fn the_digest_covers_every_source_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        let listed: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, files);
    }
}
