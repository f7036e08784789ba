//! Whole solves by the two binaries. They need the `HiGHS` library in `.venv` of the workspace and the checker's binary
//! beside the prover's; where one of them is missing the tests are shown as ignored.
#![allow(missing_docs, reason = "the names of tests are sentences")]

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::{Command, ExitCode};

/// The last line on standard output of a solve in a folder of its own.
fn solve(arguments: &[&str], runs: usize) -> Result<String, Failed> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut said = String::new();
    for run in 0..runs {
        let limit = if run + 1 < runs { "0" } else { "1000" };
        let output = Command::new(env!("CARGO_BIN_EXE_prove-darkhex"))
            .current_dir(&workspace)
            .arg("solve")
            .args(arguments)
            .args(["--threads", "1", "--time-limit", limit])
            .arg("--checkpoint")
            .arg(folder.path().join("state.json"))
            .arg("--out")
            .arg(folder.path().join("certificate"))
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    }
    Ok(said)
}

fn expect(said: &str, expected: &str) -> Result<(), Failed> {
    if said == expected { Ok(()) } else { Err(format!("{said} for {expected}").into()) }
}

fn classic_3x4() -> Result<(), Failed> {
    let game = ["--rule", "classic", "--rows", "4", "--columns", "3", "--format", "mix"];
    expect(&solve(&game, 1)?, "exact_value 14279/67484")
}

fn abrupt_3x3() -> Result<(), Failed> {
    expect(
        &solve(&["--rule", "abrupt", "--rows", "3", "--columns", "3"], 1)?,
        "exact_value 207579464761/299876201866",
    )
}

fn an_announced_opening() -> Result<(), Failed> {
    let game = ["--rule", "classic", "--rows", "4", "--columns", "3", "--opening", "b2"];
    expect(&solve(&game, 1)?, "exact_value 1/7")
}

fn resumed() -> Result<(), Failed> {
    expect(&solve(&["--rule", "classic", "--rows", "3", "--columns", "3"], 4)?, "exact_value 1")
}

fn main() -> ExitCode {
    let prover = Path::new(env!("CARGO_BIN_EXE_prove-darkhex"));
    let checker = prover.with_file_name("verify-darkhex").exists();
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/lib");
    let inside = "site-packages/highsbox/highs_dist/lib/libhighs.so";
    let library = std::fs::read_dir(packages).is_ok_and(|versions| {
        versions.filter_map(Result::ok).any(|version| version.path().join(inside).exists())
    });
    let test = |name: &str, run: fn() -> Result<(), Failed>| {
        Trial::test(name, run).with_ignored_flag(!(checker && library))
    };
    let tests = vec![
        test("classic_on_4_rows_x_3_columns_is_solved_exactly", classic_3x4),
        test("abrupt_on_3_rows_x_3_columns_is_solved_exactly", abrupt_3x3),
        test("a_game_with_an_announced_opening_is_solved_exactly", an_announced_opening),
        test("a_solve_that_was_stopped_three_times_ends_in_the_same_value", resumed),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}
