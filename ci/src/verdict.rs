//! What a checker says: `key value` lines, `statement` first, the verdict last, and an exit code that agrees with it.

use crate::escape::{LINE_BYTES, escaped};
use crate::outcome::Line;

/// Most lines of a checker that are taken. The longest honest output, of a set of 16 members, has about 500.
pub const LINES: usize = 10_000;

/// What the last line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `exact_value`, `proved_bounds`, `verified_set`.
    Proved,
    /// `conditional_value`, `conditional_set`, `conditional_bounds`.
    Conditional,
    /// `declined`.
    Declined,
    /// `failure`.
    Failure,
}

impl Kind {
    /// The kind of a verdict line, by its first word.
    #[must_use]
    pub fn of(verdict: &str) -> Option<Kind> {
        // `exact_bound` and `proved_unit` are no verdicts on a claim.
        match verdict.split(' ').next()? {
            "exact_value" | "proved_bounds" | "verified_set" => Some(Kind::Proved),
            "conditional_value" | "conditional_bounds" | "conditional_set" => Some(Kind::Conditional),
            "declined" => Some(Kind::Declined),
            "failure" => Some(Kind::Failure),
            _ => None,
        }
    }

    /// Whether a process that ended with `code` may have said this.
    #[must_use]
    pub fn agrees(self, code: i32) -> bool {
        match self {
            Kind::Proved => code == 0,
            Kind::Conditional => code == 2,
            Kind::Declined => code == 3,
            Kind::Failure => matches!(code, 1 | 64 | 70 | 74),
        }
    }
}

/// Standard output of a checker, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// All lines, escaped and cut.
    pub lines: Vec<Line>,
    /// The value of the first line if its key is `statement`.
    pub statement: String,
    /// The last line.
    pub verdict: String,
    /// What the last line says, if the whole output is well-formed.
    pub kind: Option<Kind>,
    /// The first thing wrong with the output.
    pub fault: Option<String>,
}

/// Reads standard output. Never fails: what is wrong is in `fault`, and then `kind` is `None`.
#[must_use]
pub fn read(stdout: &[u8]) -> Said {
    let mut said = Said::default();
    let fault = |said: &mut Said, what: &str| {
        said.fault.get_or_insert_with(|| what.to_owned());
    };
    if stdout.is_empty() {
        fault(&mut said, "nothing was printed");
        return said;
    }
    let body = stdout.strip_suffix(b"\n").unwrap_or_else(|| {
        said.fault = Some("the output ends in the middle of a line".to_owned());
        stdout
    });
    for (index, raw) in body.split(|&byte| byte == b'\n').enumerate() {
        if index == LINES {
            said.fault = Some(format!("more than {LINES} lines were printed"));
            return said;
        }
        if raw.len() > LINE_BYTES {
            fault(&mut said, &format!("line {} is longer than {LINE_BYTES} bytes", index + 1));
        } else if raw.iter().any(|byte| !(b' '..=b'~').contains(byte)) {
            fault(&mut said, &format!("line {} has bytes that are not printable ASCII", index + 1));
        }
        let text = escaped(raw, LINE_BYTES);
        let (key, value) = text.split_once(' ').unwrap_or((&text, ""));
        said.lines.push(Line { key: key.to_owned(), value: value.to_owned() });
        said.verdict = text;
    }
    match said.lines.first() {
        Some(line) if line.key == "statement" => said.statement.clone_from(&line.value),
        _ => fault(&mut said, "the first line is no statement"),
    }
    let last = said.lines.len().saturating_sub(1);
    let repeated = |(index, line): (usize, &Line)| {
        (index < last && Kind::of(&line.key).is_some()) || (index > 0 && line.key == "statement")
    };
    if said.lines.iter().enumerate().any(repeated) {
        fault(&mut said, "a statement or a verdict stands in the middle");
    }
    if Kind::of(&said.verdict).is_none() {
        fault(&mut said, "the last line is no verdict");
    }
    if said.fault.is_none() {
        said.kind = Kind::of(&said.verdict);
    }
    said
}

/// What a verdict line takes for granted, in its own words.
#[must_use]
pub fn rests_on(verdict: &str) -> Option<&str> {
    ["assuming ", "not proved: "].iter().find_map(|word| verdict.split_once(word).map(|(_, rest)| rest))
}

