//! Unpacking neither panics nor exceeds its bound, whether the bytes are a file or what follows the start of one.
#![no_main]
use verify_honey::xz::{unpack, unpack_lzma};

/// The stream header and a block header, as `xz --check=crc32` writes them.
const START: [u8; 24] = [
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01, 0x16,
    0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3,
];

/// The header of an `.lzma` file.
const LZMA: [u8; 13] = [0x5d, 0, 0, 0x80, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let files = [bytes, &[&START, bytes].concat(), &[&LZMA, bytes].concat()];
    for text in files.iter().flat_map(|file| [unpack(file, 4096), unpack_lzma(file, 4096)]).flatten() {
        assert!(text.len() <= 4096);
    }
});
