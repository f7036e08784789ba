//! Plays strategies against each other on real boards: how much mass Black wins, exactly.
//!
//! This module shares nothing with the search but the strategies as they were read. It keeps one true board, asks each
//! side for its probes at its own history, and looks for a winning chain stone by stone. It confirms that the response
//! which a search returns really wins the mass that the search says, and that what Black's strategy wins against White's
//! lies between the bounds.

use crate::board::{Cell, Game, Player, Rule};
use crate::error::Error;
use crate::strategy::{History, Strategy};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use std::collections::BTreeMap;

/// Black's probability of winning when both sides play these strategies.
///
/// # Errors
/// `Internal` if the strategies are not Black's and White's for one game, a side has no probe left, or mass is lost.
pub fn play(black: &Strategy, white: &Strategy) -> Result<BigRational, Error> {
    if (black.owner, white.owner) != (Player::Black, Player::White) || black.game != white.game {
        return Err(Error::Internal("the referee was given strategies of different games"));
    }
    let game = black.game;
    let mut referee =
        Referee { game, stones: vec![None; game.cells()], won: BigUint::ZERO, lost: BigUint::ZERO };
    let side = |strategy: &'_ Strategy, start| Side {
        history: start,
        plans: strategy.plans.iter().enumerate().map(|(index, plan)| (index, plan.total.clone())).collect(),
    };
    let mut opening = History::EMPTY;
    if let Some(cell) = game.opening {
        opening = opening.then(cell, true);
        referee.put(cell, Some(Player::Black));
    }
    let to_move = if game.opening.is_some() { Player::White } else { Player::Black };
    referee.turn(
        Table { black, white },
        &Seats { black: side(black, opening), white: side(white, History::EMPTY) },
        to_move,
    )?;
    let total = black.total() * white.total();
    if &referee.won + &referee.lost != total {
        return Err(Error::Internal("the referee lost mass"));
    }
    Ok(BigRational::new(BigInt::from(referee.won), BigInt::from(total)))
}

/// Cells with the plans that probe them, each plan with the mass of its probe.
type Probes = BTreeMap<Cell, Vec<(usize, BigUint)>>;

#[derive(Clone, Copy)]
struct Table<'a> {
    black: &'a Strategy,
    white: &'a Strategy,
}

#[derive(Clone)]
struct Seats {
    black: Side,
    white: Side,
}

/// One side's history with the plans that may have led to it, each with its mass.
#[derive(Clone)]
struct Side {
    history: History,
    plans: Vec<(usize, BigUint)>,
}

struct Referee {
    game: Game,
    stones: Vec<Option<Player>>,
    won: BigUint,
    lost: BigUint,
}

impl Referee {
    /// Plays all continuations of the position, `player` to probe. Each probe lengthens a history, so the depth is at
    /// most twice the number of cells.
    fn turn(&mut self, table: Table<'_>, seats: &Seats, player: Player) -> Result<(), Error> {
        let (strategy, side) = match player {
            Player::Black => (table.black, &seats.black),
            Player::White => (table.white, &seats.white),
        };
        for (cell, plans) in self.probes(strategy, side, player)? {
            let success = self.at(cell).is_none();
            let moved = Side { history: side.history.then(cell, success), plans };
            let seats = match player {
                Player::Black => Seats { black: moved, ..seats.clone() },
                Player::White => Seats { white: moved, ..seats.clone() },
            };
            if !success {
                let next = if self.game.rule == Rule::Classic { player } else { player.opponent() };
                self.turn(table, &seats, next)?;
                continue;
            }
            self.put(cell, Some(player));
            if self.has_chain(player) {
                let mass = |side: &Side| side.plans.iter().map(|(_, mass)| mass).sum::<BigUint>();
                let both = mass(&seats.black) * mass(&seats.white);
                match player {
                    Player::Black => self.won += both,
                    Player::White => self.lost += both,
                }
            } else {
                self.turn(table, &seats, player.opponent())?;
            }
            self.put(cell, None);
        }
        Ok(())
    }

    /// The cells that a side probes next, each with the plans that do and the mass of their probes.
    fn probes(&self, strategy: &Strategy, side: &Side, player: Player) -> Result<Probes, Error> {
        let probed = side.history.probes();
        let known = |cell: Cell| {
            probed.iter().any(|probe| probe.cell == cell)
                || (player == Player::White && self.game.opening == Some(cell))
        };
        let mut all = Probes::new();
        for (index, mass) in &side.plans {
            let plan = strategy.plans.get(*index).ok_or(Error::Internal("the referee lost a plan"))?;
            if let Some(probes) = plan.decisions.get(&side.history) {
                for (cell, mass) in probes {
                    all.entry(*cell).or_default().push((*index, mass.clone()));
                }
            } else {
                let next = plan.priority.iter().find(|&&cell| !known(cell));
                let next = next.ok_or(Error::Internal("a full board without a winner"))?;
                all.entry(*next).or_default().push((*index, mass.clone()));
            }
        }
        if all.keys().any(|&cell| known(cell)) {
            return Err(Error::Internal("a strategy makes an illegal probe"));
        }
        Ok(all)
    }

    fn at(&self, cell: Cell) -> Option<Player> {
        self.stones.get(cell.index()).copied().flatten()
    }

    fn put(&mut self, cell: Cell, stone: Option<Player>) {
        if let Some(place) = self.stones.get_mut(cell.index()) {
            *place = stone;
        }
    }

    /// Walks over the player's stones from his first side; true if the walk arrives at the other.
    fn has_chain(&self, player: Player) -> bool {
        let (rows, columns) = (self.game.rows, self.game.columns);
        let holds = |row: usize, column: usize| {
            row < rows && column < columns && self.stones.get(row * columns + column) == Some(&Some(player))
        };
        let mut waiting: Vec<(usize, usize)> = match player {
            Player::Black => (0..columns).map(|column| (0, column)).collect(),
            Player::White => (0..rows).map(|row| (row, 0)).collect(),
        };
        let mut visited = vec![false; rows * columns];
        while let Some((row, column)) = waiting.pop() {
            let Some(seen) = visited.get_mut(row * columns + column) else { continue };
            if *seen || !holds(row, column) {
                continue;
            }
            *seen = true;
            let arrived = match player {
                Player::Black => row == rows - 1,
                Player::White => column == columns - 1,
            };
            if arrived {
                return true;
            }
            let around = [
                (row.checked_sub(1), Some(column)),
                (row.checked_sub(1), Some(column + 1)),
                (Some(row), column.checked_sub(1)),
                (Some(row), Some(column + 1)),
                (Some(row + 1), column.checked_sub(1)),
                (Some(row + 1), Some(column)),
            ];
            waiting.extend(around.into_iter().filter_map(|(row, column)| {
                row.zip(column).filter(|&(row, column)| row < rows && column < columns)
            }));
        }
        false
    }
}
