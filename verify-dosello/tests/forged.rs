//! Forged claims, leaf files, proof sets and logs: each ends in its own failure and exit code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use verify_dosello::rules::{Move, Position};
use verify_dosello::sources;
use verify_dosello::units::{Logged, Unit, Verdict};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Exit code and last line.
fn run(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_verify-dosello")).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), text.lines().last().unwrap_or("").to_owned())
}

#[track_caller]
fn assert_ends(found: &(i32, String), code: i32, last: &str) {
    assert!(found.0 == code && found.1.starts_with(last), "expected {code} {last}\nfound {found:?}");
}

/// The three files of a committed claim, to be changed.
struct Files {
    claim: String,
    leaves: String,
    set: String,
}

impl Files {
    fn of(name: &str) -> Self {
        let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        Self {
            claim: read(&format!("certificates/{name}/claim.txt")),
            leaves: read(&format!("certificates/{name}/leaves.txt")),
            set: read(&format!("proofsets/{name}.txt")),
        }
    }

    fn written(&self, name: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("certificates/claim")).unwrap();
        fs::create_dir(folder.path().join("proofsets")).unwrap();
        fs::write(folder.path().join("certificates/claim/claim.txt"), &self.claim).unwrap();
        fs::write(folder.path().join("certificates/claim/leaves.txt"), &self.leaves).unwrap();
        fs::write(folder.path().join("proofsets").join(format!("{name}.txt")), &self.set).unwrap();
        folder
    }

    fn checked(&self) -> (i32, String) {
        let folder = self.written("dosello");
        run(&[folder.path().join("certificates/claim").to_str().unwrap()])
    }
}

/// A move after half a turn of the board, which leaves the initial position as it is.
fn turned(step: &str) -> String {
    let square = |name: &str| {
        let (column, row) = (name.as_bytes()[0], name.as_bytes()[1]);
        (b'1' + b'8' - row, b'a' + b'h' - column)
    };
    let (first, second) = step.split_once('-').unwrap();
    let mut ends = [square(first), square(second)];
    ends.sort_unstable();
    let name = |(row, column): (u8, u8)| format!("{}{}", char::from(column), char::from(row));
    format!("{}-{}", name(ends[0]), name(ends[1]))
}

fn turned_line(moves: &str, separator: &str) -> String {
    moves.split(separator).map(turned).collect::<Vec<_>>().join(separator)
}

fn mirrored_view(leaf: &str) -> String {
    let (moves, rest) = leaf.split_once(" interval ").unwrap();
    let mut words: Vec<String> = rest.split(' ').map(str::to_owned).collect();
    let bounds: Vec<i32> = words[..2].iter().map(|word| word.parse().unwrap()).collect();
    words[0] = (-bounds[1]).to_string();
    words[1] = (-bounds[0]).to_string();
    format!("{moves} interval {}", words.join(" "))
}

#[test]
fn forged_leaf_files_end_in_a_failure_of_their_own() {
    let honest = Files::of("dosello");
    assert_ends(&honest.checked(), 2, "conditional_value 2 assuming 150 leaf claims");
    let ends = |leaves: String, code: i32, last: &str| {
        assert_ends(&Files { leaves, ..Files::of("dosello") }.checked(), code, last);
    };
    let added = |line: &str| format!("{}{line}\n", honest.leaves);
    // All results from the other side's view.
    let mut flipped = "leaves 1\n".to_owned();
    honest.leaves.lines().skip(1).for_each(|leaf| flipped.extend([&mirrored_view(leaf), "\n"]));
    ends(flipped, 1, "failure unsupported-claim ");
    // A line through an illegal move, through a pass that is not forced, and to an inner position.
    ends(
        added("leaf f3-f4 e6-f6 f3-f4 interval 0 0 origin x nodes 1"),
        1,
        "failure illegal-line leaves.txt line 458: move 3 (f3-f4) is illegal",
    );
    ends(added("leaf f3-f4 pass e6-f6 interval 0 0 origin x nodes 1"), 1, "failure illegal-line ");
    ends(added("leaf f3-f4 e6-f6 interval 2 2 origin x nodes 1"), 1, "failure no-leaf leaves.txt line 458: ");
    // The first leaf again as its mirror image: the same interval agrees, another one contradicts it.
    let first = honest.leaves.lines().nth(1).unwrap();
    let (moves, rest) = first.strip_prefix("leaf ").unwrap().split_once(" interval ").unwrap();
    let image = turned_line(moves, " ");
    assert_ne!(image, moves);
    ends(added(&format!("leaf {image} interval {rest}")), 2, "conditional_value 2 ");
    let contradiction = "failure contradiction leaves.txt line 458: ";
    ends(added(&format!("leaf {image} interval 40 64 origin x nodes 1")), 1, contradiction);
    // The form of the file.
    let malformed = "failure malformed leaves.txt line 1: ";
    ends(String::new(), 1, malformed);
    ends(honest.leaves.replace('\n', "\r\n"), 1, malformed);
    ends(format!("\u{feff}{}", honest.leaves), 1, malformed);
    ends(
        honest.leaves.replacen("published", "publish\u{e9}d", 1),
        1,
        "failure malformed leaves.txt line 2: ",
    );
    ends(added(""), 1, "failure malformed leaves.txt line 458: ");
    ends("leaves 1\n".to_owned(), 1, "failure unsupported-claim ");
    ends("x".repeat(17 << 20), 3, "declined leaves.txt: more than 16777216 bytes");
    ends("x\n".repeat(100_001), 3, "declined leaves.txt: more than 100000 lines");
}

