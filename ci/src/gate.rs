//! Whether a change may land.
//!
//! From the files that differ from the base revision follows what is re-verified, and what is refused:
//!
//! 1. a certificate changes and the manifest's entry for that file does not;
//! 2. a statement, a verdict or the demands of a check change, or a claim comes or goes, and no new line in
//!    `certificates/CHANGES.md` names the claim;
//! 3. a claim changes and no check of it is of the tier that runs;
//! 4. good and bad inputs of a checker go or expect another exit code, and no new line names the checker;
//! 5. a checker and certificates that it reads change at once, or the gate and certificates. Such a change also goes
//!    through the base revision's checker and gate, whose answers are in the report, and needs an explicit override.
//!
//! The base is where the change's history leaves the base revision; files that are not committed yet count as changed.

use crate::checkers::{self, Source};
use crate::claims;
use crate::examine::{Select, Setting, Subject, examine};
use crate::git::Repository;
use crate::judge;
use crate::manifest::{Entry, Manifest, PATH, SuiteEntry};
use crate::outcome::{Audit, Family, FileEntry, Status, Tier};
use crate::vectors;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where statements' changes are explained, from the root.
pub const CHANGES: &str = "certificates/CHANGES.md";

/// What is asked of the gate.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The revision to compare with.
    pub base: Option<String>,
    /// Re-verify every claim.
    pub every: bool,
    /// Set refusal 5 aside for this reason.
    pub set_aside: Option<String>,
    /// Do not ask the base revision.
    pub nested: bool,
    /// The folder of given binaries, as typed.
    pub bin_dir: Option<PathBuf>,
}

/// What a change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Claims to re-verify, with the reasons.
    pub claims: BTreeMap<String, BTreeSet<String>>,
    /// Claims whose files or entries changed.
    pub direct: BTreeSet<String>,
    /// Claims whose files changed: certificates, in short.
    pub certificates: BTreeSet<String>,
    /// Checkers whose sources changed.
    pub checkers: BTreeSet<Family>,
    /// Checkers whose good and bad inputs are run.
    pub vectors: BTreeSet<Family>,
    /// Checkers whose good and bad inputs themselves changed.
    pub vectors_direct: BTreeSet<Family>,
    /// Whether this crate's own judgement changed.
    pub gate: bool,
    /// Refusals of kind 1, 2 and 4.
    pub refusals: Vec<String>,
}

/// Runs the gate.
///
/// # Errors
/// Git, the file system or the build fails. What is wrong with the change is in the audit's problems.
pub fn gate(setting: &Setting, wish: &Wish) -> io::Result<Audit> {
    let subject = Subject::open(&setting.root)?;
    let repository = Repository::new(&setting.root);
    let mut notes = Vec::new();
    let base = base(&repository, wish.base.as_deref(), &mut notes);
    let touched = match &base {
        Some(base) => {
            Some(touched(&repository, &setting.root, base, &subject, &mut notes).map_err(io::Error::other)?)
        }
        None => None,
    };
    let select = Affected { touched: if wish.every { None } else { touched.as_ref() } };
    let mut audit = examine(setting, &subject, &select).map_err(io::Error::other)?;
    if let (Some(touched), Some(base)) = (&touched, &base) {
        audit.problems.extend(touched.refusals.iter().cloned());
        unverified(&mut audit, touched, setting.tier, &mut notes);
        let at_once = at_once(&subject, touched);
        if !at_once.is_empty() && !wish.nested {
            let answers = ask_base(setting, wish, &repository, base, &subject, &at_once);
            let what = refusal(touched, &at_once, &answers);
            match wish.set_aside.as_deref().map(str::trim).filter(|reason| !reason.is_empty()) {
                Some(reason) => audit.overrides.push(format!("{what}; set aside because: {reason}")),
                None => audit.problems.push(format!("{what}; say --override REASON to let it pass")),
            }
        } else if let Some(reason) = &wish.set_aside {
            notes.push(format!("an override was given (`{reason}`), but there was nothing to set aside"));
        }
    }
    audit.notes.extend(notes);
    judge::conclude(&mut audit);
    Ok(audit)
}

