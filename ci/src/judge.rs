//! From a process that ended to the status of a check, and from checks to claims and the whole.

use crate::escape::{escaped, escaped_tail, shell_word};
use crate::manifest::{Check, Entry, SuiteEntry};
use crate::outcome::{Audit, Claim, Counts, Family, Outcome, Status, Suite, Vectors};
use crate::process::{End, Ended, NOT_STARTED};
use crate::vectors::Corpus;
use crate::verdict::{self, Kind, Said};
use std::io;

/// What to type to run a check.
#[must_use]
pub fn command(family: Family, name: &str, check: &Check) -> String {
    let mut words = vec![format!("cargo run -p {} -- certificates/{name}", family.checker())];
    words.extend(check.arguments.iter().map(|argument| shell_word(argument)));
    words.join(" ")
}

/// The outcome of a check that has not run.
#[must_use]
pub fn not_run(family: Family, entry: &Entry, check: &Check, reason: String) -> Outcome {
    Outcome {
        claim: entry.name.clone(),
        check: check.name.clone(),
        checker: family.checker().to_owned(),
        family,
        folder: format!("certificates/{}", entry.name),
        tier: check.tier,
        command: command(family, &entry.name, check),
        limit_seconds: check.seconds,
        limit_mib: check.memory_mib,
        status: Status::NotRun(reason),
        statement: String::new(),
        verdict: String::new(),
        exit_code: None,
        signal: None,
        agrees: false,
        lines: Vec::new(),
        stderr: String::new(),
    }
}

/// The outcome of a check that has run. With `expect`, whatever differs from the manifest is a failure.
#[must_use]
pub fn outcome(
    family: Family,
    entry: &Entry,
    check: &Check,
    ended: &io::Result<Ended>,
    expect: bool,
) -> Outcome {
    let mut outcome = not_run(family, entry, check, String::new());
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            outcome.status = Status::Failed(format!("the checker could not be run: {error}"));
            return outcome;
        }
    };
    let said = verdict::read(&ended.stdout);
    outcome.stderr = escaped_tail(&ended.stderr, 2000);
    match ended.end {
        End::Exited(code) => outcome.exit_code = Some(code),
        End::Signal(signal) => outcome.signal = Some(signal),
        _ => {}
    }
    outcome.agrees = matches!((said.kind, ended.end), (Some(kind), End::Exited(code)) if kind.agrees(code));
    outcome.status = status(entry, check, ended, &said, expect);
    outcome.statement = said.statement;
    outcome.verdict = said.verdict;
    outcome.lines = said.lines;
    outcome
}

fn status(entry: &Entry, check: &Check, ended: &Ended, said: &Said, expect: bool) -> Status {
    let code = match end(ended, check) {
        Ok(code) => code,
        Err(reason) => return Status::Failed(reason),
    };
    let kind = match (said.kind, &said.fault) {
        (Some(kind), None) => kind,
        (_, fault) => {
            let fault = fault.as_deref().unwrap_or("the output is not well-formed");
            return Status::Failed(format!("exit code {code}, but {fault}"));
        }
    };
    if !kind.agrees(code) {
        return Status::Failed(format!("exit code {code} and last line `{}` disagree", said.verdict));
    }
    if kind == Kind::Failure {
        return Status::Failed(format!("the checker says: {}", said.verdict));
    }
    if expect && let Some(difference) = difference(entry, check, said) {
        return Status::Failed(difference);
    }
    match kind {
        Kind::Proved => Status::Verified,
        Kind::Conditional => Status::Conditional,
        Kind::Declined => Status::Declined,
        Kind::Failure => Status::Failed(said.verdict.clone()),
    }
}

/// The exit code of a process that ended by itself, or what happened instead.
fn end(ended: &Ended, check: &Check) -> Result<i32, String> {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    match ended.end {
        End::Exited(NOT_STARTED) => Err(format!("not started: {}", escaped_tail(&ended.stderr, 300))),
        End::Exited(code) => Ok(code),
        End::Signal(6) if stderr.contains("memory allocation of") => {
            Err(format!("out of memory: the limit is {} MiB", check.memory_mib))
        }
        End::Signal(9) => Err("killed by signal 9 from outside, perhaps for want of memory".to_owned()),
        End::Signal(signal) => Err(format!("killed by signal {signal}")),
        End::TimedOut => Err(format!("out of time: the limit is {} s", check.seconds)),
        End::TooMuchOutput => Err(format!("more than {} bytes of output", crate::process::STDOUT_BYTES)),
        End::Unclosed => Err("ended, but something that it started keeps its output open".to_owned()),
    }
}

/// The first respect in which a run differs from what the manifest expects.
fn difference(entry: &Entry, check: &Check, said: &Said) -> Option<String> {
    if said.statement != entry.statement {
        return Some(format!("statement `{}`, expected `{}`", said.statement, entry.statement));
    }
    if said.verdict != check.verdict {
        return Some(format!("verdict `{}`, expected `{}`", said.verdict, check.verdict));
    }
    let expected = check.counters.as_ref()?;
    let counted = verdict::counters(&said.lines);
    let length = expected.len().max(counted.len());
    (0..length).find_map(|index| {
        let (expected, counted) = (expected.get(index), counted.get(index));
        let or =
            |line: Option<&String>| line.map_or_else(|| "no line".to_owned(), |line| format!("`{line}`"));
        (expected != counted).then(|| format!("counted {}, expected {}", or(counted), or(expected)))
    })
}

