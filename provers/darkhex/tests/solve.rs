//! Whole solves by the two binaries. They need the `HiGHS` library in `.venv` of the workspace and the checker's binary
//! beside the prover's; where one of them is missing the tests are shown as ignored.
#![allow(missing_docs, reason = "the names of tests are sentences")]

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::num::ParseIntError;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const CLASSIC_3X4: [&str; 6] = ["--rule", "classic", "--rows", "4", "--columns", "3"];
const ABRUPT_3X3: [&str; 6] = ["--rule", "abrupt", "--rows", "3", "--columns", "3"];

/// A folder for one game's solves.
struct Solves(TempDir);

impl Solves {
    fn new() -> Result<Solves, Failed> {
        Ok(Solves(tempfile::tempdir()?))
    }

    fn certificate(&self) -> PathBuf {
        self.0.path().join("certificate")
    }

    fn checkpoint(&self) -> PathBuf {
        self.0.path().join("state.json")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prove-darkhex"));
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        command.arg("solve").args(arguments).arg("--out").arg(self.certificate());
        command
    }

    /// The last line on standard output, and what is on standard error.
    fn run(&self, arguments: &[&str]) -> Result<(String, String), Failed> {
        let output = self.command(arguments).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
        let (said, progress) = (text(&output.stdout), text(&output.stderr));
        if output.status.success() { Ok((said, progress)) } else { Err(progress.into()) }
    }

    /// The certificate's files with their bytes.
    fn files(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failed> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(self.certificate())? {
            let path = entry?.path();
            files.insert(path.file_name().unwrap_or_default().into(), std::fs::read(&path)?);
        }
        Ok(files)
    }
}

fn expect<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{found:?} for {expected:?}").into()) }
}

fn expect_value(arguments: &[&str], value: &str) -> Result<(), Failed> {
    let (said, _) = Solves::new()?.run(arguments)?;
    expect(&said.as_str(), &format!("exact_value {value}").as_str())
}

fn classic_3x4() -> Result<(), Failed> {
    expect_value(&[&CLASSIC_3X4[..], &["--format", "mix"]].concat(), "14279/67484")
}

fn an_announced_opening() -> Result<(), Failed> {
    expect_value(&[&CLASSIC_3X4[..], &["--opening", "b2"]].concat(), "1/7")
}

/// Its last improvements are scattered over probes each of which matters too little by itself.
fn scattered_improvements() -> Result<(), Failed> {
    expect_value(&[&CLASSIC_3X4[..], &["--opening", "a2"]].concat(), "5456/57029")
}

/// The restricted game needs more sequences without the rotation, and leads to the same value. A checkpoint of one way
/// is refused by the other, since a plan guarantees less when it is not averaged.
fn without_rotation() -> Result<(), Failed> {
    let solves = Solves::new()?;
    let checkpoint = solves.checkpoint();
    let name = checkpoint.to_string_lossy();
    let arguments = [&CLASSIC_3X4[..], &["--checkpoint", &name, "--rotation"]].concat();
    let mut fewest = 0;
    for (rotation, other) in [("yes", "no"), ("no", "yes")] {
        let (said, progress) = solves.run(&[&arguments[..], &[rotation]].concat())?;
        expect(&said.as_str(), &"exact_value 14279/67484")?;
        let last = progress.lines().rfind(|line| line.starts_with("iteration ")).unwrap_or_default();
        let after = last.split_once(" sequences ").unwrap_or_default().1;
        let sequences: Result<u32, ParseIntError> = after.split(' ').take(2).map(str::parse::<u32>).sum();
        let sequences = sequences?;
        expect(&(sequences > fewest), &true)?;
        fewest = sequences;
        solves.run(&[&arguments[..], &[rotation, "--time-limit", "0"]].concat())?;
        let refused = solves.run(&[&arguments[..], &[other]].concat()).err().ok_or("it was not refused")?;
        expect(&refused.message().unwrap_or_default().contains("the state of another game"), &true)?;
        std::fs::remove_file(&checkpoint)?;
    }
    Ok(())
}

