//! The exact vertex of a programme from a basis that floating point proposed.
//!
//! The basic columns and the tight rows make a square system of small whole numbers. It is factored modulo a prime
//! once; Dixon's lifting then gives the solution to any power of the prime, and rational reconstruction the fractions,
//! which are put into the system and compared in whole numbers.
//! Source: J. D. Dixon, Exact solution of linear equations using p-adic expansions, Numerische Mathematik 40 (1982).

use super::highs::{Basis, status};
use super::restricted::{Programme, Restricted, Sequences};
use super::tree::Masses;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeSet;

/// A Mersenne prime, so that reduction is a shift.
const PRIME: u64 = (1 << 61) - 1;
/// Rows and columns with fewest entries that are looked at for a pivot.
const PIVOT_CANDIDATES: usize = 4;
/// Digits to the prime after which lifting gives up: about 120,000 bits.
const MOST_DIGITS: usize = 2000;

fn times(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn minus(one: u64, other: u64) -> u64 {
    if one >= other { one - other } else { one + PRIME - other }
}

fn inverse(value: u64) -> u64 {
    let (mut exponent, mut square, mut result) = (PRIME - 2, value, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    result
}

fn residue(value: i128) -> u64 {
    value.rem_euclid(i128::from(PRIME)) as u64
}

/// A square matrix by rows, each with `(column, entry)` in increasing order of column.
type Matrix = Vec<Vec<(usize, i64)>>;

struct Pivot {
    row: usize,
    column: usize,
    inverse: u64,
    /// Rows from which a multiple of the pivot's row was taken.
    below: Vec<(usize, u64)>,
}

/// The matrix factored modulo the prime: the steps of the elimination and the rows that it left.
struct Factored {
    pivots: Vec<Pivot>,
    rows: Vec<Vec<(usize, u64)>>,
}

/// Rows or columns by their number of entries.
struct ByCount {
    counts: Vec<usize>,
    order: BTreeSet<(usize, usize)>,
}

impl ByCount {
    fn new(counts: Vec<usize>) -> ByCount {
        let order = counts.iter().enumerate().map(|(index, &count)| (count, index)).collect();
        ByCount { counts, order }
    }

    fn set(&mut self, index: usize, count: usize) {
        self.order.remove(&(self.counts[index], index));
        self.counts[index] = count;
        self.order.insert((count, index));
    }

    fn remove(&mut self, index: usize) {
        self.order.remove(&(self.counts[index], index));
    }

    fn fewest(&self) -> impl Iterator<Item = usize> {
        self.order.iter().take(PIVOT_CANDIDATES).map(|&(_, index)| index)
    }
}

impl Factored {
    /// Eliminates by Markowitz's rule; `None` if the matrix is singular modulo the prime.
    fn new(matrix: &Matrix) -> Option<Factored> {
        let size = matrix.len();
        let reduced = |row: &Vec<(usize, i64)>| {
            row.iter().map(|&(column, x)| (column, residue(i128::from(x)))).collect()
        };
        let mut rows: Vec<Vec<(usize, u64)>> = matrix.iter().map(reduced).collect();
        let mut holders: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); size];
        for (index, row) in rows.iter().enumerate() {
            for &(column, _) in row {
                holders[column].insert(index);
            }
        }
        let mut open_rows = ByCount::new(rows.iter().map(Vec::len).collect());
        let mut open_columns = ByCount::new(holders.iter().map(BTreeSet::len).collect());
        let mut pivots = Vec::with_capacity(size);
        for _ in 0..size {
            let by_row = open_rows
                .fewest()
                .flat_map(|row| rows[row].iter().map(move |&(column, _)| (row, column)))
                .collect::<Vec<_>>();
            let by_column = open_columns
                .fewest()
                .flat_map(|column| holders[column].iter().map(move |&row| (row, column)));
            let fill = |&(row, column): &(usize, usize)| (rows[row].len() - 1) * (holders[column].len() - 1);
            let (row, column) = by_row.into_iter().chain(by_column).min_by_key(fill)?;
            let pivot_row = rows[row].clone();
            let inverse = inverse(entry(&pivot_row, column)?);
            open_rows.remove(row);
            for &(other, _) in &pivot_row {
                holders[other].remove(&row);
                if other != column {
                    open_columns.set(other, holders[other].len());
                }
            }
            open_columns.remove(column);
            let mut below = Vec::new();
            for target in std::mem::take(&mut holders[column]) {
                let factor = times(entry(&rows[target], column)?, inverse);
                below.push((target, factor));
                let old = std::mem::take(&mut rows[target]);
                let new = eliminated(&old, &pivot_row, factor, column);
                for &(other, _) in &old {
                    holders[other].remove(&target);
                }
                for &(other, _) in &new {
                    holders[other].insert(target);
                }
                for &(other, _) in old.iter().chain(&pivot_row).filter(|(other, _)| *other != column) {
                    open_columns.set(other, holders[other].len());
                }
                open_rows.set(target, new.len());
                rows[target] = new;
            }
            pivots.push(Pivot { row, column, inverse, below });
        }
        Some(Factored { pivots, rows })
    }

    /// The solution of `matrix * z = right` modulo the prime.
    fn solved(&self, mut right: Vec<u64>) -> Vec<u64> {
        for pivot in &self.pivots {
            let value = right[pivot.row];
            if value != 0 {
                for &(row, factor) in &pivot.below {
                    right[row] = minus(right[row], times(factor, value));
                }
            }
        }
        let mut solution = vec![0; self.rows.len()];
        for pivot in self.pivots.iter().rev() {
            let mut sum = right[pivot.row];
            for &(column, value) in &self.rows[pivot.row] {
                if column != pivot.column && solution[column] != 0 {
                    sum = minus(sum, times(value, solution[column]));
                }
            }
            solution[pivot.column] = times(sum, pivot.inverse);
        }
        solution
    }

    /// The solution of `w * matrix = right` modulo the prime.
    fn solved_transposed(&self, mut right: Vec<u64>) -> Vec<u64> {
        let mut solution = vec![0; self.rows.len()];
        for pivot in &self.pivots {
            let value = times(right[pivot.column], pivot.inverse);
            solution[pivot.row] = value;
            if value != 0 {
                for &(column, entry) in &self.rows[pivot.row] {
                    if column != pivot.column {
                        right[column] = minus(right[column], times(entry, value));
                    }
                }
            }
        }
        for pivot in self.pivots.iter().rev() {
            let mut sum = solution[pivot.row];
            for &(row, factor) in &pivot.below {
                sum = minus(sum, times(factor, solution[row]));
            }
            solution[pivot.row] = sum;
        }
        solution
    }
}

