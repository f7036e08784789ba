//! Unpacking. An `.lzma` file has a plain header and is handed to the library with a limit on what it may write.
//!
//! An `.xz` file: one stream, one block, one chunk of data, as `xz --check=crc32 --threads=1` packs up to 2 MiB.
//!
//! A hostile file must neither fill the memory nor make the unpacking library panic. `lzma-rs` has both faults when it
//! is given a whole container: it inflates before anybody can count, it reads what a chunk leaves over as further
//! chunks, and it computes with a footer that it has not checked. So it is given only the packed bytes of the one
//! chunk, together with the number of bytes at which to stop. Everything around the chunk is determined by the chunk
//! and the text, so it is made here and compared, byte by byte.

use lzma_rs::decompress::{Options, UnpackedSize};

const MAGIC: [u8; 8] = [0xfd, b'7', b'z', b'X', b'Z', 0, FLAGS[0], FLAGS[1]];
/// No data in the first byte, the check CRC32 in the second.
const FLAGS: [u8; 2] = [0, 1];
/// Properties of LZMA that `xz` uses at every level: lc 3, lp 0, pb 2.
const PROPERTIES: u8 = 0x5d;

/// Unpacks at most `limit` bytes.
///
/// # Errors
/// What was expected instead of these bytes.
pub fn unpack(packed: &[u8], limit: u64) -> Result<Vec<u8>, &'static str> {
    const START: &str = "the start of an .xz file with check CRC32 and one LZMA2 block";
    let mut rest = packed;
    let mut take = |count: usize| {
        let (head, tail) = rest.split_at_checked(count)?;
        rest = tail;
        Some(head)
    };
    // Only the size of the dictionary is free. It is of no use here: the text itself is as large as it can get.
    let head = take(24).ok_or(START)?;
    let dictionary = head.get(16).copied().filter(|&size| size <= 40).ok_or(START)?;
    let block = [2, 0, 0x21, 1, dictionary, 0, 0, 0];
    let start = [&MAGIC[..], &crc32(&FLAGS), &block, &crc32(&block)].concat();
    if head != start {
        return Err(START);
    }
    let body = packed.len() - 24;
    let chunk = Chunk::read(&mut take).ok_or("one LZMA2 chunk that needs none before it")?;
    if chunk.size as u64 > limit {
        return Err(TOO_LONG);
    }
    let text = chunk.text()?;
    let block_size = 12 + body - rest.len() + 1 + 4;
    if rest == tail(block_size, &text) {
        Ok(text)
    } else {
        Err("the end of an .xz file of one chunk, and nothing after it")
    }
}

/// The only chunk.
struct Chunk<'a> {
    /// Unpacked bytes.
    size: usize,
    data: &'a [u8],
    stored: bool,
}

impl<'a> Chunk<'a> {
    fn read(take: &mut impl FnMut(usize) -> Option<&'a [u8]>) -> Option<Self> {
        let mut byte = || take(1)?.first().copied().map(usize::from);
        let control = byte()?;
        let size = byte()? << 8 | byte()?;
        if control == 1 {
            return Some(Chunk { size: size + 1, data: take(size + 1)?, stored: true });
        }
        if control < 0xe0 {
            return None;
        }
        let size = ((control & 0x1f) << 16 | size) + 1;
        let length = (byte()? << 8 | byte()?) + 1;
        if byte()? != usize::from(PROPERTIES) {
            return None;
        }
        Some(Chunk { size, data: take(length)?, stored: false })
    }

    /// Unpacks exactly the stated number of bytes from exactly the packed ones.
    fn text(&self) -> Result<Vec<u8>, &'static str> {
        if self.stored {
            return Ok(self.data.to_vec());
        }
        let text = inflate(self.data, self.size, Some(self.size as u64))?;
        if text.len() == self.size { Ok(text) } else { Err(DATA) }
    }
}

const DATA: &str = "intact LZMA data";

const TOO_LONG: &str = "a smaller unpacked size";

/// Unpacks at most `limit` bytes of an `.lzma` file as `xz --format=lzma` writes it: no size in the header, but a mark
/// at the end of the data. (The library does without the mark where the data can end.) It has no check, and needs none:
/// what a side input says is proved, or decides nothing. Takes memory for twice the limit.
///
/// # Errors
/// What was expected instead of these bytes.
pub fn unpack_lzma(packed: &[u8], limit: u64) -> Result<Vec<u8>, &'static str> {
    let limit = usize::try_from(limit).map_err(|_| "a smaller limit")?;
    match packed {
        [PROPERTIES, _, _, _, _, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, data @ ..] => {
            inflate(data, limit, None)
        }
        _ => Err("the start of an .lzma file of unknown size"),
    }
}