#[test]
fn a_transposition_with_two_intervals_that_exclude_each_other_is_a_contradiction() {
    let initial = Position::initial();
    let play = |line: [Move; 3]| line.iter().try_fold(initial, |position, step| position.play(*step));
    let (line, other) = initial
        .moves()
        .into_iter()
        .flat_map(|(first, after)| after.moves().into_iter().map(move |(reply, next)| (first, reply, next)))
        .flat_map(|(first, reply, next)| {
            next.moves().into_iter().map(move |(third, _)| [first, reply, third])
        })
        .map(|line| (line, [line[2], line[1], line[0]]))
        .find(|&(line, other)| line != other && play(line) == play(other) && !play(line).unwrap().is_over())
        .unwrap();
    let leaf = |line: [Move; 3], interval: &str| {
        format!("leaf {} {} {} interval {interval} origin x nodes 1\n", line[0], line[1], line[2])
    };
    let files = |second: &str| Files {
        claim: "claim 1\ngame dosello\nstatement value\nvalue 2\nleaves leaves.txt\nproofset none\n"
            .to_owned(),
        leaves: format!("leaves 1\n{}{}", leaf(line, "-64 0"), leaf(other, second)),
        set: String::new(),
    };
    assert_ends(&files("2 64").checked(), 1, "failure contradiction leaves.txt line 3: ");
    assert_ends(&files("0 64").checked(), 1, "failure not-proved root: ");
}

#[test]
fn forged_proof_sets_and_claims_end_in_a_failure_of_their_own() {
    let honest = Files::of("dosello");
    let ends = |set: String, code: i32, last: &str| {
        assert_ends(&Files { set, ..Files::of("dosello") }.checked(), code, last);
    };
    let changed = |from: &str, to: &str| honest.set.replacen(from, to, 1);
    // A claim in the wrong direction, or with a score that no game has.
    ends(changed("ge -2", "le -2"), 1, "failure unsupported-claim c5-c6_c3-d3_b3-b4_le-2: stated is 16 16");
    ends(changed("le -2", "ge -2"), 1, "failure unsupported-claim ");
    ends(changed("ge -2", "ge -1"), 1, "failure not-a-score dosello.txt line 2: ");
    ends(changed("ge -2", "ge 66"), 1, "failure not-a-score dosello.txt line 2: ");
    ends(changed("ge -2", "eq -2"), 1, "failure malformed dosello.txt line 2: ");
    // The first claim again as its mirror image.
    let first = honest.set.lines().nth(1).unwrap();
    let (moves, bound) = first.strip_prefix("claim ").unwrap().split_once(" ge ").unwrap();
    let again = format!("{}claim {} ge {bound}\n", honest.set, turned_line(moves, " "));
    ends(again, 1, "failure duplicate dosello.txt line 152: ");
    let long = format!("{}claim {}ge -2\n", honest.set, "f3-f4 ".repeat(13));
    ends(long, 3, "declined dosello.txt line 152: more than 12 moves");
    ends(String::new(), 1, "failure malformed dosello.txt line 1: ");
    ends(honest.set.replace('\n', "\r\n"), 1, "failure malformed dosello.txt line 1: ");
    ends("proofset 1\n".to_owned(), 1, "failure not-proved root: derived -64 64, claimed 2 2");

    let ends = |from: &str, to: &str, last: &str| {
        let claim = honest.claim.replacen(from, to, 1);
        assert_ne!(claim, honest.claim);
        assert_ends(&Files { claim, ..Files::of("dosello") }.checked(), 1, last);
    };
    ends("value 2\n", "value 4\n", "failure refuted root: derived 2 2, claimed 4 4");
    ends("value 2\n", "value -2\n", "failure refuted root: derived 2 2, claimed -2 -2");
    ends("value 2\n", "value 3\n", "failure not-a-score claim.txt line 4: ");
    ends("value 2\n", "value 2\nvalue 2\n", "failure malformed claim.txt line 5: ");
    ends("leaves leaves.txt", "leaves ../leaves.txt", "failure malformed claim.txt line 5: ");
    ends("proofset dosello.txt", "proofset ../dosello.txt", "failure malformed claim.txt line 6: ");

    // Best openings that are not best, or not all of them.
    let openings = Files::of("dosello-openings");
    for (best, last) in [
        ("best c3-d3 c5-c6 f3-f4", "failure not-proved f3-f4 is not known to be as good"),
        ("best c5-c6", "failure not-proved f3-f4 may be as good as the best openings"),
        ("best f3-f4 c5-c6", "failure malformed claim.txt line 4: "),
    ] {
        let claim = openings.claim.replacen("best c5-c6 f3-f4", best, 1);
        let folder = Files { claim, ..Files::of("dosello-openings") }.written("dosello-openings");
        assert_ends(&run(&[folder.path().join("certificates/claim").to_str().unwrap()]), 1, last);
    }
}

