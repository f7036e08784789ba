//! Strict reading of text: what `FORMAT.md` says of every file, and numbers.

use crate::error::{Error, Reason};
use crate::rules::{Move, Position, Score, is_score};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::Path;

/// Cap on the bytes of a text file.
pub const BYTE_LIMIT: u64 = 16 << 20;
/// Cap on the lines of a text file.
pub const LINE_LIMIT: usize = 100_000;
/// Cap on the moves of a line of play in a leaf file, a proof set or a unit.
pub const MOVE_LIMIT: usize = 12;

/// A line and its tokens.
#[derive(Debug)]
pub struct Line<'a> {
    /// Number of the line, from 1.
    pub number: usize,
    /// What stands between the spaces; never empty.
    pub tokens: Vec<&'a str>,
}

/// A text file as read: the bytes that are parsed are the bytes that are hashed.
pub struct Text {
    /// The file's name for messages, without its folders.
    pub name: String,
    bytes: Vec<u8>,
}

impl Text {
    /// Takes bytes from memory.
    #[must_use]
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), bytes }
    }

    /// Reads a plain file (no link) of bounded size.
    ///
    /// # Errors
    /// If it cannot be read, is no plain file, or is too large.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().map_or_else(String::new, |name| shown(name.as_encoded_bytes()));
        let failed = |error: &dyn std::fmt::Display| Error::InputOutput(format!("{name}: {error}"));
        let kind = fs::symlink_metadata(path).map_err(|error| failed(&error))?.file_type();
        if !kind.is_file() {
            return Err(failed(&"not a plain file"));
        }
        let file = fs::File::open(path).map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        file.take(BYTE_LIMIT + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > BYTE_LIMIT {
            return Err(Error::Declined(format!("{name}: more than {BYTE_LIMIT} bytes")));
        }
        Ok(Self { name, bytes })
    }

    /// SHA-256 of the bytes, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex(&Sha256::digest(&self.bytes))
    }

    /// A failure at a line of this file.
    #[must_use]
    pub fn error(&self, reason: Reason, line: usize, what: impl Into<String>) -> Error {
        Error::at(reason, &self.name, line, what)
    }

    /// Splits the file into lines of tokens.
    ///
    /// # Errors
    /// Anything but printable ASCII in tokens separated by one space and lines ended by LF.
    pub fn lines(&self) -> Result<Vec<Line<'_>>, Error> {
        let malformed = |line, what: &str| self.error(Reason::Malformed, line, what);
        let count = self.bytes.split(|&byte| byte == b'\n').count() - 1;
        if count > LINE_LIMIT {
            return Err(Error::Declined(format!("{}: more than {LINE_LIMIT} lines", self.name)));
        }
        let body = self.bytes.strip_suffix(b"\n");
        let body = body.ok_or_else(|| malformed(count + 1, "the last line does not end in a line feed"))?;
        let mut lines = Vec::with_capacity(count);
        for (index, bytes) in body.split(|&byte| byte == b'\n').enumerate() {
            let number = index + 1;
            if let Some(byte) = bytes.iter().find(|byte| !(b' '..=b'~').contains(byte)) {
                return Err(malformed(number, &format!("byte 0x{byte:02x}, expected printable ASCII")));
            }
            let text = str::from_utf8(bytes).map_err(|_| malformed(number, "not ASCII"))?;
            let tokens: Vec<&str> = text.split(' ').collect();
            if tokens.contains(&"") {
                return Err(malformed(number, "a blank line, or a space too many"));
            }
            lines.push(Line { number, tokens });
        }
        Ok(lines)
    }
}

/// Lower-case hexadecimal digits of bytes.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut digits, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Bytes of an input for a message: escaped, at most 60 characters and a mark where more follows.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    let escaped = bytes.escape_ascii().to_string();
    let cut: String = escaped.chars().take(60).collect();
    if cut.len() < escaped.len() { cut + "..." } else { cut }
}

/// A decimal number without sign and leading zero, at most 2^64 - 1.
#[must_use]
pub fn number(token: &str) -> Option<u64> {
    let plain =
        token.bytes().all(|byte| byte.is_ascii_digit()) && (token.len() == 1 || !token.starts_with('0'));
    if plain { token.parse().ok() } else { None }
}

/// What a token says of a score.
///
/// # Errors
/// [`Reason::Malformed`] if it is no integer in plain decimal form, [`Reason::NotAScore`] if no game ends so.
pub fn score(token: &str) -> Result<Score, Reason> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let magnitude = number(digits).ok_or(Reason::Malformed)?;
    if magnitude == 0 && digits.len() < token.len() {
        return Err(Reason::Malformed);
    }
    let magnitude = Score::try_from(magnitude).map_err(|_| Reason::NotAScore)?;
    let score = if digits.len() < token.len() { -magnitude } else { magnitude };
    if is_score(score) { Ok(score) } else { Err(Reason::NotAScore) }
}

/// Plays a line from the initial position and returns its moves and all positions on it, the initial one first.
///
/// # Errors
/// A message naming the first token that is no legal move.
pub fn play(tokens: &[&str]) -> Result<(Vec<Move>, Vec<Position>), String> {
    let mut position = Position::initial();
    let (mut moves, mut positions) = (Vec::new(), vec![position]);
    for (index, token) in tokens.iter().enumerate() {
        let step = Move::parse(token).ok_or_else(|| format!("{} is no move", shown(token.as_bytes())))?;
        position = position.play(step).ok_or_else(|| format!("move {} ({step}) is illegal", index + 1))?;
        moves.push(step);
        positions.push(position);
    }
    Ok((moves, positions))
}
