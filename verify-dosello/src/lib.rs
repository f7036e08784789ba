//! A checker for claims about DOSELLO, the game of Othello with dominoes on an 8x8 board.
//!
//! **Theorem.** If `check` returns `Verdict::Proved` for a claim, the claim holds by the rules in [`rules`]: the value
//! of the initial position (or of the named moves) lies in the claimed interval. If it returns `Verdict::Conditional`,
//! the claim holds provided that the named leaf claims hold.
//!
//! The proof has two halves. [`search`] proves bounds on positions by null-window search over all legal moves; its
//! module comment is the argument. [`tree`] expands all legal moves from the initial position down to leaves and
//! carries intervals up; a leaf without a proved bound counts as unknown. `TRUST.md` says what is trusted and which
//! direction of error would lie.
#![forbid(unsafe_code)]

pub mod check;
pub mod claim;
pub mod cli;
pub mod error;
pub mod expand;
pub mod leaves;
pub mod order;
pub mod own_run;
pub mod perft;
pub mod report;
pub mod rules;
pub mod run;
pub mod search;
pub mod sources;
pub mod table;
pub mod text;
pub mod tree;
pub mod units;
pub mod weights;
