//! The check of a claim, from the rules to the verdict.

use crate::advice::Advice;
use crate::board::{Board, HONEY};
use crate::enumerate::enumerate;
use crate::error::Failure;
use crate::log::{self, Log};
use crate::options::Options;
use crate::positions::{Positions, hex};
use crate::proof::{self, Assumed, Proved, Step, Task, Values};
use crate::report::Report;
use crate::rules::Rule;
use crate::run::{self, Results};
use crate::text::{self, ADVICE_BYTES, ADVICE_PACKED_BYTES, Claim, LOG_BYTES, PACKED_BYTES, SET_BYTES, Side};
use crate::{line, sources};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The side inputs, read.
struct Inputs {
    claim: Claim,
    steps: Vec<Step>,
    list: Vec<Task>,
    other: Vec<Task>,
    plies: Vec<line::Ply>,
    advice: Option<Advice>,
    tasks: Vec<Task>,
    /// Values that hold if the searches do.
    assumed: Assumed,
    /// The same under the other rule.
    other_assumed: Assumed,
}

/// What was used of the searches.
enum Basis {
    /// Every search was run here but for those that the auditor's own log has, of an earlier run.
    All {
        /// How many it has.
        resumed: usize,
    },
    /// Some were not: the verdict is conditional on this.
    Some(String),
}

/// Runs the check; the report ends in the verdict, the number is the exit code.
#[must_use]
pub fn run(options: &Options) -> (Report, u8) {
    let mut body = Report::default();
    match checked(options, &mut body) {
        Ok(Outcome { statement, verdict, code }) => {
            let mut report = Report::default();
            report.say("statement", statement);
            report.append(body);
            report.verdict(&verdict);
            (report, code)
        }
        Err(failure) => {
            let mut report = Report::default();
            report.say("statement", "none");
            report.append(body);
            report.verdict(&format!("failure {failure}"));
            (report, failure.exit_code())
        }
    }
}

struct Outcome {
    statement: String,
    verdict: String,
    code: u8,
}

/// The positions, from the rules.
///
/// # Errors
/// A fault of this program.
pub fn positions(memo: bool) -> Result<(Positions, u64), Failure> {
    let internal = |text: String| Failure::Internal(text);
    let board = Board::new(HONEY.radius).map_err(|e| internal(e.to_string()))?;
    let enumeration = enumerate(&board, HONEY, memo).map_err(|e| internal(e.to_string()))?;
    let positions = Positions::new(board, enumeration.solutions)
        .map_err(|e| internal(format!("{:016x} has a hint before the third stone", e.0)))?;
    Ok((positions, enumeration.nodes))
}

