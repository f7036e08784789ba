//! The rules of Dark Hex: the board, who joins what, whose turn follows a probe, and how a game starts.
//!
//! Black joins the top row with the bottom row, White the left column with the right one. A player **probes** a cell
//! that he neither owns nor has found occupied. If the cell is empty his stone goes there (a success); otherwise he
//! learns that it is occupied (a collision) and nothing else happens on the board. After a success it is the other
//! player's turn. After a collision the same player probes again under [`Rule::Classic`]; under [`Rule::Abrupt`] his
//! turn is over. Nobody is told what the other player probed.

#![allow(
    clippy::indexing_slicing,
    reason = "the tables have one bit per set of cells, and `Stones` holds cells of the board alone"
)]

use std::fmt;

/// The largest number of cells for which the tables of connected stones are built: 2^16 sets for each player.
pub const MAX_CELLS: usize = 16;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// Moves first and joins the top row with the bottom row.
    Black,
    /// Joins the left column with the right column.
    White,
}

impl Player {
    /// The other player.
    #[must_use]
    pub fn opponent(self) -> Player {
        match self {
            Player::Black => Player::White,
            Player::White => Player::Black,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Player::Black => "black",
            Player::White => "white",
        })
    }
}

/// Whose turn it is after a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The same player probes again.
    Classic,
    /// The turn passes to the other player.
    Abrupt,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Classic => "classic",
            Rule::Abrupt => "abrupt",
        })
    }
}

/// A cell, `row * columns + column`, rows counted from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell of that number, if a board of at most [`MAX_CELLS`] cells can have it.
    #[must_use]
    pub fn new(index: usize) -> Option<Cell> {
        if index < MAX_CELLS { u8::try_from(index).ok().map(Cell) } else { None }
    }

    /// Its number.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A set of cells of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stones(u16);

impl Stones {
    /// The empty set.
    pub const NONE: Stones = Stones(0);

    /// Whether the cell is in the set.
    #[must_use]
    pub fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// The set with the cell added.
    #[must_use]
    pub fn with(self, cell: Cell) -> Stones {
        Stones(self.0 | 1 << cell.0)
    }

    /// All cells of either set.
    #[must_use]
    pub fn union(self, other: Stones) -> Stones {
        Stones(self.0 | other.0)
    }

    /// The cells of this set that are not in the other.
    #[must_use]
    pub fn without(self, other: Stones) -> Stones {
        Stones(self.0 & !other.0)
    }

    /// The cells of both sets.
    #[must_use]
    pub fn common(self, other: Stones) -> Stones {
        Stones(self.0 & other.0)
    }

    /// Whether there is no cell in the set.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of cells.
    #[must_use]
    pub fn count(self) -> usize {
        // A popcount of 16 bits is at most 16.
        self.0.count_ones() as usize
    }

    /// The set as a number with bit `i` for cell `i`.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The cells in increasing order.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            // None at the end: the empty set has 16 trailing zeros.
            let lowest = u8::try_from(rest.trailing_zeros()).ok().filter(|&lowest| lowest < 16)?;
            rest &= rest - 1;
            Some(Cell(lowest))
        })
    }
}

/// Which game is played: the rule, the board, and Black's announced first stone, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// What happens after a collision.
    pub rule: Rule,
    /// Number of rows, from 1.
    pub rows: usize,
    /// Number of columns, from 1; `rows * columns` is at most [`MAX_CELLS`].
    pub columns: usize,
    /// Black's first stone, if both players know it and White is to move.
    pub opening: Option<Cell>,
}

impl Game {
    /// Number of cells of the board.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// All cells of the board.
    #[must_use]
    pub fn board(&self) -> Stones {
        (0..self.cells()).filter_map(Cell::new).fold(Stones::NONE, Stones::with)
    }

    /// Who moves first: Black, or White after an announced opening.
    #[must_use]
    pub fn first(&self) -> Player {
        if self.opening.is_some() { Player::White } else { Player::Black }
    }

