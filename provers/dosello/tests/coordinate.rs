#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "tests fail by panicking")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use prove_dosello::log;
use prove_dosello::tree::Tree;

/// A stand-in for the checker: every claim holds, f7-f8 needs 5,000 nodes and every other third move 100.
const STAND_IN: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in
        --unit) unit=$2 ;;
        --nodes) limit=$2 ;;
        --log) log=$2 ;;
        --delay) delay=$2 ;;
    esac
    shift 2
done
: > "$0.started.$unit"
sleep "$delay"
need=100
case "$unit" in *_f7-f8_*) need=5000 ;; esac
verdict=proved
if [ "$need" -gt "$limit" ]; then verdict=undecided; need=$limit; fi
body="dosello-unit 1 $unit $verdict nodes $need shallow 0 table-mb 1 weights none checker 00"
check=$(printf %s "$body" | sha256sum | cut -c 1-16)
printf '%s check %s end\n' "$body" "$check" >> "$log"
"#;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("checker");
        fs::write(&script, STAND_IN).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn log(&self) -> PathBuf {
        self.path("run/log.txt")
    }

    fn command(&self, delay: &str, goal: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prove-dosello"));
        command.arg("prove").arg(self.path("run")).arg("--checker").arg(self.path("checker"));
        command.args(["--from", "f3-f4_e6-f6", "--goal", goal, "--budget", "150", "--workers", "2"]);
        command.arg("--write-set").arg(self.path("set.txt")).args(["--", "--delay", delay]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn run(&self, goal: &str) -> ExitStatus {
        self.command("0", goal).status().unwrap()
    }

    /// The number of units that the checker was started on.
    fn started(&self) -> usize {
        let files = fs::read_dir(self.folder.path()).unwrap().map(|file| file.unwrap().file_name());
        files.filter(|name| name.to_str().unwrap().contains(".started.")).count()
    }

    /// Machines that test are busy; so look often and be patient.
    fn wait_for(&self, what: &str, mut there: impl FnMut() -> bool) {
        let patience = Instant::now() + Duration::from_secs(60);
        while !there() {
            assert!(Instant::now() < patience, "no sign of {what} in {}", self.folder.path().display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The units whose runs have left a line that nobody has taken in.
    fn parts(&self) -> Vec<String> {
        let files = fs::read_dir(self.path("run")).unwrap().map(|file| file.unwrap().file_name());
        files.filter_map(|name| Some(name.to_str()?.strip_suffix(".part")?.to_owned())).collect()
    }

    fn names(&self) -> Vec<String> {
        log::read(&self.log()).unwrap().iter().map(|e| log::unit_name(&e.line, e.bound)).collect()
    }
}

/// The leaves below f3-f4 e6-f6.
fn leaves() -> usize {
    Tree::new(&["f3-f4".into(), "e6-f6".into()], 3).unwrap().leaves().count()
}

#[test]
fn an_upper_bound_needs_every_move_and_a_stuck_leaf_is_raised() {
    let bench = Bench::new();
    assert_eq!(bench.run("le2").code(), Some(0));
    let names = bench.names();
    let stuck = names.iter().filter(|name| name.contains("_f7-f8_")).count();
    // 150, 600, 2,400 and 9,600 nodes.
    assert_eq!(stuck, 4);
    assert_eq!(names.len(), leaves() - 1 + stuck);
    let set = fs::read_to_string(bench.path("set.txt")).unwrap();
    assert_eq!(set.lines().next(), Some("proofset 1"));
    assert_eq!(set.lines().count(), leaves() + 1);
    assert!(
        set.lines().skip(1).all(|line| line.starts_with("claim f3-f4 e6-f6 ") && line.ends_with(" ge -2"))
    );
}

#[test]
fn a_lower_bound_needs_one_move() {
    let bench = Bench::new();
    assert_eq!(bench.run("ge2").code(), Some(0));
    // The second worker tries nothing beside, since the cheapest tree has one leaf.
    assert_eq!(bench.names().len(), 1);
    assert!(bench.names()[0].ends_with("_le-2"));
}

#[test]
fn a_finished_run_is_not_repeated() {
    let bench = Bench::new();
    assert_eq!(bench.run("le2").code(), Some(0));
    let before = fs::read(bench.log()).unwrap();
    assert_eq!(bench.run("le2").code(), Some(0));
    assert_eq!(fs::read(bench.log()).unwrap(), before);
}

#[test]
fn a_torn_line_is_dropped_and_its_unit_done_again() {
    let bench = Bench::new();
    bench.run("le2");
    let bytes = fs::read(bench.log()).unwrap();
    fs::write(bench.log(), &bytes[..bytes.len() - 30]).unwrap();
    assert!(log::read(&bench.log()).unwrap_err().to_string().contains("torn"));
    assert_eq!(bench.run("le2").code(), Some(0));
    assert_eq!(fs::read(bench.log()).unwrap().len(), bytes.len());
}

#[test]
fn an_altered_line_stops_the_run() {
    let bench = Bench::new();
    bench.run("ge2");
    let text = fs::read_to_string(bench.log()).unwrap().replace("nodes 100", "nodes 101");
    fs::write(bench.log(), text).unwrap();
    assert!(log::read(&bench.log()).unwrap_err().to_string().contains(":1: not a whole log line"));
    assert_eq!(bench.run("ge2").code(), Some(70));
}

#[test]
fn the_line_of_a_run_that_outlived_its_coordinator_is_taken_in() {
    let bench = Bench::new();
    bench.run("ge2");
    let name = bench.names().remove(0);
    fs::rename(bench.log(), bench.path("run").join(format!("{name}.part"))).unwrap();
    fs::write(bench.path("checker"), "#!/bin/sh\nexit 70\n").unwrap();
    assert_eq!(bench.run("ge2").code(), Some(0));
    assert_eq!(bench.names(), [name]);
}

#[test]
fn a_checker_that_leaves_no_line_stops_the_run() {
    let bench = Bench::new();
    fs::write(bench.path("checker"), "#!/bin/sh\nexit 70\n").unwrap();
    assert_eq!(bench.run("ge2").code(), Some(70));
}

#[test]
fn killed_again_and_again_the_tree_still_closes() {
    let bench = Bench::new();
    let mut last = 0;
    for pause in [150, 350, 550] {
        let mut child = bench.command("0.05", "le2").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
        let size = fs::metadata(bench.log()).map_or(0, |meta| meta.len());
        assert!(size >= last);
        last = size;
    }
    assert_eq!(bench.run("le2").code(), Some(0));
    let mut names = bench.names();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), leaves());
}

#[test]
fn lines_that_runs_leave_after_the_coordinator_was_killed_are_not_computed_again() {
    let bench = Bench::new();
    let mut child = bench.command("2", "le2").spawn().unwrap();
    bench.wait_for("two runs", || bench.started() == 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!bench.log().exists());
    bench.wait_for("their lines", || bench.parts().len() == 2);
    let orphans = bench.parts();
    assert_eq!(bench.run("le2").code(), Some(0));
    let names = bench.names();
    for orphan in orphans {
        assert_eq!(names.iter().filter(|&name| *name == orphan).count(), 1);
    }
    assert!(bench.parts().is_empty());
}

#[test]
fn a_second_coordinator_is_refused_and_changes_nothing_until_the_first_has_ended() {
    let bench = Bench::new();
    let mut first = bench.command("5", "le2").spawn().unwrap();
    bench.wait_for("two runs", || bench.started() == 2);
    let second = bench.command("0", "le2").stderr(Stdio::piped()).output().unwrap();
    assert_eq!(second.status.code(), Some(74));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another coordinator uses this folder"));
    assert!(!bench.log().exists());
    // Killed, it cannot have cleaned up: the lock must go with the process, although its runs live on.
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(bench.run("le2").code(), Some(0));
}

#[test]
fn a_dry_run_changes_nothing() {
    let bench = Bench::new();
    bench.run("ge2");
    fs::write(bench.path("run/some.part"), fs::read(bench.log()).unwrap()).unwrap();
    let log = fs::read(bench.log()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove-dosello"));
    command.arg("prove").arg(bench.path("run")).args(["--from", "f3-f4_e6-f6", "--goal", "le2", "--dry-run"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("decided 1 units"));
    assert_eq!(fs::read(bench.log()).unwrap(), log);
    assert_eq!(bench.parts(), ["some"]);
}

#[test]
fn a_worker_told_to_takes_the_dearest_leaf_first_and_a_guess_sets_the_budget() {
    let bench = Bench::new();
    let table = bench.path("published.tsv");
    let header = "line\ttype\tthreshold\tlower\tupper\tnodes";
    // 10 * 10^0.7 * 8 is 400 nodes, too few for f7-f8; 10 * 1000^0.7 * 8 is 10,071, enough.
    let row = |line: &str, nodes: u32| format!("{line}\tbound\t-2\t-2\t64\t{nodes}");
    let rows = [row("f3-f4 e6-f6 f7-f8", 1000), row("f3-f4 e6-f6 d7-e7", 10)];
    fs::write(&table, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_prove-dosello"));
    command.arg("prove").arg(bench.path("run")).arg("--checker").arg(bench.path("checker"));
    command.args(["--from", "f3-f4_e6-f6", "--goal", "le2", "--budget", "150", "--dearest-first", "1"]);
    command.arg("--published").arg(&table).args(["--", "--delay", "0"]);
    assert_eq!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().code(), Some(0));
    let names = bench.names();
    assert_eq!(names.len(), leaves());
    assert_eq!(names[0], "f3-f4_e6-f6_f7-f8_ge-2");
}

/// Ours and the published lines, where the published table is at hand.
#[test]
fn every_published_position_is_a_leaf_under_its_published_line() {
    let table =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/published/dosello/leaf-results.tsv");
    let Ok(table) = fs::read_to_string(table) else {
        eprintln!("SKIPPED: the published results are not at hand");
        return;
    };
    let tree = Tree::new(&[], 3).unwrap();
    let mut nodes: Vec<usize> = Vec::new();
    for row in table.lines().skip(1) {
        let line = row.split('\t').next().unwrap().replace(' ', "_");
        let node = tree.find(&line).unwrap();
        assert_eq!(tree.get(node).line, line);
        nodes.push(node);
    }
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), 331);
}