fn entry(row: &[(usize, u64)], column: usize) -> Option<u64> {
    row.binary_search_by_key(&column, |&(column, _)| column).ok().map(|at| row[at].1)
}

/// The row less `factor` times the pivot's row, without the pivot's column.
fn eliminated(row: &[(usize, u64)], pivot: &[(usize, u64)], factor: u64, column: usize) -> Vec<(usize, u64)> {
    let mut result = Vec::with_capacity(row.len() + pivot.len());
    let (mut one, mut other) = (row.iter().copied().peekable(), pivot.iter().copied().peekable());
    loop {
        let at = match (one.peek(), other.peek()) {
            (Some(one), Some(other)) => one.0.min(other.0),
            (Some(only), None) | (None, Some(only)) => only.0,
            (None, None) => return result,
        };
        let kept = one.next_if(|entry| entry.0 == at).map_or(0, |entry| entry.1);
        let taken = other.next_if(|entry| entry.0 == at).map_or(0, |entry| entry.1);
        let value = minus(kept, times(factor, taken));
        if value != 0 && at != column {
            result.push((at, value));
        }
    }
}

/// Which of the two systems is solved.
#[derive(Clone, Copy, PartialEq)]
enum System {
    /// `matrix * z = right`
    Plain,
    /// `w * matrix = right`
    Transposed,
}

/// `matrix * values` or `values * matrix`.
fn product<T, U>(matrix: &Matrix, system: System, values: &[U], zero: &T) -> Vec<T>
where
    T: Clone + std::ops::AddAssign,
    U: Scale<T>,
{
    let mut result = vec![zero.clone(); matrix.len()];
    for (row, entries) in matrix.iter().enumerate() {
        for &(column, entry) in entries {
            match system {
                System::Plain => result[row] += values[column].scale(entry),
                System::Transposed => result[column] += values[row].scale(entry),
            }
        }
    }
    result
}

