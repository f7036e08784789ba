//! Runs the checkers on small inputs, good and bad, whose verdicts are known: `ci/vectors/*.toml`.
//!
//! A case passes if everything that it states is so: exit code, last line, statement, further lines. Besides, whatever
//! a case states, the exit code and the last line have to say the same, and nothing unprintable may reach a terminal.
//! The corpus itself is tested with dummy checkers that have to fail in the predicted cases (`ci/tests/vectors.rs`).

use crate::checkers::{self, Source};
use crate::escape::visible;
use crate::outcome::{Family, Tier};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Seconds after which a checker is stopped, unless the command line says otherwise.
pub const LIMIT_SECONDS: u64 = 120;
/// Most bytes of an output that are looked at.
const MAX_OUTPUT: u64 = 1 << 20;

/// Where the cases are, from the root.
pub const FOLDER: &str = "ci/vectors/";
/// Folders whose files are named from the root.
pub const FOLDERS: [&str; 3] = ["certificates/", "ci/", "proofsets/"];

/// `audit vectors`.
#[derive(Clone, Debug, clap::Args)]
pub struct Arguments {
    /// Folder of the checkers' binaries; else they are built
    #[arg(long)]
    pub bin_dir: Option<PathBuf>,
    /// Only this checker, by its package
    #[arg(long)]
    pub checker: Option<String>,
    /// Only cases whose name contains this
    #[arg(long)]
    pub only: Option<String>,
    /// Cases run at the same time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Seconds after which a checker is stopped
    #[arg(long, default_value_t = LIMIT_SECONDS)]
    pub limit: u64,
    /// Show what the checkers print in each case
    #[arg(long)]
    pub show: bool,
}

/// One file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    tier: Tier,
    case: Vec<Case>,
}

/// The cases of one checker.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Whose.
    pub family: Family,
    /// What all of them together cost.
    pub tier: Tier,
    /// In the order of the file.
    pub cases: Vec<Case>,
}

/// An input and what its checker has to say of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Says what is wrong, or right, with it; no other case has this name.
    pub name: String,
    /// Kind of fault as numbered in `ci/vectors/README.md`; 0 for an input without any.
    pub fault: u32,
    /// What the fault would do, were it not found; for a good input what it keeps apart.
    pub effect: String,
    /// Files and folders from the root of the repository, copied to the same place below a temporary root. The folders
    /// that `run` names are taken along in any case.
    #[serde(default)]
    pub take: Vec<String>,
    /// What is changed in the copies, in this order.
    #[serde(default)]
    pub edit: Vec<Edit>,
    /// Arguments of the checker, which runs in the temporary root.
    pub run: Vec<String>,
    /// The exit code.
    pub exit: i32,
    /// The last line; at most one `*` stands for any text.
    pub last: String,
    /// The value of the first line, if it is stated.
    pub statement: Option<String>,
    /// Other lines of standard output.
    #[serde(default)]
    pub lines: Vec<String>,
    /// A part of standard error.
    pub stderr: Option<String>,
    /// Address space that the checker is given, MiB: above what it needs and below what the fault would take.
    pub limit_mib: Option<u64>,
    /// The dummy checkers whose exit code has to be wrong here.
    pub catches: BTreeSet<Dummy>,
}

/// The dummies. One that crashes is caught everywhere and never listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dummy {
    /// Believes every claim.
    AlwaysAccept,
    /// Believes none.
    AlwaysReject,
    /// Believes a claim if its files are well-formed.
    ParseOnly,
}

/// One change of the input: exactly one of the fields besides `file` is there. It has to change something.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// From the temporary root if it starts with one of [`FOLDERS`]; else in the folder that `run` names last.
    pub file: String,
    /// Text that stands there exactly once, and what takes its place.
    pub replace: Option<[String; 2]>,
    /// Text at the end.
    pub append: Option<String>,
    /// The whole content.
    pub write: Option<String>,
    /// Text that is appended, and how often.
    pub fill: Option<(String, usize)>,
    /// Bytes that are kept.
    pub cut: Option<usize>,
    /// Where the bytes are overwritten by these, in hexadecimal.
    pub bytes: Option<(usize, String)>,
    /// The file or folder goes.
    pub remove: Option<bool>,
    /// A link to this.
    pub link: Option<String>,
    /// An empty folder.
    pub folder: Option<bool>,
    /// A copy of this file, which is named in the same way.
    pub copy: Option<String>,
    /// The file becomes `.xz`, with a check of this kind: `none`, `crc32`, `crc64` or `sha256`.
    pub pack: Option<String>,
    /// The `.xz` file becomes unpacked, without the ending.
    pub unpack: Option<bool>,
}

