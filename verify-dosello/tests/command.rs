//! The program as a user runs it: units, logs, own runs, kills, exit codes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use verify_dosello::error::Reason;
use verify_dosello::rules::{Move, Position};
use verify_dosello::search::{Bound, Solver};
use verify_dosello::sources;
use verify_dosello::table::Table;
use verify_dosello::text::Text;
use verify_dosello::units::{Logged, Unit};

/// Decided in two nodes: the side to move can finish the game at once.
const EASY: &str = "c5-c6_c3-d3_b3-b4_ge-2";

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_verify-dosello")).args(arguments).output().unwrap()
}

fn last_line(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap().lines().last().unwrap_or("").to_owned()
}

fn easy_log(folder: &Path) -> PathBuf {
    let log = folder.join("log.txt");
    let output = run(&[
        "--unit",
        EASY,
        "--weights",
        "none",
        "--table-mb",
        "16",
        "--log",
        log.to_str().unwrap(),
        "--nodes",
        "50",
    ]);
    assert!([0, 3].contains(&output.status.code().unwrap()), "{output:?}");
    log
}

fn reason(log: &str) -> Reason {
    Logged::parse_all(&Text::new("log", log.as_bytes().to_vec())).err().unwrap().reason().unwrap()
}

#[test]
fn a_log_line_reads_back_and_every_single_edit_of_it_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = fs::read_to_string(easy_log(folder.path())).unwrap();
    let lines = Logged::parse_all(&Text::new("log", log.clone().into_bytes())).unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].checker, sources::core_digest());
    assert_eq!(format!("{}\n", lines[0]), log);
    for index in 0..log.len() {
        let mut edited = log.clone().into_bytes();
        edited[index] ^= 1;
        let text = Text::new("log", edited);
        assert!(Logged::parse_all(&text).is_err(), "byte {index}");
        let torn = Text::new("log", log.as_bytes()[..index].to_vec());
        assert!(Logged::parse_all(&torn).is_err(), "cut at {index}");
    }
    assert_eq!(reason(log.trim_end()), Reason::Malformed);
    assert_eq!(reason(&log.replace(" nodes ", " nodes 1")), Reason::DamagedLog);
    assert_eq!(reason(&log.replace(" proved ", " refuted ")), Reason::DamagedLog);
}

#[test]
fn nothing_is_appended_to_a_torn_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.txt");
    fs::write(&log, "dosello-unit 1 torn").unwrap();
    let path = log.to_str().unwrap();
    let output =
        run(&["--unit", EASY, "--weights", "none", "--table-mb", "16", "--log", path, "--nodes", "50"]);
    assert_eq!(output.status.code(), Some(74));
    assert_eq!(fs::read_to_string(&log).unwrap(), "dosello-unit 1 torn");
}

#[test]
fn a_node_limit_ends_in_an_undecided_line_and_exit_code_three() {
    let output = run(&[
        "--unit",
        "f3-f4_e6-f6_d7-e7_ge-2",
        "--weights",
        "none",
        "--table-mb",
        "16",
        "--nodes",
        "1000",
    ]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(last_line(&output), "declined node-limit reached, not decided: f3-f4_e6-f6_d7-e7_ge-2");
    assert!(String::from_utf8(output.stdout).unwrap().contains(" undecided nodes 1000 "));
}

#[test]
fn wrong_unit_names_are_refused_each_with_its_reason() {
    let reason = |name: &str| Unit::parse(name).unwrap_err().0;
    assert_eq!(reason("f3-f4_ge1"), Reason::NotAScore);
    assert_eq!(reason("f3-f4_ge66"), Reason::NotAScore);
    assert_eq!(reason("f3-f4_ge-0"), Reason::Malformed);
    assert_eq!(reason("f3-f4_eq2"), Reason::Malformed);
    assert_eq!(reason("ge2"), Reason::Malformed);
    assert_eq!(reason("a1-b1_ge2"), Reason::IllegalLine);
    assert_eq!(reason("f3-f4_pass_ge2"), Reason::IllegalLine);
    assert_eq!(reason("f4-f3_ge2"), Reason::IllegalLine);
    assert_eq!(Unit::parse("f3-f4_e6-f6_le-2").unwrap().to_string(), "f3-f4_e6-f6_le-2");
}

#[test]
fn the_list_of_sources_is_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let listed: Vec<&str> = sources::SOURCES.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, names);
}