#[test]
fn the_game_of_the_line_is_proved_from_its_seventh_placement_on_and_its_forgeries_are_not() {
    let weights = root().join("proofsets/dosello-weights.lzma");
    let check = |claim: &str, nodes: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("claim.txt"), claim).unwrap();
        let (folder, weights) = (folder.path().to_str().unwrap(), weights.to_str().unwrap());
        run(&[folder, "--weights", weights, "--table-mb", "256", "--nodes", nodes])
    };
    let claim = fs::read_to_string(root().join("certificates/dosello-line/claim.txt")).unwrap();
    let (all, few) = ("18446744073709551615", "1000");
    let proved = "verified_set 19 of 19, not proved: the positions after 0 to 6 moves";
    assert_ends(&check(&claim, all), 0, proved);
    let ends = |from: &str, to: &str, code: i32, last: &str| {
        let forged = claim.replacen(from, to, 1);
        assert_ne!(forged, claim);
        assert_ends(&check(&forged, few), code, last);
    };
    ends("value 2", "value -2", 1, "failure refuted the position after 25 moves is not worth -2");
    ends("black 30\nwhite 28", "black 28\nwhite 30", 1, "failure wrong-end ");
    ends(" g7-g8\n", "\n", 1, "failure wrong-end the line ends before the game does");
    ends(" g7-g8\n", " g7-g8 pass\n", 1, "failure illegal-line claim.txt line 9: ");
    ends("moves f3-f4 e6-f6", "moves f3-f4 f3-f4", 1, "failure illegal-line claim.txt line 9: ");
    ends("from 7", "from 26", 1, "failure malformed claim.txt line 9: ");
    ends("from 7", "from 6", 3, "declined node-limit reached, not decided: position after ");
}

#[test]
fn of_a_line_the_positions_before_those_claimed_are_tried_and_need_not_be_worth_the_value() {
    // The first legal move each time: a game that nobody plays well.
    let (mut position, mut moves) = (Position::initial(), Vec::new());
    while let Some(&(step, next)) = position.moves().first() {
        moves.push(step.to_string());
        position = next;
    }
    let [black, white, empty] = [position.black, position.white, position.empty()].map(u64::count_ones);
    let folder = tempfile::tempdir().unwrap();
    let claim = format!(
        "claim 1\ngame dosello\nstatement line\nvalue {}\nfrom {}\nblack {black}\nwhite {white}\nempty {empty}\nmoves {}\n",
        position.difference(),
        moves.len(),
        moves.join(" "),
    );
    fs::write(folder.path().join("claim.txt"), claim).unwrap();
    let check = |more: &[&str]| {
        let claim = [folder.path().to_str().unwrap(), "--weights", "none", "--table-mb", "16"];
        run(&[&claim[..], more].concat())
    };
    assert_ends(&check(&[]), 0, "verified_set 1 of 1, not proved: ");
    let (code, last) = check(&["--resolve"]);
    assert_eq!(code, 0, "{last}");
    let proved: usize = last.split(' ').nth(1).unwrap().parse().unwrap();
    // More than the end, which the claim has, and not all.
    assert!((2..moves.len()).contains(&proved), "{last}");
    // What has no use for a line is not passed over in silence.
    for more in [
        &["--accept-log", "/nonexistent"][..],
        &["--resolve", "--resume", "/nonexistent"],
        &["--resolve", "--threads", "2"],
    ] {
        assert_eq!(check(more).0, 64, "{more:?}");
    }
}

