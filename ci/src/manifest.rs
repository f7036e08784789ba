//! `certificates/MANIFEST.toml`: what every claim is expected to say, what it consists of, and how it was made.
//!
//! A person writes `provenance`, and may change the checks' names, tiers, arguments and limits; `audit manifest
//! --update` writes everything else.

use crate::claims::{self, Tree};
use crate::outcome::{FileEntry, Tier};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// From the root.
pub const PATH: &str = "certificates/MANIFEST.toml";
/// From the root; works with `sha256sum -c` in its folder.
pub const SUMS: &str = "certificates/SHA256SUMS";

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// 1.
    pub format: u32,
    /// By name.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Entry>,
    /// Files of `proofsets/` on which no claim rests.
    #[serde(default, rename = "other")]
    pub others: Vec<FileEntry>,
    /// Tests too long for the ordinary ones.
    #[serde(default, rename = "suite")]
    pub suites: Vec<SuiteEntry>,
}

/// One claim or set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Folder below `certificates/`.
    pub name: String,
    /// What the checker's line `statement` says.
    pub statement: String,
    /// How the certificate was made.
    pub provenance: String,
    /// Runs of the checker, cheapest first.
    #[serde(rename = "check")]
    pub checks: Vec<Check>,
    /// All files of the folder, and the proof sets that the claim names.
    #[serde(default, rename = "file")]
    pub files: Vec<FileEntry>,
}

/// One run of a checker, and what it must end in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Unlike those of the claim's other checks.
    pub name: String,
    /// Its cost.
    pub tier: Tier,
    /// After the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Threads that it uses.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub threads: usize,
    /// Limit on wall-clock time.
    pub seconds: u64,
    /// Limit on address space, MiB.
    pub memory_mib: u64,
    /// The expected last line. It decides whether the check is expected to be conditional.
    pub verdict: String,
    /// The expected counting lines, in order. Absent until the check has run once: then only statement and verdict are
    /// compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Vec<String>>,
    /// Why there are no counters, by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<String>,
}

fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_one(threads: &usize) -> bool {
    *threads == 1
}

/// A test suite that the gate runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteEntry {
    /// Unlike the others'.
    pub name: String,
    /// Whose sources make it necessary: a package.
    pub package: String,
    /// Its cost.
    pub tier: Tier,
    /// After `cargo`.
    pub arguments: Vec<String>,
    /// Limit on wall-clock time, with building.
    pub seconds: u64,
    /// Tests that must have passed.
    pub tests: u64,
}

impl Check {
    /// What a claim gets that has no entry yet.
    #[must_use]
    pub fn plain() -> Check {
        Check {
            name: "plain".to_owned(),
            tier: Tier::EveryRun,
            arguments: Vec::new(),
            threads: 1,
            seconds: 900,
            memory_mib: 2048,
            verdict: String::new(),
            counters: None,
            uncounted: None,
        }
    }

    /// Why there are no counters.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.uncounted.as_deref().unwrap_or_default().trim()
    }
}

impl Entry {
    /// For a claim that has none yet.
    #[must_use]
    pub fn new(name: &str) -> Entry {
        Entry {
            name: name.to_owned(),
            statement: String::new(),
            provenance: String::new(),
            checks: vec![Check::plain()],
            files: Vec::new(),
        }
    }
}