#[test]
fn the_files_on_which_a_unit_depends_use_no_other_file() {
    let content: BTreeMap<&str, &str> = sources::SOURCES.iter().copied().collect();
    let core: BTreeSet<&str> = sources::CORE.iter().copied().collect();
    assert_eq!(core.len(), sources::CORE.len());
    let mut reached = BTreeSet::from(["lib.rs"]);
    let mut open = vec!["run.rs", "sources.rs"];
    while let Some(name) = open.pop() {
        if !reached.insert(name) {
            continue;
        }
        // Every mention of the crate counts, in `use` lines and elsewhere, so that no path is missed. The name behind
        // it is a module: the core has no grouped or renamed imports of modules, which is asserted here.
        for (_, rest) in content[name].match_indices("crate::").map(|(at, _)| content[name].split_at(at + 7))
        {
            let module: String =
                rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
            let file = content.keys().find(|file| file.strip_suffix(".rs") == Some(&module));
            open.push(file.unwrap_or_else(|| panic!("{name} mentions crate::{module}, which is no file")));
        }
        for escape in ["super::", "self::", "verify_dosello::", "include!", "#[path", "\nmod ", " mod "] {
            // The list of sources includes them as text, for the digest.
            assert!(!content[name].contains(escape), "{name} contains {escape:?}");
        }
    }
    assert_eq!(reached, core);
    assert!(content["lib.rs"].contains("#![forbid(unsafe_code)]") && !content["lib.rs"].contains("#[path"));
}

#[test]
fn the_version_names_both_digests() {
    let out = Command::new(env!("CARGO_BIN_EXE_verify-dosello")).arg("--version").output().unwrap();
    let expected = format!("verify-dosello sources {} core {}\n", sources::digest(), sources::core_digest());
    assert_eq!(String::from_utf8(out.stdout).unwrap(), expected);
    assert_ne!(sources::digest(), sources::core_digest());
}

#[test]
fn a_wrong_command_line_ends_in_exit_code_64() {
    for arguments in [
        &[][..],
        &["--unit"],
        &["--nope"],
        &["a", "b"],
        &["--perft", "8"],
        &["--table-mb", "0", "--help"],
        &["x", "--resolve", "--threads", "0"],
        &["x", "--threads", "2"],
        &["x", "--recheck", "1"],
        &["--version", "--json", "/nonexistent"],
        &["--perft", "1", "--json", "/nonexistent"],
        &["x", "--list-units", "--json", "/nonexistent"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(64), "{arguments:?}");
    }
    assert_eq!(run(&["--help"]).status.code(), Some(0));
}

