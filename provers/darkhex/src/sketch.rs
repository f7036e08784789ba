//! Reads plans in the sketch's text format.

use crate::game::{Game, MAX_CELLS, Player, Rule};
use crate::plan::{Fallback, Plan, Strategy, root, then};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// The plan of a text, and whether it is to be averaged over half a turn of the board.
///
/// # Errors
/// What is wrong with the text, in words. Masses and legality are left to the checker.
pub fn read(text: &str) -> Result<(Strategy, bool), String> {
    let mut lines = text.lines();
    let mut after = |key: &str| {
        let line = lines.next().ok_or_else(|| format!("expected {key}, found the end"))?;
        line.strip_prefix(key).map(str::trim_start).ok_or_else(|| format!("expected {key}, found {line}"))
    };
    after("DARKHEX-PLAN 1")?;
    let words: Vec<&str> = after("GAME")?.split(' ').collect();
    let [rows, columns, rule, opening] = words.as_slice() else { return Err("GAME takes four words".into()) };
    let rule = match *rule {
        "classic" => Rule::Classic,
        "abrupt" => Rule::Abrupt,
        other => return Err(format!("unknown rule {other}")),
    };
    let size = |word: &str| word.parse().map_err(|_| format!("{word} is no size"));
    let mut game = Game { rule, rows: size(rows)?, columns: size(columns)?, opening: None };
    if game.rows == 0 || game.columns == 0 || game.rows.saturating_mul(game.columns) > MAX_CELLS {
        return Err(format!("a board has 1 to {MAX_CELLS} cells"));
    }
    if *opening != "-" {
        game.opening = Some(game.cell(opening).ok_or_else(|| format!("unknown square {opening}"))?);
    }
    let owner = match after("PLAYER")? {
        "black" => Player::Black,
        "white" => Player::White,
        other => return Err(format!("unknown player {other}")),
    };
    let symmetric = after("SYMMETRIC")? == "1";
    after("DEFAULT shortest-path-1")?;
    let number = |word: &str| word.parse::<BigUint>().map_err(|_| format!("{word} is no number"));
    let total = number(after("TOTAL")?)?;
    let mut listed = BTreeMap::new();
    for line in lines {
        if line == "END" {
            let plan = Plan { total, listed, fallback: Fallback::ShortestPath };
            return Ok((Strategy { game, owner, plans: vec![plan] }, symmetric));
        }
        let (record, shares) = line.split_once(" / ").ok_or_else(|| format!("no ` / ` in {line}"))?;
        let cell = |square: &str| game.cell(square).ok_or_else(|| format!("unknown square {square}"));
        let mut history = root(&game, owner).history;
        for probe in record.split('.').filter(|probe| *probe != "-") {
            let found = probe.strip_suffix('*');
            history = then(history, cell(found.unwrap_or(probe))?, found.is_none());
        }
        let words: Vec<&str> = shares.split(' ').collect();
        let mut shares = Vec::new();
        for pair in words.chunks(2) {
            let [square, mass] = pair else { return Err(format!("a square without a mass in {line}")) };
            shares.push((cell(square)?, number(mass)?));
        }
        shares.sort();
        listed.insert(history, shares);
    }
    Err("expected END".into())
}
