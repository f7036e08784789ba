//! The first probe of a Dark Hex strategy file, for a picture.
//!
//! Display only: no verdict rests on this reader. It takes what it needs of the two formats (the header, the weights,
//! and what each plan does at its root) and passes over the rest, which the checker has read to its end. A picture is
//! drawn only if the bytes read here have the SHA-256 that the checker printed for the bytes that it verified.

use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::Zero as _;
use std::io::Read as _;
use std::path::Path;

/// Cap on packed and unpacked bytes, the checker's own.
const BYTES: u64 = 64 << 20;
/// Memory that the unpacking library may take.
const MEMORY: u64 = 256 << 20;

/// A side of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Player {
    /// Joins top and bottom, moves first.
    Black,
    /// Joins left and right.
    White,
}

/// How a strategy draws its first probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstProbe {
    /// Whose strategy it is.
    pub owner: Player,
    /// Rows of the board.
    pub rows: usize,
    /// Columns of the board.
    pub columns: usize,
    /// The announced first stone, which is not a probe of the strategy.
    pub opening: Option<usize>,
    /// For each cell, row by row, the mass of the first probe there.
    pub masses: Vec<BigUint>,
    /// The sum of the masses.
    pub total: BigUint,
}

impl FirstProbe {
    /// The same strategy with the board turned by 180 degrees.
    #[must_use]
    pub fn turned(mut self) -> Self {
        self.masses.reverse();
        let cells = self.rows * self.columns;
        self.opening = self.opening.map(|cell| cells - 1 - cell);
        self
    }

    /// The probability of a cell in lowest terms.
    #[must_use]
    pub fn exact(&self, cell: usize) -> Fraction {
        Fraction::new(self.masses.get(cell).cloned().unwrap_or_default(), self.total.clone())
    }
}

/// A fraction in lowest terms, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fraction {
    numerator: BigUint,
    denominator: BigUint,
}

impl Fraction {
    /// Reduces `numerator / denominator`; a zero denominator is taken as one.
    #[must_use]
    pub fn new(numerator: BigUint, denominator: BigUint) -> Self {
        let denominator = if denominator.is_zero() { BigUint::from(1u8) } else { denominator };
        let divisor = numerator.gcd(&denominator);
        Fraction { numerator: numerator / &divisor, denominator: denominator / &divisor }
    }

    /// Reads `p/q`, or a bare `p`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (p, q) = text.split_once('/').unwrap_or((text, "1"));
        let q = number(q)?;
        (!q.is_zero())
            .then(|| Fraction::new(number(p).unwrap_or_default(), q))
            .filter(|_| number(p).is_some())
    }

    /// The nearest multiple of `1 / parts`, in parts.
    #[must_use]
    pub fn rounded(&self, parts: u32) -> BigUint {
        (&self.numerator * parts * 2u8 + &self.denominator) / (&self.denominator * 2u8)
    }

    /// This divided by `other`, in whole parts of `parts`; 0 if `other` is zero.
    #[must_use]
    pub fn share_of(&self, other: &Fraction, parts: u32) -> u32 {
        if other.numerator.is_zero() {
            return 0;
        }
        let share = Fraction::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator);
        share.rounded(parts).try_into().unwrap_or(parts)
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Four decimals, rounded: `0`, `.0262`, `1`; what rounds to 0 without being it is `<.0001`.
    #[must_use]
    pub fn decimal(&self) -> String {
        let parts = self.rounded(10_000);
        let (whole, rest) = parts.div_rem(&BigUint::from(10_000u32));
        match (self.is_zero(), parts.is_zero(), whole.is_zero(), rest.is_zero()) {
            (true, ..) => "0".to_owned(),
            (_, true, ..) => "<.0001".to_owned(),
            (_, _, false, true) if self.denominator == BigUint::from(1u8) => whole.to_string(),
            (_, _, false, true) if whole == BigUint::from(1u8) => ">.9999".to_owned(),
            (_, _, true, _) => format!(".{rest:0>4}"),
            _ => format!("{whole}.{rest:0>4}"),
        }
    }
}

impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.denominator == BigUint::from(1u8) {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The bytes of a strategy file, unpacked if its name ends in `.xz`.
///
/// # Errors
/// What went wrong, in words.
pub fn unpacked(name: &str, packed: &[u8]) -> Result<Vec<u8>, String> {
    if Path::new(name).extension().is_none_or(|extension| extension != "xz") {
        return Ok(packed.to_vec());
    }
    let stream = liblzma::stream::Stream::new_stream_decoder(MEMORY, 0).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    let reader = liblzma::read::XzDecoder::new_stream(packed, stream);
    reader.take(BYTES + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > BYTES { Err("larger than the limit".to_owned()) } else { Ok(bytes) }
}

/// Reads how a strategy draws its first probe.
///
/// # Errors
/// What was expected and where, in words.
pub fn first_probe(bytes: &[u8]) -> Result<FirstProbe, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not ASCII".to_owned())?;
    let mut lines = Lines { lines: text.lines(), number: 0 };
    let kind = lines.next()?;
    let (rows, columns) = if kind == "DARKHEX_PUBLIC_MIXTURE" {
        let size = lines.field("BOARD")?;
        let (rows, columns) = size.split_once(' ').ok_or("BOARD without columns")?;
        (small(rows)?, small(columns)?)
    } else {
        (small(lines.field("ROWS")?)?, small(lines.field("COLUMNS")?)?)
    };
    let cells = rows * columns;
    lines.field("MODE")?;
    let opening = match kind {
        "DARKHEX_MIXTURE" => None,
        "DARKHEX_PUBLIC_MIXTURE" | "DARKHEX_OPENING_MIXTURE" | "DARKHEX_REALIZATION" => {
            match lines.field("OPENING")? {
                "none" => None,
                square => Some(cell(square, rows, columns).ok_or("OPENING is no square of the board")?),
            }
        }
        _ => return Err("a kind of file that this reader does not know".to_owned()),
    };
    let owner = match lines.field("OWNER")? {
        "BLACK" => Player::Black,
        "WHITE" => Player::White,
        _ => return Err("OWNER is neither BLACK nor WHITE".to_owned()),
    };
    // To Black, an announced first stone is a probe that he has made.
    let root = match (owner, opening) {
        (Player::Black, Some(cell)) => (cell + 1) << 1 | 1,
        _ => 0,
    };
    let mut masses = vec![BigUint::zero(); cells];
    if kind == "DARKHEX_REALIZATION" {
        realization(&mut lines, root, &mut masses)?;
    } else {
        mixture(&mut lines, root, &mut masses)?;
    }
    let total = masses.iter().sum();
    Ok(FirstProbe { owner, rows, columns, opening, masses, total })
}

fn mixture(lines: &mut Lines<'_>, root: usize, masses: &mut [BigUint]) -> Result<(), String> {
    let policies = lines.count("POLICIES")?;
    for _ in 0..policies {
        let weight = number(lines.field("POLICY")?).ok_or("POLICY without a weight")?;
        let mut first = default_probe(lines)?;
        let decisions = lines.count("DECISIONS")?;
        for _ in 0..decisions {
            let (history, cell) = pair(lines.next()?)?;
            if history == root.to_string() {
                first = small_number(cell)?;
            }
        }
        lines.end()?;
        *masses.get_mut(first).ok_or("a probe outside the board")? += weight;
    }
    Ok(())
}

fn realization(lines: &mut Lines<'_>, root: usize, masses: &mut [BigUint]) -> Result<(), String> {
    let plans = lines.count("PLANS")?;
    for _ in 0..plans {
        if lines.next()? != "PLAN" {
            return Err(lines.expected("PLAN"));
        }
        let default = default_probe(lines)?;
        let total = number(lines.field("TOTAL")?).ok_or("TOTAL without a number")?;
        let histories = lines.count("HISTORIES")?;
        let mut listed = false;
        for _ in 0..histories {
            let (history, probes) = pair(lines.field("HISTORY")?)?;
            let is_root = history == root.to_string();
            for _ in 0..small_number(probes)? {
                let line = lines.next()?;
                if is_root {
                    let (cell, mass) = pair(line)?;
                    let mass = number(mass).ok_or("a mass that is no number")?;
                    *masses.get_mut(small_number(cell)?).ok_or("a probe outside the board")? += mass;
                    listed = true;
                }
            }
        }
        lines.end()?;
        if !listed {
            *masses.get_mut(default).ok_or("a probe outside the board")? += total;
        }
    }
    Ok(())
}

/// The first cell of a plan's default order.
fn default_probe(lines: &mut Lines<'_>) -> Result<usize, String> {
    let order = lines.field("PRIORITY")?;
    small_number(order.split(' ').next().unwrap_or_default())
}

struct Lines<'a> {
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, String> {
        self.number += 1;
        self.lines.next().ok_or_else(|| format!("the file ends at line {}", self.number))
    }

    fn field(&mut self, key: &str) -> Result<&'a str, String> {
        let line = self.next()?;
        line.strip_prefix(key).and_then(|rest| rest.strip_prefix(' ')).ok_or_else(|| self.expected(key))
    }

    fn count(&mut self, key: &str) -> Result<usize, String> {
        small_number(self.field(key)?)
    }

    fn end(&mut self) -> Result<(), String> {
        if self.next()? == "END" { Ok(()) } else { Err(self.expected("END")) }
    }

    fn expected(&self, what: &str) -> String {
        format!("line {}: expected {what}", self.number)
    }
}

