//! The program as a user calls it: exit codes and the last line.
#![allow(clippy::unwrap_used, clippy::panic, clippy::string_slice, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn call(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_verify-honey")).args(arguments).output().unwrap()
}

fn folder(name: &str, claim: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("claim.txt"), claim).unwrap();
    folder
}

fn last_line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

const GOOD: &str = "claim 1\ngame honey-islands\nrule standard\nroot won\nproofset missing.txt\n";

#[test]
fn help_and_version_succeed() {
    let help = call(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("exit codes"));
    let version = call(&["--version"]);
    assert_eq!(version.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&version.stdout).contains(" source "));
}

#[test]
fn wrong_usage_exits_64() {
    for arguments in [
        &[][..],
        &["a", "b"],
        &["--threads", "0", "a"],
        &["--threads", "+1", "a"],
        &["--nonsense", "a"],
        &["--stats", "--stats", "a"],
        &["--sample", "5", "--list-units", "a"],
        &["--unit", "standard 0-1-2", "a"],
        &["--recheck", "1", "a"],
        &["--json"],
    ] {
        let output = call(arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_missing_claim_exits_74_and_never_verifies() {
    let output = call(&["/nonexistent"]);
    assert_eq!(output.status.code(), Some(74));
    assert!(last_line(&output).starts_with("failure unreadable"));
}

#[test]
fn each_edit_of_a_claim_is_malformed_with_its_line() {
    for (name, claim, line) in [
        ("crlf", GOOD.replace('\n', "\r\n"), 1),
        ("game", GOOD.replace("honey-islands", "dark-hex"), 2),
        ("rule", GOOD.replace("standard", "Standard"), 3),
        ("root", GOOD.replace("won", "draw"), 4),
        ("twice", GOOD.replace("root won\n", "root won\nroot won\n"), 5),
        ("order", GOOD.replace("root won\nproofset", "proofset x\nroot won\nproofset"), 4),
        ("path", GOOD.replace("missing", "../missing"), 5),
        ("absolute", GOOD.replace("missing", "/etc/missing"), 5),
        ("end", GOOD.trim_end().to_owned(), 5),
        ("more", format!("{GOOD}extra 1\n"), 6),
        ("zero", GOOD.replace("root won\n", "root won\nfirst-moves 042 of 61\n"), 5),
        ("form", GOOD.replace("root won\n", "root won\ndepth3 1 won 2 lost\n"), 6),
        ("advice", GOOD.replace("proofset", "advice x.txt\nproofset"), 5),
        ("advice-path", format!("{GOOD}advice ../x.txt\n"), 6),
        ("advice-rule", format!("{}advice x.txt\n", GOOD.replace("standard", "redundant-hint")), 6),
        ("advice-twice", format!("{GOOD}{}", "advice x.txt\n".repeat(2)), 7),
        ("long", GOOD.replace("missing", &"missing".repeat(40)), 5),
        ("bom", format!("\u{feff}{GOOD}"), 1),
    ] {
        let output = call(&[folder(name, &claim).to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let expected = format!("failure malformed claim.txt line {line}: expected ");
        assert!(last_line(&output).starts_with(&expected), "{name}: {}", last_line(&output));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_verdict_that_cannot_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_verify-honey"))
        .arg("--version")
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(74));
}

// A claim of the repository whose four searches take less than a second together.

fn claim() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../certificates/honey-redundant-root").to_owned()
}

fn empty_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("verify-honey-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn line<'a>(text: &'a str, key: &str) -> &'a str {
    text.lines()
        .find_map(|line| line.strip_prefix(key))
        .unwrap_or_else(|| panic!("no {key} in {text}"))
        .trim()
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was_and_its_log_is_taken_over_elsewhere() {
    let (claim, folder) = (claim(), empty_folder("resume"));
    let log = folder.join("units.log");
    let arguments = [claim.as_str(), "--resume", folder.to_str().unwrap()];
    let entries = || std::fs::read_to_string(&log).unwrap_or_default();
    // Killed as soon as there is one entry more, twice; whatever was being written then may be torn.
    for round in 1..=2 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_verify-honey"))
            .args(arguments)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while entries().lines().count() < round && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // And a write that was certainly torn: in a field, behind a space, before the newline. What it left is cut off.
    let first = entries().lines().next().unwrap().to_owned() + "\n";
    let torn = ["honey-unit 1 redundant-h", "honey-unit 1 redundant-hint ", first.trim_end()];
    for (kept, torn) in torn.into_iter().enumerate().map(|(at, torn)| (usize::from(at < 2), torn)) {
        std::fs::write(&log, if kept == 1 { first.clone() + torn } else { torn.to_owned() }).unwrap();
        let output = call(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let earlier = if kept == 0 { "" } else { ", 1 of 4 units by the folder of --resume" };
        assert_eq!(last_line(&output), format!("exact_value root won{earlier}"));
        assert_eq!(line(&text(&output), "resumed"), kept.to_string());
        assert_eq!(line(&text(&output), "searched"), (4 - kept).to_string());
        let output = call(&arguments);
        assert_eq!(output.status.code(), Some(0), "{torn}");
        assert_eq!(last_line(&output), "exact_value root won, 4 of 4 units by the folder of --resume");
        assert_eq!(line(&text(&output), "resumed"), "4");
        assert_eq!(line(&text(&output), "nodes"), "0");
    }
    // One run at a time.
    let held = verify_honey::log::Log::open_alone(&log).unwrap();
    let output = call(&arguments);
    assert_eq!(output.status.code(), Some(74), "{}", text(&output));
    assert!(last_line(&output).ends_with("log: another run has it open"), "{}", last_line(&output));
    drop(held);
    // What no interrupted write leaves is not cut off.
    let other = entries() + "notes";
    std::fs::write(&log, &other).unwrap();
    let output = call(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(last_line(&output).starts_with("failure malformed units.log"), "{}", last_line(&output));
    assert_eq!(entries(), other);
    std::fs::write(&log, other.trim_end_matches("notes")).unwrap();
    // Elsewhere a log counts as hearsay, and a torn line in it is refused.
    let accept = |bytes: &str, more: &[&str]| {
        let path = folder.join("other.log");
        std::fs::write(&path, bytes).unwrap();
        call(&[&[claim.as_str(), "--accept-log", path.to_str().unwrap()], more].concat())
    };
    let good = entries();
    let output = accept(good.trim_end(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(last_line(&output).starts_with("failure malformed log line"), "{}", last_line(&output));
    let output = accept(&good, &["--recheck", "1"]);
    assert_eq!(output.status.code(), Some(2), "{}", last_line(&output));
    assert!(last_line(&output).starts_with("conditional_value root won assuming 4 logged units (log "));
    assert!(last_line(&output).ends_with(", 1 re-proved here"));
    let said = text(&output);
    assert!(line(&said, "statement").starts_with("assuming 4 logged units"), "{said}");
    assert_eq!(line(&said, "searched"), "1");
    let edited = good.replacen(" lost ", " won ", 1);
    let output = accept(&edited, &[]);
    assert_eq!(output.status.code(), Some(1));
    let last = last_line(&output);
    assert!(last.starts_with("failure rejected log line 1: logged-value"), "{last}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn units_are_listed_and_each_can_be_run_alone() {
    let (claim, folder) = (claim(), empty_folder("units"));
    let log = folder.join("unit.log");
    let output = call(&[&claim, "--list-units"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(last_line(&output).starts_with("conditional_value none assuming all units"));
    let listed = text(&output);
    assert_eq!(line(&listed, "units"), "4");
    let unit = line(&listed, "unit-3");
    let output = call(&[&claim, "--unit", unit, "--log", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(last_line(&output).ends_with("assuming 3 of 4 units, which were not run"));
    let entry = std::fs::read_to_string(&log).unwrap();
    assert!(
        entry.starts_with(&format!("honey-unit 1 {unit} nodes ")) && entry.ends_with(" end\n"),
        "{entry}"
    );
    let output = call(&[&claim, "--unit", "redundant-hint 0-0-0", "--log", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), entry);
    // No unit twice in a log.
    let output = call(&[&claim, "--unit", unit, "--log", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(64));
    assert!(last_line(&output).ends_with(" already"), "{}", last_line(&output));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), entry);
    // An entry is never joined to what an interrupted write left.
    std::fs::write(&log, entry.trim_end()).unwrap();
    let output = call(&[&claim, "--unit", unit, "--log", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(74), "{}", text(&output));
    assert!(
        last_line(&output).ends_with("its last line is not whole; take it out first"),
        "{}",
        text(&output)
    );
    assert_eq!(std::fs::read_to_string(&log).unwrap(), entry.trim_end());
    // Nor is a log written through a link.
    let (link, target) = (folder.join("link.log"), folder.join("target.log"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let output = call(&[&claim, "--unit", unit, "--log", link.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(74), "{}", text(&output));
    assert!(last_line(&output).ends_with("log: not a plain file"), "{}", text(&output));
    assert!(!target.exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_sample_of_a_list_says_that_it_is_one_and_is_never_more_than_conditional() {
    let claim = concat!(env!("CARGO_MANIFEST_DIR"), "/../certificates/honey-redundant-depth3");
    let output = call(&[claim, "--sample", "3", "--seed", "1"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let one = text(&output);
    let basis = "assuming 3122 listed values, of which a sample of 3 (seed 1) was re-proved here";
    assert!(line(&one, "statement").starts_with(basis), "{one}");
    assert_eq!(last_line(&output), format!("conditional_value root won {basis}"));
    assert_eq!(line(&one, "searched"), "3");
}

#[test]
fn results_are_not_kept_inside_a_repository_or_with_the_claim() {
    let all = empty_folder("claim-alone");
    let alone = all.join("certificates/claim");
    let (within, beside, above) = (alone.join("run"), all.join("certificates/run"), all.join("run"));
    for folder in [&alone, &within, &beside, &above] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let link = alone.join("link");
    std::os::unix::fs::symlink("../../run", &link).unwrap();
    for file in ["claim.txt", "values.txt.xz"] {
        let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../certificates/honey-redundant-depth3");
        std::fs::copy(from.join(file), alone.join(file)).unwrap();
    }
    let inside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"));
    let with = [&inside, &alone, &within, &beside, &above, &link].map(|folder| (&alone, folder));
    for (claim, folder) in with.into_iter().chain([(&PathBuf::from(claim()), &inside)]) {
        let output = call(&[claim.to_str().unwrap(), "--resume", folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(64), "{}", folder.display());
        assert!(last_line(&output).contains("lies in a repository or with the claim"));
        assert!(!folder.join("units.log").exists());
    }
    std::fs::remove_dir_all(all).unwrap();
}