/// The commit to compare with.
fn base(repository: &Repository, revision: Option<&str>, notes: &mut Vec<String>) -> Option<String> {
    let Some(revision) = revision else {
        notes.push(
            "no base revision was given: every claim of the tier is re-verified, changes are not looked at"
                .to_owned(),
        );
        return None;
    };
    let Some(commit) = repository.commit(revision) else {
        notes.push(format!(
            "the base revision {revision} is not in this clone: every claim of the tier is re-verified, changes are \
             not looked at"
        ));
        return None;
    };
    let fork = repository.fork(&commit);
    if fork.is_none() {
        notes.push(format!("history does not reach back to {revision}: its own files are compared"));
    }
    Some(fork.unwrap_or(commit))
}

struct Affected<'a> {
    touched: Option<&'a Touched>,
}

impl Select for Affected<'_> {
    fn leaves_out(&self, claim: &str) -> Option<String> {
        let touched = self.touched?;
        (!touched.claims.contains_key(claim)).then(|| "the change does not affect it".to_owned())
    }

    fn leaves_out_suite(&self, suite: &SuiteEntry) -> Option<String> {
        let touched = self.touched?;
        let affected = touched.checkers.iter().any(|family| family.checker() == suite.package);
        (!affected).then(|| "the change does not affect it".to_owned())
    }

    fn leaves_out_vectors(&self, family: Family) -> Option<String> {
        let touched = self.touched?;
        (!touched.vectors.contains(&family)).then(|| "the change does not affect it".to_owned())
    }
}

/// What a change touches, and what is wrong with how it is documented.
///
/// # Errors
/// Git fails.
pub fn touched(
    repository: &Repository,
    root: &Path,
    base: &str,
    subject: &Subject,
    notes: &mut Vec<String>,
) -> Result<Touched, String> {
    let changed = repository.changed(base)?;
    let old = match repository.show(base, PATH)?.map(|text| Manifest::parse(&text)) {
        Some(Ok(manifest)) => Some(manifest),
        Some(Err(error)) => {
            notes.push(format!(
                "the base revision's manifest cannot be read, so nothing is compared with it: {error}"
            ));
            None
        }
        None => {
            notes.push("the base revision has no manifest: statements cannot be compared".to_owned());
            None
        }
    };
    let mut touched = Touched::default();
    sources(repository, root, base, &changed, &mut touched)?;
    for family in touched.checkers.clone() {
        for (name, _) in subject.tree.claims.iter().filter(|(_, found)| found.family == family) {
            touched.add(name, format!("{} changed", family.checker()));
        }
    }
    for path in &changed {
        for name in rests_on(path, subject, old.as_ref()) {
            touched.add(&name, format!("{path} changed"));
            touched.direct.insert(name.clone());
            touched.certificates.insert(name);
        }
        undocumented(root, path, subject, old.as_ref(), &mut touched.refusals);
    }
    if touched.gate {
        for name in subject.tree.claims.keys() {
            touched.add(name, "the gate itself changed".to_owned());
        }
        touched.vectors.extend(Family::ALL);
    }
    // The cases are built from the claims' files.
    let families = touched.claims.keys().filter_map(|name| subject.tree.claims.get(name));
    touched.vectors.extend(families.map(|found| found.family));
    touched.vectors.extend(&touched.checkers);
    let lines = new_lines(repository, root, base)?;
    for family in touched.vectors_direct.clone() {
        touched.vectors.insert(family);
        let old = repository.show(base, &vectors::file(family))?;
        let new = std::fs::read_to_string(root.join(vectors::file(family))).unwrap_or_default();
        if !noted(&lines, family.checker()) {
            touched.refusals.extend(weaker_vectors(family, old.as_deref(), &new));
        }
    }
    if let Some(old) = &old {
        compare(old, &subject.manifest, &lines, &mut touched);
    }
    Ok(touched)
}

impl Touched {
    fn add(&mut self, claim: &str, reason: String) {
        self.claims.entry(claim.to_owned()).or_default().insert(reason);
    }
}

