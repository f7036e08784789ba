//! Boards of DOSELLO: the openings, the replies, and a game to step through.
//!
//! The rules below only make pictures. The checker has its own, and the last picture is compared with what it printed.

use super::draw::{basis, line, lines, listed, sha256, source};
use crate::outcome::{Claim, Outcome};
use maud::{Markup, html};
use std::path::Path;

const SQUARE: i64 = 60;
const MARGIN: i64 = 34;

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Black,
    White,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Black => "Black",
            Side::White => "White",
        }
    }

    fn other(self) -> Side {
        match self {
            Side::Black => Side::White,
            Side::White => Side::Black,
        }
    }
}

/// A square as column and row from 0.
type Square = (i64, i64);

/// One domino: the left or upper square first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Domino {
    squares: [Square; 2],
    side: Side,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Position {
    dominoes: Vec<Domino>,
}

impl Position {
    fn start() -> Self {
        let domino = |side, first, second| Domino { squares: [first, second], side };
        Position {
            dominoes: vec![
                domino(Side::White, (2, 3), (3, 3)),
                domino(Side::White, (4, 4), (5, 4)),
                domino(Side::Black, (4, 2), (4, 3)),
                domino(Side::Black, (3, 4), (3, 5)),
            ],
        }
    }

    fn domino_at(&self, square: Square) -> Option<usize> {
        self.dominoes.iter().position(|domino| domino.squares.contains(&square))
    }

    fn side_at(&self, square: Square) -> Option<Side> {
        self.domino_at(square).and_then(|at| self.dominoes.get(at)).map(|domino| domino.side)
    }

    fn discs(&self, side: Side) -> usize {
        2 * self.dominoes.iter().filter(|domino| domino.side == side).count()
    }

    /// The position after a placement, and the dominoes that it flips; `None` if it is illegal.
    fn placed(&self, side: Side, squares: [Square; 2]) -> Option<(Position, Vec<usize>)> {
        let [(c1, r1), (c2, r2)] = squares;
        let on_board = |&(c, r): &Square| (0..8).contains(&c) && (0..8).contains(&r);
        let fits = squares.iter().all(|s| on_board(s) && self.domino_at(*s).is_none());
        if !fits || (c1 - c2).abs() + (r1 - r2).abs() != 1 {
            return None;
        }
        let mut flipped = Vec::new();
        for (column, row) in squares {
            for (dc, dr) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
                let mut run = Vec::new();
                let mut at = (column + dc, row + dr);
                while self.side_at(at) == Some(side.other()) {
                    run.extend(self.domino_at(at));
                    at = (at.0 + dc, at.1 + dr);
                }
                if self.side_at(at) == Some(side) {
                    flipped.extend(run);
                }
            }
        }
        flipped.sort_unstable();
        flipped.dedup();
        let mut next = self.clone();
        for &at in &flipped {
            if let Some(domino) = next.dominoes.get_mut(at) {
                domino.side = side;
            }
        }
        next.dominoes.push(Domino { squares, side });
        (!flipped.is_empty()).then_some((next, flipped))
    }
}

/// Reads `f3-f4`.
fn placement(text: &str) -> Option<[Square; 2]> {
    let square = |text: &str| match text.as_bytes() {
        [column @ b'a'..=b'h', row @ b'1'..=b'8'] => Some((i64::from(column - b'a'), i64::from(row - b'1'))),
        _ => None,
    };
    let (first, second) = text.split_once('-')?;
    Some([square(first)?, square(second)?])
}

/// A move of the game with the position after it.
struct Step {
    /// As in the claim, or empty at the start.
    name: String,
    side: Side,
    position: Position,
    /// Dominoes that this move flipped.
    flipped: Vec<usize>,
    placed: bool,
}

/// Plays a line from the start.
fn play(moves: &[&str]) -> Option<Vec<Step>> {
    let start = Position::start();
    let mut steps = vec![Step {
        name: String::new(),
        side: Side::White,
        position: start.clone(),
        flipped: Vec::new(),
        placed: false,
    }];
    let (mut position, mut side) = (start, Side::Black);
    for &name in moves {
        let mut flipped = Vec::new();
        if name != "pass" {
            (position, flipped) = position.placed(side, placement(name)?)?;
        }
        let placed = name != "pass";
        steps.push(Step { name: name.to_owned(), side, position: position.clone(), flipped, placed });
        side = side.other();
    }
    Some(steps)
}

