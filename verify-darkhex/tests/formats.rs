//! Good and bad strategy files, claims and sets, each rejection with its line and reason.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code fails by panicking"
)]

use verify_darkhex::claim::{read_claim, read_set};
use verify_darkhex::{mixture, realization};

/// Two policies on 2 x 2, each of which probes b1, then a2, then b2, and so always connects.
const MIX: &str = "\
DARKHEX_MIXTURE
ROWS 2
COLUMNS 2
MODE STANDARD
OWNER BLACK
POLICIES 2
POLICY 1
PRIORITY 1 2 3 0
DECISIONS 0
END
POLICY 2
PRIORITY 0 1 2 3
DECISIONS 3
0 1
5 2
166 3
END
DONE
";

/// The same as a realization plan that starts on b1 or a2 with equal mass.
const REALIZATION: &str = "\
DARKHEX_REALIZATION
ROWS 2
COLUMNS 2
MODE STANDARD
OPENING none
OWNER BLACK
PLANS 1
PLAN
PRIORITY 2 1 0 3
TOTAL 10
HISTORIES 3
HISTORY 0 2
1 5
2 5
HISTORY 5 1
2 5
HISTORY 326 1
3 5
END
DONE
";

const CLAIM: &str = "\
claim 1
game dark-hex
rule classic
rows 2
columns 2
opening none
value 1/3
black black.mix
white white.realization.xz
rotate no
";

const SET: &str = "\
set 1
game dark-hex
members 2
member a1
member b1
rule classic
rows 4
columns 3
opening free
value 1/7
";

/// Replaces the only occurrence.
fn edit(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} has to stand there once");
    text.replace(from, to)
}

fn expect(result: Result<(), verify_darkhex::Error>, expected: &str) {
    let space = if expected.starts_with(':') { "" } else { " " };
    assert_eq!(result.unwrap_err().to_string(), format!("malformed f{space}{expected}"));
}

fn mix(from: &str, to: &str, expected: &str) {
    expect(mixture::read("f", edit(MIX, from, to).as_bytes()).map(|_| ()), expected);
}

fn plan(from: &str, to: &str, expected: &str) {
    expect(realization::read("f", edit(REALIZATION, from, to).as_bytes()).map(|_| ()), expected);
}

fn claim(from: &str, to: &str, expected: &str) {
    expect(read_claim("f", edit(CLAIM, from, to).as_bytes()).map(|_| ()), expected);
}

fn set(from: &str, to: &str, expected: &str) {
    expect(read_set("f", edit(SET, from, to).as_bytes()).map(|_| ()), expected);
}

#[test]
fn the_unedited_files_are_read() {
    assert_eq!(mixture::read("f", MIX.as_bytes()).unwrap().plans.len(), 2);
    assert_eq!(realization::read("f", REALIZATION.as_bytes()).unwrap().histories(), 3);
    assert!(read_claim("f", CLAIM.as_bytes()).is_ok());
    assert!(read_set("f", SET.as_bytes()).is_ok());
}

#[test]
fn bytes_and_layout_that_the_formats_do_not_have_are_rejected() {
    let byte =
        |name: &str, line: usize| format!("line {line}: {name} in the file, expected printable ASCII and LF");
    mix("ROWS 2\n", "ROWS 2\r\n", &byte("carriage return", 2));
    mix("ROWS 2", "ROWS\t2", &byte("tab", 2));
    mix("ROWS 2", "ROWS 2\0", &byte("NUL", 2));
    mix("ROWS 2", "ROWS ²", &byte("byte above ASCII", 2));
    mix("DARKHEX_MIXTURE", "\u{feff}DARKHEX_MIXTURE", &byte("byte-order mark", 1));
    mix("ROWS 2", "ROWS \u{1b}2", &byte("control character", 2));
    mix("DONE\n", "DONE", "line 18: expected a newline at the end of the last line");
    mix("DONE\n", "DONE\n\n", "line 19: expected the end of the file");
    mix("DONE\n", "DONE\nDONE\n", "line 19: expected the end of the file");
    let spacing = |line: usize| format!("line {line}: expected tokens separated by exactly one space");
    mix("ROWS 2", "ROWS  2", &spacing(2));
    mix("ROWS 2", " ROWS 2", &spacing(2));
    mix("ROWS 2", "ROWS 2 ", &spacing(2));
    mix("ROWS 2", "\nROWS 2", &spacing(2));
    mix("DONE\n", "", "line 18: the file ends, expected DONE");
    expect(
        mixture::read("f", b"").map(|_| ()),
        "line 1: the file ends, expected DARKHEX_MIXTURE or another header of a mixture",
    );
}

