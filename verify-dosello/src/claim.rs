//! What the auditor claims: `claim.txt`, and nothing from a certificate.

use crate::error::{Error, Reason};
use crate::rules::{Move, Position, Score};
use crate::text::{Line, Text, play, score, shown};
use crate::tree::Interval;

/// The claim of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What is said of the game.
    pub statement: Statement,
    /// Name of the leaf file in the claim's folder; `None` for a line, which needs none.
    pub leaves: Option<String>,
    /// Name of the proof set in the folder of proof sets.
    pub proof_set: Option<String>,
}

/// A statement about the game; scores and intervals from Black's view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The value of the game.
    Value(Score),
    /// Which openings are best, and an interval for each opening.
    Openings {
        /// Equally good, and better than all others.
        best: Vec<Move>,
        /// One for each legal opening.
        intervals: Vec<(Move, Interval)>,
    },
    /// Intervals of all replies to an opening.
    Replies {
        /// Black's first move.
        opening: Move,
        /// A line none of whose moves changes the value.
        perfect: Vec<Position>,
        /// One for each legal reply.
        intervals: Vec<(Move, Interval)>,
    },
    /// A complete game between perfect players, from some move on.
    Line {
        /// What every position from there on is worth.
        value: Score,
        /// Number of moves made before, passes counted.
        from: usize,
        /// Black discs, white discs and empty squares at the end.
        counts: [u32; 3],
        /// All positions, the initial one first.
        positions: Vec<Position>,
    },
}

/// Takes the lines of a claim one by one.
struct Lines<'a> {
    text: &'a Text,
    rest: std::vec::IntoIter<Line<'a>>,
    last: usize,
}

impl<'a> Lines<'a> {
    fn malformed(&self, what: impl Into<String>) -> Error {
        self.text.error(Reason::Malformed, self.last, what)
    }

    /// The values of the next line, which must have this key and at least one value.
    fn values(&mut self, key: &str) -> Result<Vec<&'a str>, Error> {
        self.last += 1;
        let line = self.rest.next().ok_or_else(|| self.malformed(format!("expected {key}")))?;
        match line.tokens.split_first() {
            Some((&found, values)) if found == key && !values.is_empty() => Ok(values.to_vec()),
            _ => Err(self.malformed(format!("expected {key} and its value"))),
        }
    }

    fn value(&mut self, key: &str) -> Result<&'a str, Error> {
        match self.values(key)?.as_slice() {
            [value] => Ok(value),
            _ => Err(self.malformed(format!("expected one value of {key}"))),
        }
    }

    fn constant(&mut self, key: &str, value: &str) -> Result<(), Error> {
        if self.value(key)? == value {
            Ok(())
        } else {
            Err(self.malformed(format!("expected {key} {value}")))
        }
    }

    fn score(&self, token: &str) -> Result<Score, Error> {
        score(token).map_err(|reason| {
            let what = format!("{}: expected an even number from -64 to 64", shown(token.as_bytes()));
            self.text.error(reason, self.last, what)
        })
    }

    fn count(&mut self, key: &str) -> Result<u32, Error> {
        let token = self.value(key)?;
        let count = crate::text::number(token)
            .and_then(|count| u32::try_from(count).ok())
            .filter(|&count| count <= 64);
        count.ok_or_else(|| self.malformed(format!("{key}: expected a number from 0 to 64")))
    }

    fn legal(&self, token: &str, position: &Position) -> Result<Move, Error> {
        Move::parse(token).filter(|&step| position.play(step).is_some()).ok_or_else(|| {
            self.text.error(
                Reason::IllegalLine,
                self.last,
                format!("{} is no legal move", shown(token.as_bytes())),
            )
        })
    }

    /// An interval for each legal move of the position, in order of the bytes of the moves.
    fn intervals(&mut self, position: &Position) -> Result<Vec<(Move, Interval)>, Error> {
        let mut expected: Vec<(String, Move)> =
            position.moves().into_iter().map(|(step, _)| (step.to_string(), step)).collect();
        expected.sort();
        let mut intervals = Vec::new();
        for (name, step) in expected {
            let values = self.values("interval")?;
            let [token, lower, upper] = *values.as_slice() else {
                return Err(self.malformed("expected interval MOVE LOWER UPPER"));
            };
            if token != name {
                let what = format!("expected the legal move {name} next, found {}", shown(token.as_bytes()));
                return Err(self.text.error(Reason::WrongList, self.last, what));
            }
            let interval = Interval::new(self.score(lower)?, self.score(upper)?)
                .ok_or_else(|| self.text.error(Reason::EmptyInterval, self.last, "the ends are exchanged"))?;
            intervals.push((step, interval));
        }
        Ok(intervals)
    }

    fn file(&mut self, key: &str) -> Result<String, Error> {
        let name = self.value(key)?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if name.starts_with('.') || !name.bytes().all(plain) {
            return Err(self.malformed(format!("{key}: expected the plain name of a file")));
        }
        Ok(name.to_owned())
    }
}

/// Reads a claim.
///
/// # Errors
/// Anything but the grammar of `FORMAT.md`; moves that are illegal; lists that are not those of the legal moves.
pub fn parse(text: &Text) -> Result<Claim, Error> {
    let mut lines = Lines { text, rest: text.lines()?.into_iter(), last: 0 };
    lines.constant("claim", "1")?;
    lines.constant("game", "dosello")?;
    let initial = Position::initial();
    let statement = match lines.value("statement")? {
        "value" => {
            let token = lines.value("value")?;
            Statement::Value(lines.score(token)?)
        }
        "openings" => {
            let tokens = lines.values("best")?;
            if !tokens.is_sorted_by(|a, b| a < b) {
                return Err(lines.malformed("best: expected moves in increasing order"));
            }
            let best = tokens.iter().map(|token| lines.legal(token, &initial)).collect::<Result<_, _>>()?;
            Statement::Openings { best, intervals: lines.intervals(&initial)? }
        }
        "replies" => {
            let token = lines.value("opening")?;
            let opening = lines.legal(token, &initial)?;
            let tokens = lines.values("perfect")?;
            let (_, perfect) =
                play(&tokens).map_err(|what| text.error(Reason::IllegalLine, lines.last, what))?;
            let after = initial.play(opening).unwrap_or(initial);
            Statement::Replies { opening, perfect, intervals: lines.intervals(&after)? }
        }
        "line" => {
            let token = lines.value("value")?;
            let value = lines.score(token)?;
            let from = usize::try_from(lines.count("from")?).unwrap_or(0);
            let counts = [lines.count("black")?, lines.count("white")?, lines.count("empty")?];
            let tokens = lines.values("moves")?;
            let (_, positions) =
                play(&tokens).map_err(|what| text.error(Reason::IllegalLine, lines.last, what))?;
            if from >= positions.len() {
                return Err(lines.malformed("from: the line is shorter"));
            }
            Statement::Line { value, from, counts, positions }
        }
        other => {
            let what = format!("{}: expected value, openings, replies or line", shown(other.as_bytes()));
            return Err(lines.malformed(what));
        }
    };
    let (mut leaves, mut proof_set) = (None, None);
    if !matches!(statement, Statement::Line { .. }) {
        leaves = Some(lines.file("leaves")?);
        proof_set = Some(lines.file("proofset")?).filter(|name| name != "none");
    }
    lines.last += 1;
    if lines.rest.next().is_some() {
        return Err(lines.malformed("expected the end of the file"));
    }
    Ok(Claim { statement, leaves, proof_set })
}
