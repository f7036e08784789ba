//! Producers for the DOSELLO checker: a trainer of move-ordering weights, and a coordinator that decides which
//! leaves the checker should re-prove next.
//!
//! Nothing here is trusted and no verdict rests on it: weights only order moves, and every result comes from a run
//! of the checker. No source is shared with it; the board, the search and the tree are written anew.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_arithmetic,
    clippy::float_cmp,
    clippy::indexing_slicing,
    reason = "an untrusted producer: a slip costs time or ordering quality, never a wrong verdict"
)]

pub mod board;
pub mod coordinate;
pub mod evaluation;
pub mod log;
pub mod search;
pub mod train;
pub mod tree;
