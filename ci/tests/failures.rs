//! What can go wrong in an audit, each brought about with dummy checkers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "test code fails by panicking"
)]

mod repository;

use repository::{Ended, PROVES, Repository};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A claim that was recorded as proved, whose certificate is then replaced; returns what the audit says of it.
fn after(proof: &str) -> (Ended, String) {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    repository.write("certificates/a/proof.sh", proof);
    let ended = repository.audit("all", &[]);
    (ended, repository.status("a"))
}

#[test]
fn a_claim_that_is_proved_is_verified_and_the_exit_code_is_0() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    let ended = repository.audit("all", &[]);
    assert_eq!((ended.code, repository.status("a").trim()), (0, "verified"), "{ended:?}");
    assert!(ended.stdout.contains("1 of 1 claims verified\n"), "{ended:?}");
    assert!(repository.out().join("report.json").exists());
}

#[test]
fn one_conditional_claim_makes_the_exit_code_2_and_is_named() {
    let repository =
        Repository::with(&[("a", PROVES), ("b", "echo conditional_value 1 assuming 3 leaves\nexit 2\n")]);
    repository.update();
    let ended = repository.audit("all", &[]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stdout.contains("1 of 2 claims verified, 1 conditional (b)"), "{ended:?}");
    assert_eq!(repository.report()["claims"][1]["rests_on"], "3 leaves");
}

#[test]
fn one_failure_makes_the_exit_code_1_although_another_claim_is_conditional() {
    let repository =
        Repository::with(&[("a", PROVES), ("b", "echo conditional_value 1 assuming x\nexit 2\n")]);
    repository.update();
    repository.write("certificates/a/proof.sh", "echo failure refuted 0 0\nexit 1\n");
    let ended = repository.audit("all", &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(repository.status("a").contains("failed plain: the checker says: failure refuted 0 0"));
}

#[test]
fn a_claim_that_is_declined_is_not_verified() {
    let repository = Repository::with(&[("a", "echo declined limit cells\nexit 3\n")]);
    repository.update();
    assert_eq!(repository.audit("all", &[]).code, 2);
    assert!(repository.status("a").starts_with("declined"));
}

#[test]
fn exit_code_and_last_line_that_disagree_are_a_failure() {
    for proof in [
        "echo exact_value 1\nexit 1\n",
        "echo exact_value 1\nexit 2\n",
        "echo exact_value 1\nexit 3\n",
        "echo failure refuted 0 0\nexit 0\n",
        "echo conditional_value 1 assuming x\nexit 0\n",
        "echo declined limit cells\nexit 0\n",
        "echo exact_value 1\nexit 101\n",
    ] {
        let (ended, status) = after(proof);
        assert_eq!(ended.code, 1, "{proof}{ended:?}");
        assert!(status.contains("disagree"), "{proof}{status}");
    }
}

#[test]
fn an_output_without_a_verdict_is_a_failure_whatever_the_exit_code() {
    for (proof, reason) in [
        ("exit 0\n", "the last line is no verdict"),
        ("echo verified\n", "the last line is no verdict"),
        ("printf 'exact_value 1'\n", "in the middle of a line"),
        ("echo exact_value 1\necho exact_value 1\n", "stands in the middle"),
        ("echo exact_value 1 >&2\n", "the last line is no verdict"),
    ] {
        let (ended, status) = after(proof);
        assert_eq!(ended.code, 1, "{proof}{ended:?}");
        assert!(status.contains(reason), "{proof}{status}");
    }
}

#[test]
fn a_checker_killed_by_a_signal_is_a_failure_even_after_its_verdict() {
    for (signal, reason) in
        [("KILL", "killed by signal 9"), ("SEGV", "killed by signal 11"), ("TERM", "signal 15")]
    {
        let (ended, status) = after(&format!("{PROVES}kill -{signal} $$\n"));
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(status.contains(reason), "{status}");
    }
}

#[test]
fn the_limit_on_memory_holds_and_is_told_from_other_aborts() {
    let repository = Repository::with(&[("a", PROVES), ("b", PROVES), ("c", PROVES)]);
    repository.update();
    let manifest = repository.read("certificates/MANIFEST.toml");
    repository
        .write("certificates/MANIFEST.toml", &manifest.replace("memory_mib = 2048", "memory_mib = 100"));
    repository.write("certificates/a/proof.sh", "echo limit $(ulimit -v) >&2\necho exact_value 1\n");
    repository.write("certificates/b/proof.sh", "awk 'BEGIN { s = \"x\"; while (1) s = s s }' || exit 2\n");
    let message = "echo 'memory allocation of 9 bytes failed' >&2\nkill -ABRT $$\n";
    repository.write("certificates/c/proof.sh", message);
    assert_eq!(repository.audit("all", &[]).code, 1);
    assert_eq!(repository.report()["claims"][0]["checks"][0]["stderr"], "limit 102400");
    assert!(repository.status("b").starts_with("failed"));
    assert!(
        repository.status("c").contains("out of memory: the limit is 100 MiB"),
        "{}",
        repository.status("c")
    );
}

#[test]
fn the_limit_on_time_holds_for_everything_that_the_checker_started() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    repository.edit("certificates/MANIFEST.toml", "seconds = 900", "seconds = 1");
    let mark = repository.root().join("alive");
    let forever = format!("(sleep 4; touch '{}') &\nwait\necho exact_value 1\n", mark.display());
    repository.write("certificates/a/proof.sh", &forever);
    let started = Instant::now();
    assert_eq!(repository.audit("all", &[]).code, 1);
    assert!(repository.status("a").contains("out of time: the limit is 1 s"), "{}", repository.status("a"));
    std::thread::sleep(Duration::from_secs(5).saturating_sub(started.elapsed()));
    assert!(!mark.exists(), "what the checker had started went on");
}

