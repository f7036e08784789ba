//! Strict lines of text, files with limits, and the claim.

use crate::board::Mask;
use crate::error::Failure;
use crate::rules::{Rule, Value};
use crate::xz;
use std::io::Read;
use std::path::Path;

/// Bytes of a claim.
pub const CLAIM_BYTES: u64 = 64 << 10;
/// Bytes of a proof set or of an unpacked list of values.
pub const SET_BYTES: u64 = 1 << 20;
/// Bytes of a packed list.
pub const PACKED_BYTES: u64 = 256 << 10;
/// Bytes of packed advice.
pub const ADVICE_PACKED_BYTES: u64 = 8 << 20;
/// Bytes of unpacked advice: over a million moves.
pub const ADVICE_BYTES: u64 = 32 << 20;
/// Bytes of a line of play.
pub const LINE_BYTES: u64 = 64 << 10;
/// Bytes of a log: two lists of 3,122 lines of at most 150 bytes.
pub const LOG_BYTES: u64 = 1 << 20;

/// The lines of a file, with where we are. They are split as they are taken: a list of them all could take many times
/// the memory of the text.
pub struct Lines<'a> {
    /// Name for messages.
    pub file: &'a str,
    /// What follows, without the last newline; none after the last line.
    rest: Option<&'a str>,
    /// Number of the last line taken.
    pub number: usize,
}

/// Bytes of a line.
const LINE_LENGTH: usize = 256;

impl<'a> Lines<'a> {
    /// Text that is printable ASCII in lines of at most 256 bytes that all end in LF, single spaces between fields.
    ///
    /// # Errors
    /// Anything else, with its line.
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Result<Self, Failure> {
        let bad = |line: usize, expected: &str| malformed(file, line, expected);
        let newlines = |bytes: &[u8]| bytes.split(|&b| b == b'\n').count() - 1;
        if let Some(at) = bytes.iter().position(|&b| b != b'\n' && !(b' '..=b'~').contains(&b)) {
            return Err(bad(newlines(bytes.get(..at).unwrap_or_default()) + 1, "printable ASCII and LF"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| bad(0, "ASCII"))?;
        let Some(body) = text.strip_suffix('\n') else {
            return Err(bad(newlines(bytes) + 1, "a newline at the end"));
        };
        for (index, line) in body.split('\n').enumerate() {
            if line.is_empty() || line.starts_with(' ') || line.ends_with(' ') || line.contains("  ") {
                return Err(bad(index + 1, "fields separated by single spaces"));
            }
            if line.len() > LINE_LENGTH {
                return Err(bad(index + 1, "a line of at most 256 bytes"));
            }
        }
        Ok(Lines { file, rest: Some(body), number: 0 })
    }

    /// The fields of the next line.
    pub fn take(&mut self) -> Option<Vec<&'a str>> {
        let rest = self.rest?;
        let (line, after) = rest.split_once('\n').map_or((rest, None), |(line, after)| (line, Some(after)));
        self.rest = after;
        self.number += 1;
        Some(line.split(' ').collect())
    }

    /// The next line, if its first field is `key`: the other fields.
    pub fn optional(&mut self, key: &str) -> Option<Vec<&'a str>> {
        let first = self.rest?.split([' ', '\n']).next()?;
        if first == key { self.take().map(|fields| fields.into_iter().skip(1).collect()) } else { None }
    }

    /// The next line, which must begin with `key`: the other fields.
    ///
    /// # Errors
    /// Another line, or none.
    pub fn required(&mut self, key: &str) -> Result<Vec<&'a str>, Failure> {
        self.optional(key).ok_or_else(|| {
            self.number += 1;
            self.expected(key)
        })
    }

    /// The next line, which must be these two fields.
    ///
    /// # Errors
    /// Another line, or none.
    pub fn exactly(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        if self.required(key)? == [value] { Ok(()) } else { Err(self.expected(&format!("{key} {value}"))) }
    }

    /// A failure at the last line taken.
    #[must_use]
    pub fn expected(&self, what: &str) -> Failure {
        malformed(self.file, self.number, what)
    }

    /// # Errors
    /// Lines that are left.
    pub fn finish(mut self) -> Result<(), Failure> {
        match self.take() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the file")),
        }
    }
}

/// A malformed file.
#[must_use]
pub fn malformed(file: &str, line: usize, expected: &str) -> Failure {
    Failure::Malformed { file: file.to_owned(), line, expected: expected.to_owned() }
}

/// A decimal number without sign and leading zero.
#[must_use]
pub fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    if digits && (text == "0" || !text.starts_with('0')) { text.parse().ok() } else { None }
}

