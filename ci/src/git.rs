//! What the gate asks git.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A work tree.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository whose work tree has its root here.
    #[must_use]
    pub fn new(root: &Path) -> Repository {
        Repository { root: root.to_owned() }
    }

    fn git<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Vec<u8>, String> {
        let mut command = Command::new("git");
        // Names as they are, whatever the user has configured.
        command.arg("-C").arg(&self.root).args(["-c", "core.quotePath=false"]);
        let output = command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("git cannot be started: {error}"))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            let first = arguments.first().map(|word| word.as_ref().to_string_lossy()).unwrap_or_default();
            let said = crate::escape::escaped_tail(&output.stderr, 500);
            Err(format!("git {first}: {said}"))
        }
    }

    /// The commit that a revision names, if it is here.
    #[must_use]
    pub fn commit(&self, revision: &str) -> Option<String> {
        let wanted = format!("{revision}^{{commit}}");
        let found = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]).ok()?;
        Some(String::from_utf8_lossy(&found).trim().to_owned()).filter(|found| !found.is_empty())
    }

    /// The commit from which `HEAD` and another commit come, if history reaches so far back.
    #[must_use]
    pub fn fork(&self, commit: &str) -> Option<String> {
        let found = self.git(&["merge-base", commit, "HEAD"]).ok()?;
        Some(String::from_utf8_lossy(&found).trim().to_owned()).filter(|found| !found.is_empty())
    }

    /// Paths that differ between a commit and the work tree, with files that git does not know and does not ignore.
    ///
    /// # Errors
    /// Git fails.
    pub fn changed(&self, commit: &str) -> Result<BTreeSet<String>, String> {
        let tracked =
            self.git(&["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", commit, "--"])?;
        let unknown = self.git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        let paths = |bytes: Vec<u8>| -> Vec<String> {
            let pieces = bytes.split(|&byte| byte == 0).filter(|piece| !piece.is_empty());
            pieces.map(|piece| String::from_utf8_lossy(piece).into_owned()).collect()
        };
        Ok(paths(tracked).into_iter().chain(paths(unknown)).collect())
    }

    /// A file as a commit has it; `None` if it has none.
    ///
    /// # Errors
    /// Git fails for another reason.
    pub fn show(&self, commit: &str, path: &str) -> Result<Option<String>, String> {
        if self.git(&["ls-tree", "-z", "--name-only", commit, "--", path])?.is_empty() {
            return Ok(None);
        }
        let bytes = self.git(&["show", &format!("{commit}:{path}")])?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Checks a commit out into a folder of its own, which goes with the value returned.
    ///
    /// # Errors
    /// Git or the file system fails.
    pub fn check_out(&self, commit: &str) -> Result<CheckOut<'_>, String> {
        let parent = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let folder = parent.path().join("base");
        let words: [&OsStr; 6] = [
            "worktree".as_ref(),
            "add".as_ref(),
            "--detach".as_ref(),
            "--quiet".as_ref(),
            folder.as_ref(),
            commit.as_ref(),
        ];
        self.git(&words)?;
        Ok(CheckOut { repository: self, folder, _parent: parent })
    }
}

/// A commit in a folder of its own.
#[derive(Debug)]
pub struct CheckOut<'a> {
    repository: &'a Repository,
    /// Where.
    pub folder: PathBuf,
    _parent: tempfile::TempDir,
}

impl Drop for CheckOut<'_> {
    fn drop(&mut self) {
        let words: [&OsStr; 4] =
            ["worktree".as_ref(), "remove".as_ref(), "--force".as_ref(), self.folder.as_ref()];
        // If this fails, `git worktree prune` forgets the folder later on.
        let _ = self.repository.git(&words);
    }
}
