//! Unpacking `.xz` with the unpacked size known, and capped, before a byte is unpacked.
//!
//! `lzma-rs` unpacks a whole block before it hands anything over, so a small file could fill the memory. The LZMA2
//! chunk headers give the unpacked sizes without unpacking; this module walks them first and lets through only one
//! stream of one block with the filter LZMA2.
//!
//! `lzma-rs` ends a chunk at its unpacked size and takes packed bytes that are left for further chunks, which the walk
//! has not counted. So it reads through a [`Guarded`] slice, where only the walked headers can be read as headers.

use crate::error::{Error, Fault};
use std::io::{self, BufRead, Read};

/// Most bytes of a strategy file, packed and unpacked.
pub const MAX_BYTES: usize = 64 << 20;

const HEADER_MAGIC: [u8; 6] = [0xFD, b'7', b'z', b'X', b'Z', 0];

/// Unpacks one `.xz` stream.
///
/// # Errors
/// What the container has that is not read here, a damaged or truncated stream, bytes after it, or an unpacked size
/// above `most`.
pub fn unpack(file: &str, packed: &[u8], most: usize) -> Result<Vec<u8>, Error> {
    let fault = |reason| Error::malformed(file, 0, Fault::Xz(reason));
    let (size, pairs) = walk(packed).map_err(fault)?;
    if size > most {
        return Err(Error::malformed(file, 0, Fault::TooLarge { limit: most }));
    }
    let mut guarded = Guarded { packed, at: 0, pairs };
    let mut bytes = Vec::with_capacity(size);
    lzma_rs::xz_decompress(&mut guarded, &mut bytes).map_err(|_| fault("damaged stream"))?;
    if bytes.len() != size {
        return Err(fault("another unpacked size than the chunk headers say"));
    }
    Ok(bytes)
}

/// A slice of which two bytes at once can be read only where the walk has found a field of two bytes.
///
/// `lzma-rs` reads the two sizes of a chunk's header in this way, and a chunk's packed data never: that byte by byte, but
/// for a first word of four. Between the walked fields there is no room for both sizes of another header.
struct Guarded<'a> {
    packed: &'a [u8],
    at: usize,
    /// Where the fields of two bytes are, in increasing order.
    pairs: Vec<usize>,
}

impl Read for Guarded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.len() == 2 && self.pairs.binary_search(&self.at).is_err() {
            return Err(io::Error::other("a chunk within a chunk"));
        }
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Guarded<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.packed.get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }
}

/// The sum of the unpacked sizes of all chunks of the only block, and where the stream has fields of two bytes.
fn walk(packed: &[u8]) -> Result<(usize, Vec<usize>), &'static str> {
    let truncated = "truncated stream";
    let byte = |at: usize| packed.get(at).copied().ok_or(truncated);
    let pair = |at: usize| Ok(usize::from(byte(at)?) << 8 | usize::from(byte(at + 1)?));
    if packed.get(..6) != Some(&HEADER_MAGIC) {
        return Err("expected the magic bytes of an xz stream");
    }
    let check = match (byte(6)?, byte(7)?) {
        (0, 0) => 0,
        (0, 1) => 4,
        (0, 4) => 8,
        _ => return Err("expected the check none, CRC32 or CRC64"),
    };
    let block = 12;
    let header = match byte(block)? {
        0 => return Err("expected a block"),
        words => (usize::from(words) + 1) * 4,
    };
    // Flags: one filter, and both optional sizes may stand in the header; the chunk headers decide.
    let flags = byte(block + 1)?;
    if flags & 0x3F != 0 {
        return Err("expected a single filter");
    }
    let mut at = block + 2;
    // A number of seven bits a byte, the last one below 0x80.
    let after_number = |mut at: usize| {
        while byte(at)? & 0x80 != 0 {
            at += 1;
        }
        Ok::<usize, &'static str>(at + 1)
    };
    for present in [flags & 0x40, flags & 0x80] {
        if present != 0 {
            at = after_number(at)?;
        }
    }
    if (byte(at)?, byte(at + 1)?) != (0x21, 1) {
        return Err("expected the filter LZMA2");
    }
    at = block + header;
    let mut size = 0usize;
    // The stream's flags come first.
    let mut pairs = vec![6];
    loop {
        let control = byte(at)?;
        let (unpacked, next) = match control {
            0 => break,
            1 | 2 => {
                let unpacked = pair(at + 1)? + 1;
                pairs.push(at + 1);
                if unpacked == 2 {
                    pairs.push(at + 3);
                }
                (unpacked, at + 3 + unpacked)
            }
            0x80.. => {
                let unpacked = (usize::from(control & 0x1F) << 16) + pair(at + 1)? + 1;
                let properties = usize::from(control >= 0xC0);
                pairs.extend([at + 1, at + 3]);
                (unpacked, at + 6 + properties + pair(at + 3)?)
            }
            _ => return Err("reserved chunk type"),
        };
        size = size.saturating_add(unpacked);
        at = next;
    }
    at += 1;
    let index = block + (at - block).next_multiple_of(4) + check;
    if byte(index)? != 0 {
        return Err("expected a single block");
    }
    if byte(index + 1)? != 1 {
        return Err("expected an index of a single block");
    }
    // The rest is walked too, since `lzma-rs` computes with the footer's size field before it has checked it.
    let sizes = after_number(after_number(index + 2)?)?;
    let footer = index + (sizes - index).next_multiple_of(4) + 4;
    let stored: [u8; 4] =
        packed.get(footer + 4..footer + 8).and_then(|b| b.try_into().ok()).ok_or(truncated)?;
    if usize::try_from(u32::from_le_bytes(stored)) != Ok((footer - index) / 4 - 1) {
        return Err("expected the index's size in the footer");
    }
    if packed.get(footer + 10..footer + 12).ok_or(truncated)? != b"YZ" {
        return Err("expected the magic bytes of a footer");
    }
    if packed.len() != footer + 12 {
        return Err("bytes after the end of the stream");
    }
    pairs.extend([footer + 8, footer + 10]);
    Ok((size, pairs))
}
