//! What the fuzz targets share. Every property is an assertion, so that libFuzzer keeps the input that breaks it.

use verify_dosello::error::Error;
use verify_dosello::rules::{Move, Position};

#[path = "../../tests/common/mod.rs"]
pub mod common;

/// Input can be at fault or too large. It can make no guard fail, and nothing here touches a file.
pub fn refusal(error: &Error) {
    assert!(matches!(error, Error::Failure { .. } | Error::Declined(_)), "{error}");
    printable(&error.to_string());
}

/// Messages echo foreign bytes: whatever stood in the input, they stay printable, and short.
pub fn printable(message: &str) {
    assert!(
        !message.is_empty() && !message.contains(|letter: char| !(' '..='~').contains(&letter)),
        "{message:?}"
    );
    assert!(message.len() < 1000, "{message}");
}

/// The moves of a line of positions, found again from the positions alone.
pub fn moves_of(positions: &[Position]) -> Vec<Move> {
    positions
        .windows(2)
        .map(|pair| {
            let moves = pair[0].moves();
            moves.into_iter().find(|(_, next)| *next == pair[1]).expect("a legal move").0
        })
        .collect()
}

/// Moves separated by a space.
pub fn joined(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