#[test]
fn a_folder_of_an_own_run_inside_the_repository_or_with_other_content_is_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let claim = root.join("certificates/dosello");
    let resolve = |folder: &Path| {
        run(&[
            claim.to_str().unwrap(),
            "--resolve",
            "--resume",
            folder.to_str().unwrap(),
            "--weights",
            "none",
            "--nodes",
            "1",
            "--table-mb",
            "16",
        ])
    };
    assert_eq!(resolve(&root.join("target/an-own-run")).status.code(), Some(64));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("other.txt"), "").unwrap();
    assert!(last_line(&resolve(folder.path())).starts_with("failure foreign-run"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(resolve(folder.path()).status.code(), Some(3));
    let head = folder.path().join("run.txt");
    let text = fs::read_to_string(&head).unwrap();
    fs::write(&head, text.replacen("checker ", "checker 0", 1)).unwrap();
    assert!(last_line(&resolve(folder.path())).starts_with("failure foreign-run"));
}

#[test]
fn a_forged_log_is_accepted_only_conditionally_and_found_by_rechecking() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let claim = root.join("certificates/dosello");
    let claim = claim.to_str().unwrap();
    let units = String::from_utf8(run(&[claim, "--list-units"]).stdout).unwrap();
    let lines: String = units
        .lines()
        .map(|name| {
            let line = Logged {
                unit: Unit::parse(name).unwrap(),
                verdict: verify_dosello::units::Verdict::Proved,
                nodes: 1,
                shallow: 0,
                table_mb: 1,
                weights: "none".to_owned(),
                checker: "0".repeat(64),
            };
            line.to_string() + "\n"
        })
        .collect();
    let log = folder.path().join("log.txt");
    fs::write(&log, &lines).unwrap();
    let output = run(&[claim, "--accept-log", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(last_line(&output).starts_with("conditional_value 2 assuming 150 logged units (log "));
    assert!(last_line(&output).ends_with("), 0 re-proved here"));
    // What the log does not say rests on the leaf file, and is named.
    let (first, rest) = lines.split_once('\n').unwrap();
    fs::write(&log, rest).unwrap();
    let output = run(&[claim, "--accept-log", log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let last = last_line(&output);
    assert!(last.starts_with("conditional_value 2 assuming 149 logged units (log "), "{last}");
    assert!(last.ends_with("), 0 re-proved here, and 1 leaf claims that are not in the log"), "{last}");
    let name = first.split(' ').nth(2).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&format!("\nclaims_in_log 149\nnot_in_log {name}\n")), "{text}");
    // A log that says the contrary of a claim is no support, whatever the leaf file says.
    let unit = Unit::parse(name).unwrap();
    let refuted = Logged {
        unit,
        verdict: verify_dosello::units::Verdict::Refuted,
        nodes: 1,
        shallow: 0,
        table_mb: 1,
        weights: "none".to_owned(),
        checker: "0".repeat(64),
    };
    fs::write(&log, format!("{rest}{refuted}\n")).unwrap();
    let output = run(&[claim, "--accept-log", log.to_str().unwrap()]);
    assert!(last_line(&output).starts_with(&format!("failure contradiction {name}: ")), "{output:?}");
    // And what neither says is not supported; the claim is named.
    fs::write(&log, rest).unwrap();
    let short = folder.path().join("short");
    fs::create_dir_all(&short).unwrap();
    fs::write(short.join("claim.txt"), fs::read(Path::new(claim).join("claim.txt")).unwrap()).unwrap();
    let leaves = fs::read_to_string(Path::new(claim).join("leaves.txt")).unwrap();
    let moves = name.rsplit_once('_').unwrap().0.replace('_', " ");
    let kept: String =
        leaves.lines().filter(|line| !line.contains(&moves)).flat_map(|line| [line, "\n"]).collect();
    fs::write(short.join("leaves.txt"), kept).unwrap();
    let proof_sets = root.join("proofsets");
    let output = run(&[
        short.to_str().unwrap(),
        "--proofsets",
        proof_sets.to_str().unwrap(),
        "--accept-log",
        log.to_str().unwrap(),
    ]);
    assert!(last_line(&output).starts_with(&format!("failure unsupported-claim {name}: ")), "{output:?}");
    // A line that ends at an inner position supports nothing.
    let own = folder.path().join("claim");
    fs::create_dir_all(&own).unwrap();
    let text = "claim 1\ngame dosello\nstatement value\nvalue 2\nleaves leaves.txt\nproofset none\n";
    fs::write(own.join("claim.txt"), text).unwrap();
    fs::write(own.join("leaves.txt"), "leaves 1\nleaf f3-f4 interval 0 0 origin x nodes 0\n").unwrap();
    let output = run(&[own.to_str().unwrap()]);
    assert!(last_line(&output).starts_with("failure no-leaf"), "{output:?}");
    // A false leaf result and a log that calls it proved: both are found out by the search.
    fs::write(own.join("leaves.txt"), "leaves 1\nleaf c5-c6 c3-d3 b3-b4 interval -64 -4 origin x nodes 0\n")
        .unwrap();
    let line = Logged {
        unit: Unit::parse("c5-c6_c3-d3_b3-b4_le-4").unwrap(),
        verdict: verify_dosello::units::Verdict::Proved,
        nodes: 1,
        shallow: 0,
        table_mb: 1,
        weights: "none".to_owned(),
        checker: sources::core_digest(),
    };
    fs::write(&log, format!("{line}\n")).unwrap();
    let options = ["--weights", "none", "--table-mb", "16"];
    let recheck = [own.to_str().unwrap(), "--accept-log", log.to_str().unwrap(), "--recheck", "1"];
    let output = run(&[&recheck[..], &options].concat());
    assert!(last_line(&output).starts_with("failure false-log"), "{output:?}");
    for threads in ["1", "3"] {
        let resolve = [own.to_str().unwrap(), "--resolve", "--threads", threads];
        let output = run(&[&resolve[..], &options].concat());
        assert!(last_line(&output).starts_with("failure refuted the unit"), "{output:?}");
    }
}

/// A claim whose 12 or so units each take a moment: true bounds on all positions after one more move on the line.
fn claim_of_small_units(folder: &Path) -> PathBuf {
    let moves = ["f3-f4", "e6-f6", "d7-e7", "g4-g5", "b6-c6", "c8-d8", "g6-h6", "f7-f8", "c3-d3", "e1-e2"];
    let position = moves
        .iter()
        .fold(Position::initial(), |position, step| position.play(Move::parse(step).unwrap()).unwrap());
    let mut table = Table::new(64);
    let mut leaves = "leaves 1\n".to_owned();
    for (step, next) in position.moves() {
        let mut solver = Solver::new(&mut table, None);
        let (lower, upper) = match solver.decide(&next, Bound::AtLeast(20), u64::MAX).unwrap().bound() {
            Bound::AtLeast(score) => (score, 64),
            Bound::AtMost(score) => (-64, score),
        };
        let line = format!("leaf {} {step} interval {lower} {upper} origin x nodes 0\n", moves.join(" "));
        leaves.push_str(&line);
    }
    let claim = folder.join("claim");
    fs::create_dir(&claim).unwrap();
    let text = "claim 1\ngame dosello\nstatement value\nvalue 2\nleaves leaves.txt\nproofset none\n";
    fs::write(claim.join("claim.txt"), text).unwrap();
    fs::write(claim.join("leaves.txt"), leaves).unwrap();
    claim
}

/// The command that proves all units of a claim in a folder of its own.
fn resolving(claim: &Path, own_run: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verify-dosello"));
    command.arg(claim).args(["--weights", "none", "--table-mb", "32", "--resolve", "--resume"]).arg(own_run);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn kept_lines(own_run: &Path) -> usize {
    let Ok(entries) = fs::read_dir(own_run) else { return 0 };
    entries
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "line"))
        .count()
}

#[test]
fn a_run_killed_at_any_moment_and_resumed_ends_like_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let claim = claim_of_small_units(folder.path());
    let start = Instant::now();
    let whole = resolving(&claim, &folder.path().join("whole")).output().unwrap();
    let time = start.elapsed();
    // The units are proved, and do not prove the claim.
    let last = last_line(&whole);
    assert!(last.starts_with("failure not-proved root: derived -64 64, claimed 2 2"), "{whole:?}");
    let count = kept_lines(&folder.path().join("whole"));
    assert!(count >= 8, "{count}");
    let units = u32::try_from(count).unwrap();

    let own_run = folder.path().join("killed");
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (mut kills, mut between) = (0, BTreeSet::new());
    for round in 0..40 {
        let before = kept_lines(&own_run);
        let mut child = resolving(&claim, &own_run).spawn().unwrap();
        // Every other kill comes at any moment; the others wait for a line more, so that the run gets on.
        while round % 2 == 1 && kept_lines(&own_run) == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // A fraction of the time of one unit, on a machine of whatever speed.
        std::thread::sleep(time.mul_f64(random.random_range(0.0..0.5) / f64::from(units)));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        between.insert(kept_lines(&own_run));
    }
    assert!(kills >= 4, "{kills}");
    assert!(between.iter().any(|&lines| 0 < lines && lines < count), "{between:?}");
    let earlier = kept_lines(&own_run);
    let resumed = resolving(&claim, &own_run).output().unwrap();
    let said = String::from_utf8(whole.stdout.clone()).unwrap();
    let expected = said.replacen("\nresumed 0\n", &format!("\nresumed {earlier}\n"), 1);
    assert_ne!(expected, said);
    assert_eq!(String::from_utf8(resumed.stdout).unwrap(), expected);
    assert_eq!(resumed.status, whole.status);

    let own_run = folder.path().join("threads");
    let threads = resolving(&claim, &own_run).args(["--threads", "3"]).output().unwrap();
    assert_eq!(threads.stdout, whole.stdout);
    assert_eq!(threads.status, whole.status);
    assert_eq!(kept_lines(&own_run), count);
}

