//! The table at the end: a row for each check that ran, and by name what did not run.

use crate::outcome::{Audit, Cost, Outcome, Status};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Width where the terminal tells none.
const WIDTH: u16 = 160;

/// Claim, statement, verdict, time and memory of every check, then what else there is to say, the conclusion last.
#[must_use]
pub fn render(audit: &Audit) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table.set_header(["claim", "statement", "verdict", "time", "CPU", "memory"]);
    let mut left_out: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for claim in &audit.claims {
        for check in &claim.checks {
            let cost =
                audit.run.costs.iter().find(|cost| cost.claim == claim.name && cost.check == check.check);
            let name = if check.check == "plain" {
                claim.name.clone()
            } else {
                format!("{} {}", claim.name, check.check)
            };
            if let Status::NotRun(reason) = &check.status {
                left_out.entry(reason).or_default().push(name);
                continue;
            }
            let statement =
                if check.statement.is_empty() { claim.statement.clone() } else { check.statement.clone() };
            let mut row = vec![Cell::new(name), Cell::new(statement), Cell::new(said(check))];
            row.extend(costs(cost));
            table.add_row(row);
        }
    }
    for suite in &audit.suites {
        if let Status::NotRun(reason) = &suite.status {
            left_out.entry(reason).or_default().push(suite.name.clone());
            continue;
        }
        let cost = audit.run.costs.iter().find(|cost| cost.claim == suite.name && cost.check.is_empty());
        let status = match &suite.status {
            Status::Failed(reason) => format!("FAILED {reason}"),
            _ => format!("{} tests passed", suite.passed),
        };
        let mut row = vec![Cell::new(&suite.name), Cell::new(&suite.command), Cell::new(status)];
        row.extend(costs(cost));
        table.add_row(row);
    }
    for vectors in &audit.vectors {
        if let Status::NotRun(reason) = &vectors.status {
            left_out.entry(reason).or_default().push(vectors.name());
            continue;
        }
        let cost = audit.run.costs.iter().find(|cost| cost.claim == vectors.name() && cost.check.is_empty());
        let status = match &vectors.status {
            Status::Failed(reason) => format!("FAILED {reason}"),
            _ => format!("{} of {} cases as stated", vectors.as_stated, vectors.cases),
        };
        let mut row = vec![Cell::new(vectors.name()), Cell::new(&vectors.command), Cell::new(status)];
        row.extend(costs(cost));
        table.add_row(row);
    }
    if let Some(column) = table.column_mut(2) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Percentage(40)));
    }
    for index in 3..6 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let mut text = if table.row_count() == 0 { String::new() } else { format!("{table}\n") };
    for (reason, names) in left_out {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "not run, {reason}: {}", names.join(", "));
    }
    let mut list = |title: &str, lines: &[String]| {
        for line in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{title}: {line}");
        }
    };
    list("note", &audit.notes);
    list("override", &audit.overrides);
    list("problem", &audit.problems);
    let _ = writeln!(text, "{}", audit.conclusion);
    text
}

fn said(check: &Outcome) -> String {
    match &check.status {
        Status::Verified | Status::Conditional | Status::Declined => check.verdict.clone(),
        Status::Failed(reason) => format!("FAILED {reason}"),
        Status::NotRun(reason) => format!("not run: {reason}"),
    }
}

fn costs(cost: Option<&Cost>) -> [Cell; 3] {
    let Some(cost) = cost else { return ["", "", ""].map(Cell::new) };
    [
        Cell::new(format!("{:.1} s", cost.seconds)),
        Cell::new(format!("{:.1} s", cost.cpu_seconds)),
        Cell::new(format!("{} MiB", cost.peak_bytes >> 20)),
    ]
}
