//! The rules as a prover needs them: boards of at most 16 cells, who is joined, and which records can come about.

/// A cell, `row * columns + column`.
pub type Cell = usize;
/// A set of cells, one bit a cell.
pub type Stones = u32;

/// Most cells of a board.
pub const MAX_CELLS: usize = 16;

/// What happens to the turn after a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The player probes again.
    Classic,
    /// The turn is lost.
    Abrupt,
}

/// A player. Black joins top and bottom and begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// Joins the top row and the bottom row.
    Black,
    /// Joins the left column and the right column.
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

/// A game as files name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// The rule of collisions.
    pub rule: Rule,
    /// Rows of the board.
    pub rows: usize,
    /// Columns of the board.
    pub columns: usize,
    /// Black's announced first stone.
    pub opening: Option<Cell>,
}

/// What one player owns and what he knows to be occupied: all on which his further possibilities depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Known {
    /// His stones.
    pub own: Stones,
    /// The opponent's stones that he knows.
    pub found: Stones,
}

impl Known {
    /// Owned or known to be occupied.
    #[must_use]
    pub fn closed(self) -> Stones {
        self.own | self.found
    }

    /// After one more probe.
    #[must_use]
    pub fn then(self, cell: Cell, success: bool) -> Known {
        let stone = 1 << cell;
        if success {
            Known { own: self.own | stone, ..self }
        } else {
            Known { found: self.found | stone, ..self }
        }
    }
}

impl Game {
    /// The number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// All cells.
    #[must_use]
    pub fn full(&self) -> Stones {
        (1 << self.cells()) - 1
    }

    /// The cell seen after half a turn of the board.
    #[must_use]
    pub fn rotated(&self, cell: Cell) -> Cell {
        self.cells() - 1 - cell
    }

    /// The square's name: column letter, then row number from the top.
    #[must_use]
    pub fn square(&self, cell: Cell) -> String {
        let letter = "abcdefghijklmnop".chars().nth(cell % self.columns).unwrap_or('?');
        format!("{letter}{}", cell / self.columns + 1)
    }

    /// The cell of a square's name.
    #[must_use]
    pub fn cell(&self, square: &str) -> Option<Cell> {
        (0..self.cells()).find(|&cell| self.square(cell) == square)
    }

    /// What a player knows before his first own choice.
    #[must_use]
    pub fn start(&self, owner: Player) -> Known {
        let opening = self.opening.map_or(0, |cell| 1 << cell);
        match owner {
            Player::Black => Known { own: opening, found: 0 },
            Player::White => Known { own: 0, found: opening },
        }
    }

    /// The cells next to each cell.
    #[must_use]
    pub fn neighbours(&self) -> Vec<Stones> {
        let offsets = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)];
        let shifted = |at: usize, by: isize, end: usize| at.checked_add_signed(by).filter(|&at| at < end);
        (0..self.cells())
            .map(|cell| {
                offsets
                    .iter()
                    .filter_map(|&(down, right)| {
                        let row = shifted(cell / self.columns, down, self.rows)?;
                        let column = shifted(cell % self.columns, right, self.columns)?;
                        Some(1 << (row * self.columns + column))
                    })
                    .sum()
            })
            .collect()
    }

    /// The player's two sides.
    #[must_use]
    pub fn sides(&self, player: Player) -> [Stones; 2] {
        let set =
            |wanted: &dyn Fn(Cell) -> bool| (0..self.cells()).filter(|&c| wanted(c)).map(|c| 1 << c).sum();
        match player {
            Player::Black => [set(&|c| c < self.columns), set(&|c| c + self.columns >= self.cells())],
            Player::White => {
                [set(&|c| c % self.columns == 0), set(&|c| c % self.columns == self.columns - 1)]
            }
        }
    }
}

/// The cells of a set in increasing order.
pub fn cells(stones: Stones) -> impl Iterator<Item = Cell> {
    (0..MAX_CELLS).filter(move |cell| stones >> cell & 1 == 1)
}

/// A game with its tables.
pub struct Board {
    /// The game.
    pub game: Game,
    /// The neighbours of each cell.
    pub neighbours: Vec<Stones>,
    joined: [Vec<bool>; 2],
}

impl Board {
    /// Fills the tables.
    #[must_use]
    pub fn new(game: Game) -> Board {
        let neighbours = game.neighbours();
        let joined = [Player::Black, Player::White].map(|player| {
            let [near, far] = game.sides(player);
            (0..=game.full()).map(|stones| flood(&neighbours, near & stones, stones) & far != 0).collect()
        });
        Board { game, neighbours, joined }
    }

    /// Whether the stones join the player's sides.
    #[must_use]
    pub fn joins(&self, player: Player, stones: Stones) -> bool {
        self.joined[usize::from(player == Player::White)][stones as usize]
    }

    /// Whether some opponent can bring it about that the owner knows this and is to probe, given that he could be
    /// brought to the record one probe shorter, and whether that last probe failed.
    #[must_use]
    pub fn can_follow(&self, owner: Player, known: Known, collision: bool) -> bool {
        let opponent = owner.opponent();
        let opening = usize::from(self.game.opening.is_some());
        let own = known.own.count_ones() as usize;
        let found = known.found.count_ones() as usize;
        let first = usize::from(owner == Player::White);
        let turns = match self.game.rule {
            Rule::Classic => own + first,
            Rule::Abrupt => own + found + first - first * opening,
        };
        // At a collision in Abrupt the opponent has not had the turn that follows it.
        let turns_before = match self.game.rule {
            Rule::Abrupt if collision => turns - 1,
            _ => turns,
        };
        if self.joins(owner, known.own) || (collision && found > turns_before) {
            return false;
        }
        let stones = match self.game.rule {
            Rule::Classic => turns,
            // He may waste a turn on each of the owner's stones that he does not know from the start.
            Rule::Abrupt => {
                let wasted = own - if owner == Player::Black { opening } else { 0 };
                found.max(turns.saturating_sub(wasted))
            }
        };
        stones >= found
            && self.room(opponent, known.found, self.game.full() & !known.closed(), stones - found)
    }

    /// Whether so many open cells can be added to the stones without joining the player's sides.
    fn room(&self, player: Player, stones: Stones, open: Stones, more: usize) -> bool {
        if self.joins(player, stones) || (open.count_ones() as usize) < more {
            return false;
        }
        more == 0
            || cells(open).any(|cell| {
                let above = open & !((2 << cell) - 1);
                self.room(player, stones | 1 << cell, above, more - 1)
            })
    }
}

/// All cells of `within` joined to `from`.
#[must_use]
pub fn flood(neighbours: &[Stones], from: Stones, within: Stones) -> Stones {
    let mut reached = from;
    loop {
        let grown = cells(reached).fold(reached, |grown, cell| grown | neighbours[cell] & within);
        if grown == reached {
            return reached;
        }
        reached = grown;
    }
}