/// Which checkers' sources changed, and whether the gate's did.
fn sources(
    repository: &Repository,
    root: &Path,
    base: &str,
    changed: &BTreeSet<String>,
    touched: &mut Touched,
) -> Result<(), String> {
    for path in changed {
        for family in Family::ALL {
            let inside = path.strip_prefix(family.checker()).and_then(|rest| rest.strip_prefix('/'));
            if inside.is_some_and(is_source) {
                touched.checkers.insert(family);
            }
        }
        let own = path
            .strip_prefix("ci/")
            .is_some_and(|inside| is_source(inside) && !inside.starts_with("src/report/"));
        if own || path.starts_with(".ci/") || path.starts_with(".github/workflows/") {
            touched.gate = true;
        }
        if let Some(inside) = path.strip_prefix(vectors::FOLDER) {
            let own = Family::ALL.into_iter().filter(|family| vectors::file(*family) == *path);
            touched.vectors_direct.extend(own);
            // Inputs that cases share. The description is checked by a test.
            if inside.contains('/') {
                touched.vectors.extend(Family::ALL);
            }
        }
        if path.starts_with(".cargo/config") || path.starts_with("rust-toolchain") {
            touched.checkers.extend(Family::ALL);
        }
    }
    let now = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    if changed.contains("Cargo.toml") {
        let old = repository.show(base, "Cargo.toml")?.unwrap_or_default();
        if build_settings(&old) != build_settings(&now("Cargo.toml")) {
            touched.checkers.extend(Family::ALL);
        }
    }
    if changed.contains("Cargo.lock") {
        let (old, new) = (repository.show(base, "Cargo.lock")?.unwrap_or_default(), now("Cargo.lock"));
        for family in Family::ALL {
            if locked(&old, family.checker()) != locked(&new, family.checker()) {
                touched.checkers.insert(family);
            }
        }
    }
    Ok(())
}

/// Whether a file of a crate goes into its binary.
fn is_source(path: &str) -> bool {
    let apart = ["tests/", "benches/", "fuzz/", "vectors/", "examples/"];
    let text = Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    !text && !apart.iter().any(|folder| path.starts_with(folder))
}

/// What the workspace's `Cargo.toml` says on how crates are built; `None` if it cannot be read.
fn build_settings(text: &str) -> Option<Vec<Option<toml::Value>>> {
    let table: toml::Table = text.parse().ok()?;
    let workspace = table.get("workspace");
    Some(vec![
        table.get("profile").cloned(),
        table.get("patch").cloned(),
        workspace.and_then(|workspace| workspace.get("dependencies")).cloned(),
        workspace.and_then(|workspace| workspace.get("package")).cloned(),
        workspace.and_then(|workspace| workspace.get("lints")).cloned(),
        workspace.and_then(|workspace| workspace.get("resolver")).cloned(),
    ])
}

