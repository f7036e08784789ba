//! What this crate writes, judged by the checker.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![allow(missing_docs, reason = "the names of tests are sentences")]

use num_rational::BigRational;
use prove_darkhex::{convert, files};
use std::path::{Path, PathBuf};
use verify_darkhex::{board::Board, check::examine, mixture, realization};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certificates").join(name)
}

/// The exact guarantee that the checker finds for a file that is not packed.
fn guarantee(path: &Path) -> BigRational {
    let bytes = std::fs::read(path).unwrap();
    let strategy = if files::is_mixture(path).unwrap() {
        mixture::read("strategy", &bytes).unwrap()
    } else {
        realization::read("strategy", &bytes).unwrap()
    };
    examine(&strategy, &Board::new(&strategy.game), false).unwrap().bound.value().clone()
}

fn fraction(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

#[test]
fn a_plan_of_the_sketch_guarantees_the_same_in_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    for plan in ["classic43_b2.black.txt", "classic43_b2.white.txt"] {
        for name in ["plan.mix", "plan.realization"] {
            let path = folder.path().join(name);
            convert::from_sketch(&data(plan), &path).unwrap();
            assert_eq!(guarantee(&path), fraction(1, 7), "{plan} as {name}");
        }
    }
}

#[test]
fn converting_there_and_back_keeps_the_guarantee() {
    let folder = tempfile::tempdir().unwrap();
    let (there, back) = (folder.path().join("x.realization"), folder.path().join("x.mix"));
    for (name, value) in [
        ("classic-3x4/black-lower.mix", fraction(14279, 67484)),
        ("abrupt-3x3/white-upper.mix", fraction(207_579_464_761, 299_876_201_866)),
        ("classic-3x4-public/a2/white-upper.mix", fraction(5456, 57029)),
    ] {
        convert::between(&certificate(name), &there).unwrap();
        assert_eq!(guarantee(&there), value, "{name}");
        convert::between(&there, &back).unwrap();
        assert_eq!(guarantee(&back), value, "{name} and back");
    }
}

#[test]
fn a_packed_file_reads_as_the_one_that_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, packed) = (folder.path().join("x.mix"), folder.path().join("x.mix.xz"));
    let from = data("classic43_b2.white.txt");
    convert::from_sketch(&from, &plain).unwrap();
    convert::from_sketch(&from, &packed).unwrap();
    assert_eq!(files::read(&plain).unwrap().plans, files::read(&packed).unwrap().plans);
    let unpacked = verify_darkhex::xz::unpack("x", &std::fs::read(&packed).unwrap(), 1 << 20).unwrap();
    assert_eq!(unpacked, std::fs::read(&plain).unwrap());
}

#[test]
fn a_conversion_is_the_same_from_run_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("1.realization"), folder.path().join("2.realization"));
    for path in [&one, &other] {
        convert::from_sketch(&data("classic43_b2.black.txt"), path).unwrap();
    }
    assert_eq!(std::fs::read(one).unwrap(), std::fs::read(other).unwrap());
}

#[test]
fn a_mixture_on_sixteen_cells_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let from = certificate("classic-4x4-public/c1/black-lower.realization.xz");
    let error = convert::between(&from, &folder.path().join("x.mix")).unwrap_err();
    assert_eq!(error, "a .mix board has at most 15 cells");
}
