//! Whole claims in folders: what verifies, and what forgeries are refused with.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code fails by panicking"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use verify_darkhex::report::{Report, run};

fn certificates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificates")
}

/// A copy of a claim's or set's folder for editing.
fn copy(name: &str) -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let to = home.path().join(name.rsplit('/').next().unwrap());
    copy_folder(&certificates().join(name), &to);
    (home, to)
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from:?} has to stand once in {}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

/// A claim on 3 rows x 4 columns of Black's mixture and White's, each a text or nothing.
fn folder(claim: &str, black: Option<&str>, white: Option<&str>) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("claim.txt"), claim).unwrap();
    for (name, text) in [("black.mix", black), ("white.mix", white)] {
        if let Some(text) = text {
            fs::write(home.path().join(name), text).unwrap();
        }
    }
    home
}

fn value<'a>(report: &'a Report, key: &str) -> &'a str {
    &report.lines.iter().find(|(k, _)| k == key).unwrap().1
}

/// Always connects on 2 x 2.
const GOOD_BLACK: &str = "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOWNER BLACK\nPOLICIES 1\nPOLICY 1\nPRIORITY 1 2 3 0\nDECISIONS 0\nEND\nDONE\n";
/// Cannot help it.
const WHITE: &str = "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOWNER WHITE\nPOLICIES 1\nPOLICY 1\nPRIORITY 1 2 3 0\nDECISIONS 0\nEND\nDONE\n";
const CLAIM: &str = "claim 1\ngame dark-hex\nrule classic\nrows 2\ncolumns 2\nopening none\nvalue 1\nblack black.mix\nwhite white.mix\nrotate no\n";

#[test]
fn the_committed_certificates_prove_their_claims() {
    for (name, verdict) in [
        ("classic-4x4", "exact_value 5345119702052171/6736824633547900"),
        ("classic-3x4", "exact_value 14279/67484"),
        ("classic-3x4-public", "exact_value 1/7"),
        ("abrupt-3x3", "exact_value 207579464761/299876201866"),
    ] {
        let report = run(&certificates().join(name), false);
        assert_eq!((report.verdict.as_str(), report.code), (verdict, 0), "{name}");
    }
}

#[test]
fn the_second_search_agrees_on_the_certificates_of_up_to_12_cells() {
    for name in ["classic-3x4", "abrupt-3x3", "classic-3x4-public"] {
        let report = run(&certificates().join(name), true);
        assert_eq!(report.code, 0, "{name}: {}", report.verdict);
        assert!(report.lines.iter().any(|(key, _)| key.ends_with("second_search_beliefs")));
    }
}

#[test]
fn a_small_claim_in_a_folder_of_a_great_name_says_what_it_proves() {
    let home = tempfile::tempdir().unwrap();
    let great = home.path().join("classic-4x4");
    fs::create_dir(&great).unwrap();
    for (name, text) in [("claim.txt", CLAIM), ("black.mix", GOOD_BLACK), ("white.mix", WHITE)] {
        fs::write(great.join(name), text).unwrap();
    }
    let report = run(&great, true);
    assert_eq!((report.verdict.as_str(), report.code), ("exact_value 1", 0));
    assert_eq!(
        report.lines[0].1,
        "Classic Dark Hex on 2 rows x 2 columns from the empty board: \
         the value, Black's probability of winning when both play best, is 1"
    );
}

