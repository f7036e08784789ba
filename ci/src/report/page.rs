//! The page for people: one file that loads nothing.

use super::draw::{mark, words};
use super::{darkhex, dosello, honey};
use crate::escape::visible;
use crate::outcome::{Audit, Claim, Cost, Family, Outcome, Status};
use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::path::Path;

const LOOK: &str = include_str!("look.css");
const SCRIPT: &str = include_str!("replay.js");

/// The whole page.
#[must_use]
pub fn page(audit: &Audit, root: &Path) -> String {
    // Nothing may be fetched, and only this script may run: if text of a checker ever got through unescaped, a browser
    // would still not act on it.
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(LOOK),
        digest(SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { "Audit report: " (headline(audit)) }
                style { (PreEscaped(LOOK)) }
            }
            body {
                a.skip href="#main" { "Skip to the report" }
                header {
                    p.kicker { "Audit report" }
                    h1 { "Claims that a game is solved, and how they stand" }
                    p.lead { (audit.conclusion) }
                    (facts(audit))
                }
                (contents())
                main id="main" tabindex="-1" {
                    (alerts(audit))
                    (summary(audit))
                    (statements(audit))
                    (boards(audit, root))
                    (details(audit))
                    (reproduce(audit))
                    (meaning())
                    (this_run(audit))
                }
                footer {
                    p {
                        "The same as data: " code { "report.json" } ". This page only shows what the checkers said; it proves "
                        "nothing by itself."
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    visible(&page.into_string())
}

fn digest(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()))
}

fn headline(audit: &Audit) -> String {
    let verified = audit.claims.iter().filter(|claim| claim.status == Status::Verified).count();
    format!("{verified} of {} claims verified", audit.claims.len())
}

/// An anchor for a claim: its place, since its name may hold anything.
fn anchor(audit: &Audit, claim: &Claim) -> String {
    let place = audit.claims.iter().position(|c| c.name == claim.name).unwrap_or(0);
    format!("claim-{}", place + 1)
}

fn facts(audit: &Audit) -> Markup {
    let run = &audit.run;
    html! {
        dl.facts {
            @if !run.date.is_empty() { div { dt { "Date" } dd { time datetime=(run.date) { (run.date) } } } }
            @if !run.revision.is_empty() { div { dt { "Revision" } dd { code { (run.revision) } } } }
            div { dt { "Tier" } dd { (audit.tier) } }
            div { dt { "Exit code" } dd { (audit.exit_code) } }
        }
    }
}

const SECTIONS: [(&str, &str); 7] = [
    ("summary", "Summary"),
    ("statements", "Statements"),
    ("boards", "Boards"),
    ("claims", "Claim by claim"),
    ("reproduce", "Reproduce"),
    ("meaning", "What a verdict means"),
    ("run", "This run"),
];

fn contents() -> Markup {
    html! {
        nav aria-label="Contents" {
            ol { @for (id, name) in SECTIONS { li { a href={ "#" (id) } { (name) } } } }
        }
    }
}

/// What must not be overlooked.
fn alerts(audit: &Audit) -> Markup {
    let list = |title: &str, class: &str, texts: &[String]| {
        html! {
            @if !texts.is_empty() {
                section class={ "alert " (class) } {
                    h2 { (title) }
                    ul { @for text in texts { li { (text) } } }
                }
            }
        }
    };
    html! {
        (list("Problems", "bad", &audit.problems))
        (list("Refusals that somebody set aside", "bad", &audit.overrides))
        (list("Notes", "", &audit.notes))
    }
}

fn summary(audit: &Audit) -> Markup {
    let rows = [
        (Status::Verified, "proved in this run, from the rules, without conditions"),
        (Status::Conditional, "proved if named inputs hold that were not checked"),
        (Status::Declined, "beyond a documented limit of the checker"),
        (Status::Failed(String::new()), "not proved, refuted, or the check itself broke"),
        (Status::NotRun(String::new()), "not checked in this run; counted for nothing"),
    ];
    // Counted here from the claims that are named, so that no claim can be missing from the summary.
    let named = |status: &Status| {
        let same = |claim: &&Claim| std::mem::discriminant(&claim.status) == std::mem::discriminant(status);
        audit.claims.iter().filter(same).collect::<Vec<_>>()
    };
    html! {
        section id="summary" aria-labelledby="h-summary" {
            h2 id="h-summary" { "Summary" }
            dl.counts {
                @for (status, what) in &rows {
                    @let claims = named(status);
                    div.none[claims.is_empty()] {
                        dt { span.count { (claims.len()) } " " (mark(status)) }
                        dd {
                            (what)
                            @if !claims.is_empty() {
                                span.names { @for (n, claim) in claims.iter().enumerate() {
                                    @if n > 0 { ", " }
                                    a href={ "#" (anchor(audit, claim)) } { (claim.name) }
                                } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn statements(audit: &Audit) -> Markup {
    html! {
        section id="statements" aria-labelledby="h-statements" {
            h2 id="h-statements" { "Statements" }
            table.stack {
                thead { tr {
                    th scope="col" { "Statement" } th scope="col" { "Verdict" } th scope="col" { "Rests on" }
                    th scope="col" { "CPU" } th scope="col" { "Memory" }
                } }
                tbody {
                    @for claim in &audit.claims {
                        @let (seconds, peak) = claim_cost(audit, claim);
                        tr {
                            th scope="row" {
                                a.name href={ "#" (anchor(audit, claim)) } { (claim.name) }
                                span.statement { (sentence(claim)) }
                            }
                            td data-head="Verdict" { (mark(&claim.status)) }
                            td data-head="Rests on" { (rests_on_short(claim)) }
                            td.number data-head="CPU" { (seconds) }
                            td.number data-head="Memory" { (peak) }
                        }
                    }
                }
            }
        }
    }
}

/// The statement that was checked; of a claim that was not, the one that the manifest expects.
fn sentence(claim: &Claim) -> &str {
    let said = claim.checks.iter().find(|c| c.verdict == claim.verdict && !c.statement.is_empty());
    said.map_or(claim.statement.as_str(), |check| check.statement.as_str())
}

/// What a claim's verdict rests on besides the checker.
fn rests_on_short(claim: &Claim) -> Markup {
    html! {
        @match &claim.status {
            Status::Verified => {
                "the rules and the checker"
                @if let Some(what) = &claim.rests_on { "; not proved: " (what) }
            },
            Status::Conditional => { (claim.rests_on.as_deref().unwrap_or("inputs that the verdict names")) ", not checked" },
            Status::Declined => "\u{2013}",
            Status::Failed(why) | Status::NotRun(why) => (why),
        }
    }
}

fn boards(audit: &Audit, root: &Path) -> Markup {
    let of = |family: Family| audit.claims.iter().filter(|c| c.family == family).collect::<Vec<_>>();
    let anchor = |claim: &Claim| anchor(audit, claim);
    let (hex, honey, dosello) = (of(Family::DarkHex), of(Family::HoneyIslands), of(Family::Dosello));
    html! {
        section id="boards" aria-labelledby="h-boards" {
            h2 id="h-boards" { "Boards" }
            p {
                "Drawn from what the checkers printed and, where they print no such thing, from the files whose SHA-256 they "
                "printed. Reading those files again is for display only: no verdict rests on it."
            }
            @if !hex.is_empty() {
                section.game aria-labelledby="h-darkhex" {
                    h3.game-name id="h-darkhex" { "Dark Hex" }
                    @for claim in &hex { (darkhex::boards(claim, &anchor(claim), root)) }
                }
            }
            @if !dosello.is_empty() {
                section.game aria-labelledby="h-dosello" {
                    h3.game-name id="h-dosello" { "DOSELLO" }
                    (dosello::boards(&dosello, anchor, root))
                }
            }
            @if !honey.is_empty() {
                section.game aria-labelledby="h-honey" {
                    h3.game-name id="h-honey" { "Honey Islands Battle" }
                    (honey::boards(&honey, anchor, root))
                }
            }
        }
    }
}

fn details(audit: &Audit) -> Markup {
    html! {
        section id="claims" aria-labelledby="h-claims" {
            h2 id="h-claims" { "Claim by claim" }
            @for claim in &audit.claims { (detail(audit, claim)) }
            @if !audit.suites.is_empty() {
                h3 { "Long test suites" }
                table.stack {
                    thead { tr {
                        th scope="col" { "Suite" } th scope="col" { "Result" } th scope="col" { "Passed" } th scope="col" { "Command" }
                    } }
                    tbody { @for suite in &audit.suites { tr {
                        th scope="row" { (suite.name) }
                        td data-head="Result" {
                            (mark(&suite.status))
                            @if let Status::Failed(why) | Status::NotRun(why) = &suite.status { " " (why) }
                        }
                        td.number data-head="Passed" { (suite.passed) }
                        td data-head="Command" { code.command { (suite.command) } }
                    } } }
                }
            }
            (vectors(audit))
        }
    }
}

/// Whether the checkers are what they should be, besides their claims: inputs whose answers are known.
fn vectors(audit: &Audit) -> Markup {
    html! {
        @if !audit.vectors.is_empty() {
            h3 { "Good and bad inputs" }
            p {
                "A checker must also refuse what is wrong, and say why. Each case is a small input with a stated fault, or without "
                "one, and the answer that is due."
            }
            table.stack {
                thead { tr {
                    th scope="col" { "Checker" } th scope="col" { "Result" } th scope="col" { "As stated" } th scope="col" { "Command" }
                } }
                tbody { @for vectors in &audit.vectors { tr {
                    th scope="row" { (vectors.checker) }
                    td data-head="Result" {
                        @match &vectors.status {
                            // "Verified" is a word for claims.
                            Status::Verified => "every case as stated",
                            status => (mark(status)),
                        }
                        @if let Status::Failed(why) | Status::NotRun(why) = &vectors.status { " " (why) }
                    }
                    td.number data-head="As stated" {
                        @if let Status::NotRun(_) = &vectors.status { "\u{2013}" }
                        @else { (vectors.as_stated) " of " (vectors.cases) }
                    }
                    td data-head="Command" { code.command { (vectors.command) } }
                } } }
            }
        }
    }
}

fn detail(audit: &Audit, claim: &Claim) -> Markup {
    let checker = audit.checkers.iter().find(|c| c.name == claim.family.checker());
    html! {
        article.claim id=(anchor(audit, claim)) {
            h3 { (claim.name) " " (mark(&claim.status)) }
            p.statement { (sentence(claim)) }
            dl {
                @if !claim.verdict.is_empty() { div { dt { "Verdict" } dd { code { (claim.verdict) } } } }
                @if let Status::Failed(why) | Status::NotRun(why) = &claim.status {
                    div { dt { "Why" } dd { (why) } }
                }
                @if claim.statement != sentence(claim) {
                    div { dt { "Expected" } dd { (claim.statement) } }
                }
                div { dt { "Rests on" } dd {
                    @match &claim.status {
                        Status::Verified => {
                            "The rules, and the checker"
                            @if let Some(what) = &claim.rests_on { ". Not proved, and not counted: " (what) }
                        },
                        Status::Conditional => {
                            "The rules, the checker, and " strong { (claim.rests_on.as_deref().unwrap_or("what the verdict names")) }
                            ", which were not checked in this run"
                        },
                        _ => "Nothing: there is no verdict",
                    }
                    "."
                } }
                @if let Some(checker) = checker { div { dt { "Checker" } dd { code { (checker.version) } } } }
                div { dt { "Reproduce" } dd {
                    @for check in &claim.checks { code.command { (check.command) } }
                } }
                @if !claim.provenance.is_empty() { div { dt { "Made by" } dd { code.command { (claim.provenance) } } } }
            }
            (files(claim))
            @for check in &claim.checks { (check_detail(audit, check)) }
        }
    }
}

fn files(claim: &Claim) -> Markup {
    let (packed, unpacked) = claim
        .files
        .iter()
        .fold((0u64, 0u64), |(p, u), f| (p.saturating_add(f.packed), u.saturating_add(f.unpacked)));
    html! {
        @if !claim.files.is_empty() {
            details {
                summary {
                    (claim.files.len()) @if claim.files.len() == 1 { " file, " } @else { " files, " } (bytes(packed))
                    @if packed != unpacked { ", unpacked " (bytes(unpacked)) }
                }
                table.stack {
                    thead { tr {
                        th scope="col" { "File" } th scope="col" { "Bytes" } th scope="col" { "Unpacked" } th scope="col" { "SHA-256" }
                    } }
                    tbody { @for file in &claim.files { tr {
                        th scope="row" { code { (file.path) } }
                        td.number data-head="Bytes" { (grouped(file.packed)) }
                        td.number data-head="Unpacked" { (grouped(file.unpacked)) }
                        td data-head="SHA-256" { code.hash { (file.sha256) } }
                    } } }
                }
            }
        }
    }
}

fn check_detail(audit: &Audit, check: &Outcome) -> Markup {
    let (_, _, class) = words(&check.status);
    html! {
        @if let Status::NotRun(why) = &check.status {
            p.caption { "Check " em { (check.check) } " (" (check.tier) "): " (mark(&check.status)) ". " (why) }
        } @else {
            details open[class == "failed"] {
                summary {
                    "Check " em { (check.check) } ": " (mark(&check.status))
                    @if let Some(cost) = cost(audit, check) {
                        ", " (seconds(cost.cpu_seconds)) " CPU, " (seconds(cost.seconds)) " elapsed, " (bytes(cost.peak_bytes)) " at most"
                    }
                }
                p.caption {
                    "Tier " (check.tier) ", at most " (check.limit_seconds) " s and " (grouped(check.limit_mib)) " MiB. "
                    @match (check.exit_code, check.signal) {
                        (Some(code), _) => { "Exit code " (code) ". " },
                        (None, Some(signal)) => { "Ended by signal " (signal) ". " },
                        (None, None) => {},
                    }
                    @if !check.agrees { strong { "Exit code and last line disagree. " } }
                    @if let Status::Failed(why) = &check.status { (why) }
                }
                @if !check.lines.is_empty() {
                    pre tabindex="0" aria-label={ "Output of the checker for " (check.claim) } { code {
                        @for line in &check.lines { (line.key) " " (line.value) "\n" }
                    } }
                }
                @if !check.stderr.is_empty() {
                    p.caption { "Standard error:" }
                    pre tabindex="0" aria-label={ "Standard error of the checker for " (check.claim) } { code { (check.stderr) } }
                }
            }
        }
    }
}

fn reproduce(audit: &Audit) -> Markup {
    let mut commands: Vec<&str> =
        audit.claims.iter().flat_map(|c| &c.checks).map(|check| check.command.as_str()).collect();
    commands.dedup();
    html! {
        section id="reproduce" aria-labelledby="h-reproduce" {
            h2 id="h-reproduce" { "Reproduce" }
            p { "At the root of the repository, with Rust installed. All of this report:" }
            pre tabindex="0" aria-label="Command for the whole report" { code { "cargo run -p audit -- all --tier " (audit.tier) " --out DIR" } }
            p { "Each check by itself; the exit code is 0 for verified, 2 for conditional, 1 for failure:" }
            pre tabindex="0" aria-label="Commands for each check" { code { @for command in commands { (command) "\n" } } }
        }
    }
}

fn meaning() -> Markup {
    html! {
        section id="meaning" aria-labelledby="h-meaning" {
            h2 id="h-meaning" { "What a verdict means" }
            p {
                "A claim is a sentence that an auditor holds. A certificate may come from anybody: the checker derives the rules "
                "anew, trusts nothing that the certificate says, and ends in a verdict. The sentence is printed by the checker, built "
                "from what it checked."
            }
            dl.meaning {
                div { dt { (mark(&Status::Verified)) } dd {
                    "The sentence was proved in this run. It rests on the rules as " code { "RULES.md" } " gives them, on the argument in "
                    code { "TRUST.md" } ", on the checker\u{2019}s sources (a SHA-256 stands with each claim), on the compiler and on the "
                    "machine. It does not rest on the programs that made the certificates."
                } }
                div { dt { (mark(&Status::Conditional)) } dd {
                    "The sentence follows from inputs that the verdict names and that nobody checked here. It is not counted as verified."
                } }
                div { dt { (mark(&Status::Failed(String::new()))) } dd {
                    "The checker refuted or could not prove the sentence, or exit code and last line disagreed, or a limit of time or "
                    "memory was hit, or the result was less than the manifest expects."
                } }
                div { dt { (mark(&Status::NotRun(String::new()))) } dd { "No check of the claim ran. Nothing is said about it." } }
            }
        }
    }
}

fn this_run(audit: &Audit) -> Markup {
    let run = &audit.run;
    html! {
        section id="run" aria-labelledby="h-run" {
            h2 id="h-run" { "This run" }
            dl {
                @for (name, value) in [
                    ("Began", run.date.clone()),
                    ("Elapsed", seconds(run.seconds)),
                    ("Processor", run.processor.clone()),
                    ("Cores used", run.cores.to_string()),
                    ("Memory", bytes(run.memory_bytes)),
                    ("System", run.system.clone()),
                    ("Revision", run.revision.clone()),
                ] {
                    @if !value.is_empty() { div { dt { (name) } dd { (value) } } }
                }
                @for checker in &audit.checkers { div { dt { (checker.name) } dd { code { (checker.version) } } } }
            }
        }
    }
}

fn cost<'a>(audit: &'a Audit, check: &Outcome) -> Option<&'a Cost> {
    audit.run.costs.iter().find(|cost| cost.claim == check.claim && cost.check == check.check)
}

/// Processor time of all checks of a claim, and the largest memory.
fn claim_cost(audit: &Audit, claim: &Claim) -> (String, String) {
    let costs: Vec<&Cost> = claim.checks.iter().filter_map(|check| cost(audit, check)).collect();
    if costs.is_empty() {
        return ("\u{2013}".to_owned(), "\u{2013}".to_owned());
    }
    let peak = costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or(0);
    (seconds(costs.iter().map(|cost| cost.cpu_seconds).sum()), bytes(peak))
}

fn seconds(seconds: f64) -> String {
    if seconds < 10.0 {
        format!("{seconds:.2}\u{a0}s")
    } else if seconds < 600.0 {
        format!("{seconds:.0}\u{a0}s")
    } else {
        format!("{:.0}\u{a0}min", seconds / 60.0)
    }
}

/// Bytes in powers of 1,024.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes}\u{a0}B"),
        1_024..1_048_576 => format!("{}\u{a0}KiB", bytes.div_ceil(1_024)),
        1_048_576..1_073_741_824 => format!("{}\u{a0}MiB", bytes.div_ceil(1_048_576)),
        _ => {
            let tenths = bytes.div_ceil(107_374_183);
            format!("{}.{}\u{a0}GiB", tenths / 10, tenths % 10)
        }
    }
}

/// `1,568,916`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_568_916), "1,568,916");
        assert_eq!(bytes(1_023), "1023\u{a0}B");
        assert_eq!(bytes(2_576_980_378), "2.4\u{a0}GiB");
        assert_eq!(seconds(0.034), "0.03\u{a0}s");
        assert_eq!(seconds(7_200.0), "120\u{a0}min");
    }
}
