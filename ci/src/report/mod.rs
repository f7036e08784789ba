//! Reports for people and for archives.
//!
//! `report.json` is the audit as data. `report.html` is one page that loads nothing and works without scripts: its
//! boards are drawn here, from what the checkers printed and from the files that they checked. Nothing here decides
//! anything: a verdict is shown as it came.

mod darkhex;
mod dosello;
mod draw;
mod honey;
mod page;
mod strategy;

use crate::outcome::Audit;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

pub use page::page;

/// The audit as data. All that varies from run to run is in its one section `run`.
///
/// # Errors
/// None is known: there is nothing in an audit that JSON cannot say.
pub fn json(audit: &Audit) -> io::Result<String> {
    let mut json = serde_json::to_string_pretty(audit).map_err(io::Error::other)?;
    json.push('\n');
    Ok(json)
}

/// Writes `report.json` and `report.html` into the folder `out`, which exists. `root` is the repository's root: claims
/// and certificates are read there for the boards.
///
/// Each file appears whole or not at all: an older report is never half overwritten.
///
/// # Errors
/// A report that could not be written whole.
pub fn write(audit: &Audit, root: &Path, out: &Path) -> io::Result<()> {
    write_whole(&out.join("report.json"), &json(audit)?)?;
    write_whole(&out.join("report.html"), &page(audit, root))
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".report-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    // A temporary file is for its owner alone; a report is to be handed on.
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
