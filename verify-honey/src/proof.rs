//! Derivations, lists of values, and what follows from them.
//!
//! Only this module makes [`Proved`], and only from what was [`Found`] and the rules of play: a position is won
//! if a child is lost, lost if all children are won. What a file of the claim states never enters it.

use crate::board::Mask;
use crate::error::{Failure, Reason};
use crate::positions::{DEPTH, Position, Positions};
use crate::rules::{Rule, Value};
use crate::text::{Claim, Lines, header_rule, mask, number, value};
use std::collections::BTreeMap;

/// Steps of a proof set.
pub const STEPS: usize = 4096;

/// A step of a derivation, with its line in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Line, counted from 1.
    pub line: usize,
    /// The position that is concluded.
    pub key: Mask,
    /// How.
    pub by: By,
}

/// The three ways to a conclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The solver finds this value.
    Search(Value),
    /// Won, because this child is lost.
    Child(Mask),
    /// Lost, because all children are won.
    Children,
}

/// A position that has to be solved, and what the file says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// File for messages.
    pub file: String,
    /// Line for messages.
    pub line: usize,
    /// The rule.
    pub rule: Rule,
    /// The position.
    pub key: Mask,
    /// The value stated.
    pub stated: Value,
}

/// Values of positions that were proved.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Proved(BTreeMap<Mask, Value>);

/// Values that hold if what a file or a log says holds.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Assumed(BTreeMap<Mask, Value>);

/// A table of values to judge a claim by.
pub trait Values {
    /// The value of a canonical position.
    fn value(&self, key: Mask) -> Option<Value>;
}

impl Values for Proved {
    fn value(&self, key: Mask) -> Option<Value> {
        self.0.get(&key).copied()
    }
}

impl Values for Assumed {
    fn value(&self, key: Mask) -> Option<Value> {
        self.0.get(&key).copied()
    }
}

/// The value that the solver found for a position, in this run or, by the auditor's own log, in an earlier one: made by
/// [`crate::run`] and [`crate::log`] alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found(pub(crate) Value);

/// Parses a proof set. Keys are looked up among the positions, so a step always has one.
///
/// # Errors
/// A malformed line, or a key that is none.
pub fn parse_proof_set(
    file: &str,
    bytes: &[u8],
    rule: Rule,
    positions: &Positions,
) -> Result<Vec<Step>, Failure> {
    let mut lines = Lines::new(file, bytes)?;
    header(&mut lines, "honey-proofset", rule, positions)?;
    let mut steps = Vec::new();
    while let Some(fields) = lines.take() {
        let key = |lines: &Lines, fields: &[&str]| key(lines, fields, rule, positions);
        let width = if rule == Rule::Standard { 1 } else { 2 };
        let (word, rest) = fields.split_first().unwrap_or((&"", &[]));
        let (first, tail) = rest.split_at(width.min(rest.len()));
        let by = match (*word, tail) {
            ("end", []) if first.is_empty() => {
                lines.finish()?;
                return Ok(steps);
            }
            ("search", [word]) => By::Search(value(word).ok_or_else(|| lines.expected("search KEY VALUE"))?),
            ("won", ["by", child @ ..]) => {
                let by = key(&lines, child)?;
                By::Child(by.determined)
            }
            ("lost", []) => By::Children,
            _ => return Err(lines.expected("search KEY VALUE, won KEY by KEY, lost KEY, or end")),
        };
        let position = key(&lines, first)?;
        if steps.len() == STEPS {
            return Err(lines.expected(&format!("at most {STEPS} steps")));
        }
        steps.push(Step { line: lines.number, key: position.determined, by });
    }
    lines.number += 1;
    Err(lines.expected("end"))
}