#[test]
fn a_unit_that_meets_the_node_limit_is_named_and_keeps_no_other_from_being_proved() {
    let folder = tempfile::tempdir().unwrap();
    let claim = claim_of_small_units(folder.path());
    let whole = folder.path().join("whole");
    resolving(&claim, &whole).output().unwrap();
    let nodes = |entry: Result<fs::DirEntry, std::io::Error>| {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        text.split_once(" nodes ").map(|(_, rest)| rest.split(' ').next().unwrap().parse::<u64>().unwrap())
    };
    let mut all: Vec<u64> = fs::read_dir(&whole).unwrap().filter_map(nodes).collect();
    all.sort_unstable();
    let middle = all[all.len() / 2];
    for threads in ["1", "2"] {
        let own_run = folder.path().join(threads);
        let limit = middle.to_string();
        let arguments = ["--threads", threads, "--nodes", &limit];
        let output = resolving(&claim, &own_run).args(arguments).output().unwrap();
        let kept = kept_lines(&own_run);
        assert!(0 < kept && kept < all.len() - 1, "{kept}");
        let last = last_line(&output);
        let open = all.len() - kept;
        assert_eq!(last, format!("declined node-limit reached, not decided: {open} units"));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("not_decided ")).count(), open);
        // Without the limit the run goes on with those.
        let resumed = resolving(&claim, &own_run).args(["--threads", threads]).output().unwrap();
        assert!(last_line(&resumed).starts_with("failure not-proved root"), "{resumed:?}");
        assert_eq!(kept_lines(&own_run), all.len());
    }
}

