//! The log of solved positions: one line each, appended when it is solved, so that a run can be stopped at any time.
//!
//! ```text
//! standard 0000000000000063 1 won solutions 12345 large 67 small 89 moves 1011 cpu_ms 12 end
//! ```
//! Rule, mask, redundant hints, value for the player to move, and the work it took. A line without its last word is the
//! trace of an interrupted write and counts for nothing.

use crate::Value;
use crate::game::Mask;
use crate::solver::{Rule, Stats};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// One solved position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The rule it was solved under.
    pub rule: Rule,
    /// Canonical determined-black mask.
    pub mask: Mask,
    /// Redundant hints; 0 under the standard rule.
    pub hints: u32,
    /// Value for the player to move.
    pub value: Value,
    /// Number of solutions.
    pub n: usize,
    /// Work.
    pub stats: Stats,
    /// Processor time in milliseconds.
    pub cpu_ms: u128,
}

impl Rule {
    /// The word for the rule in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::RedundantHint => "redundant-hint",
        }
    }
}

impl Value {
    /// The word for the value in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Win => "won",
            Self::Loss => "lost",
        }
    }
}

impl Entry {
    /// The line of the log, with its newline.
    #[must_use]
    pub fn line(&self) -> String {
        let Stats { large, small, moves } = self.stats;
        format!(
            "{} {:016x} {} {} solutions {} large {large} small {small} moves {moves} cpu_ms {} end\n",
            self.rule.word(),
            self.mask,
            self.hints,
            self.value.word(),
            self.n,
            self.cpu_ms
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let [rule, mask, hints, value, _, n, _, large, _, small, _, moves, _, cpu_ms, "end"] = words[..]
        else {
            bail!("expected 15 words, the last one `end`");
        };
        Ok(Self {
            rule: match rule {
                "standard" => Rule::Standard,
                "redundant-hint" => Rule::RedundantHint,
                _ => bail!("unknown rule"),
            },
            mask: u64::from_str_radix(mask, 16)?,
            hints: hints.parse()?,
            value: match value {
                "won" => Value::Win,
                "lost" => Value::Loss,
                _ => bail!("unknown value"),
            },
            n: n.parse()?,
            stats: Stats { large: large.parse()?, small: small.parse()?, moves: moves.parse()? },
            cpu_ms: cpu_ms.parse()?,
        })
    }
}

/// The entries of one rule in a log, by mask; empty if there is no such file.
///
/// # Errors
/// If the file cannot be read, a complete line cannot be understood, or two lines contradict each other.
pub fn read(path: &Path, rule: Rule) -> anyhow::Result<BTreeMap<Mask, Entry>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        text => text.with_context(|| path.display().to_string())?,
    };
    let mut entries = BTreeMap::<Mask, Entry>::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let Some(line) = line.strip_suffix(" end\n") else { continue };
        let at = || format!("{}:{}", path.display(), number + 1);
        let entry = Entry::parse(&format!("{line} end")).with_context(at)?;
        if entry.rule != rule {
            continue;
        }
        let earlier = entries.insert(entry.mask, entry);
        if earlier.is_some_and(|earlier| earlier.value != entry.value || earlier.hints != entry.hints) {
            bail!("{}: contradicts an earlier line", at());
        }
    }
    Ok(entries)
}

/// A log open for appending.
pub struct Log(File);

impl Log {
    /// Opens or makes the log; after an interrupted write a new line is begun.
    ///
    /// # Errors
    /// If the file cannot be opened or written.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let whole = std::fs::read(path).map_or(true, |bytes| bytes.is_empty() || bytes.ends_with(b"\n"));
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        if !whole {
            file.write_all(b"\n")?;
        }
        Ok(Self(file))
    }

    /// Appends one line by one write.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, entry: &Entry) -> anyhow::Result<()> {
        self.append_lines(&entry.line())
    }

    /// Appends whole lines by one write.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn append_lines(&mut self, lines: &str) -> anyhow::Result<()> {
        Ok(self.0.write_all(lines.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mask: Mask, value: Value) -> Entry {
        let stats = Stats { large: 1, small: 2, moves: 3 };
        Entry { rule: Rule::RedundantHint, mask, hints: 1, value, n: 9, stats, cpu_ms: 4 }
    }

    #[test]
    fn a_log_is_read_back_and_an_interrupted_line_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        assert!(read(&path, Rule::RedundantHint).unwrap().is_empty());
        let (first, second) = (entry(0x63, Value::Win), entry(0x64, Value::Loss));
        Log::open(&path).unwrap().append(&first).unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&second.line().as_bytes()[..50]).unwrap();
        assert_eq!(read(&path, Rule::RedundantHint).unwrap().len(), 1);
        Log::open(&path).unwrap().append(&second).unwrap();
        let entries = read(&path, Rule::RedundantHint).unwrap();
        assert_eq!(entries.into_values().collect::<Vec<_>>(), [first, second]);
        assert!(read(&path, Rule::Standard).unwrap().is_empty());
    }

    #[test]
    fn a_contradiction_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::open(&path).unwrap();
        log.append(&entry(0x63, Value::Win)).unwrap();
        log.append(&entry(0x63, Value::Loss)).unwrap();
        assert!(read(&path, Rule::RedundantHint).unwrap_err().to_string().contains("contradicts"));
    }
}
