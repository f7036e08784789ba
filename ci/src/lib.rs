//! Runs the checkers on every claim under `certificates/`, guards changes to claims, and reports.
//!
//! Nothing here is trusted. A claim counts as verified because its checker said so, with an exit code and a last line
//! that agree; this crate only sees to it that every claim is asked about and that nothing less than expected passes.

#![forbid(unsafe_code)]
#![allow(clippy::float_arithmetic, reason = "seconds for people; no verdict comes from them")]

pub mod checkers;
pub mod claims;
pub mod cli;
pub mod escape;
pub mod examine;
pub mod gate;
pub mod git;
pub mod judge;
pub mod machine;
pub mod manifest;
pub mod outcome;
pub mod process;
pub mod report;
pub mod schedule;
pub mod table;
pub mod update;
pub mod vectors;
pub mod verdict;
