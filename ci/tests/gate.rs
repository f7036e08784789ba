//! Each reason for which the gate refuses a change, and what it re-verifies, in temporary repositories.
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
use std::os::unix::fs::symlink;

/// Two Dark Hex claims and one of DOSELLO that rests on a proof set, recorded and committed.
fn committed() -> (Repository, String) {
    let repository = Repository::with(&[("a", PROVES), ("b", PROVES)]);
    repository.claim("d", "dosello", "d is true", "echo conditional_value 2 assuming leaves\nexit 2\n");
    repository.edit("certificates/d/claim.txt", "text", "proofset d.txt\ntext");
    repository.write("proofsets/d.txt", "1\n");
    repository.write("certificates/CHANGES.md", "# Changes\n\n- a, b, d: first recorded\n");
    repository.write("verify-darkhex/src/lib.rs", "// one\n");
    repository.write("verify-dosello/src/lib.rs", "// one\n");
    repository.write("README.md", "one\n");
    repository.update();
    let base = repository.commit();
    (repository, base)
}

fn gate(repository: &Repository, base: &str) -> Ended {
    repository.audit("gate", &["--base", base])
}

/// The claims that ran.
fn ran(repository: &Repository) -> Vec<String> {
    let report = repository.report();
    let claims = report["claims"].as_array().unwrap().clone();
    let ran = claims.iter().filter(|claim| claim["status"] != "not-run");
    ran.map(|claim| claim["name"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn refuses(repository: &Repository, base: &str, reason: &str) {
    let ended = gate(repository, base);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains(reason), "{reason}: {ended:?}");
}

#[track_caller]
fn passes(repository: &Repository, base: &str, reverified: &[&str]) {
    let ended = gate(repository, base);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ran(repository), reverified, "{ended:?}");
}

#[test]
fn a_change_that_touches_no_claim_passes_and_nothing_runs() {
    let (repository, base) = committed();
    repository.write("README.md", "two\n");
    repository.write("verify-darkhex/tests/one.rs", "// a test\n");
    repository.write("verify-darkhex/TRUST.md", "a text\n");
    passes(&repository, &base, &[]);
    repository.commit();
    passes(&repository, &base, &[]);
}

#[test]
fn every_claim_is_re_verified_on_request() {
    let (repository, base) = committed();
    let ended = repository.audit("gate", &["--base", &base, "--every"]);
    assert_eq!((ended.code, ran(&repository)), (0, vec!["a".into(), "b".into(), "d".into()]), "{ended:?}");
}

#[test]
fn a_checkers_source_re_verifies_all_its_claims_and_no_others() {
    let (repository, base) = committed();
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    passes(&repository, &base, &["a", "b"]);
    repository.write("verify-dosello/build.rs", "// new, and not committed\n");
    passes(&repository, &base, &["a", "b", "d"]);
}

#[test]
fn a_checker_that_now_rejects_a_claim_is_refused() {
    let (repository, base) = committed();
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    repository.edit("bin/verify-darkhex", ". \"$1/proof.sh\"", "echo failure not-proved 0 1\nexit 1");
    refuses(&repository, &base, "the checker says: failure not-proved 0 1");
}

#[test]
fn build_settings_and_dependencies_count_as_sources_and_members_do_not() {
    let (repository, _) = committed();
    let lock = |version: &str, other: &str| {
        format!(
            "version = 4\n[[package]]\nname = \"verify-darkhex\"\nversion = \"1\"\ndependencies = [\"num\"]\n\
             [[package]]\nname = \"num\"\nversion = \"{version}\"\n\
             [[package]]\nname = \"other\"\nversion = \"{other}\"\n"
        )
    };
    repository.write("Cargo.lock", &lock("1", "1"));
    repository.write("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n[profile.dev]\noverflow-checks = true\n");
    let base = repository.commit();
    repository.write("Cargo.lock", &lock("1", "2"));
    repository.edit("Cargo.toml", "\"a\"", "\"a\", \"b\"");
    passes(&repository, &base, &[]);
    repository.write("Cargo.lock", &lock("2", "2"));
    passes(&repository, &base, &["a", "b"]);
    repository.edit("Cargo.toml", "true", "false");
    passes(&repository, &base, &["a", "b", "d"]);
}

#[test]
fn a_certificate_that_changes_without_the_manifest_is_refused() {
    let (repository, base) = committed();
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    refuses(
        &repository,
        &base,
        "certificates/a/proof.sh changed, but its entry in certificates/MANIFEST.toml did not",
    );
    repository.commit();
    refuses(
        &repository,
        &base,
        "certificates/a/proof.sh changed, but its entry in certificates/MANIFEST.toml did not",
    );
    repository.update();
    passes(&repository, &base, &["a"]);
}

#[test]
fn a_proof_set_that_changes_without_the_manifest_is_refused_and_affects_the_claims_that_rest_on_it() {
    let (repository, base) = committed();
    repository.write("proofsets/d.txt", "2\n");
    refuses(&repository, &base, "proofsets/d.txt changed, but its entry");
    repository.update();
    passes(&repository, &base, &["d"]);
}

#[test]
fn a_certificate_that_is_taken_away_or_added_without_the_manifest_is_refused() {
    let (repository, base) = committed();
    repository.write("certificates/a/extra.txt", "");
    refuses(&repository, &base, "certificates/a/extra.txt changed, but its entry");
    fs::remove_file(repository.root().join("certificates/a/extra.txt")).unwrap();
    fs::remove_file(repository.root().join("certificates/b/proof.sh")).unwrap();
    refuses(&repository, &base, "certificates/b/proof.sh changed, but its entry");
}

#[test]
fn a_statement_that_changes_without_a_note_is_refused() {
    let (repository, base) = committed();
    repository.edit("certificates/a/claim.txt", "a is true", "a is weaker");
    repository.update();
    refuses(
        &repository,
        &base,
        "a: the statement changed, but no new line in certificates/CHANGES.md names it",
    );
    let changes = repository.read("certificates/CHANGES.md");
    repository
        .write("certificates/CHANGES.md", &format!("{changes}- b: not the claim that changed; nor is a-b\n"));
    refuses(&repository, &base, "a: the statement changed, but no new line");
    repository.write("certificates/CHANGES.md", &format!("{changes}- `a`: says less, because it must\n"));
    passes(&repository, &base, &["a"]);
}

#[test]
fn a_verdict_that_changes_without_a_note_is_refused() {
    let (repository, base) = committed();
    repository.write("certificates/a/proof.sh", "echo conditional_value 1 assuming x\nexit 2\n");
    repository.update();
    refuses(&repository, &base, "a: the verdict of the check plain changed, but no new line");
}

#[test]
fn a_claim_that_comes_or_goes_without_a_note_is_refused() {
    let (repository, base) = committed();
    repository.claim("c", "dark-hex", "c is true", PROVES);
    repository.update();
    refuses(&repository, &base, "c: the claim is new, but no new line");
    fs::remove_dir_all(repository.root().join("certificates/b")).unwrap();
    repository.update();
    refuses(&repository, &base, "b: the claim was dropped, but no new line");
    repository.edit("certificates/CHANGES.md", "# Changes\n", "# Changes\n\n- c is new, b is gone\n");
    passes(&repository, &base, &["c"]);
}

#[test]
fn a_manifest_that_demands_less_without_a_note_is_refused() {
    for (old, new, reason) in [
        ("counters = [\"nodes 5\"]\n", "", "the counters of the check plain were dropped"),
        ("tier = \"every-run\"", "tier = \"gate\"", "the check plain runs less often"),
        ("name = \"plain\"", "name = \"plane\"", "the check plain was dropped"),
        (
            "tier = \"every-run\"",
            "tier = \"every-run\"\narguments = [\"-x\"]",
            "the arguments of the check plain changed",
        ),
    ] {
        let (repository, base) = committed();
        repository.edit("certificates/MANIFEST.toml", old, new);
        // Only `SHA256SUMS` is brought up to date: nothing is run unless something is unknown.
        let ended = repository.audit("manifest", &["--update", "--claim", "d"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        refuses(&repository, &base, &format!("a: {reason}, but no new line"));
        assert!(ran(&repository).contains(&"a".to_owned()), "{reason}");
    }
}

#[test]
fn a_manifest_that_expects_what_is_not_so_is_refused() {
    let (repository, base) = committed();
    repository.edit("certificates/MANIFEST.toml", "nodes 5", "nodes 6");
    repository.audit("manifest", &["--update", "--claim", "d"]);
    refuses(&repository, &base, "counted `nodes 5`, expected `nodes 6`");
}

#[test]
fn a_changed_claim_of_which_nothing_ran_is_refused() {
    let (repository, _) = committed();
    repository.edit("certificates/MANIFEST.toml", "tier = \"every-run\"", "tier = \"nightly\"");
    repository.update();
    let base = repository.commit();
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    repository.update();
    refuses(&repository, &base, "a changed, but none of its checks is of the tier gate: nothing ran");
    let ended = repository.audit("gate", &["--base", &base, "--tier", "nightly"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    // Touched only through its checker, it is named.
    repository.git(&["checkout", "--quiet", "."]);
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    let ended = gate(&repository, &base);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("note: a is affected, but none of its checks"), "{ended:?}");
}

#[test]
fn a_checker_and_its_certificates_at_once_are_refused_and_shown_to_the_base_revision() {
    let (repository, base) = committed();
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    repository.update();
    refuses(&repository, &base, "verify-darkhex and certificates change at once (a)");
    let text = repository.report()["problems"].to_string();
    assert!(text.contains("the base revision's checker on a: exact_value 1"), "{text}");
    assert!(text.contains("the base revision has no gate"), "{text}");
    assert!(text.contains("say --override REASON"), "{text}");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn the_base_revisions_checker_is_the_one_that_is_asked() {
    let (repository, base) = committed();
    // The new checker accepts whatever it is given, and the new certificate is false.
    repository.edit("bin/verify-darkhex", ". \"$1/proof.sh\"", "echo nodes 5\necho exact_value 1");
    repository.write("verify-darkhex/src/lib.rs", "// accepts everything\n");
    repository.write("certificates/a/proof.sh", "echo failure refuted 0 0\nexit 1\n");
    repository.update();
    refuses(
        &repository,
        &base,
        "the base revision's checker on a: fails: plain: the checker says: failure refuted 0 0",
    );
}

#[test]
fn an_override_lets_it_pass_and_stands_in_the_report() {
    let (repository, base) = committed();
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    repository.update();
    let ended = repository.audit("gate", &["--base", &base, "--override", " "]);
    assert_eq!(ended.code, 1, "a reason must be given: {ended:?}");
    let ended =
        repository.audit("gate", &["--base", &base, "--override", "a new format, read by two people"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let overrides = repository.report()["overrides"].to_string();
    assert!(overrides.contains("set aside because: a new format, read by two people"), "{overrides}");
    assert!(overrides.contains("the base revision's checker on a: exact_value 1"), "{overrides}");
    assert!(ended.stdout.contains("override: verify-darkhex and certificates change at once"), "{ended:?}");
}

#[test]
fn an_override_sets_nothing_else_aside() {
    let (repository, base) = committed();
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    let ended = repository.audit("gate", &["--base", &base, "--override", "please"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("problem: certificates/a/proof.sh changed"), "{ended:?}");
}

#[test]
fn an_override_without_need_is_told() {
    let (repository, base) = committed();
    let ended = repository.audit("gate", &["--base", &base, "--override", "just in case"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("there was nothing to set aside"), "{ended:?}");
}

#[test]
fn a_checker_and_certificates_of_another_game_may_change_at_once() {
    let (repository, base) = committed();
    repository.write("verify-dosello/src/lib.rs", "// two\n");
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    repository.update();
    passes(&repository, &base, &["a", "d"]);
}

#[test]
fn the_gate_and_certificates_at_once_are_refused_and_the_base_revisions_gate_is_asked() {
    let (repository, _) = committed();
    symlink(env!("CARGO_BIN_EXE_audit"), repository.root().join("bin/audit")).unwrap();
    repository.write("ci/src/gate.rs", "// one\n");
    let base = repository.commit();
    repository.write("ci/src/gate.rs", "// two\n");
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    repository.update();
    refuses(&repository, &base, "the gate and certificates change at once (a)");
    let text = repository.report()["problems"].to_string();
    assert!(text.contains("the base revision's gate lets it pass"), "{text}");
    repository.edit("certificates/a/claim.txt", "a is true", "a is weaker");
    repository.update();
    refuses(&repository, &base, "the base revision's gate refuses it: a: the statement changed");
    // The gate's tests and its report may change with certificates.
    repository.git(&["checkout", "--quiet", "."]);
    repository.write("ci/src/report/page.rs", "// two\n");
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    repository.update();
    passes(&repository, &base, &["a"]);
}

#[test]
fn a_base_revision_that_is_absent_is_told_and_every_claim_is_re_verified() {
    let (repository, _) = committed();
    for (arguments, reason) in [
        (&["--base", "origin/nowhere"][..], "the base revision origin/nowhere is not in this clone"),
        (&["--base=--help"], "the base revision --help is not in this clone"),
        (&[], "no base revision was given"),
    ] {
        let ended = repository.audit("gate", arguments);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.stdout.contains(reason), "{ended:?}");
        assert_eq!(ran(&repository), ["a", "b", "d"]);
    }
}

#[test]
fn a_base_without_a_manifest_is_told() {
    let repository = Repository::with(&[("a", PROVES)]);
    let base = repository.commit();
    repository.update();
    let ended = gate(&repository, &base);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("the base revision has no manifest"), "{ended:?}");
}

#[test]
fn what_the_base_branch_did_meanwhile_is_not_counted_as_the_changes() {
    let (repository, _) = committed();
    repository.git(&["checkout", "--quiet", "-b", "other"]);
    repository.write("verify-darkhex/src/lib.rs", "// of the other branch\n");
    repository.commit();
    repository.git(&["checkout", "--quiet", "-"]);
    repository.write("verify-dosello/src/lib.rs", "// two\n");
    repository.commit();
    passes(&repository, "other", &["d"]);
}

/// The same with checkers that cargo builds: tiny crates without dependencies.
#[test]
fn cargo_builds_the_checkers_of_both_revisions() {
    let repository = Repository::new();
    let members = ["verify-darkhex", "verify-honey", "verify-dosello"];
    repository.write("Cargo.toml", &format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n"));
    for package in members {
        let cargo = format!("[package]\nname = \"{package}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        repository.write(&format!("{package}/Cargo.toml"), &cargo);
        repository.write(
            &format!("{package}/src/main.rs"),
            "fn main() {\n    println!(\"statement a is true\");\n    println!(\"exact_value 1\");\n}\n",
        );
    }
    repository.claim("a", "dark-hex", "a is true", "");
    let audit = |command: &str, arguments: &[&str]| {
        let mut audit = std::process::Command::new(env!("CARGO_BIN_EXE_audit"));
        audit.arg(command).arg("--root").arg(repository.root()).arg("--out").arg(repository.out());
        // Whatever this test's own build was told does not concern that one.
        audit.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET").args(arguments);
        Ended::new(&audit.output().unwrap())
    };
    let ended = audit("manifest", &["--update", "--provenance", "by hand"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let base = repository.commit();
    let ended = audit("all", &[]);
    assert_eq!(ended.code, 0, "{ended:?}");

    repository.edit("verify-darkhex/src/main.rs", "is true", "is very true");
    repository.write("certificates/a/proof.sh", "# new\n");
    let ended = audit("manifest", &["--update"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let ended = audit("gate", &["--base", &base]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let reason =
        "the base revision's checker on a: fails: plain: statement `a is true`, expected `a is very true`";
    assert!(ended.stdout.contains(reason), "{ended:?}");
    assert!(ended.stdout.contains("a: the statement changed"), "{ended:?}");

    repository.write("verify-darkhex/src/main.rs", "fn main() { not rust }\n");
    let ended = audit("all", &[]);
    assert_eq!(ended.code, 74, "{ended:?}");
    assert!(ended.stderr.contains("cargo build of verify-darkhex failed"), "{ended:?}");
}

/// A good and a bad input of `verify-darkhex`, made from the claim `a`.
const VECTORS: &str = r#"tier = "every-run"

[[case]]
name = "the claim"
fault = 0
effect = "none"
run = ["certificates/a"]
exit = 0
last = "exact_value 1"
catches = []

[[case]]
name = "another value"
fault = 5
effect = "it is believed"
run = ["certificates/a"]
edit = [{ file = "proof.sh", write = "echo failure refuted 0 0\nexit 1\n" }]
exit = 1
last = "failure refuted 0 0"
catches = []
"#;

const VECTORS_FILE: &str = "ci/vectors/darkhex.toml";

fn with_vectors() -> (Repository, String) {
    let (repository, _) = committed();
    repository.write(VECTORS_FILE, VECTORS);
    let base = repository.commit();
    (repository, base)
}

/// What became of the good and bad inputs of `verify-darkhex` in the last run.
fn vectors(repository: &Repository) -> (String, i64, i64) {
    let report = repository.report();
    let found = report["vectors"].as_array().unwrap().iter().find(|v| v["checker"] == "verify-darkhex");
    let found = found.unwrap();
    let number = |key: &str| found[key].as_i64().unwrap();
    (found["status"].as_str().unwrap().to_owned(), number("as_stated"), number("cases"))
}

#[test]
fn a_changed_checker_has_to_answer_its_good_and_bad_inputs_as_stated() {
    let (repository, base) = with_vectors();
    repository.write("README.md", "two\n");
    passes(&repository, &base, &[]);
    assert_eq!(vectors(&repository), ("not-run".to_owned(), 0, 2));
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    passes(&repository, &base, &["a", "b"]);
    assert_eq!(vectors(&repository), ("verified".to_owned(), 2, 2));
    let page = fs::read_to_string(repository.out().join("report.html")).unwrap();
    assert!(page.contains("2 of 2") && page.contains("every case as stated"), "the page shows the counts");

    // A checker that accepts everything verifies every claim; only the bad input finds it out.
    repository.edit("bin/verify-darkhex", ". \"$1/proof.sh\"", "echo nodes 5\necho exact_value 1");
    let ended = gate(&repository, &base);
    assert_eq!((ended.code, ran(&repository)), (1, vec!["a".to_owned(), "b".to_owned()]), "{ended:?}");
    assert_eq!(vectors(&repository), ("failed".to_owned(), 1, 2));
    let reason = "1 of 2 cases as stated: verify-darkhex another value: exit code: 0, expected 1";
    let status = repository.report()["vectors"][0]["reason"].as_str().unwrap().to_owned();
    assert_eq!(status, reason, "{ended:?}");
    assert!(ended.stdout.contains("good and bad inputs of 1 checkers failed"), "{ended:?}");
    // And so it is in an audit of everything.
    assert_eq!(repository.audit("all", &[]).code, 1);
    // One that rejects everything, or crashes, fails too.
    for dummy in ["echo failure refuted 0 0\nexit 1", "kill -ABRT $$", "exit 0"] {
        repository.write("bin/verify-darkhex", &repository::CHECKER.replace(". \"$1/proof.sh\"", dummy));
        assert_eq!(gate(&repository, &base).code, 1, "{dummy}");
        assert_eq!(vectors(&repository).0, "failed", "{dummy}");
    }
}

#[test]
fn good_and_bad_inputs_that_change_are_run() {
    let (repository, base) = with_vectors();
    repository.edit(VECTORS_FILE, "echo failure refuted 0 0", "echo failure refuted 1 1");
    assert_eq!(gate(&repository, &base).code, 1);
    assert_eq!(vectors(&repository), ("failed".to_owned(), 1, 2));
    let reason = repository.report()["vectors"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.ends_with("verify-darkhex another value: last line: failure refuted 1 1"), "{reason}");
    repository.edit(VECTORS_FILE, "last = \"failure refuted 0 0\"", "last = \"failure refuted 1 1\"");
    passes(&repository, &base, &[]);
    assert_eq!(vectors(&repository), ("verified".to_owned(), 2, 2));
    repository.edit(VECTORS_FILE, "every-run", "nightly");
    refuses(&repository, &base, "verify-darkhex, good and bad inputs changed, but are not of the tier gate");
    repository.edit(VECTORS_FILE, "exit = 1", "exit = one");
    let ended = gate(&repository, &base);
    assert_eq!(ended.code, 74, "{ended:?}");
    assert!(ended.stderr.contains(VECTORS_FILE), "{ended:?}");
}

#[test]
fn good_and_bad_inputs_are_run_for_claims_that_change() {
    let (repository, base) = with_vectors();
    repository.write("certificates/a/proof.sh", "echo nodes 5\necho exact_value 1 # new\n");
    repository.update();
    passes(&repository, &base, &["a"]);
    assert_eq!(vectors(&repository), ("verified".to_owned(), 2, 2));
}

#[test]
fn cases_that_go_or_expect_another_exit_code_are_refused_without_a_note() {
    let (repository, base) = with_vectors();
    let case = VECTORS.split("[[case]]").nth(2).unwrap();
    let without = VECTORS.replace(&format!("[[case]]{case}"), "");
    let reason = "the case `another value` and 0 more are gone or expect another exit code";
    repository.write(VECTORS_FILE, &without);
    refuses(&repository, &base, reason);
    fs::remove_file(repository.root().join(VECTORS_FILE)).unwrap();
    refuses(&repository, &base, "the case `the claim` and 1 more are gone");
    repository
        .write(VECTORS_FILE, &VECTORS.replace("exit = 1\nlast = \"failure", "exit = 2\nlast = \"failure"));
    refuses(&repository, &base, reason);
    repository.write(VECTORS_FILE, &without);
    repository.edit(
        "certificates/CHANGES.md",
        "# Changes\n",
        "# Changes\n\n- verify-darkhex: one case less\n",
    );
    passes(&repository, &base, &[]);
    assert_eq!(vectors(&repository), ("verified".to_owned(), 1, 1));
}

#[test]
fn the_changes_own_checkers_are_not_taken_for_those_of_the_base_revision() {
    let (repository, base) = committed();
    repository.write("verify-darkhex/src/lib.rs", "// two\n");
    repository.write("certificates/a/proof.sh", &format!("# new\n{PROVES}"));
    repository.update();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_audit"));
    command.args(["gate", "--base", &base, "--root"]).arg(repository.root());
    command.arg("--bin-dir").arg(repository.root().join("bin")).arg("--out").arg(repository.out());
    let ended = Ended::new(&command.output().unwrap());
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("cannot be asked: --bin-dir is an absolute path"), "{ended:?}");
}