fn pair(line: &str) -> Result<(&str, &str), String> {
    line.split_once(' ').ok_or_else(|| "a line without its second number".to_owned())
}

fn number(text: &str) -> Option<BigUint> {
    let digits = !text.is_empty() && text.len() <= 1_000 && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn small_number(text: &str) -> Result<usize, String> {
    number(text)
        .and_then(|n| n.try_into().ok())
        .ok_or_else(|| "a number that is none, or too large".to_owned())
}

/// A side of the board.
fn small(text: &str) -> Result<usize, String> {
    small_number(text)
        .ok()
        .filter(|n| (1..=16).contains(n))
        .ok_or_else(|| "a side that is not 1 to 16".to_owned())
}

/// The cell of a square such as `a1`.
#[must_use]
pub fn cell(square: &str, rows: usize, columns: usize) -> Option<usize> {
    (0..rows * columns).find(|&cell| self::square(cell, columns) == square)
}

/// The name of a cell: column letter, then row from the top, from 1.
#[must_use]
pub fn square(cell: usize, columns: usize) -> String {
    let column = u8::try_from(cell % columns.max(1)).unwrap_or(25).min(25);
    format!("{}{}", char::from(b'a' + column), cell / columns.max(1) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(text: &str) -> Fraction {
        Fraction::parse(text).unwrap()
    }

    #[test]
    fn decimals_never_round_to_certainty() {
        let decimals = ["0", "1", "1/2", "1/3", "2/3", "1/100000", "99999/100000", "3/2", "0/7", "7/7"]
            .map(|text| fraction(text).decimal());
        assert_eq!(decimals, ["0", "1", ".5000", ".3333", ".6667", "<.0001", ">.9999", "1.5000", "0", "1"]);
        assert_eq!(fraction("10/4").to_string(), "5/2");
        assert_eq!(Fraction::parse("1/0"), None);
        assert_eq!(Fraction::parse("-1/2"), None);
    }

    #[test]
    fn a_listed_first_probe_goes_before_the_default_order() {
        let file = "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOWNER WHITE\nPOLICIES 2\nPOLICY 3\n\
            PRIORITY 1 0 2 3\nDECISIONS 0\nEND\nPOLICY 1\nPRIORITY 1 0 2 3\nDECISIONS 1\n0 3\nEND\nDONE\n";
        let probe = first_probe(file.as_bytes()).unwrap();
        let exact: Vec<String> = (0..4).map(|cell| probe.exact(cell).to_string()).collect();
        assert_eq!(exact, ["0", "3/4", "0", "1/4"]);
        let turned: Vec<String> = (0..4).map(|cell| probe.clone().turned().exact(cell).to_string()).collect();
        assert_eq!(turned, ["1/4", "0", "3/4", "0"]);
    }

    #[test]
    fn to_black_the_announced_stone_is_the_root() {
        let file = "DARKHEX_REALIZATION\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOPENING a2\nOWNER BLACK\nPLANS 2\nPLAN\n\
            PRIORITY 3 0 1\nTOTAL 4\nHISTORIES 1\nHISTORY 7 2\n0 1\n1 3\nEND\nPLAN\nPRIORITY 3 0 1\nTOTAL 4\n\
            HISTORIES 0\nEND\nDONE\n";
        let probe = first_probe(file.as_bytes()).unwrap();
        let exact: Vec<String> = (0..4).map(|cell| probe.exact(cell).to_string()).collect();
        assert_eq!(exact, ["1/8", "3/8", "0", "1/2"]);
        assert_eq!(probe.opening, Some(2));
    }

    #[test]
    fn what_is_not_a_strategy_is_refused_in_words() {
        assert_eq!(first_probe(b"").unwrap_err(), "the file ends at line 1");
        assert_eq!(first_probe(b"\xff").unwrap_err(), "not ASCII");
        let huge = b"DARKHEX_MIXTURE\nROWS 4000000000\nCOLUMNS 4\n";
        assert_eq!(first_probe(huge).unwrap_err(), "a side that is not 1 to 16");
        let outside =
            b"DARKHEX_MIXTURE\nROWS 1\nCOLUMNS 1\nMODE STANDARD\nOWNER WHITE\nPOLICIES 1\nPOLICY 3\n\
            PRIORITY 1\nDECISIONS 0\nEND\nDONE\n";
        assert_eq!(first_probe(outside).unwrap_err(), "a probe outside the board");
        assert!(unpacked("x.xz", b"not xz").is_err());
    }
}
