//! Unpacking neither panics nor exceeds its bound, whether the bytes are a file or what follows the start of one.
#![no_main]
use verify_honey::xz::unpack;

/// The stream header and a block header, as `xz --check=crc32` writes them.
const START: [u8; 24] = [
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01, 0x16,
    0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3,
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for file in [bytes.to_vec(), [&START, bytes].concat()] {
        if let Ok(text) = unpack(&file, 4096) {
            assert!(text.len() <= 4096);
        }
    }
});