#[test]
fn a_good_strategy_against_a_deliberately_weak_one_proves_nothing_in_between() {
    let (_home, path) = copy("classic-3x4");
    let weak = "DARKHEX_MIXTURE\nROWS 4\nCOLUMNS 3\nMODE STANDARD\nOWNER WHITE\nPOLICIES 1\nPOLICY 1\nPRIORITY 0 1 2 3 4 5 6 7 8 9 10 11\nDECISIONS 0\nEND\nDONE\n";
    fs::write(path.join("white-upper.mix"), weak).unwrap();
    assert_eq!(run(&path, true).verdict, "failure not-proved 14279/67484 1");
    edit(&path.join("claim.txt"), "14279/67484", "1/2");
    assert_eq!(run(&path, true).verdict, "failure not-proved 14279/67484 1");
    edit(&path.join("claim.txt"), "value 1/2", "value 1");
    assert_eq!(run(&path, true).verdict, "failure not-proved 14279/67484 1");
    edit(&path.join("claim.txt"), "value 1", "value 1/5");
    assert_eq!(run(&path, true).verdict, "failure refuted 14279/67484 1");
    edit(&path.join("claim.txt"), "value 1/5", "lower 14279/67484\nupper 1");
    assert_eq!(run(&path, true).verdict, "proved_bounds 14279/67484 1");
    edit(&path.join("claim.txt"), "upper 1", "upper 9/10");
    assert_eq!(run(&path, true).verdict, "failure not-proved 14279/67484 1");
}

#[test]
fn a_claim_one_unit_off_is_refuted_on_either_side() {
    for wrong in ["14278/67484", "14280/67484"] {
        let (_home, path) = copy("classic-3x4");
        let (numerator, denominator) = wrong.split_once('/').unwrap();
        let lowest = num_rational::BigRational::new(numerator.parse().unwrap(), denominator.parse().unwrap());
        edit(&path.join("claim.txt"), "14279/67484", &lowest.to_string());
        let report = run(&path, true);
        assert_eq!((report.verdict.as_str(), report.code), ("failure refuted 14279/67484 14279/67484", 1));
    }
}

#[test]
fn a_missing_strategy_leaves_the_trivial_bound() {
    for (file, expected) in
        [("black", "failure not-proved 0 14279/67484"), ("white", "failure not-proved 14279/67484 1")]
    {
        let (_home, path) = copy("classic-3x4");
        let side = if file == "black" { "black-lower" } else { "white-upper" };
        edit(&path.join("claim.txt"), &format!("{side}.mix"), "none");
        let report = run(&path, false);
        assert_eq!((report.verdict.as_str(), report.code), (expected, 1));
        assert_eq!(value(&report, &format!("{file}_file")), "none");
    }
}

#[test]
fn a_strategy_of_another_game_is_refused_with_what_differs() {
    let other = |what: &str, claim: &str, file: &str| {
        format!("failure malformed black's strategy: {what}: the claim says {claim}, the file {file}")
    };
    let cases = [
        ("MODE STANDARD", "MODE ABRUPT", other("rule", "classic", "abrupt")),
        ("OWNER BLACK", "OWNER WHITE", other("owner", "black", "white")),
        ("ROWS 2", "ROWS 2", String::from("exact_value 1")),
    ];
    for (from, to, expected) in cases {
        let home = folder(CLAIM, Some(&GOOD_BLACK.replace(from, to)), Some(WHITE));
        assert_eq!(run(home.path(), false).verdict, expected);
    }
    let wide = "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 3\nMODE STANDARD\nOWNER BLACK\nPOLICIES 1\nPOLICY 1\nPRIORITY 1 2 3 0 4 5\nDECISIONS 0\nEND\nDONE\n";
    let home = folder(CLAIM, Some(wide), Some(WHITE));
    assert_eq!(run(home.path(), false).verdict, other("columns", "2", "3"));
    let home = folder(&CLAIM.replace("rows 2", "rows 3"), Some(wide), Some(WHITE));
    assert_eq!(run(home.path(), false).verdict, other("rows", "3", "2"));
    let announced = "DARKHEX_PUBLIC_MIXTURE\nBOARD 2 2\nMODE PUBLIC\nOPENING a1\nOWNER BLACK\nPOLICIES 1\nPOLICY 1\nPRIORITY 1 2 3\nDECISIONS 0\nEND\nDONE\n";
    let home = folder(CLAIM, Some(announced), Some(WHITE));
    assert_eq!(run(home.path(), false).verdict, other("opening", "none", "a1"));
    let home = folder(
        &CLAIM.replace("rotate no", "rotate yes").replace("opening none", "opening a1"),
        Some(announced),
        Some(WHITE),
    );
    assert_eq!(run(home.path(), false).verdict, other("opening", "a1", "b2"));
}