#[test]
fn a_run_ends_at_once_where_its_folder_says_that_a_unit_is_false() {
    let folder = tempfile::tempdir().unwrap();
    let claim = claim_of_small_units(folder.path());
    // Of the first leaf, the opposite of what is true.
    let leaves = fs::read_to_string(claim.join("leaves.txt")).unwrap();
    let (first, rest) = leaves.split_once(" origin").unwrap();
    let (_, ends) = first.split_once(" interval ").unwrap();
    let opposite = match ends.split_once(' ').unwrap() {
        (lower, "64") => format!("-64 {}", lower.parse::<i32>().unwrap() - 2),
        (_, upper) => format!("{} 64", upper.parse::<i32>().unwrap() + 2),
    };
    let forged = format!("{} origin{rest}", first.replace(ends, &opposite));
    fs::write(claim.join("leaves.txt"), &forged).unwrap();

    let own_run = folder.path().join("run");
    let found = resolving(&claim, &own_run).output().unwrap();
    assert!(last_line(&found).starts_with("failure refuted the unit "), "{found:?}");
    let kept = kept_lines(&own_run);
    assert!(0 < kept && kept < forged.matches(" interval ").count(), "{kept}");
    for threads in ["1", "2"] {
        let resumed = resolving(&claim, &own_run).args(["--threads", threads]).output().unwrap();
        assert_eq!(last_line(&resumed), format!("{}, by the folder of the run", last_line(&found)));
        assert!(String::from_utf8_lossy(&resumed.stdout).contains(&format!("\nresumed {kept}\n")));
        assert_eq!(resumed.status.code(), Some(1));
        assert_eq!(kept_lines(&own_run), kept);
    }
}

#[test]
fn what_a_kill_leaves_half_written_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let claim = claim_of_small_units(folder.path());
    let own_run = folder.path().join("run");
    fs::create_dir(&own_run).unwrap();
    fs::write(own_run.join("run.txt.1.partial"), "dosello-run 1\nchec").unwrap();
    let output = resolving(&claim, &own_run).output().unwrap();
    assert!(last_line(&output).starts_with("failure not-proved"), "{output:?}");
    // A torn line under its final name was written by somebody else, and is refused.
    let line = fs::read_dir(&own_run)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "line"));
    let line = line.unwrap();
    let text = fs::read_to_string(&line).unwrap();
    fs::write(&line, &text.as_bytes()[..text.len() - 3]).unwrap();
    let output = resolving(&claim, &own_run).output().unwrap();
    assert!(last_line(&output).starts_with("failure malformed"), "{output:?}");
    // So is the line of another unit.
    let other = text.replacen("_ge20", "_ge18", 1).replacen("_le18", "_le20", 1);
    fs::write(&line, other).unwrap();
    let output = resolving(&claim, &own_run).output().unwrap();
    assert!(last_line(&output).starts_with("failure damaged-log"), "{output:?}");
}

