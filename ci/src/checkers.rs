//! The checkers' binaries: built with cargo, or given.

use crate::escape::escaped;
use crate::outcome::{Checker, Family};
use crate::process::{End, Job, run};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the binaries come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Built here, with the profile that `cargo run` uses, or with `--release`.
    Cargo {
        /// Pass `--release`.
        release: bool,
        /// Another target folder than cargo's own choice.
        target: Option<PathBuf>,
    },
    /// They lie in a folder under their packages' names.
    Folder(PathBuf),
}

/// Builds or finds the named packages' binaries.
///
/// # Errors
/// One of them is not there, or does not build.
pub fn binaries(
    root: &Path,
    packages: &[&str],
    source: &Source,
) -> Result<BTreeMap<String, PathBuf>, String> {
    match source {
        Source::Folder(folder) => packages
            .iter()
            .map(|&package| {
                let path = std::path::absolute(folder.join(package)).map_err(|error| error.to_string())?;
                if path.is_file() {
                    Ok((package.to_owned(), path))
                } else {
                    Err(format!("{package} is not in {}", folder.display()))
                }
            })
            .collect(),
        Source::Cargo { release, target } => build(root, packages, *release, target.as_deref()),
    }
}

fn build(
    root: &Path,
    packages: &[&str],
    release: bool,
    target: Option<&Path>,
) -> Result<BTreeMap<String, PathBuf>, String> {
    if packages.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut command = cargo(root);
    command.args(["build", "--quiet", "--bins", "--message-format=json-render-diagnostics"]);
    for package in packages {
        command.args(["--package", package]);
    }
    if release {
        command.arg("--release");
    }
    if let Some(target) = target {
        command.arg("--target-dir").arg(target);
    }
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo build of {} failed", packages.join(", ")));
    }
    let mut found = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let name = message.pointer("/target/name").and_then(serde_json::Value::as_str);
        let path = message.get("executable").and_then(serde_json::Value::as_str);
        if let (Some(name), Some(path)) = (name, path)
            && packages.contains(&name)
        {
            found.insert(name.to_owned(), PathBuf::from(path));
        }
    }
    match packages.iter().find(|&&package| !found.contains_key(package)) {
        None => Ok(found),
        Some(package) => Err(format!("cargo built no binary {package}")),
    }
}

/// Cargo, to be run in `root`.
#[must_use]
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root);
    command
}

/// Asks each binary for its version.
///
/// # Errors
/// One does not tell.
pub fn versions(
    launcher: &Path,
    root: &Path,
    binaries: &BTreeMap<String, PathBuf>,
) -> Result<Vec<Checker>, String> {
    let known = |name: &&String| Family::ALL.iter().any(|family| family.checker() == name.as_str());
    binaries
        .keys()
        .filter(known)
        .map(|name| {
            let job = Job {
                launcher: launcher.to_owned(),
                program: binaries.get(name).cloned().unwrap_or_default(),
                arguments: vec![OsString::from("--version")],
                folder: root.to_owned(),
                seconds: 60,
                mib: 2048,
            };
            let ended = run(&job).map_err(|error| format!("{name} cannot be started: {error}"))?;
            let version = escaped(ended.stdout.trim_ascii_end(), 300);
            if ended.end != End::Exited(0) || version.is_empty() {
                return Err(format!("{name} --version fails"));
            }
            Ok(Checker { name: name.clone(), version })
        })
        .collect()
}
