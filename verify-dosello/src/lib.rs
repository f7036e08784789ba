//! Placeholder.
#![forbid(unsafe_code)]
pub mod error;
pub mod expand;
pub mod order;
pub mod rules;
pub mod run;
pub mod search;
pub mod sources;
pub mod table;
pub mod text;
pub mod units;
pub mod weights;
