//! `xz::unpack`: damaged containers are refused, the cap holds, and what was packed comes back.
//!
//! The container's own checksums stop nearly every mutation at the door. So the input is also taken as the chunks of a
//! block, around which a container with right sizes and checksums is built: that reaches the LZMA decoder.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use verify_darkhex::Error;
use verify_darkhex_fuzz::refusal;

const CAP: usize = 1 << 20;
/// Most memory for that: the decoder's window and its block, each while its vector doubles, and the result.
const MOST_MEMORY: usize = 8 * CAP;

/// Counts what is allocated, since a cap that is checked afterwards is none.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: both calls go to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Unpacks, and holds the memory that it takes against the cap.
fn unpack(packed: &[u8], most: usize) -> Result<Vec<u8>, Error> {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = verify_darkhex::xz::unpack("f", packed, most);
    let memory = PEAK.load(Relaxed) - before;
    assert!(memory <= MOST_MEMORY, "{memory} bytes of memory");
    result
}

fuzz_target!(|data: &[u8]| {
    for packed in [data, &container(data)] {
        match unpack(packed, CAP) {
            Ok(bytes) => assert!(bytes.len() <= CAP),
            Err(error) => refusal(&error),
        }
    }
    // The same with a cap that nearly everything exceeds.
    match unpack(data, 16) {
        Ok(bytes) => assert!(bytes.len() <= 16),
        Err(error) => refusal(&error),
    }
    if !data.is_empty() {
        let mut packed = Vec::new();
        lzma_rs::xz_compress(&mut &data[..], &mut packed).expect("packing into memory");
        assert_eq!(unpack(&packed, CAP).as_deref(), Ok(data));
    }
});

/// An `.xz` stream without payload check, of one block with these LZMA2 chunks. An end marker is added if there is
/// none.
fn container(chunks: &[u8]) -> Vec<u8> {
    let (length, unpacked) = walk(chunks);
    let mut payload = chunks[..length].to_vec();
    payload.push(0);
    let mut out = vec![0xFD, b'7', b'z', b'X', b'Z', 0];
    with_crc(&mut out, &[0, 0]);
    // Header of 12 bytes: size, flags, filter LZMA2 with its one property, padding.
    with_crc(&mut out, &[2, 0, 0x21, 1, 22, 0, 0, 0]);
    let unpadded = 12 + payload.len();
    out.extend(&payload);
    while out.len() % 4 != 0 {
        out.push(0);
    }
    let mut index = vec![0, 1];
    varint(&mut index, unpadded);
    varint(&mut index, unpacked);
    while index.len() % 4 != 0 {
        index.push(0);
    }
    with_crc(&mut out, &index);
    let words = u32::try_from(index.len() / 4).expect("an index of a few bytes");
    let footer = [&words.to_le_bytes()[..], &[0, 0]].concat();
    out.extend(crc32(&footer).to_le_bytes());
    out.extend(&footer);
    out.extend(b"YZ");
    out
}

/// The bytes of the whole chunks from the start, and what they say they unpack to.
fn walk(chunks: &[u8]) -> (usize, usize) {
    let (mut at, mut size) = (0, 0);
    loop {
        let byte = |offset: usize| chunks.get(at + offset).copied().map_or(0, usize::from);
        let (next, unpacked) = match byte(0) {
            1 | 2 => (at + 4 + byte(1) * 256 + byte(2), byte(1) * 256 + byte(2) + 1),
            control @ 0x80.. => (
                at + 6 + usize::from(control >= 0xC0) + byte(3) * 256 + byte(4),
                (control & 0x1F) * 65536 + byte(1) * 256 + byte(2) + 1,
            ),
            _ => return (at, size),
        };
        if next > chunks.len() {
            return (at, size);
        }
        (at, size) = (next, size + unpacked);
    }
}

fn varint(out: &mut Vec<u8>, mut value: usize) {
    while value > 0x7F {
        out.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn with_crc(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(bytes);
    out.extend(crc32(bytes).to_le_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 },
        )
    })
}