/// A program with the arguments that come before the case's.
#[derive(Clone, Debug)]
pub struct Program {
    /// The binary.
    pub path: PathBuf,
    /// Arguments.
    pub arguments: Vec<String>,
}

/// What a checker did.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Exit code, if it ended by itself.
    pub code: Option<i32>,
    /// Signal that ended it; `SIGKILL` after the time limit.
    pub signal: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// What is not as stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Exit code.
    Exit(String),
    /// Last line.
    Last(String),
    /// Statement.
    Statement(String),
    /// A line that is not there.
    Line(String),
    /// Standard error.
    Stderr(String),
    /// Exit code and last line say different things.
    Disagrees(String),
    /// Output that no terminal should see.
    Unprintable,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Exit(found) => write!(f, "exit code: {found}"),
            Finding::Last(found) => write!(f, "last line: {}", shown(found)),
            Finding::Statement(found) => write!(f, "statement: {}", shown(found)),
            Finding::Line(missing) => write!(f, "missing line: {}", shown(missing)),
            Finding::Stderr(found) => write!(f, "standard error: {}", shown(found)),
            Finding::Disagrees(last) => write!(f, "exit code and last line disagree: {}", shown(last)),
            Finding::Unprintable => write!(f, "output that is not printable text in whole lines"),
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(400).flat_map(char::escape_debug).collect()
}

/// The file of a checker's cases, from the root.
#[must_use]
pub fn file(family: Family) -> String {
    format!("{FOLDER}{}.toml", family.checker().trim_start_matches("verify-"))
}

/// Reads the text of a file of cases.
///
/// # Errors
/// It is not well-formed, has no case or two of one name, or a case that cannot fail.
pub fn parse(family: Family, text: &str) -> Result<Corpus, String> {
    let file = file(family);
    let Table { tier, case: cases } = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
    let mut names = BTreeSet::new();
    for case in &cases {
        if !names.insert(&case.name) {
            return Err(format!("{file}: two cases are called {}", case.name));
        }
        if case.last.matches('*').count() > 1 || case.last == "*" {
            return Err(format!("{file}: {}: the last line could be anything", case.name));
        }
    }
    if cases.is_empty() {
        return Err(format!("{file}: there is no case"));
    }
    Ok(Corpus { family, tier, cases })
}

