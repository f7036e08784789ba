//! Strict reading of line-oriented ASCII: one spelling for each content, every fault with its line.

use crate::error::{Error, Fault, shown};
use num_bigint::BigUint;

/// Most digits of a number without a range of its own: masses and weights.
pub const MAX_DIGITS: usize = 1000;

/// A file that is being read line by line.
pub struct Text<'a> {
    file: &'a str,
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Text<'a> {
    /// Starts reading.
    ///
    /// # Errors
    /// A byte other than printable ASCII and LF, or a last line without its LF.
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Result<Text<'a>, Error> {
        let line_of = |at: usize| 1 + bytes.iter().take(at).filter(|&&byte| byte == b'\n').count();
        if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
            return Err(Error::malformed(file, 1, Fault::Byte("byte-order mark")));
        }
        if let Some(at) = bytes.iter().position(|&byte| byte != b'\n' && !(b' '..=b'~').contains(&byte)) {
            let name = match bytes.get(at) {
                Some(b'\r') => "carriage return",
                Some(b'\t') => "tab",
                Some(0) => "NUL",
                Some(128..) => "byte above ASCII",
                _ => "control character",
            };
            return Err(Error::malformed(file, line_of(at), Fault::Byte(name)));
        }
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            return Err(Error::malformed(file, line_of(bytes.len()), Fault::NoFinalNewline));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Error::Internal("ASCII is not UTF-8"))?;
        Ok(Text { file, lines: text.lines(), number: 0 })
    }

    /// The next line; `expected` says what should stand there, for the error.
    ///
    /// # Errors
    /// The file has ended, or the line's tokens are not separated by one space each.
    pub fn line(&mut self, expected: &str) -> Result<&'a str, Error> {
        self.number = self.number.saturating_add(1);
        let Some(line) = self.lines.next() else {
            return Err(self.fault(Fault::Truncated { expected: expected.to_string() }));
        };
        if line.split(' ').any(str::is_empty) {
            return Err(self.fault(Fault::Spacing));
        }
        Ok(line)
    }

    /// The next line, which has to be exactly this.
    ///
    /// # Errors
    /// Another line, or none.
    pub fn exactly(&mut self, expected: &str) -> Result<(), Error> {
        let line = self.line(expected)?;
        if line == expected { Ok(()) } else { Err(self.unexpected(expected, line)) }
    }

    /// What follows this key on the next line.
    ///
    /// # Errors
    /// Another key, nothing behind it, or no line.
    pub fn after(&mut self, key: &str) -> Result<&'a str, Error> {
        let line = self.line(key)?;
        line.strip_prefix(key)
            .and_then(|rest| rest.strip_prefix(' '))
            .ok_or_else(|| self.unexpected(&format!("{key} and its value"), line))
    }

    /// The number after this key on the next line, within the range.
    ///
    /// # Errors
    /// As [`Text::after`], no number, or one outside the range.
    pub fn count(
        &mut self,
        key: &'static str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, Error> {
        let token = self.after(key)?;
        self.small(token, key, range)
    }

    /// A token as a number within the range.
    ///
    /// # Errors
    /// No number, or one outside the range.
    pub fn small(
        &self,
        token: &str,
        what: &'static str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, Error> {
        let value = self.big(token)?;
        usize::try_from(&value).ok().filter(|small| range.contains(small)).ok_or_else(|| {
            let expected = format!("{} to {}", range.start(), range.end());
            self.fault(Fault::Range { what, expected, found: shown(token) })
        })
    }

    /// A token as a number of any size up to [`MAX_DIGITS`].
    ///
    /// # Errors
    /// No number in its one spelling, or too many digits.
    pub fn big(&self, token: &str) -> Result<BigUint, Error> {
        let canonical =
            token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
        if token.len() > MAX_DIGITS {
            let expected = format!("at most {MAX_DIGITS} digits");
            return Err(self.fault(Fault::Range { what: "number", expected, found: shown(token) }));
        }
        match BigUint::parse_bytes(token.as_bytes(), 10) {
            Some(value) if canonical => Ok(value),
            _ => Err(self.fault(Fault::Number { found: shown(token) })),
        }
    }

    /// As [`Text::big`], and not zero.
    ///
    /// # Errors
    /// As [`Text::big`], or zero.
    pub fn positive(&self, token: &str, what: &'static str) -> Result<BigUint, Error> {
        let value = self.big(token)?;
        if value == BigUint::ZERO {
            return Err(self.fault(Fault::Range {
                what,
                expected: "at least 1".to_string(),
                found: shown(token),
            }));
        }
        Ok(value)
    }

    /// Exactly two tokens of a line.
    ///
    /// # Errors
    /// Fewer or more.
    pub fn pair(&self, line: &'a str, expected: &str) -> Result<(&'a str, &'a str), Error> {
        line.split_once(' ')
            .filter(|(_, second)| !second.contains(' '))
            .ok_or_else(|| self.unexpected(expected, line))
    }

    /// Whether nothing is left to read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.lines.clone().next().is_none()
    }

    /// The end of the file.
    ///
    /// # Errors
    /// There is more.
    pub fn end(mut self) -> Result<(), Error> {
        self.number = self.number.saturating_add(1);
        match self.lines.next() {
            None => Ok(()),
            Some(_) => Err(self.fault(Fault::Trailing)),
        }
    }

    /// An error at the current line.
    #[must_use]
    pub fn fault(&self, fault: Fault) -> Error {
        Error::malformed(self.file, self.number, fault)
    }

    /// The error that something else stands at the current line.
    #[must_use]
    pub fn unexpected(&self, expected: &str, found: &str) -> Error {
        self.fault(Fault::Expected { expected: expected.to_string(), found: shown(found) })
    }
}
