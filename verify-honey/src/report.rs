//! What a run says: `key value` lines, the verdict last, and the same as JSON.

use std::fmt::Write as _;

/// Lines in the order of output; the first is the statement, the last the verdict.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Report(Vec<(String, String)>);

impl Report {
    /// Adds a line.
    pub fn say(&mut self, key: &str, value: impl std::fmt::Display) {
        self.0.push((key.to_owned(), value.to_string()));
    }

    /// Adds the verdict, a key and the rest of the line.
    pub fn verdict(&mut self, verdict: &str) {
        let (key, rest) = verdict.split_once(' ').unwrap_or((verdict, ""));
        self.say(key, rest);
    }

    /// Adds the lines of another report.
    pub fn append(&mut self, other: Report) {
        self.0.extend(other.0);
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// As lines of text.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, (key, value)| {
            let _ = writeln!(text, "{key} {value}");
            text
        })
    }

    /// As a JSON object with one member a line, in order.
    #[must_use]
    pub fn json(&self) -> String {
        let members: Vec<String> =
            self.0.iter().map(|(key, value)| format!("  {}: {}", quoted(key), quoted(value))).collect();
        format!("{{\n{}\n}}\n", members.join(",\n"))
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ' '..='~' => out.push(c),
            _ => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes_what_it_must() {
        let mut report = Report::default();
        report.say("statement", "a \"b\" \\ \n \u{1f41d}");
        assert_eq!(report.json(), "{\n  \"statement\": \"a \\\"b\\\" \\\\ \\u000a \\ud83d\\udc1d\"\n}\n");
    }
}