#[test]
fn rows_and_columns_exchanged_are_another_game() {
    let (_home, path) = copy("classic-3x4");
    edit(&path.join("claim.txt"), "rows 4\ncolumns 3\n", "rows 3\ncolumns 4\n");
    let expected = "failure malformed black's strategy: rows: the claim says 3, the file 4";
    assert_eq!(run(&path, false).verdict, expected);
}

#[test]
fn both_files_of_one_player_are_refused() {
    let (_home, path) = copy("classic-3x4");
    fs::copy(path.join("black-lower.mix"), path.join("white-upper.mix")).unwrap();
    let expected = "failure malformed white's strategy: owner: the claim says white, the file black";
    assert_eq!(run(&path, false).verdict, expected);
}

#[test]
fn every_history_of_a_plan_can_be_deleted_without_a_false_verdict() {
    let text = "DARKHEX_REALIZATION\nROWS 2\nCOLUMNS 2\nMODE ABRUPT\nOPENING none\nOWNER BLACK\nPLANS 1\nPLAN\nPRIORITY 2 1 0 3\nTOTAL 10\n";
    let blocks = [
        "HISTORY 0 2\n1 4\n2 6\n",
        "HISTORY 5 2\n2 1\n3 3\n",
        "HISTORY 326 1\n3 1\n",
        "HISTORY 328 1\n0 3\n",
    ];
    for deleted in 0..=blocks.len() {
        let kept: Vec<&str> =
            blocks.iter().enumerate().filter(|(i, _)| *i != deleted).map(|(_, b)| *b).collect();
        let file = format!("{text}HISTORIES {}\n{}END\nDONE\n", kept.len(), kept.concat());
        match verify_darkhex::realization::read("f", file.as_bytes()) {
            Ok(strategy) => {
                let board = verify_darkhex::board::Board::new(&strategy.game);
                let examined = verify_darkhex::check::examine(&strategy, &board, true).unwrap();
                assert_eq!(*examined.response.mass(), common::plain_best_response(&strategy));
            }
            Err(error) => {
                let message = error.to_string();
                let reasons = ["a prefix of this history is not listed", "only repeat the default order"];
                assert!(reasons.iter().any(|reason| message.contains(reason)), "{message}");
            }
        }
    }
}

#[test]
fn a_set_lacks_no_member_and_has_no_other() {
    let (_home, path) = copy("classic-3x4-public");
    fs::remove_dir_all(path.join("b3")).unwrap();
    assert_eq!(run(&path, false).verdict, "failure malformed set.txt: the member b3 is missing");
    let (_home, path) = copy("classic-3x4-public");
    fs::create_dir(path.join("d9")).unwrap();
    assert_eq!(run(&path, false).verdict, "failure malformed set.txt: the folder d9 is not a member");
    let (_home, path) = copy("classic-3x4-public");
    edit(&path.join("set.txt"), "members 12", "members 11");
    edit(&path.join("set.txt"), "member b3\n", "");
    fs::remove_dir_all(path.join("b3")).unwrap();
    assert_eq!(
        run(&path, false).verdict,
        "failure malformed set.txt: 0 members for the opening b3, expected one"
    );
}

