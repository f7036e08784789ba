//! What the boards have in common: marks of verdicts, captions, whole numbers for coordinates.

use crate::outcome::{Claim, FileEntry, Outcome, Status};
use maud::{Markup, html};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Component, Path};

/// Cap on the bytes of a file that is read for a picture.
const BYTES: u64 = 64 << 20;

/// A coordinate.
pub fn int(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A status in one word, its sign, and the class that colours it.
pub fn words(status: &Status) -> (&'static str, &'static str, &'static str) {
    match status {
        Status::Verified => ("verified", "\u{2713}", "verified"),
        Status::Conditional => ("conditional", "\u{25d0}", "conditional"),
        Status::Declined => ("declined", "\u{2013}", "declined"),
        Status::Failed(_) => ("failed", "\u{2717}", "failed"),
        Status::NotRun(_) => ("not run", "\u{25cb}", "not-run"),
    }
}

/// The status as a word with a sign before it.
pub fn mark(status: &Status) -> Markup {
    let (word, sign, class) = words(status);
    html! { span class={ "mark " (class) } { span aria-hidden="true" { (sign) } " " (word) } }
}

/// The check that the claim's status stems from.
pub fn basis(claim: &Claim) -> Option<&Outcome> {
    let same = |check: &&Outcome| {
        std::mem::discriminant(&check.status) == std::mem::discriminant(&claim.status)
            && check.verdict == claim.verdict
    };
    if matches!(claim.status, Status::Verified | Status::Conditional) {
        claim.checks.iter().find(same)
    } else {
        None
    }
}

/// The value of the first line with this key.
pub fn line<'a>(outcome: &'a Outcome, key: &str) -> Option<&'a str> {
    outcome.lines.iter().find(|line| line.key == key).map(|line| line.value.as_str())
}

/// The values of all lines with this key.
pub fn lines<'a>(outcome: &'a Outcome, key: &'a str) -> impl Iterator<Item = &'a str> {
    outcome.lines.iter().filter(move |line| line.key == key).map(|line| line.value.as_str())
}

/// Lower-case hexadecimal SHA-256.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads a file that the manifest lists for the claim, and no other: a checker's output cannot lead anywhere else.
///
/// `name` is relative to `folder`, a path from the root.
///
/// # Errors
/// Why there are no bytes to show, in words.
pub fn listed<'a>(
    claim: &'a Claim,
    root: &Path,
    folder: &str,
    name: &str,
) -> Result<(&'a FileEntry, Vec<u8>), String> {
    let path = below(folder, name).ok_or("its path leaves the repository")?;
    let entry = claim.files.iter().find(|entry| entry.path == path).ok_or("the manifest does not list it")?;
    let path = root.join(&entry.path);
    let size = std::fs::metadata(&path).map_err(|e| e.to_string())?.len();
    if size > BYTES {
        return Err("it is larger than the limit".to_owned());
    }
    std::fs::read(&path).map(|bytes| (entry, bytes)).map_err(|e| e.to_string())
}

/// `folder/name` with `..` resolved, if that stays below the root.
fn below(folder: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in Path::new(folder).components().chain(Path::new(name).components()) {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// Where a picture's figures come from.
pub fn source(claim: &Claim, anchor: &str) -> Markup {
    html! { a href={ "#" (anchor) } { (claim.name) } ": " (mark(&claim.status)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_root() {
        assert_eq!(below("certificates/a/b", "../c/x.mix").as_deref(), Some("certificates/a/c/x.mix"));
        assert_eq!(below("certificates", "../../x"), None);
        assert_eq!(below("certificates", "/etc/passwd"), None);
    }
}
