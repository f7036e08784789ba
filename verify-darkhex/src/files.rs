//! Reading the files of a claim from a folder, each bounded, plain, and hashed as read.

use crate::claim::{self, Claim, FileName, Kind, Set};
use crate::error::{Error, Fault};
use crate::strategy::Strategy;
use crate::{mixture, realization, xz};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A strategy as read from a file.
pub struct Source {
    /// The file's name as the claim gives it.
    pub name: String,
    /// SHA-256 of the very bytes that were parsed, that is, unpacked.
    pub sha256: String,
    /// The number of those bytes.
    pub bytes: usize,
    /// SHA-256 of the packed file, if it is packed.
    pub packed_sha256: Option<String>,
    /// What was read.
    pub strategy: Strategy,
}

/// What a folder claims.
pub enum Folder {
    /// It has a `claim.txt`.
    Claim(Box<Claim>),
    /// It has a `set.txt`.
    Set(Set),
}

/// Reads the `claim.txt` or `set.txt` of a folder; with the folder's path, since the path may name the file itself,
/// which is then the one that is read.
///
/// # Errors
/// Neither or both are there, not the one that is named, or the file is malformed.
pub fn open(path: &Path) -> Result<(PathBuf, Folder, String), Error> {
    let (folder, named) = match path.file_name().and_then(|name| name.to_str()) {
        Some(name @ ("claim.txt" | "set.txt")) if !path.is_dir() => {
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            (folder.to_path_buf(), Some(name))
        }
        _ => (path.to_path_buf(), None),
    };
    let exists = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    if exists("claim.txt") && exists("set.txt") {
        return Err(Error::malformed(
            "set.txt",
            0,
            Fault::Members("a claim.txt stands beside the set.txt".to_string()),
        ));
    }
    if named.map_or_else(|| exists("set.txt"), |name| name == "set.txt") {
        let bytes = read("set.txt", &folder.join("set.txt"), claim::MAX_BYTES)?;
        let set = claim::read_set("set.txt", &bytes)?;
        check_members(&folder, &set)?;
        Ok((folder, Folder::Set(set), hex(&bytes)))
    } else {
        let bytes = read("claim.txt", &folder.join("claim.txt"), claim::MAX_BYTES)?;
        Ok((folder, Folder::Claim(Box::new(claim::read_claim("claim.txt", &bytes)?)), hex(&bytes)))
    }
}

/// The sub-folders are exactly the members, and nothing is a link.
fn check_members(folder: &Path, set: &Set) -> Result<(), Error> {
    let fault = |reason: String| Error::malformed("set.txt", 0, Fault::Members(reason));
    let entries = fs::read_dir(folder).map_err(|error| Error::io("the set's folder", &error))?;
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::io("the set's folder", &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().map_err(|error| Error::io(&name, &error))?;
        if kind.is_symlink() {
            return Err(Error::malformed(&name, 0, Fault::NotAPlainFile));
        }
        if kind.is_dir() {
            folders.push(name);
        }
    }
    if let Some(missing) = set.members.iter().find(|member| !folders.contains(member)) {
        return Err(fault(format!("the member {missing} is missing")));
    }
    if let Some(extra) = folders.iter().find(|name| !set.members.contains(name)) {
        return Err(fault(format!("the folder {} is not a member", crate::error::shown(extra))));
    }
    Ok(())
}

/// Reads a strategy that a claim names.
///
/// # Errors
/// The file cannot be read, is no plain file, too large, or malformed.
pub fn strategy(folder: &Path, file: &FileName) -> Result<Source, Error> {
    let path = match &file.member {
        None => folder.join(&file.name),
        Some(member) => {
            // Only the folder of a set may be left for a sibling.
            let set = folder.join("..");
            let is_set = fs::symlink_metadata(set.join("set.txt")).is_ok_and(|data| data.is_file());
            let is_folder = fs::symlink_metadata(set.join(member)).is_ok_and(|data| data.is_dir());
            if !is_set || !is_folder {
                return Err(Error::malformed("claim.txt", 0, Fault::FileName));
            }
            set.join(member).join(&file.name)
        }
    };
    let name = match &file.member {
        Some(member) => format!("../{member}/{}", file.name),
        None => file.name.clone(),
    };
    load(&name, &path, file.kind, file.packed)
}

/// Reads a strategy file.
///
/// # Errors
/// As [`strategy`].
pub fn load(name: &str, path: &Path, kind: Kind, packed: bool) -> Result<Source, Error> {
    let raw = read(name, path, xz::MAX_BYTES)?;
    let (bytes, packed_sha256) =
        if packed { (xz::unpack(name, &raw, xz::MAX_BYTES)?, Some(hex(&raw))) } else { (raw, None) };
    let strategy = match kind {
        Kind::Mixture => mixture::read(name, &bytes)?,
        Kind::Realization => realization::read(name, &bytes)?,
    };
    Ok(Source { name: name.to_string(), sha256: hex(&bytes), bytes: bytes.len(), packed_sha256, strategy })
}

fn read(name: &str, path: &Path, most: usize) -> Result<Vec<u8>, Error> {
    let data = fs::symlink_metadata(path).map_err(|error| Error::io(name, &error))?;
    if !data.is_file() {
        return Err(Error::malformed(name, 0, Fault::NotAPlainFile));
    }
    let file = fs::File::open(path).map_err(|error| Error::io(name, &error))?;
    let mut bytes = Vec::new();
    // The size may change while it is read: one byte more than the limit tells.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).map_err(|error| Error::io(name, &error))?;
    if bytes.len() > most {
        return Err(Error::malformed(name, 0, Fault::TooLarge { limit: most }));
    }
    Ok(bytes)
}

/// SHA-256 in hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
