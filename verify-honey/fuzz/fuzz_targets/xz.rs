//! Unpacking neither panics nor exceeds its bound.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = verify_honey::xz::unpack(bytes, 4096) {
        assert!(text.len() <= 4096);
    }
});
