//! Boards of Dark Hex: how first probes are drawn, and what announced openings are worth.

use super::draw::{basis, int, line, listed, sha256, source};
use super::strategy::{self, FirstProbe, Fraction, Player};
use crate::outcome::{Claim, Outcome};
use maud::{Markup, html};
use std::path::Path;

/// Half the width of a cell; a side is 60 and rows are 90 apart, which is a regular hexagon to within a thousandth.
const HALF: i64 = 52;
const SIDE: i64 = 60;
const ROW: i64 = 90;
/// Space around the board, for the names of the sides.
const MARGIN: i64 = 44;

/// What is written in a cell.
struct Label {
    /// Below the square's name.
    text: String,
    /// For the tooltip and the table.
    exact: String,
    /// How dark the cell is, of 100.
    shade: u32,
    /// Whether the cell takes no part, as the announced stone.
    stone: bool,
}

/// The boards of one claim, or why there are none.
pub fn boards(claim: &Claim, anchor: &str, root: &Path) -> Markup {
    let Some(check) = basis(claim) else {
        return html! {
            section.board-group {
                h4 { (claim.name) }
                p.caption { (source(claim, anchor)) ". Nothing is drawn of a claim that was not checked with success." }
            }
        };
    };
    let is_set = line(check, "set_sha256").is_some();
    html! {
        section.board-group {
            h4 { (title(check)) }
            p.caption { (source(claim, anchor)) ". " (value_words(check, claim)) }
            @if is_set { (openings(claim, check, root)) } @else { (pair(claim, check, root, "")) }
        }
    }
}

/// The game in a few words.
fn title(check: &Outcome) -> String {
    let statement = check.statement.split(':').next().unwrap_or_default();
    statement.to_owned()
}

fn value_words(check: &Outcome, claim: &Claim) -> Markup {
    let bounds = (line(check, "lower_bound"), line(check, "upper_bound"));
    let (Some(lower), Some(upper)) = bounds else { return html! { (claim.verdict) } };
    let decimal = |text: &str| Fraction::parse(text).map(|f| f.decimal());
    html! {
        "Black\u{2019}s probability of winning: "
        @if lower == upper {
            span.exact { (lower) }
            @if let Some(decimal) = decimal(lower).filter(|d| d.as_str() != lower) { " \u{2248} " (decimal) }
        } @else {
            "from " span.exact { (lower) } " to " span.exact { (upper) }
        }
        "."
    }
}

/// Rows and columns from `4 rows 3 columns`.
fn size(text: &str) -> Option<(usize, usize)> {
    let fields: Vec<&str> = text.split(' ').collect();
    let [rows, "rows", columns, "columns"] = fields.as_slice() else { return None };
    let side = |text: &str| text.parse().ok().filter(|n| (1..=16).contains(n));
    Some((side(rows)?, side(columns)?))
}

/// Black's and White's first probes.
fn pair(claim: &Claim, check: &Outcome, root: &Path, member: &str) -> Markup {
    html! {
        div.pair {
            @for owner in [Player::Black, Player::White] {
                (match first_probe(claim, check, root, member, owner) {
                    Ok(probe) => probes(&probe),
                    Err(why) => html! {
                        figure { figcaption { strong { (name(owner)) } ". " (why) } }
                    },
                })
            }
        }
    }
}

fn name(owner: Player) -> &'static str {
    match owner {
        Player::Black => "Black",
        Player::White => "White",
    }
}

/// Reads the strategy whose hash the checker printed.
fn first_probe(
    claim: &Claim,
    check: &Outcome,
    root: &Path,
    member: &str,
    owner: Player,
) -> Result<FirstProbe, String> {
    let (key, folder) = if member.is_empty() {
        (String::new(), claim.folder.clone())
    } else {
        (format!("{member}."), format!("{}/{member}", claim.folder))
    };
    let side = if owner == Player::Black { "black" } else { "white" };
    let field = |name: &str| line(check, &format!("{key}{name}"));
    let file = field(&format!("{side}_file")).ok_or("The checker named no file.")?;
    if file == "none" {
        let bound = if owner == Player::Black {
            "lower bound is the trivial 0"
        } else {
            "upper bound is the trivial 1"
        };
        return Err(format!("No strategy is needed: the {bound}."));
    }
    let shown = |why: String| format!("No picture of its strategy: {why}.");
    let (_, packed) = listed(claim, root, &folder, file).map_err(shown)?;
    let bytes = strategy::unpacked(file, &packed).map_err(shown)?;
    if field(&format!("{side}_sha256")) != Some(sha256(&bytes).as_str()) {
        return Err(shown("the file is not the one that was checked".to_owned()));
    }
    let probe = strategy::first_probe(&bytes).map_err(shown)?;
    if probe.owner != owner || field("board").and_then(size) != Some((probe.rows, probe.columns)) {
        return Err(shown("the file is of another board or player".to_owned()));
    }
    Ok(if field("rotate") == Some("yes") { probe.turned() } else { probe })
}