/// Parses a list of all values after three stones: position by position, ascending.
///
/// # Errors
/// A malformed line, or another position than is due.
pub fn parse_list(file: &str, bytes: &[u8], rule: Rule, positions: &Positions) -> Result<Vec<Task>, Failure> {
    let mut lines = Lines::new(file, bytes)?;
    header(&mut lines, "honey-depth3", rule, positions)?;
    let due: Vec<&Position> = positions.at(DEPTH).collect();
    lines.exactly("positions", &due.len().to_string())?;
    let mut tasks = Vec::new();
    for position in due {
        let fields = lines.take().unwrap_or_else(|| {
            lines.number += 1;
            Vec::new()
        });
        let (last, first) = fields.split_last().unwrap_or((&"", &[]));
        let stated = value(last).ok_or_else(|| lines.expected("KEY VALUE"))?;
        if key(&lines, first, rule, positions)?.determined != position.determined {
            return Err(rejected(file, lines.number, Reason::ListOrder(position.key(rule))));
        }
        tasks.push(Task {
            file: file.to_owned(),
            line: lines.number,
            rule,
            key: position.determined,
            stated,
        });
    }
    if lines.required("end")?.is_empty() {
        lines.finish()?;
        Ok(tasks)
    } else {
        Err(lines.expected("end"))
    }
}

/// The first lines of a side input.
pub(crate) fn header(
    lines: &mut Lines,
    kind: &str,
    rule: Rule,
    positions: &Positions,
) -> Result<(), Failure> {
    lines.exactly(kind, "1")?;
    if header_rule(lines)? != rule {
        return Err(rejected(lines.file, lines.number, Reason::OtherRule));
    }
    let stated = match lines.required("solutions")?.as_slice() {
        [count] => number(count),
        _ => None,
    };
    let stated = stated.ok_or_else(|| lines.expected("solutions N"))?;
    let found = positions.solutions.len() as u64;
    if stated == found {
        Ok(())
    } else {
        Err(rejected(lines.file, lines.number, Reason::SolutionCount(found)))
    }
}

/// A key of a file, as the position that it names.
fn key<'p>(
    lines: &Lines,
    fields: &[&str],
    rule: Rule,
    positions: &'p Positions,
) -> Result<&'p Position, Failure> {
    let (text, p) = match (rule, fields) {
        (Rule::Standard, [text]) => (*text, None),
        (Rule::RedundantHint, [text, p]) => {
            (*text, Some(number(p).ok_or_else(|| lines.expected("D p, with p a number"))?))
        }
        (Rule::Standard, _) => return Err(lines.expected("D as key")),
        (Rule::RedundantHint, _) => return Err(lines.expected("D p as key")),
    };
    let mask = mask(text).ok_or_else(|| lines.expected("16 lower-case hexadecimal digits"))?;
    let reject = |reason| rejected(lines.file, lines.number, reason);
    if mask & !positions.board.all() != 0 {
        return Err(reject(Reason::Unreachable));
    }
    let canonical = positions.board.canonical(mask);
    let position = positions.all.get(&canonical).ok_or_else(|| reject(Reason::Unreachable))?;
    if canonical != mask {
        return Err(reject(Reason::NotCanonical));
    }
    if p.is_some_and(|p| p != u64::from(position.p())) {
        return Err(reject(Reason::WrongP(position.p())));
    }
    Ok(position)
}

/// A record that is wrong.
#[must_use]
pub fn rejected(file: &str, line: usize, reason: Reason) -> Failure {
    Failure::Rejected { file: file.to_owned(), line, reason }
}

/// The searches of a derivation.
#[must_use]
pub fn tasks(file: &str, steps: &[Step], rule: Rule) -> Vec<Task> {
    let task = |step: &Step| match step.by {
        By::Search(stated) => {
            Some(Task { file: file.to_owned(), line: step.line, rule, key: step.key, stated })
        }
        _ => None,
    };
    steps.iter().filter_map(task).collect()
}

