//! What the auditor claims: `claim.txt` and `set.txt`. The grammar is in `FORMAT.md`.

use crate::board::{Game, MAX_CELLS, Rule};
use crate::error::{Error, Fault};
use crate::text::Text;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

/// Most bytes of a claim or set file.
pub const MAX_BYTES: usize = 64 << 10;
/// Most rows x columns that the grammar knows; boards above [`MAX_CELLS`] are declined.
const GRAMMAR_CELLS: usize = 31;
/// Most members of a set.
const MAX_MEMBERS: usize = 1000;

/// A claim about the value of a game: Black's probability of winning when both play as well as possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The game.
    pub game: Game,
    /// What is claimed of its value.
    pub value: Interval,
    /// Black's strategy file, relative to the claim.
    pub black: Option<FileName>,
    /// White's strategy file.
    pub white: Option<FileName>,
    /// Whether the files' strategies are turned by 180 degrees before they are checked.
    pub rotate: bool,
}

/// A closed interval of claimed values, a single one where both ends are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The lower end, at least 0.
    pub lower: BigRational,
    /// The upper end, at least the lower and at most 1.
    pub upper: BigRational,
}

/// The name of a strategy file, as `name` in the claim's folder or as `../member/name` in its set's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    /// The sibling folder, where one is named.
    pub member: Option<String>,
    /// The file.
    pub name: String,
    /// `.mix` or `.realization`.
    pub kind: Kind,
    /// Whether `.xz` follows.
    pub packed: bool,
}

/// The two formats of strategy files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mixture of deterministic policies.
    Mixture,
    /// Weighted realization plans.
    Realization,
}

/// A set of claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// The names of the sub-folders, in increasing order.
    pub members: Vec<String>,
    /// The value claimed for the game in which Black announces an opening of his choice; the game's own opening is
    /// none.
    pub free_opening: Option<(Game, Interval)>,
}

impl FileName {
    /// Reads a name: letters, digits, `.`, `_` and `-`, not starting with a dot, with one of the known endings.
    #[must_use]
    pub fn parse(token: &str) -> Option<FileName> {
        let (member, name) = match token.strip_prefix("../") {
            Some(rest) => rest.split_once('/').map(|(member, name)| (Some(member), name))?,
            None => (None, token),
        };
        let unpacked = name.strip_suffix(".xz");
        let kind = match unpacked.unwrap_or(name).rsplit_once('.') {
            Some((_, "mix")) => Kind::Mixture,
            Some((_, "realization")) => Kind::Realization,
            _ => return None,
        };
        if !is_plain(name) || member.is_some_and(|member| !is_plain(member)) {
            return None;
        }
        Some(FileName {
            member: member.map(str::to_string),
            name: name.to_string(),
            kind,
            packed: unpacked.is_some(),
        })
    }
}

/// A name that can leave no folder: no separator, no leading dot, nothing that a shell or terminal could take amiss.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.bytes().all(plain)
}

/// Reads `claim.txt`.
///
/// # Errors
/// The first fault with its line, or `Declined` for a board beyond [`MAX_CELLS`].
pub fn read_claim(file: &str, bytes: &[u8]) -> Result<Claim, Error> {
    let mut text = Text::new(file, bytes)?;
    text.exactly("claim 1")?;
    text.exactly("game dark-hex")?;
    let game = game_lines(&mut text)?;
    let square = text.after("opening")?;
    let game = match game.cell(square) {
        None if square == "none" => game,
        // On a single row Black's first stone joins his sides, and no game is left.
        Some(cell) if game.rows > 1 => Game { opening: Some(cell), ..game },
        _ => return Err(text.unexpected("none, or a square of the board that does not end the game", square)),
    };
    let value = value_lines(&mut text)?;
    let black = file_line(&mut text, "black")?;
    let white = file_line(&mut text, "white")?;
    if black.is_none() && white.is_none() {
        return Err(text.unexpected("a strategy of Black's, of White's, or both", "none twice"));
    }
    let rotate = match text.after("rotate")? {
        "yes" => true,
        "no" => false,
        other => return Err(text.unexpected("yes or no", other)),
    };
    text.end()?;
    Ok(Claim { game, value, black, white, rotate })
}