fn checked(options: &Options, report: &mut Report) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let bytes = text::read(&options.folder.join("claim.txt"), "claim.txt", CLAIM_LIMIT)?;
    let claim = text::claim(&bytes)?;
    let (positions, nodes) = positions(options.memo)?;
    report.say("rule", claim.rule);
    report
        .say("board", format!("hexagon of {} cells, six islands of six white cells", positions.board.size()));
    report.say("solutions", positions.solutions.len());
    report.say("solutions-sha256", &positions.digest);
    report.say("enumeration-nodes", nodes);
    let counts: Vec<String> = (1..=3).map(|depth| positions.at(depth).count().to_string()).collect();
    report.say("positions", format!("{} after 1, 2, 3 stones, up to 12 symmetries", counts.join(" ")));
    report.say("claim-sha256", sha256(&bytes));
    let inputs = read_inputs(options, &claim, &positions, report)?;
    report.say("units", inputs.tasks.len());
    if options.list_units {
        return Ok(list_units(&inputs, &positions, report));
    }
    if let Some(name) = &options.unit {
        return one_unit(options, name, &inputs, &positions);
    }
    // What the searches would prove, if all came out as stated: a set that cannot reach the claim is refused at once.
    let assumed = || statements(&inputs.claim, &positions, &inputs.assumed, &inputs.other_assumed);
    if let Err(failure) = assumed() {
        return Err(match failure {
            Failure::Refuted(what) => Failure::NotProved(format!("by what the side input states: {what}")),
            other => other,
        });
    }
    let (results, basis) = search(options, &inputs, &positions, report)?;
    report.say("searched", results.solved);
    report.say("nodes", results.nodes);
    if options.stats {
        report.say("seconds", start.elapsed().as_secs());
    }
    let rule = inputs.claim.rule;
    let file = side_name(&inputs.claim.side);
    let said = match &basis {
        Basis::Some(_) => assumed()?,
        Basis::All { .. } => {
            let (proved, other) = match inputs.claim.side {
                Side::Values(..) => (
                    proof::back_up(&inputs.list, &positions, rule, &results.found)?,
                    match &inputs.claim.joint {
                        Some(_) => proof::back_up(&inputs.other, &positions, opposite(rule), &results.found)?,
                        None => Proved::default(),
                    },
                ),
                _ => {
                    (proof::derive(file, &inputs.steps, &positions, rule, &results.found)?, Proved::default())
                }
            };
            let mut said = statements(&inputs.claim, &positions, &proved, &other)?;
            if let (Some(claimed), Side::Line(_, name)) = (inputs.claim.line, &inputs.claim.side) {
                let table = options.settings.table_bytes;
                let counts = line::check(name, &inputs.plies, rule, &positions, &proved, table)?;
                if counts != claimed {
                    let text = format!("line: claimed {claimed:?}, proved {counts:?} plies and hints");
                    return Err(Failure::Refuted(text));
                }
                said.push(("perfect-line".to_owned(), format!("{} plies {} hints", counts.0, counts.1)));
            }
            said
        }
    };
    let words: Vec<String> = said.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let sentence = format!(
        "Honey Islands Battle, 61 cells, {rule} rule, seen from the player to move: {}",
        words.join(", ")
    );
    let value = said.first().map(|(key, value)| format!("{key} {value}")).unwrap_or_default();
    Ok(match basis {
        Basis::All { resumed } => {
            let earlier = match resumed {
                0 => String::new(),
                some => format!(", {some} of {} units by the folder of --resume", inputs.tasks.len()),
            };
            Outcome { statement: sentence, verdict: format!("exact_value {value}{earlier}"), code: 0 }
        }
        Basis::Some(what) => Outcome {
            statement: format!("assuming {what}: {sentence}"),
            verdict: format!("conditional_value {value} assuming {what}"),
            code: 2,
        },
    })
}

/// What the values say about all that is claimed, except the line; `other` are those under the other rule.
fn statements<V: Values>(
    claim: &Claim,
    positions: &Positions,
    values: &V,
    other: &V,
) -> Result<Vec<(String, String)>, Failure> {
    let mut said = proof::judge(claim, positions, values)?;
    if let Some(claimed) = claim.joint {
        let counts = match claim.rule {
            Rule::Standard => proof::joint(positions, values, other)?,
            Rule::RedundantHint => proof::joint(positions, other, values)?,
        };
        if counts != claimed {
            return Err(Failure::Refuted(format!("joint: claimed {claimed:?}, proved {counts:?}")));
        }
        let words: Vec<String> = counts.iter().map(u64::to_string).collect();
        said.push(("joint".to_owned(), words.join(" ")));
    }
    Ok(said)
}

const CLAIM_LIMIT: u64 = text::CLAIM_BYTES;

fn side_name(side: &Side) -> &str {
    match side {
        Side::ProofSet(name) | Side::Values(name, _) | Side::Line(name, _) => name,
    }
}

