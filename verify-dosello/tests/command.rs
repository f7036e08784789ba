//! The program as a user runs it: units, logs, own runs, kills, exit codes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use verify_dosello::error::Reason;
use verify_dosello::sources;
use verify_dosello::text::Text;
use verify_dosello::units::{Logged, Unit};

/// Decided in two nodes: the side to move can finish the game at once.
const EASY: &str = "c5-c6_c3-d3_b3-b4_ge-2";

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_verify-dosello")).args(arguments).output().unwrap()
}

fn last_line(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap().lines().last().unwrap_or("").to_owned()
}

fn easy_log(folder: &Path) -> PathBuf {
    let log = folder.join("log.txt");
    let output = run(&[
        "--unit",
        EASY,
        "--weights",
        "none",
        "--table-mb",
        "16",
        "--log",
        log.to_str().unwrap(),
        "--nodes",
        "50",
    ]);
    assert!([0, 3].contains(&output.status.code().unwrap()), "{output:?}");
    log
}

fn reason(log: &str) -> Reason {
    Logged::parse_all(&Text::new("log", log.as_bytes().to_vec())).err().unwrap().reason().unwrap()
}

#[test]
fn a_log_line_reads_back_and_every_single_edit_of_it_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = fs::read_to_string(easy_log(folder.path())).unwrap();
    let lines = Logged::parse_all(&Text::new("log", log.clone().into_bytes())).unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].checker, sources::core_digest());
    assert_eq!(format!("{}\n", lines[0]), log);
    for index in 0..log.len() {
        let mut edited = log.clone().into_bytes();
        edited[index] ^= 1;
        let text = Text::new("log", edited);
        assert!(Logged::parse_all(&text).is_err(), "byte {index}");
        let torn = Text::new("log", log.as_bytes()[..index].to_vec());
        assert!(Logged::parse_all(&torn).is_err(), "cut at {index}");
    }
    assert_eq!(reason(log.trim_end()), Reason::Malformed);
    assert_eq!(reason(&log.replace(" nodes ", " nodes 1")), Reason::DamagedLog);
    assert_eq!(reason(&log.replace(" proved ", " refuted ")), Reason::DamagedLog);
}

#[test]
fn nothing_is_appended_to_a_torn_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.txt");
    fs::write(&log, "dosello-unit 1 torn").unwrap();
    let path = log.to_str().unwrap();
    let output =
        run(&["--unit", EASY, "--weights", "none", "--table-mb", "16", "--log", path, "--nodes", "50"]);
    assert_eq!(output.status.code(), Some(74));
    assert_eq!(fs::read_to_string(&log).unwrap(), "dosello-unit 1 torn");
}

#[test]
fn a_node_limit_ends_in_an_undecided_line_and_exit_code_three() {
    let output = run(&[
        "--unit",
        "f3-f4_e6-f6_d7-e7_ge-2",
        "--weights",
        "none",
        "--table-mb",
        "16",
        "--nodes",
        "1000",
    ]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(last_line(&output), "declined node-limit reached, not decided: f3-f4_e6-f6_d7-e7_ge-2");
    assert!(String::from_utf8(output.stdout).unwrap().contains(" undecided nodes 1000 "));
}

#[test]
fn wrong_unit_names_are_refused_each_with_its_reason() {
    let reason = |name: &str| Unit::parse(name).unwrap_err().0;
    assert_eq!(reason("f3-f4_ge1"), Reason::NotAScore);
    assert_eq!(reason("f3-f4_ge66"), Reason::NotAScore);
    assert_eq!(reason("f3-f4_ge-0"), Reason::Malformed);
    assert_eq!(reason("f3-f4_eq2"), Reason::Malformed);
    assert_eq!(reason("ge2"), Reason::Malformed);
    assert_eq!(reason("a1-b1_ge2"), Reason::IllegalLine);
    assert_eq!(reason("f3-f4_pass_ge2"), Reason::IllegalLine);
    assert_eq!(reason("f4-f3_ge2"), Reason::IllegalLine);
    assert_eq!(Unit::parse("f3-f4_e6-f6_le-2").unwrap().to_string(), "f3-f4_e6-f6_le-2");
}

#[test]
fn the_list_of_sources_is_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let listed: Vec<&str> = sources::SOURCES.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, names);
}

#[test]
fn the_files_on_which_a_unit_depends_use_no_other_file() {
    let content: BTreeMap<&str, &str> = sources::SOURCES.iter().copied().collect();
    let core: BTreeSet<&str> = sources::CORE.iter().copied().collect();
    assert_eq!(core.len(), sources::CORE.len());
    let mut reached = BTreeSet::from(["lib.rs"]);
    let mut open = vec!["run.rs", "sources.rs"];
    while let Some(name) = open.pop() {
        if !reached.insert(name) {
            continue;
        }
        // Every mention of the crate counts, in `use` lines and elsewhere, so that no path is missed. The name behind
        // it is a module: the core has no grouped or renamed imports of modules, which is asserted here.
        for (_, rest) in content[name].match_indices("crate::").map(|(at, _)| content[name].split_at(at + 7))
        {
            let module: String =
                rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
            let file = content.keys().find(|file| file.strip_suffix(".rs") == Some(&module));
            open.push(file.unwrap_or_else(|| panic!("{name} mentions crate::{module}, which is no file")));
        }
        for escape in ["super::", "self::", "verify_dosello::", "include!", "#[path", "\nmod ", " mod "] {
            // The list of sources includes them as text, for the digest.
            assert!(!content[name].contains(escape), "{name} contains {escape:?}");
        }
    }
    assert_eq!(reached, core);
    assert!(content["lib.rs"].contains("#![forbid(unsafe_code)]") && !content["lib.rs"].contains("#[path"));
}

