//! The list of the values of all positions after three stones, plain or compressed.

use crate::game::Mask;
use crate::log::Entry;
use crate::solver::Rule;
use anyhow::ensure;
use liblzma::stream::{Check, LzmaOptions, Stream};
use liblzma::write::XzEncoder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

/// A position's name in a certificate.
#[must_use]
pub fn key(rule: Rule, mask: Mask, hints: u32) -> String {
    match rule {
        Rule::Standard => format!("{mask:016x}"),
        Rule::RedundantHint => format!("{mask:016x} {hints}"),
    }
}

/// The list as text: a header, a line for each position, ascending by mask, and `end`.
///
/// # Errors
/// If a position has no value yet.
pub fn text<'m>(
    rule: Rule,
    solutions: usize,
    positions: impl ExactSizeIterator<Item = &'m Mask>,
    values: &BTreeMap<Mask, Entry>,
) -> anyhow::Result<String> {
    let total = positions.len();
    let mut text =
        format!("honey-depth3 1\nrule {}\nsolutions {solutions}\npositions {total}\n", rule.word());
    let mut written = 0;
    for mask in positions {
        if let Some(entry) = values.get(mask) {
            writeln!(text, "{} {}", key(rule, *mask, entry.hints), entry.value.word())?;
            written += 1;
        }
    }
    ensure!(written == total, "{} of {total} positions have no value yet", total - written);
    text.push_str("end\n");
    Ok(text)
}

/// One `.xz` stream of one block.
///
/// # Errors
/// If the library fails.
pub fn compress(text: &str) -> anyhow::Result<Vec<u8>> {
    packed(text, Stream::new_easy_encoder(9, Check::Crc32)?)
}

/// The older format, in which the length of the text does not matter.
///
/// # Errors
/// If the library fails.
pub fn compress_lzma(text: &str) -> anyhow::Result<Vec<u8>> {
    packed(text, Stream::new_lzma_encoder(&LzmaOptions::new_preset(9)?)?)
}

fn packed(text: &str, stream: Stream) -> anyhow::Result<Vec<u8>> {
    let mut encoder = XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(text.as_bytes())?;
    Ok(encoder.finish()?)
}
