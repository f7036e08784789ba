//! Producer of Honey Islands Battle certificates: proof sets, lists of values, perfect lines.
//!
//! Nothing here is trusted. The checker works everything out again with code of its own; what this crate writes only
//! tells it which positions are worth solving. So speed comes first here, and tests stand in for proofs.
//!
//! The way through: [`enumerate`] finds the solutions, [`game`] the positions of the first three moves, [`solver`]
//! their values, [`log`] keeps them, [`cover`] picks the positions that prove a claim, [`line`] plays the perfect
//! lines, [`advice`] keeps winning moves that spare the checker most of its work.

#![allow(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::inline_always,
    reason = "hot tables are indexed by cells, and all counts are bounded by the number of solutions; an error here can \
              only make a certificate that the checker rejects"
)]

pub mod advice;
pub mod board;
pub mod cover;
pub mod enumerate;
pub mod game;
pub mod kernel;
pub mod line;
pub mod list;
pub mod log;
pub mod random;
pub mod remoteness;
pub mod solver;
pub mod table;

/// Value of a position for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// The player to move loses.
    Loss,
    /// The player to move wins.
    Win,
}

impl Value {
    /// The value for the other side.
    #[must_use]
    pub fn other(self) -> Self {
        if self == Self::Win { Self::Loss } else { Self::Win }
    }
}
