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
fn guarantee(text: &str, rule: Rule, owner: Player) -> BigRational {
    let imported = openspiel::read(text, rule, owner).unwrap();
    assert!(imported.deviation < 1e-12, "{}", imported.deviation);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.realization");
    convert::write_reordered(&imported.strategy, false, convert::FEW_TRIES, &path).unwrap();
    let strategy = realization::read("policy", &std::fs::read(path).unwrap()).unwrap();
    examine(&strategy, &Board::new(&strategy.game), false).unwrap().bound.value().clone()
}

/// The payoffs of the best responses, +1 for a win and -1 for a loss, from the guarantees.
fn best_payoffs(text: &str, rule: Rule) -> [f64; 2] {
    let black = guarantee(text, rule, Player::White).to_f64().unwrap();
    let white = 1.0 - guarantee(text, rule, Player::Black).to_f64().unwrap();
    [2.0 * black - 1.0, 2.0 * white - 1.0]
}

fn assert_close(found: [f64; 2], expected: [f64; 2]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }
}

#[test]
fn the_best_responses_to_the_uniform_policy_are_those_of_openspiel() {
    let found = |name: &str, rule| best_payoffs(&policy(name), rule);
    assert_close(found("openspiel-abrupt-2x2-uniform.txt.xz", Rule::Abrupt), [5.0 / 6.0, 0.0]);
    assert_close(found("openspiel-classic-2x2-uniform.txt.xz", Rule::Classic), [1.0, 0.25]);
    assert_close(found("openspiel-classic-2x3-uniform.txt.xz", Rule::Classic), [1.0, -0.25]);
}

#[test]
fn the_best_responses_to_an_average_of_counterfactual_regret_minimisation_are_those_of_openspiel() {
    let payoffs = best_payoffs(&policy("openspiel-abrupt-2x3-cfr20.txt.xz"), Rule::Abrupt);
    assert_close(payoffs, [0.866_720_431_617_136_7, -0.747_207_354_829_140_4]);
}

#[test]
fn the_best_responses_to_unequal_probabilities_on_2x2_are_those_of_openspiel() {
    let payoffs = best_payoffs(&policy("openspiel-classic-2x2-scattered.txt.xz"), Rule::Classic);
    assert_close(payoffs, [1.0, 0.403_288_020_485_949_5]);
}

/// `OpenSpiel`'s responder sees the number of moves made, so in Classic the opponent's collisions. Its payoff is then
/// no more than an upper bound.
#[test]
fn in_classic_a_responder_of_openspiel_may_gain_from_the_count_that_leaks() {
    let [black, white] = best_payoffs(&policy("openspiel-classic-2x3-scattered.txt.xz"), Rule::Classic);
    assert!((black - 1.0).abs() < 1e-9, "{black}");
    assert!((white - -0.209_928_966_639_006).abs() < 1e-9, "{white}");
    let with_the_leak = -0.176_792_997_802_731_5;
    assert!(white < with_the_leak - 0.03, "{white}");
}

#[test]
fn a_policy_that_depends_on_the_count_that_leaks_is_refused_with_both_lines() {
    let refusal =
        openspiel::read(&policy("openspiel-classic-2x3-cfr2.txt.xz"), Rule::Classic, Player::Black).err();
    assert_eq!(
        refusal.unwrap(),
        "one information set with different probabilities:\n\"...\\nxxo\\n5\\n0,3 0,4 0,5 \"\n\
         \"...\\nxxo\\n7\\n0,3 0,4 0,5 \""
    );
}

#[test]
fn a_policy_without_a_reached_information_set_is_refused() {
    let text = policy("openspiel-abrupt-2x2-uniform.txt.xz");
    let parts: Vec<&str> = text.strip_prefix("TabularPolicy:").unwrap().split("<~>").collect();
    let kept: Vec<String> =
        parts.chunks(2).filter(|pair| pair[0] != "..\n..\n0\n").map(|pair| pair.join("<~>")).collect();
    assert_eq!(kept.len() + 1, parts.len() / 2);
    let cut = format!("TabularPolicy:{}", kept.join("<~>"));
    let refusal = openspiel::read(&cut, Rule::Abrupt, Player::Black).err().unwrap();
    assert!(refusal.contains("no entry for the reached history []"), "{refusal}");
    assert!(openspiel::read(&cut, Rule::Abrupt, Player::White).is_ok());
}
