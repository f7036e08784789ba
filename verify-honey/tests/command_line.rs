//! The program as a user calls it: exit codes and the last line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

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