const EASY: &str = "c5-c6_c3-d3_b3-b4";

/// A line whose check is right, whatever it says.
fn logged(name: &str, verdict: Verdict) -> String {
    let unit = Unit::parse(name).unwrap();
    let (weights, checker) = ("none".to_owned(), sources::core_digest());
    let line = Logged { unit, verdict, nodes: 1, shallow: 0, table_mb: 1, weights, checker };
    format!("{line}\n")
}

/// Makes the check of a line right again.
fn with_right_check(line: &str) -> String {
    use sha2::{Digest, Sha256};
    let body = line.rsplit_once(" check ").unwrap().0;
    let digest = Sha256::digest(body);
    let check = digest.iter().take(8).fold(String::new(), |check, byte| check + &format!("{byte:02x}"));
    format!("{body} check {check} end\n")
}

#[test]
fn forged_logs_end_in_a_failure_of_their_own() {
    let claim = root().join("certificates/dosello");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.txt");
    let ends = |log: &str, code: i32, last: &str| {
        fs::write(&path, log).unwrap();
        let arguments = [claim.to_str().unwrap(), "--accept-log", path.to_str().unwrap()];
        assert_ends(&run(&arguments), code, last);
    };
    let good = logged(&format!("{EASY}_ge-2"), Verdict::Proved);
    assert_eq!(with_right_check(&good), good);
    ends(&good, 2, "conditional_value 2 assuming 1 logged units ");
    let damaged = "failure damaged-log log.txt line 1: ";
    let malformed = "failure malformed log.txt line 1: ";
    // A changed bound with the old check; with a right one it is an assumption, unless it contradicts.
    ends(&good.replace("_ge-2", "_ge-4"), 1, damaged);
    ends(&with_right_check(&good.replace("_ge-2", "_ge40")), 2, "conditional_value 2 assuming 1 logged ");
    let contradiction = "failure contradiction log.txt line 2: ";
    let excluded = logged(&format!("{EASY}_le-4"), Verdict::Proved);
    ends(&format!("{good}{excluded}"), 1, contradiction);
    let refuted = logged(&format!("{EASY}_ge-2"), Verdict::Refuted);
    ends(&format!("{good}{refuted}"), 1, contradiction);
    // The same through the mirror image.
    let image = logged(&format!("{}_le-4", turned_line(EASY, "_")), Verdict::Proved);
    ends(&format!("{good}{image}"), 1, contradiction);
    ends(&refuted, 1, "failure contradiction c5-c6_c3-d3_b3-b4_ge-2: the log says -64 -4");
    // Worth at most -66, at least 66.
    for beyond in ["ge-64", "le64"] {
        let refuted = logged(&format!("{EASY}_{beyond}"), Verdict::Refuted);
        ends(&format!("{good}{refuted}"), 1, "failure empty-interval log.txt line 2: ");
    }
    let undecided = logged(&format!("{EASY}_ge-2"), Verdict::Undecided);
    ends(&undecided, 2, "conditional_value 2 assuming 0 logged units ");
    // Lines that no checker writes, each with a right check.
    for (from, to, last) in [
        ("_ge-2", "_ge-1", "failure not-a-score log.txt line 1: "),
        ("_ge-2", "_ge66", "failure not-a-score log.txt line 1: "),
        ("_ge-2", "_ge-0", malformed),
        (EASY, "../../c5-c6", "failure illegal-line log.txt line 1: "),
        (EASY, "a1-b1", "failure illegal-line log.txt line 1: "),
        ("proved", "exact", damaged),
        ("nodes 1", "nodes 01", damaged),
        ("nodes 1", "nodes -1", damaged),
        ("nodes 1", "nodes 18446744073709551616", damaged),
        ("weights none", "weights ../../none", damaged),
        ("checker ", "checker 0", damaged),
        (" check ", " x check ", damaged),
        (" nodes", "  nodes", malformed),
    ] {
        let forged = good.replacen(from, to, 1);
        assert_ne!(forged, good);
        ends(&with_right_check(&forged), 1, last);
    }
    ends("", 1, malformed);
    ends(&good.replace('\n', "\r\n"), 1, malformed);
    ends(good.trim_end(), 1, malformed);
    ends(&good.to_uppercase(), 1, damaged);
    ends(&"x".repeat(17 << 20), 3, "declined log.txt: more than 16777216 bytes");
    ends(&"x\n".repeat(100_001), 3, "declined log.txt: more than 100000 lines");
}

