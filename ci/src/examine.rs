//! One audit: find the claims, compare them with the manifest, run the checkers, judge.

use crate::checkers::{self, Source};
use crate::claims::{self, Found, Tree};
use crate::judge;
use crate::machine;
use crate::manifest::{Check, Entry, Manifest, PATH, SuiteEntry};
use crate::outcome::{
    Audit, Claim, Cost, Counts, Family, FileEntry, Outcome, Run, Status, Tier, vectors_name,
};
use crate::process::{Ended, Job};
use crate::schedule::{Room, Task, run_all};
use crate::vectors::{self, Corpus};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Memory set aside for a test suite or for vectors, which run without a limit, MiB.
const SUITE_MIB: u64 = 4096;

/// Where and with what.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The repository.
    pub root: PathBuf,
    /// This program, which knows the hidden command `launch`.
    pub launcher: PathBuf,
    /// The checkers.
    pub source: Source,
    /// The most expensive checks to run.
    pub tier: Tier,
    /// Cores and memory.
    pub room: Room,
}

/// Which checks of the tier run.
pub trait Select {
    /// Why a check of this claim is left out, if it is.
    fn leaves_out(&self, claim: &str) -> Option<String>;
    /// Why a test suite is left out, if it is.
    fn leaves_out_suite(&self, suite: &SuiteEntry) -> Option<String>;
    /// Why the good and bad inputs of a checker are left out, if they are.
    fn leaves_out_vectors(&self, family: Family) -> Option<String>;
}

/// Everything, or some claims by name and no suite.
#[derive(Clone, Debug, Default)]
pub struct Named(pub Vec<String>);

impl Select for Named {
    fn leaves_out(&self, claim: &str) -> Option<String> {
        let wanted = self.0.is_empty() || self.0.iter().any(|name| name == claim);
        (!wanted).then(|| "other claims were asked for".to_owned())
    }

    fn leaves_out_suite(&self, _: &SuiteEntry) -> Option<String> {
        (!self.0.is_empty()).then(|| "single claims were asked for".to_owned())
    }

    fn leaves_out_vectors(&self, _: Family) -> Option<String> {
        (!self.0.is_empty()).then(|| "single claims were asked for".to_owned())
    }
}

/// What is to be audited, before anything has run.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What lies there.
    pub tree: Tree,
    /// The files of the claims, read once, before anything else is done with them.
    pub seen: Seen,
    /// What is expected; empty if there is no manifest.
    pub manifest: Manifest,
    /// What is wrong so far.
    pub problems: Vec<String>,
}

impl Subject {
    /// Looks at the files and compares them with the manifest.
    ///
    /// # Errors
    /// `certificates/` cannot be listed, or the manifest cannot be read.
    pub fn open(root: &Path) -> io::Result<Subject> {
        let tree = claims::find(root).map_err(|error| {
            let folder = root.join("certificates");
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        })?;
        let seen = Seen::new(root, &tree);
        let (manifest, problems) = match Manifest::load(root)? {
            Some(manifest) => {
                let problems = manifest.check(root, &tree);
                (manifest, problems)
            }
            None => (Manifest::default(), vec![format!("{PATH} is missing: nothing says what to expect")]),
        };
        Ok(Subject { tree, seen, manifest, problems })
    }

    /// All claims of the files and of the manifest, by name, with the entry of each.
    fn claims(&self, root: &Path) -> BTreeMap<&str, (Option<&Found>, Entry)> {
        let mut all: BTreeMap<&str, (Option<&Found>, Entry)> = BTreeMap::new();
        for entry in &self.manifest.claims {
            all.insert(&entry.name, (self.tree.claims.get(&entry.name), entry.clone()));
        }
        for (name, found) in &self.tree.claims {
            all.entry(name).or_insert_with(|| {
                let mut entry = Entry::new(name);
                entry.files =
                    found.files.iter().filter_map(|path| claims::measure(root, path).ok()).collect();
                (Some(found), entry)
            });
        }
        all
    }
}

/// A claim's or suite's place in the results.
enum Plan {
    Run(usize),
    Not(String),
}

