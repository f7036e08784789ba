//! The board as the prover sees it.
//!
//! Rules: a move places a domino of one's colour on two orthogonally adjacent empty squares. From each of the two
//! squares, enemy discs are captured as in Othello. Then the partner of every captured disc flips too, once. At
//! least one direct capture is needed. Without a legal move one passes; two passes end the game.
//!
//! The generator works square by square: the captures of one square do not depend on the other half of the domino,
//! because the new disc can only close a line that the other half could not close with it. (A line from one new
//! square that runs through the other new square meets a disc of one's own there at once and captures nothing.)
//! So the captures of every capturing square are found once, and a placement is the union of two of them.

/// Files A to G: squares that have a right neighbour.
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
/// Files B to H: squares that have a left neighbour.
const NOT_A: u64 = NOT_H << 1;
/// Files B to G.
const INNER: u64 = NOT_A & NOT_H;
/// Shift of each of the four line directions, and the enemy squares that a line in it may run through.
const LINES: [(u32, u64); 4] = [(1, INNER), (7, INNER), (8, u64::MAX), (9, INNER)];

/// More placements than any position has: 56 horizontal and 56 vertical pairs.
pub const MAX_CHILDREN: usize = 112;

/// A position. Bit `8 * row + column`, with a1 (top left) as bit 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    /// Discs of the side to move.
    pub mover: u64,
    /// Discs of the other side.
    pub other: u64,
    /// Left ends of the horizontal dominoes.
    pub across: u64,
    /// Top ends of the vertical dominoes.
    pub down: u64,
}

/// A placement: the left end of a horizontal domino (0 to 63), or 64 plus the top end of a vertical one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Placement(pub u8);

impl Placement {
    /// The two squares of the domino.
    #[must_use]
    pub fn squares(self) -> u64 {
        if self.0 < 64 { 3 << self.0 } else { 0x101 << (self.0 - 64) }
    }

    /// The placement written as `e2-f2`, whichever square comes first.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let [c0, r0, b'-', c1, r1] = *text.as_bytes() else { return None };
        let square = |c: u8, r: u8| {
            ((b'a'..=b'h').contains(&c) && (b'1'..=b'8').contains(&r)).then(|| (r - b'1') * 8 + (c - b'a'))
        };
        let (one, two) = (square(c0, r0)?, square(c1, r1)?);
        let (first, last) = (one.min(two), one.max(two));
        match last - first {
            1 if first % 8 != 7 => Some(Self(first)),
            8 => Some(Self(64 + first)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Placement {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, step) = if self.0 < 64 { (self.0, 1) } else { (self.0 - 64, 8) };
        let name = |square: u8| (char::from(b'a' + square % 8), square / 8 + 1);
        let ((c0, r0), (c1, r1)) = (name(first), name(first + step));
        write!(out, "{c0}{r0}-{c1}{r1}")
    }
}

/// The children of a position, one array a field so that loops over them run in vector registers.
#[derive(Clone, Debug)]
pub struct Children {
    /// Number of children.
    pub len: usize,
    /// The placement that leads to each child.
    pub placement: [Placement; MAX_CHILDREN],
    /// Discs of the side to move in the child: the opponent of the player who placed.
    pub mover: [u64; MAX_CHILDREN],
    /// Discs of the player who placed.
    pub other: [u64; MAX_CHILDREN],
    /// Number of legal placements in the child.
    pub replies: [u32; MAX_CHILDREN],
    /// Number of adjacent pairs of empty squares in the child.
    pub pairs: [u32; MAX_CHILDREN],
    /// Room for the caller's ordering key, smallest first.
    pub key: [i32; MAX_CHILDREN],
}

impl Default for Children {
    fn default() -> Self {
        Self {
            len: 0,
            placement: [Placement(0); MAX_CHILDREN],
            mover: [0; MAX_CHILDREN],
            other: [0; MAX_CHILDREN],
            replies: [0; MAX_CHILDREN],
            pairs: [0; MAX_CHILDREN],
            key: [0; MAX_CHILDREN],
        }
    }
}

impl Children {
    /// The `index`-th child of `parent`.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize, parent: &Position) -> Position {
        let placement = self.placement[index];
        let (mut across, mut down) = (parent.across, parent.down);
        if placement.0 < 64 {
            across |= 1 << placement.0;
        } else {
            down |= 1 << (placement.0 - 64);
        }
        Position { mover: self.mover[index], other: self.other[index], across, down }
    }
}

/// Empty squares whose neighbour to the right, or below, is empty too.
#[inline]
#[must_use]
pub fn pairs(empty: u64) -> (u64, u64) {
    (empty & (empty >> 1) & NOT_H, empty & (empty >> 8))
}

/// Squares beside a square of `set`.
#[inline]
#[must_use]
pub fn beside(set: u64) -> u64 {
    ((set << 1) & NOT_A) | ((set >> 1) & NOT_H) | (set << 8) | (set >> 8)
}

/// Squares, empty or not, from which a disc of `own` would capture.
#[inline]
fn capturing(own: u64, enemy: u64) -> u64 {
    let mut found = 0;
    for (shift, inside) in LINES {
        let through = enemy & inside;
        let mut up = through & (own << shift);
        let mut dn = through & (own >> shift);
        for _ in 0..5 {
            up |= through & (up << shift);
            dn |= through & (dn >> shift);
        }
        found |= (up << shift) | (dn >> shift);
    }
    found
}

