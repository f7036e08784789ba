//! The manifest against the files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "test code fails by panicking"
)]

mod repository;

use repository::{PROVES, Repository};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// What `manifest --check` says after an edit of a repository in which all was well.
fn after(edit: impl FnOnce(&Repository)) -> (i32, String) {
    let repository = Repository::with(&[("a", PROVES), ("b", PROVES)]);
    repository.write("proofsets/weights.txt", "1\n");
    repository.update();
    let before = repository.audit("manifest", &["--check"]);
    assert_eq!(before.code, 0, "{before:?}");
    edit(&repository);
    let ended = repository.audit("manifest", &["--check"]);
    (ended.code, ended.stdout)
}

#[test]
fn every_way_in_which_files_and_manifest_can_differ_is_a_problem() {
    type Edit = fn(&Repository);
    let cases: [(&str, Edit); 16] = [
        ("certificates/a/proof.sh is not the file of the manifest", |r| {
            r.write("certificates/a/proof.sh", "exit\n");
        }),
        ("certificates/a/extra.txt has no entry", |r| r.write("certificates/a/extra.txt", "")),
        ("lists certificates/a/proof.sh, which is not there", |r| {
            fs::remove_file(r.root().join("certificates/a/proof.sh")).unwrap();
        }),
        ("the entry b has no claim on disk", |r| {
            fs::remove_dir_all(r.root().join("certificates/b")).unwrap();
        }),
        ("certificates/c has no entry", |r| r.claim("c", "dosello", "c", PROVES)),
        ("certificates/c: has neither claim.txt nor set.txt", |r| r.write("certificates/c/note.txt", "")),
        ("certificates/note.txt belongs to no claim", |r| r.write("certificates/note.txt", "")),
        ("certificates/c is neither a file nor a folder", |r| {
            symlink("a", r.root().join("certificates/c")).unwrap();
        }),
        ("certificates/a/link is no plain file", |r| {
            symlink("proof.sh", r.root().join("certificates/a/link")).unwrap();
        }),
        ("has a name that is not plain", |r| r.write("certificates/x\u{1b}y/claim.txt", "")),
        ("proofsets/weights.txt is not the file of the manifest", |r| {
            r.write("proofsets/weights.txt", "2\n");
        }),
        ("proofsets/more.txt has no entry", |r| r.write("proofsets/more.txt", "2\n")),
        ("SHA256SUMS is not what follows", |r| r.write("certificates/SHA256SUMS", "")),
        ("a plain has no counters and does not say why", |r| {
            r.edit("certificates/MANIFEST.toml", "counters = [\"nodes 5\"]\n", "");
        }),
        ("a plain has no counters and does not say why", |r| {
            r.edit("certificates/MANIFEST.toml", "counters = [\"nodes 5\"]\n", "uncounted = \" \"\n");
        }),
        ("says nothing on its provenance", |r| r.edit("certificates/MANIFEST.toml", "by hand", "")),
    ];
    for (reason, edit) in cases {
        let (code, stdout) = after(edit);
        assert_eq!(code, 1, "{reason}: {stdout}");
        assert!(stdout.contains(reason), "{reason}: {stdout}");
        assert!(!stdout.contains('\u{1b}'), "{stdout}");
    }
}

#[test]
fn a_manifest_that_is_not_well_formed_ends_the_audit() {
    for (old, new) in [
        ("format = 1", "format = 2"),
        ("name = \"b\"", "name = \"a\""),
        ("tier = ", "teir = "),
        ("\"every-run\"", "\"never\""),
        ("name = \"b\"", "name = \"../b\""),
        ("name = \"b\"", "name = \"..\""),
        ("name = \"b\"", "name = \"b</script>\""),
        ("name = \"plain\"", "name = \"\\u001b[2J\""),
        ("name = \"plain\"", "name = \"\""),
        ("path = \"certificates/a/", "path = \"certificates/../certificates/a/"),
        ("path = \"certificates/a/", "path = \"/certificates/a/"),
    ] {
        let repository = Repository::with(&[("a", PROVES), ("b", PROVES)]);
        repository.update();
        repository.edit("certificates/MANIFEST.toml", old, new);
        for command in [&["manifest", "--check"][..], &["all"], &["gate"]] {
            let ended = repository.audit(command[0], &command[1..]);
            assert_eq!(ended.code, 74, "{new} {ended:?}");
            assert!(ended.stderr.contains("MANIFEST.toml"), "{ended:?}");
        }
    }
}

#[test]
fn plain_sha256sum_agrees_and_notices_a_change() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.write("proofsets/weights.txt", "1\n");
    repository.update();
    let check = || {
        let mut command = Command::new("sha256sum");
        command
            .args(["--check", "--strict", "--quiet", "SHA256SUMS"])
            .current_dir(repository.root().join("certificates"));
        command.output().unwrap().status.success()
    };
    assert!(check());
    assert_eq!(repository.read("certificates/SHA256SUMS").lines().count(), 4);
    repository.write("proofsets/weights.txt", "2\n");
    assert!(!check());
}

