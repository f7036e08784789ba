//! No proof set, list, line, advice or log makes its parser panic, and no derivation without searches proves the root.
#![no_main]
use std::collections::BTreeMap;
use std::sync::OnceLock;
use verify_honey::rules::Rule;
use verify_honey::advice::Advice;
use verify_honey::{check, line, log, positions::Positions, proof};

static POSITIONS: OnceLock<Positions> = OnceLock::new();

fn positions() -> &'static Positions {
    POSITIONS.get_or_init(|| check::positions(true).expect("the enumeration").0)
}

// The enumeration comes first, so that it does not count as a slow input.
libfuzzer_sys::fuzz_target!(init: { positions(); }, |bytes: &[u8]| {
    let positions = positions();
    for rule in [Rule::Standard, Rule::RedundantHint] {
        if let Ok(steps) = proof::parse_proof_set("set", bytes, rule, positions) {
            let _ = proof::assume_derivation("set", &steps, positions, rule);
            if let Ok(proved) = proof::derive("set", &steps, positions, rule, &BTreeMap::new()) {
                assert!(proof::Values::value(&proved, 0).is_none());
            }
        }
        let _ = proof::parse_list("list", bytes, rule, positions);
        let _ = line::parse("line", bytes, rule, positions);
    }
    let _ = Advice::parse("advice", bytes, positions);
    let _ = log::read("log", bytes, &[], positions);
});