#[test]
fn two_workers_side_by_side_share_nothing_but_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let claim = claim_of_small_units(folder.path());
    let alone = resolving(&claim, &folder.path().join("alone")).output().unwrap();
    // Two runs in one folder.
    let shared = folder.path().join("shared");
    let workers: Vec<_> = (0..2).map(|_| resolving(&claim, &shared).spawn().unwrap()).collect();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        assert_eq!(output.stdout, alone.stdout, "{output:?}");
    }
    // Two workers that append the results of different units to one log.
    let log = folder.path().join("log.txt");
    let names = run(&[claim.to_str().unwrap(), "--list-units"]);
    let names: Vec<String> = String::from_utf8(names.stdout).unwrap().lines().map(str::to_owned).collect();
    let worker = |names: Vec<String>| {
        let log = log.clone();
        std::thread::spawn(move || {
            for name in names {
                let log = log.to_str().unwrap();
                let output = run(&["--unit", &name, "--weights", "none", "--table-mb", "32", "--log", log]);
                assert_eq!(output.status.code(), Some(0), "{output:?}");
            }
        })
    };
    let (first, second) = names.split_at(names.len() / 2);
    let workers = [worker(first.to_vec()), worker(second.to_vec())];
    for worker in workers {
        worker.join().unwrap();
    }
    let lines = Logged::parse_all(&Text::read(&log).unwrap()).unwrap();
    let logged: BTreeSet<String> = lines.iter().map(|line| line.unit.to_string()).collect();
    assert_eq!(logged, names.iter().cloned().collect());
    assert_eq!(lines.len(), names.len());
    // They are the lines of the run in a folder.
    for line in lines {
        let kept = folder.path().join("alone").join(format!("{}.line", line.unit));
        assert_eq!(fs::read_to_string(kept).unwrap(), format!("{line}\n"));
    }
}

#[test]
fn the_json_report_says_the_same_as_standard_output_and_is_identical_from_run_to_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let mut texts = Vec::new();
    for (claim, code) in
        [("certificates/dosello", 2), ("certificates/dosello-replies", 2), ("no-such-claim", 74)]
    {
        for file in ["first.json", "second.json"] {
            let path = folder.path().join(file);
            let output = run(&[root.join(claim).to_str().unwrap(), "--json", path.to_str().unwrap()]);
            assert_eq!(output.status.code(), Some(code), "{output:?}");
            let text = String::from_utf8(output.stdout).unwrap();
            let json = fs::read_to_string(path).unwrap();
            assert_eq!(lines_of_json(&json), text.lines().map(str::to_owned).collect::<Vec<_>>());
            texts.push(json);
        }
        assert_eq!(texts.pop(), texts.pop());
    }
    // A report that cannot be written is no success, and no verdict appears on standard output.
    let nowhere = folder.path().join("no/such/folder.json");
    let output =
        run(&[root.join("certificates/dosello").to_str().unwrap(), "--json", nowhere.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(74));
    assert!(output.stdout.is_empty());
}

/// The lines `key value` of a report, read with no JSON library: one pair of strings without escapes a line.
fn lines_of_json(json: &str) -> Vec<String> {
    let body = json.strip_prefix("[\n").unwrap().strip_suffix("]\n").unwrap();
    let count = body.lines().count();
    let mut lines = Vec::new();
    for (index, line) in body.lines().enumerate() {
        let line = if index + 1 < count { line.strip_suffix(',').unwrap() } else { line };
        let pair = line.strip_prefix("  [\"").unwrap().strip_suffix("\"]").unwrap();
        let (key, value) = pair.split_once("\", \"").unwrap();
        assert!(!pair.contains('\\'), "{pair}");
        lines.push(format!("{key} {value}").trim_end().to_owned());
    }
    lines
}