/// Runs what the selection and the tier ask for.
///
/// # Errors
/// The checkers cannot be built or found.
pub fn examine(setting: &Setting, subject: &Subject, select: &dyn Select) -> Result<Audit, String> {
    let started = Instant::now();
    let mut run = machine::describe(&setting.root, setting.room.cores);
    let all = subject.claims(&setting.root);
    let leaves_out = |name: &str, check: &Check| {
        if check.tier <= setting.tier {
            select.leaves_out(name)
        } else {
            Some(beyond(check.tier, setting.tier))
        }
    };
    let corpora = vectors::corpora(&setting.root)?;
    let vectors_left_out = |corpus: &Corpus| {
        if corpus.tier <= setting.tier {
            select.leaves_out_vectors(corpus.family)
        } else {
            Some(beyond(corpus.tier, setting.tier))
        }
    };
    let claimed = all
        .iter()
        .filter(|(name, (_, entry))| entry.checks.iter().any(|check| leaves_out(name, check).is_none()))
        .filter_map(|(_, (found, _))| found.map(|found| found.family));
    let tested =
        corpora.iter().filter(|corpus| vectors_left_out(corpus).is_none()).map(|corpus| corpus.family);
    let families: BTreeSet<Family> = claimed.chain(tested).collect();
    let packages: Vec<&str> = families.iter().map(|family| family.checker()).collect();
    let binaries = checkers::binaries(&setting.root, &packages, &setting.source)?;
    let checkers = checkers::versions(&setting.launcher, &setting.root, &binaries)?;

    let mut tasks = Vec::new();
    let mut plans = Vec::new();
    for (name, (found, entry)) in &all {
        for check in &entry.checks {
            let binary = found.and_then(|found| binaries.get(found.family.checker()));
            plans.push(match (leaves_out(name, check), binary) {
                (Some(reason), _) => Plan::Not(reason),
                (None, None) => Plan::Not("there is no such folder".to_owned()),
                (None, Some(binary)) => {
                    tasks.push(task(setting, name, check, binary));
                    Plan::Run(tasks.len() - 1)
                }
            });
        }
    }
    let suites = suites(setting, &subject.manifest, select, &mut tasks);
    let vectors = corpora.iter().map(|corpus| {
        vectors_left_out(corpus).map_or_else(
            || {
                tasks.push(vectors_task(setting, corpus, &binaries));
                Plan::Run(tasks.len() - 1)
            },
            Plan::Not,
        )
    });
    let vectors: Vec<Plan> = vectors.collect();
    let results = run_all(&tasks, setting.room);
    let after = claims::find(&setting.root).map(|tree| Seen::new(&setting.root, &tree)).unwrap_or_default();

    let mut audit = Audit {
        format: 1,
        tier: setting.tier,
        exit_code: 1,
        conclusion: String::new(),
        counts: Counts::default(),
        problems: subject.problems.clone(),
        notes: notes(subject, &families, &corpora, &leaves_out),
        overrides: Vec::new(),
        checkers,
        claims: Vec::new(),
        suites: Vec::new(),
        vectors: Vec::new(),
        run: Run::default(),
    };
    let mut plans = plans.into_iter();
    for (found, entry) in all.values() {
        let plans: Vec<Plan> = plans.by_ref().take(entry.checks.len()).collect();
        let mut claim = judged(*found, entry, &plans, &results, &mut run.costs);
        if subject.seen.0.get(&claim.name) != after.0.get(&claim.name) {
            claim.status = Status::Failed("its files changed while the audit ran".to_owned());
        }
        audit.claims.push(claim);
    }
    let missing = Err(io::Error::other("no result"));
    for (entry, plan) in subject.manifest.suites.iter().zip(suites) {
        audit.suites.push(match ended(&plan, &results, &missing, &entry.name, &mut run.costs) {
            Err(reason) => judge::suite_not_run(entry, reason),
            Ok(result) => judge::suite(entry, result),
        });
    }
    for (corpus, plan) in corpora.iter().zip(vectors) {
        let name = vectors_name(corpus.family.checker());
        audit.vectors.push(match ended(&plan, &results, &missing, &name, &mut run.costs) {
            Err(reason) => judge::vectors_not_run(corpus, reason),
            Ok(result) => judge::vectors(corpus, result),
        });
    }
    run.seconds = milli(started.elapsed().as_secs_f64());
    audit.run = run;
    judge::conclude(&mut audit);
    Ok(audit)
}

/// Files of claims as they were at one moment. A checker reads them when it runs: what is not the same before and after
/// may have been anything in between, and the report would show the hash of something else.
#[derive(Clone, Debug, Default)]
pub struct Seen(BTreeMap<String, Vec<Result<FileEntry, String>>>);

impl Seen {
    /// Reads them.
    #[must_use]
    pub fn new(root: &Path, tree: &Tree) -> Seen {
        let measure = |found: &Found| found.files.iter().map(|path| claims::measure(root, path)).collect();
        Seen(tree.claims.iter().map(|(name, found)| (name.clone(), measure(found))).collect())
    }
}

fn beyond(tier: Tier, asked: Tier) -> String {
    format!("tier {tier}, beyond {asked}")
}

/// What a reader must know of a run that found nothing wrong.
fn notes(
    subject: &Subject,
    families: &BTreeSet<Family>,
    corpora: &[Corpus],
    leaves_out: &dyn Fn(&str, &Check) -> Option<String>,
) -> Vec<String> {
    let ran = |(entry, check): &(&Entry, &Check)| leaves_out(&entry.name, check).is_none();
    let uncounted = subject.manifest.uncounted().filter(ran).map(|(entry, check)| {
        let what = "no counters are recorded, so only statement and verdict were compared";
        format!("{} {}: {what}: {}", entry.name, check.name, check.reason())
    });
    let untested = families.iter().filter(|family| !corpora.iter().any(|corpus| corpus.family == **family));
    let untested = untested.map(|family| {
        format!("{} has no good and bad inputs: there is no {}", family.checker(), vectors::file(*family))
    });
    uncounted.chain(untested).collect()
}

