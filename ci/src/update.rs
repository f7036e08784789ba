//! `audit manifest --update`: what the files are and what the checkers say becomes what is expected.

use crate::claims::{self, Tree};
use crate::examine::{Named, Seen, Setting, Subject, examine};
use crate::manifest::{Check, Entry, Manifest};
use crate::outcome::{Claim, Cost, Outcome, Status, Tier};
use crate::verdict;
use std::io;

/// A new claim's check that takes more processor seconds is no longer of this tier.
const CPU_SECONDS: [(f64, Tier); 2] = [(1200.0, Tier::Nightly), (120.0, Tier::Gate)];
/// Limit on the time of a new nightly check.
const NIGHT_SECONDS: u64 = 86_400;

/// What to bring up to date.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Run all checks of the tier, not only those whose files are new or whose results are unknown.
    pub rerun: bool,
    /// Run nothing.
    pub files_only: bool,
    /// Only these claims' checks run; the files of all are read anew in any case.
    pub claims: Vec<String>,
    /// For entries that say nothing on their provenance.
    pub provenance: Option<String>,
}

/// What an update did.
#[derive(Debug)]
pub struct Updated {
    /// The new manifest.
    pub manifest: Manifest,
    /// What changed, for people.
    pub news: Vec<String>,
    /// What could not be recorded. The manifest keeps what it had there.
    pub problems: Vec<String>,
}

/// Makes the manifest anew from the files, the old manifest and the checkers.
///
/// # Errors
/// The layout of the files is wrong, a file cannot be read, or the checkers cannot be built.
pub fn update(setting: &Setting, wish: &Wish) -> io::Result<Updated> {
    let tree = claims::find(&setting.root)?;
    if !tree.problems.is_empty() {
        return Err(io::Error::other(tree.problems.join("; ")));
    }
    let seen = Seen::new(&setting.root, &tree);
    let old = Manifest::load(&setting.root)?.unwrap_or_default();
    let (mut manifest, mut news) = with_files(setting, &tree, &old, wish)?;
    let stale: Vec<String> = manifest
        .claims
        .iter()
        .filter(|_| !wish.files_only)
        .filter(|entry| wish.claims.is_empty() || wish.claims.contains(&entry.name))
        .filter(|entry| wish.rerun || is_stale(entry, old.entry(&entry.name), setting.tier))
        .map(|entry| entry.name.clone())
        .collect();
    let mut problems = Vec::new();
    if !stale.is_empty() {
        // Without a statement, a run is not compared with anything.
        let mut open = manifest.clone();
        open.suites.clear();
        open.claims.iter_mut().for_each(|entry| entry.statement.clear());
        let subject = Subject { tree, seen, manifest: open, problems: Vec::new() };
        let audit = examine(setting, &subject, &Named(stale)).map_err(io::Error::other)?;
        for claim in &audit.claims {
            if let Some(entry) = manifest.claims.iter_mut().find(|entry| entry.name == claim.name) {
                let known = old.entry(&entry.name).is_some();
                record(entry, known, claim, &audit.run.costs, &mut news, &mut problems);
            }
        }
    }
    Ok(Updated { manifest, news, problems })
}

fn with_files(
    setting: &Setting,
    tree: &Tree,
    old: &Manifest,
    wish: &Wish,
) -> io::Result<(Manifest, Vec<String>)> {
    let mut news = Vec::new();
    let measure = |paths: &[String]| {
        let measured: Result<Vec<_>, _> =
            paths.iter().map(|path| claims::measure(&setting.root, path)).collect();
        measured.map_err(io::Error::other)
    };
    let mut manifest = Manifest {
        format: 1,
        claims: Vec::new(),
        others: measure(&tree.unclaimed)?,
        suites: old.suites.clone(),
    };
    for (name, found) in &tree.claims {
        let mut entry = old.entry(name).cloned().unwrap_or_else(|| {
            news.push(format!("{name}: new"));
            Entry::new(name)
        });
        let files = measure(&found.files)?;
        if old.entry(name).is_some() && files != entry.files {
            news.push(format!("{name}: its files have changed"));
        }
        entry.files = files;
        if entry.provenance.trim().is_empty() {
            match &wish.provenance {
                Some(text) => entry.provenance.clone_from(text),
                None => {
                    news.push(format!("{name}: say how it was made (provenance), or --check will complain"));
                }
            }
        }
        manifest.claims.push(entry);
    }
    for entry in &old.claims {
        if !tree.claims.contains_key(&entry.name) {
            news.push(format!("{}: dropped, there is no such folder", entry.name));
        }
    }
    Ok((manifest, news))
}

fn is_stale(entry: &Entry, old: Option<&Entry>, tier: Tier) -> bool {
    let unknown =
        |check: &Check| check.tier <= tier && (check.verdict.is_empty() || check.counters.is_none());
    old.is_none_or(|old| old.files != entry.files)
        || entry.statement.is_empty()
        || entry.checks.iter().any(unknown)
}

/// Takes what the runs of a claim say into its entry.
fn record(
    entry: &mut Entry,
    known: bool,
    claim: &Claim,
    costs: &[Cost],
    news: &mut Vec<String>,
    problems: &mut Vec<String>,
) {
    let failed = |check: &Outcome| matches!(check.status, Status::Failed(_));
    if let Status::Failed(reason) = &claim.status
        && !claim.checks.iter().any(failed)
    {
        problems.push(format!("{}: not recorded: {reason}", entry.name));
        return;
    }
    for outcome in &claim.checks {
        let Some(check) = entry.checks.iter_mut().find(|check| check.name == outcome.check) else { continue };
        let name = format!("{} {}", entry.name, check.name);
        match &outcome.status {
            Status::NotRun(_) => continue,
            Status::Failed(reason) => {
                if !known && reason.starts_with("out of time") {
                    (check.tier, check.seconds) = (Tier::Nightly, NIGHT_SECONDS);
                    let what = "takes long, so it is nightly now; run the update with --tier nightly";
                    news.push(format!("{name}: {what}, or write the verdict and the statement by hand"));
                } else {
                    problems.push(format!("{name}: not recorded: {reason}"));
                }
                continue;
            }
            _ => {}
        }
        if !known {
            check.tier = tier(outcome, costs).unwrap_or(check.tier);
        }
        if entry.statement != outcome.statement {
            if !entry.statement.is_empty() {
                news.push(format!("{name}: the statement changes: note it in certificates/CHANGES.md"));
            }
            entry.statement.clone_from(&outcome.statement);
        }
        if check.verdict != outcome.verdict {
            if !check.verdict.is_empty() {
                news.push(format!("{name}: `{}` becomes `{}`", check.verdict, outcome.verdict));
            }
            check.verdict.clone_from(&outcome.verdict);
        }
        let counters = Some(verdict::counters(&outcome.lines));
        if check.counters != counters {
            news.push(format!("{name}: counters recorded"));
            check.counters = counters;
            check.uncounted = None;
        }
    }
    let statements: Vec<&str> =
        claim.checks.iter().map(|check| check.statement.as_str()).filter(|text| !text.is_empty()).collect();
    if statements.windows(2).any(|pair| pair.first() != pair.last()) {
        problems.push(format!("{}: its checks make different statements", entry.name));
    }
}

fn tier(outcome: &Outcome, costs: &[Cost]) -> Option<Tier> {
    let cost = costs.iter().find(|cost| cost.claim == outcome.claim && cost.check == outcome.check)?;
    CPU_SECONDS.into_iter().find(|(least, _)| cost.cpu_seconds > *least).map(|(_, tier)| tier)
}