/// The packages in `Cargo.lock` that a package needs, with versions and check sums; `None` if it cannot be read.
fn locked(text: &str, package: &str) -> Option<BTreeSet<String>> {
    let table: toml::Table = text.parse().ok()?;
    let packages = table.get("package")?.as_array()?;
    let field = |package: &toml::Value, key: &str| {
        package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let mut open = vec![(package.to_owned(), None::<String>)];
    let mut seen = BTreeSet::new();
    while let Some((name, version)) = open.pop() {
        for found in packages.iter().filter(|found| field(found, "name") == name) {
            if version.as_ref().is_some_and(|version| *version != field(found, "version")) {
                continue;
            }
            let line = format!("{name} {} {}", field(found, "version"), field(found, "checksum"));
            if seen.insert(line) {
                let needs = found.get("dependencies").and_then(toml::Value::as_array);
                for need in needs.into_iter().flatten().filter_map(toml::Value::as_str) {
                    let mut words = need.split(' ');
                    let name = words.next().unwrap_or_default().to_owned();
                    open.push((name, words.next().map(str::to_owned)));
                }
            }
        }
    }
    Some(seen)
}

/// The claims, before and after the change, that a path belongs to.
fn rests_on(path: &str, subject: &Subject, old: Option<&Manifest>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let inside = path.strip_prefix("certificates/").and_then(|rest| rest.split_once('/'));
    names.extend(inside.map(|(name, _)| name.to_owned()));
    let found = subject.tree.claims.values();
    names.extend(
        found.filter(|found| found.files.iter().any(|file| file == path)).map(|found| found.name.clone()),
    );
    let entries = old.into_iter().flat_map(|old| &old.claims);
    names.extend(entries.filter(|entry| has(&entry.files, path)).map(|entry| entry.name.clone()));
    names
}

fn has(files: &[FileEntry], path: &str) -> bool {
    files.iter().any(|file| file.path == path)
}

/// Refusal 1.
fn undocumented(
    root: &Path,
    path: &str,
    subject: &Subject,
    old: Option<&Manifest>,
    refusals: &mut Vec<String>,
) {
    let loose =
        |path: &str| claims::LOOSE.iter().any(|name| path.strip_prefix("certificates/") == Some(name));
    let guarded = path.starts_with("certificates/") && !loose(path)
        || path.strip_prefix("proofsets/").is_some_and(|rest| !rest.contains('/'));
    if !guarded {
        return;
    }
    let listed = |manifest: &Manifest| {
        let all = manifest.claims.iter().flat_map(|entry| &entry.files).chain(&manifest.others);
        all.filter(|file| file.path == path).cloned().collect::<Vec<_>>()
    };
    let (before, after) = (old.map(listed).unwrap_or_default(), listed(&subject.manifest));
    let measured = root.join(path).exists().then(|| claims::measure(root, path));
    let stands = match &measured {
        Some(Ok(file)) => after.contains(file),
        Some(Err(_)) => false,
        None => after.is_empty(),
    };
    if before == after && !stands {
        refusals.push(format!("{path} changed, but its entry in {PATH} did not"));
    }
}

/// Lines of `CHANGES.md` that the base does not have.
fn new_lines(repository: &Repository, root: &Path, base: &str) -> Result<Vec<String>, String> {
    let old = repository.show(base, CHANGES)?.unwrap_or_default();
    let new = std::fs::read_to_string(root.join(CHANGES)).unwrap_or_default();
    let known: BTreeSet<&str> = old.lines().map(str::trim).collect();
    Ok(new.lines().map(str::trim).filter(|line| !known.contains(line)).map(str::to_owned).collect())
}

/// Refusal 2, and the claims whose entries changed.
fn compare(old: &Manifest, new: &Manifest, lines: &[String], touched: &mut Touched) {
    let names: BTreeSet<&String> = old.claims.iter().chain(&new.claims).map(|entry| &entry.name).collect();
    for name in names {
        let (before, after) = (old.entry(name), new.entry(name));
        if before == after {
            continue;
        }
        touched.direct.insert(name.clone());
        touched.add(name, format!("its entry in {PATH} changed"));
        for what in weighty(before, after) {
            if !noted(lines, name) {
                touched.refusals.push(format!("{name}: {what}, but no new line in {CHANGES} names it"));
            }
        }
    }
    for suite in &old.suites {
        if new.suites.iter().find(|now| now.name == suite.name) != Some(suite) && !noted(lines, &suite.name) {
            let what = "was changed or dropped, but no new line in";
            touched.refusals.push(format!("the test suite `{}` {what} {CHANGES} names it", suite.name));
        }
    }
}

/// Whether a line names something, in a word of its own.
fn noted(lines: &[String], name: &str) -> bool {
    let apart = |c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c));
    lines.iter().any(|line| line.split(apart).any(|found| found == name))
}

/// Refusal 4: cases that were there and now are not, or that now expect another exit code.
fn weaker_vectors(family: Family, old: Option<&str>, new: &str) -> Option<String> {
    // If the old cases cannot be read, or there were none, there is nothing to fall behind.
    let old = vectors::parse(family, old?).ok()?;
    let new = vectors::parse(family, new).map(|corpus| corpus.cases).unwrap_or_default();
    let exits: BTreeMap<&str, i32> = new.iter().map(|case| (case.name.as_str(), case.exit)).collect();
    let mut gone = old.cases.iter().filter(|case| exits.get(case.name.as_str()) != Some(&case.exit));
    let first = gone.next()?;
    Some(format!(
        "{}: the case `{}` and {} more are gone or expect another exit code, but no new line in {CHANGES} names {}",
        vectors::file(family),
        first.name,
        gone.count(),
        family.checker()
    ))
}

