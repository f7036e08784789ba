//! The corpus of good and bad inputs is tested with dummy checkers: each has to be caught by exactly the cases that say
//! so. This program serves as the dummies too, when it is called as `vectors dummy KIND …`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "test code fails by panicking"
)]

mod dummies;

use audit::vectors::{Case, Done, Dummy, Edit, Finding, Observed, Program, agree, load, run_all};
use libtest_mimic::{Arguments, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

const KINDS: [&str; 6] = ["always-accept", "always-reject", "parse-only", "crash", "mute", "hostile"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, kind, rest @ ..] = arguments.as_slice()
        && word == "dummy"
    {
        return dummies::run(kind, rest);
    }
    let mut trials: Vec<Trial> = vec![
        Trial::test("every_kind_of_fault_has_cases_or_an_explanation", test(every_kind_is_covered)),
        Trial::test("an_edit_that_does_not_fit_is_an_error", test(unfit_edits)),
        Trial::test("a_program_that_never_ends_is_stopped", test(never_ends)),
        Trial::test("exit_codes_and_last_lines_have_to_agree", test(agreement)),
        Trial::test("a_case_notices_each_kind_of_difference", test(differences)),
    ];
    for kind in KINDS {
        trials.push(Trial::test(
            format!("the_{}_dummy_is_caught_by_exactly_the_predicted_cases", kind.replace('-', "_")),
            test(move || calibrate(kind)),
        ));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test fails by panicking, as ordinary tests do.
fn test(body: impl FnOnce() + Send + 'static) -> impl FnOnce() -> Result<(), libtest_mimic::Failed> + Send {
    move || {
        body();
        Ok(())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// What all dummies do in all cases: each input is built once.
fn all_dummies() -> &'static [Done] {
    static DONE: OnceLock<Vec<Done>> = OnceLock::new();
    DONE.get_or_init(|| {
        let path = std::env::current_exe().unwrap();
        let dummy = |kind: &&str| Program {
            path: path.clone(),
            arguments: vec!["dummy".to_owned(), (*kind).to_owned()],
        };
        let programs: Vec<Program> = KINDS.iter().map(dummy).collect();
        run_all(&root(), load(&root()).unwrap(), &|_| programs.clone(), 2, Duration::from_secs(120)).unwrap()
    })
}

fn by_exit_code(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| matches!(finding, Finding::Exit(_)))
}

/// What each dummy has to be caught by: the exit code is the only thing that an auditor's script looks at, so a case
/// says whose exit code is wrong; a right exit code with a wrong last line has to be found all the same.
fn calibrate(kind: &'static str) {
    let dummy = match kind {
        "always-accept" => Some(Dummy::AlwaysAccept),
        "always-reject" => Some(Dummy::AlwaysReject),
        "parse-only" => Some(Dummy::ParseOnly),
        _ => None,
    };
    let mut wrong = Vec::new();
    let mut undetected = BTreeMap::new();
    let index = KINDS.iter().position(|&known| known == kind).unwrap();
    for (_, case, observed) in all_dummies() {
        let observed = &observed[index];
        let findings = case.judge(observed);
        let predicted = match (dummy, kind) {
            (Some(dummy), _) => case.catches.contains(&dummy),
            (None, "mute") => case.exit != 0,
            (None, _) => true,
        };
        if by_exit_code(&findings) != predicted {
            wrong.push(format!("{}: exit code {:?}, caught: {}", case.name, observed.code, !predicted));
        }
        if findings.is_empty() {
            undetected.insert(case.name.clone(), case.exit);
        }
    }
    assert!(wrong.is_empty(), "{kind}:\n{}", wrong.join("\n"));
    // Who believes a true claim, and repeats it, cannot be told from a checker; nobody else gets through.
    let allowed = matches!(kind, "always-accept" | "parse-only");
    let passes = undetected.len();
    assert!(undetected.values().all(|&exit| allowed && exit == 0), "{kind}: {undetected:?}");
    assert_eq!(allowed, passes >= 3, "{kind}: {undetected:?}");
}

fn every_kind_is_covered() {
    let cases = load(&root()).unwrap();
    let readme = std::fs::read_to_string(root().join("ci/vectors/README.md")).unwrap();
    let kinds: BTreeSet<u32> = cases.iter().map(|(_, case)| case.fault).collect();
    let checkers = ["darkhex", "honey", "dosello"];
    for kind in 1..=25 {
        // The table's line of the kind: number, what the fault is, then for each checker how many cases, or why none.
        let line = readme.lines().find(|line| line.starts_with(&format!("| {kind} |")));
        let cells: Vec<&str> =
            line.unwrap_or_else(|| panic!("kind {kind}")).split('|').map(str::trim).collect();
        for (column, checker) in checkers.iter().enumerate() {
            let count = cases
                .iter()
                .filter(|(family, case)| case.fault == kind && family.checker().ends_with(checker))
                .count();
            let cell = cells[column + 3];
            let stated: usize = cell.split(' ').next().unwrap().parse().unwrap_or(0);
            assert_eq!(stated, count, "kind {kind}, {checker}: {cell}");
            assert!(count > 0 || cell.len() > 10, "kind {kind}, {checker}: say why there is no case");
        }
    }
    assert!(kinds.iter().all(|&kind| kind <= 25));
    assert!(readme.contains(&format!("{} cases", cases.len())), "{} cases", cases.len());
    for (_, case) in &cases {
        assert!(case.catches.contains(&Dummy::AlwaysAccept) == (case.exit != 0), "{}", case.name);
        assert!(case.catches.contains(&Dummy::AlwaysReject) == (case.exit != 1), "{}", case.name);
    }
}

/// The good case of classic-r3c4, for tests of the runner.
fn sample() -> Case {
    let all = load(&root()).unwrap();
    all.into_iter().map(|(_, case)| case).find(|case| case.run == ["certificates/classic-r3c4"]).unwrap()
}

fn unfit_edits() {
    let edit = |edit: Edit| {
        let case = Case { edit: vec![edit], ..sample() };
        let folder = tempfile::tempdir().unwrap();
        case.prepare(&root(), folder.path()).unwrap_err()
    };
    let claim = || Edit { file: "claim.txt".to_owned(), ..Edit::default() };
    let text = |old: &str, new: &str| Some([old.to_owned(), new.to_owned()]);
    assert!(edit(Edit { replace: text("columns 5", "columns 4"), ..claim() }).contains("0 times"));
    assert!(edit(Edit { replace: text("c", "d"), ..claim() }).contains("times"));
    assert!(edit(Edit { replace: text("^rows 3", "^rows 3"), ..claim() }).contains("changes nothing"));
    assert!(edit(Edit { cut: Some(100_000), ..claim() }).contains("shorter"));
    assert!(edit(claim()).contains("exactly one change"));
    assert!(edit(Edit { cut: Some(1), remove: Some(true), ..claim() }).contains("exactly one change"));
    assert!(
        edit(Edit { file: "../../outside".to_owned(), write: Some(String::new()), ..claim() })
            .contains("leaves")
    );
    assert!(edit(Edit { remove: Some(true), file: "none".to_owned(), ..claim() }).contains("none"));
}

fn never_ends() {
    let program = Program { path: "sleep".into(), arguments: vec!["100".to_owned()] };
    let case = Case { run: Vec::new(), ..sample() };
    let observed = case.observe(&root(), &[program], Duration::from_millis(300)).unwrap().remove(0);
    assert_eq!((observed.code, observed.signal), (None, Some(9)));
    assert!(by_exit_code(&case.judge(&observed)));
}

fn agreement() {
    let right = [
        (0, "exact_value 1"),
        (0, "proved_bounds 0 1"),
        (0, "verified_set 2 of 2"),
        (1, "failure refuted 0 0"),
        (2, "conditional_value 2 assuming 150 leaf claims"),
        (3, "declined limit"),
        (64, ""),
        (74, "failure cannot access"),
    ];
    for (code, last) in right {
        assert!(agree(code, last), "{code} {last}");
        for (other, _) in right {
            let neutral = code >= 64 && other >= 64 || (code, other) == (1, 74) || (code, other) == (1, 70);
            assert!(code == other || neutral || !agree(other, last) || code >= 64 || code == 1 || code == 3);
        }
    }
    let wrong = [
        (0, ""),
        (0, "failure refuted 0 0"),
        (0, "conditional_value 2 assuming nothing"),
        (0, "declined limit"),
        (1, "exact_value 1"),
        (2, "exact_value 1"),
        (3, "exact_value 1"),
        (74, "exact_value 1"),
        (70, "conditional_value 1"),
        (101, ""),
    ];
    for (code, last) in wrong {
        assert!(!agree(code, last), "{code} {last}");
    }
}

fn differences() {
    let case = Case {
        statement: Some("it holds".to_owned()),
        lines: vec!["beliefs 2".to_owned()],
        stderr: Some("warned".to_owned()),
        last: "exact_value 1*".to_owned(),
        ..sample()
    };
    let good = Observed {
        code: Some(0),
        signal: None,
        stdout: b"statement it holds\nbeliefs 2\nexact_value 1/2\n".to_vec(),
        stderr: b"be warned".to_vec(),
    };
    assert_eq!(case.judge(&good), []);
    let kinds = |observed: Observed| -> Vec<String> {
        let words = |finding: &Finding| finding.to_string().split(':').next().unwrap().to_owned();
        case.judge(&observed).iter().map(words).collect()
    };
    let stdout = |text: &str| Observed { stdout: text.as_bytes().to_vec(), ..good.clone() };
    assert_eq!(
        kinds(Observed { code: Some(1), ..good.clone() }),
        ["exit code", "exit code and last line disagree"]
    );
    assert_eq!(kinds(Observed { code: None, signal: Some(6), ..good.clone() }), ["exit code"]);
    assert_eq!(kinds(stdout("statement it holds\nbeliefs 2\nexact_value 0\n")), ["last line"]);
    assert_eq!(kinds(stdout("statement it holds not\nbeliefs 2\nexact_value 1\n")), ["statement"]);
    assert_eq!(kinds(stdout("statement it holds\nbeliefs 20\nexact_value 1\n")), ["missing line"]);
    assert_eq!(kinds(Observed { stderr: Vec::new(), ..good.clone() }), ["standard error"]);
    let unprintable = "output that is not printable text in whole lines";
    assert_eq!(kinds(stdout("statement it holds\nbeliefs 2\n\u{1b}[2J\nexact_value 1\n")), [unprintable]);
    assert_eq!(kinds(stdout("statement it holds\nbeliefs 2\nexact_value 1")), [unprintable]);
}