#[test]
fn a_checker_that_leaves_something_behind_with_its_output_open_is_a_failure() {
    let (ended, status) = after(&format!(
        "mark=$(mktemp -u)\nsetsid sh -c 'touch \"$0\"; sleep 25' \"$mark\" &\n\
         while [ ! -e \"$mark\" ]; do sleep 0.1; done\nrm \"$mark\"\n{PROVES}"
    ));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(status.contains("keeps its output open"), "{status}");
}

#[test]
fn a_checker_that_prints_without_end_is_stopped() {
    let (ended, status) = after("yes\n");
    assert_eq!(ended.code, 1);
    assert!(status.contains("more than 8388608 bytes of output"), "{status}");
}

#[test]
fn hostile_bytes_of_a_checker_reach_neither_the_table_nor_the_report() {
    let (ended, status) =
        after("printf 'key \\033[2J<script>\\377\\r\\n'\nprintf 'bad\\033[31m\\n' >&2\necho exact_value 1\n");
    assert_eq!(ended.code, 1);
    assert!(status.contains("not printable ASCII"), "{status}");
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    repository.write(
        "certificates/a/proof.sh",
        "printf 'exact_value \\033[2J\\302\\233\\n'\nprintf '\\033[31m' >&2\n",
    );
    let ended = repository.audit("all", &[]);
    let report = fs::read(repository.out().join("report.json")).unwrap();
    let clean = |bytes: &[u8]| bytes.iter().all(|byte| *byte == b'\n' || *byte >= b' ' && *byte != 0x7f);
    assert!(
        clean(&report) && clean(ended.stdout.as_bytes()) && !ended.stdout.contains('\u{9b}'),
        "{ended:?}"
    );
    assert!(String::from_utf8(report).unwrap().contains("exact_value \\\\x1b[2J\\\\xc2\\\\x9b"));
}

#[test]
fn a_line_that_is_too_long_is_cut() {
    let (ended, status) = after("head -c 100000 /dev/zero | tr '\\0' x\necho\necho exact_value 1\n");
    assert_eq!(ended.code, 1);
    assert!(status.contains("longer than 4096 bytes") && ended.stdout.len() < 20_000, "{status}");
}

#[test]
fn a_check_that_does_less_than_recorded_is_a_failure() {
    let (ended, status) = after("echo nodes 4\necho exact_value 1\n");
    assert_eq!(ended.code, 1);
    assert!(status.contains("counted `nodes 4`, expected `nodes 5`"), "{status}");
    let (_, status) = after("echo exact_value 1\n");
    assert!(status.contains("counted no line, expected `nodes 5`"), "{status}");
}

#[test]
fn another_statement_or_verdict_than_recorded_is_a_failure() {
    let (ended, status) = after("echo nodes 5\necho exact_value 2\n");
    assert_eq!(ended.code, 1);
    assert!(status.contains("verdict `exact_value 2`, expected `exact_value 1`"), "{status}");
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    repository.edit("certificates/a/claim.txt", "a is true", "a is weaker");
    assert_eq!(repository.audit("all", &[]).code, 1);
    assert!(repository.status("a").contains("statement `a is weaker`, expected `a is true`"));
}

/// Runs an audit in which no file can grow beyond so many bytes, as on a disk that is full.
fn on_a_small_disk(repository: &Repository, bytes: u64) -> Ended {
    let mut shell = Command::new("sh");
    // Without the signal, a write beyond the limit fails as one on a full disk does, with another error number.
    shell.args(["-c", "trap '' XFSZ; exec prlimit --fsize=$0:$0 \"$@\"", &bytes.to_string()]);
    shell.arg(env!("CARGO_BIN_EXE_audit")).args(repository.command("all", &[]).get_args());
    Ended::new(&shell.output().unwrap())
}