#[test]
fn numbers_have_one_spelling() {
    let number = |found: &str| {
        format!("line 7: expected a decimal number without sign or leading zero, found {found}")
    };
    for found in ["+1", "-1", "01", "1.0", "1e3", "0x1", "one"] {
        mix("POLICY 1\n", &format!("POLICY {found}\n"), &number(found));
    }
    let long = "9".repeat(1001);
    let cut = "9".repeat(60);
    mix(
        "POLICY 1\n",
        &format!("POLICY {long}\n"),
        &format!("line 7: number: expected at most 1000 digits, found {cut}…"),
    );
    assert!(
        mixture::read("f", edit(MIX, "POLICY 1\n", &format!("POLICY {}\n", "9".repeat(1000))).as_bytes())
            .is_ok()
    );
    mix("POLICY 1\n", "POLICY 0\n", "line 7: weight: expected at least 1, found 0");
    mix(
        "POLICY 1\n",
        "POLICY 1 1\n",
        "line 7: expected a decimal number without sign or leading zero, found 1 1",
    );
}

#[test]
fn headers_of_mixtures_are_strict() {
    mix("ROWS 2\n", "", "line 2: expected ROWS and its value, found COLUMNS 2");
    mix("ROWS 2\n", "ROWS 2\nROWS 2\n", "line 3: expected COLUMNS and its value, found ROWS 2");
    mix("ROWS 2\n", "rows 2\n", "line 2: expected ROWS and its value, found rows 2");
    mix("ROWS 2", "ROWS 0", "line 2: ROWS: expected 1 to 15, found 0");
    mix("ROWS 2", "ROWS 16", "line 2: ROWS: expected 1 to 15, found 16");
    mix("ROWS 2", "ROWS 8", "line 3: cells: expected rows x columns at most 15, found 16");
    mix("ROWS 2", "ROWS 99999999999999999999", "line 2: ROWS: expected 1 to 15, found 99999999999999999999");
    mix("STANDARD", "CLASSIC", "line 4: expected STANDARD or ABRUPT, found CLASSIC");
    mix("BLACK", "RED", "line 5: expected BLACK or WHITE, found RED");
    mix("POLICIES 2", "POLICIES 0", "line 6: POLICIES: expected 1 to 100000, found 0");
    mix("POLICIES 2", "POLICIES 1", "line 11: expected DONE, found POLICY 2");
    mix("POLICIES 2", "POLICIES 3", "line 18: expected POLICY and its value, found DONE");
    mix("POLICIES 2", "POLICIES 100001", "line 6: POLICIES: expected 1 to 100000, found 100001");
    mix(
        "DARKHEX_MIXTURE",
        "DARKHEX_MIXTURE 1",
        "line 1: expected DARKHEX_MIXTURE or another header of a mixture, found DARKHEX_MIXTURE 1",
    );
    mix(
        "DARKHEX_MIXTURE\n",
        "DARKHEX_MIXTURE\nDARKHEX_MIXTURE\n",
        "line 2: expected ROWS and its value, found DARKHEX_MIXTURE",
    );
    mix("DARKHEX_MIXTURE", "DARKHEX_PUBLIC_MIXTURE", "line 2: expected BOARD and its value, found ROWS 2");
    mix(
        "DARKHEX_MIXTURE",
        "DARKHEX_OPENING_MIXTURE",
        "line 5: expected OPENING and its value, found OWNER BLACK",
    );
}

#[test]
fn policies_that_do_not_say_one_thing_are_rejected() {
    let permutation = "line 12: expected each cell that can be probed exactly once";
    mix("PRIORITY 0 1 2 3", "PRIORITY 0 1 2", permutation);
    mix("PRIORITY 0 1 2 3", "PRIORITY 0 1 2 2", permutation);
    mix("PRIORITY 0 1 2 3", "PRIORITY 0 1 2 3 3", permutation);
    mix("PRIORITY 0 1 2 3", "PRIORITY 0 1 2 4", "line 12: cell: expected 0 to 3, found 4");
    mix("DECISIONS 3", "DECISIONS 2", "line 16: expected END, found 166 3");
    mix("DECISIONS 3", "DECISIONS 4", "line 17: expected a history and a cell, found END");
    mix("0 1\n5 2\n", "5 2\n0 1\n", "line 14: the plan itself never reaches this history");
    mix("5 2\n166 3\n", "166 3\n5 2\n", "line 15: the plan itself never reaches this history");
    mix("0 1\n5 2\n", "0 1\n0 1\n", "line 15: expected histories in strictly increasing order");
    mix("0 1\n", "0 4\n", "line 14: cell: expected 0 to 3, found 4");
    mix("5 2\n", "5 1\n", "line 15: the cell is owned or known to be occupied, or probed twice here");
    mix("166 3\n", "166 2\n", "line 16: the cell is owned or known to be occupied, or probed twice here");
    mix("166 3\n", "166 1\n", "line 16: the cell is owned or known to be occupied, or probed twice here");
    mix("5 2\n", "3 2\n", "line 15: the plan itself never reaches this history");
    mix("166 3\n", "167 3\n", "line 16: no opponent can bring this history about with its owner to move");
    mix("5 2\n", "4 2\n", "line 15: no opponent can bring this history about with its owner to move");
    mix("5 2\n", "1 2\n", "line 15: the number encodes no history of legal probes");
    mix("5 2\n", "11 2\n", "line 15: the number encodes no history of legal probes");
    mix("166 3\n", "165 3\n", "line 16: the number encodes no history of legal probes");
    mix(
        "166 3\n",
        "99999999999999999999999999999999999999999999 3\n",
        "line 16: the number encodes no history of legal probes",
    );
    mix("166 3\n", "166 3 3\n", "line 16: expected a history and a cell, found 166 3 3");
    mix("166 3\n", "166\n", "line 16: expected a history and a cell, found 166");
    mix(
        "PRIORITY 0 1 2 3\nDECISIONS 3\n0 1\n5 2\n166 3\n",
        "PRIORITY 1 2 3 0\nDECISIONS 0\n",
        ": the same plan stands in the file before",
    );
}

