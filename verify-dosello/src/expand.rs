//! All children of a position at once, eight to a batch: the fast version of `rules`, for the search alone.
//!
//! Two facts make it fast. The flips of the two squares of a domino are independent of each other, so one flood from
//! both squares does for the pair. And a square is captured in direction d from x exactly if it lies in the flood from
//! x in direction d through the other side's discs and also in the flood in direction -d from the mover's own discs;
//! the second flood is the same for all children and is computed once.
//!
//! A flood over up to six squares takes three doubling steps: after the first it has gone 1, then 3, then 7 squares.
//! With the column masks folded into the discs that may be passed (no disc of the columns a and h can be the middle of
//! a run that is not vertical), shifts need no mask of their own: what wraps around lands in a column that is masked.
//!
//! A batch is a plain array of eight words; the compiler turns the loops into vector instructions where there are any.
//! The tests compare every field with `rules` on whole games.

#![allow(clippy::inline_always, reason = "without it the lanes go through memory; measured")]
#![allow(
    clippy::indexing_slicing,
    reason = "indices are below the fixed lengths; the hottest loop of the crate"
)]

use crate::rules::{COLUMN_H, Position, Score, Side, Squares};

/// A position from the mover's view, without the colours' names: all that its value depends on, as the rules treat
/// both colours alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Discs of the side to move.
    pub own: Squares,
    /// Discs of the other side.
    pub other: Squares,
    /// Left squares of horizontal dominoes.
    pub left: Squares,
    /// Upper squares of vertical dominoes.
    pub top: Squares,
}

impl View {
    /// The view of the side to move.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        let (own, other) = position.sides();
        Self { own, other, left: position.left, top: position.top }
    }

    /// The position with this side to move, for comparisons with the rules.
    #[must_use]
    pub fn position(&self, turn: Side) -> Position {
        let (black, white) =
            if turn == Side::Black { (self.own, self.other) } else { (self.other, self.own) };
        Position { black, white, left: self.left, top: self.top, turn }
    }

    /// The same discs with the other side to move.
    #[must_use]
    pub fn passed(&self) -> Self {
        Self { own: self.other, other: self.own, ..*self }
    }

    /// Number of empty squares.
    #[must_use]
    pub fn empties(&self) -> u32 {
        (self.own | self.other).count_zeros()
    }

    /// Own discs minus the other side's.
    #[must_use]
    pub fn difference(&self) -> Score {
        self.own.count_ones().cast_signed() - self.other.count_ones().cast_signed()
    }

    /// True if the side to move has a placement.
    #[must_use]
    pub fn can_place(&self) -> bool {
        let empty = !(self.own | self.other);
        let (across, down) = Rays::of(self.own, self.other).placements(empty);
        across | down != 0
    }
}

const LANES: usize = 8;
/// There are 112 pairs of adjacent squares on the board.
pub const MOST: usize = 112;
/// Neither column a nor column h.
const MIDDLE: Squares = 0x7e7e_7e7e_7e7e_7e7e;
/// Steps along a row, a column and the two diagonals.
const STEPS: [u32; 4] = [1, 8, 7, 9];

/// Eight words side by side.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Lanes([u64; LANES]);

impl Lanes {
    const ZERO: Self = Self([0; LANES]);

    #[inline(always)]
    fn all(word: u64) -> Self {
        Self([word; LANES])
    }
    #[inline(always)]
    fn zip(self, right: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], right.0[lane])))
    }
    #[inline(always)]
    fn and(self, right: Self) -> Self {
        self.zip(right, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, right: Self) -> Self {
        self.zip(right, |a, b| a | b)
    }
    #[inline(always)]
    fn without(self, right: Self) -> Self {
        self.zip(right, |a, b| a & !b)
    }
    #[inline(always)]
    fn up<const N: u32>(self) -> Self {
        Self(self.0.map(|word| word << N))
    }
    #[inline(always)]
    fn down<const N: u32>(self) -> Self {
        Self(self.0.map(|word| word >> N))
    }
    #[inline(always)]
    fn count(self) -> Self {
        Self(self.0.map(|word| u64::from(word.count_ones())))
    }
    #[inline(always)]
    fn plus(self, right: Self) -> Self {
        self.zip(right, u64::wrapping_add)
    }
}

/// What all children of a node share, for each of the four axes.
struct Rays {
    /// Discs of the other side that a run may pass.
    pass: [u64; 4],
    /// Those of them from which one, or three, more steps (towards lower numbers) stay on such discs; likewise below.
    pass_up: [[u64; 2]; 4],
    pass_down: [[u64; 2]; 4],
    /// Runs of such discs beginning beside an own disc, going towards higher and lower numbers.
    run_up: [u64; 4],
    run_down: [u64; 4],
    /// Squares from which a single disc would capture, occupied or not.
    capturing: u64,
}