/// Multiplication by a matrix entry.
trait Scale<T> {
    fn scale(&self, by: i64) -> T;
}

impl Scale<i128> for u64 {
    fn scale(&self, by: i64) -> i128 {
        i128::from(*self) * i128::from(by)
    }
}

impl Scale<BigInt> for BigInt {
    fn scale(&self, by: i64) -> BigInt {
        self * by
    }
}

/// The exact solution as numerators over one positive denominator, in lowest terms.
fn lifted(
    factored: &Factored,
    matrix: &Matrix,
    right: &[i64],
    system: System,
) -> Option<(Vec<BigInt>, BigInt)> {
    let mut rest: Vec<i128> = right.iter().copied().map(i128::from).collect();
    let mut digits: Vec<Vec<u64>> = Vec::new();
    let mut try_at = 4;
    while digits.len() < MOST_DIGITS {
        let residues = rest.iter().copied().map(residue).collect();
        let digit = match system {
            System::Plain => factored.solved(residues),
            System::Transposed => factored.solved_transposed(residues),
        };
        for (rest, part) in rest.iter_mut().zip(product(matrix, system, &digit, &0)) {
            *rest = (*rest - part) / i128::from(PRIME);
        }
        digits.push(digit);
        if digits.len() >= try_at {
            try_at = try_at * 3 / 2 + 1;
            let exact = |(numerators, denominator): &(Vec<BigInt>, BigInt)| {
                let sides = product(matrix, system, numerators, &BigInt::zero());
                sides.iter().zip(right).all(|(side, &right)| *side == denominator * right)
            };
            if let Some((numerators, denominator)) = reconstructed(&digits).filter(exact) {
                let divisor = numerators.iter().fold(denominator.clone(), |divisor, part| divisor.gcd(part));
                let numerators = numerators.into_iter().map(|part| part / &divisor).collect();
                return Some((numerators, denominator / divisor));
            }
        }
    }
    None
}

/// Fractions with these expansions, over a common denominator that grows as they are met.
fn reconstructed(digits: &[Vec<u64>]) -> Option<(Vec<BigInt>, BigInt)> {
    let prime = BigInt::from(PRIME);
    let modulus: BigInt = num_traits::pow(prime.clone(), digits.len());
    let half: BigInt = &modulus >> 1u32;
    let bound = half.sqrt();
    // A numerator so far below the bound is taken for one over the denominator at hand. It is verified later.
    let small: BigInt = &bound >> 40u32;
    let mut denominator = BigInt::one();
    let mut found: Vec<(BigInt, BigInt)> = Vec::new();
    for index in 0..digits.first()?.len() {
        let value = digits.iter().rev().fold(BigInt::zero(), |value, digit| value * &prime + digit[index]);
        let mut scaled = (value * &denominator).mod_floor(&modulus);
        if scaled > half {
            scaled -= &modulus;
        }
        if scaled.abs() > small {
            let (numerator, further) = fraction(&scaled, &modulus, &bound)?;
            denominator *= further;
            if denominator > bound {
                return None;
            }
            scaled = numerator;
        }
        found.push((scaled, denominator.clone()));
    }
    let numerators = found.into_iter().map(|(numerator, at)| numerator * (&denominator / at)).collect();
    Some((numerators, denominator))
}

/// The fraction with both parts up to `bound` that is congruent to `value`.
fn fraction(value: &BigInt, modulus: &BigInt, bound: &BigInt) -> Option<(BigInt, BigInt)> {
    let (mut before, mut now) = (modulus.clone(), value.mod_floor(modulus));
    let (mut factor_before, mut factor) = (BigInt::zero(), BigInt::one());
    while now > *bound {
        let quotient = &before / &now;
        let next = &before - &quotient * &now;
        before = std::mem::replace(&mut now, next);
        let next = &factor_before - &quotient * &factor;
        factor_before = std::mem::replace(&mut factor, next);
    }
    if factor.is_zero() || factor.abs() > *bound {
        return None;
    }
    Some(if factor.is_negative() { (-now, -factor) } else { (now, factor) })
}