#[test]
fn a_mixture_may_repeat_its_default_order_as_published_files_do() {
    let repeated = edit(MIX, "PRIORITY 1 2 3 0\nDECISIONS 0\n", "PRIORITY 1 2 3 0\nDECISIONS 1\n0 1\n");
    assert_eq!(mixture::read("f", repeated.as_bytes()).unwrap().histories(), 4);
}

#[test]
fn realization_plans_conserve_mass_and_have_one_encoding() {
    plan("TOTAL 10", "TOTAL 0", "line 10: total: expected at least 1, found 0");
    plan("TOTAL 10", "TOTAL 11", "line 14: the masses sum to 10, the mass of the history is 11");
    plan(
        "1 5\n2 5\nHISTORY 5",
        "1 4\n2 5\nHISTORY 5",
        "line 14: the masses sum to 9, the mass of the history is 10",
    );
    plan(
        "1 5\n2 5\nHISTORY 5",
        "1 4\n2 6\nHISTORY 5",
        "line 16: the masses sum to 5, the mass of the history is 4",
    );
    plan("1 5\n2 5\nHISTORY 5", "1 10\n2 0\nHISTORY 5", "line 14: mass: expected at least 1, found 0");
    plan(
        "1 5\n2 5\nHISTORY 5",
        "2 5\n1 5\nHISTORY 5",
        "line 14: expected cells in strictly increasing order",
    );
    plan(
        "1 5\n2 5\nHISTORY 5",
        "1 5\n1 5\nHISTORY 5",
        "line 14: expected cells in strictly increasing order",
    );
    plan("3 5\nEND", "1 5\nEND", "line 18: the cell is owned or known to be occupied, or probed twice here");
    plan("3 5\nEND", "2 5\nEND", "line 18: the cell is owned or known to be occupied, or probed twice here");
    plan(
        "HISTORIES 3\nHISTORY 0 2\n1 5\n2 5\n",
        "HISTORIES 2\n",
        "line 12: a prefix of this history is not listed",
    );
    plan("HISTORIES 3", "HISTORIES 2", "line 17: expected END, found HISTORY 326 1");
    plan("HISTORIES 3", "HISTORIES 4", "line 19: expected HISTORY and its value, found END");
    plan(
        "HISTORY 5 1\n2 5\nHISTORY 326 1",
        "HISTORY 326 1",
        "line 15: a prefix of this history is not listed",
    );
    plan(
        "HISTORY 326 1\n3 5\n",
        "HISTORY 326 1\n0 5\n",
        "line 19: the history and all listed after it only repeat the default order",
    );
    plan("HISTORY 326 1", "HISTORY 325 1", "line 17: the number encodes no history of legal probes");
    plan(
        "HISTORY 326 1",
        "HISTORY 327 1",
        "line 17: no opponent can bring this history about with its owner to move",
    );
    plan("HISTORY 326 1", "HISTORY 328 1", "line 17: the plan itself never reaches this history");
    plan("HISTORY 5 1", "HISTORY 5 0", "line 15: probes: expected 1 to 4, found 0");
    plan("PLANS 1", "PLANS 2", "line 20: expected PLAN, found DONE");
    plan(
        "OPENING none",
        "OPENING a3",
        "line 5: expected a square of the board that does not end the game, found a3",
    );
    plan("ROWS 2", "ROWS 32", "line 2: ROWS: expected 1 to 31, found 32");
    let twice = edit(REALIZATION, "PLANS 1", "PLANS 2");
    let (head, body) = twice.split_once("PLAN\n").unwrap();
    let block = body.strip_suffix("DONE\n").unwrap();
    let scaled = block.replace("TOTAL 10", "TOTAL 20").replace(" 5\n", " 10\n");
    for second in [block, &scaled] {
        let text = format!("{head}PLAN\n{block}PLAN\n{second}DONE\n");
        expect(
            realization::read("f", text.as_bytes()).map(|_| ()),
            ": the same plan stands in the file before",
        );
    }
}