/// The lines that a manifest keeps: those that count something. Not kept are hashes (the manifest has them of the
/// files), the hash of the checker, which changes with its sources, the statement and the verdict.
#[must_use]
pub fn counters(lines: &[Line]) -> Vec<String> {
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && is_number(word);
    let inner = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
    let counts = |line: &&Line| !line.key.ends_with("statement") && line.value.split(' ').any(number);
    inner.iter().filter(counts).map(|line| format!("{} {}", line.key, line.value)).collect()
}

fn is_number(word: &str) -> bool {
    word.len() < 64 && word.bytes().all(|byte| byte.is_ascii_digit())
        || word.contains('/') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_output_is_read() {
        let said = read(b"statement s t\nnodes 5\nexact_value 1/2\n");
        assert_eq!(
            (said.statement.as_str(), said.verdict.as_str(), said.kind),
            ("s t", "exact_value 1/2", Some(Kind::Proved))
        );
        assert_eq!(counters(&said.lines), ["nodes 5"]);
    }

    #[test]
    fn outputs_that_are_not_well_formed_have_no_kind() {
        for (stdout, reason) in [
            (&b""[..], "nothing was printed"),
            (b"statement s\nexact_value 1", "ends in the middle"),
            (b"exact_value 1\n", "the first line is no statement"),
            (b"statement s\nexact_value 1\nexact_value 1\n", "stands in the middle"),
            (b"statement s\nstatement t\nexact_value 1\n", "stands in the middle"),
            (b"statement s\nfailure x\nexact_value 1\n", "stands in the middle"),
            (b"statement s\nexact_bound lower 1\n", "the last line is no verdict"),
            (b"statement s\nexact_value 1\n\n", "stands in the middle"),
            (b"statement s\nexact_value 1\r\n", "not printable ASCII"),
            (b"statement s\nexact_values 1\n", "the last line is no verdict"),
        ] {
            let said = read(stdout);
            assert_eq!(said.kind, None, "{}", escaped(stdout, 99));
            let fault = said.fault.unwrap();
            assert!(fault.contains(reason), "{fault} for {}", escaped(stdout, 99));
        }
    }

    #[test]
    fn a_line_beyond_the_limit_is_cut_and_is_a_fault() {
        let mut long = b"statement ".to_vec();
        long.extend(std::iter::repeat_n(b'x', 10_000));
        long.extend(b"\nexact_value 1\n");
        let said = read(&long);
        assert!(said.fault.unwrap().contains("longer than"));
        assert!(said.statement.len() < 2 * LINE_BYTES && said.kind.is_none());
    }

    #[test]
    fn each_kind_agrees_with_its_own_exit_codes_only() {
        let all = [0, 1, 2, 3, 64, 70, 74, 101, -1];
        let agreeing = |kind: Kind| all.into_iter().filter(|&code| kind.agrees(code)).collect::<Vec<_>>();
        assert_eq!(agreeing(Kind::Proved), [0]);
        assert_eq!(agreeing(Kind::Conditional), [2]);
        assert_eq!(agreeing(Kind::Declined), [3]);
        assert_eq!(agreeing(Kind::Failure), [1, 64, 70, 74]);
    }

    #[test]
    fn what_a_verdict_rests_on_is_named() {
        assert_eq!(rests_on("conditional_value 2 assuming 150 leaf claims"), Some("150 leaf claims"));
        assert_eq!(rests_on("verified_set 2 of 2, not proved: the rest"), Some("the rest"));
        assert_eq!(rests_on("exact_value 2"), None);
    }

    #[test]
    fn hashes_are_no_counters() {
        let line = |key: &str, value: &str| Line { key: key.to_owned(), value: value.to_owned() };
        let hash = "1".repeat(64);
        let lines = [
            line("statement", "4 x 4"),
            line("checker", &hash),
            line("a1.statement", "4 rows"),
            line("bound", "1/7"),
            line("position", "after 3 moves"),
            line("rule", "classic"),
            line("exact_value", "1"),
        ];
        assert_eq!(counters(&lines), ["bound 1/7", "position after 3 moves"]);
    }
}
