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

/// A text with the characters that a reader cannot see, or that move a terminal's cursor or turn the direction of
/// writing, as escapes. Line feeds stay.
#[must_use]
pub fn visible(text: &str) -> String {
    let hidden = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if !text.contains(hidden) {
        return text.to_owned();
    }
    text.chars().map(|c| if hidden(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
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
    fn what_cannot_be_seen_is_made_visible() {
        assert_eq!(visible("a\nb\u{e9}"), "a\nb\u{e9}");
        assert_eq!(visible("\u{1b}[31m\u{9b}\u{202e}\0"), "\\u{1b}[31m\\u{9b}\\u{202e}\\u{0}");
    }

    #[test]
    fn a_quote_cannot_leave_a_shell_word() {
        assert_eq!(shell_word("a'; rm"), "'a'\\''; rm'");
        assert_eq!(shell_word("--twice"), "--twice");
        assert_eq!(shell_word(""), "''");
    }
}
