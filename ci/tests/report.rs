//! The report: what it must say, what it must not draw, and that it is the same for the same inputs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

#[path = "report/recorded.rs"]
mod recorded;

use audit::outcome::{Audit, Line, Run, Status};
use audit::report::{json, page, write};
use recorded::{root, spoiled};
use std::path::Path;

fn recorded_page(audit: &Audit) -> String {
    page(audit, &root())
}

/// The part of the page between two anchors.
fn part<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let start = page.find(from).unwrap_or_else(|| panic!("no {from}"));
    let end = page[start..].find(to).unwrap_or_else(|| panic!("no {to}")) + start;
    &page[start..end]
}

fn claim<'a>(audit: &'a mut Audit, name: &str) -> &'a mut audit::outcome::Claim {
    audit.claims.iter_mut().find(|claim| claim.name == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn two_runs_give_the_same_bytes_apart_from_the_section_run() {
    let first = recorded::audit();
    let mut second = first.clone();
    second.run = Run { date: "2001-02-03T04:05:06Z".to_owned(), seconds: 1e9, ..Run::default() };
    let (first, second) = (json(&first).unwrap(), json(&second).unwrap());
    assert_ne!(first, second);
    let before_run = |text: &str| text.split_once("\n  \"run\": {").unwrap().0.to_owned();
    assert_eq!(before_run(&first), before_run(&second));
    let value: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(value.as_object().unwrap().keys().filter(|key| *key == "run").count(), 1);
    assert!(first.ends_with("  }\n}\n"), "`run` stands last, and a line feed ends the file");
    for word in ["seconds\": ", "cpu_seconds", "peak_bytes", "date", "revision"] {
        let before = before_run(&first).replace("limit_seconds\": ", "");
        assert!(!before.contains(&format!("\"{word}")), "{word} varies, and stands outside of `run`");
    }
}

#[test]
fn the_data_can_be_read_again() {
    let audit = recorded::audit();
    assert_eq!(serde_json::from_str::<Audit>(&json(&audit).unwrap()).unwrap(), audit);
}

#[test]
fn the_same_audit_gives_the_same_page() {
    let audit = recorded::audit();
    assert_eq!(recorded_page(&audit), recorded_page(&audit));
}

#[test]
fn no_text_of_an_audit_becomes_markup() {
    let page = recorded_page(&spoiled("<script>alert(1)</script>\"'><img src=x>&\u{1b}[2J\u{202e}\0\r"));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("<img"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&gt;&lt;img src=x&gt;&amp;\\u{1b}[2J\\u{202e}\\u{0}\\u{d}"));
    assert!(!page.contains(['\0', '\u{1b}', '\u{202e}', '\r']));
    // An attribute ends at a quotation mark: none that was put in may be left in one.
    assert!(!page.contains("\"'><"));
}

#[test]
fn a_page_names_no_address_but_its_own() {
    let page = recorded_page(&recorded::audit());
    for word in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe", "style=\"", "onclick"] {
        assert!(!page.contains(word), "{word}");
    }
    let policy = part(&page, "Content-Security-Policy", ">");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
}

#[test]
fn each_claim_is_named_with_its_verdict_and_its_command() {
    let audit = recorded::audit();
    let page = recorded_page(&audit);
    for (place, claim) in audit.claims.iter().enumerate() {
        let article =
            part(&page, &format!("<article class=\"claim\" id=\"claim-{}\"", place + 1), "</article>");
        assert!(article.contains(&claim.name));
        let word = match claim.status {
            Status::Verified => "mark verified",
            Status::Conditional => "mark conditional",
            Status::Declined => "mark declined",
            Status::Failed(_) => "mark failed",
            Status::NotRun(_) => "mark not-run",
        };
        assert!(article.contains(word), "{}", claim.name);
        for check in &claim.checks {
            assert!(article.contains(&check.command), "{}", claim.name);
        }
        for file in &claim.files {
            assert!(article.contains(&file.sha256), "{}", file.path);
        }
    }
}

#[test]
fn good_and_bad_inputs_are_shown_with_their_counts_and_a_failure_with_its_reason() {
    let page = recorded_page(&recorded::audit());
    let part = part(&page, "<h3>Good and bad inputs</h3>", "</table>");
    for text in [
        "100 of 100",
        "every case as stated",
        "tier gate, beyond every-run",
        "64 of 65",
        "mark failed",
        "64 of 65 cases as stated: the first that is not",
        "cargo run -p audit -- vectors --checker verify-honey",
    ] {
        assert!(part.contains(text), "{text}");
    }
    assert!(!part.contains("0 of 49"), "what was not run is not counted");
}

/// The Dark Hex boards of a claim, by its heading.
fn darkhex_board<'a>(page: &'a str, heading: &str) -> &'a str {
    part(page, &format!("<h4>{heading}</h4>"), "</section>")
}

