//! No bytes make the parser of claims panic.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = verify_honey::text::claim(bytes);
});
