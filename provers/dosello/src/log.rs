//! The checker's log of units, as `verify-dosello/FORMAT.md` defines it, read to see what is done.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::tree::{Bound, Side};

/// How a unit ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The claim holds.
    Proved,
    /// Its negation holds.
    Refuted,
    /// The node limit was reached.
    Undecided,
}

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The moves, joined by `_`.
    pub line: String,
    /// The claim, from the view of the side to move after them.
    pub bound: Bound,
    /// How it ended.
    pub outcome: Outcome,
    /// Null-window nodes.
    pub nodes: u64,
}

/// Splits the name of a unit into its line and its claim.
#[must_use]
pub fn parse_unit(name: &str) -> Option<(&str, Bound)> {
    let (line, claim) = name.rsplit_once('_')?;
    let (side, score) = match claim.strip_prefix("ge") {
        Some(score) => (Side::Ge, score),
        None => (Side::Le, claim.strip_prefix("le")?),
    };
    Some((line, Bound { side, score: score.parse().ok()? }))
}

/// The name of a unit.
#[must_use]
pub fn unit_name(line: &str, bound: Bound) -> String {
    format!("{line}_{}{}", bound.side, bound.score)
}

/// The first 16 hexadecimal digits of the SHA-256 of the text.
fn check_sum(text: &str) -> String {
    let bytes: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let first = bytes.iter().take(8).fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
    format!("{first:016x}")
}

/// Reads a line without its line feed; `None` if it is torn or altered.
#[must_use]
pub fn parse_line(text: &str) -> Option<Entry> {
    let body = text.strip_suffix(" end")?;
    let (body, check) = body.rsplit_once(" check ")?;
    if check_sum(body) != check {
        return None;
    }
    let mut words = body.strip_prefix("dosello-unit 1 ")?.split(' ');
    let (line, bound) = parse_unit(words.next()?)?;
    let outcome = match words.next()? {
        "proved" => Outcome::Proved,
        "refuted" => Outcome::Refuted,
        "undecided" => Outcome::Undecided,
        _ => return None,
    };
    let nodes = (words.next()? == "nodes").then(|| words.next()?.parse().ok())??;
    Some(Entry { line: line.to_owned(), bound, outcome, nodes })
}

/// All lines of a log; a missing file is an empty log.
///
/// # Errors
/// If the file cannot be read, or a line in it is not whole.
pub fn read(path: &Path) -> io::Result<Vec<Entry>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(io::Error::other(format!("{}: the last line is torn", path.display())));
    }
    let wrong =
        |number: usize| io::Error::other(format!("{}:{}: not a whole log line", path.display(), number + 1));
    text.lines().enumerate().map(|(number, line)| parse_line(line).ok_or_else(|| wrong(number))).collect()
}

/// Cuts off what follows the last line feed: the rest of a write that a crash interrupted.
///
/// # Errors
/// If the file cannot be read or shortened.
pub fn drop_torn_end(path: &Path) -> io::Result<()> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    if whole < bytes.len() {
        File::options().write(true).open(path)?.set_len(whole as u64)?;
    }
    Ok(())
}

/// Moves the whole lines of the log `from`, which one unit's run has written, to the end of `to`. The lines are on
/// disk in `to` before `from` is removed; a crash between the two leaves a line twice, which is harmless.
///
/// # Errors
/// If a file cannot be read or written.
pub fn adopt(from: &Path, to: &Path) -> io::Result<Vec<Entry>> {
    let text = match std::fs::read_to_string(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let whole: Vec<&str> = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    let entries: Vec<Entry> = whole.iter().filter_map(|line| parse_line(line.trim_end())).collect();
    if entries.len() == whole.len() && !entries.is_empty() {
        let mut log = OpenOptions::new().create(true).append(true).open(to)?;
        log.write_all(whole.concat().as_bytes())?;
        log.sync_all()?;
    }
    std::fs::remove_file(from)?;
    Ok(entries)
}
