//! What several test files share: a second version of the rules that follows their wording, random games, plain
//! negamax.

#![allow(dead_code, missing_docs, reason = "each test file uses a part")]

use rand::Rng;
use std::collections::{BTreeMap, HashMap};
use verify_dosello::rules::{Move, Placement, Position, Side};

/// A disc and the square of its partner, for each square.
pub type Board = BTreeMap<(i8, i8), (Side, (i8, i8))>;

fn square(number: u32) -> (i8, i8) {
    (i8::try_from(number / 8).unwrap(), i8::try_from(number % 8).unwrap())
}

fn bit((row, column): (i8, i8)) -> u64 {
    1 << (8 * row + column)
}

pub fn board_of(position: &Position) -> Board {
    let mut board = Board::new();
    for number in 0..64 {
        let colour = match (position.black >> number & 1, position.white >> number & 1) {
            (1, 0) => Side::Black,
            (0, 1) => Side::White,
            (0, 0) => continue,
            _ => panic!("two discs on one square"),
        };
        let (row, column) = square(number);
        let here = 1 << number;
        let partner = if position.left & here != 0 {
            (row, column + 1)
        } else if position.top & here != 0 {
            (row + 1, column)
        } else if number >= 1 && position.left & (here >> 1) != 0 {
            (row, column - 1)
        } else if number >= 8 && position.top & (here >> 8) != 0 {
            (row - 1, column)
        } else {
            panic!("a disc without a partner")
        };
        board.insert((row, column), (colour, partner));
    }
    board
}

pub fn position_of(board: &Board, turn: Side) -> Position {
    let mut position = Position { black: 0, white: 0, left: 0, top: 0, turn };
    for (&at, &(colour, partner)) in board {
        match colour {
            Side::Black => position.black |= bit(at),
            Side::White => position.white |= bit(at),
        }
        if partner == (at.0, at.1 + 1) {
            position.left |= bit(at);
        }
        if partner == (at.0 + 1, at.1) {
            position.top |= bit(at);
        }
    }
    position
}

/// "Opposing discs are captured along the eight directions from both squares": squares captured from one square.
fn captured_from(board: &Board, from: (i8, i8), mover: Side) -> Vec<(i8, i8)> {
    let mut captured = Vec::new();
    for rows in -1..=1 {
        for columns in -1..=1 {
            if (rows, columns) == (0, 0) {
                continue;
            }
            let mut at = (from.0 + rows, from.1 + columns);
            let mut run = Vec::new();
            while board.get(&at).is_some_and(|&(colour, _)| colour != mover) {
                run.push(at);
                at = (at.0 + rows, at.1 + columns);
            }
            if board.get(&at).is_some_and(|&(colour, _)| colour == mover) {
                captured.extend(run);
            }
        }
    }
    captured
}

/// All legal placements by the wording of the rules, with the boards after them.
pub fn moves_by_the_wording(board: &Board, side: Side) -> Vec<(String, Board)> {
    let mut moves = Vec::new();
    for row in 0..8i8 {
        for column in 0..8i8 {
            for other in [(row, column + 1), (row + 1, column)] {
                let first = (row, column);
                if other.0 > 7 || other.1 > 7 || board.contains_key(&first) || board.contains_key(&other) {
                    continue;
                }
                let mut after = board.clone();
                after.insert(first, (side, other));
                after.insert(other, (side, first));
                let mut direct = captured_from(&after, first, side);
                direct.extend(captured_from(&after, other, side));
                if direct.is_empty() {
                    continue;
                }
                // "Then the domino partner of every directly captured disc flips too, without cascading."
                for at in direct {
                    let partner = after[&at].1;
                    after.get_mut(&at).unwrap().0 = side;
                    after.get_mut(&partner).unwrap().0 = side;
                }
                let name = |(row, column): (i8, i8)| {
                    format!("{}{}", char::from(b'a' + u8::try_from(column).unwrap()), row + 1)
                };
                moves.push((format!("{}-{}", name(first), name(other)), after));
            }
        }
    }
    moves
}

/// All positions of a game with moves drawn uniformly.
pub fn random_game(random: &mut impl Rng) -> Vec<Position> {
    let mut positions = vec![Position::initial()];
    loop {
        let moves = positions.last().unwrap().moves();
        if moves.is_empty() {
            return positions;
        }
        positions.push(moves[random.random_range(0..moves.len())].1);
    }
}

/// Plain negamax over the rules of the crate: no table, no window, no order.
pub fn plain_value(position: &Position) -> i32 {
    let moves = position.moves();
    if moves.is_empty() {
        return position.difference();
    }
    moves.iter().map(|(_, next)| -plain_value(next)).max().unwrap()
}

/// The same with a window, for positions with more empty squares.
pub fn alpha_beta(position: &Position, mut alpha: i32, beta: i32) -> i32 {
    let moves = position.moves();
    if moves.is_empty() {
        return position.difference();
    }
    let mut best = -65;
    for (_, next) in moves {
        best = best.max(-alpha_beta(&next, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Plain negamax with a plain table of exact values, for positions with still more empty squares.
pub fn tabled_value(position: &Position, known: &mut HashMap<Position, i32>) -> i32 {
    if let Some(&value) = known.get(position) {
        return value;
    }
    let moves = position.moves();
    let best = moves.iter().map(|(_, next)| -tabled_value(next, known)).max();
    let value = best.unwrap_or_else(|| position.difference());
    known.insert(*position, value);
    value
}

pub fn after(line: &str) -> Position {
    line.split(' ').fold(Position::initial(), |position, step| {
        position.play(Move::parse(step).unwrap()).unwrap_or_else(|| panic!("{step} is illegal"))
    })
}

pub fn placement(text: &str) -> Placement {
    Placement::parse(text).unwrap()
}