    /// What a player owns and knows to be occupied at the start.
    #[must_use]
    pub fn start(&self, player: Player) -> (Stones, Stones) {
        let opening = self.opening.map_or(Stones::NONE, |cell| Stones::NONE.with(cell));
        match player {
            Player::Black => (opening, Stones::NONE),
            Player::White => (Stones::NONE, opening),
        }
    }

    /// The cell that a half turn of the board puts in the place of this one.
    #[must_use]
    pub fn rotated(&self, cell: Cell) -> Cell {
        // Both are cells of the board, so the difference is one too.
        Cell::new(self.cells().saturating_sub(cell.index().saturating_add(1))).unwrap_or(cell)
    }

    /// The cell of a square such as `a1`, if the board has it.
    #[must_use]
    pub fn cell(&self, square: &str) -> Option<Cell> {
        (0..self.cells()).filter_map(Cell::new).find(|&cell| self.square(cell) == square)
    }

    /// The name of a cell: column letter, then row number from the top.
    #[must_use]
    pub fn square(&self, cell: Cell) -> String {
        let (row, column) = (cell.index() / self.columns, cell.index() % self.columns);
        format!("{}{}", ('a'..='p').nth(column).unwrap_or('?'), row.saturating_add(1))
    }
}

/// The tables of connected stones of a board.
pub struct Board {
    /// For each player one bit per set of cells: whether it joins his two sides.
    connected: [Vec<u64>; 2],
}

impl Board {
    /// Computes the tables by flooding each set of cells from the player's first side.
    #[must_use]
    pub fn new(game: &Game) -> Board {
        Board { connected: [joining_sets(game, Player::Black), joining_sets(game, Player::White)] }
    }

    /// Whether these stones join the player's two sides.
    #[must_use]
    pub fn connected(&self, player: Player, stones: Stones) -> bool {
        let table = match player {
            Player::Black => &self.connected[0],
            Player::White => &self.connected[1],
        };
        table[usize::from(stones.0 >> 6)] >> (stones.0 & 63) & 1 == 1
    }
}

fn joining_sets(game: &Game, player: Player) -> Vec<u64> {
    let near: Vec<Stones> = game.board().cells().map(|cell| neighbours(game, cell)).collect();
    let on = |side: &dyn Fn(usize, usize) -> bool| {
        game.board()
            .cells()
            .filter(|cell| side(cell.index() / game.columns, cell.index() % game.columns))
            .fold(Stones::NONE, Stones::with)
    };
    let (first, last) = match player {
        Player::Black => (on(&|row, _| row == 0), on(&|row, _| row + 1 == game.rows)),
        Player::White => (on(&|_, column| column == 0), on(&|_, column| column + 1 == game.columns)),
    };
    let mut table = vec![0u64; 1 << game.cells().saturating_sub(6)];
    for set in 0..=game.board().0 {
        let mut reached = Stones(set).common(first);
        loop {
            let grown =
                reached.cells().fold(reached, |all, cell| all.union(near[cell.index()].common(Stones(set))));
            if grown == reached {
                break;
            }
            reached = grown;
        }
        if !reached.common(last).is_empty() {
            table[usize::from(set >> 6)] |= 1 << (set & 63);
        }
    }
    table
}

/// The up to six cells that touch a cell: in rows and columns (-1,0) (-1,1) (0,-1) (0,1) (1,-1) (1,0).
fn neighbours(game: &Game, cell: Cell) -> Stones {
    let place = |cell: Cell| (cell.index() / game.columns, cell.index() % game.columns);
    let (row, column) = place(cell);
    game.board()
        .cells()
        .filter(|&other| {
            let (r, c) = place(other);
            (r == row && c.abs_diff(column) == 1)
                || (r + 1 == row && (c == column || c == column + 1))
                || (r == row + 1 && (c == column || c + 1 == column))
        })
        .fold(Stones::NONE, Stones::with)
}
