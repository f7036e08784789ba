//! Every single-byte change, deletion, duplication and truncation of small certificates and claims: refused, or the
//! verdict is that of the plain recursion on the changed input.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code fails by panicking"
)]

mod common;

use common::plain_best_response;
use verify_darkhex::board::Board;
use verify_darkhex::check::{Bound, Verdict, check, examine, judge};
use verify_darkhex::claim::{Claim, read_claim};
use verify_darkhex::strategy::Strategy;
use verify_darkhex::{Error, mixture, realization};

const MIX: &str = "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE ABRUPT\nOWNER WHITE\nPOLICIES 2\nPOLICY 3\nPRIORITY 1 2 3 0\nDECISIONS 1\n0 2\nEND\nPOLICY 4\nPRIORITY 0 1 2 3\nDECISIONS 3\n0 1\n4 2\n5 0\nEND\nDONE\n";

const REALIZATION: &str = "DARKHEX_REALIZATION\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOPENING none\nOWNER BLACK\nPLANS 1\nPLAN\nPRIORITY 2 1 0 3\nTOTAL 10\nHISTORIES 3\nHISTORY 0 2\n1 4\n2 6\nHISTORY 5 2\n2 1\n3 3\nHISTORY 328 1\n0 3\nEND\nDONE\n";

const CLAIM: &str = "claim 1\ngame dark-hex\nrule classic\nrows 2\ncolumns 2\nopening none\nvalue 1\nblack black.mix\nwhite white.mix\nrotate no\n";

/// All texts one byte away from this one, and all its beginnings.
fn mutations(text: &str) -> Vec<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut all: Vec<Vec<u8>> = Vec::new();
    for at in 0..bytes.len() {
        all.push(bytes[..at].to_vec());
        all.push([&bytes[..at], &bytes[at + 1..]].concat());
        all.push([&bytes[..=at], &bytes[at..]].concat());
        for byte in 0..=255 {
            if byte != bytes[at] {
                all.push([&bytes[..at], &[byte], &bytes[at + 1..]].concat());
            }
        }
    }
    all
}

/// Reads every mutation; what is still a strategy has the plain recursion's value. Returns how many are.
fn survivors(text: &str, read: fn(&str, &[u8]) -> Result<Strategy, Error>) -> usize {
    let mut survivors = 0;
    for bytes in mutations(text) {
        match read("f", &bytes) {
            Ok(strategy) => {
                let examined = examine(&strategy, &Board::new(&strategy.game), true).unwrap();
                assert_eq!(*examined.response.mass(), plain_best_response(&strategy));
                survivors += 1;
            }
            Err(Error::Malformed { .. } | Error::Declined(_)) => {}
            Err(other) => panic_with(&other),
        }
    }
    survivors
}

#[allow(clippy::panic)]
fn panic_with(error: &Error) {
    panic!("{error}");
}

#[test]
fn single_edits_of_a_mixture_are_refused_or_have_the_reference_value() {
    let survivors = survivors(MIX, mixture::read);
    // Other weights and some other decisions are still mixtures.
    assert!(survivors > 20, "{survivors}");
}

#[test]
fn single_edits_of_a_realization_plan_are_refused() {
    // The masses hang together, so that few single edits leave a plan: other owners, rules, orders, decisions.
    let survivors = survivors(REALIZATION, realization::read);
    assert!((1..100).contains(&survivors), "{survivors}");
}

#[test]
fn single_edits_of_a_claim_are_refused_or_judged_by_the_same_bounds() {
    let policy = |owner: &str| {
        format!(
            "DARKHEX_MIXTURE\nROWS 2\nCOLUMNS 2\nMODE STANDARD\nOWNER {owner}\nPOLICIES 1\nPOLICY 1\n\
             PRIORITY 1 2 3 0\nDECISIONS 0\nEND\nDONE\n"
        )
    };
    let black = mixture::read("b", policy("BLACK").as_bytes()).unwrap();
    let white = mixture::read("w", policy("WHITE").as_bytes()).unwrap();
    let bounds = |claim: &Claim| -> (Bound, Bound) {
        let checked = check(claim, Some(&black), Some(&white), true).unwrap();
        (checked.lower, checked.upper)
    };
    let whole = read_claim("f", CLAIM.as_bytes()).unwrap();
    let (lower, upper) = bounds(&whole);
    let (mut read, mut verified) = (0, 0);
    for bytes in mutations(CLAIM) {
        let Ok(claim) = read_claim("f", &bytes) else { continue };
        read += 1;
        match check(&claim, claim.black.as_ref().map(|_| &black), claim.white.as_ref().map(|_| &white), false)
        {
            Ok(checked) => {
                let expected = judge(&claim.value, &checked.lower, &checked.upper).unwrap();
                assert_eq!(checked.verdict, expected);
                if claim.game == whole.game && claim.black.is_some() && claim.white.is_some() {
                    assert_eq!((&checked.lower, &checked.upper), (&lower, &upper));
                }
                if let Verdict::ExactValue(value) = &checked.verdict {
                    assert_eq!((value, value), (lower.value(), upper.value()));
                    verified += 1;
                }
            }
            Err(Error::Malformed { .. }) => assert!(claim.game != whole.game || claim.rotate),
            Err(other) => panic_with(&other),
        }
    }
    assert!(read > 100, "{read} claims were read");
    // Other names of the files leave the claim as it is; other values, boards and rules do not.
    assert!(0 < verified && verified < read, "{verified} of {read} claims were verified");
}