impl Manifest {
    /// Reads the manifest of a repository; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read or is not well-formed.
    pub fn load(root: &Path) -> io::Result<Option<Manifest>> {
        match fs::read_to_string(root.join(PATH)) {
            Ok(text) => Manifest::parse(&text).map(Some).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io::Error::new(error.kind(), format!("{PATH}: {error}"))),
        }
    }

    /// Reads the text of a manifest.
    ///
    /// # Errors
    /// What is not well-formed, with its line.
    pub fn parse(text: &str) -> Result<Manifest, String> {
        let manifest: Manifest = toml::from_str(text).map_err(|error| format!("{PATH}: {error}"))?;
        if manifest.format != 1 {
            return Err(format!("{PATH}: format {} is not known", manifest.format));
        }
        let names = manifest.claims.iter().map(|entry| &entry.name).collect::<BTreeSet<_>>();
        if names.len() != manifest.claims.len() {
            return Err(format!("{PATH}: a claim has two entries"));
        }
        let checks = manifest.claims.iter().flat_map(|entry| &entry.checks).map(|check| &check.name);
        if let Some(odd) = names.into_iter().chain(checks).find(|name| !claims::is_plain(name)) {
            return Err(format!("{PATH}: the name `{odd}` is not plain"));
        }
        for file in manifest.files() {
            if !file.path.split('/').all(claims::is_plain) {
                return Err(format!("{PATH}: the path `{}` is not plain", file.path));
            }
        }
        for entry in &manifest.claims {
            let names = entry.checks.iter().map(|check| &check.name).collect::<BTreeSet<_>>();
            if names.len() != entry.checks.len() || names.is_empty() {
                return Err(format!("{PATH}: {} has no check, or two of one name", entry.name));
            }
        }
        Ok(manifest)
    }

    /// The text of the file.
    ///
    /// # Errors
    /// None that can be brought about from outside.
    pub fn text(&self) -> io::Result<String> {
        let body = toml::to_string_pretty(self).map_err(io::Error::other)?;
        Ok(format!(
            "# What is claimed, what each claim must say when it is checked, and what it consists of.\n\
             # `cargo run -p audit -- manifest --update` writes this file. By hand: provenance, and the name, tier,\n\
             # arguments, threads and limits of a check, and why it has no counters yet (uncounted). Tiers: every-run,\n\
             # gate, nightly.\n\
             {body}"
        ))
    }

    /// `SHA256SUMS`: every file of the manifest and the manifest itself, relative to `certificates/`.
    ///
    /// # Errors
    /// As [`Manifest::text`].
    pub fn sums(&self) -> io::Result<String> {
        use sha2::{Digest, Sha256};
        let mut lines = BTreeMap::new();
        lines.insert("MANIFEST.toml".to_owned(), claims::hex(&Sha256::digest(self.text()?.as_bytes())));
        for file in self.files() {
            let path = match file.path.strip_prefix("certificates/") {
                Some(inside) => inside.to_owned(),
                None => format!("../{}", file.path),
            };
            lines.insert(path, file.sha256.clone());
        }
        Ok(lines.into_iter().fold(String::new(), |mut text, (path, sum)| {
            let _ = writeln!(text, "{sum}  {path}");
            text
        }))
    }

    fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.claims.iter().flat_map(|entry| &entry.files).chain(&self.others)
    }

    /// Checks whose counters were never recorded.
    pub fn uncounted(&self) -> impl Iterator<Item = (&Entry, &Check)> {
        let all = self.claims.iter().flat_map(|entry| entry.checks.iter().map(move |check| (entry, check)));
        all.filter(|(_, check)| check.counters.is_none())
    }

    /// The entry of a claim.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.claims.iter().find(|entry| entry.name == name)
    }

    /// Writes the manifest and `SHA256SUMS`, each by way of a file beside it, so that neither is ever half written.
    ///
    /// # Errors
    /// One of them could not be written.
    pub fn save(&self, root: &Path) -> io::Result<()> {
        write_whole(&root.join(PATH), &self.text()?)?;
        write_whole(&root.join(SUMS), &self.sums()?)
    }

    /// Compares the manifest with the files. Returns what is wrong, one sentence each; nothing wrong, nothing returned.
    #[must_use]
    pub fn check(&self, root: &Path, tree: &Tree) -> Vec<String> {
        let mut problems = tree.problems.clone();
        let mut sound = true;
        for entry in &self.claims {
            match tree.claims.get(&entry.name) {
                None => problems.push(format!("{PATH}: the entry {} has no claim on disk", entry.name)),
                Some(found) => compare(root, &entry.name, &entry.files, &found.files, &mut problems),
            }
            if entry.provenance.trim().is_empty() {
                problems.push(format!("{PATH}: {} says nothing on its provenance", entry.name));
            }
            if entry.statement.is_empty() {
                problems.push(format!("{PATH}: {} has no statement", entry.name));
            }
            for check in &entry.checks {
                if crate::verdict::Kind::of(&check.verdict).is_none() {
                    sound = false;
                    problems.push(format!("{PATH}: {} {} expects no known verdict", entry.name, check.name));
                }
                if check.counters.is_none() && check.reason().is_empty() {
                    let what = "has no counters and does not say why (uncounted)";
                    problems.push(format!("{PATH}: {} {} {what}", entry.name, check.name));
                }
            }
        }
        for name in tree.claims.keys() {
            if self.entry(name).is_none() {
                problems.push(format!("certificates/{name} has no entry in {PATH}"));
            }
        }
        compare(root, "proofsets", &self.others, &tree.unclaimed, &mut problems);
        match (self.sums(), fs::read_to_string(root.join(SUMS))) {
            (Ok(expected), Ok(text)) if expected == text => {}
            (Ok(_), Ok(_)) => problems.push(format!("{SUMS} is not what follows from {PATH}")),
            (_, Err(error)) => problems.push(format!("{SUMS}: {error}")),
            (Err(error), _) => problems.push(format!("{PATH}: {error}")),
        }
        if sound && self.claims.is_empty() {
            problems.push(format!("{PATH} lists no claim"));
        }
        problems
    }
}

fn compare(root: &Path, of: &str, entries: &[FileEntry], files: &[String], problems: &mut Vec<String>) {
    let listed: BTreeMap<&str, &FileEntry> =
        entries.iter().map(|entry| (entry.path.as_str(), entry)).collect();
    if listed.len() != entries.len() {
        problems.push(format!("{PATH}: {of} lists a file twice"));
    }
    for path in listed.keys() {
        if !files.iter().any(|file| file == path) {
            problems.push(format!("{PATH}: {of} lists {path}, which is not there"));
        }
    }
    for path in files {
        match (listed.get(path.as_str()), claims::measure(root, path)) {
            (None, _) => problems.push(format!("{path} has no entry in {PATH}")),
            (Some(_), Err(problem)) => problems.push(problem),
            (Some(entry), Ok(measured)) if **entry != measured => {
                problems.push(format!("{path} is not the file of the manifest: its hash or size differs"));
            }
            _ => {}
        }
    }
}

/// Writes a file by way of another one in the same folder.
///
/// # Errors
/// It could not be written; the old file, if any, is still there.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(named)?;
    io::Write::write_all(&mut file, text.as_bytes()).map_err(named)?;
    file.as_file().sync_all().map_err(named)?;
    // A temporary file is its owner's alone; this one is for everybody.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(file.path(), mode).map_err(named)?;
    file.persist(path).map_err(|error| named(error.error))?;
    Ok(())
}