/// How something that is no claim ended, or why it was not run.
fn ended<'a>(
    plan: &Plan,
    results: &'a [io::Result<Ended>],
    missing: &'a io::Result<Ended>,
    name: &str,
    costs: &mut Vec<Cost>,
) -> Result<&'a io::Result<Ended>, String> {
    match plan {
        Plan::Not(reason) => Err(reason.clone()),
        Plan::Run(index) => {
            let result = results.get(*index).unwrap_or(missing);
            costs.extend(result.as_ref().ok().map(|ended| cost(name, "", ended)));
            Ok(result)
        }
    }
}

fn judged(
    found: Option<&Found>,
    entry: &Entry,
    plans: &[Plan],
    results: &[io::Result<Ended>],
    costs: &mut Vec<Cost>,
) -> Claim {
    // An entry without a folder is a failure, whatever its family was.
    let family = found.map_or(Family::DarkHex, |found| found.family);
    let expect = !entry.statement.is_empty();
    let missing = Err(io::Error::other("no result"));
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (check, plan) in entry.checks.iter().zip(plans) {
        outcomes.push(match plan {
            Plan::Not(reason) => judge::not_run(family, entry, check, reason.clone()),
            Plan::Run(index) => {
                let result = results.get(*index).unwrap_or(&missing);
                costs.extend(result.as_ref().ok().map(|ended| cost(&entry.name, &check.name, ended)));
                judge::outcome(family, entry, check, result, expect)
            }
        });
    }
    let mut claim = judge::claim(family, entry, outcomes);
    if found.is_none() {
        claim.status = Status::Failed("the manifest names it, but there is no such folder".to_owned());
    }
    claim
}

fn task(setting: &Setting, name: &str, check: &Check, binary: &Path) -> Task {
    let mut arguments = vec![OsString::from(format!("certificates/{name}"))];
    arguments.extend(check.arguments.iter().map(OsString::from));
    Task {
        label: format!("{name} {}", check.name),
        threads: check.threads,
        mib: check.memory_mib,
        rank: check.seconds << 32 | check.memory_mib,
        job: Job {
            launcher: setting.launcher.clone(),
            program: binary.to_owned(),
            arguments,
            folder: setting.root.clone(),
            seconds: check.seconds,
            mib: check.memory_mib,
        },
    }
}

fn suites(setting: &Setting, manifest: &Manifest, select: &dyn Select, tasks: &mut Vec<Task>) -> Vec<Plan> {
    let mut plans = Vec::new();
    for suite in &manifest.suites {
        let reason = if suite.tier > setting.tier {
            Some(beyond(suite.tier, setting.tier))
        } else if matches!(setting.source, Source::Folder(_)) {
            Some("binaries were given: nothing is built".to_owned())
        } else {
            select.leaves_out_suite(suite)
        };
        if let Some(reason) = reason {
            plans.push(Plan::Not(reason));
            continue;
        }
        let cargo = checkers::cargo(&setting.root);
        tasks.push(Task {
            label: suite.name.clone(),
            threads: setting.room.cores,
            mib: SUITE_MIB,
            rank: suite.seconds << 32 | SUITE_MIB,
            job: Job {
                launcher: setting.launcher.clone(),
                program: cargo.get_program().into(),
                arguments: suite.arguments.iter().map(OsString::from).collect(),
                folder: setting.root.clone(),
                seconds: suite.seconds,
                mib: 0,
            },
        });
        plans.push(Plan::Run(tasks.len() - 1));
    }
    plans
}

/// This program as it answers `vectors`, without a limit on memory: the cases have limits of their own.
fn vectors_task(setting: &Setting, corpus: &Corpus, binaries: &BTreeMap<String, PathBuf>) -> Task {
    let checker = corpus.family.checker();
    let folder = binaries.get(checker).and_then(|path| path.parent()).unwrap_or(Path::new("."));
    let seconds = vectors::LIMIT_SECONDS * corpus.cases.len().max(1) as u64;
    let words = ["vectors", "--checker", checker, "--jobs", &setting.room.cores.to_string(), "--bin-dir"];
    let mut arguments: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    arguments.extend([folder.into(), OsString::from("--root"), setting.root.clone().into()]);
    Task {
        label: vectors_name(checker),
        threads: setting.room.cores,
        mib: SUITE_MIB,
        rank: seconds << 32 | SUITE_MIB,
        job: Job {
            launcher: setting.launcher.clone(),
            program: setting.launcher.clone(),
            arguments,
            folder: setting.root.clone(),
            seconds,
            mib: 0,
        },
    }
}

fn cost(claim: &str, check: &str, ended: &Ended) -> Cost {
    Cost {
        claim: claim.to_owned(),
        check: check.to_owned(),
        seconds: milli(ended.seconds),
        cpu_seconds: milli(ended.cpu_seconds),
        peak_bytes: ended.peak_bytes,
    }
}

/// To a thousandth.
fn milli(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
