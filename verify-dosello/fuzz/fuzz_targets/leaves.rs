//! Leaf files and proof sets: refused, or legal, within the scores, and of one spelling.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;
use verify_dosello::leaves::{parse_leaves, parse_proof_set};
use verify_dosello::rules::is_score;
use verify_dosello::search::Bound;
use verify_dosello::text::Text;
use verify_dosello_fuzz::common::{board_of, moves_by_the_wording, position_of};
use verify_dosello_fuzz::{joined, moves_of, refusal};

fuzz_target!(|data: &[u8]| {
    let text = Text::new("f", data.to_vec());
    let (leaves, units) = (parse_leaves(&text), parse_proof_set(&text));
    assert!(leaves.is_err() || units.is_err());
    match leaves {
        Ok(leaves) => {
            let mut positions = HashSet::new();
            for ((moves, line), text) in
                leaves.lines.iter().zip(String::from_utf8_lossy(data).lines().skip(1))
            {
                assert!(text.starts_with(&format!("leaf {} interval ", moves.join(" "))));
                assert_eq!(moves.join(" "), joined(&moves_of(line)));
                // Each move is legal by the wording of the rules.
                for (step, pair) in moves.iter().zip(line.windows(2)).filter(|(step, _)| *step != "pass") {
                    let boards = moves_by_the_wording(&board_of(&pair[0]), pair[0].turn);
                    let (_, board) = boards.iter().find(|(name, _)| name == step).expect("legal");
                    assert_eq!(position_of(board, pair[1].turn), pair[1]);
                }
                let last = line.last().expect("a position");
                let interval = leaves.stated.of(last);
                assert!(is_score(interval.lower()) && is_score(interval.upper()));
                assert!(interval.lower() <= interval.upper());
                positions.insert(last.canonical());
            }
            assert_eq!(leaves.positions, positions.len());
            let units = leaves.units().expect("units of what was read");
            assert!(units.len() <= 2 * leaves.positions);
        }
        Err(error) => refusal(&error),
    }
    match units {
        Ok(units) => {
            let lines = units.iter().map(|unit| {
                let bound = match unit.bound() {
                    Bound::AtLeast(score) => format!("ge {score}"),
                    Bound::AtMost(score) => format!("le {score}"),
                };
                format!("claim {} {bound}\n", joined(&moves_of(&unit.line())))
            });
            assert_eq!(format!("proofset 1\n{}", lines.collect::<String>()).as_bytes(), data);
        }
        Err(error) => refusal(&error),
    }
});
