//! Checks claims about the exact value of Dark Hex.
//!
//! **Theorem.** Let a strategy of Black win at least `l` against every deterministic response of White, and a strategy
//! of White concede at most `u` to every deterministic response of Black. If `l = u`, then `l` is the value of the
//! game: Black's probability of winning when both play best, each knowing nothing of the other's probes but what the
//! rules tell him. (`TRUST.md` has the proof.)
//!
//! The checker reads the two strategies ([`mixture`], [`realization`]), computes the exact best response to each
//! ([`response`]), confirms it on real boards ([`referee`]), and compares the bounds with the claim ([`check`]). The
//! rules of the game are in [`board`]. The claim comes from the auditor ([`claim`]), never from a strategy file.

#![forbid(unsafe_code)]

pub mod board;
pub mod check;
pub mod claim;
pub mod error;
pub mod files;
pub mod hashing;
mod lines;
pub mod mass;
pub mod mixture;
pub mod options;
pub mod realization;
pub mod referee;
pub mod report;
pub mod response;
pub mod second;
pub mod sources;
pub mod strategy;
mod text;
pub mod witness;
pub mod xz;

pub use check::{Checked, Verdict, check};
pub use claim::Claim;
pub use error::Error;
pub use strategy::Strategy;

/// A number of 32 bits as an index: worlds are numbered so. Nothing is cut off, on any input, and where a `usize` is too
/// short the crate does not build.
const fn index(number: u32) -> usize {
    const { assert!(usize::BITS >= 32, "an index must hold 32 bits") };
    number as usize
}
