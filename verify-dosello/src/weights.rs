//! A learned evaluation that only orders moves. Outside the trusted core: a [`Rating`] cannot become a bound, as the
//! search takes nothing from here but the order in which it searches all moves. `FORMAT.md` defines the file.
//!
//! The 46 pattern indices of a position are computed together: each is a sum of contributions of the squares, so a
//! table from (four neighbouring squares, their contents) to 46 contributions needs 16 look-ups for each colour and
//! fits the first-level cache.

#![allow(clippy::inline_always, reason = "without it the lanes go through memory; measured")]
#![allow(
    clippy::indexing_slicing,
    reason = "indices are below 3^n by construction; the tests go through all extremes"
)]

use crate::rules::{Squares, mapped_square};
use std::io::{self, Read, Write};

/// Disc difference expected, in 1/256 disc, from the view of the side to move. Not a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(pub i32);

/// Terms that the caller has computed already, see `FORMAT.md`.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Placements of the side to move.
    pub placements: u64,
    /// Placements of the other side, were it to move.
    pub replies: u64,
    /// Pairs of adjacent empty squares.
    pub pairs: u64,
}

const CLASSES: [&[u8]; 11] = [
    &[0, 1, 2, 3, 4, 5, 6, 7, 9, 14],
    &[8, 9, 10, 11, 12, 13, 14, 15],
    &[16, 17, 18, 19, 20, 21, 22, 23],
    &[24, 25, 26, 27, 28, 29, 30, 31],
    &[0, 9, 18, 27, 36, 45, 54, 63],
    &[1, 10, 19, 28, 37, 46, 55],
    &[2, 11, 20, 29, 38, 47],
    &[3, 12, 21, 30, 39],
    &[0, 1, 2, 8, 9, 10, 16, 17, 18],
    &[0, 1, 2, 3, 4, 8, 9, 10, 11, 12],
    &[18, 19, 20, 21, 26, 27, 28, 29],
];
const PATTERNS: usize = 46;
/// Patterns padded to whole vectors.
const PADDED: usize = 48;
const DENSE: usize = 10;
const PATTERN_WEIGHTS: usize = 173_745;
const PHASE_WEIGHTS: usize = PATTERN_WEIGHTS + DENSE;
const PHASES: usize = 16;
const HEADER: &[u8] = b"dosello weights 1\n";
const UNPACKED_BYTES: usize = HEADER.len() + PHASES * PHASE_WEIGHTS * 2;
/// Cap on the packed file.
pub const PACKED_LIMIT: u64 = 8 << 20;

/// Weights of all phases and the tables to find them by.
pub struct Weights {
    values: Vec<i16>,
    /// First weight of each pattern's class within a phase.
    offsets: [usize; PATTERNS],
    /// Contributions of four squares, for each of the 16 sets of them that one colour can hold.
    contributions: Vec<[u16; PADDED]>,
}

impl Weights {
    /// Reads a packed file.
    ///
    /// # Errors
    /// If the stream is not an LZMA stream of exactly the layout of `FORMAT.md`.
    pub fn read(packed: &[u8]) -> io::Result<Self> {
        let mut rest = packed;
        let mut unpacked = Capped(Vec::with_capacity(UNPACKED_BYTES));
        let options = lzma_rs::decompress::Options { memlimit: Some(64 << 20), ..Default::default() };
        lzma_rs::lzma_decompress_with_options(&mut rest, &mut unpacked, &options)
            .map_err(|error| bad(&format!("{error:?}")))?;
        if rest.read(&mut [0])? != 0 {
            return Err(bad("bytes after the end of the stream"));
        }
        let bytes = unpacked
            .0
            .strip_prefix(HEADER)
            .ok_or_else(|| bad("the first line is not \"dosello weights 1\""))?;
        if bytes.len() != PHASES * PHASE_WEIGHTS * 2 {
            return Err(bad("the unpacked length is not that of the layout"));
        }
        let weights = bytes.as_chunks::<2>().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
        Ok(Self::from_weights(weights))
    }