/// A claim over its checks.
#[must_use]
pub fn claim(family: Family, entry: &Entry, checks: Vec<Outcome>) -> Claim {
    let rank = |status: &Status| match status {
        Status::Failed(_) => 0,
        Status::Verified => 1,
        Status::Conditional => 2,
        Status::Declined => 3,
        Status::NotRun(_) => 4,
    };
    let best = checks.iter().min_by_key(|check| rank(&check.status));
    let status = match best {
        Some(Outcome { status: Status::Failed(reason), check, .. }) => {
            Status::Failed(format!("{check}: {reason}"))
        }
        Some(best) => best.status.clone(),
        None => Status::NotRun("it has no check".to_owned()),
    };
    let verdict = best.map(|best| best.verdict.clone()).unwrap_or_default();
    Claim {
        name: entry.name.clone(),
        family,
        folder: format!("certificates/{}", entry.name),
        statement: entry.statement.clone(),
        status,
        rests_on: verdict::rests_on(&verdict).map(str::to_owned),
        verdict,
        provenance: entry.provenance.clone(),
        files: entry.files.clone(),
        checks,
    }
}

/// A suite that has run.
#[must_use]
pub fn suite(entry: &SuiteEntry, ended: &io::Result<Ended>) -> Suite {
    let passed = ended.as_ref().map_or(0, |ended| passed(&ended.stdout));
    let status = match ended {
        Err(error) => Status::Failed(format!("could not be run: {error}")),
        Ok(Ended { end: End::Exited(0), .. }) if passed >= entry.tests && passed > 0 => Status::Verified,
        Ok(Ended { end: End::Exited(0), .. }) => {
            Status::Failed(format!("{passed} tests passed, expected {}", entry.tests))
        }
        Ok(Ended { end: End::TimedOut, .. }) => {
            Status::Failed(format!("out of time: the limit is {} s", entry.seconds))
        }
        Ok(Ended { end: End::Exited(code), .. }) => Status::Failed(format!("exit code {code}")),
        Ok(ended) => Status::Failed(format!("{:?}", ended.end)),
    };
    Suite { status, passed, ..suite_not_run(entry, String::new()) }
}

/// A suite that has not run.
#[must_use]
pub fn suite_not_run(entry: &SuiteEntry, reason: String) -> Suite {
    let words: Vec<String> = entry.arguments.iter().map(|word| shell_word(word)).collect();
    Suite {
        name: entry.name.clone(),
        tier: entry.tier,
        command: format!("cargo {}", words.join(" ")),
        status: Status::NotRun(reason),
        passed: 0,
    }
}

/// Good and bad inputs that have run: exit code and last line have to agree on every case of the file.
#[must_use]
pub fn vectors(corpus: &Corpus, ended: &io::Result<Ended>) -> Vectors {
    let cases = corpus.cases.len();
    let mut vectors = vectors_not_run(corpus, String::new());
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            vectors.status = Status::Failed(format!("could not be run: {error}"));
            return vectors;
        }
    };
    let stdout = String::from_utf8_lossy(&ended.stdout);
    let mut lines: Vec<&str> = stdout.lines().collect();
    let counted = lines.pop().and_then(|line| {
        let (well, all) = line.strip_prefix("vectors ")?.split_once(" of ")?;
        Some((well.parse::<usize>().ok()?, all.parse::<usize>().ok()?))
    });
    let well = counted.filter(|&(well, all)| all == cases && well <= all).map(|(well, _)| well);
    vectors.as_stated = well.unwrap_or_default();
    vectors.status = match (ended.end, well) {
        (End::Exited(0), Some(well)) if well == cases && cases > 0 => Status::Verified,
        (End::Exited(1), Some(well)) if well < cases => {
            // The lines before count; the first of them says what is wrong.
            let first = lines.first().copied().unwrap_or_default();
            Status::Failed(format!("{well} of {cases} cases as stated: {}", escaped(first.as_bytes(), 1000)))
        }
        (End::TimedOut, _) => Status::Failed("out of time".to_owned()),
        (end, _) => Status::Failed(format!("{end:?}: {}", escaped_tail(&ended.stderr, 1000))),
    };
    vectors
}

/// Good and bad inputs that have not run.
#[must_use]
pub fn vectors_not_run(corpus: &Corpus, reason: String) -> Vectors {
    let checker = corpus.family.checker();
    Vectors {
        checker: checker.to_owned(),
        tier: corpus.tier,
        command: format!("cargo run -p audit -- vectors --checker {checker}"),
        status: Status::NotRun(reason),
        cases: corpus.cases.len(),
        as_stated: 0,
    }
}

