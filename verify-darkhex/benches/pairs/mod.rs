//! The pairs of strategy files that are timed and counted.

use std::path::{Path, PathBuf};
use verify_darkhex::claim::FileName;
use verify_darkhex::files;
use verify_darkhex::strategy::Strategy;

/// Black's and White's strategy of one game.
pub struct Pair {
    /// The certificate's name.
    pub name: &'static str,
    /// The folder of both files.
    pub folder: PathBuf,
    /// Black's file, White's file.
    pub files: [&'static str; 2],
}

/// The pairs that are there; what is missing is named on standard error.
pub fn present() -> Vec<Pair> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mixtures = ["black-lower.mix", "white-upper.mix"];
    let mut pairs = vec![
        Pair {
            name: "published-classic",
            folder: root.join("../shared/published/dark-hex/classic"),
            files: mixtures,
        },
        Pair { name: "classic-3x4", folder: root.join("certificates/classic-3x4"), files: mixtures },
        Pair { name: "abrupt-3x3", folder: root.join("certificates/abrupt-3x3"), files: mixtures },
        Pair {
            name: "classic-4x4",
            folder: root.join("certificates/classic-4x4"),
            files: ["black-lower.realization.xz", "white-upper.realization.xz"],
        },
    ];
    pairs.retain(|pair| {
        let missing = pair.files.iter().find(|file| !pair.folder.join(file).is_file());
        if let Some(missing) = missing {
            eprintln!("SKIPPED {}: {} is not there", pair.name, pair.folder.join(missing).display());
        }
        missing.is_none()
    });
    pairs
}

impl Pair {
    /// Reads one of the two files, from the disk to the checked strategy.
    pub fn read(&self, file: &str) -> Strategy {
        let name = FileName::parse(file).expect("the file's name says its kind");
        files::strategy(&self.folder, &name).expect("the file is sound").strategy
    }
}
