//! The board of Honey Islands Battle: winning first moves under each rule, and a perfect line.

use super::draw::{basis, int, line, listed, sha256, source};
use crate::outcome::{Claim, Status};
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::path::Path;

/// Rows above the middle one.
const RADIUS: i64 = 4;
/// Half the width of a cell, its side, and the distance of rows: a regular hexagon to within a thousandth.
const HALF: i64 = 52;
const SIDE: i64 = 60;
const ROW: i64 = 90;
const MARGIN: i64 = 8;

/// A rule of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    Standard,
    RedundantHint,
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Rule::Standard => "standard",
            Rule::RedundantHint => "redundant-hint",
        }
    }
}

/// All cells as axial coordinates (q, r), in the order of their numbers.
fn cells() -> Vec<(i64, i64)> {
    let mut cells = Vec::new();
    for r in -RADIUS..=RADIUS {
        for q in -RADIUS..=RADIUS {
            if (q + r).abs() <= RADIUS {
                cells.push((q, r));
            }
        }
    }
    cells
}

/// For each cell, the lowest cell that a symmetry of the hexagon takes it to.
fn orbits() -> Vec<usize> {
    let cells = cells();
    let number = |cell: (i64, i64)| cells.iter().position(|&c| c == cell).unwrap_or(usize::MAX);
    let lowest = |&(q, r): &(i64, i64)| {
        let mut images = Vec::new();
        for mut image in [(q, r), (r, q)] {
            for _ in 0..6 {
                image = (-image.1, image.0 + image.1);
                images.push(number(image));
            }
        }
        images.into_iter().min().unwrap_or(usize::MAX)
    };
    cells.iter().map(lowest).collect()
}

/// Where the values after one stone come from.
struct FirstMoves<'a> {
    claim: &'a Claim,
    /// Whether they were derived by the checker in this audit; else they are what the claim says.
    derived: bool,
    /// By the lowest cell of its orbit: whether a first stone there wins.
    wins: BTreeMap<usize, bool>,
}

/// The value of a position after one stone, from its mask and `won` or `lost` for the player to move there.
fn after_one(mask: &str, value: &str) -> Option<(usize, bool)> {
    let mask = u64::from_str_radix(mask, 16).ok()?;
    let wins = match value {
        "won" => false,
        "lost" => true,
        _ => return None,
    };
    mask.is_power_of_two().then(|| (usize::try_from(mask.trailing_zeros()).unwrap_or(0), wins))
}

/// The best source of the first moves under a rule: what was derived goes before what is only claimed.
fn first_moves<'a>(claims: &[&'a Claim], rule: Rule, root: &Path) -> Option<FirstMoves<'a>> {
    let mut found: Vec<FirstMoves<'a>> = Vec::new();
    for &claim in claims {
        let (rule_of, wins, derived) = if let Some(check) = basis(claim) {
            // The statement ends in `root won, …, depth1-000000000000abcd lost, …`.
            let parts = check.statement.split(": ").last().unwrap_or_default().split(", ");
            let wins = parts
                .filter_map(|part| part.strip_prefix("depth1-")?.split_once(' '))
                .filter_map(|(mask, value)| after_one(mask, value))
                .collect::<BTreeMap<_, _>>();
            (line(check, "rule").map(str::to_owned), wins, true)
        } else if matches!(claim.status, Status::NotRun(_)) {
            let Ok((entry, bytes)) = listed(claim, root, &claim.folder, "claim.txt") else { continue };
            let text = String::from_utf8_lossy(&bytes);
            if entry.sha256 != sha256(&bytes) {
                continue;
            }
            let wins = text
                .lines()
                .filter_map(|line| line.strip_prefix("depth1 ")?.split_once(' '))
                .filter_map(|(mask, value)| after_one(mask, value))
                .collect();
            (text.lines().find_map(|line| line.strip_prefix("rule ")).map(str::to_owned), wins, false)
        } else {
            continue;
        };
        if rule_of.as_deref() == Some(rule.name()) && !wins.is_empty() {
            found.push(FirstMoves { claim, derived, wins });
        }
    }
    found.sort_by_key(|first| match (&first.claim.status, first.derived) {
        (Status::Verified, _) => 0,
        (_, true) => 1,
        _ => 2,
    });
    found.into_iter().next()
}

