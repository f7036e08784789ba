//! `mixture::read`: refused, or there is just one text for what was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verify_darkhex::mixture;
use verify_darkhex_fuzz::{common::mix_text, refusal};

fuzz_target!(|data: &[u8]| {
    match mixture::read("f", data) {
        Ok(strategy) => {
            let text = mix_text(&strategy);
            // The published header for an announced opening is the only second spelling.
            if !data.starts_with(b"DARKHEX_PUBLIC_MIXTURE\n") {
                assert_eq!(text.as_bytes(), data);
            }
            assert_eq!(mixture::read("f", text.as_bytes()).as_ref(), Ok(&strategy));
            assert_eq!(strategy.rotated().rotated(), strategy);
        }
        Err(error) => refusal(&error),
    }
});
