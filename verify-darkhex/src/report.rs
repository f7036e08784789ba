//! What a run prints: `key value` lines, the statement first, one verdict last; and the same as JSON.

use crate::board::{Game, Player, Rule};
use crate::check::{Checked, Examined, Verdict, check, examine, free_opening};
use crate::claim::{Claim, Interval, Set};
use crate::error::{Error, Fault};
use crate::files::{self, Folder, Source};
use crate::mass::fits_u128;
use std::fmt::{Display, Write as _};
use std::path::Path;

/// The lines of a run in their order, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// All lines before the verdict, as key and value.
    pub lines: Vec<(String, String)>,
    /// The last line.
    pub verdict: String,
    /// The exit code: 0 verified, 1 failure, 3 declined, 70 internal error, 74 input or output error.
    pub code: u8,
}

impl Report {
    fn say(&mut self, key: &str, value: impl Display) {
        self.lines.push((key.to_string(), format!("{value}")));
    }

    fn end(&mut self, code: u8, verdict: String) {
        self.code = code;
        self.verdict = verdict;
    }

    fn end_in_error(&mut self, error: &Error) {
        match error {
            Error::Malformed { .. } => self.end(1, format!("failure {error}")),
            Error::Declined(_) => self.end(3, format!("declined {error}")),
            Error::Internal(_) => self.end(70, format!("failure {error}")),
            Error::Io { .. } => self.end(74, format!("failure {error}")),
        }
    }