/// One player's first probe.
fn probes(probe: &FirstProbe) -> Markup {
    let cells = probe.rows * probe.columns;
    let exact: Vec<Fraction> = (0..cells).map(|cell| probe.exact(cell)).collect();
    let most = exact.iter().max().cloned().unwrap_or_else(|| Fraction::new(0u8.into(), 1u8.into()));
    let labels = exact
        .iter()
        .enumerate()
        .map(|(cell, value)| Label {
            text: value.decimal(),
            exact: value.to_string(),
            shade: value.share_of(&most, 100),
            stone: probe.opening == Some(cell),
        })
        .collect::<Vec<_>>();
    let owner = name(probe.owner);
    let what = format!("{owner}\u{2019}s first probe");
    html! {
        figure {
            (board(&what, probe.rows, probe.columns, &labels))
            figcaption { strong { (what) } ". Probability by square; the stronger the shade, the likelier." }
            (table(&what, "probability", probe.columns, &labels))
        }
    }
}

/// The values of announced openings, and the first probes after each.
fn openings(claim: &Claim, check: &Outcome, root: &Path) -> Markup {
    let members: Vec<&str> =
        check.lines.iter().filter_map(|line| line.key.strip_suffix(".opening")).collect();
    let Some((rows, columns)) =
        members.first().and_then(|m| line(check, &format!("{m}.board"))).and_then(size)
    else {
        return html! { p { "The checker\u{2019}s output names no members." } };
    };
    let mut labels: Vec<Label> = (0..rows * columns)
        .map(|_| Label { text: "?".to_owned(), exact: "not stated".to_owned(), shade: 0, stone: false })
        .collect();
    let one = Fraction::new(1u8.into(), 1u8.into());
    let mut lower = Vec::new();
    for member in &members {
        let field = |name: &str| line(check, &format!("{member}.{name}"));
        let cell = field("opening").and_then(|square| strategy::cell(square, rows, columns));
        let bounds = [field("lower_bound"), field("upper_bound")].map(|b| b.and_then(Fraction::parse));
        if let (Some(label), [Some(low), Some(high)]) = (cell.and_then(|c| labels.get_mut(c)), bounds) {
            label.shade = low.share_of(&one, 100);
            (label.text, label.exact) = if low == high {
                (low.decimal(), low.to_string())
            } else {
                (format!("{}\u{2013}{}", low.decimal(), high.decimal()), format!("from {low} to {high}"))
            };
            lower.push((low, *member));
        }
    }
    let best = lower.iter().map(|(low, _)| low).max();
    let best: Vec<&str> = lower.iter().filter(|(low, _)| Some(low) == best).map(|(_, m)| *m).collect();
    let what = "Value of each announced opening";
    html! {
        figure {
            (board(what, rows, columns, &labels))
            figcaption {
                strong { (what) } ". Black\u{2019}s probability of winning after that first stone, by square. Best: "
                (best.join(", ")) "."
            }
            (table(what, "value", columns, &labels))
        }
        details {
            summary { "First probes after each announced stone" }
            p.caption {
                "Black\u{2019}s is the first probe after the stone. An opening that is another one turned by 180 degrees "
                "has its strategies turned and is left out."
            }
            @for member in &members {
                @if line(check, &format!("{member}.rotate")) == Some("no") {
                    h5 { "After " (member) }
                    (pair(claim, check, root, member))
                }
            }
        }
    }
}