/// What in a claim's entry must not change silently.
fn weighty(before: Option<&Entry>, after: Option<&Entry>) -> Vec<String> {
    let (before, after) = match (before, after) {
        (None, _) => return vec!["the claim is new".to_owned()],
        (_, None) => return vec!["the claim was dropped".to_owned()],
        (Some(before), Some(after)) => (before, after),
    };
    let mut found = Vec::new();
    if before.statement != after.statement {
        found.push("the statement changed".to_owned());
    }
    for check in &before.checks {
        let name = &check.name;
        match after.checks.iter().find(|now| now.name == *name) {
            None => found.push(format!("the check {name} was dropped")),
            Some(now) => {
                if now.verdict != check.verdict && !check.verdict.is_empty() {
                    found.push(format!("the verdict of the check {name} changed"));
                }
                if now.arguments != check.arguments {
                    found.push(format!("the arguments of the check {name} changed"));
                }
                if now.tier > check.tier {
                    found.push(format!("the check {name} runs less often"));
                }
                if check.counters.is_some() && now.counters.is_none() {
                    found.push(format!("the counters of the check {name} were dropped"));
                }
            }
        }
    }
    found
}

/// Refusal 3: a claim that changed, or good and bad inputs, were not looked at. What only its checker touches is named.
fn unverified(audit: &mut Audit, touched: &Touched, tier: Tier, notes: &mut Vec<String>) {
    let idle = |claim: &&crate::outcome::Claim| {
        touched.claims.contains_key(&claim.name) && matches!(claim.status, Status::NotRun(_))
    };
    let idle: Vec<String> = audit.claims.iter().filter(idle).map(|claim| claim.name.clone()).collect();
    for vectors in audit.vectors.iter().filter(|vectors| matches!(vectors.status, Status::NotRun(_))) {
        let name = vectors.name();
        let is = |family: &Family| family.checker() == vectors.checker;
        if touched.vectors_direct.iter().any(is) {
            audit.problems.push(format!("{name} changed, but are not of the tier {tier}: nothing ran"));
        } else if touched.vectors.iter().any(is) {
            notes.push(format!("{name} are affected, but are not of the tier {tier}: nothing ran"));
        }
    }
    for name in idle {
        if touched.direct.contains(&name) {
            audit
                .problems
                .push(format!("{name} changed, but none of its checks is of the tier {tier}: nothing ran"));
        } else {
            notes.push(format!(
                "{name} is affected, but none of its checks is of the tier {tier}: nothing ran"
            ));
        }
    }
}

/// The claims whose certificates change together with what judges them.
fn at_once(subject: &Subject, touched: &Touched) -> BTreeSet<String> {
    let judged = |name: &&String| {
        let family = subject.tree.claims.get(*name).map(|found| found.family);
        touched.gate || family.is_none_or(|family| touched.checkers.contains(&family))
    };
    if touched.gate || !touched.checkers.is_empty() {
        touched.certificates.iter().filter(judged).cloned().collect()
    } else {
        BTreeSet::new()
    }
}

fn refusal(touched: &Touched, at_once: &BTreeSet<String>, answers: &[String]) -> String {
    let mut judges: Vec<&str> = touched.checkers.iter().map(|family| family.checker()).collect();
    if touched.gate {
        judges.push("the gate");
    }
    let claims: Vec<&str> = at_once.iter().map(String::as_str).collect();
    format!(
        "{} and certificates change at once ({}): {}",
        judges.join(", "),
        claims.join(", "),
        answers.join("; ")
    )
}

