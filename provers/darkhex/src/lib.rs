//! Makes Dark Hex certificates and converts between their formats.
//!
//! Nothing here is trusted: `verify-darkhex` judges every file that this crate writes, and shares no source with it.

#![allow(
    clippy::indexing_slicing,
    reason = "tables are indexed by cells and masks of a board that is checked on reading"
)]
#![allow(
    clippy::cast_possible_truncation,
    reason = "masks of at most 16 cells and six-bit codes are narrowed"
)]

pub mod convert;
pub mod files;
pub mod game;
pub mod openspiel;
pub mod order;
pub mod plan;
pub mod shortest;
pub mod sketch;
pub mod solve;
