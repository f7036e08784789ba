//! Policies that `OpenSpiel` made, imported and judged by the checker, against `OpenSpiel`'s own best responses
//! (`tests/openspiel.py` makes both).
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![allow(clippy::float_arithmetic, reason = "OpenSpiel's figures are floating point")]
#![allow(missing_docs, reason = "the names of tests are sentences")]

use num_rational::BigRational;
use num_traits::ToPrimitive as _;
use prove_darkhex::game::{Player, Rule};
use prove_darkhex::{convert, openspiel};
use std::io::Read as _;
use std::path::Path;
use verify_darkhex::{board::Board, check::examine, realization};

fn policy(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let packed = std::fs::read(path).unwrap();
    let mut text = String::new();
    liblzma::read::XzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
    text
}

/// What the checker says that a player's part of the policy guarantees.
fn guarantee(text: &str, owner: Player) -> BigRational {
    let imported = openspiel::read(text, Rule::Abrupt, owner).unwrap();
    assert!(imported.deviation < 1e-12, "{}", imported.deviation);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.realization");
    convert::write_reordered(&imported.strategy, false, &path).unwrap();
    let strategy = realization::read("policy", &std::fs::read(path).unwrap()).unwrap();
    examine(&strategy, &Board::new(&strategy.game), false).unwrap().bound.value().clone()
}

/// The payoffs of the best responses, +1 for a win and -1 for a loss, from the guarantees.
fn best_payoffs(text: &str) -> [f64; 2] {
    let black = guarantee(text, Player::White).to_f64().unwrap();
    let white = 1.0 - guarantee(text, Player::Black).to_f64().unwrap();
    [2.0 * black - 1.0, 2.0 * white - 1.0]
}

fn assert_close(found: [f64; 2], expected: [f64; 2]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }
}

#[test]
fn the_best_responses_to_the_uniform_policy_are_those_of_openspiel() {
    assert_close(best_payoffs(&policy("openspiel-abrupt-2x2-0.txt.xz")), [5.0 / 6.0, 0.0]);
}

#[test]
fn the_best_responses_to_an_average_of_counterfactual_regret_minimisation_are_those_of_openspiel() {
    let payoffs = best_payoffs(&policy("openspiel-abrupt-2x3-20.txt.xz"));
    assert_close(payoffs, [0.866_720_431_617_136_7, -0.747_207_354_829_140_4]);
}

#[test]
fn a_policy_without_a_reached_information_set_is_refused() {
    let text = policy("openspiel-abrupt-2x2-0.txt.xz");
    let parts: Vec<&str> = text.strip_prefix("TabularPolicy:").unwrap().split("<~>").collect();
    let kept: Vec<String> =
        parts.chunks(2).filter(|pair| pair[0] != "..\n..\n0\n").map(|pair| pair.join("<~>")).collect();
    assert_eq!(kept.len() + 1, parts.len() / 2);
    let cut = format!("TabularPolicy:{}", kept.join("<~>"));
    let refusal = openspiel::read(&cut, Rule::Abrupt, Player::Black).err().unwrap();
    assert!(refusal.contains("no entry for the reached history []"), "{refusal}");
    assert!(openspiel::read(&cut, Rule::Abrupt, Player::White).is_ok());
}