/// A mask of 16 lower-case hexadecimal digits.
#[must_use]
pub fn mask(text: &str) -> Option<Mask> {
    let digits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if digits { Mask::from_str_radix(text, 16).ok() } else { None }
}

/// The words of a rule and of a value.
#[must_use]
pub fn rule(text: &str) -> Option<Rule> {
    [Rule::Standard, Rule::RedundantHint].into_iter().find(|rule| rule.to_string() == text)
}

/// The words of a value.
#[must_use]
pub fn value(text: &str) -> Option<Value> {
    [Value::Won, Value::Lost].into_iter().find(|value| value.to_string() == text)
}

/// Reads a plain file of at most `limit` bytes.
///
/// # Errors
/// A link, a folder, a missing file; a longer file is malformed.
pub fn read(path: &Path, name: &str, limit: u64) -> Result<Vec<u8>, Failure> {
    let unreadable = |why: String| Failure::Unreadable(format!("{}: {why}", crate::error::escaped(name)));
    let kind = std::fs::symlink_metadata(path).map_err(|e| unreadable(e.to_string()))?;
    if !kind.is_file() {
        return Err(unreadable("not a plain file".to_owned()));
    }
    let long = || malformed(name, 0, &format!("at most {limit} bytes"));
    if kind.len() > limit {
        return Err(long());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| unreadable(e.to_string()))?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| unreadable(e.to_string()))?;
    // It may have grown.
    if bytes.len() as u64 > limit { Err(long()) } else { Ok(bytes) }
}

/// Reads a file, unpacking it if its name says so: at most `packed` bytes and `unpacked` bytes. The bytes of the file
/// come with the text, for the digest.
///
/// # Errors
/// As [`read`], and what is wrong with the compression.
pub fn read_packed(
    path: &Path,
    name: &str,
    packed: u64,
    unpacked: u64,
) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let unpack = match Path::new(name).extension().and_then(|extension| extension.to_str()) {
        Some("xz") => xz::unpack,
        Some("lzma") => xz::unpack_lzma,
        _ => {
            let text = read(path, name, unpacked)?;
            return Ok((text.clone(), text));
        }
    };
    let packed = read(path, name, packed)?;
    let text = unpack(&packed, unpacked).map_err(|expected| malformed(name, 0, expected))?;
    Ok((packed, text))
}

/// What the auditor claims. The numbers are as in `FORMAT.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The rule of the game.
    pub rule: Rule,
    /// Value of the empty board.
    pub root: Value,
    /// Winning first moves, of 61.
    pub first_moves: Option<(u64, u64)>,
    /// Values after one stone; empty or all nine.
    pub depth1: Vec<(Mask, Value)>,
    /// Won and lost positions after two stones.
    pub depth2: Option<(u64, u64)>,
    /// Won and lost positions after three stones.
    pub depth3: Option<(u64, u64)>,
    /// Winning moves, of all, in won positions after one stone.
    pub second_moves: Option<(u64, u64)>,
    /// Winning moves, of all, in won positions after two stones.
    pub third_moves: Option<(u64, u64)>,
    /// Positions after three stones: won under both rules, under the standard rule only, the other only, none.
    pub joint: Option<[u64; 4]>,
    /// Plies and hints of the perfect line.
    pub line: Option<(u64, u64)>,
    /// What the proof uses.
    pub side: Side,
    /// A file of moves to try first, under the standard rule.
    pub advice: Option<String>,
}

/// The side inputs of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// A derivation.
    ProofSet(String),
    /// All values after three stones, and perhaps those of the other rule.
    Values(String, Option<String>),
    /// A derivation and a line of play.
    Line(String, String),
}

