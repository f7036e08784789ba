//! The integers that masses are counted in: 128 bits where they provably suffice, any size otherwise.

use num_bigint::BigUint;
use std::fmt::Debug;
use std::ops::AddAssign;

/// Whether 128 bits hold every sum of masses against a strategy with this total. No such sum exceeds the total: the
/// worlds of a belief are disjoint events, and each full-information bound of a world is at most its mass.
#[must_use]
pub fn fits_u128(total: &BigUint) -> bool {
    total.bits() <= 127
}

/// An exact integer that holds any sum of masses of one strategy.
pub trait Mass: Clone + Ord + Debug + for<'a> AddAssign<&'a Self> {
    /// Nothing.
    fn zero() -> Self;
    /// The same number, if it fits.
    fn fit(number: &BigUint) -> Option<Self>;
    /// The same number.
    fn big(&self) -> BigUint;
}

impl Mass for u128 {
    fn zero() -> Self {
        0
    }
    fn fit(number: &BigUint) -> Option<Self> {
        u128::try_from(number).ok()
    }
    fn big(&self) -> BigUint {
        BigUint::from(*self)
    }
}

impl Mass for BigUint {
    fn zero() -> Self {
        BigUint::ZERO
    }
    fn fit(number: &BigUint) -> Option<Self> {
        Some(number.clone())
    }
    fn big(&self) -> BigUint {
        self.clone()
    }
}
