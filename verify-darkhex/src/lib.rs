//! Placeholder while the checker is written.
#![forbid(unsafe_code)]
