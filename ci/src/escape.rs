//! Bytes that somebody else chose, made fit for a terminal, a table and a web page.

use std::fmt::Write as _;

/// Longest line of a checker that is taken, bytes. The longest honest one, a statement, has less than 1,000.
pub const LINE_BYTES: usize = 4096;

/// Printable ASCII as it is, a backslash doubled, every other byte as `\xNN`; cut after `most` characters, with `…`.
#[must_use]
pub fn escaped(bytes: &[u8], most: usize) -> String {
    let mut text = String::new();
    for &byte in bytes {
        let before = text.len();
        match byte {
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        if text.len() > most {
            text.truncate(before);
            text.push('…');
            break;
        }
    }
    text
}

/// The last `most` bytes of a text of several lines, escaped line by line and joined with LF.
#[must_use]
pub fn escaped_tail(bytes: &[u8], most: usize) -> String {
    let start = bytes.len().saturating_sub(most);
    let tail = bytes.get(start..).unwrap_or_default();
    let lines: Vec<String> = tail.split(|&byte| byte == b'\n').map(|line| escaped(line, most)).collect();
    lines.join("\n").trim().to_owned()
}

/// A word for a shell: as it is if nothing in it is special, else in single quotes.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bytes_and_bytes_beyond_ascii_are_escaped() {
        assert_eq!(escaped(b"a\x1b[31m\xff\\b", 80), "a\\x1b[31m\\xff\\\\b");
    }

    #[test]
    fn a_long_text_is_cut_and_no_escape_is_split() {
        assert_eq!(escaped(b"abc\x00", 5), "abc…");
        assert_eq!(escaped(b"abcde", 5), "abcde");
    }

    #[test]
    fn a_quote_cannot_leave_a_shell_word() {
        assert_eq!(shell_word("a'; rm"), "'a'\\''; rm'");
        assert_eq!(shell_word("--twice"), "--twice");
        assert_eq!(shell_word(""), "''");
    }
}