const FOUR_BY_FOUR: &str = "Classic Dark Hex on 4 rows x 4 columns from the empty board";

#[test]
fn first_probes_are_those_of_the_published_strategies() {
    let page = recorded_page(&recorded::audit());
    // oracles: 4 rows x 3 columns, Black a1 1633/67484, b1 1310/16871, a2 9555/67484, White c1 14023/33742.
    let board = darkhex_board(&page, "Classic Dark Hex on 4 rows x 3 columns from the empty board");
    for figure in
        ["a1: 1633/67484", "b1: 1310/16871", "c1: 0<", "a2: 9555/67484", "b2: 3602/16871", "c2: 1453/33742"]
    {
        assert!(board.contains(figure), "{figure}");
    }
    for figure in ["b1: 30/16871", "c1: 14023/33742", "b2: 109/16871", "c2: 1285/16871", ">.4156<"] {
        assert!(board.contains(figure), "{figure}");
    }
}

#[test]
fn the_values_of_announced_openings_are_on_a_board() {
    let page = recorded_page(&recorded::audit());
    let board = darkhex_board(
        &page,
        "Classic Dark Hex on 4 rows x 3 columns after an announced first stone of Black's choice",
    );
    for figure in ["a2: 5456/57029", "b2: 1/7", "b3: 1/7", "c3: 5456/57029", "a1: 0<", "Best: b2, b3."] {
        assert!(board.contains(figure), "{figure}");
    }
}

#[test]
fn dosello_shows_20_openings_13_replies_and_26_positions() {
    let page = recorded_page(&recorded::audit());
    let openings = part(&page, "s 20 openings</h4>", "</section>");
    assert_eq!(openings.matches("class=\"pill").count(), 20);
    assert_eq!(openings.matches("class=\"pill best").count(), 2);
    let replies = part(&page, "s 13 replies to f3-f4</h4>", "</section>");
    assert_eq!(replies.matches("class=\"pill").count(), 13);
    assert!(replies.contains("e6-f6: 2<") && replies.contains("c7-d7: \u{2265}14<"));
    assert_eq!(page.matches("class=\"position\"").count(), 26);
    assert!(page.contains("Move 25 of 25: Black g7-g8. Black 30, White 28; worth 2 to Black, proved."));
    assert!(page.contains("Move 6 of 25: White c8-d8. Black 2, White 18; value not proved by this claim."));
}

#[test]
fn honey_shows_the_first_moves_of_both_rules() {
    let page = recorded_page(&recorded::audit());
    let board =
        |rule: &str| part(&page, &format!("<h4>First moves, {rule} rule</h4>"), "</section>").to_owned();
    assert!(board("standard").contains("42 of 61 first moves win"));
    assert!(board("redundant-hint").contains("61 of 61 first moves win"));
    assert!(board("standard").contains("Losing: 1, 2, 3,"));
}

#[test]
fn a_perfect_line_of_honey_is_drawn_with_its_hints_if_the_file_is_the_one_that_was_checked() {
    let mut audit = recorded::audit();
    let claim = claim(&mut audit, "honey-line-redundant");
    // As it lies there, so that a new line needs no new recording.
    let file = audit::claims::measure(&root(), "certificates/honey-line-redundant/line.txt").unwrap();
    let line = |key: &str, value: &str| Line { key: key.to_owned(), value: value.to_owned() };
    claim.status = Status::Verified;
    claim.verdict = "exact_value root won".to_owned();
    let check = &mut claim.checks[0];
    check.status = Status::Verified;
    check.verdict.clone_from(&claim.verdict);
    check.lines = vec![
        line("rule", "redundant-hint"),
        line("line-file", "line.txt"),
        line("line-sha256", &file.sha256),
    ];
    let drawn = recorded_page(&audit);
    let board = part(&drawn, "<h4>A perfect line, redundant-hint rule</h4>", "</section>");
    assert!(board.contains("23 moves in order"));
    assert_eq!(board.matches(": redundant hint<").count(), 14);
    assert_eq!(board.matches(": stone<").count(), 9);
    self::claim(&mut audit, "honey-line-redundant").checks[0].lines[2].value = "0".repeat(64);
    let refused = recorded_page(&audit);
    assert!(refused.contains("No picture: the file of the line is not the one that was checked."));
}

