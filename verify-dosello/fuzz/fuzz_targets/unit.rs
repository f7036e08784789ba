//! Names of units: refused, or the one name of a legal line and a bound. A name serves as the name of a file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verify_dosello::units::Unit;
use verify_dosello_fuzz::common::{board_of, moves_by_the_wording};
use verify_dosello_fuzz::{moves_of, printable};

fuzz_target!(|data: &[u8]| {
    let Ok(name) = std::str::from_utf8(data) else { return };
    match Unit::parse(name) {
        Ok(unit) => {
            assert_eq!(unit.to_string(), name);
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')));
            let line = unit.line();
            assert_eq!(line.last(), Some(unit.position()));
            for (step, position) in moves_of(&line).iter().map(ToString::to_string).zip(&line) {
                let moves = moves_by_the_wording(&board_of(position), position.turn);
                assert!(moves.iter().any(|(name, _)| *name == step) || (step == "pass" && moves.is_empty()));
            }
        }
        Err((_, what)) => printable(&what),
    }
});
