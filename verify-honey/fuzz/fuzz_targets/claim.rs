//! No bytes make the parser of claims panic, and the files that a claim names stay in their folders.
#![no_main]
use verify_honey::text::{Side, claim};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match claim(bytes) {
        Err(failure) => assert!(!failure.to_string().contains(|c: char| !(' '..='~').contains(&c))),
        Ok(claim) => {
            let (first, second) = match claim.side {
                Side::ProofSet(name) => (name, None),
                Side::Values(name, other) => (name, other),
                Side::Line(name, line) => (name, Some(line)),
            };
            for name in [Some(first), second].into_iter().flatten().chain(claim.advice) {
                let plain = name.strip_prefix("proofsets/").unwrap_or(&name);
                assert!(!plain.contains('/') && !plain.starts_with('.') && !plain.is_empty(), "{name}");
            }
        }
    }
});