#[test]
fn a_claim_that_was_not_run_is_not_shown_as_checked() {
    let mut audit = recorded::audit();
    let why = "its tier is above the one asked for";
    for name in ["honey-standard", "dosello-openings", "classic-4x4"] {
        let claim = claim(&mut audit, name);
        claim.status = Status::NotRun(why.to_owned());
        claim.verdict = String::new();
        claim.checks.clear();
    }
    let page = recorded_page(&audit);
    let honey = part(&page, "<h4>First moves, standard rule</h4>", "</section>");
    assert!(honey.contains("Not checked in this audit: the figure shows only what the claim says."));
    assert!(honey.contains("class=\"hex honey claimed\""));
    assert!(!page.contains("s 20 openings</h4>"));
    assert!(!page.contains(&format!("<h4>{FOUR_BY_FOUR}</h4>")));
}

#[test]
fn a_claim_that_failed_has_no_board() {
    let mut audit = recorded::audit();
    for claim in &mut audit.claims {
        claim.status = Status::Failed("trial".to_owned());
    }
    let page = recorded_page(&audit);
    assert!(!page.contains("role=\"img\""));
    assert!(page.contains("Nothing is drawn of a claim that was not checked with success."));
}

#[test]
fn a_file_that_changed_since_it_was_checked_is_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let mut audit = recorded::audit();
    let claim = claim(&mut audit, "classic-3x4");
    let (from, to) = (root().join(&claim.folder), folder.path().join(&claim.folder));
    std::fs::create_dir_all(&to).unwrap();
    for file in ["claim.txt", "black-lower.mix", "white-upper.mix"] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
    let heading = "Classic Dark Hex on 4 rows x 3 columns from the empty board";
    let board = |audit: &Audit| darkhex_board(&page(audit, folder.path()), heading).to_owned();
    assert_eq!(board(&audit).matches("role=\"img\"").count(), 2);
    let black = to.join("black-lower.mix");
    let text = std::fs::read_to_string(&black).unwrap().replacen("POLICY 4337\n", "POLICY 4338\n", 1);
    std::fs::write(&black, text).unwrap();
    let changed = board(&audit);
    assert_eq!(changed.matches("role=\"img\"").count(), 1);
    assert!(changed.contains("No picture of its strategy: the file is not the one that was checked."));
}

#[test]
fn a_checker_that_names_a_file_elsewhere_is_not_followed() {
    let mut audit = recorded::audit();
    let claim = claim(&mut audit, "classic-3x4");
    for line in &mut claim.checks[0].lines {
        if line.key == "black_file" {
            line.value = "../../../../../../etc/passwd".to_owned();
        } else if line.key == "white_file" {
            line.value = "../../Cargo.toml".to_owned();
        }
    }
    let page = recorded_page(&audit);
    let board = darkhex_board(&page, "Classic Dark Hex on 4 rows x 3 columns from the empty board");
    assert!(board.contains("No picture of its strategy: its path leaves the repository."));
    assert!(board.contains("No picture of its strategy: the manifest does not list it."));
}

#[test]
fn a_game_that_does_not_end_as_the_checker_says_is_not_replayed() {
    let mut audit = recorded::audit();
    for line in &mut claim(&mut audit, "dosello-line").checks[0].lines {
        if line.key == "end" {
            line.value = "black 32 white 26 empty 6".to_owned();
        }
    }
    assert!(recorded_page(&audit).contains("no replay, since the game could not be read as it was checked"));
}

#[test]
fn problems_and_overrides_stand_before_everything_else() {
    let mut audit = recorded::audit();
    audit.problems = vec!["a file without an entry: x".to_owned()];
    audit.overrides = vec!["checker and certificate changed at once: because".to_owned()];
    let page = recorded_page(&audit);
    let place = |text: &str| page.find(text).unwrap();
    assert!(place("a file without an entry: x") < place("id=\"h-summary\""));
    assert!(place("changed at once: because") < place("id=\"h-summary\""));
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_and_leaves_the_old_one() {
    let audit = recorded::audit();
    assert!(write(&audit, &root(), Path::new("/nowhere/at/all")).is_err());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), "old").unwrap();
    // A folder in the place of the page: it cannot be replaced by a file.
    std::fs::create_dir(folder.path().join("report.html")).unwrap();
    assert!(write(&audit, &root(), folder.path()).is_err());
    std::fs::remove_dir(folder.path().join("report.html")).unwrap();
    write(&audit, &root(), folder.path()).unwrap();
    assert_ne!(std::fs::read_to_string(folder.path().join("report.json")).unwrap(), "old");
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "no temporary file is left: {names:?}");
}
