//! Runs units: one by name, with its result appended to a log.

use crate::error::Error;
use crate::order::Learned;
use crate::rules::Position;
use crate::search::{Bound, Halt, Proved, Settings, Solver};
use crate::sources;
use crate::table::Table;
use crate::text::{hex, shown};
use crate::units::{Logged, Unit, Verdict};
use crate::weights::{PACKED_LIMIT, Weights};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Everything a search needs and what a log line says of it.
pub struct Engine {
    weights: Option<Weights>,
    weights_name: String,
    table: Table,
    table_mb: usize,
    settings: Settings,
}

impl Engine {
    /// Reads the weights (none: static order) and lays out the table.
    ///
    /// # Errors
    /// If the weights cannot be read.
    pub fn new(weights: Option<&Path>, table_mb: usize, settings: Settings) -> Result<Self, Error> {
        let (weights, weights_name) = match weights {
            None => (None, "none".to_owned()),
            Some(path) => {
                let failed = |error: &dyn std::fmt::Display| {
                    let name = shown(path.as_os_str().as_encoded_bytes());
                    Error::InputOutput(format!(
                        "{name}: {error} (--weights none does without, much more slowly)"
                    ))
                };
                let mut packed = Vec::new();
                let file = File::open(path).map_err(|error| failed(&error))?;
                file.take(PACKED_LIMIT).read_to_end(&mut packed).map_err(|error| failed(&error))?;
                let name = hex(&Sha256::digest(&packed)).chars().take(16).collect();
                (Some(Weights::read(&packed).map_err(|error| failed(&error))?), name)
            }
        };
        Ok(Self { weights, weights_name, table: Table::new(table_mb), table_mb, settings })
    }

    /// Runs a unit with an empty table, so that the counts repeat exactly. Returns what was proved, if anything, and
    /// the log line.
    ///
    /// # Errors
    /// If the search found itself at fault.
    pub fn run(&mut self, unit: &Unit, node_limit: u64) -> Result<(Option<Proved>, Logged), Error> {
        self.table.clear();
        let order = Learned::new(self.weights.as_ref());
        let mut solver = Solver::with_order(&mut self.table, order, self.settings);
        let result = solver.decide(unit.position(), unit.bound(), node_limit);
        let logged = Logged {
            unit: unit.clone(),
            verdict: Verdict::of(unit, result)?,
            nodes: solver.nodes(),
            shallow: solver.shallow_nodes(),
            table_mb: self.table_mb as u64,
            weights: self.weights_name.clone(),
            checker: sources::core_digest(),
        };
        Ok((result.ok(), logged))
    }
}

impl Engine {
    /// Decides a bound with what the table holds already. Returns the verdict and the nodes spent.
    ///
    /// # Errors
    /// If the search found itself at fault.
    pub fn decide_on(
        &mut self,
        position: &Position,
        bound: Bound,
        node_limit: u64,
    ) -> Result<(Verdict, u64), Error> {
        let order = Learned::new(self.weights.as_ref());
        let mut solver = Solver::with_order(&mut self.table, order, self.settings);
        let verdict = match solver.decide(position, bound, node_limit) {
            Ok(proved) if proved.bound() == bound => Verdict::Proved,
            Ok(_) => Verdict::Refuted,
            Err(Halt::NodeLimit) => Verdict::Undecided,
            Err(Halt::Fault) => return Err(Error::Internal("the search found itself at fault".to_owned())),
        };
        Ok((verdict, solver.nodes()))
    }
}

/// Appends a line to a log in one write. The log is created if it is not there.
///
/// # Errors
/// If the log cannot be written, or its last line is torn.
pub fn append(log: &Path, line: &Logged) -> Result<(), Error> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::InputOutput(format!("{}: {error}", shown(log.as_os_str().as_encoded_bytes())))
    };
    let mut file =
        OpenOptions::new().read(true).append(true).create(true).open(log).map_err(|error| failed(&error))?;
    if file.metadata().map_err(|error| failed(&error))?.len() > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))
            .and_then(|_| file.read_exact(&mut last))
            .map_err(|error| failed(&error))?;
        if last != *b"\n" {
            return Err(failed(&"the last line is torn; nothing was appended"));
        }
    }
    // One write, so that two workers with one log do not mix their lines.
    let bytes = format!("{line}\n").into_bytes();
    let written = file.write(&bytes).map_err(|error| failed(&error))?;
    if written != bytes.len() {
        return Err(failed(&"the line was written in part"));
    }
    file.sync_all().map_err(|error| failed(&error))
}

/// Writes a file under another name and renames it, so that it is there whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, content: &str) -> Result<(), Error> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    File::create(&partial)
        .and_then(|mut file| file.write_all(content.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&partial, path))
        .map_err(|error| {
            Error::InputOutput(format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())))
        })
}