/// `≤ 0`, `≥ 14`, `2`: a proved interval, seen from Black.
fn bound(lower: i32, upper: i32) -> String {
    let signed = |n: i32| if n < 0 { format!("\u{2212}{}", n.unsigned_abs()) } else { n.to_string() };
    match (lower, upper) {
        (-64, 64) => "?".to_owned(),
        _ if lower == upper => signed(lower),
        (-64, _) => format!("\u{2264}{}", signed(upper)),
        (_, 64) => format!("\u{2265}{}", signed(lower)),
        _ => format!("{}\u{2013}{}", signed(lower), signed(upper)),
    }
}

/// An interval that the checker derived for a move.
struct Derived {
    name: String,
    squares: [Square; 2],
    lower: i32,
    upper: i32,
}

/// The lines `derived e6-f6 2 2`.
fn derived(check: &Outcome) -> Vec<Derived> {
    lines(check, "derived")
        .filter_map(|value| {
            let fields: Vec<&str> = value.split(' ').collect();
            let [name, lower, upper] = fields.as_slice() else { return None };
            Some(Derived {
                name: (*name).to_owned(),
                squares: placement(name)?,
                lower: lower.parse().ok()?,
                upper: upper.parse().ok()?,
            })
        })
        .collect()
}

/// All of the game's boards.
pub fn boards(claims: &[&Claim], anchor: impl Fn(&Claim) -> String, root: &Path) -> Markup {
    html! {
        svg width="0" height="0" aria-hidden="true" focusable="false" {
            defs { g id="dosello-grid" { (grid()) } }
        }
        @for &claim in claims {
            @if let Some(check) = basis(claim) {
                @if text_after(claim, check, root, "statement ").as_deref() == Some("value") {
                    p.caption { (source(claim, &anchor(claim))) ". " strong { (check.statement) ". " } (rest(&claim.verdict)) }
                }
            }
        }
        div.pair {
            @for &claim in claims {
                @if let Some(check) = basis(claim) {
                    @match text_after(claim, check, root, "statement ").as_deref() {
                        Some("openings") => (moves_board(claim, check, &anchor(claim), &[])),
                        Some("replies") => {
                            @let opening = text_after(claim, check, root, "opening ").unwrap_or_default();
                            (moves_board(claim, check, &anchor(claim), &[opening.as_str()]))
                        },
                        _ => {},
                    }
                }
            }
        }
        // One replay: its script knows one.
        @let mut lines = claims.iter().filter_map(|&claim| Some((claim, basis(claim)?))).filter(|(claim, check)| {
            text_after(claim, check, root, "statement ").as_deref() == Some("line")
        });
        @if let Some((claim, check)) = lines.next() { (replay(claim, check, &anchor(claim), root)) }
        @for &claim in claims {
            @if basis(claim).is_none() {
                p.caption { (source(claim, &anchor(claim))) ". Nothing is drawn of a claim that was not checked with success." }
            }
        }
    }
}

/// A field of the claim file that the checker read.
fn text_after(claim: &Claim, check: &Outcome, root: &Path, key: &str) -> Option<String> {
    let (_, bytes) = listed(claim, root, &claim.folder, "claim.txt").ok()?;
    if line(check, "claim_sha256") != Some(sha256(&bytes).as_str()) {
        return None;
    }
    let text = String::from_utf8(bytes).ok()?;
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::to_owned)
}

