//! What lies under `certificates/` and `proofsets/`: claims, the files of each, and what is wrong with the layout.

use crate::escape::escaped;
use crate::outcome::{Family, FileEntry};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Files directly in `certificates/` that belong to no claim.
pub const LOOSE: [&str; 4] = ["CHANGES.md", "MANIFEST.toml", "README.md", "SHA256SUMS"];
/// Most bytes of one file, packed or unpacked. The largest here has 2 MB.
const FILE_BYTES: u64 = 1 << 30;
/// Most bytes of a `claim.txt` or `set.txt` that is looked into. The checkers' own limits are lower.
const CLAIM_BYTES: u64 = 1 << 20;
/// Deepest folder below `certificates/`: a set, a member, and one more to notice what does not belong.
const DEPTH: usize = 4;

/// A claim or a set of claims, as it lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Folder below `certificates/`.
    pub name: String,
    /// By the line `game`.
    pub family: Family,
    /// All files in the folder and the proof sets that it names: paths from the root, in order, no path twice.
    pub files: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// By name.
    pub claims: BTreeMap<String, Found>,
    /// Files of `proofsets/` (not of its sub-folders, which hold programs) that no claim names: paths from the root.
    pub unclaimed: Vec<String>,
    /// What is wrong, one sentence each.
    pub problems: Vec<String>,
}

/// Looks through `certificates/` and `proofsets/` below `root`.
///
/// # Errors
/// `certificates/` cannot be listed. Trouble further down is among the problems.
pub fn find(root: &Path) -> io::Result<Tree> {
    let mut tree = Tree::default();
    for (kind, name) in list(&root.join("certificates"))? {
        match (kind, name) {
            (_, Err(shown)) => {
                let rule = "A-Z a-z 0-9 - . _, and neither - nor . in front";
                tree.problems.push(format!("certificates/{shown} has a name that is not plain: {rule}"));
            }
            (Kind::Folder, Ok(name)) => match claim(root, &name, &mut tree.problems) {
                Ok(found) => {
                    tree.claims.insert(name, found);
                }
                Err(problem) => tree.problems.push(format!("certificates/{name}: {problem}")),
            },
            (Kind::File, Ok(name)) if LOOSE.contains(&name.as_str()) => {}
            (Kind::File, Ok(name)) => {
                tree.problems.push(format!("certificates/{name} belongs to no claim"));
            }
            (Kind::Other, Ok(name)) => {
                tree.problems.push(format!("certificates/{name} is neither a file nor a folder"));
            }
        }
    }
    let proofsets = root.join("proofsets");
    if proofsets.exists() {
        for (kind, name) in list(&proofsets)? {
            match (kind, name) {
                (Kind::File, Ok(name)) => {
                    let path = format!("proofsets/{name}");
                    if !tree.claims.values().any(|claim| claim.files.contains(&path)) {
                        tree.unclaimed.push(path);
                    }
                }
                // Programs that work on proof sets lie in folders.
                (Kind::Folder, _) => {}
                (_, Ok(shown) | Err(shown)) => {
                    tree.problems.push(format!("proofsets/{shown} is no plain file with a plain name"));
                }
            }
        }
    }
    Ok(tree)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Other,
}

/// The entries of a folder in order of their bytes; a name that is not plain comes escaped, as an error.
fn list(folder: &Path) -> io::Result<Vec<(Kind, Result<String, String>)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Links are not followed here: a link is `Other`.
        let kind = entry.file_type()?;
        let kind = match (kind.is_file(), kind.is_dir()) {
            (true, _) => Kind::File,
            (_, true) => Kind::Folder,
            _ => Kind::Other,
        };
        let raw = entry.file_name();
        let name = match raw.to_str() {
            Some(name) if is_plain(name) => Ok(name.to_owned()),
            _ => Err(escaped(raw.as_bytes(), 200)),
        };
        entries.push((kind, name));
    }
    entries.sort_by(|(_, a), (_, b)| a.cmp(b));
    Ok(entries)
}

/// Whether a name can do no harm in a path, on a terminal or in a shell.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"-._".contains(&c);
    !name.is_empty() && !name.starts_with(['.', '-']) && name.bytes().all(plain)
}