/// Walks a derivation with `search` as the source of the values of searched positions.
fn walk(
    file: &str,
    steps: &[Step],
    positions: &Positions,
    rule: Rule,
    mut search: impl FnMut(Mask, Value) -> Option<Value>,
) -> Result<BTreeMap<Mask, Value>, Failure> {
    let mut known: BTreeMap<Mask, (Value, usize)> = BTreeMap::new();
    for step in steps {
        let reject = |reason| Err(rejected(file, step.line, reason));
        let Some(position) = positions.all.get(&step.key) else { return reject(Reason::Unreachable) };
        if let Some((_, line)) = known.get(&step.key) {
            return reject(Reason::Duplicate(*line));
        }
        let value = match step.by {
            By::Search(_) if position.depth != DEPTH => return reject(Reason::SearchDepth(position.depth)),
            By::Search(stated) => match search(step.key, stated) {
                Some(found) if found == stated => found,
                Some(_) => return reject(Reason::WrongValue),
                None => return Err(Failure::Internal("a search of the derivation was not run".to_owned())),
            },
            By::Child(child) => {
                if !position.moves.iter().any(|&(_, to)| to == child) {
                    return reject(Reason::NoChild);
                }
                match known.get(&child) {
                    None => return reject(Reason::ChildUnproved),
                    Some((Value::Won, _)) => return reject(Reason::ChildWon),
                    Some((Value::Lost, _)) => Value::Won,
                }
            }
            By::Children => {
                if position.depth == DEPTH {
                    // The moves of such a position are not expanded: "all of none" must not pass for all.
                    return reject(Reason::ChildMissing("of a position after three stones".to_owned()));
                }
                for &(_, child) in &position.moves {
                    let name = || positions.all.get(&child).map_or_else(String::new, |p| p.key(rule));
                    match known.get(&child) {
                        None => return reject(Reason::ChildMissing(name())),
                        Some((Value::Lost, _)) => return reject(Reason::ChildLost(name())),
                        Some((Value::Won, _)) => {}
                    }
                }
                Value::Lost
            }
        };
        known.insert(step.key, (value, step.line));
    }
    Ok(known.into_iter().map(|(key, (value, _))| (key, value)).collect())
}

/// Checks everything about a derivation but its searches, whose stated values are assumed. What comes out holds if the
/// searches do.
///
/// # Errors
/// The first wrong step.
pub fn assume_derivation(
    file: &str,
    steps: &[Step],
    positions: &Positions,
    rule: Rule,
) -> Result<Assumed, Failure> {
    walk(file, steps, positions, rule, |_, stated| Some(stated)).map(Assumed)
}

/// Checks a derivation on the values that this run found.
///
/// # Errors
/// The first wrong step.
pub fn derive(
    file: &str,
    steps: &[Step],
    positions: &Positions,
    rule: Rule,
    found: &BTreeMap<(Rule, Mask), Found>,
) -> Result<Proved, Failure> {
    walk(file, steps, positions, rule, |key, _| found.get(&(rule, key)).map(|f| f.0)).map(Proved)
}

/// Backs up the values after three stones, as found in this run, to the root.
///
/// # Errors
/// A value that differs from the list, or a position that was not solved.
pub fn back_up(
    list: &[Task],
    positions: &Positions,
    rule: Rule,
    found: &BTreeMap<(Rule, Mask), Found>,
) -> Result<Proved, Failure> {
    let mut values = BTreeMap::new();
    for task in list {
        match found.get(&(rule, task.key)) {
            Some(Found(value)) if *value == task.stated => values.insert(task.key, *value),
            Some(_) => return Err(rejected(&task.file, task.line, Reason::WrongValue)),
            None => return Err(Failure::Internal("a position of the list was not solved".to_owned())),
        };
    }
    back_up_values(values, positions).map(Proved)
}

/// Backs up the values that a list states.
///
/// # Errors
/// A position without a value.
pub fn assume_list(list: &[Task], positions: &Positions) -> Result<Assumed, Failure> {
    back_up_values(list.iter().map(|task| (task.key, task.stated)).collect(), positions).map(Assumed)
}

fn back_up_values(
    mut values: BTreeMap<Mask, Value>,
    positions: &Positions,
) -> Result<BTreeMap<Mask, Value>, Failure> {
    for depth in (0..DEPTH).rev() {
        for position in positions.at(depth) {
            let mut value = Value::Lost;
            for (_, child) in &position.moves {
                match values.get(child) {
                    Some(Value::Lost) => value = Value::Won,
                    Some(Value::Won) => {}
                    None => {
                        return Err(Failure::Internal("a position without a value was backed up".to_owned()));
                    }
                }
            }
            values.insert(position.determined, value);
        }
    }
    Ok(values)
}