#[test]
fn the_version_names_both_digests() {
    let out = Command::new(env!("CARGO_BIN_EXE_verify-dosello")).arg("--version").output().unwrap();
    let expected = format!("verify-dosello sources {} core {}\n", sources::digest(), sources::core_digest());
    assert_eq!(String::from_utf8(out.stdout).unwrap(), expected);
    assert_ne!(sources::digest(), sources::core_digest());
}

#[test]
fn a_wrong_command_line_ends_in_exit_code_64() {
    for arguments in [
        &[][..],
        &["--unit"],
        &["--nope"],
        &["a", "b"],
        &["--perft", "8"],
        &["--table-mb", "0", "--help"],
        &["x", "--recheck", "1"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(64), "{arguments:?}");
    }
    assert_eq!(run(&["--help"]).status.code(), Some(0));
}

#[test]
fn a_folder_of_an_own_run_inside_the_repository_or_with_other_content_is_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let claim = root.join("certificates/dosello");
    let resolve = |folder: &Path| {
        run(&[
            claim.to_str().unwrap(),
            "--resolve",
            "--resume",
            folder.to_str().unwrap(),
            "--weights",
            "none",
            "--nodes",
            "1",
            "--table-mb",
            "16",
        ])
    };
    assert_eq!(resolve(&root.join("target/an-own-run")).status.code(), Some(64));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("other.txt"), "").unwrap();
    assert!(last_line(&resolve(folder.path())).starts_with("failure foreign-run"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(resolve(folder.path()).status.code(), Some(3));
    let head = folder.path().join("run.txt");
    let text = fs::read_to_string(&head).unwrap();
    fs::write(&head, text.replacen("checker ", "checker 0", 1)).unwrap();
    assert!(last_line(&resolve(folder.path())).starts_with("failure foreign-run"));
}

#[test]
fn a_forged_log_is_accepted_only_conditionally_and_found_by_rechecking() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let claim = root.join("certificates/dosello");
    let claim = claim.to_str().unwrap();
    let units = String::from_utf8(run(&[claim, "--list-units"]).stdout).unwrap();
    let lines: String = units
        .lines()
        .map(|name| {
            let line = Logged {
                unit: Unit::parse(name).unwrap(),
                verdict: verify_dosello::units::Verdict::Proved,
                nodes: 1,
                shallow: 0,
                table_mb: 1,
                weights: "none".to_owned(),
                checker: "0".repeat(64),
            };
            line.to_string() + "\n"
        })
        .collect();
    let log = folder.path().join("log.txt");
    fs::write(&log, &lines).unwrap();
    let output = run(&[claim, "--accept-log", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(last_line(&output).starts_with("conditional_value 2 assuming 150 logged units (log "));
    assert!(last_line(&output).ends_with("), 0 re-proved here"));
    // One unit fewer, and the claim has no support.
    fs::write(&log, lines.split_once('\n').unwrap().1).unwrap();
    let output = run(&[claim, "--accept-log", log.to_str().unwrap()]);
    assert!(last_line(&output).starts_with("failure unsupported-claim"), "{output:?}");
    // A line that ends at an inner position supports nothing.
    let own = folder.path().join("claim");
    fs::create_dir_all(&own).unwrap();
    let text = "claim 1\ngame dosello\nstatement value\nvalue 2\nleaves leaves.txt\nproofset none\n";
    fs::write(own.join("claim.txt"), text).unwrap();
    fs::write(own.join("leaves.txt"), "leaves 1\nleaf f3-f4 interval 0 0 origin x nodes 0\n").unwrap();
    let output = run(&[own.to_str().unwrap()]);
    assert!(last_line(&output).starts_with("failure no-leaf"), "{output:?}");
    // A false leaf result and a log that calls it proved: both are found out by the search.
    fs::write(own.join("leaves.txt"), "leaves 1\nleaf c5-c6 c3-d3 b3-b4 interval -64 -4 origin x nodes 0\n")
        .unwrap();
    let line = Logged {
        unit: Unit::parse("c5-c6_c3-d3_b3-b4_le-4").unwrap(),
        verdict: verify_dosello::units::Verdict::Proved,
        nodes: 1,
        shallow: 0,
        table_mb: 1,
        weights: "none".to_owned(),
        checker: sources::core_digest(),
    };
    fs::write(&log, format!("{line}\n")).unwrap();
    let options = ["--weights", "none", "--table-mb", "16"];
    let recheck = [own.to_str().unwrap(), "--accept-log", log.to_str().unwrap(), "--recheck", "1"];
    let output = run(&[&recheck[..], &options].concat());
    assert!(last_line(&output).starts_with("failure false-log"), "{output:?}");
    let output = run(&[&[own.to_str().unwrap(), "--resolve"][..], &options].concat());
    assert!(last_line(&output).starts_with("failure refuted the unit"), "{output:?}");
}