/// The cases of all checkers that have a file of them.
///
/// # Errors
/// A file that cannot be read or is not well-formed.
pub fn corpora(root: &Path) -> Result<Vec<Corpus>, String> {
    let mut all = Vec::new();
    for family in Family::ALL {
        match fs::read_to_string(root.join(file(family))) {
            Ok(text) => all.push(parse(family, &text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", file(family))),
        }
    }
    Ok(all)
}

/// All cases with the checker that they are for, in the order of the files.
///
/// # Errors
/// As [`corpora`].
pub fn load(root: &Path) -> Result<Vec<(Family, Case)>, String> {
    let with_family = |corpus: Corpus| corpus.cases.into_iter().map(move |case| (corpus.family, case));
    Ok(corpora(root)?.into_iter().flat_map(with_family).collect())
}

impl Case {
    /// The folder or file that the checker is run on: the last argument with a slash.
    fn target(&self) -> Option<&str> {
        self.run.iter().map(String::as_str).rfind(|word| word.contains('/'))
    }

    fn path(&self, to: &Path, name: &str) -> Result<PathBuf, String> {
        let relative = match self.target() {
            Some(target) if !FOLDERS.iter().any(|folder| name.starts_with(folder)) => {
                Path::new(target).join(name)
            }
            _ => PathBuf::from(name),
        };
        if relative.components().all(|part| matches!(part, Component::Normal(_))) {
            Ok(to.join(relative))
        } else {
            Err(format!("{}: {name} leaves the temporary root", self.name))
        }
    }

    /// Builds the input below `to`.
    ///
    /// # Errors
    /// A file that is not there, or an edit that does not fit or changes nothing.
    pub fn prepare(&self, root: &Path, to: &Path) -> Result<(), String> {
        let implied = self.run.iter().filter(|word| word.contains('/') && root.join(word).exists());
        for name in implied.chain(&self.take) {
            copy(&root.join(name), &to.join(name)).map_err(|error| format!("{name}: {error}"))?;
        }
        for edit in &self.edit {
            let file = self.path(to, &edit.file)?;
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", edit.file))?;
            }
            let before = fs::read(&file).ok();
            self.apply(edit, to, &file).map_err(|what| format!("{}: {}: {what}", self.name, edit.file))?;
            if before.is_some() && before == fs::read(&file).ok() {
                return Err(format!("{}: {}: the edit changes nothing", self.name, edit.file));
            }
        }
        Ok(())
    }

    fn apply(&self, edit: &Edit, to: &Path, file: &Path) -> Result<(), String> {
        let words = |error: io::Error| error.to_string();
        let content = || fs::read(file).map_err(words);
        let put = |bytes: &[u8]| fs::write(file, bytes).map_err(words);
        let Edit {
            file: _,
            replace,
            append,
            write,
            fill,
            cut,
            bytes,
            remove,
            link,
            folder,
            copy,
            pack,
            unpack,
        } = edit;
        match (replace, append, write, fill, cut, bytes, remove, link, folder, copy, pack, unpack) {
            (Some([old, new]), None, None, None, None, None, None, None, None, None, None, None) => {
                let text = String::from_utf8(content()?).map_err(|error| error.to_string())?;
                // A caret stands for the start of a line, so that short lines can be told from ends of longer ones.
                let text = format!("\n{text}");
                let (old, new) = (old.replace('^', "\n"), new.replace('^', "\n"));
                match text.matches(&old).count() {
                    1 => {
                        let text = text.replacen(&old, &new, 1);
                        put(text.strip_prefix('\n').unwrap_or(&text).as_bytes())
                    }
                    count => Err(format!("{old:?} stands there {count} times")),
                }
            }
            (None, Some(text), None, None, None, None, None, None, None, None, None, None) => {
                put(&[content()?, text.clone().into_bytes()].concat())
            }
            (None, None, Some(text), None, None, None, None, None, None, None, None, None) => {
                put(text.as_bytes())
            }
            (None, None, None, Some((text, count)), None, None, None, None, None, None, None, None) => {
                put(&[content()?, text.repeat(*count).into_bytes()].concat())
            }
            (None, None, None, None, Some(length), None, None, None, None, None, None, None) => {
                put(content()?.get(..*length).ok_or("it is shorter")?)
            }
            (None, None, None, None, None, Some((at, hex)), None, None, None, None, None, None) => {
                let mut all = content()?;
                let digits: Vec<char> = hex.chars().collect();
                for (index, pair) in digits.chunks(2).enumerate() {
                    let digits: String = pair.iter().collect();
                    let byte = u8::from_str_radix(&digits, 16).map_err(|error| error.to_string())?;
                    *all.get_mut(at + index).ok_or("it is shorter")? = byte;
                }
                put(&all)
            }
            (None, None, None, None, None, None, Some(true), None, None, None, None, None) => {
                if file.is_dir() { fs::remove_dir_all(file) } else { fs::remove_file(file) }.map_err(words)
            }
            (None, None, None, None, None, None, None, Some(target), None, None, None, None) => {
                symlink(target, file).map_err(words)
            }
            (None, None, None, None, None, None, None, None, Some(true), None, None, None) => {
                fs::create_dir_all(file).map_err(words)
            }
            (None, None, None, None, None, None, None, None, None, Some(from), None, None) => {
                fs::copy(self.path(to, from)?, file).map(|_| ()).map_err(words)
            }
            (None, None, None, None, None, None, None, None, None, None, Some(check), None) => {
                let mut target = file.as_os_str().to_owned();
                target.push(".xz");
                fs::write(target, packed(&content()?, check)?).map_err(words)?;
                fs::remove_file(file).map_err(words)
            }
            (None, None, None, None, None, None, None, None, None, None, None, Some(true)) => {
                let mut plain = Vec::new();
                let packed = content()?;
                liblzma::read::XzDecoder::new(packed.as_slice()).read_to_end(&mut plain).map_err(words)?;
                fs::write(file.with_extension(""), plain).map_err(words)?;
                fs::remove_file(file).map_err(words)
            }
            _ => Err("an edit is exactly one change".to_owned()),
        }
    }

    /// Builds the input and runs programs on it, one after the other.
    ///
    /// # Errors
    /// What keeps the case from being run; never what a program does.
    pub fn observe(
        &self,
        root: &Path,
        programs: &[Program],
        limit: Duration,
    ) -> Result<Vec<Observed>, String> {
        let failed = |error: io::Error| format!("{}: {error}", self.name);
        let folder = tempfile::tempdir().map_err(failed)?;
        let input = folder.path().join("root");
        fs::create_dir(&input).map_err(failed)?;
        self.prepare(root, &input)?;
        let run = |program| self.execute(program, folder.path(), &input, limit).map_err(failed);
        programs.iter().map(run).collect()
    }

    fn execute(
        &self,
        program: &Program,
        outside: &Path,
        input: &Path,
        limit: Duration,
    ) -> io::Result<Observed> {
        let (stdout, stderr) = (outside.join("stdout"), outside.join("stderr"));
        let mut command = match self.limit_mib {
            None => Command::new(&program.path),
            Some(mib) => {
                // A shell sets the limit for itself and then becomes the checker.
                let mut shell = Command::new("sh");
                let limit = (mib << 10).to_string();
                shell
                    .args(["-c", "ulimit -v \"$1\" && shift && exec \"$@\"", "sh", &limit])
                    .arg(&program.path);
                shell
            }
        };
        let mut child = command
            .args(&program.arguments)
            .args(&self.run)
            .current_dir(input)
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .spawn()?;
        let id = i32::try_from(child.id()).map_err(io::Error::other)?;
        let (ended, end) = mpsc::channel::<()>();
        let watch = std::thread::spawn(move || {
            if end.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                // The process has not been waited for yet, so the number is still its own.
                let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::SIGKILL);
            }
        });
        let status = child.wait();
        drop(ended);
        watch.join().map_err(|_| io::Error::other("the watching thread failed"))?;
        let status = status?;
        let content = |path: &Path| -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            File::open(path)?.take(MAX_OUTPUT).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        Ok(Observed {
            code: status.code(),
            signal: status.signal(),
            stdout: content(&stdout)?,
            stderr: content(&stderr)?,
        })
    }

    /// Everything that is not as stated.
    #[must_use]
    pub fn judge(&self, observed: &Observed) -> Vec<Finding> {
        let mut findings = Vec::new();
        if observed.code != Some(self.exit) {
            findings.push(Finding::Exit(match (observed.code, observed.signal) {
                (Some(code), _) => format!("{code}, expected {}", self.exit),
                (None, signal) => format!("none, signal {signal:?}, expected {}", self.exit),
            }));
        }
        let text = String::from_utf8_lossy(&observed.stdout);
        let printable = text.chars().all(|character| character == '\n' || !character.is_control());
        let whole = text.is_empty() || text.ends_with('\n');
        if !printable || !whole || std::str::from_utf8(&observed.stdout).is_err() {
            findings.push(Finding::Unprintable);
        }
        let last = text.lines().last().unwrap_or_default();
        let as_stated = match self.last.split_once('*') {
            None => last == self.last,
            Some((start, end)) => {
                last.len() >= start.len() + end.len() && last.starts_with(start) && last.ends_with(end)
            }
        };
        if !as_stated {
            findings.push(Finding::Last(last.to_owned()));
        }
        if observed.code.is_some_and(|code| !agree(code, last)) {
            findings.push(Finding::Disagrees(last.to_owned()));
        }
        if let Some(stated) = &self.statement {
            let first = text.lines().next().unwrap_or_default();
            if first.strip_prefix("statement ") != Some(stated) {
                findings.push(Finding::Statement(first.to_owned()));
            }
        }
        for line in &self.lines {
            if !text.lines().any(|found| found == line) {
                findings.push(Finding::Line(line.clone()));
            }
        }
        let stderr = String::from_utf8_lossy(&observed.stderr);
        if self.stderr.as_ref().is_some_and(|part| !stderr.contains(part)) {
            findings.push(Finding::Stderr(stderr.into_owned()));
        }
        findings
    }
}

