//! The folder of an auditor's own interrupted run: results of units that this checker, with this very core, proved in
//! an earlier process for the same claim. The auditor keeps the folder; nothing else writes to it.

use crate::error::{Error, Reason};
use crate::sources;
use crate::text::{Text, shown};
use crate::units::{Logged, Unit};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// An open folder.
pub struct OwnRun {
    folder: PathBuf,
}

impl OwnRun {
    /// Opens a folder, or makes it, for the claim in the folder `claim`. `about` says what the run is about: hashes of
    /// all that was read.
    ///
    /// # Errors
    /// If the folder belongs to another run, lies inside a repository or the claim's folder, or cannot be used.
    pub fn open(folder: &Path, claim: &Path, about: &str) -> Result<Self, Error> {
        let failed_at = |path: &Path, error: &dyn std::fmt::Display| {
            Error::InputOutput(format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())))
        };
        let failed = |error: &dyn std::fmt::Display| failed_at(folder, error);
        // Before the folder is made, so that a refusal leaves nothing behind (but where the path steps back from a
        // folder that is not there yet); and again when it is there, as only then are all links and dots resolved.
        let absolute = std::path::absolute(folder).map_err(|error| failed(&error))?;
        let claim = claim.canonicalize().map_err(|error| failed_at(claim, &error))?;
        if let Some(above) = absolute.ancestors().find(|above| above.exists()) {
            apart(&above.canonicalize().map_err(|error| failed(&error))?, &claim)?;
        }
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let folder = folder.canonicalize().map_err(|error| failed(&error))?;
        apart(&folder, &claim)?;
        let expected = format!("dosello-run 1\nchecker {}\n{about}", sources::core_digest());
        let head = folder.join("run.txt");
        if head.exists() {
            let same = fs::read_to_string(&head).map_err(|error| failed(&error))? == expected;
            if !same {
                return Err(Error::of(Reason::ForeignRun, "run.txt names another core or another claim"));
            }
        } else {
            let mut inside = fs::read_dir(&folder).map_err(|error| failed(&error))?;
            if inside.any(|entry| entry.map_or(true, |entry| !is_partial(&entry.path()))) {
                return Err(Error::of(
                    Reason::ForeignRun,
                    "the folder is neither empty nor has it a run.txt",
                ));
            }
            write_whole(&head, &expected)?;
        }
        Ok(Self { folder })
    }

    fn path(&self, unit: &Unit) -> PathBuf {
        self.folder.join(format!("{unit}.line"))
    }

    /// The line of a unit that ended earlier, if there is one.
    ///
    /// # Errors
    /// If the file is damaged or is about something else.
    pub fn earlier(&self, unit: &Unit) -> Result<Option<Logged>, Error> {
        let path = self.path(unit);
        if !path.exists() {
            return Ok(None);
        }
        let text = Text::read(&path)?;
        let mut lines = Logged::parse_all(&text)?;
        match (lines.pop(), lines.is_empty()) {
            (Some(line), true) if line.unit == *unit && line.checker == sources::core_digest() => {
                Ok(Some(line))
            }
            _ => Err(text.error(Reason::ForeignRun, 1, "not one line of this checker about this unit")),
        }
    }

    /// Keeps the line of a unit that has ended.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, line: &Logged) -> Result<(), Error> {
        write_whole(&self.path(&line.unit), &format!("{line}\n"))
    }
}

/// What comes with a claim must not be taken for the auditor's own: what lies in a repository, in the claim's folder or,
/// if that is one of `certificates/`, in the one above, where the proof sets are.
fn apart(folder: &Path, claim: &Path) -> Result<(), Error> {
    let repository = |above: &Path| above.join(".git").exists() || above.join("Cargo.toml").exists();
    let all = claim.parent().filter(|parent| parent.ends_with("certificates")).and_then(Path::parent);
    if folder.starts_with(all.unwrap_or(claim)) || folder.ancestors().any(repository) {
        return Err(Error::Usage(
            "the folder of a resumed run must lie outside repositories and apart from the claim".to_owned(),
        ));
    }
    Ok(())
}

/// What a kill in the middle of writing leaves behind.
fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "partial")
}

/// Writes a file under a name that no other process uses and renames it, so that it is there whole or not at all, also
/// when two processes work in one folder. Both would write the same: a line says nothing of who wrote it or when.
fn write_whole(path: &Path, content: &str) -> Result<(), Error> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    File::create(&partial)
        .and_then(|mut file| file.write_all(content.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&partial, path))
        .map_err(|error| {
            Error::InputOutput(format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())))
        })
}