/// Parses `claim.txt`.
///
/// # Errors
/// What is expected where.
pub fn claim(bytes: &[u8]) -> Result<Claim, Failure> {
    let mut lines = Lines::new("claim.txt", bytes)?;
    lines.exactly("claim", "1")?;
    lines.exactly("game", "honey-islands")?;
    let rule = header_rule(&mut lines)?;
    let fields = lines.required("root")?;
    let root = match fields.as_slice() {
        [word] => value(word),
        _ => None,
    };
    let root = root.ok_or_else(|| lines.expected("root won or root lost"))?;
    let first_moves = pair(&mut lines, "first-moves", ["", "of", ""])?;
    let mut depth1 = Vec::new();
    while let Some(fields) = lines.optional("depth1") {
        let parsed = match fields.as_slice() {
            [key, word] => mask(key).zip(value(word)),
            _ => None,
        };
        let (key, value) = parsed.ok_or_else(|| lines.expected("depth1 D VALUE"))?;
        if depth1.last().is_some_and(|&(last, _)| last >= key) || depth1.len() == 64 {
            return Err(lines.expected("the positions after one stone in ascending order"));
        }
        depth1.push((key, value));
    }
    let depth2 = pair(&mut lines, "depth2", ["won", "lost"])?;
    let depth3 = pair(&mut lines, "depth3", ["won", "lost"])?;
    let second_moves = pair(&mut lines, "second-moves", ["", "of", ""])?;
    let third_moves = pair(&mut lines, "third-moves", ["", "of", ""])?;
    let joint = match lines.optional("joint") {
        None => None,
        Some(fields) => {
            let numbers: Option<Vec<u64>> = fields.iter().map(|f| number(f)).collect();
            let four = numbers.and_then(|n| <[u64; 4]>::try_from(n).ok());
            Some(four.ok_or_else(|| lines.expected("joint and four numbers"))?)
        }
    };
    let line = pair(&mut lines, "line", ["plies", "hints"])?;
    let side = side(&mut lines)?;
    let allowed = match &side {
        Side::ProofSet(_) => [depth3, second_moves, third_moves, line] == [None; 4] && joint.is_none(),
        Side::Values(_, other) => depth3.is_some() && joint.is_some() == other.is_some() && line.is_none(),
        Side::Line(..) => {
            line.is_some() && [depth3, second_moves, third_moves] == [None; 3] && joint.is_none()
        }
    };
    if !allowed {
        return Err(lines.expected("the statements that this form of claim has (FORMAT.md)"));
    }
    let advice = match lines.optional("advice") {
        None => None,
        Some(_) if rule != Rule::Standard => {
            return Err(lines.expected("advice under the standard rule only"));
        }
        Some(fields) => Some(file_name(&lines, &fields)?),
    };
    lines.finish()?;
    Ok(Claim {
        rule,
        root,
        first_moves,
        depth1,
        depth2,
        depth3,
        second_moves,
        third_moves,
        joint,
        line,
        side,
        advice,
    })
}

/// A line `rule RULE`.
///
/// # Errors
/// Another line.
pub fn header_rule(lines: &mut Lines) -> Result<Rule, Failure> {
    let found = match lines.required("rule")?.as_slice() {
        [word] => rule(word),
        _ => None,
    };
    found.ok_or_else(|| lines.expected("rule standard or rule redundant-hint"))
}

/// `KEY a of b`, or `KEY a WORD b WORD`; `words` are what stands after each number.
fn pair<const N: usize>(
    lines: &mut Lines,
    key: &str,
    words: [&str; N],
) -> Result<Option<(u64, u64)>, Failure> {
    let Some(fields) = lines.optional(key) else { return Ok(None) };
    let numbers = match (fields.as_slice(), words.as_slice()) {
        ([a, of, b], ["", word, ""]) if of == word => number(a).zip(number(b)),
        ([a, x, b, y], [first, second]) if x == first && y == second => number(a).zip(number(b)),
        _ => None,
    };
    let shape = if N == 3 { "A of B".to_owned() } else { format!("A {} B {}", words[0], words[1]) };
    numbers.map(Some).ok_or_else(|| lines.expected(format!("{key} {shape}").trim_end()))
}

fn side(lines: &mut Lines) -> Result<Side, Failure> {
    if let Some(fields) = lines.optional("values") {
        let values = file_name(lines, &fields)?;
        let other = match lines.optional("other") {
            Some(fields) => Some(file_name(lines, &fields)?),
            None => None,
        };
        return Ok(Side::Values(values, other));
    }
    let fields = lines.required("proofset")?;
    let proofset = file_name(lines, &fields)?;
    match lines.optional("line-file") {
        Some(fields) => Ok(Side::Line(proofset, file_name(lines, &fields)?)),
        None => Ok(Side::ProofSet(proofset)),
    }
}

/// `NAME` or `proofsets/NAME`.
fn file_name(lines: &Lines, fields: &[&str]) -> Result<String, Failure> {
    let plain = |name: &str| {
        let ok = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
        !name.is_empty() && name.len() <= 80 && !name.starts_with('.') && name.bytes().all(ok)
    };
    match fields {
        [name] if plain(name.strip_prefix("proofsets/").unwrap_or(name)) => Ok((*name).to_owned()),
        _ => Err(lines.expected("a file name, or proofsets/ and a file name")),
    }
}
