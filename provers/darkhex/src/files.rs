//! Writing and reading the two formats of strategy files, `.mix` and `.realization`, packed or not.
//!
//! The grammar is the checker's (`verify-darkhex/FORMAT.md`). Reading takes what the checker takes and much that it
//! does not: whether a file is right is for the checker to say.

use crate::game::{Game, MAX_CELLS, Player, Rule};
use crate::plan::{Fallback, Plan, Strategy, number, then};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Most cells of a `.mix` board.
pub const MIX_CELLS: usize = 15;
const MIX_BITS: u32 = 5;
const REALIZATION_BITS: u32 = 6;

/// Whether the name is that of a mixture, or that of a realization.
///
/// # Errors
/// A name with another ending.
pub fn is_mixture(path: &Path) -> Result<bool, String> {
    let name = path.to_string_lossy();
    let unpacked = name.strip_suffix(".xz").unwrap_or(&name);
    match unpacked.rsplit_once('.') {
        Some((_, "mix")) => Ok(true),
        Some((_, "realization")) => Ok(false),
        _ => Err(format!("{name} ends neither in .mix nor in .realization (with .xz or without)")),
    }
}

/// Writes the strategy in the format that the name says. Every plan needs an order as its fallback.
///
/// # Errors
/// A board that the format cannot name, a plan without an order, a mixed plan in a `.mix`, or the file cannot be
/// written.
pub fn write(path: &Path, strategy: &Strategy) -> Result<(), String> {
    let text = if is_mixture(path)? { mixture(strategy)? } else { realization(strategy)? };
    let bytes = if path.extension().is_some_and(|ending| ending == "xz") {
        pack(text.as_bytes()).map_err(|error| format!("packing: {error}"))?
    } else {
        text.into_bytes()
    };
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// One stream of one block with CRC64, at the strongest setting.
fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packer = liblzma::write::XzEncoder::new(Vec::new(), 9);
    packer.write_all(bytes)?;
    packer.finish()
}

fn mode(game: &Game) -> &'static str {
    match game.rule {
        Rule::Classic => "STANDARD",
        Rule::Abrupt => "ABRUPT",
    }
}

fn owner(player: Player) -> &'static str {
    match player {
        Player::Black => "BLACK",
        Player::White => "WHITE",
    }
}

fn priority(plan: &Plan) -> Result<String, String> {
    match &plan.fallback {
        Fallback::Priority(order) => {
            Ok(order.iter().fold("PRIORITY".to_string(), |line, cell| format!("{line} {cell}")))
        }
        Fallback::ShortestPath => Err("a plan has no order of probes".into()),
    }
}

fn mixture(strategy: &Strategy) -> Result<String, String> {
    let game = &strategy.game;
    if game.cells() > MIX_CELLS {
        return Err(format!("a .mix board has at most {MIX_CELLS} cells"));
    }
    let kind = if game.opening.is_some() { "DARKHEX_OPENING_MIXTURE" } else { "DARKHEX_MIXTURE" };
    let mut lines = vec![
        kind.to_string(),
        format!("ROWS {}", game.rows),
        format!("COLUMNS {}", game.columns),
        format!("MODE {}", mode(game)),
    ];
    lines.extend(game.opening.map(|cell| format!("OPENING {}", game.square(cell))));
    lines.push(format!("OWNER {}", owner(strategy.owner)));
    lines.push(format!("POLICIES {}", strategy.plans.len()));
    for plan in &strategy.plans {
        lines.push(format!("POLICY {}", plan.total));
        lines.push(priority(plan)?);
        lines.push(format!("DECISIONS {}", plan.listed.len()));
        for (&history, shares) in &plan.listed {
            let [(cell, _)] = shares.as_slice() else { return Err("a policy with several probes".into()) };
            lines.push(format!("{} {cell}", number(history, MIX_BITS)));
        }
        lines.push("END".into());
    }
    lines.push("DONE".into());
    Ok(lines.join("\n") + "\n")
}

fn realization(strategy: &Strategy) -> Result<String, String> {
    let game = &strategy.game;
    let opening = game.opening.map_or("none".into(), |cell| game.square(cell));
    let mut text = format!(
        "DARKHEX_REALIZATION\nROWS {}\nCOLUMNS {}\nMODE {}\nOPENING {opening}\nOWNER {}\nPLANS {}\n",
        game.rows,
        game.columns,
        mode(game),
        owner(strategy.owner),
        strategy.plans.len()
    );
    let mut add = |line: String| writeln!(text, "{line}").map_err(|error| error.to_string());
    for plan in &strategy.plans {
        add("PLAN".into())?;
        add(priority(plan)?)?;
        add(format!("TOTAL {}", plan.total))?;
        add(format!("HISTORIES {}", plan.listed.len()))?;
        for (&history, shares) in &plan.listed {
            add(format!("HISTORY {} {}", number(history, REALIZATION_BITS), shares.len()))?;
            for (cell, mass) in shares {
                add(format!("{cell} {mass}"))?;
            }
        }
        add("END".into())?;
    }
    add("DONE".into())?;
    Ok(text)
}

/// Reads a strategy file of either format, after its name.
///
/// # Errors
/// What is wrong, in words.
pub fn read(path: &Path) -> Result<Strategy, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut bytes = std::fs::read(path).map_err(|error| at(&error))?;
    if path.extension().is_some_and(|ending| ending == "xz") {
        let mut unpacked = Vec::new();
        let packed = liblzma::read::XzDecoder::new(bytes.as_slice());
        packed.take(64 << 20).read_to_end(&mut unpacked).map_err(|error| at(&error))?;
        bytes = unpacked;
    }
    let text = String::from_utf8(bytes).map_err(|error| at(&error))?;
    let mut lines = Lines { lines: text.lines() };
    let strategy = if is_mixture(path)? { read_mixture(&mut lines) } else { read_realization(&mut lines) };
    strategy.map_err(|error| at(&error))
}

