//! `claim::parse`: refused, or there is just one text for what was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verify_dosello::claim::{Claim, Statement, parse};
use verify_dosello::rules::Move;
use verify_dosello::text::Text;
use verify_dosello::tree::Interval;
use verify_dosello_fuzz::{joined, moves_of, refusal};

fuzz_target!(|data: &[u8]| {
    match parse(&Text::new("f", data.to_vec())) {
        Ok(claim) => {
            for name in [&claim.leaves, &claim.proof_set].into_iter().flatten() {
                assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
            }
            assert_eq!(claim_text(&claim).as_bytes(), data);
        }
        Err(error) => refusal(&error),
    }
});

fn claim_text(claim: &Claim) -> String {
    let listed = |intervals: &[(Move, Interval)]| {
        let line = |(step, interval): &(Move, Interval)| format!("interval {step} {interval}\n");
        intervals.iter().map(line).collect::<String>()
    };
    let statement = match &claim.statement {
        Statement::Value(value) => format!("value\nvalue {value}\n"),
        Statement::Openings { best, intervals } => {
            format!("openings\nbest {}\n{}", joined(best), listed(intervals))
        }
        Statement::Replies { opening, perfect, intervals } => {
            let perfect = joined(&moves_of(perfect));
            format!("replies\nopening {opening}\nperfect {perfect}\n{}", listed(intervals))
        }
        Statement::Line { value, from, counts: [black, white, empty], positions } => {
            let moves = joined(&moves_of(positions));
            format!(
                "line\nvalue {value}\nfrom {from}\nblack {black}\nwhite {white}\nempty {empty}\nmoves {moves}\n"
            )
        }
    };
    let files = claim.leaves.as_ref().map_or_else(String::new, |leaves| {
        format!("leaves {leaves}\nproofset {}\n", claim.proof_set.as_deref().unwrap_or("none"))
    });
    format!("claim 1\ngame dosello\nstatement {statement}{files}")
}
