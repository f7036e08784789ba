//! From plans to certificates: whole masses, files, and the judgement of the checker's own binary.

use super::basis::ExactPlan;
use super::tree::{Arena, Masses, NodeId, Tree, plan};
use crate::convert;
use crate::game::{Game, Player, Rule};
use crate::plan::Strategy;
use num_bigint::BigUint;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The mass of the root of a plan that is rounded to whole masses.
const ROUNDED_TOTAL: u64 = 1 << 40;

/// Files of a claim and what the checker is.
pub struct Output {
    /// The folder of the claim; it is made.
    pub folder: PathBuf,
    /// The ending of the strategy files: `mix`, `mix.xz`, `realization` or `realization.xz`.
    pub format: String,
    /// The checker's binary.
    pub checker: PathBuf,
}

/// The plan that an exact vertex stands for.
#[must_use]
pub fn exact(arena: &Arena, player: Player, tree: &Tree, found: &ExactPlan) -> Strategy {
    let split = |node: NodeId, width: usize, mass: &BigUint| {
        let masses = &found.masses[node as usize];
        if masses.is_empty() { vec![mass.clone()] } else { masses[..width].to_vec() }
    };
    let plan = plan(&arena.board, player, tree, &tree.widths(), &found.total, &split);
    Strategy { game: arena.board.game, owner: player, plans: vec![plan] }
}

/// A plan in floating point with its masses rounded to whole ones that add up.
#[must_use]
#[allow(
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::float_arithmetic,
    reason = "shares are between 0 and 1, and any rounding of them is a plan"
)]
pub fn rounded(arena: &Arena, player: Player, tree: &Tree, widths: &[u8], masses: &Masses<f64>) -> Strategy {
    let split = |node: NodeId, width: usize, mass: &BigUint| {
        let shares = masses.get(node as usize).map_or(&[][..], Vec::as_slice);
        let shares = &shares[..shares.len().min(width)];
        let sum: f64 = shares.iter().sum();
        if sum <= 0.0 {
            return vec![mass.clone()];
        }
        let whole = u64::try_from(mass).unwrap_or(ROUNDED_TOTAL);
        let mut parts: Vec<u64> =
            shares.iter().map(|share| ((share / sum * whole as f64).floor() as u64).min(whole)).collect();
        let largest = (0..shares.len()).max_by(|&one, &other| shares[one].total_cmp(&shares[other]));
        let largest = largest.unwrap_or(0);
        parts[largest] = 0;
        parts[largest] = whole.saturating_sub(parts.iter().sum());
        parts.into_iter().map(BigUint::from).collect()
    };
    let plan = plan(&arena.board, player, tree, widths, &ROUNDED_TOTAL.into(), &split);
    Strategy { game: arena.board.game, owner: player, plans: vec![plan] }
}

/// What the checker proved.
pub enum Proved {
    /// Both plans give this value.
    Value(String),
    /// The guarantees of Black's plan and of White's.
    Bounds(String, String),
}

impl Output {
    /// Writes both strategies, asks the checker what they guarantee, and unless only an exact value is wanted and not
    /// got, writes the claim and has the checker judge the folder.
    ///
    /// # Errors
    /// A file that cannot be written, or a checker that does not accept its own bounds.
    pub fn certify(
        &self,
        strategies: &[Strategy; 2],
        turned: bool,
        only_exact: bool,
    ) -> Result<Proved, String> {
        let io = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        let names = ["black-lower", "white-upper"].map(|name| format!("{name}.{}", self.format));
        // Staged elsewhere, so that a failed attempt does not replace an earlier certificate.
        let staging = std::env::temp_dir().join(format!("prove-darkhex-{}", std::process::id()));
        std::fs::create_dir_all(&staging).map_err(io)?;
        let result = self.certify_in(&staging, &names, strategies, turned, only_exact);
        let removed = std::fs::remove_dir_all(&staging).map_err(io);
        let (proved, claim) = result?;
        removed?;
        if let Some(claim) = claim {
            eprintln!("claim:\n{claim}");
            let said = run(&self.checker, &[self.folder.as_os_str()])?;
            eprint!("{said}");
        }
        Ok(proved)
    }

    fn certify_in(
        &self,
        staging: &Path,
        names: &[String; 2],
        strategies: &[Strategy; 2],
        turned: bool,
        only_exact: bool,
    ) -> Result<(Proved, Option<String>), String> {
        // Who sets a limit to the time does not want to wait for a small file.
        let tries = if only_exact { convert::TRIES } else { convert::FEW_TRIES };
        let mut bounds = Vec::new();
        for ((name, strategy), owner) in names.iter().zip(strategies).zip(["black", "white"]) {
            let file = staging.join(name);
            convert::write_reordered(strategy, turned, tries, &file)?;
            let arguments = ["bound".as_ref(), "--owner".as_ref(), owner.as_ref(), file.as_os_str()];
            let said = run(&self.checker, &arguments)?;
            let verdict = said.lines().last().unwrap_or_default();
            let bound = verdict.strip_prefix("exact_bound ").and_then(|rest| rest.split_once(' '));
            bounds.push(bound.ok_or_else(|| format!("the checker said {verdict}"))?.1.to_string());
        }
        let [lower, upper] = [bounds.remove(0), bounds.remove(0)];
        let proved = if lower == upper { Proved::Value(lower) } else { Proved::Bounds(lower, upper) };
        if only_exact && matches!(proved, Proved::Bounds(..)) {
            return Ok((proved, None));
        }
        let claim = claim(&strategies[0].game, &proved, names);
        let io = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        std::fs::create_dir_all(&self.folder).map_err(io)?;
        for name in names {
            std::fs::copy(staging.join(name), self.folder.join(name)).map_err(io)?;
        }
        std::fs::write(self.folder.join("claim.txt"), &claim).map_err(io)?;
        Ok((proved, Some(claim)))
    }
}

fn claim(game: &Game, proved: &Proved, [black, white]: &[String; 2]) -> String {
    let rule = match game.rule {
        Rule::Classic => "classic",
        Rule::Abrupt => "abrupt",
    };
    let opening = game.opening.map_or("none".into(), |cell| game.square(cell));
    let mut text = format!(
        "claim 1\ngame dark-hex\nrule {rule}\nrows {}\ncolumns {}\nopening {opening}\n",
        game.rows, game.columns
    );
    let written = match proved {
        Proved::Value(value) => writeln!(text, "value {value}"),
        Proved::Bounds(lower, upper) => writeln!(text, "lower {lower}\nupper {upper}"),
    };
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    text + &format!("black {black}\nwhite {white}\nrotate no\n")
}

/// The checker's standard output, if it exits with 0.
fn run(checker: &Path, arguments: &[&std::ffi::OsStr]) -> Result<String, String> {
    let said = Command::new(checker)
        .args(arguments)
        .output()
        .map_err(|error| format!("{}: {error}; build it with cargo build --release", checker.display()))?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    if said.status.success() { Ok(text) } else { Err(format!("the checker refused:\n{text}")) }
}