#[test]
fn a_disk_that_is_full_leaves_no_success() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    assert_eq!(repository.audit("all", &[]).code, 0);
    let sizes =
        ["report.json", "report.html"].map(|name| fs::metadata(repository.out().join(name)).unwrap().len());
    // Enough for nothing, for a part of the smaller report, for a part of the larger one only.
    for bytes in [0, sizes[0].min(sizes[1]) / 2, sizes[0].max(sizes[1]) / 2] {
        let ended = on_a_small_disk(&repository, bytes);
        assert_eq!(ended.code, 74, "{bytes} bytes: {ended:?}");
        assert!(ended.stdout.is_empty() && ended.stderr.contains("File too large"), "{ended:?}");
    }
    assert_eq!(on_a_small_disk(&repository, sizes[0].max(sizes[1]) * 2).code, 0);
}

#[test]
fn a_report_that_goes_to_a_full_device_is_no_success() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    fs::create_dir_all(repository.out()).unwrap();
    let place = repository.out().join("report.json");
    symlink("/dev/full", &place).unwrap();
    let ended = repository.audit("all", &[]);
    // Whoever writes by way of another file replaces the link.
    let replaced = !fs::symlink_metadata(&place).unwrap().is_symlink();
    assert_eq!(ended.code, if replaced { 0 } else { 74 }, "{ended:?}");
}

#[test]
fn a_table_that_cannot_be_printed_leaves_no_success() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = repository.command("all", &[]).stdout(full).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(74));
}

#[test]
fn a_file_that_cannot_be_read_is_a_failure() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    let secret = repository.root().join("certificates/a/proof.sh");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = repository.command("all", &[]);
    if fs::metadata(repository.root()).unwrap().uid() == 0 {
        // Root reads everything, so somebody else has to try.
        fs::create_dir_all(repository.out()).unwrap();
        fs::set_permissions(repository.out(), fs::Permissions::from_mode(0o777)).unwrap();
        let program = repository.root().join("bin/audit");
        fs::copy(env!("CARGO_BIN_EXE_audit"), &program).unwrap();
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        other.args(command.get_args());
        command = other;
    }
    let ended = Ended::new(&command.output().unwrap());
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("certificates/a/proof.sh: Permission denied"), "{ended:?}");
    assert!(repository.status("a").starts_with("failed"), "{ended:?}");
}

#[test]
fn a_claim_folder_that_vanishes_during_the_audit_is_a_failure() {
    let repository = Repository::with(&[("a", PROVES), ("b", PROVES)]);
    repository.write("certificates/a/proof.sh", &format!("[ ! -e gone ] || rm -r certificates/b\n{PROVES}"));
    repository.update();
    repository.write("gone", "");
    let ended = repository.audit("all", &["--jobs", "1"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(repository.status("a").starts_with("verified"), "{}", repository.status("a"));
    assert!(repository.status("b").starts_with("failed"), "{}", repository.status("b"));
}

#[test]
fn a_claim_whose_files_change_while_the_audit_runs_is_a_failure() {
    for change in [
        // Another claim is put in the place of this one after it was looked at, and stays.
        "sed -i 's/b is true/b is weaker/' certificates/b/claim.txt",
        "echo more > certificates/b/note.txt",
        "ln -sf /dev/null certificates/b/claim.txt",
    ] {
        let repository = Repository::with(&[("a", PROVES), ("b", PROVES)]);
        repository.write("certificates/b/proof.sh", &format!("{PROVES}[ ! -e late ] || {change}\n"));
        repository.update();
        repository.write("late", "");
        let ended = repository.audit("all", &["--jobs", "1"]);
        assert_eq!(ended.code, 1, "{ended:?}");
        assert_eq!(repository.status("b"), "failed its files changed while the audit ran", "{ended:?}");
        assert!(repository.status("a").starts_with("verified"), "{ended:?}");
    }
}

#[test]
fn a_claim_folder_that_is_a_link_is_not_followed() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    fs::rename(repository.root().join("certificates/a"), repository.root().join("elsewhere")).unwrap();
    symlink("../elsewhere", repository.root().join("certificates/a")).unwrap();
    let ended = repository.audit("all", &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("certificates/a is neither a file nor a folder"), "{ended:?}");
    assert!(repository.status("a").contains("there is no such folder"), "{}", repository.status("a"));
}

#[test]
fn names_that_a_terminal_would_act_on_reach_it_as_escapes() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    let base = repository.commit();
    repository.write("certificates/a/x\u{1b}[2Jy\u{9b}", "");
    repository.edit("certificates/MANIFEST.toml", "by hand", "by \\u001b[2J hand");
    repository.edit("certificates/MANIFEST.toml", "is true", "is \\u001b[2J\\u202E true");
    for arguments in [&["manifest", "--check"][..], &["all"], &["gate", "--base", &base]] {
        let ended = repository.audit(arguments[0], &arguments[1..]);
        assert_eq!(ended.code, 1, "{ended:?}");
        let text = format!("{}{}", ended.stdout, ended.stderr);
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{ended:?}");
    }
    let page = fs::read_to_string(repository.out().join("report.html")).unwrap();
    assert!(!page.contains(['\u{1b}', '\u{9b}', '\u{202e}']));
}

