//! The rules of DOSELLO on bitboards. Nothing else in this crate knows what a capture is, except `expand`, a fast
//! version for all children of a position at once, which the tests compare with this file.
//!
//! Bit `8 * row + column` of a set is a square, a1 (row 0, column 0) at the top left. A domino covers two orthogonally
//! adjacent squares and is of one colour for ever: whenever one of its squares is captured the partner flips too.
//! The pairing is kept as the set of left ends of the horizontal dominoes and of top ends of the vertical ones.
//!
//! Worked examples are in `RULES.md`; the tests hold a second version that follows the wording of the rules.

use std::fmt;

/// A set of squares, one bit each.
pub type Squares = u64;

const COLUMN_A: Squares = 0x0101_0101_0101_0101;
pub(crate) const COLUMN_H: Squares = 0x8080_8080_8080_8080;

/// Disc difference in a finished game or a bound on it: even, from -64 to 64.
pub type Score = i32;
/// The highest score there is: all squares of one colour.
pub const SCORE_LIMIT: Score = 64;

/// True for a disc difference that can occur. All dominoes are of one colour, so differences are even.
#[must_use]
pub fn is_score(number: Score) -> bool {
    (-SCORE_LIMIT..=SCORE_LIMIT).contains(&number) && number % 2 == 0
}

/// Who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Moves first.
    Black,
    /// Moves second.
    White,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// Where a domino may lie: one of the 112 pairs of adjacent squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placement {
    /// Covers the square of this number and its right neighbour.
    Horizontal(u8),
    /// Covers the square of this number and the one below.
    Vertical(u8),
}

impl Placement {
    /// The two squares covered.
    #[must_use]
    pub fn squares(self) -> Squares {
        match self {
            Self::Horizontal(left) => 0b11 << left,
            Self::Vertical(top) => 0x101 << top,
        }
    }

    /// All 112 placements, horizontal ones first, by square.
    pub fn all() -> impl Iterator<Item = Self> {
        let horizontal = (0..64u8).filter(|square| square % 8 != 7).map(Self::Horizontal);
        horizontal.chain((0..56u8).map(Self::Vertical))
    }

    /// Reads `f3-f4`: left or upper square first.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::all().find(|placement| placement.to_string() == text)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = match *self {
            Self::Horizontal(left) => (left, left + 1),
            Self::Vertical(top) => (top, top + 8),
        };
        let column = |square: u8| char::from(b'a' + square % 8);
        write!(out, "{}{}-{}{}", column(first), first / 8 + 1, column(second), second / 8 + 1)
    }
}

/// One ply: a placement, or the pass that is forced where the side to move has no placement and the other has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Puts a domino of the mover's colour on two empty squares.
    Place(Placement),
    /// Forced pass.
    Pass,
}

impl Move {
    /// Reads a placement or the word `pass`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == "pass" { Some(Self::Pass) } else { Placement::parse(text).map(Self::Place) }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(placement) => placement.fmt(out),
            Self::Pass => out.write_str("pass"),
        }
    }
}

/// Colours, pairing and side to move: everything on which the rest of the game depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Squares with a black disc.
    pub black: Squares,
    /// Squares with a white disc.
    pub white: Squares,
    /// Left squares of horizontal dominoes.
    pub left: Squares,
    /// Upper squares of vertical dominoes.
    pub top: Squares,
    /// Side to move.
    pub turn: Side,
}

impl Position {
    /// White c4-d4 and e5-f5, Black e3-e4 and d5-d6, Black to move.
    #[must_use]
    pub fn initial() -> Self {
        Self {
            black: Placement::Vertical(20).squares() | Placement::Vertical(35).squares(),
            white: Placement::Horizontal(26).squares() | Placement::Horizontal(36).squares(),
            left: 1 << 26 | 1 << 36,
            top: 1 << 20 | 1 << 35,
            turn: Side::Black,
        }
    }

    /// Discs of the side to move and of the other side.
    #[must_use]
    pub fn sides(&self) -> (Squares, Squares) {
        match self.turn {
            Side::Black => (self.black, self.white),
            Side::White => (self.white, self.black),
        }
    }

    /// Empty squares.
    #[must_use]
    pub fn empty(&self) -> Squares {
        !(self.black | self.white)
    }

    /// The position after the side to move has placed a domino, or `None` if the placement is illegal: a square is
    /// occupied, or neither of the two squares would capture as a single disc at Othello.
    #[must_use]
    pub fn place(&self, placement: Placement) -> Option<Self> {
        let new = placement.squares();
        if new & !self.empty() != 0 {
            return None;
        }
        let (own, other) = self.sides();
        let captured = captures(own, other, new);
        if captured == 0 {
            return None;
        }
        let flipped = captured | self.partners(captured);
        let (own, other) = (own | new | flipped, other & !flipped);
        let (black, white) = if self.turn == Side::Black { (own, other) } else { (other, own) };
        let (left, top) = match placement {
            Placement::Horizontal(square) => (self.left | 1 << square, self.top),
            Placement::Vertical(square) => (self.left, self.top | 1 << square),
        };
        Some(Self { black, white, left, top, turn: self.turn.other() })
    }

    /// The squares that share a domino with one of `squares`.
    fn partners(&self, squares: Squares) -> Squares {
        (squares & self.left) << 1
            | squares >> 1 & self.left
            | (squares & self.top) << 8
            | squares >> 8 & self.top
    }

