//! What the fuzz targets share. Every property is an assertion, so that libFuzzer keeps the input that breaks it.

use verify_darkhex::Error;

#[path = "../../tests/common/mod.rs"]
pub mod common;

/// Input can be at fault or too large. It can make no guard fail, and nothing here touches a file.
pub fn refusal(error: &Error) {
    assert!(matches!(error, Error::Malformed { .. } | Error::Declined(_)), "{error}");
    // Messages echo foreign bytes: whatever stood in the input, they stay printable.
    let message = error.to_string();
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
}