/// Discs that a disc of `own` on the one square of `from` captures.
#[inline]
fn captures(from: u64, own: u64, enemy: u64) -> u64 {
    let mut taken = 0;
    for (shift, inside) in LINES {
        let through = enemy & inside;
        let mut up = through & (from << shift);
        let mut dn = through & (from >> shift);
        for _ in 0..5 {
            up |= through & (up << shift);
            dn |= through & (dn >> shift);
        }
        // A run of enemy discs is captured when the square behind it is one's own.
        taken |= up & (u64::from((up << shift) & own != 0)).wrapping_neg();
        taken |= dn & (u64::from((dn >> shift) & own != 0)).wrapping_neg();
    }
    taken
}

/// Left ends and top ends of the legal placements.
#[inline]
fn placements(mover: u64, other: u64) -> (u64, u64) {
    let empty = !(mover | other);
    let capturing = capturing(mover, other) & empty;
    let (across, down) = pairs(empty);
    (across & (capturing | (capturing >> 1)), down & (capturing | (capturing >> 8)))
}

/// Indices of the bits of `set`, ascending.
pub fn squares_of(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(square)
    })
}

impl Position {
    /// The initial position, Black to move.
    #[must_use]
    pub const fn initial() -> Self {
        Self {
            mover: (1 << 20) | (1 << 28) | (1 << 35) | (1 << 43),
            other: (1 << 26) | (1 << 27) | (1 << 36) | (1 << 37),
            across: (1 << 26) | (1 << 36),
            down: (1 << 20) | (1 << 35),
        }
    }

    /// Number of empty squares.
    #[inline]
    #[must_use]
    pub const fn empties(&self) -> u32 {
        (self.mover | self.other).count_zeros()
    }

    /// Discs of the mover minus discs of the other side.
    #[inline]
    #[must_use]
    pub fn difference(&self) -> i32 {
        self.mover.count_ones().cast_signed() - self.other.count_ones().cast_signed()
    }

    /// The same board with the other side to move.
    #[inline]
    #[must_use]
    pub const fn passed(&self) -> Self {
        Self { mover: self.other, other: self.mover, ..*self }
    }

    /// Number of legal placements of the side to move.
    #[inline]
    #[must_use]
    pub fn mobility(&self) -> u32 {
        let (across, down) = placements(self.mover, self.other);
        across.count_ones() + down.count_ones()
    }

    /// Lists all children; none means that the side to move must pass.
    #[inline]
    pub fn expand(&self, out: &mut Children) {
        let (mover, other) = (self.mover, self.other);
        let empty = !(mover | other);
        let capturing = capturing(mover, other) & empty;
        let (pairs_across, pairs_down) = pairs(empty);
        let across = pairs_across & (capturing | (capturing >> 1));
        let down = pairs_down & (capturing | (capturing >> 8));
        let mut taken = [0u64; 64];
        // A capturing square without an empty neighbour belongs to no placement.
        for square in squares_of(capturing & beside(empty)) {
            taken[square] = captures(1 << square, mover, other);
        }
        let mut len = 0;
        for (ends, base, step) in [(across, 0u8, 1), (down, 64u8, 8)] {
            for square in squares_of(ends) {
                out.placement[len] = Placement(base + (square & 63) as u8);
                let direct = taken[square] | taken[square + step];
                let flipped = direct
                    | ((direct & self.across) << 1)
                    | ((direct >> 1) & self.across)
                    | ((direct & self.down) << 8)
                    | ((direct >> 8) & self.down);
                out.mover[len] = other & !flipped;
                out.other[len] = mover | flipped | (1 << square) | (1 << (square + step));
                len += 1;
            }
        }
        out.len = len;
        for i in 0..len {
            let (mover, other) = (out.mover[i], out.other[i]);
            let empty = !(mover | other);
            let (across, down) = pairs(empty);
            let capturing = self::capturing(mover, other);
            out.pairs[i] = across.count_ones() + down.count_ones();
            out.replies[i] = (across & (capturing | (capturing >> 1))).count_ones()
                + (down & (capturing | (capturing >> 8))).count_ones();
        }
    }

    /// The position after a legal placement.
    #[must_use]
    pub fn play(&self, placement: Placement) -> Option<Self> {
        let mut children = Children::default();
        self.expand(&mut children);
        (0..children.len).find(|&i| children.placement[i] == placement).map(|i| children.get(i, self))
    }

    /// The least of the eight symmetric images.
    #[must_use]
    pub fn canonical(&self) -> Self {
        (0..8).map(|symmetry| self.image(symmetry)).min().unwrap_or(*self)
    }

    /// The image under one of the eight symmetries of the square.
    #[must_use]
    pub fn image(&self, symmetry: u32) -> Self {
        let set = |bits: u64| squares_of(bits).fold(0, |sum, square| sum | (1 << image(square, symmetry)));
        let mut result = Self { mover: set(self.mover), other: set(self.other), across: 0, down: 0 };
        for (ends, step) in [(self.across, 1), (self.down, 8)] {
            for square in squares_of(ends) {
                let (one, two) = (image(square, symmetry), image(square + step, symmetry));
                let (first, last) = (one.min(two), one.max(two));
                if last - first == 1 {
                    result.across |= 1 << first;
                } else {
                    result.down |= 1 << first;
                }
            }
        }
        result
    }
}

/// The image of a square: bit 0 of `symmetry` turns rows over, bit 1 columns, bit 2 then exchanges them.
#[must_use]
pub fn image(square: usize, symmetry: u32) -> usize {
    let (mut row, mut column) = (square / 8, square % 8);
    if symmetry & 1 != 0 {
        row = 7 - row;
    }
    if symmetry & 2 != 0 {
        column = 7 - column;
    }
    if symmetry & 4 != 0 {
        std::mem::swap(&mut row, &mut column);
    }
    row * 8 + column
}