/// Reads `set.txt`.
///
/// # Errors
/// The first fault with its line, or `Declined` for a board beyond [`MAX_CELLS`].
pub fn read_set(file: &str, bytes: &[u8]) -> Result<Set, Error> {
    let mut text = Text::new(file, bytes)?;
    text.exactly("set 1")?;
    text.exactly("game dark-hex")?;
    let count = text.count("members", 1..=MAX_MEMBERS)?;
    let mut members: Vec<String> = Vec::with_capacity(count);
    for _ in 0..count {
        let name = text.after("member")?;
        if !is_plain(name) {
            return Err(text.fault(Fault::FileName));
        }
        if members.last().is_some_and(|last| last.as_str() >= name) {
            return Err(text.fault(Fault::Order { what: "members" }));
        }
        members.push(name.to_string());
    }
    if text.is_at_end() {
        return Ok(Set { members, free_opening: None });
    }
    let game = game_lines(&mut text)?;
    text.exactly("opening free")?;
    let value = value_lines(&mut text)?;
    text.end()?;
    Ok(Set { members, free_opening: Some((game, value)) })
}

fn game_lines(text: &mut Text<'_>) -> Result<Game, Error> {
    let rule = match text.after("rule")? {
        "classic" => Rule::Classic,
        "abrupt" => Rule::Abrupt,
        other => return Err(text.unexpected("classic or abrupt", other)),
    };
    let rows = text.count("rows", 1..=GRAMMAR_CELLS)?;
    let columns = text.count("columns", 1..=GRAMMAR_CELLS)?;
    let cells = rows.saturating_mul(columns);
    if cells > MAX_CELLS {
        return Err(Error::Declined(format!("a board of {cells} cells, at most {MAX_CELLS}")));
    }
    Ok(Game { rule, rows, columns, opening: None })
}

/// `value v`, or `lower v` and `upper v`.
fn value_lines(text: &mut Text<'_>) -> Result<Interval, Error> {
    let line = text.line("value, or lower and upper")?;
    if let Some(token) = line.strip_prefix("value ") {
        let value = fraction(text, token)?;
        return Ok(Interval { lower: value.clone(), upper: value });
    }
    let Some(token) = line.strip_prefix("lower ") else {
        return Err(text.unexpected("value, or lower and upper", line));
    };
    let lower = fraction(text, token)?;
    let token = text.after("upper")?;
    let upper = fraction(text, token)?;
    if lower < upper {
        Ok(Interval { lower, upper })
    } else {
        Err(text.fault(Fault::Order { what: "lower and upper" }))
    }
}

/// A fraction between 0 and 1 in its one spelling: lowest terms, and `0` and `1` without a denominator.
fn fraction(text: &Text<'_>, token: &str) -> Result<BigRational, Error> {
    let (numerator, denominator) = match token.split_once('/') {
        Some((numerator, denominator)) => (text.big(numerator)?, text.big(denominator)?),
        None => (text.big(token)?, BigUint::from(1u8)),
    };
    if denominator == BigUint::ZERO || numerator > denominator {
        return Err(text.fault(Fault::Fraction));
    }
    let value = BigRational::new(BigInt::from(numerator), BigInt::from(denominator));
    if value.to_string() == token { Ok(value) } else { Err(text.fault(Fault::Fraction)) }
}

fn file_line(text: &mut Text<'_>, key: &str) -> Result<Option<FileName>, Error> {
    match text.after(key)? {
        "none" => Ok(None),
        token => match FileName::parse(token) {
            Some(name) => Ok(Some(name)),
            None => Err(text.fault(Fault::FileName)),
        },
    }
}