/// All of the game's boards.
pub fn boards(claims: &[&Claim], anchor: impl Fn(&Claim) -> String, root: &Path) -> Markup {
    html! {
        div.pair {
            @for rule in [Rule::Standard, Rule::RedundantHint] {
                @let heading = format!("First moves, {} rule", rule.name());
                section.board-group {
                    h4 { (heading) }
                    @if let Some(first) = first_moves(claims, rule, root) {
                        (first_board(&first, &heading, &anchor(first.claim)))
                    } @else {
                        p.caption { "No claim about single first moves under this rule was checked with success." }
                    }
                }
            }
        }
        @for &claim in claims {
            @if let Some(check) = basis(claim) {
                @if let Some(file) = line(check, "line-file") {
                    (perfect_line(claim, &anchor(claim), root, file, line(check, "line-sha256")))
                }
            }
        }
    }
}

fn first_board(first: &FirstMoves<'_>, heading: &str, anchor: &str) -> Markup {
    let orbits = orbits();
    let wins = |cell: usize| orbits.get(cell).and_then(|lowest| first.wins.get(lowest)).copied();
    let count = (0..orbits.len()).filter(|&cell| wins(cell) == Some(true)).count();
    let list = |wanted: Option<bool>| {
        let cells: Vec<String> =
            (0..orbits.len()).filter(|&cell| wins(cell) == wanted).map(|cell| cell.to_string()).collect();
        if cells.is_empty() { "none".to_owned() } else { cells.join(", ") }
    };
    html! {
        p.caption {
            (source(first.claim, anchor)) ". "
            @if !first.derived { strong { "Not checked in this audit: the figure shows only what the claim says. " } }
        }
        figure {
            @let what = format!("{heading}: {count} of {} win", orbits.len());
            (hexagon_board(&what, !first.derived, |cell| match wins(cell) {
                Some(true) => Cell { text: "W".to_owned(), class: "win", title: "a first stone here wins" },
                Some(false) => Cell { text: "L".to_owned(), class: "loss", title: "a first stone here loses" },
                None => Cell { text: "?".to_owned(), class: "", title: "not stated" },
            }))
            figcaption {
                strong { @if !first.derived { "Claimed: " } (count) " of " (orbits.len()) " first moves win" }
                ". W, shaded: the player who places this first stone wins; L: he loses."
            }
            details {
                summary { "Cells in words" }
                p { "Winning: " (list(Some(true))) "." }
                p { "Losing: " (list(Some(false))) "." }
            }
        }
    }
}

struct Cell {
    text: String,
    class: &'static str,
    title: &'static str,
}

fn hexagon_board(what: &str, only_claimed: bool, cell: impl Fn(usize) -> Cell) -> Markup {
    let width = 2 * MARGIN + 2 * HALF * (2 * RADIUS + 1);
    let height = 2 * MARGIN + 2 * SIDE + ROW * 2 * RADIUS;
    html! {
        svg.hex.honey.claimed[only_claimed] role="img" viewBox={ "0 0 " (width) " " (height) } aria-label=(what) {
            @for (number, &(q, r)) in cells().iter().enumerate() {
                @let x = width / 2 + HALF * (2 * q + r);
                @let y = height / 2 + ROW * r;
                @let shown = cell(number);
                g {
                    title { "cell " (number) ": " (shown.title) }
                    polygon class={ "cell " (shown.class) } points=(points(x, y)) {}
                    text.square x=(x) y=(y - 24) { (number) }
                    text.figure x=(x) y=(y + 18) { (shown.text) }
                }
            }
        }
    }
}

fn points(x: i64, y: i64) -> String {
    let half = SIDE / 2;
    let corners = [(0, -SIDE), (HALF, -half), (HALF, half), (0, SIDE), (-HALF, half), (-HALF, -half)];
    corners.map(|(dx, dy)| format!("{},{}", x + dx, y + dy)).join(" ")
}

