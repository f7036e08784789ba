//! `realization::read`: refused, or there is just one text for what was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verify_darkhex::realization;
use verify_darkhex_fuzz::{common::realization_text, refusal};

fuzz_target!(|data: &[u8]| {
    match realization::read("f", data) {
        Ok(strategy) => {
            let text = realization_text(&strategy);
            assert_eq!(text.as_bytes(), data);
            assert_eq!(realization::read("f", text.as_bytes()).as_ref(), Ok(&strategy));
            assert_eq!(strategy.rotated().rotated(), strategy);
        }
        Err(error) => refusal(&error),
    }
});