fn claim(root: &Path, name: &str, problems: &mut Vec<String>) -> Result<Found, String> {
    let folder = format!("certificates/{name}");
    let mut files = Vec::new();
    walk(root, &folder, 1, &mut files, problems)?;
    let heads: Vec<&str> = ["claim.txt", "set.txt"]
        .into_iter()
        .filter(|head| files.contains(&format!("{folder}/{head}")))
        .collect();
    let head = match heads.as_slice() {
        [head] => format!("{folder}/{head}"),
        [] => return Err("has neither claim.txt nor set.txt".to_owned()),
        _ => return Err("has both claim.txt and set.txt".to_owned()),
    };
    let text = read_text(&root.join(&head))?;
    let game = value(&text, "game").ok_or_else(|| format!("{head} names no game"))?;
    let family = Family::of_game(game)
        .ok_or_else(|| format!("no checker for the game {}", escaped(game.as_bytes(), 60)))?;
    let texts: Vec<String> = files.iter().filter(|path| path.ends_with("/claim.txt")).cloned().collect();
    for path in texts {
        let text = read_text(&root.join(&path))?;
        for set in
            ["proofset", "advice"].iter().filter_map(|key| value(&text, key)).filter(|&set| set != "none")
        {
            let plain = set.strip_prefix("proofsets/").unwrap_or(set);
            let inside = family == Family::HoneyIslands && !set.starts_with("proofsets/");
            let named = format!("proofsets/{plain}");
            // A file in the claim's own folder is in the list already. Other names are the checker's to refuse.
            if !inside && !plain.contains('/') && !plain.starts_with('.') && !files.contains(&named) {
                if !root.join(&named).is_file() {
                    return Err(format!("{named} is missing"));
                }
                files.push(named);
            }
        }
    }
    files.sort();
    Ok(Found { name: name.to_owned(), family, files })
}

fn walk(
    root: &Path,
    folder: &str,
    depth: usize,
    files: &mut Vec<String>,
    problems: &mut Vec<String>,
) -> Result<(), String> {
    if depth > DEPTH {
        return Err(format!("{folder} lies too deep"));
    }
    let entries = list(&root.join(folder)).map_err(|error| format!("cannot list {folder}: {error}"))?;
    if entries.is_empty() {
        problems.push(format!("{folder} is empty"));
    }
    for (kind, name) in entries {
        match (kind, name) {
            (Kind::File, Ok(name)) => files.push(format!("{folder}/{name}")),
            (Kind::Folder, Ok(name)) => walk(root, &format!("{folder}/{name}"), depth + 1, files, problems)?,
            (_, Ok(shown) | Err(shown)) => {
                problems.push(format!("{folder}/{shown} is no plain file with a plain name"));
            }
        }
    }
    Ok(())
}

fn read_text(path: &Path) -> Result<String, String> {
    let shown = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = fs::File::open(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let mut bytes = Vec::new();
    file.take(CLAIM_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{shown} cannot be read: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The value of the first line with this key.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))
}

/// Hash and sizes of a file.
///
/// # Errors
/// It cannot be read, is larger than a GiB, or its packing is damaged; the path stands in front.
pub fn measure(root: &Path, path: &str) -> Result<FileEntry, String> {
    let fail = |error: io::Error| format!("{path}: {error}");
    let file = fs::File::open(root.join(path)).map_err(fail)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    let packed = bytes.len() as u64;
    if packed > FILE_BYTES {
        return Err(format!("{path}: more than {FILE_BYTES} bytes"));
    }
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    let unpacked = match extension {
        Some("xz") => {
            unpacked(liblzma::stream::Stream::new_stream_decoder(1 << 30, 0), &bytes).map_err(fail)?
        }
        Some("lzma") => unpacked(liblzma::stream::Stream::new_lzma_decoder(1 << 30), &bytes).map_err(fail)?,
        _ => packed,
    };
    Ok(FileEntry { path: path.to_owned(), sha256: hex(&Sha256::digest(&bytes)), packed, unpacked })
}

fn unpacked(
    stream: Result<liblzma::stream::Stream, liblzma::stream::Error>,
    bytes: &[u8],
) -> io::Result<u64> {
    let stream = stream.map_err(io::Error::from)?;
    let mut counter = Counter(0);
    let mut decoder = liblzma::write::XzDecoder::new_stream(&mut counter, stream);
    decoder.write_all(bytes)?;
    decoder.finish()?;
    Ok(counter.0)
}

/// Counts what is written to it, up to the limit.
struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        if self.0 > FILE_BYTES {
            return Err(io::Error::other(format!("unpacks to more than {FILE_BYTES} bytes")));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
