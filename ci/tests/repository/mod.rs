//! A repository in a temporary folder, with dummy checkers that do whatever the certificate says.
//!
//! A dummy checker is a shell script: it prints the line `statement` from `claim.txt` and then executes the
//! certificate, `proof.sh`. So every way in which a checker can misbehave is a certificate.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

pub const CHECKER: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "dummy sources 1"; exit 0; fi
echo "statement $(sed -n 's/^text //p' "$1/claim.txt")"
. "$1/proof.sh"
"#;
pub const PROVES: &str = "echo nodes 5\necho exact_value 1\n";

pub struct Repository {
    pub folder: TempDir,
}

impl Repository {
    /// With the three dummy checkers and no claim.
    pub fn new() -> Repository {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        fs::set_permissions(repository.root(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(repository.root().join("certificates")).unwrap();
        for checker in ["verify-darkhex", "verify-honey", "verify-dosello"] {
            repository.write(&format!("bin/{checker}"), CHECKER);
            let path = repository.root().join("bin").join(checker);
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        repository
    }

    /// With one Dark Hex claim for each pair of name and certificate, and a manifest if all of them can be recorded.
    pub fn with(claims: &[(&str, &str)]) -> Repository {
        let repository = Repository::new();
        for (name, proof) in claims {
            repository.claim(name, "dark-hex", &format!("{name} is true"), proof);
        }
        repository
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn out(&self) -> PathBuf {
        self.root().join("out")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn edit(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} lacks {old}:\n{text}");
        self.write(path, &text.replacen(old, new, 1));
    }

    pub fn claim(&self, name: &str, game: &str, text: &str, proof: &str) {
        self.write(
            &format!("certificates/{name}/claim.txt"),
            &format!("claim 1\ngame {game}\ntext {text}\n"),
        );
        self.write(&format!("certificates/{name}/proof.sh"), proof);
    }

    pub fn command(&self, command: &str, arguments: &[&str]) -> Command {
        let mut audit = Command::new(env!("CARGO_BIN_EXE_audit"));
        audit.arg(command).arg("--root").arg(self.root()).args(["--bin-dir", "bin"]);
        audit.arg("--out").arg(self.out()).args(arguments);
        audit
    }

    pub fn audit(&self, command: &str, arguments: &[&str]) -> Ended {
        Ended::new(&self.command(command, arguments).output().unwrap())
    }

    /// Records what the checkers say now.
    pub fn update(&self) {
        let ended = self.audit("manifest", &["--update", "--provenance", "by hand"]);
        assert_eq!(ended.code, 0, "{ended:?}");
    }

    /// The report of the last run.
    pub fn report(&self) -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(self.out().join("report.json")).unwrap()).unwrap()
    }

    /// Status and reason of a claim in the report of the last run.
    pub fn status(&self, claim: &str) -> String {
        let report = self.report();
        let claims = report["claims"].as_array().unwrap();
        let claim = claims.iter().find(|found| found["name"] == claim).unwrap();
        format!("{} {}", claim["status"].as_str().unwrap(), claim["reason"].as_str().unwrap_or_default())
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.root())
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub fn commit(&self) -> String {
        if !self.root().join(".git").exists() {
            self.git(&["init", "--quiet"]);
            self.write(".gitignore", "/out/\n/target/\n");
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "A state"]);
        self.git(&["rev-parse", "HEAD"])
    }
}

#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn new(output: &Output) -> Ended {
        Ended {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
