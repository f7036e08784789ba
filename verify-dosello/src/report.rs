//! The report: `key value` lines, the statement first, the verdict last, and the same as JSON.

use std::fmt::{self, Write};

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Proved, unconditionally.
    Proved(String),
    /// Holds if the named inputs hold.
    Conditional(String),
    /// Ended by an error, which has its own exit code.
    Ended(crate::error::Error),
}

/// Lines in order. Nothing in it depends on time or scheduling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    lines: Vec<(String, String)>,
}

impl Report {
    /// Adds a line.
    pub fn line(&mut self, key: &str, value: impl fmt::Display) {
        self.lines.push((key.to_owned(), value.to_string()));
    }

    /// Closes the report with its verdict. Returns the text, the JSON, and the exit code.
    #[must_use]
    pub fn close(mut self, verdict: &Verdict) -> (String, String, u8) {
        let (words, code) = match verdict {
            Verdict::Proved(words) => (words.clone(), 0),
            Verdict::Conditional(words) => (words.clone(), 2),
            Verdict::Ended(error) => (error.to_string(), error.exit_code()),
        };
        let (key, value) = words.split_once(' ').unwrap_or((&words, ""));
        self.line(key, value);
        let mut text = String::new();
        let mut json = String::from("[\n");
        for (index, (key, value)) in self.lines.iter().enumerate() {
            let separator = if index + 1 == self.lines.len() { "\n" } else { ",\n" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", format!("{key} {value}").trim_end());
            let _ = write!(json, "  [{}, {}]{separator}", quoted(key), quoted(value));
        }
        json.push_str("]\n");
        (text, json, code)
    }
}

/// A JSON string. Reports hold printable ASCII; anything else is escaped all the same.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            ' '..='~' => json.push(character),
            _ => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
    json
}