/// Whether an exit code and a last line say the same. Code 0 may end in a line that is no verdict, as with `--help`,
/// but never in one that says less than success; and no other code goes with a success.
#[must_use]
pub fn agree(code: i32, last: &str) -> bool {
    let word = last.split(' ').next().unwrap_or_default();
    let success = ["exact_value", "proved_bounds", "verified_set", "exact_bound", "proved_unit"];
    match code {
        0 => word != "failure" && word != "declined" && !word.starts_with("conditional_") && !last.is_empty(),
        1 => word == "failure",
        2 => word.starts_with("conditional_"),
        3 => word == "declined",
        64 | 70 | 74 => !success.contains(&word) && !word.starts_with("conditional_"),
        _ => false,
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    fs::copy(from, to).map(|_| ())
}

fn packed(bytes: &[u8], check: &str) -> Result<Vec<u8>, String> {
    use liblzma::stream::{Check, Stream};
    let check = match check {
        "none" => Check::None,
        "crc32" => Check::Crc32,
        "crc64" => Check::Crc64,
        "sha256" => Check::Sha256,
        other => return Err(format!("no check is called {other}")),
    };
    // The least effort will do: what unpacks to much is as repetitive as can be.
    let stream = Stream::new_easy_encoder(0, check).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    liblzma::read::XzEncoder::new_stream(bytes, stream)
        .read_to_end(&mut out)
        .map_err(|error| error.to_string())?;
    Ok(out)
}

/// One case with what each program did.
pub type Done = (Family, Case, Vec<Observed>);

/// Runs all cases, some at the same time, each with all programs; the result is in the order of the cases.
///
/// # Errors
/// The first case that could not be run.
pub fn run_all(
    root: &Path,
    cases: Vec<(Family, Case)>,
    programs: &(dyn Fn(Family) -> Vec<Program> + Sync),
    jobs: usize,
    limit: Duration,
) -> Result<Vec<Done>, String> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, 64) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some((family, case)) = cases.get(index) else { break };
                    let observed = case.observe(root, &programs(*family), limit);
                    if let Ok(mut results) = results.lock() {
                        results.insert(index, observed);
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().map_err(|_| "a thread failed".to_owned())?;
    let mut done = Vec::with_capacity(cases.len());
    for (index, (family, case)) in cases.into_iter().enumerate() {
        done.push((family, case, results.remove(&index).ok_or("a case was not run")??));
    }
    Ok(done)
}