/// Tests that passed, over all `test result` lines.
fn passed(stdout: &[u8]) -> u64 {
    let count = |line: &str| line.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<u64>().ok();
    String::from_utf8_lossy(stdout).lines().filter_map(count).sum()
}

/// Fills in counts, exit code and conclusion.
pub fn conclude(audit: &mut Audit) {
    let mut counts = Counts::default();
    let mut conditional = Vec::new();
    for claim in &audit.claims {
        let place = match claim.status {
            Status::Verified => &mut counts.verified,
            Status::Conditional => &mut counts.conditional,
            Status::Declined => &mut counts.declined,
            Status::Failed(_) => &mut counts.failed,
            Status::NotRun(_) => &mut counts.not_run,
        };
        *place += 1;
        if claim.status == Status::Conditional {
            conditional.push(claim.name.as_str());
        }
    }
    let suites = audit.suites.iter().filter(|suite| matches!(suite.status, Status::Failed(_))).count();
    let vectors = audit.vectors.iter().filter(|vectors| matches!(vectors.status, Status::Failed(_))).count();
    let problems = audit.problems.len() + suites + vectors;
    let open = counts.conditional + counts.declined + counts.not_run;
    audit.exit_code = if counts.failed + problems > 0 || audit.claims.is_empty() {
        1
    } else if open > 0 {
        2
    } else {
        0
    };
    let mut parts = vec![format!("{} of {} claims verified", counts.verified, audit.claims.len())];
    let mut part = |count: usize, text: String| {
        if count > 0 {
            parts.push(text);
        }
    };
    part(counts.conditional, format!("{} conditional ({})", counts.conditional, conditional.join(", ")));
    part(counts.declined, format!("{} declined", counts.declined));
    part(counts.failed, format!("{} failed", counts.failed));
    part(counts.not_run, format!("{} not run", counts.not_run));
    part(suites, format!("{suites} test suites failed"));
    part(vectors, format!("good and bad inputs of {vectors} checkers failed"));
    part(audit.problems.len(), format!("{} other problems", audit.problems.len()));
    audit.conclusion = parts.join(", ");
    audit.counts = counts;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Tier;

    #[allow(clippy::unnecessary_wraps, reason = "what the judging functions take")]
    fn ended(end: End, stdout: &str) -> io::Result<Ended> {
        let (stdout, stderr) = (stdout.as_bytes().to_vec(), Vec::new());
        Ok(Ended { end, stdout, stderr, seconds: 1.0, cpu_seconds: 1.0, peak_bytes: 1 })
    }

    fn entry(tests: u64) -> SuiteEntry {
        SuiteEntry {
            name: "slow".to_owned(),
            package: "p".to_owned(),
            tier: Tier::Gate,
            arguments: vec!["test".to_owned(), "a b".to_owned()],
            seconds: 1,
            tests,
        }
    }

    #[test]
    fn a_suite_in_which_too_few_tests_ran_is_a_failure() {
        let stdout = "test result: ok. 0 passed; 0 failed\ntest result: ok. 2 passed; 0 failed; 1 ignored\n";
        let judged = |tests| suite(&entry(tests), &ended(End::Exited(0), stdout));
        assert_eq!((judged(2).status, judged(2).passed), (Status::Verified, 2));
        assert_eq!(judged(3).status, Status::Failed("2 tests passed, expected 3".to_owned()));
        assert_eq!(judged(2).command, "cargo test 'a b'");
        let none = suite(&entry(0), &ended(End::Exited(0), "test result: ok. 0 passed\n"));
        assert!(matches!(none.status, Status::Failed(_)));
    }

    #[test]
    fn a_suite_that_fails_or_is_stopped_is_a_failure_however_many_tests_passed() {
        for end in [End::Exited(101), End::Signal(9), End::TimedOut, End::Unclosed] {
            let judged = suite(&entry(1), &ended(end, "test result: ok. 9 passed; 0 failed\n"));
            assert!(matches!(judged.status, Status::Failed(_)), "{end:?}");
        }
    }

    #[test]
    fn a_claim_is_as_good_as_its_best_check_and_failed_if_one_failed() {
        let entry = Entry::new("a");
        let claim_of = |statuses: &[Status]| {
            let check = |status: &Status| Outcome {
                status: status.clone(),
                ..not_run(Family::Dosello, &entry, &Check::plain(), String::new())
            };
            claim(Family::Dosello, &entry, statuses.iter().map(check).collect()).status
        };
        let (failed, idle) = (Status::Failed("x".to_owned()), Status::NotRun("y".to_owned()));
        assert_eq!(claim_of(&[Status::Conditional, Status::Verified]), Status::Verified);
        assert_eq!(claim_of(&[idle.clone(), Status::Conditional]), Status::Conditional);
        assert_eq!(claim_of(&[idle.clone(), Status::Declined]), Status::Declined);
        assert_eq!(claim_of(std::slice::from_ref(&idle)), idle);
        assert_eq!(claim_of(&[Status::Verified, failed]), Status::Failed("plain: x".to_owned()));
        assert!(matches!(claim_of(&[]), Status::NotRun(_)));
    }
}