impl Rays {
    #[inline(always)]
    fn of(own: Squares, other: Squares) -> Self {
        let middle = other & MIDDLE;
        let pass = [middle, other, middle, middle];
        let mut rays = Self {
            pass,
            pass_up: [[0; 2]; 4],
            pass_down: [[0; 2]; 4],
            run_up: [0; 4],
            run_down: [0; 4],
            capturing: 0,
        };
        let mut axis = 0;
        while axis < 4 {
            let (step, pass) = (STEPS[axis], pass[axis]);
            let up2 = pass & (pass << step);
            let up4 = up2 & (up2 << (2 * step));
            let down2 = pass & (pass >> step);
            let down4 = down2 & (down2 >> (2 * step));
            let mut up = own;
            up |= pass & (up << step);
            up |= up2 & (up << (2 * step));
            up |= up4 & (up << (4 * step));
            let mut down = own;
            down |= pass & (down >> step);
            down |= down2 & (down >> (2 * step));
            down |= down4 & (down >> (4 * step));
            rays.pass_up[axis] = [up2, up4];
            rays.pass_down[axis] = [down2, down4];
            rays.run_up[axis] = up & pass;
            rays.run_down[axis] = down & pass;
            rays.capturing |= (rays.run_up[axis] << step) | (rays.run_down[axis] >> step);
            axis += 1;
        }
        rays
    }

    /// Legal placements: left squares of the horizontal ones, upper squares of the vertical ones.
    #[inline(always)]
    fn placements(&self, empty: Squares) -> (Squares, Squares) {
        let capturing = self.capturing & empty;
        let across = empty & (empty >> 1) & !COLUMN_H;
        let down = empty & (empty >> 8);
        (across & (capturing | (capturing >> 1)), down & (capturing | (capturing >> 8)))
    }

    /// Captured squares of both directions of an axis.
    #[inline(always)]
    fn flips<const AXIS: usize, const S: u32, const S2: u32, const S4: u32>(&self, new: Lanes) -> Lanes {
        let pass = Lanes::all(self.pass[AXIS]);
        let up = new.or(pass.and(new.up::<S>()));
        let up = up.or(Lanes::all(self.pass_up[AXIS][0]).and(up.up::<S2>()));
        let up = up.or(Lanes::all(self.pass_up[AXIS][1]).and(up.up::<S4>()));
        let down = new.or(pass.and(new.down::<S>()));
        let down = down.or(Lanes::all(self.pass_down[AXIS][0]).and(down.down::<S2>()));
        let down = down.or(Lanes::all(self.pass_down[AXIS][1]).and(down.down::<S4>()));
        up.and(Lanes::all(self.run_down[AXIS])).or(down.and(Lanes::all(self.run_up[AXIS])))
    }
}

/// Squares beyond the runs of `pass` that begin beside a disc of `own`, both directions of an axis.
#[inline(always)]
fn beyond<const S: u32, const S2: u32>(own: Lanes, pass: Lanes) -> Lanes {
    let two_up = pass.and(pass.up::<S>());
    let up = pass.and(own.up::<S>());
    let up = up.or(pass.and(up.up::<S>()));
    let up = up.or(two_up.and(up.up::<S2>()));
    let up = up.or(two_up.and(up.up::<S2>()));
    let two_down = two_up.down::<S>();
    let down = pass.and(own.down::<S>());
    let down = down.or(pass.and(down.down::<S>()));
    let down = down.or(two_down.and(down.down::<S2>()));
    let down = down.or(two_down.and(down.down::<S2>()));
    up.up::<S>().or(down.down::<S>())
}

#[inline(always)]
fn capturing(own: Lanes, other: Lanes) -> Lanes {
    let middle = other.and(Lanes::all(MIDDLE));
    beyond::<1, 2>(own, middle).or(beyond::<8, 16>(own, other)).or(beyond::<7, 14>(own, middle)).or(beyond::<
        9,
        18,
    >(
        own, middle,
    ))
}

/// The children of one position, in the order of generation. A buffer that is used again and again.
pub struct Children {
    count: usize,
    placed: [u32; MOST],
    new: [Lanes; MOST / LANES],
    own: [Lanes; MOST / LANES],
    other: [Lanes; MOST / LANES],
    placements: [Lanes; MOST / LANES],
    replies: [Lanes; MOST / LANES],
    pairs: [Lanes; MOST / LANES],
    left: Squares,
    top: Squares,
}

impl Default for Children {
    fn default() -> Self {
        let empty = [Lanes::ZERO; MOST / LANES];
        Self {
            count: 0,
            placed: [0; MOST],
            new: empty,
            own: empty,
            other: empty,
            placements: empty,
            replies: empty,
            pairs: empty,
            left: 0,
            top: 0,
        }
    }
}

