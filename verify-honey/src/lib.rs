//! Checks claims about Honey Islands Battle.
//!
//! Theorem. If `verify-honey FOLDER` ends in `exact_value` with exit code 0, then each part of its statement follows
//! from the rules in [`board`] and [`rules`]: with all solutions of the puzzle possible at first, the named player wins
//! from the named positions, and the named numbers of moves win.
//!
//! The steps, each in its own module: [`enumerate`] finds all solutions and checks each; [`positions`] expands the game
//! to three stones, up to symmetry; [`solver`] decides positions after three stones; [`proof`] accepts a value only
//! from the solver or from values accepted before; [`line`](mod@line) and [`remoteness`] replay perfect play.
//! The claim and all side inputs are parsed in [`text`], [`xz`], [`proof`], [`advice`] and [`line`](mod@line); [`check`]
//! puts the steps together. A side input only says which searches are worth running. `TRUST.md` has the proof.
#![forbid(unsafe_code)]

pub mod advice;
pub mod board;
pub mod check;
pub mod enumerate;
pub mod error;
pub mod line;
pub mod log;
pub mod options;
pub mod positions;
pub mod proof;
pub mod remoteness;
pub mod report;
pub mod rules;
pub mod run;
mod sets;
pub mod solver;
pub mod sources;
mod table;
pub mod text;
pub mod xz;

/// A count of 32 bits as an index or a size: cells, bits and solutions are counted so. Nothing is cut off, on any input,
/// and where a `usize` is too short the crate does not build.
const fn index(count: u32) -> usize {
    const { assert!(usize::BITS >= 32, "a size must hold 32 bits") };
    count as usize
}