#[test]
fn what_is_no_plain_file_is_an_error_of_input_and_output() {
    let honest = Files::of("dosello");
    for name in ["certificates/claim/claim.txt", "certificates/claim/leaves.txt", "proofsets/dosello.txt"] {
        let file = Path::new(name).file_name().unwrap().to_str().unwrap();
        let folder = honest.written("dosello");
        let claim = folder.path().join("certificates/claim");
        let check = || run(&[claim.to_str().unwrap()]);
        let path = folder.path().join(name);
        fs::rename(&path, folder.path().join("elsewhere")).unwrap();
        assert_ends(&check(), 74, &format!("input/output error: {file}: "));
        fs::create_dir(&path).unwrap();
        assert_ends(&check(), 74, &format!("input/output error: {file}: not a plain file"));
        fs::remove_dir(&path).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("elsewhere"), &path).unwrap();
            assert_ends(&check(), 74, &format!("input/output error: {file}: not a plain file"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let claim = root().join("certificates/dosello");
    let claim = claim.to_str().unwrap();
    assert_ends(&run(&[claim, "--accept-log", path]), 74, "input/output error: ");
    assert_eq!(run(&[claim, "--json", path]).0, 74);
    let easy = format!("{EASY}_ge-2");
    let unit = ["--unit", &easy, "--table-mb", "16"];
    assert_ends(&run(&[&unit[..], &["--weights", path]].concat()), 74, "input/output error: ");
    assert_ends(
        &run(&[&unit[..], &["--weights", "none", "--log", path]].concat()),
        74,
        "input/output error: ",
    );
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert_ends(
        &run(&[claim, "--resolve", "--resume", file.to_str().unwrap(), "--weights", "none"]),
        74,
        "input/output error: ",
    );
}

#[test]
fn names_of_units_with_odd_characters_are_refused_and_shown_escaped() {
    let ends = |name: &str, last: &str| {
        assert_ends(&run(&["--unit", name, "--weights", "none", "--table-mb", "16"]), 1, last);
    };
    ends("", "failure malformed : expected MOVES_geN or MOVES_leN");
    ends("../../x_ge-2", "failure illegal-line ../../x is no move");
    ends("f3-f4\n_ge-2", "failure illegal-line f3-f4\\n is no move");
    ends("\u{1b}[31m_ge-2", "failure illegal-line \\x1b[31m is no move");
    ends("f3-f4\u{e9}_ge-2", "failure illegal-line f3-f4\\xc3\\xa9 is no move");
    ends(" f3-f4_ge-2", "failure illegal-line  f3-f4 is no move");
    ends("f3-f4__ge-2", "failure illegal-line  is no move");
    ends("f3-f4_ge-2 ", "failure malformed ge-2  is no even number from -64 to 64");
    ends(&format!("{}ge-2", "f3-f4_".repeat(13)), "failure malformed expected 1 to 12 moves");
    ends(&"x".repeat(100_000), &format!("failure malformed {}...: expected", "x".repeat(60)));
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_unicode_are_an_error_of_usage() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let output = Command::new(env!("CARGO_BIN_EXE_verify-dosello"))
        .arg("--unit")
        .arg(OsStr::from_bytes(b"\xff\xfe_ge-2"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(64));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("usage error: \\xff\\xfe_ge-2 is not Unicode"), "{message}");
}

#[test]
fn a_folder_refused_for_an_own_run_is_not_made() {
    let repository = tempfile::tempdir().unwrap();
    fs::create_dir(repository.path().join(".git")).unwrap();
    let claim = root().join("certificates/dosello");
    let resolve = |folder: &Path| {
        let folder = folder.to_str().unwrap();
        run(&[claim.to_str().unwrap(), "--resolve", "--resume", folder, "--weights", "none", "--nodes", "1"])
    };
    assert_eq!(resolve(&repository.path().join("a/b")).0, 64);
    assert!(!repository.path().join("a").exists());
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(repository.path(), folder.path().join("link")).unwrap();
        assert_eq!(resolve(&folder.path().join("link/a")).0, 64);
        assert_eq!(resolve(&folder.path().join("link")).0, 64);
        assert!(!repository.path().join("a").exists());
    }
}

#[test]
fn results_of_an_own_run_that_exclude_each_other_are_a_failure() {
    let line = "f3-f4 e6-f6 d7-e7 g4-g5 b6-c6 c8-d8 g6-h6 f7-f8 c3-d3 e1-e2 c1-c2 a3-b3";
    for (lower, upper, last) in [
        (2, 4, "failure not-proved root: derived -64 64, claimed 2 2"),
        (4, 2, "failure foreign-run the earlier result of f3-f4_"),
    ] {
        let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let claim = "claim 1\ngame dosello\nstatement value\nvalue 2\nleaves leaves.txt\nproofset set.txt\n";
        fs::write(path("claim.txt"), claim).unwrap();
        let leaves = format!("leaves 1\nleaf {line} interval -64 64 origin x nodes 0\n");
        fs::write(path("leaves.txt"), leaves).unwrap();
        let set = format!("proofset 1\nclaim {line} ge {lower}\nclaim {line} le {upper}\n");
        fs::write(path("set.txt"), set).unwrap();
        let claim = path("");
        let resolve_in = |own_run: &Path| {
            run(&[
                &claim,
                "--proofsets",
                &claim,
                "--weights",
                "none",
                "--table-mb",
                "1",
                "--nodes",
                "1",
                "--resolve",
                "--resume",
                own_run.to_str().unwrap(),
            ])
        };
        // A run that came with the claim is nobody's own.
        let apart = "usage error: the folder of a resumed run must lie ";
        assert_ends(&resolve_in(&folder.path().join("run")), 64, apart);
        assert!(!folder.path().join("run").exists());
        let resolve = || resolve_in(beside.path());
        assert_ends(&resolve(), 3, "declined node-limit reached");
        // No search runs any more: every unit has its line, as if proved by this checker.
        for bound in [format!("ge{lower}"), format!("le{upper}")] {
            let name = format!("{}_{bound}", line.replace(' ', "_"));
            fs::write(beside.path().join(format!("{name}.line")), logged(&name, Verdict::Proved)).unwrap();
        }
        assert_ends(&resolve(), 1, last);
    }
}

#[test]
fn a_run_beside_the_claim_or_the_proof_sets_is_nobodys_own() {
    let all = Files::of("dosello").written("dosello");
    let claim = all.path().join("certificates/claim");
    for folder in ["run", "proofsets", "certificates/run", "certificates/claim/run"] {
        let own_run = all.path().join(folder);
        let there = own_run.exists();
        let arguments =
            [claim.to_str().unwrap(), "--weights", "none", "--nodes", "1", "--resolve", "--resume"];
        let ended = run(&[&arguments[..], &[own_run.to_str().unwrap()]].concat());
        assert_ends(&ended, 64, "usage error: the folder of a resumed run must lie ");
        assert_eq!(own_run.exists(), there);
    }
}

#[test]
fn a_verdict_says_how_much_of_it_is_by_the_folder_of_the_run() {
    let (all, own_run) = (Files::of("dosello").written("dosello"), tempfile::tempdir().unwrap());
    let claim = all.path().join("certificates/claim");
    let claim = claim.to_str().unwrap();
    let resolve = || {
        let folder = own_run.path().to_str().unwrap();
        run(&[claim, "--weights", "none", "--table-mb", "1", "--nodes", "1", "--resolve", "--resume", folder])
    };
    assert_ends(&resolve(), 3, "declined node-limit reached");
    // As if this checker had proved them all.
    let units = Command::new(env!("CARGO_BIN_EXE_verify-dosello")).args([claim, "--list-units"]).output();
    let units = String::from_utf8(units.unwrap().stdout).unwrap();
    let mut names = 0;
    for name in units.lines() {
        fs::write(own_run.path().join(format!("{name}.line")), logged(name, Verdict::Proved)).unwrap();
        names += 1;
    }
    assert_eq!(names, 150);
    let expected = "exact_value 2, 150 of 150 units by the folder of --resume".to_owned();
    assert_eq!(resolve(), (0, expected));
}
