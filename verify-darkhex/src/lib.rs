//! x
#![forbid(unsafe_code)]
pub mod board;
pub mod claim;
pub mod error;
mod lines;
pub mod mixture;
pub mod realization;
pub mod response;
pub mod strategy;
mod text;
pub mod xz;