/// One thread, two threads, and a run that is killed after its first checkpoint and gone on with.
fn the_same_files() -> Result<(), Failed> {
    let (one, two, killed) = (Solves::new()?, Solves::new()?, Solves::new()?);
    let value = "exact_value 207579464761/299876201866";
    expect(&one.run(&[&ABRUPT_3X3[..], &["--threads", "1"]].concat())?.0.as_str(), &value)?;
    expect(&two.run(&[&ABRUPT_3X3[..], &["--threads", "2"]].concat())?.0.as_str(), &value)?;
    expect(&two.files()?, &one.files()?)?;

    let checkpoint = killed.checkpoint();
    let name = checkpoint.to_string_lossy();
    let arguments = [&ABRUPT_3X3[..], &["--checkpoint", &name, "--checkpoint-every", "0"]].concat();
    let mut child = killed.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    while !checkpoint.exists() && child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(500));
    child.kill()?;
    expect(&child.wait()?.success(), &false)?;
    expect(&killed.certificate().exists(), &false)?;
    let (said, progress) = killed.run(&arguments)?;
    expect(&progress.starts_with("resumed at iteration "), &true)?;
    expect(&said.as_str(), &value)?;
    expect(&killed.files()?, &one.files()?)
}

/// An interval at a time limit, which resuming turns into the value.
fn an_interval() -> Result<(), Failed> {
    let solves = Solves::new()?;
    let checkpoint = solves.checkpoint();
    let name = checkpoint.to_string_lossy();
    let arguments = [&CLASSIC_3X4[..], &["--checkpoint", &name]].concat();
    for _ in 0..3 {
        let (said, _) = solves.run(&[&arguments[..], &["--time-limit", "0"]].concat())?;
        expect(&said.starts_with("proved_bounds "), &true)?;
        let claim = String::from_utf8(solves.files()?.remove(Path::new("claim.txt")).unwrap_or_default())?;
        expect(&(claim.contains("\nlower ") && claim.contains("\nupper ")), &true)?;
    }
    expect(&solves.run(&arguments)?.0.as_str(), &"exact_value 14279/67484")
}

/// From a certificate of an interval to the value, and from a certificate of the value to itself.
fn started_from_a_certificate() -> Result<(), Failed> {
    let (first, second, third) = (Solves::new()?, Solves::new()?, Solves::new()?);
    first.run(&[&CLASSIC_3X4[..], &["--time-limit", "0.3"]].concat())?;
    for (before, after) in [(&first, &second), (&second, &third)] {
        let folder = before.certificate();
        let (said, progress) =
            after.run(&[&CLASSIC_3X4[..], &["--start", &folder.to_string_lossy()]].concat())?;
        expect(&progress.starts_with("started from bounds ["), &true)?;
        expect(&said.as_str(), &"exact_value 14279/67484")?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let prover = Path::new(env!("CARGO_BIN_EXE_prove-darkhex"));
    let checker = prover.with_file_name("verify-darkhex").exists();
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/lib");
    let inside = "site-packages/highsbox/highs_dist/lib/libhighs.so";
    let library = std::fs::read_dir(packages).is_ok_and(|versions| {
        versions.filter_map(Result::ok).any(|version| version.path().join(inside).exists())
    });
    let test = |name: &str, run: fn() -> Result<(), Failed>| {
        Trial::test(name, run).with_ignored_flag(!(checker && library))
    };
    let tests = vec![
        test("classic_on_4_rows_x_3_columns_is_solved_exactly", classic_3x4),
        test("a_game_with_an_announced_opening_is_solved_exactly", an_announced_opening),
        test("a_game_whose_last_improvements_are_scattered_is_solved_exactly", scattered_improvements),
        test("the_rotation_saves_sequences_and_changes_no_value", without_rotation),
        test("two_threads_and_a_killed_run_give_the_files_of_one_thread_undisturbed", the_same_files),
        test("a_time_limit_gives_an_interval_and_resuming_the_value", an_interval),
        test("a_solve_starts_from_the_plans_of_a_certificate", started_from_a_certificate),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}
