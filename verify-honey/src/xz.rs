//! Unpacking `.xz` with a bound on the unpacked size that holds before anything is inflated.
//!
//! `lzma-rs` inflates a whole block before it hands it over. So the container is walked first: one stream, one block with
//! the LZMA2 filter alone; the chunk headers of LZMA2 state each chunk's unpacked size in the clear. The library then
//! does the decoding and compares checks and index.

/// Reads from the front of a slice.
struct Front<'a>(&'a [u8]);

impl<'a> Front<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    /// A big-endian number of two bytes, as LZMA2 has them.
    fn pair(&mut self) -> Option<u64> {
        Some(u64::from(self.byte()?) << 8 | u64::from(self.byte()?))
    }

    /// Skips a number of variable length (seven bits a byte).
    fn skip_number(&mut self) -> Option<()> {
        for _ in 0..9 {
            if self.byte()? & 0x80 == 0 {
                return Some(());
            }
        }
        None
    }
}

const SHAPE: &str =
    "an .xz file of one stream and one LZMA2 block, with check CRC32 or CRC64, and nothing after it";

/// Unpacks at most `limit` bytes.
///
/// # Errors
/// What was expected instead of these bytes.
pub fn unpack(packed: &[u8], limit: u64) -> Result<Vec<u8>, &'static str> {
    let unpacked = unpacked_size(packed).ok_or(SHAPE)?;
    if unpacked > limit {
        return Err("a smaller unpacked size");
    }
    let mut text = Vec::new();
    let mut input = packed;
    lzma_rs::xz_decompress(&mut input, &mut text).map_err(|_| "intact .xz data")?;
    if text.len() as u64 == unpacked { Ok(text) } else { Err("the unpacked size of the chunk headers") }
}

/// Walks the container to its last byte and adds up the chunks.
fn unpacked_size(packed: &[u8]) -> Option<u64> {
    let mut front = Front(packed);
    let magic = [0xfd, b'7', b'z', b'X', b'Z', 0];
    if front.bytes(6)? != magic || front.byte()? != 0 {
        return None;
    }
    let check = match front.byte()? {
        1 => 4,
        4 => 8,
        _ => return None,
    };
    front.bytes(4)?;
    let header_size = (usize::from(front.byte()?) + 1) * 4;
    // A header of the smallest size would be an index: a stream without a block.
    let mut header = Front(front.bytes(header_size.checked_sub(1).filter(|&n| n >= 7)?)?);
    let flags = header.byte()?;
    if flags & 0x3f != 0 {
        return None;
    }
    for bit in [0x40, 0x80] {
        if flags & bit != 0 {
            header.skip_number()?;
        }
    }
    if header.byte()? != 0x21 {
        return None;
    }
    let block = front.0.len();
    let mut unpacked = 0u64;
    loop {
        let control = front.byte()?;
        match control {
            0 => break,
            1 | 2 => {
                let size = front.pair()? + 1;
                front.bytes(usize::try_from(size).ok()?)?;
                unpacked += size;
            }
            3..=0x7f => return None,
            _ => {
                unpacked += (u64::from(control & 0x1f) << 16) + front.pair()? + 1;
                let size = front.pair()? + 1;
                if control >= 0xc0 {
                    front.byte()?;
                }
                front.bytes(usize::try_from(size).ok()?)?;
            }
        }
    }
    let used = block - front.0.len();
    front.bytes(used.wrapping_neg() % 4)?;
    front.bytes(check)?;
    let index = front.0.len();
    if front.byte()? != 0 || front.byte()? != 1 {
        return None;
    }
    front.skip_number()?;
    front.skip_number()?;
    let used = index - front.0.len();
    front.bytes(used.wrapping_neg() % 4)?;
    // The index's checksum and the stream's footer end the file.
    (front.0.len() == 4 + 12).then_some(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf 'honey\n' | xz --check=crc32`: one stored chunk.
    #[rustfmt::skip]
    const HONEY: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01,
        0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x05, 0x68, 0x6f, 0x6e, 0x65, 0x79,
        0x0a, 0x00, 0x00, 0x00, 0x52, 0x6e, 0xca, 0xc5, 0x00, 0x01, 0x1a, 0x06, 0xc5, 0xea, 0xc8, 0x79,
        0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a,
    ];
    /// 5,000 times the letter a: one compressed chunk.
    #[rustfmt::skip]
    const LONG: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01,
        0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0xe0, 0x13, 0x87, 0x00, 0x1e, 0x5d, 0x00, 0x30,
        0xef, 0xfb, 0xbf, 0xfe, 0xa3, 0xb1, 0x5e, 0xe5, 0xf8, 0x3f, 0xb2, 0xaa, 0x26, 0x55, 0xf8, 0x68,
        0x70, 0x41, 0x70, 0x15, 0x0f, 0x8d, 0xfd, 0x1e, 0x35, 0xc9, 0xc1, 0xd6, 0x00, 0x00, 0x00, 0x00,
        0x76, 0x59, 0xf4, 0x4c, 0x00, 0x01, 0x36, 0x88, 0x27, 0x00, 0x00, 0x00, 0xb9, 0x5c, 0x05, 0xad,
        0x3e, 0x30, 0x0d, 0x8b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a,
    ];

    #[test]
    fn files_of_the_reference_packer_are_unpacked() {
        assert_eq!(unpack(HONEY, 6).unwrap(), b"honey\n");
        assert_eq!(unpack(LONG, 5000).unwrap(), vec![b'a'; 5000]);
    }

    #[test]
    fn an_unpacked_size_above_the_limit_is_refused_before_inflating() {
        assert_eq!(unpack(LONG, 4999), Err("a smaller unpacked size"));
        assert_eq!(unpack(HONEY, 5), Err("a smaller unpacked size"));
        // The data of the chunk may even be damaged: the size alone decides.
        let mut damaged = LONG.to_vec();
        damaged[40] ^= 1;
        assert_eq!(unpack(&damaged, 4999), Err("a smaller unpacked size"));
        assert!(unpack(&damaged, 5000).is_err());
    }

    #[test]
    fn a_truncated_file_is_refused_at_every_length() {
        for whole in [HONEY, LONG] {
            for end in 0..whole.len() {
                assert_eq!(unpack(&whole[..end], 1 << 20), Err(SHAPE), "{end}");
            }
        }
    }

    #[test]
    fn bytes_after_the_footer_and_a_second_stream_are_refused() {
        for whole in [HONEY, LONG] {
            assert_eq!(unpack(&[whole, &[0; 4]].concat(), 1 << 20), Err(SHAPE));
            assert_eq!(unpack(&[whole, whole].concat(), 1 << 20), Err(SHAPE));
        }
    }

    #[test]
    fn no_single_bit_can_be_flipped_without_notice_of_the_text() {
        for bit in 0..8 * HONEY.len() {
            let mut damaged = HONEY.to_vec();
            damaged[bit / 8] ^= 1 << (bit % 8);
            if let Ok(text) = unpack(&damaged, 1 << 20) {
                assert_eq!(text, b"honey\n", "bit {bit}");
            }
        }
    }
}