impl Children {
    /// Fills the buffer with all children of `node`. Their number is 0 if the side to move has no placement.
    /// With `BOTH_MOBILITIES` the field behind [`Self::replies`] is computed too.
    #[inline(always)]
    pub fn expand<const BOTH_MOBILITIES: bool>(&mut self, node: &View) {
        let rays = Rays::of(node.own, node.other);
        let (mut across, mut down) = rays.placements(!(node.own | node.other));
        (self.left, self.top) = (node.left, node.top);
        let mut count = 0;
        while across != 0 {
            let square = across.trailing_zeros();
            self.new[count / LANES].0[count % LANES] = 0b11 << square;
            self.placed[count] = square;
            across &= across - 1;
            count += 1;
        }
        while down != 0 {
            let square = down.trailing_zeros();
            self.new[count / LANES].0[count % LANES] = 0x101 << square;
            self.placed[count] = 64 | square;
            down &= down - 1;
            count += 1;
        }
        self.count = count;
        for batch in 0..count.div_ceil(LANES) {
            self.fill::<BOTH_MOBILITIES>(batch, node, &rays);
        }
    }

    #[inline(always)]
    fn fill<const BOTH_MOBILITIES: bool>(&mut self, batch: usize, node: &View, rays: &Rays) {
        let new = self.new[batch];
        let captured = rays
            .flips::<0, 1, 2, 4>(new)
            .or(rays.flips::<1, 8, 16, 32>(new))
            .or(rays.flips::<2, 7, 14, 28>(new))
            .or(rays.flips::<3, 9, 18, 36>(new));
        let flipped = captured
            .or(captured.and(Lanes::all(node.left)).up::<1>())
            .or(captured.and(Lanes::all(node.left << 1)).down::<1>())
            .or(captured.and(Lanes::all(node.top)).up::<8>())
            .or(captured.and(Lanes::all(node.top << 8)).down::<8>());
        // The child is seen from its own side to move, so the mover's discs become the other side's.
        let own = Lanes::all(node.other).without(flipped);
        let other = Lanes::all(node.own).or(flipped).or(new);
        let empty = Lanes::all(!0).without(own.or(other));
        let across = empty.and(empty.down::<1>()).and(Lanes::all(!COLUMN_H));
        let down = empty.and(empty.down::<8>());
        let legal = |capturing: Lanes| {
            let capturing = capturing.and(empty);
            across
                .and(capturing.or(capturing.down::<1>()))
                .count()
                .plus(down.and(capturing.or(capturing.down::<8>())).count())
        };
        self.own[batch] = own;
        self.other[batch] = other;
        self.placements[batch] = legal(capturing(own, other));
        self.pairs[batch] = across.count().plus(down.count());
        if BOTH_MOBILITIES {
            self.replies[batch] = legal(capturing(other, own));
        }
    }

    /// Number of children.
    #[must_use]
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The child of this index, below the count, from its side to move.
    #[must_use]
    #[inline(always)]
    pub fn child(&self, index: usize) -> View {
        let placed = self.placed[index];
        let (left, top) = if placed < 64 {
            (self.left | 1 << placed, self.top)
        } else {
            (self.left, self.top | 1 << (placed & 63))
        };
        View { own: self.own(index), other: self.other(index), left, top }
    }

    /// The placement that leads to the child: its square, plus 64 if vertical.
    #[must_use]
    #[inline(always)]
    pub fn placed(&self, index: usize) -> u32 {
        self.placed[index]
    }

    /// The two squares of the domino that was placed.
    #[must_use]
    #[inline(always)]
    pub fn new_squares(&self, index: usize) -> Squares {
        self.new[index / LANES].0[index % LANES]
    }

    /// Discs of the child's side to move.
    #[must_use]
    #[inline(always)]
    pub fn own(&self, index: usize) -> Squares {
        self.own[index / LANES].0[index % LANES]
    }

    /// Discs of the child's other side.
    #[must_use]
    #[inline(always)]
    pub fn other(&self, index: usize) -> Squares {
        self.other[index / LANES].0[index % LANES]
    }

    /// Number of legal placements of the child's side to move.
    #[must_use]
    #[inline(always)]
    pub fn placements(&self, index: usize) -> u64 {
        self.placements[index / LANES].0[index % LANES]
    }

    /// Number of placements that the child's other side would have if it were to move.
    #[must_use]
    #[inline(always)]
    pub fn replies(&self, index: usize) -> u64 {
        self.replies[index / LANES].0[index % LANES]
    }

    /// Number of pairs of adjacent empty squares in the child. If there is none the game is over.
    #[must_use]
    #[inline(always)]
    pub fn pairs(&self, index: usize) -> u64 {
        self.pairs[index / LANES].0[index % LANES]
    }
}