    /// All legal placements with the positions after them, horizontal ones first, by square.
    #[must_use]
    pub fn placements(&self) -> Vec<(Placement, Self)> {
        Placement::all().filter_map(|placement| Some((placement, self.place(placement)?))).collect()
    }

    /// The same position with the other side to move.
    #[must_use]
    pub fn passed(&self) -> Self {
        Self { turn: self.turn.other(), ..*self }
    }

    /// All plies with the positions after them: the placements, or a forced pass; empty if the game is over.
    #[must_use]
    pub fn moves(&self) -> Vec<(Move, Self)> {
        let placements = self.placements();
        if placements.is_empty() && !self.passed().placements().is_empty() {
            return vec![(Move::Pass, self.passed())];
        }
        placements.into_iter().map(|(placement, next)| (Move::Place(placement), next)).collect()
    }

    /// The position after a ply, or `None` if it is illegal.
    #[must_use]
    pub fn play(&self, step: Move) -> Option<Self> {
        match step {
            Move::Place(placement) => self.place(placement),
            Move::Pass => {
                self.moves().into_iter().find(|&(legal, _)| legal == Move::Pass).map(|(_, next)| next)
            }
        }
    }

    /// True if neither side has a placement.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.moves().is_empty()
    }

    /// Discs of the side to move minus discs of the other side: the result, if the game is over.
    #[must_use]
    pub fn difference(&self) -> Score {
        let (own, other) = self.sides();
        // Each count is at most 64.
        own.count_ones().cast_signed() - other.count_ones().cast_signed()
    }

    /// The image under one of the eight symmetries of the square: bit 1 of `symmetry` mirrors the rows, bit 2 the
    /// columns, bit 4 then exchanges rows and columns. Colours and side to move stay.
    #[must_use]
    pub fn image(&self, symmetry: u8) -> Self {
        let map = |squares| mapped(squares, symmetry);
        // A domino's first square is the image of its first or of its second square, depending on the mirror.
        let (left_ends, right_ends) = (map(self.left), map(self.left << 1));
        let (top_ends, bottom_ends) = (map(self.top), map(self.top << 8));
        let transposed = symmetry & 4 != 0;
        let across = if symmetry & 2 == 0 { left_ends } else { right_ends };
        let down = if symmetry & 1 == 0 { top_ends } else { bottom_ends };
        let (left, top) = if transposed { (down, across) } else { (across, down) };
        Self { black: map(self.black), white: map(self.white), left, top, turn: self.turn }
    }

    /// The smallest of the eight images. The rules know no direction, so all eight have the same value.
    #[must_use]
    pub fn canonical(&self) -> Self {
        (1..8).map(|symmetry| self.image(symmetry)).fold(*self, Self::min)
    }
}

/// The squares of `other` that discs of `own` newly put on the squares `new` capture: from each new square, in each of
/// the eight directions, a run of `other` that ends at a disc of `own`.
#[must_use]
pub fn captures(own: Squares, other: Squares, new: Squares) -> Squares {
    DIRECTIONS.iter().fold(0, |captured, step| {
        // All new squares walk at once: their runs cannot meet, as a run is left at the first square not in `other`.
        let mut front = step.one_further(new) & other;
        let mut total = captured;
        let mut reached = [0; 6];
        for slot in &mut reached {
            *slot = front;
            front = step.one_further(front) & other;
        }
        // Walk back from the discs of `own` that end a run, along the squares that were passed.
        let mut back = 0;
        for &passed in reached.iter().rev() {
            back = passed & step.one_back(own | back);
            total |= back;
        }
        total
    })
}

#[derive(Clone, Copy)]
struct Direction {
    /// Number of bits to the left (towards higher numbers), or to the right if negative.
    shift: i8,
    /// The squares that one step cannot leave the board from.
    inside: Squares,
    /// The same for a step back.
    inside_back: Squares,
}

impl Direction {
    fn one_further(self, squares: Squares) -> Squares {
        shifted(squares & self.inside, self.shift)
    }
    fn one_back(self, squares: Squares) -> Squares {
        shifted(squares & self.inside_back, -self.shift)
    }
}

fn shifted(squares: Squares, by: i8) -> Squares {
    if by >= 0 { squares << by } else { squares >> -by }
}

const EAST: Squares = !COLUMN_H;
const WEST: Squares = !COLUMN_A;
const ALL: Squares = !0;
const DIRECTIONS: [Direction; 8] = [
    Direction { shift: 1, inside: EAST, inside_back: WEST },
    Direction { shift: -1, inside: WEST, inside_back: EAST },
    Direction { shift: 8, inside: ALL, inside_back: ALL },
    Direction { shift: -8, inside: ALL, inside_back: ALL },
    Direction { shift: 9, inside: EAST, inside_back: WEST },
    Direction { shift: -9, inside: WEST, inside_back: EAST },
    Direction { shift: 7, inside: WEST, inside_back: EAST },
    Direction { shift: -7, inside: EAST, inside_back: WEST },
];

/// The image of one square, see [`Position::image`].
#[must_use]
pub fn mapped_square(square: u8, symmetry: u8) -> u8 {
    let (mut row, mut column) = (square / 8, square % 8);
    if symmetry & 1 != 0 {
        row = 7 - row;
    }
    if symmetry & 2 != 0 {
        column = 7 - column;
    }
    if symmetry & 4 != 0 {
        (row, column) = (column, row);
    }
    8 * row + column
}

fn mapped(squares: Squares, symmetry: u8) -> Squares {
    (0..64)
        .filter(|square| squares >> square & 1 != 0)
        .fold(0, |image, square| image | 1 << mapped_square(square, symmetry))
}