/// Runs `audit vectors`: 0 if every case is as stated, 1 if not, 74 if the cases could not be run.
#[must_use]
pub fn command(root: &Path, arguments: &Arguments) -> ExitCode {
    match report(root, arguments) {
        Ok((text, all_well)) => {
            let written = io::Write::write_all(&mut io::stdout(), visible(&text).as_bytes());
            ExitCode::from(if written.is_err() { 74 } else { u8::from(!all_well) })
        }
        Err(what) => {
            eprintln!("vectors: {}", visible(&what));
            ExitCode::from(74)
        }
    }
}

/// What `audit vectors` prints, and whether all is well.
///
/// # Errors
/// What keeps the cases from being run.
pub fn report(root: &Path, arguments: &Arguments) -> Result<(String, bool), String> {
    let wanted = |family: Family| arguments.checker.as_ref().is_none_or(|name| name == family.checker());
    if let Some(unknown) = arguments.checker.as_ref().filter(|_| !Family::ALL.into_iter().any(wanted)) {
        return Err(format!("there is no checker {unknown}"));
    }
    let mut cases = load(root)?;
    let only = |name: &str| arguments.only.as_ref().is_none_or(|part| name.contains(part));
    cases.retain(|(family, case)| wanted(*family) && only(&case.name));
    let packages: BTreeSet<&str> = cases.iter().map(|(family, _)| family.checker()).collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    let source = match &arguments.bin_dir {
        Some(folder) => Source::Folder(root.join(folder)),
        None => Source::Cargo { release: false, target: None },
    };
    let binaries = checkers::binaries(root, &packages, &source)?;
    let programs = |family: Family| {
        let path = binaries.get(family.checker()).cloned().unwrap_or_default();
        vec![Program { path, arguments: Vec::new() }]
    };
    let done = run_all(root, cases, &programs, arguments.jobs, Duration::from_secs(arguments.limit))?;
    let mut lines: Vec<String> = Vec::new();
    let mut counts: BTreeMap<Family, (usize, usize)> = BTreeMap::new();
    for (family, case, observed) in &done {
        let observed = observed.first().ok_or("a case was not run")?;
        let findings = case.judge(observed);
        if arguments.show {
            lines.push(format!("{} {}: fault {}", family.checker(), case.name, case.fault));
            for line in String::from_utf8_lossy(&observed.stdout).lines() {
                lines.push(format!("    {}", shown(line)));
            }
            lines.push(format!("    exit code {:?}", observed.code));
        }
        for finding in &findings {
            lines.push(format!("{} {}: {finding}", family.checker(), case.name));
        }
        let (well, all) = counts.entry(*family).or_default();
        *well += usize::from(findings.is_empty());
        *all += 1;
    }
    for (family, (well, all)) in &counts {
        lines.push(format!("{} {well} of {all} cases as stated", family.checker()));
    }
    let well: usize = counts.values().map(|(well, _)| well).sum();
    lines.push(format!("vectors {well} of {}", done.len()));
    lines.push(String::new());
    Ok((lines.join("\n"), well == done.len() && well > 0))
}