#[test]
fn a_board_beyond_the_limit_is_declined_and_not_called_malformed() {
    let large = edit(&edit(REALIZATION, "ROWS 2", "ROWS 4"), "COLUMNS 2", "COLUMNS 5");
    let declined = "limit a board of 20 cells, at most 16";
    assert_eq!(realization::read("f", large.as_bytes()).unwrap_err().to_string(), declined);
    let large = edit(&edit(CLAIM, "rows 2", "rows 4"), "columns 2", "columns 5");
    assert_eq!(read_claim("f", large.as_bytes()).unwrap_err().to_string(), declined);
}

#[test]
fn claims_are_strict() {
    claim("claim 1", "claim 2", "line 1: expected claim 1, found claim 2");
    claim("rule classic\n", "", "line 3: expected rule and its value, found rows 2");
    claim(
        "rule classic\n",
        "rule classic\nrule classic\n",
        "line 4: expected rows and its value, found rule classic",
    );
    claim("rule classic", "rule standard", "line 3: expected classic or abrupt, found standard");
    claim(
        "rows 2\ncolumns 2\n",
        "columns 2\nrows 2\n",
        "line 4: expected rows and its value, found columns 2",
    );
    claim(
        "opening none",
        "opening a3",
        "line 6: expected none, or a square of the board that does not end the game, found a3",
    );
    let fraction = "line 7: expected a fraction in lowest terms between 0 and 1";
    for value in ["2/6", "4/3", "1/0", "0/1", "1/1", "2", "1/2/3"] {
        let expected = if value == "1/2/3" {
            "line 7: expected a decimal number without sign or leading zero, found 2/3"
        } else {
            fraction
        };
        claim("value 1/3", &format!("value {value}"), expected);
    }
    claim(
        "value 1/3",
        "value -1/3",
        "line 7: expected a decimal number without sign or leading zero, found -1",
    );
    claim(
        "value 1/3",
        "value 0.3",
        "line 7: expected a decimal number without sign or leading zero, found 0.3",
    );
    claim(
        "value 1/3",
        "lower 1/2\nupper 1/3",
        "line 8: expected lower and upper in strictly increasing order",
    );
    claim(
        "value 1/3",
        "lower 1/3\nupper 1/3",
        "line 8: expected lower and upper in strictly increasing order",
    );
    claim("value 1/3", "lower 1/3", "line 8: expected upper and its value, found black black.mix");
    let name = |line: usize| {
        format!("line {line}: expected the name of a strategy file in the folder of the claim or its set")
    };
    for file in [
        "/etc/black.mix",
        "../black.mix",
        "../../a/black.mix",
        "a/black.mix",
        ".black.mix",
        "black.txt",
        "black",
        "..",
        "black.mix.gz",
        "bl\\ack.mix",
        "../a/b/c.mix",
    ] {
        claim("black black.mix", &format!("black {file}"), &name(8));
    }
    claim("rotate no", "rotate maybe", "line 10: expected yes or no, found maybe");
    claim("rotate no\n", "rotate no\nrotate no\n", "line 11: expected the end of the file");
    claim("rotate no\n", "", "line 10: the file ends, expected rotate");
    claim(
        "black black.mix\nwhite white.realization.xz",
        "black none\nwhite none",
        "line 9: expected a strategy of Black's, of White's, or both, found none twice",
    );
}

#[test]
fn a_value_may_be_an_interval_and_a_file_may_be_missing() {
    let text = edit(&edit(CLAIM, "value 1/3", "lower 0\nupper 1/3"), "black black.mix", "black none");
    let claim = read_claim("f", text.as_bytes()).unwrap();
    assert_eq!((claim.value.lower.to_string(), claim.value.upper.to_string()), ("0".into(), "1/3".into()));
    assert!(claim.black.is_none());
}

#[test]
fn sets_are_strict() {
    set("members 2", "members 3", "line 6: expected member and its value, found rule classic");
    set("members 2", "members 1", "line 5: expected rule and its value, found member b1");
    set("member b1", "member a1", "line 5: expected members in strictly increasing order");
    set(
        "member a1\nmember b1",
        "member b1\nmember a1",
        "line 5: expected members in strictly increasing order",
    );
    set(
        "member a1",
        "member ../a1",
        "line 4: expected the name of a strategy file in the folder of the claim or its set",
    );
    set("opening free", "opening a1", "line 9: expected opening free, found opening a1");
    set("value 1/7\n", "value 1/7\nvalue 1/7\n", "line 11: expected the end of the file");
}
