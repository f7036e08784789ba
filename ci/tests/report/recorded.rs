//! An audit that took place, as the report's tests see it.
//!
//! `audit.json` is the `report.json` of `cargo run -p audit -- all --tier every-run --out DIR`, run with `--claim` for the
//! claims that take seconds. It is made anew in that way when certificates change: boards are drawn only of files that
//! are as they were checked. The section `vectors` was written by hand, with one of each status.

use audit::outcome::Audit;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn recorded() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/audit.json")).unwrap()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The audit as it was.
pub fn audit() -> Audit {
    serde_json::from_str(&recorded()).unwrap()
}

/// The audit with `text` added to everything in it that may be any text.
pub fn spoiled(text: &str) -> Audit {
    let mut value: Value = serde_json::from_str(&recorded()).unwrap();
    spoil(&mut value, text);
    serde_json::from_value(value).unwrap()
}

fn spoil(value: &mut Value, text: &str) {
    match value {
        Value::String(old) => old.push_str(text),
        Value::Array(members) => members.iter_mut().for_each(|member| spoil(member, text)),
        Value::Object(members) => {
            for (key, member) in members {
                // These are words out of a list, which serde would refuse.
                if !matches!(key.as_str(), "status" | "tier" | "family") {
                    spoil(member, text);
                }
            }
        }
        _ => {}
    }
}