/// The board as a picture.
fn board(what: &str, rows: usize, columns: usize, labels: &[Label]) -> Markup {
    let (last_row, last_column) = (int(rows) - 1, int(columns) - 1);
    let x = |row: i64, column: i64| MARGIN + HALF * (2 * column + row + 1);
    let y = |row: i64| MARGIN + SIDE + ROW * row;
    let width = 2 * MARGIN + HALF * (2 * last_column + last_row + 2);
    let height = 2 * MARGIN + 2 * SIDE + ROW * last_row;
    let half = SIDE / 2;
    // The outline, side by side; the two corners with three free sides are cut in the middle of the third.
    let mut top = vec![(x(0, 0) - HALF, y(0) - half)];
    let mut bottom = vec![(x(last_row, 0) - HALF / 2, y(last_row) + half + half / 2)];
    for column in 0..=last_column {
        top.push((x(0, column), y(0) - SIDE));
        top.push((x(0, column) + HALF, y(0) - half));
        bottom.push((x(last_row, column), y(last_row) + SIDE));
        bottom.push((x(last_row, column) + HALF, y(last_row) + half));
    }
    top.pop();
    top.push((x(0, last_column) + HALF / 2, y(0) - half - half / 2));
    let mut left = vec![(x(0, 0) - HALF, y(0) - half)];
    let mut right = vec![(x(0, last_column) + HALF / 2, y(0) - half - half / 2)];
    for row in 0..=last_row {
        left.push((x(row, 0) - HALF, y(row) + half));
        left.push((x(row, 0), y(row) + SIDE));
        right.push((x(row, last_column) + HALF, y(row) - half));
        right.push((x(row, last_column) + HALF, y(row) + half));
    }
    left.pop();
    left.push((x(last_row, 0) - HALF / 2, y(last_row) + half + half / 2));
    let points =
        |line: &[(i64, i64)]| line.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ");
    html! {
        svg.hex role="img" viewBox={ "0 0 " (width) " " (height) } aria-label={ (what) "; the table below has all figures" } {
            @for (cell, label) in labels.iter().enumerate() {
                @let (row, column) = (int(cell / columns), int(cell % columns));
                @let (x, y) = (x(row, column), y(row));
                g {
                    title { (strategy::square(cell, columns)) ": " @if label.stone { "announced stone" } @else { (label.exact) } }
                    polygon.cell points=(hexagon(x, y)) {}
                    @if label.shade > 0 {
                        polygon.shade points=(hexagon(x, y)) fill-opacity=(percent(label.shade)) {}
                    }
                    @if label.stone { circle.black cx=(x) cy=(y + 10) r="26" {} }
                    text.square x=(x) y=(y - 26) { (strategy::square(cell, columns)) }
                    @if !label.stone {
                        @let zero = label.text == "0";
                        @if let Some((low, high)) = label.text.split_once('\u{2013}') {
                            text.figure.narrow x=(x) y=(y + 8) { (low) "\u{2013}" }
                            text.figure.narrow x=(x) y=(y + 34) { (high) }
                        } @else {
                            text.figure.zero[zero] x=(x) y=(y + 16) { (label.text) }
                        }
                    }
                }
            }
            @for (class, edges) in [("edge-black", [&top, &bottom]), ("edge-white", [&left, &right])] {
                @for edge in edges {
                    polyline.edge points=(points(edge)) {}
                    polyline class=(class) points=(points(edge)) {}
                }
            }
            // The board leans, so there is room beside its first and its last row.
            text.side x=(HALF * (int(columns)) + MARGIN) y="26" { "Black" }
            text.side x=(width - MARGIN - HALF * int(columns)) y=(height - 8) { "Black" }
            text.side.at-end x=(x(last_row, 0) - HALF - 16) y=(y(last_row) + 8) { "White" }
            text.side.at-start x=(x(0, last_column) + HALF + 16) y=(y(0) + 8) { "White" }
        }
    }
}

fn hexagon(x: i64, y: i64) -> String {
    let half = SIDE / 2;
    format!(
        "{x},{} {},{} {},{} {x},{} {},{} {},{}",
        y - SIDE,
        x + HALF,
        y - half,
        x + HALF,
        y + half,
        y + SIDE,
        x - HALF,
        y + half,
        x - HALF,
        y - half
    )
}

/// `0.07` of 7.
fn percent(shade: u32) -> String {
    format!("{}.{:02}", shade / 100, shade % 100)
}

/// The same figures as a table.
fn table(what: &str, head: &str, columns: usize, labels: &[Label]) -> Markup {
    html! {
        details {
            summary { "Exact figures" }
            div.scroll role="region" tabindex="0" aria-label={ (what) ", exact figures" } {
                table {
                    thead { tr { th scope="col" { "square" } th scope="col" { "decimal" } th scope="col" { (head) ", exact" } } }
                    tbody {
                        @for (cell, label) in labels.iter().enumerate() {
                            tr {
                                th scope="row" { (strategy::square(cell, columns)) }
                                @if label.stone { td { "\u{2013}" } td { "announced stone" } }
                                @else { td { (label.text) } td.exact { (label.exact) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