/// One player's exact plan: masses of all probes of his choices and the mass of the root.
pub struct ExactPlan {
    /// Node by node, as for a plan in floating point.
    pub masses: Masses<BigUint>,
    /// The mass of the root.
    pub total: BigUint,
}

/// The exact plans of Black and White at a basis.
///
/// # Errors
/// Why the basis gives none: it is not square or singular, or a mass is negative.
pub fn exact_plans(
    game: &Restricted,
    programme: &Programme,
    basis: &Basis,
    nodes: [usize; 2],
) -> Result<[ExactPlan; 2], String> {
    let variables_at: Vec<usize> =
        (0..programme.columns).filter(|&at| basis.columns[at] == status::BASIC).collect();
    let binding: Vec<usize> =
        (0..programme.rows.len()).filter(|&at| basis.rows[at] != status::BASIC).collect();
    if variables_at.len() != binding.len() || variables_at.first() == Some(&0) {
        return Err("the basis is not square".into());
    }
    let mut place = vec![None; programme.columns];
    for (index, &column) in variables_at.iter().enumerate() {
        place[column] = Some(index);
    }
    // The first column is fixed to one and goes to the right-hand side.
    let mut right = vec![0; binding.len()];
    let mut matrix: Matrix = Vec::with_capacity(binding.len());
    for (index, &row) in binding.iter().enumerate() {
        let mut entries = Vec::new();
        for &(column, value) in &programme.rows[row] {
            if column == 0 {
                right[index] -= i64::from(value);
            } else if let Some(place) = place[column] {
                entries.push((place, i64::from(value)));
            }
        }
        entries.sort_unstable();
        matrix.push(entries);
    }
    let factored = Factored::new(&matrix).ok_or("the basis is singular")?;
    let cost: Vec<i64> = variables_at.iter().map(|&column| i64::from(programme.cost[column])).collect();
    let (variables, black_total) =
        lifted(&factored, &matrix, &right, System::Plain).ok_or("lifting Black's plan failed")?;
    let (prices, white_total) =
        lifted(&factored, &matrix, &cost, System::Transposed).ok_or("lifting White's plan failed")?;
    let [black, white] = &game.sequences;
    let mut black_values = vec![BigInt::zero(); black.count];
    black_values[0] = black_total;
    for (&column, value) in variables_at.iter().zip(variables) {
        if column < programme.sequences {
            black_values[column] = value;
        }
    }
    let mut white_values = vec![BigInt::zero(); white.count];
    white_values[0] = white_total;
    for (&row, price) in binding.iter().zip(prices) {
        if row >= programme.equations {
            white_values[row - programme.equations + 1] = price;
        }
    }
    Ok([realized(black, &black_values, nodes[0])?, realized(white, &white_values, nodes[1])?])
}

fn realized(sequences: &Sequences, values: &[BigInt], nodes: usize) -> Result<ExactPlan, String> {
    let divisor = values.iter().fold(BigInt::zero(), |divisor, value| divisor.gcd(value));
    let values: Option<Vec<BigUint>> = values.iter().map(|value| (value / &divisor).to_biguint()).collect();
    let values = values.ok_or("a mass is negative")?;
    let mut masses = vec![Vec::new(); nodes];
    for choice in &sequences.choices {
        let parts = values[choice.first..choice.first + choice.width].to_vec();
        if parts.iter().sum::<BigUint>() != values[choice.parent] {
            return Err("masses do not add up".into());
        }
        masses[choice.node as usize] = parts;
    }
    Ok(ExactPlan { masses, total: values[0].clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifting_solves_both_systems_exactly() {
        let matrix: Matrix = vec![vec![(0, 3), (1, -1)], vec![(0, 1), (1, 2), (2, 5)], vec![(1, 4), (2, -7)]];
        let factored = Factored::new(&matrix).unwrap();
        for system in [System::Plain, System::Transposed] {
            let right = [2, -3, 11];
            let (numerators, denominator) = lifted(&factored, &matrix, &right, system).unwrap();
            let sides = product(&matrix, system, &numerators, &BigInt::zero());
            assert_eq!(sides, right.map(|right| right * &denominator));
            assert!(denominator > BigInt::one());
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factors() {
        assert!(Factored::new(&vec![vec![(0, 1), (1, 2)], vec![(0, 2), (1, 4)]]).is_none());
    }
}