    /// Weights in the order of the file; too few are filled up with zeros, so that none is out of reach.
    #[must_use]
    pub fn from_weights(mut values: Vec<i16>) -> Self {
        values.resize(PHASES * PHASE_WEIGHTS, 0);
        let mut offsets = [0; PATTERNS];
        let mut contributions = vec![[0u16; PADDED]; 16 * 16];
        let (mut pattern, mut offset) = (0, 0);
        for class in CLASSES {
            let mut seen = Vec::new();
            for symmetry in 0..8 {
                let cells: Vec<u8> = class.iter().map(|&cell| mapped_square(cell, symmetry)).collect();
                let set = cells.iter().fold(0, |set: Squares, &cell| set | 1 << cell);
                if seen.contains(&set) {
                    continue;
                }
                seen.push(set);
                offsets[pattern] = offset;
                let mut power = 1u16;
                for cell in cells {
                    let (group, bit) = (usize::from(cell / 4), cell % 4);
                    for held in (0..16).filter(|held| held >> bit & 1 != 0) {
                        contributions[16 * group + held][pattern] += power;
                    }
                    // The last power of a class of ten, 3^10, is not used; it still fits.
                    power *= 3;
                }
                pattern += 1;
            }
            offset += 3usize.pow(class.len().try_into().unwrap_or(0));
        }
        Self { values, offsets, contributions }
    }

    /// Number of weights in a file.
    #[must_use]
    pub fn count() -> usize {
        PHASES * PHASE_WEIGHTS
    }

    /// Rates a position for its side to move.
    #[must_use]
    #[inline(always)]
    pub fn rate(&self, own: Squares, other: Squares, terms: Terms) -> Rating {
        let empty = !(own | other);
        let phase = usize::try_from(empty.count_ones() / 4).unwrap_or(0).min(PHASES - 1);
        let weights = &self.values[phase * PHASE_WEIGHTS..(phase + 1) * PHASE_WEIGHTS];
        let indices = self.indices(own, other);
        // 46 weights of 16 bits add up to less than 2^21, whatever they are: nothing can wrap here.
        let mut sums = [0i32; 2];
        for pair in 0..PATTERNS / 2 {
            let (even, odd) = (2 * pair, 2 * pair + 1);
            let weight =
                |pattern: usize| i32::from(weights[self.offsets[pattern] + usize::from(indices[pattern])]);
            sums[0] = sums[0].wrapping_add(weight(even));
            sums[1] = sums[1].wrapping_add(weight(odd));
        }
        let mut sum = sums[0].saturating_add(sums[1]);
        for (&weight, term) in weights[PATTERN_WEIGHTS..].iter().zip(dense(own, other, empty, terms)) {
            sum = sum.saturating_add(i32::from(weight).saturating_mul(term));
        }
        Rating(sum)
    }

    #[inline(always)]
    fn indices(&self, own: Squares, other: Squares) -> [u16; PADDED] {
        let mut mine = [0u16; PADDED];
        let mut theirs = [0u16; PADDED];
        for (group, rows) in self.contributions.as_chunks::<16>().0.iter().enumerate() {
            let held = |squares: Squares| &rows[usize::try_from(squares >> (4 * group) & 15).unwrap_or(0)];
            let (row_mine, row_theirs) = (held(own), held(other));
            for pattern in 0..PADDED {
                mine[pattern] = mine[pattern].wrapping_add(row_mine[pattern]);
                theirs[pattern] = theirs[pattern].wrapping_add(row_theirs[pattern]);
            }
        }
        std::array::from_fn(|pattern| {
            mine[pattern].wrapping_add(theirs[pattern]).wrapping_add(theirs[pattern])
        })
    }
}

#[inline(always)]
fn dense(own: Squares, other: Squares, empty: Squares, terms: Terms) -> [i32; DENSE] {
    let count = |number: u64| i32::try_from(number).unwrap_or(0);
    let (placements, replies) = (count(terms.placements), count(terms.replies));
    let beside = (empty << 1 & !0x0101_0101_0101_0101)
        | (empty >> 1 & !0x8080_8080_8080_8080)
        | empty << 8
        | empty >> 8;
    let lone = (empty & !beside).count_ones();
    let empties = empty.count_ones();
    [
        1,
        placements,
        replies,
        count(terms.pairs),
        own.count_ones().cast_signed() - other.count_ones().cast_signed(),
        i32::from(placements == 0),
        i32::from(replies == 0),
        lone.cast_signed(),
        32 * (placements - replies) / (placements + replies + 2),
        if (empties - lone) & 2 != 0 { 1 } else { -1 },
    ]
}

fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("weights: {what}"))
}

/// A buffer that refuses to grow beyond the one size a weights file has.
struct Capped(Vec<u8>);

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > UNPACKED_BYTES {
            return Err(bad("the unpacked length is not that of the layout"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