struct Lines<'a> {
    lines: std::str::Lines<'a>,
}

impl<'a> Lines<'a> {
    fn line(&mut self) -> Result<&'a str, String> {
        self.lines.next().ok_or_else(|| "unexpected end".into())
    }

    fn after(&mut self, key: &str) -> Result<&'a str, String> {
        let line = self.line()?;
        let rest = line
            .strip_prefix(key)
            .and_then(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') });
        rest.ok_or_else(|| format!("expected {key}, found {line}"))
    }

    fn count(&mut self, key: &str) -> Result<usize, String> {
        parsed(self.after(key)?)
    }

    fn pair<T: std::str::FromStr, U: std::str::FromStr>(&mut self, key: &str) -> Result<(T, U), String> {
        let line = if key.is_empty() { self.line()? } else { self.after(key)? };
        let (first, second) =
            line.split_once(' ').ok_or_else(|| format!("expected two tokens, found {line}"))?;
        Ok((parsed(first)?, parsed(second)?))
    }

    fn mode(&mut self) -> Result<Rule, String> {
        match self.after("MODE")? {
            "STANDARD" | "PUBLIC" => Ok(Rule::Classic),
            "ABRUPT" => Ok(Rule::Abrupt),
            other => Err(format!("unknown mode {other}")),
        }
    }

    fn opening(&mut self, game: Game) -> Result<Game, String> {
        let square = self.after("OPENING")?;
        let opening = game.cell(square);
        if opening.is_none() && square != "none" {
            return Err(format!("unknown square {square}"));
        }
        Ok(Game { opening, ..game })
    }

    fn owner(&mut self) -> Result<Player, String> {
        match self.after("OWNER")? {
            "BLACK" => Ok(Player::Black),
            "WHITE" => Ok(Player::White),
            other => Err(format!("unknown owner {other}")),
        }
    }

    fn priority(&mut self) -> Result<Fallback, String> {
        let line = self.after("PRIORITY")?;
        Ok(Fallback::Priority(line.split(' ').map(parsed).collect::<Result<_, _>>()?))
    }
}

fn parsed<T: std::str::FromStr>(token: &str) -> Result<T, String> {
    token.parse().map_err(|_| format!("unexpected {token}"))
}

fn game(rule: Rule, rows: usize, columns: usize) -> Result<Game, String> {
    if rows == 0 || columns == 0 || rows.saturating_mul(columns) > MAX_CELLS {
        return Err(format!("a board has 1 to {MAX_CELLS} cells"));
    }
    Ok(Game { rule, rows, columns, opening: None })
}

/// The record that a number with so many bits a probe stands for.
fn history(number: u128, bits: u32, game: &Game) -> Result<u128, String> {
    let mut codes = Vec::new();
    let mut rest = number;
    while rest != 0 {
        codes.push(usize::try_from(rest & ((1 << bits) - 1)).map_err(|error| error.to_string())?);
        rest >>= bits;
    }
    if codes.len() > game.cells() || codes.iter().any(|code| *code < 2 || code / 2 > game.cells()) {
        return Err(format!("{number} is no history"));
    }
    Ok(codes.into_iter().rev().fold(0, |history, code| then(history, code / 2 - 1, code & 1 == 1)))
}

fn read_mixture(lines: &mut Lines<'_>) -> Result<Strategy, String> {
    let kind = lines.line()?;
    let (rows, columns) = match kind {
        "DARKHEX_PUBLIC_MIXTURE" => lines.pair("BOARD")?,
        "DARKHEX_MIXTURE" | "DARKHEX_OPENING_MIXTURE" => (lines.count("ROWS")?, lines.count("COLUMNS")?),
        other => return Err(format!("unknown header {other}")),
    };
    let mut game = game(lines.mode()?, rows, columns)?;
    if kind != "DARKHEX_MIXTURE" {
        game = lines.opening(game)?;
    }
    let owner = lines.owner()?;
    let mut plans = Vec::new();
    for _ in 0..lines.count("POLICIES")? {
        let total: BigUint = parsed(lines.after("POLICY")?)?;
        let fallback = lines.priority()?;
        let mut listed = BTreeMap::new();
        for _ in 0..lines.count("DECISIONS")? {
            let (number, cell) = lines.pair("")?;
            listed.insert(history(number, MIX_BITS, &game)?, vec![(cell, total.clone())]);
        }
        lines.after("END")?;
        plans.push(Plan { total, listed, fallback });
    }
    Ok(Strategy { game, owner, plans })
}

fn read_realization(lines: &mut Lines<'_>) -> Result<Strategy, String> {
    lines.after("DARKHEX_REALIZATION")?;
    let (rows, columns) = (lines.count("ROWS")?, lines.count("COLUMNS")?);
    let game = game(lines.mode()?, rows, columns)?;
    let game = lines.opening(game)?;
    let owner = lines.owner()?;
    let mut plans = Vec::new();
    for _ in 0..lines.count("PLANS")? {
        lines.after("PLAN")?;
        let fallback = lines.priority()?;
        let total: BigUint = parsed(lines.after("TOTAL")?)?;
        let mut listed = BTreeMap::new();
        for _ in 0..lines.count("HISTORIES")? {
            let (number, count): (_, usize) = lines.pair("HISTORY")?;
            let shares = (0..count).map(|_| lines.pair("")).collect::<Result<Vec<_>, _>>()?;
            listed.insert(history(number, REALIZATION_BITS, &game)?, shares);
        }
        lines.after("END")?;
        plans.push(Plan { total, listed, fallback });
    }
    Ok(Strategy { game, owner, plans })
}
