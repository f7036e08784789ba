//! Command line of the audit; see the library.

#![forbid(unsafe_code)]

fn main() {}