    /// The report as it stands on standard output.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (key, value) in &self.lines {
            // Writing into a string cannot fail.
            let _ = writeln!(out, "{key} {value}");
        }
        let _ = writeln!(out, "{}", self.verdict);
        out
    }

    /// The report as a JSON object with the keys `lines` (pairs), `verdict` and `exit_code`.
    #[must_use]
    pub fn json(&self) -> String {
        let lines: Vec<String> = self
            .lines
            .iter()
            .map(|(key, value)| format!("    [{}, {}]", quoted(key), quoted(value)))
            .collect();
        let (lines, verdict, code) = (lines.join(",\n"), quoted(&self.verdict), self.code);
        format!("{{\n  \"lines\": [\n{lines}\n  ],\n  \"verdict\": {verdict},\n  \"exit_code\": {code}\n}}\n")
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            control if u32::from(control) < 32 => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Checks the claim or the set of claims of a folder.
#[must_use]
pub fn run(path: &Path, twice: bool) -> Report {
    let mut report = Report::default();
    let result = match files::open(path) {
        Err(error) => Err(error),
        Ok((folder, Folder::Claim(claim), sha256)) => run_claim(&mut report, &folder, &claim, &sha256, twice)
            .map(|checked| {
                let (code, line) = verdict_line(&checked.verdict);
                report.end(code, line);
            }),
        Ok((folder, Folder::Set(set), sha256)) => run_set(&mut report, &folder, &set, &sha256, twice),
    };
    if let Err(error) = result {
        if report.lines.is_empty() {
            report.say("statement", "none: no claim could be read");
        }
        report.end_in_error(&error);
    }
    report
}

fn run_claim(
    report: &mut Report,
    folder: &Path,
    claim: &Claim,
    sha256: &str,
    twice: bool,
) -> Result<Checked, Error> {
    report.say("statement", statement(&claim.game, false, &claim.value));
    say_game(report, &claim.game);
    report.say("claim_sha256", sha256);
    let read = |file| files::strategy(folder, file);
    let black = claim.black.as_ref().map(read).transpose()?;
    let white = claim.white.as_ref().map(read).transpose()?;
    report.say("rotate", if claim.rotate { "yes" } else { "no" });
    for (source, owner) in [(&black, Player::Black), (&white, Player::White)] {
        match source {
            Some(source) => say_source(report, owner, source),
            None => report.say(&format!("{owner}_file"), "none"),
        }
    }
    let strategy = |source: &'_ Option<Source>| source.as_ref().map(|source| source.strategy.clone());
    let checked = check(claim, strategy(&black).as_ref(), strategy(&white).as_ref(), twice)?;
    for examined in [&checked.black, &checked.white].into_iter().flatten() {
        say_examined(report, examined);
    }
    report.say("lower_bound", checked.lower.value());
    report.say("upper_bound", checked.upper.value());
    if let Some(value) = &checked.cross_play {
        report.say("black_against_white", value);
    }
    Ok(checked)
}

fn run_set(report: &mut Report, folder: &Path, set: &Set, sha256: &str, twice: bool) -> Result<(), Error> {
    match &set.free_opening {
        Some((game, value)) => report.say("statement", statement(game, true, value)),
        None => report.say("statement", format!("all {} members of this set", set.members.len())),
    }
    if let Some((game, _)) = &set.free_opening {
        say_game(report, game);
    }
    report.say("set_sha256", sha256);
    let mut bounds = Vec::new();
    let mut failed = Vec::new();
    for member in &set.members {
        let inner = folder.join(member);
        let mut lines = Report::default();
        let result = files::open(&inner).and_then(|opened| match opened {
            (_, Folder::Set(_), _) => {
                let nested = Fault::Members("a set stands inside a set".to_string());
                Err(Error::malformed(member, 0, nested))
            }
            (inner, Folder::Claim(claim), sha256) => {
                run_claim(&mut lines, &inner, &claim, &sha256, twice).map(|checked| (claim.game, checked))
            }
        });
        match result {
            Ok((game, checked)) => {
                let (code, line) = verdict_line(&checked.verdict);
                lines.end(code, line);
                bounds.push((game, checked.lower, checked.upper));
            }
            Err(error) => lines.end_in_error(&error),
        }
        for (key, value) in lines.lines {
            report.say(&format!("{member}.{key}"), value);
        }
        report.say(&format!("{member}.verdict"), &lines.verdict);
        if lines.code != 0 {
            failed.push((member.clone(), lines.code, lines.verdict));
        }
    }
    let all = set.members.len();
    report.say("verified_members", format!("{} of {all}", all.saturating_sub(failed.len())));
    // The verdict of the set is that of the member that weighs most: one that was only declined, or could not be read,
    // must not hide one that is false. Of equal ones it is the first.
    let weight = |code| match code {
        70 => 0,
        1 => 1,
        74 => 2,
        _ => 3,
    };
    if let Some((member, code, verdict)) = failed.into_iter().min_by_key(|(_, code, _)| weight(*code)) {
        report.end(code, format!("{verdict} (member {member})"));
        return Ok(());
    }
    let Some((game, claimed)) = &set.free_opening else {
        report.end(0, format!("verified_set {all} of {all}"));
        return Ok(());
    };
    let (lower, upper) = free_opening("set.txt", game, &bounds)?;
    report.say("lower_bound", lower.value());
    report.say("upper_bound", upper.value());
    let (code, line) = verdict_line(&crate::check::judge(claimed, &lower, &upper)?);
    report.end(code, line);
    Ok(())
}

/// Computes what one strategy file guarantees, without a claim. With the report comes the best response, for writing.
#[must_use]
pub fn run_bound(
    source: Result<Source, Error>,
    owner: Player,
    twice: bool,
) -> (Report, Option<(Game, Examined)>) {
    let mut report = Report::default();
    let of_owner = |source: Source| {
        if source.strategy.owner == owner {
            return Ok(source);
        }
        let (expected, found) = (owner.to_string(), source.strategy.owner.to_string());
        Err(Error::malformed(&source.name, 0, Fault::OtherGame { what: "owner", expected, found }))
    };
    let source = match source.and_then(of_owner) {
        Ok(source) => source,
        Err(error) => {
            report.say("statement", format!("none: no strategy of {owner}'s could be read"));
            report.end_in_error(&error);
            return (report, None);
        }
    };
    let game = source.strategy.game;
    let side = match owner {
        Player::Black => "Black wins with at least the probability below",
        Player::White => "Black wins with at most the probability below",
    };
    report.say("statement", format!("{}: with this strategy {side}", game_words(&game, false)));
    say_game(&mut report, &game);
    say_source(&mut report, owner, &source);
    match examine(&source.strategy, &crate::board::Board::new(&game), twice) {
        Ok(examined) => {
            say_examined(&mut report, &examined);
            let side = match owner {
                Player::Black => "lower",
                Player::White => "upper",
            };
            report.end(0, format!("exact_bound {side} {}", examined.bound.value()));
            (report, Some((game, examined)))
        }
        Err(error) => {
            report.end_in_error(&error);
            (report, None)
        }
    }
}

fn verdict_line(verdict: &Verdict) -> (u8, String) {
    match verdict {
        Verdict::ExactValue(value) => (0, format!("exact_value {value}")),
        Verdict::ProvedBounds(lower, upper) => (0, format!("proved_bounds {lower} {upper}")),
        Verdict::NotProved(lower, upper) => (1, format!("failure not-proved {lower} {upper}")),
        Verdict::Refuted(lower, upper) => (1, format!("failure refuted {lower} {upper}")),
    }
}

fn game_words(game: &Game, free_opening: bool) -> String {
    let rule = match game.rule {
        Rule::Classic => "Classic",
        Rule::Abrupt => "Abrupt",
    };
    let start = match game.opening {
        Some(cell) => format!("after Black's announced first stone on {}", game.square(cell)),
        None if free_opening => "after an announced first stone of Black's choice".to_string(),
        None => "from the empty board".to_string(),
    };
    format!("{rule} Dark Hex on {} rows x {} columns {start}", game.rows, game.columns)
}

/// The sentence that is checked.
fn statement(game: &Game, free_opening: bool, value: &Interval) -> String {
    let says = if value.lower == value.upper {
        format!("is {}", value.lower)
    } else {
        format!("lies between {} and {}", value.lower, value.upper)
    };
    format!(
        "{}: the value, Black's probability of winning when both play best, {says}",
        game_words(game, free_opening)
    )
}

fn say_game(report: &mut Report, game: &Game) {
    report.say("rule", game.rule);
    report.say("board", format!("{} rows {} columns", game.rows, game.columns));
    report.say("black_joins", "top and bottom, and moves first");
    report.say("white_joins", "left and right");
    report.say("opening", game.opening.map_or("none".to_string(), |cell| game.square(cell)));
}

fn say_source(report: &mut Report, owner: Player, source: &Source) {
    let strategy = &source.strategy;
    let mut say = |key: &str, value: String| report.say(&format!("{owner}_{key}"), value);
    say("file", source.name.clone());
    if let Some(packed) = &source.packed_sha256 {
        say("packed_sha256", packed.clone());
    }
    say("sha256", source.sha256.clone());
    say("bytes", source.bytes.to_string());
    say("plans", strategy.plans.len().to_string());
    say("histories", strategy.histories().to_string());
    say("total", strategy.total().to_string());
    say("arithmetic", if fits_u128(&strategy.total()) { "128 bits" } else { "big integers" }.to_string());
    say("rotation_invariant", if strategy.is_rotation_invariant() { "yes" } else { "no" }.to_string());
}

fn say_examined(report: &mut Report, examined: &Examined) {
    let response = &examined.response;
    let mut say = |key: &str, value: String| report.say(&format!("against_{}_{key}", examined.owner), value);
    say("best_response", format!("{} of {}", response.mass(), response.total()));
    say("beliefs", response.counters.beliefs.to_string());
    say("worlds", response.counters.worlds.to_string());
    say("full_information_bounds", response.counters.bounds.to_string());
    say("replayed", response.policy.len().to_string());
    if let Some(beliefs) = examined.second {
        say("second_search_beliefs", beliefs.to_string());
    }
}