fn opposite(rule: Rule) -> Rule {
    match rule {
        Rule::Standard => Rule::RedundantHint,
        Rule::RedundantHint => Rule::Standard,
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The path of a file that a claim names.
fn locate(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    match name.strip_prefix("proofsets/") {
        None => Ok(folder.join(name)),
        Some(plain) => {
            let failed = |e: std::io::Error| Failure::Unreadable(format!("claim folder: {e}"));
            let folder = folder.canonicalize().map_err(failed)?;
            let root = folder.parent().and_then(Path::parent);
            let root =
                root.ok_or_else(|| Failure::Unreadable("claim folder: has no folder proofsets".to_owned()))?;
            Ok(root.join("proofsets").join(plain))
        }
    }
}

fn read_inputs(
    options: &Options,
    claim: &Claim,
    positions: &Positions,
    report: &mut Report,
) -> Result<Inputs, Failure> {
    let rule = claim.rule;
    let mut inputs = Inputs {
        claim: claim.clone(),
        steps: Vec::new(),
        list: Vec::new(),
        other: Vec::new(),
        plies: Vec::new(),
        advice: None,
        tasks: Vec::new(),
        assumed: Assumed::default(),
        other_assumed: Assumed::default(),
    };
    let list = |name: &str| text::read_packed(&locate(&options.folder, name)?, name, PACKED_BYTES, SET_BYTES);
    match &claim.side {
        Side::Values(name, other) => {
            let (packed, bytes) = list(name)?;
            report.say("values", name);
            report.say("values-sha256", sha256(&packed));
            inputs.list = proof::parse_list(name, &bytes, rule, positions)?;
            inputs.tasks.clone_from(&inputs.list);
            inputs.assumed = proof::assume_list(&inputs.list, positions)?;
            if let Some(name) = other {
                let (packed, bytes) = list(name)?;
                report.say("other", name);
                report.say("other-sha256", sha256(&packed));
                inputs.other = proof::parse_list(name, &bytes, opposite(rule), positions)?;
                inputs.tasks.extend(inputs.other.iter().cloned());
                inputs.other_assumed = proof::assume_list(&inputs.other, positions)?;
            }
        }
        Side::ProofSet(name) | Side::Line(name, _) => {
            let bytes = text::read(&locate(&options.folder, name)?, name, SET_BYTES)?;
            report.say("proofset", name);
            report.say("proofset-sha256", sha256(&bytes));
            inputs.steps = proof::parse_proof_set(name, &bytes, rule, positions)?;
            inputs.tasks = proof::tasks(name, &inputs.steps, rule);
            inputs.assumed = proof::assume_derivation(name, &inputs.steps, positions, rule)?;
            report.say("steps", inputs.steps.len());
        }
    }
    if let Side::Line(_, name) = &claim.side {
        let bytes = text::read(&locate(&options.folder, name)?, name, text::LINE_BYTES)?;
        report.say("line-file", name);
        report.say("line-sha256", sha256(&bytes));
        inputs.plies = line::parse(name, &bytes, rule, positions)?;
    }
    if let Some(name) = &claim.advice {
        let path = locate(&options.folder, name)?;
        let (packed, bytes) = text::read_packed(&path, name, ADVICE_PACKED_BYTES, ADVICE_BYTES)?;
        report.say("advice", name);
        report.say("advice-sha256", sha256(&packed));
        let advice = Advice::parse(name, &bytes, positions)?;
        report.say("advised-moves", advice.count());
        inputs.advice = Some(advice);
    }
    Ok(inputs)
}

fn list_units(inputs: &Inputs, positions: &Positions, report: &mut Report) -> Outcome {
    for (index, task) in inputs.tasks.iter().enumerate() {
        report.say(
            &format!("unit-{}", index + 1),
            format!("{} {}", run::unit_name(task, positions), task.stated),
        );
    }
    let verdict = "conditional_value none assuming all units, of which none was run".to_owned();
    Outcome { statement: "none".to_owned(), verdict, code: 2 }
}

fn one_unit(
    options: &Options,
    name: &str,
    inputs: &Inputs,
    positions: &Positions,
) -> Result<Outcome, Failure> {
    let task = run::unit(name, &inputs.tasks, positions)?;
    let path = options.log.as_deref().ok_or_else(|| Failure::Usage("--unit wants --log".to_owned()))?;
    let unit = run::unit_name(task, positions);
    let mut log = Log::open(path)?;
    // Both would spoil the log, and would come out only after the search or with the log's reader. A torn line is not
    // cut off here: others may be writing it.
    let before = text::read(path, "log", LOG_BYTES)?;
    if !log::whole_lines(&before).1.is_empty() {
        return Err(Failure::Unreadable("log: its last line is not whole; take it out first".to_owned()));
    }
    if log::has(&before, &unit) {
        return Err(Failure::Usage(format!("the log has the unit {unit} already")));
    }
    let tasks = [task.clone()];
    let results = run::solve(
        &tasks,
        positions,
        options.settings,
        inputs.advice.as_ref(),
        Results::default(),
        Some(&mut log),
    )?;
    let all = inputs.tasks.len();
    Ok(Outcome {
        statement: format!("Honey Islands Battle, unit {unit} {}, {} nodes", task.stated, results.nodes),
        verdict: format!("conditional_value none assuming {} of {all} units, which were not run", all - 1),
        code: 2,
    })
}

/// Whether a folder lies in a repository or with the claim: in its folder or, if that is one of `certificates/`, in the
/// one above, where the proof sets are. What was delivered must not be taken for the auditor's own.
fn comes_with(folder: &Path, claim: &Path) -> bool {
    let repository = |folder: &Path| ["Cargo.toml", ".git"].iter().any(|name| folder.join(name).exists());
    let all = claim.parent().filter(|parent| parent.ends_with("certificates")).and_then(Path::parent);
    folder.starts_with(all.unwrap_or(claim)) || folder.ancestors().any(repository)
}

/// Runs the searches that the options ask for.
fn search(
    options: &Options,
    inputs: &Inputs,
    positions: &Positions,
    report: &mut Report,
) -> Result<(Results, Basis), Failure> {
    let (tasks, settings, advice) = (&inputs.tasks, options.settings, inputs.advice.as_ref());
    let all = tasks.len();
    if let Some(count) = options.sample {
        if inputs.list.is_empty() {
            return Err(Failure::Usage("--sample is for claims with a list of values".to_owned()));
        }
        let chosen = run::sample(tasks, count, options.seed);
        let results = run::solve(&chosen, positions, settings, advice, Results::default(), None)?;
        let basis = format!(
            "{all} listed values, of which a sample of {} (seed {}) was re-proved here",
            results.solved, options.seed
        );
        return Ok((results, Basis::Some(basis)));
    }
    if let Some(path) = &options.accept_log {
        let bytes = text::read(path, "log", LOG_BYTES)?;
        let logged = log::read("log", &bytes, tasks, positions)?;
        let (old, new): (Vec<Task>, Vec<Task>) =
            tasks.iter().cloned().partition(|task| logged.contains_key(&(task.rule, task.key)));
        let mut chosen = run::sample(&old, options.recheck, options.seed);
        let again = chosen.len();
        chosen.extend(new);
        let results = run::solve(&chosen, positions, settings, advice, Results::default(), None)?;
        let mut basis =
            format!("{} logged units (log {}), {again} re-proved here", old.len(), sha256(&bytes));
        if let Side::Line(..) = inputs.claim.side {
            basis += ", and the line, which was not replayed";
        }
        return Ok((results, Basis::Some(basis)));
    }
    let Some(folder) = &options.resume else {
        return Ok((
            run::solve(tasks, positions, settings, advice, Results::default(), None)?,
            Basis::All { resumed: 0 },
        ));
    };
    let failed = |e: std::io::Error| Failure::Unreadable(format!("folder of --resume: {e}"));
    let folder = folder.canonicalize().map_err(failed)?;
    if comes_with(&folder, &options.folder.canonicalize().map_err(failed)?) {
        return Err(Failure::Usage(
            "the folder of --resume lies in a repository or with the claim".to_owned(),
        ));
    }
    let path = folder.join("units.log");
    let mut log = Log::open_alone(&path)?;
    let bytes = text::read(&path, "units.log", LOG_BYTES)?;
    let (entries, torn) = log::whole_lines(&bytes);
    if !log::may_begin_entry(torn) {
        return Err(text::malformed("units.log", 0, "the end of a log, or what an interrupted write leaves"));
    }
    let found = match entries {
        [] => std::collections::BTreeMap::new(),
        entries => log::read("units.log", entries, tasks, positions)?,
    };
    report.say("resumed", found.len());
    if !torn.is_empty() {
        log.cut(entries.len())?;
    }
    let resumed = found.len();
    let before = Results { found, ..Results::default() };
    Ok((run::solve(tasks, positions, settings, advice, before, Some(&mut log))?, Basis::All { resumed }))
}

/// What `--version` prints.
#[must_use]
pub fn version() -> String {
    format!("verify-honey {} source {}\n", env!("CARGO_PKG_VERSION"), sources::digest())
}