#[test]
fn sizes_of_packed_files_are_those_before_and_after_unpacking() {
    let repository = Repository::with(&[("a", PROVES)]);
    let mut packed = liblzma::write::XzEncoder::new(Vec::new(), 6);
    std::io::Write::write_all(&mut packed, &[b'x'; 5000]).unwrap();
    let packed = packed.finish().unwrap();
    fs::write(repository.root().join("certificates/a/long.txt.xz"), &packed).unwrap();
    repository.update();
    let manifest = repository.read("certificates/MANIFEST.toml");
    assert!(manifest.contains(&format!("packed = {}\nunpacked = 5000", packed.len())), "{manifest}");

    let damaged = &packed[..packed.len() - 1];
    fs::write(repository.root().join("certificates/a/long.txt.xz"), damaged).unwrap();
    let ended = repository.audit("manifest", &["--check"]);
    assert!(ended.code == 1 && ended.stdout.contains("problem: certificates/a/long.txt.xz: "), "{ended:?}");
}

#[test]
fn a_claim_rests_on_the_proof_sets_that_it_names() {
    let repository = Repository::new();
    for (name, game, line) in [
        ("h", "honey-islands", "proofset proofsets/set.txt"),
        ("d", "dosello", "proofset set.txt"),
        ("n", "dosello", "proofset none"),
    ] {
        repository.claim(name, game, name, PROVES);
        repository.edit(&format!("certificates/{name}/claim.txt"), "text", &format!("{line}\ntext"));
    }
    repository.write("proofsets/set.txt", "1\n");
    repository.write("proofsets/unused.txt", "1\n");
    repository.write("proofsets/programs/run.sh", "1\n");
    repository.update();
    let manifest = repository.read("certificates/MANIFEST.toml");
    let count = |path: &str| manifest.matches(&format!("path = \"{path}\"")).count();
    assert_eq!((count("proofsets/set.txt"), count("proofsets/unused.txt")), (2, 1), "{manifest}");
    assert!(!manifest.contains("programs"));
    fs::remove_file(repository.root().join("proofsets/set.txt")).unwrap();
    let ended = repository.audit("manifest", &["--check"]);
    assert!(ended.code == 1 && ended.stdout.contains("proofsets/set.txt is missing"), "{ended:?}");
}

#[test]
fn an_update_keeps_what_a_person_wrote_and_runs_only_what_is_new() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    repository.edit("certificates/MANIFEST.toml", "by hand", "by a person");
    repository.edit("certificates/MANIFEST.toml", "seconds = 900", "seconds = 77");
    // If `a` ran again, its counters would be recorded anew.
    repository.edit("certificates/MANIFEST.toml", "nodes 5", "nodes 6");
    repository.claim("b", "dosello", "b is true", PROVES);
    let ended = repository.audit("manifest", &["--update", "--provenance", "x"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let manifest = repository.read("certificates/MANIFEST.toml");
    for kept in ["by a person", "seconds = 77", "nodes 6", "statement = \"b is true\"", "nodes 5"] {
        assert!(manifest.contains(kept), "{kept}: {manifest}");
    }
    assert_eq!(repository.audit("manifest", &["--update", "--rerun"]).code, 0);
    assert!(!repository.read("certificates/MANIFEST.toml").contains("nodes 6"));
}

#[test]
fn a_check_without_counters_is_named_with_its_reason_until_they_are_recorded() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    let reason = "uncounted = \"it takes a week\"\n";
    repository.edit("certificates/MANIFEST.toml", "counters = [\"nodes 5\"]\n", reason);
    repository.audit("manifest", &["--update", "--files-only"]);
    let ended = repository.audit("manifest", &["--check"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let note = "note: a plain has no counters recorded: it takes a week\n";
    assert!(ended.stdout.contains(note), "{ended:?}");
    let ended = repository.audit("all", &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let note = "note: a plain: no counters are recorded, so only statement and verdict were compared: it takes a week";
    assert!(ended.stdout.contains(note), "{ended:?}");
    repository.update();
    assert!(!repository.read("certificates/MANIFEST.toml").contains("uncounted = "));
    assert!(!repository.audit("all", &[]).stdout.contains("no counters"));
}

#[test]
fn an_update_does_not_record_a_failure() {
    let repository = Repository::with(&[("a", PROVES)]);
    repository.update();
    repository.write("certificates/a/proof.sh", "echo failure refuted 0 0\nexit 1\n");
    let ended = repository.audit("manifest", &["--update"]);
    assert!(ended.code == 1 && ended.stdout.contains("a plain: not recorded: the checker says"), "{ended:?}");
    assert!(repository.read("certificates/MANIFEST.toml").contains("verdict = \"exact_value 1\""));
}