/// Compares each statement of a claim, except `joint` and `line`, with values; returns the statements in words.
///
/// # Errors
/// A statement that the values do not reach, or contradict.
pub fn judge(
    claim: &Claim,
    positions: &Positions,
    values: &impl Values,
) -> Result<Vec<(String, String)>, Failure> {
    let mut said = Vec::new();
    for root in positions.at(0) {
        let value = values.value(root.determined).ok_or_else(|| Failure::NotProved("root".to_owned()))?;
        compare("root", &claim.root.to_string(), &value.to_string())?;
        said.push(("root".to_owned(), value.to_string()));
    }
    let mut first = None;
    if let Some((wins, all)) = claim.first_moves {
        let (proved_wins, proved_all) = winning_moves(positions, values, 0)?;
        compare("first-moves", &format!("{wins} of {all}"), &format!("{proved_wins} of {proved_all}"))?;
        first = Some(format!("{proved_wins} of {proved_all}"));
    }
    said.extend(first.map(|text| ("first-moves".to_owned(), text)));
    if !claim.depth1.is_empty() {
        let due: Vec<Mask> = positions.at(1).map(|position| position.determined).collect();
        if claim.depth1.iter().map(|&(key, _)| key).ne(due.iter().copied()) {
            return Err(crate::text::malformed(
                "claim.txt",
                0,
                "depth1 lines of the nine positions after one stone",
            ));
        }
        for &(key, stated) in &claim.depth1 {
            let name = format!("depth1-{key:016x}");
            let value = values.value(key).ok_or_else(|| Failure::NotProved(name.clone()))?;
            compare(&name, &stated.to_string(), &value.to_string())?;
            said.push((name, value.to_string()));
        }
    }
    for (depth, stated) in [(2, claim.depth2), (3, claim.depth3)] {
        if let Some((won, lost)) = stated {
            let (mut proved_won, mut proved_lost) = (0u64, 0u64);
            for position in positions.at(depth) {
                match values.value(position.determined) {
                    Some(Value::Won) => proved_won += 1,
                    Some(Value::Lost) => proved_lost += 1,
                    None => {
                        return Err(Failure::NotProved(format!("depth{depth} {:016x}", position.determined)));
                    }
                }
            }
            let text = format!("{proved_won} won {proved_lost} lost");
            compare(&format!("depth{depth}"), &format!("{won} won {lost} lost"), &text)?;
            said.push((format!("depth{depth}"), text));
        }
    }
    for (name, depth, stated) in
        [("second-moves", 1, claim.second_moves), ("third-moves", 2, claim.third_moves)]
    {
        if let Some((wins, all)) = stated {
            let (proved_wins, proved_all) = winning_moves(positions, values, depth)?;
            let text = format!("{proved_wins} of {proved_all}");
            compare(name, &format!("{wins} of {all}"), &text)?;
            said.push((name.to_owned(), text));
        }
    }
    Ok(said)
}

fn compare(what: &str, claimed: &str, proved: &str) -> Result<(), Failure> {
    if claimed == proved {
        Ok(())
    } else {
        Err(Failure::Refuted(format!("{what}: claimed {claimed}, proved {proved}")))
    }
}

/// Winning moves and all moves in the positions after `depth` stones, at depth 0 in any case, below in the won ones.
fn winning_moves(positions: &Positions, values: &impl Values, depth: usize) -> Result<(u64, u64), Failure> {
    let missing = |key: Mask| Failure::NotProved(format!("{key:016x}"));
    let (mut wins, mut all) = (0, 0);
    for position in positions.at(depth) {
        let won = depth == 0
            || values.value(position.determined).ok_or_else(|| missing(position.determined))? == Value::Won;
        if won {
            for &(_, child) in &position.moves {
                all += 1;
                wins += u64::from(values.value(child).ok_or_else(|| missing(child))? == Value::Lost);
            }
        }
    }
    Ok((wins, all))
}

/// Counts the positions after three stones by their values under the standard and the redundant-hint rule.
///
/// # Errors
/// A position without a value.
pub fn joint(
    positions: &Positions,
    standard: &impl Values,
    hints: &impl Values,
) -> Result<[u64; 4], Failure> {
    let mut counts = [0; 4];
    for position in positions.at(DEPTH) {
        let place = match (standard.value(position.determined), hints.value(position.determined)) {
            (Some(Value::Won), Some(Value::Won)) => 0,
            (Some(Value::Won), Some(Value::Lost)) => 1,
            (Some(Value::Lost), Some(Value::Won)) => 2,
            (Some(Value::Lost), Some(Value::Lost)) => 3,
            _ => return Err(Failure::NotProved("joint".to_owned())),
        };
        if let Some(count) = counts.get_mut(place) {
            *count += 1u64;
        }
    }
    Ok(counts)
}