/// What the base revision's checkers and gate say of the change. Trouble in asking is an answer too.
fn ask_base(
    setting: &Setting,
    wish: &Wish,
    repository: &Repository,
    base: &str,
    subject: &Subject,
    at_once: &BTreeSet<String>,
) -> Vec<String> {
    let there = match repository.check_out(base) {
        Ok(there) => there,
        Err(error) => return vec![format!("the base revision cannot be asked: {error}")],
    };
    let target = setting.root.join("target/audit-base");
    let source = match &wish.bin_dir {
        // Joined with another folder, an absolute path would stay as it is: the change's own checkers.
        Some(folder) if folder.is_absolute() => {
            return vec!["the base revision cannot be asked: --bin-dir is an absolute path".to_owned()];
        }
        Some(folder) => Source::Folder(there.folder.join(folder)),
        None => Source::Cargo { release: false, target: Some(target) },
    };
    let packages: Vec<&str> = Family::ALL.iter().map(|family| family.checker()).collect();
    let binaries = match checkers::binaries(&there.folder, &packages, &source) {
        Ok(binaries) => binaries,
        Err(error) => return vec![format!("the base revision's checkers cannot be had: {error}")],
    };
    let Some(folder) = binaries.values().next().and_then(|path| path.parent()).map(Path::to_owned) else {
        return vec!["the base revision has no checkers".to_owned()];
    };
    let mut answers = by_checkers(setting, &folder, subject, at_once);
    if there.folder.join("ci/Cargo.toml").exists() || folder.join("audit").exists() {
        answers.push(by_gate(setting, &there.folder, &source, &folder, base));
    } else {
        answers.push("the base revision has no gate".to_owned());
    }
    answers
}

fn by_checkers(
    setting: &Setting,
    binaries: &Path,
    subject: &Subject,
    at_once: &BTreeSet<String>,
) -> Vec<String> {
    struct Only<'a>(&'a BTreeSet<String>);
    impl Select for Only<'_> {
        fn leaves_out(&self, claim: &str) -> Option<String> {
            (!self.0.contains(claim)).then(String::new)
        }
        fn leaves_out_suite(&self, _: &SuiteEntry) -> Option<String> {
            Some(String::new())
        }
        fn leaves_out_vectors(&self, _: Family) -> Option<String> {
            Some(String::new())
        }
    }
    let mut subject = subject.clone();
    // What a checker counts may change with its sources; what it says may not.
    for check in subject.manifest.claims.iter_mut().flat_map(|entry| &mut entry.checks) {
        check.counters = None;
    }
    let setting = Setting { source: Source::Folder(binaries.to_owned()), ..setting.clone() };
    let audit = match examine(&setting, &subject, &Only(at_once)) {
        Ok(audit) => audit,
        Err(error) => return vec![format!("the base revision's checkers cannot run: {error}")],
    };
    let asked = audit.claims.iter().filter(|claim| at_once.contains(&claim.name));
    asked
        .map(|claim| {
            let said = match &claim.status {
                Status::Failed(reason) => format!("fails: {reason}"),
                Status::NotRun(_) => "not run at this tier".to_owned(),
                _ => claim.verdict.clone(),
            };
            format!("the base revision's checker on {}: {said}", claim.name)
        })
        .collect()
}

fn by_gate(setting: &Setting, there: &Path, source: &Source, binaries: &Path, base: &str) -> String {
    let gate = match checkers::binaries(there, &["audit"], source) {
        Ok(found) => match found.into_values().next() {
            Some(path) => path,
            None => return "the base revision's gate cannot be built".to_owned(),
        },
        Err(error) => return format!("the base revision's gate cannot be had: {error}"),
    };
    let Ok(out) = tempfile::tempdir() else {
        return "there is no temporary folder for its report".to_owned();
    };
    let output = Command::new(gate)
        .args(["gate", "--nested", "--base", base, "--tier", &setting.tier.to_string(), "--root"])
        .arg(&setting.root)
        .arg("--bin-dir")
        .arg(binaries)
        .arg("--out")
        .arg(out.path())
        .stdin(Stdio::null())
        .output();
    match output {
        Err(error) => format!("the base revision's gate cannot be started: {error}"),
        Ok(output) if output.status.success() => "the base revision's gate lets it pass".to_owned(),
        Ok(output) => {
            let text = crate::escape::escaped_tail(&output.stdout, 20_000);
            let problems: Vec<&str> =
                text.lines().filter_map(|line| line.strip_prefix("problem: ")).collect();
            let said = if problems.is_empty() {
                crate::escape::escaped_tail(&output.stderr, 300)
            } else {
                problems.join("; ")
            };
            format!("the base revision's gate refuses it: {said}")
        }
    }
}