/// The values of all moves in a position: the start, or the one after an opening.
fn moves_board(claim: &Claim, check: &Outcome, anchor: &str, before: &[&str]) -> Markup {
    let derived = derived(check);
    let position = play(before).and_then(|steps| steps.into_iter().next_back()).map(|step| step.position);
    let Some(position) = position.filter(|_| !derived.is_empty()) else {
        return html! { p { (claim.name) ": no picture, since the output could not be read." } };
    };
    let blacks = before.is_empty();
    // Black wants much and White little.
    let best =
        if blacks { derived.iter().map(|d| d.lower).max() } else { derived.iter().map(|d| d.upper).min() };
    let is_best = |d: &Derived| Some(if blacks { d.lower } else { d.upper }) == best;
    let what = match before.first() {
        Some(opening) => format!("White\u{2019}s {} replies to {opening}", derived.len()),
        None => format!("Black\u{2019}s {} openings", derived.len()),
    };
    html! {
        section.board-group {
            h4 { (what) }
            p.caption { (source(claim, anchor)) ". " (rest(&claim.verdict)) }
            figure.narrow-figure {
                (board(&what, &position, &[], None, &html! {
                    @for d in &derived {
                        @let [(x1, y1), (x2, y2)] = d.squares.map(centre);
                        @let best = is_best(d);
                        g {
                            title { (d.name) ": " (bound(d.lower, d.upper)) }
                            line.move.best[best] x1=(x1) y1=(y1) x2=(x2) y2=(y2) {}
                            circle.end.best[best] cx=(x1) cy=(y1) r="5" {}
                            circle.end.best[best] cx=(x2) cy=(y2) r="5" {}
                        }
                    }
                    @for d in &derived {
                        @let [(x1, y1), (x2, y2)] = d.squares.map(centre);
                        @let (x, y) = (i64::midpoint(x1, x2), i64::midpoint(y1, y2));
                        rect.pill.best[is_best(d)] x=(x - 23) y=(y - 12) width="46" height="24" rx="12" {}
                        text.value.best[is_best(d)] x=(x) y=(y + 6) { (bound(d.lower, d.upper)) }
                    }
                }))
                figcaption {
                    strong { (what) } ". A line joins the two squares of a domino; on it stands what the move is worth to "
                    "Black. Filled: the best for " (if blacks { "Black" } else { "White" }) "."
                }
                details {
                    summary { "The same as a table" }
                    div.scroll role="region" tabindex="0" aria-label={ (what) ", table" } {
                        table {
                            thead { tr { th scope="col" { "move" } th scope="col" { "at least" } th scope="col" { "at most" } } }
                            tbody {
                                @for d in &derived {
                                    tr { th scope="row" { (d.name) } td { (d.lower) } td { (d.upper) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What a verdict line leaves open, as a sentence.
pub fn rest(verdict: &str) -> Markup {
    html! {
        @if let Some((_, what)) = verdict.split_once(" assuming ") { "It assumes " (what) "." }
        @else if let Some((_, what)) = verdict.split_once(", not proved: ") { "Not proved: " (what) "." }
    }
}

/// What the checker says of the value after so many moves.
fn value_after(check: &Outcome, moves: usize) -> Option<String> {
    let prefix = format!("after {moves} moves worth ");
    let rest = lines(check, "position").find_map(|value| value.strip_prefix(&prefix))?;
    rest.split(' ').next().map(str::to_owned)
}

/// A game to step through; without scripts, all of its positions.
fn replay(claim: &Claim, check: &Outcome, anchor: &str, root: &Path) -> Markup {
    let moves = text_after(claim, check, root, "moves ").unwrap_or_default();
    let steps = play(&moves.split(' ').collect::<Vec<_>>()).filter(|steps| steps.len() > 1);
    // The checker's own count of the end must be that of the last picture.
    let steps = steps.filter(|steps| {
        steps.last().is_some_and(|last| {
            let (black, white) = (last.position.discs(Side::Black), last.position.discs(Side::White));
            let end = format!("black {black} white {white} empty {}", 64 - (black + white).min(64));
            line(check, "end") == Some(end.as_str())
        })
    });
    let Some(steps) = steps else {
        return html! { p { (claim.name) ": no replay, since the game could not be read as it was checked." } };
    };
    let last = steps.len() - 1;
    html! {
        section.board-group {
            h4 { "A perfect line" }
            p.caption { (source(claim, anchor)) ". " (rest(&claim.verdict)) }
            div.replay id="replay" role="group" aria-label={ "A game of " (last) " moves, step by step" } {
                div.controls hidden {
                    button type="button" data-go="first" { "First" }
                    button type="button" data-go="back" { "Back" }
                    label { span.vh { "Move" } input type="range" min="0" max=(last) value="0" step="1"; }
                    button type="button" data-go="forward" { "Forward" }
                    button type="button" data-go="last" { "Last" }
                    p.keys { "Keys: " kbd { "\u{2190}" } " " kbd { "\u{2192}" } " " kbd { "Home" } " " kbd { "End" } }
                }
                p.vh.announce aria-live="polite" {}
                div.film {
                    @for (number, step) in steps.iter().enumerate() {
                        figure.position id={ "move-" (number) } data-say=(say(check, number, last, step)) {
                            @let placed = step.placed.then(|| step.position.dominoes.len().saturating_sub(1));
                            (board(&say(check, number, last, step), &step.position, &step.flipped, placed, &html! {}))
                            figcaption { (say(check, number, last, step)) }
                        }
                    }
                }
                ol.moves aria-label="Moves" start="0" {
                    @for (number, step) in steps.iter().enumerate() {
                        li { a href={ "#move-" (number) } data-move=(number) {
                            @if number == 0 { "start" } @else { span.number { (number) "." } " " (step.name) }
                        } }
                    }
                }
            }
            p.caption { "Ringed: the domino just placed. Dotted: the discs that it flipped." }
        }
    }
}

/// A position of the game in words.
fn say(check: &Outcome, number: usize, last: usize, step: &Step) -> String {
    let discs = (step.position.discs(Side::Black), step.position.discs(Side::White));
    let moved = if number == 0 {
        "Start".to_owned()
    } else {
        format!("Move {number} of {last}: {} {}", step.side.name(), step.name)
    };
    let value = match value_after(check, number) {
        Some(value) => format!("worth {value} to Black, proved"),
        None => "value not proved by this claim".to_owned(),
    };
    format!("{moved}. Black {}, White {}; {value}.", discs.0, discs.1)
}

fn centre((column, row): Square) -> (i64, i64) {
    (MARGIN + SQUARE * column + SQUARE / 2, MARGIN + SQUARE * row + SQUARE / 2)
}

/// The empty board, drawn once.
fn grid() -> Markup {
    let side = 8 * SQUARE;
    html! {
        rect.field x=(MARGIN) y=(MARGIN) width=(side) height=(side) {}
        @for n in 1..8 {
            line.grid x1=(MARGIN + SQUARE * n) y1=(MARGIN) x2=(MARGIN + SQUARE * n) y2=(MARGIN + side) {}
            line.grid x1=(MARGIN) y1=(MARGIN + SQUARE * n) x2=(MARGIN + side) y2=(MARGIN + SQUARE * n) {}
        }
        @for (n, column) in (0..).zip(["a", "b", "c", "d", "e", "f", "g", "h"]) {
            text.square x=(MARGIN + SQUARE * n + SQUARE / 2) y=(MARGIN - 10) { (column) }
            text.square x=(MARGIN / 2) y=(MARGIN + SQUARE * n + SQUARE / 2 + 7) { (n + 1) }
        }
    }
}

fn board(
    what: &str,
    position: &Position,
    flipped: &[usize],
    placed: Option<usize>,
    above: &Markup,
) -> Markup {
    let side = MARGIN + 8 * SQUARE + 6;
    html! {
        svg.squares role="img" viewBox={ "0 0 " (side) " " (side) } aria-label=(what) {
            use href="#dosello-grid" {}
            @for (at, domino) in position.dominoes.iter().enumerate() {
                @let [(c1, r1), (c2, r2)] = domino.squares;
                @let (x, y) = (MARGIN + SQUARE * c1.min(c2) + 6, MARGIN + SQUARE * r1.min(r2) + 6);
                @let (width, height) = (SQUARE * (1 + (c1 - c2).abs()) - 12, SQUARE * (1 + (r1 - r2).abs()) - 12);
                @let class = if domino.side == Side::Black { "black" } else { "white" };
                rect class=(class) x=(x) y=(y) width=(width) height=(height) rx="22" {}
                @if placed == Some(at) {
                    rect.ring x=(x - 3) y=(y - 3) width=(width + 6) height=(height + 6) rx="25" {}
                }
                @if flipped.contains(&at) {
                    @for (x, y) in domino.squares.map(centre) { circle class={ "dot on-" (class) } cx=(x) cy=(y) r="7" {} }
                }
            }
            (above)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_the_rules_flips_one_domino() {
        let steps = play(&["f3-f4"]).unwrap();
        let last = steps.last().unwrap();
        assert_eq!((last.position.discs(Side::Black), last.position.discs(Side::White)), (8, 2));
        assert_eq!(last.flipped, [1]);
    }

    #[test]
    fn a_placement_that_captures_nothing_is_illegal() {
        assert!(play(&["a1-b1"]).is_none());
        assert!(play(&["e3-e4"]).is_none());
        assert!(play(&["f3-g4"]).is_none());
        assert!(play(&["f3-f9"]).is_none());
    }

    #[test]
    fn there_are_20_openings() {
        let mut count = 0;
        for column in 0..8 {
            for row in 0..8 {
                for other in [(column + 1, row), (column, row + 1)] {
                    count +=
                        usize::from(Position::start().placed(Side::Black, [(column, row), other]).is_some());
                }
            }
        }
        assert_eq!(count, 20);
    }

    #[test]
    fn intervals_read_as_bounds() {
        assert_eq!(bound(2, 2), "2");
        assert_eq!(bound(-64, 0), "\u{2264}0");
        assert_eq!(bound(14, 64), "\u{2265}14");
        assert_eq!(bound(-4, 8), "\u{2212}4\u{2013}8");
        assert_eq!(bound(-64, 64), "?");
    }
}