#[test]
fn a_claim_of_the_manifest_without_a_folder_is_a_failure() {
    let repository = Repository::with(&[("a", PROVES), ("b", PROVES)]);
    repository.update();
    fs::remove_dir_all(repository.root().join("certificates/b")).unwrap();
    let ended = repository.audit("all", &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(repository.status("b").contains("there is no such folder"));
    assert!(ended.stdout.contains("the entry b has no claim on disk"), "{ended:?}");
}

#[test]
fn a_second_audit_at_the_same_time_is_turned_away() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository
        .write("certificates/a/proof.sh", &format!("[ ! -e slow ] || {{ touch begun; sleep 3; }}\n{PROVES}"));
    repository.update();
    repository.write("slow", "");
    let mut first =
        repository.command("all", &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !repository.root().join("begun").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "the first audit did not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    let second = repository.audit("all", &[]);
    assert_eq!(second.code, 75, "{second:?}");
    assert!(second.stderr.contains("another audit is at work"), "{second:?}");
    let update = repository.audit("manifest", &["--update"]);
    assert_eq!(update.code, 75, "{update:?}");
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert_eq!(repository.audit("manifest", &["--check"]).code, 0);
}

#[test]
fn claims_that_do_not_run_are_listed_and_never_counted() {
    let repository = Repository::with(&[("a", PROVES), ("b", PROVES)]);
    repository.update();
    let manifest = repository.read("certificates/MANIFEST.toml");
    let (head, tail) = manifest.split_once("name = \"b\"").unwrap();
    let tail = tail.replace("tier = \"every-run\"", "tier = \"nightly\"");
    repository.write("certificates/MANIFEST.toml", &format!("{head}name = \"b\"{tail}"));
    // The sums follow from the manifest.
    repository.update();
    let ended = repository.audit("all", &["--tier", "gate"]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stdout.contains("1 of 2 claims verified, 1 not run"), "{ended:?}");
    assert!(repository.status("b").contains("not-run tier nightly, beyond gate"));
    let report = repository.report();
    assert_eq!((&report["counts"]["verified"], &report["counts"]["not_run"]), (&1.into(), &1.into()));
    assert_eq!(repository.audit("all", &[]).code, 0);
}

#[test]
fn without_a_manifest_or_without_a_claim_nothing_passes() {
    let repository = Repository::with(&[("a", PROVES)]);
    let ended = repository.audit("all", &[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("MANIFEST.toml is missing"), "{ended:?}");
    let empty = Repository::new();
    assert_eq!(empty.audit("all", &[]).code, 1);
    assert_eq!(empty.audit("gate", &[]).code, 1);
}

#[test]
fn two_audits_of_the_same_files_differ_in_the_section_run_only() {
    let repository = Repository::with(&[("a", PROVES), ("b", PROVES), ("c", PROVES)]);
    repository.update();
    let text = |jobs: &str| {
        assert_eq!(repository.audit("all", &["--jobs", jobs]).code, 0);
        let mut report = repository.report();
        assert!(report["run"]["costs"].as_array().unwrap().len() == 3);
        report.as_object_mut().unwrap().remove("run");
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(text("1"), text("3"));
}

#[test]
fn no_control_codes_are_printed_where_there_is_no_terminal() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    let ended = repository.audit("all", &[]);
    assert!(!ended.stdout.contains('\x1b') && !ended.stderr.contains('\x1b'), "{ended:?}");
}

#[test]
fn a_binary_that_is_missing_is_no_success() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    let elsewhere = repository.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::rename(repository.root().join("bin/verify-darkhex"), elsewhere.join("verify-darkhex")).unwrap();
    // One that could be found by its name is not the one that was asked for.
    let path = format!("{}:{}", elsewhere.display(), std::env::var("PATH").unwrap());
    let ended = Ended::new(&repository.command("all", &[]).env("PATH", path).output().unwrap());
    assert_eq!(ended.code, 74, "{ended:?}");
    assert!(ended.stderr.contains("verify-darkhex is not in"), "{ended:?}");
}

#[test]
fn wrong_usage_ends_in_64() {
    for arguments in [
        &["all", "--tier", "sometimes"][..],
        &["manifest"],
        &["launch"],
        &["manifest", "--check", "--update"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_audit")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
    }
}