/// Unpacks all of `data`, which holds `size` bytes or ends with a mark, and stops when they are more than `limit`.
fn inflate(data: &[u8], limit: usize, size: Option<u64>) -> Result<Vec<u8>, &'static str> {
    let dictionary = u32::try_from(limit).map_err(|_| TOO_LONG)?;
    // The header of an LZMA file: properties and a dictionary that holds the whole text.
    let head = [&[PROPERTIES][..], &dictionary.to_le_bytes()].concat();
    let mut rest = data;
    let mut input = std::io::Read::chain(&head[..], &mut rest);
    let options =
        Options { unpacked_size: UnpackedSize::UseProvided(size), memlimit: None, allow_incomplete: false };
    let mut text = Capped { bytes: Vec::new(), limit, full: false };
    let done = lzma_rs::lzma_decompress_with_options(&mut input, &mut text, &options);
    if text.full {
        return Err(TOO_LONG);
    }
    // The library skips the first byte of the data, which the packer leaves zero.
    if done.is_err() || !rest.is_empty() || data.first() != Some(&0) { Err(DATA) } else { Ok(text.bytes) }
}

/// Bytes up to a limit. The library hands them over whenever its buffer is full, which has the size of the dictionary
/// (4 KiB at least).
struct Capped {
    bytes: Vec<u8>,
    limit: usize,
    /// Whether there were more.
    full: bool,
}