#[test]
fn a_set_with_a_false_member_or_a_false_total_fails() {
    let (_home, path) = copy("classic-3x4-public");
    edit(&path.join("set.txt"), "1/7", "1/8");
    assert_eq!(run(&path, false).verdict, "failure refuted 1/7 1/7");
    let (_home, path) = copy("classic-3x4-public");
    edit(&path.join("a2/claim.txt"), "5456/57029", "5457/57029");
    let report = run(&path, false);
    assert_eq!(value(&report, "verified_members"), "11 of 12");
    assert_eq!(report.verdict, "failure refuted 5456/57029 5456/57029 (member a2)");
    // A member that is declined, or lacks its claim, does not hide the one that is false.
    edit(&path.join("b1/claim.txt"), "rows 4", "rows 9");
    fs::remove_file(path.join("b2/claim.txt")).unwrap();
    let report = run(&path, false);
    assert_eq!(value(&report, "verified_members"), "9 of 12");
    assert_eq!((report.code, report.verdict.ends_with("(member a2)")), (1, true), "{}", report.verdict);
    edit(&path.join("a2/claim.txt"), "5457/57029", "5456/57029");
    let report = run(&path, false);
    assert_eq!((report.code, report.verdict.ends_with("(member b2)")), (74, true), "{}", report.verdict);
    fs::copy(path.join("b1/claim.txt"), path.join("b2/claim.txt")).unwrap();
    let report = run(&path, false);
    assert_eq!(report.code, 3, "{}", report.verdict);
    // Two members for one opening, none for another.
    let (_home, path) = copy("classic-3x4-public");
    fs::remove_dir_all(path.join("b3")).unwrap();
    copy_folder(&path.join("b2"), &path.join("b3"));
    assert_eq!(
        run(&path, false).verdict,
        "failure malformed set.txt: 2 members for the opening b2, expected one"
    );
}

#[test]
fn files_outside_the_set_and_links_are_refused() {
    let (home, path) = copy("classic-3x4-public");
    let alone = home.path().join("c3");
    copy_folder(&path.join("c3"), &alone);
    assert_eq!(
        run(&alone, false).verdict,
        "failure malformed claim.txt: expected the name of a strategy file in the folder of the claim or its set"
    );
    let (_home, path) = copy("classic-3x4");
    fs::rename(path.join("black-lower.mix"), path.join("real.mix")).unwrap();
    std::os::unix::fs::symlink("real.mix", path.join("black-lower.mix")).unwrap();
    assert_eq!(
        run(&path, false).verdict,
        "failure malformed black-lower.mix: expected a plain file, no link"
    );
    fs::remove_file(path.join("black-lower.mix")).unwrap();
    fs::create_dir(path.join("black-lower.mix")).unwrap();
    assert_eq!(
        run(&path, false).verdict,
        "failure malformed black-lower.mix: expected a plain file, no link"
    );
    fs::remove_dir(path.join("black-lower.mix")).unwrap();
    let report = run(&path, false);
    assert_eq!(report.code, 74);
    assert!(report.verdict.starts_with("failure cannot access black-lower.mix: "), "{}", report.verdict);
    fs::write(path.join("set.txt"), "").unwrap();
    assert_eq!(run(&path, false).verdict, "failure malformed set.txt: a claim.txt stands beside the set.txt");
}

#[test]
fn a_file_that_is_named_is_the_one_that_is_read() {
    for (folder, there, missing) in
        [("classic-3x4", "claim.txt", "set.txt"), ("classic-3x4-public", "set.txt", "claim.txt")]
    {
        let (_home, path) = copy(folder);
        assert_eq!(run(&path.join(there), false).code, 0);
        let outcome = run(&path.join(missing), false);
        assert_eq!(outcome.code, 74);
        assert!(outcome.text().contains(&format!("failure cannot access {missing}: ")), "{}", outcome.text());
        // Also where nothing but the file is named.
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_verify-darkhex"));
        assert_eq!(command.arg(there).current_dir(&path).output().unwrap().status.code(), Some(0));
    }
}

#[test]
fn a_folder_without_a_claim_is_an_input_error() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(home.path(), false).code, 74);
}

#[test]
fn two_runs_print_the_same_bytes() {
    let path = certificates().join("abrupt-3x3");
    let (one, two) = (run(&path, true), run(&path, true));
    assert_eq!(one.text(), two.text());
    assert_eq!(one.json(), two.json());
}