/// A ply of a line.
struct Ply {
    hint: bool,
    cell: usize,
    left: String,
    remoteness: String,
}

/// Reads the plies of `line.txt`, which the checker has checked.
fn plies(bytes: &[u8]) -> Option<Vec<Ply>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut plies = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        if let [number, kind @ ("stone" | "hint"), cell, left, remoteness] = fields.as_slice() {
            let cell = cell.parse().ok().filter(|&cell: &usize| cell < cells().len())?;
            if *number != (plies.len() + 1).to_string() || plies.len() > cells().len() {
                return None;
            }
            plies.push(Ply {
                hint: *kind == "hint",
                cell,
                left: (*left).to_owned(),
                remoteness: (*remoteness).to_owned(),
            });
        }
    }
    (!plies.is_empty()).then_some(plies)
}

fn perfect_line(claim: &Claim, anchor: &str, root: &Path, file: &str, hash: Option<&str>) -> Markup {
    let read = listed(claim, root, &claim.folder, file)
        .ok()
        .filter(|(_, bytes)| hash == Some(sha256(bytes).as_str()))
        .and_then(|(_, bytes)| plies(&bytes));
    let rule = basis(claim).and_then(|check| line(check, "rule")).unwrap_or_default();
    html! {
        section.board-group {
            h4 { "A perfect line, " (rule) " rule" }
            p.caption { (source(claim, anchor)) "." }
            @if let Some(plies) = read {
                figure.narrow-figure {
                    (hexagon_board("The stones of the line, numbered in order", false, |cell| {
                        match plies.iter().position(|ply| ply.cell == cell) {
                            Some(at) => {
                                let hint = plies.get(at).is_some_and(|ply| ply.hint);
                                let number = int(at) + 1;
                                Cell {
                                    text: if hint { format!("{number}h") } else { number.to_string() },
                                    class: if at % 2 == 0 { "first" } else { "second" },
                                    title: if hint { "redundant hint" } else { "stone" },
                                }
                            }
                            None => Cell { text: String::new(), class: "", title: "empty" },
                        }
                    }))
                    figcaption {
                        strong { (plies.len()) " moves in order" }
                        ". Odd numbers, filled: the first player; even numbers: the second; h: a redundant hint."
                    }
                    details {
                        summary { "The moves as a list" }
                        div.scroll role="region" tabindex="0" aria-label="The moves of the line" {
                            table {
                                thead { tr {
                                    th scope="col" { "move" } th scope="col" { "kind" } th scope="col" { "cell" }
                                    th scope="col" { "solutions left" } th scope="col" { "remoteness" }
                                } }
                                tbody {
                                    @for (at, ply) in plies.iter().enumerate() {
                                        tr {
                                            th scope="row" { (at + 1) }
                                            td { @if ply.hint { "hint" } @else { "stone" } }
                                            td { (ply.cell) } td { (ply.left) } td { (ply.remoteness) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            } @else {
                p { "No picture: the file of the line is not the one that was checked." }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_61_cells_form_nine_orbits_whose_lowest_cells_are_the_masks_of_the_claims() {
        let orbits = orbits();
        let mut lowest = orbits.clone();
        lowest.sort_unstable();
        lowest.dedup();
        assert_eq!(orbits.len(), 61);
        assert_eq!(lowest, [0, 1, 2, 6, 7, 13, 14, 21, 30]);
        let sizes: Vec<usize> = lowest.iter().map(|l| orbits.iter().filter(|o| *o == l).count()).collect();
        assert_eq!(sizes, [6, 12, 6, 6, 12, 6, 6, 6, 1]);
    }

    #[test]
    fn a_position_lost_for_the_player_to_move_is_a_winning_first_move() {
        assert_eq!(after_one("0000000000002000", "lost"), Some((13, true)));
        assert_eq!(after_one("0000000000000001", "won"), Some((0, false)));
        assert_eq!(after_one("0000000000000003", "won"), None);
        assert_eq!(after_one("zz", "won"), None);
    }
}