impl std::io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.len() > self.limit - self.bytes.len() {
            self.full = true;
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything after the chunk: the end of the block, padding, check, index and footer.
fn tail(block_size: usize, text: &[u8]) -> Vec<u8> {
    let mut tail = vec![0];
    tail.resize(1 + block_size.wrapping_neg() % 4, 0);
    tail.extend(crc32(text));
    let mut index = vec![0, 1];
    for mut number in [block_size, text.len()] {
        while number >= 0x80 {
            index.push(0x80 | number.to_le_bytes()[0]);
            number >>= 7;
        }
        index.push(number.to_le_bytes()[0]);
    }
    index.resize(index.len().next_multiple_of(4), 0);
    // The footer's size is that of the index with its check, in words, less one.
    let words: [u8; 4] = [(index.len() / 4).to_le_bytes()[0], 0, 0, 0];
    let footer = [words.as_slice(), &FLAGS].concat();
    [&tail[..], &index, &crc32(&index), &crc32(&footer), &footer, b"YZ"].concat()
}

/// The CRC32 of IEEE 802.3, least significant byte first.
fn crc32(bytes: &[u8]) -> [u8; 4] {
    let crc = bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ ((crc & 1) * 0xedb8_8320))
    });
    (!crc).to_le_bytes()
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

    const START: &str = "the start of an .xz file with check CRC32 and one LZMA2 block";
    const CHUNK: &str = "one LZMA2 chunk that needs none before it";
    const END: &str = "the end of an .xz file of one chunk, and nothing after it";

    #[test]
    fn files_of_the_reference_packer_are_unpacked() {
        assert_eq!(unpack(HONEY, 6).unwrap(), b"honey\n");
        assert_eq!(unpack(LONG, 5000).unwrap(), vec![b'a'; 5000]);
    }

    #[test]
    fn the_check_of_nine_digits_is_the_published_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926u32.to_le_bytes());
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
                let expected = match end {
                    0..24 => &[START][..],
                    _ => &[CHUNK, DATA, END],
                };
                let found = unpack(&whole[..end], 1 << 20).unwrap_err();
                assert!(expected.contains(&found), "{end}: {found}");
            }
        }
    }

    #[test]
    fn bytes_after_the_footer_and_a_second_stream_are_refused() {
        for whole in [HONEY, LONG] {
            assert_eq!(unpack(&[whole, &[0; 4]].concat(), 1 << 20), Err(END));
            assert_eq!(unpack(&[whole, whole].concat(), 1 << 20), Err(END));
        }
    }

    #[test]
    fn a_flipped_bit_is_refused_or_among_the_last_of_the_packed_data_where_it_changes_nothing() {
        for whole in [HONEY, LONG] {
            let text = unpack(whole, 5000).unwrap();
            for bit in 0..8 * whole.len() {
                let mut damaged = whole.to_vec();
                damaged[bit / 8] ^= 1 << (bit % 8);
                // The packed data end with five bytes of which the decoder reads less than all.
                match unpack(&damaged, 1 << 20) {
                    Err(_) => {}
                    Ok(same) => assert!(same == text && (56..61).contains(&(bit / 8)), "bit {bit}"),
                }
            }
        }
    }

    /// `printf 'honey\n' | xz --format=lzma`.
    #[rustfmt::skip]
    const HONEY_LZMA: &[u8] = &[
        0x5d, 0x00, 0x00, 0x80, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x34, 0x1b,
        0xca, 0x18, 0x72, 0x0a, 0xbe, 0x2f, 0xcc, 0xff, 0xff, 0xfe, 0x48, 0xb0, 0x00,
    ];

    /// 5,000 times the letter a.
    #[rustfmt::skip]
    const LONG_LZMA: &[u8] = &[
        0x5d, 0x00, 0x00, 0x80, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x30, 0xef,
        0xfb, 0xbf, 0xfe, 0xa3, 0xb1, 0x5e, 0xe5, 0xf8, 0x3f, 0xb2, 0xaa, 0x26, 0x55, 0xf8, 0x68, 0x70,
        0x41, 0x70, 0x15, 0x0f, 0x8d, 0xfd, 0x1e, 0x35, 0xd0, 0x90, 0x80, 0xdf, 0xff, 0xfd, 0x84, 0x10,
        0x00,
    ];

    #[test]
    fn lzma_files_of_the_reference_packer_are_unpacked_up_to_the_limit() {
        assert_eq!(unpack_lzma(HONEY_LZMA, 6).unwrap(), b"honey\n");
        assert_eq!(unpack_lzma(HONEY_LZMA, 5), Err(TOO_LONG));
        assert_eq!(unpack_lzma(LONG_LZMA, 5000).unwrap(), vec![b'a'; 5000]);
        for limit in [0, 1, 100, 2500, 4999] {
            assert_eq!(unpack_lzma(LONG_LZMA, limit), Err(TOO_LONG));
        }
        // Whatever dictionary the header asks for.
        let mut other = HONEY_LZMA.to_vec();
        other[1..5].fill(0xff);
        assert_eq!(unpack_lzma(&other, 6).unwrap(), b"honey\n");
    }

    #[test]
    fn a_damaged_lzma_file_is_refused_or_stays_within_the_limit() {
        for end in 0..HONEY_LZMA.len() {
            assert!(unpack_lzma(&HONEY_LZMA[..end], 100).is_err(), "{end}");
        }
        assert_eq!(unpack_lzma(&[HONEY_LZMA, &[0]].concat(), 100), Err(DATA));
        for bit in 0..8 * HONEY_LZMA.len() {
            let mut damaged = HONEY_LZMA.to_vec();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(unpack_lzma(&damaged, 100).map_or(0, |text| text.len()) <= 100, "{bit}");
        }
    }

    #[test]
    fn the_size_of_the_dictionary_is_free() {
        let block = [2, 0, 0x21, 1, 0x08, 0, 0, 0];
        let mut other = HONEY.to_vec();
        other[12..20].copy_from_slice(&block);
        other[20..24].copy_from_slice(&crc32(&block));
        assert_eq!(unpack(&other, 6).unwrap(), b"honey\n");
    }

    /// A container of our own around the chunks.
    fn container(chunks: &[u8], text: &[u8]) -> Vec<u8> {
        [&HONEY[..24], chunks, &tail(12 + chunks.len() + 1 + 4, text)].concat()
    }

    #[test]
    fn a_footer_with_the_greatest_size_is_refused_without_a_panic() {
        // The library adds one to this field before it compares it.
        let mut footer = HONEY.to_vec();
        let end = footer.len();
        footer[end - 8..end - 4].fill(0xff);
        let check = crc32(&footer[end - 8..end - 2]);
        footer[end - 12..end - 8].copy_from_slice(&check);
        assert_eq!(unpack(&footer, 1 << 20), Err(END));
        let library =
            std::panic::catch_unwind(|| lzma_rs::xz_decompress(&mut &footer[..], &mut Vec::new()).is_err());
        assert!(!matches!(library, Ok(false)), "the library accepts it");
    }

    #[test]
    fn chunks_hidden_in_the_packed_bytes_of_a_chunk_are_not_unpacked() {
        // The packed bytes of the long text, and in the same chunk three more chunks of the same text.
        let packed = &LONG[30..30 + 0x1f];
        assert_eq!(LONG[24..30], [0xe0, 0x13, 0x87, 0x00, 0x1e, 0x5d]);
        let hidden: Vec<u8> = (0..3).flat_map(|_| [&LONG[24..30], packed].concat()).collect();
        let length = u8::try_from(packed.len() + hidden.len() - 1).unwrap();
        let chunk = [&[0xe0, 0x13, 0x87, 0x00, length, 0x5d][..], packed, &hidden].concat();
        let all = vec![b'a'; 20_000];
        let mut inflated = Vec::new();
        let whole = container(&chunk, &all);
        // The library alone takes all four for granted: this is what has to be kept from it.
        lzma_rs::xz_decompress(&mut &whole[..], &mut inflated).unwrap();
        assert_eq!(inflated, all);
        assert_eq!(unpack(&whole, 5000), Err(DATA));
        assert_eq!(unpack(&container(&chunk, &all[..5000]), 5000), Err(DATA));
    }

    #[test]
    fn a_second_chunk_and_other_properties_are_refused() {
        let one = &HONEY[24..33];
        assert_eq!(unpack(&container(one, b"honey\n"), 100).unwrap(), b"honey\n");
        let second = [1, 0, 5, b'h', b'o', b'n', b'e', b'y', b'\n'];
        let two = [one, &second].concat();
        assert_eq!(unpack(&container(&two, b"honey\nhoney\n"), 100), Err(END));
        assert_eq!(unpack(&container(&[], b""), 100), Err(CHUNK));
        let mut other = LONG[24..30 + 0x1f].to_vec();
        other[5] = 0x5e;
        assert_eq!(unpack(&container(&other, &[b'a'; 5000]), 5000), Err(CHUNK));
        // A chunk that goes on with an earlier state.
        other[5] = 0x5d;
        other[0] = 0x80;
        assert_eq!(unpack(&container(&other, &[b'a'; 5000]), 5000), Err(CHUNK));
    }
}
