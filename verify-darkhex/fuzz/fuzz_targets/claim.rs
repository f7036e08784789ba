//! `read_claim` and `read_set`: refused, or there is just one text for what was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use verify_darkhex::board::Game;
use verify_darkhex::claim::{Claim, FileName, Interval, Set, read_claim, read_set};
use verify_darkhex_fuzz::refusal;

fuzz_target!(|data: &[u8]| {
    let claim = read_claim("f", data);
    let set = read_set("f", data);
    assert!(claim.is_err() || set.is_err());
    match claim {
        Ok(claim) => {
            for file in [&claim.black, &claim.white].into_iter().flatten() {
                stays_in_its_folder(file);
            }
            assert!(claim.value.lower <= claim.value.upper);
            assert_eq!(claim_text(&claim).as_bytes(), data);
        }
        Err(error) => refusal(&error),
    }
    match set {
        Ok(set) => assert_eq!(set_text(&set).as_bytes(), data),
        Err(error) => refusal(&error),
    }
});

fn stays_in_its_folder(file: &FileName) {
    for part in [Some(&file.name), file.member.as_ref()].into_iter().flatten() {
        assert!(!part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\', '\0']), "{part:?}");
    }
}

fn game_text(game: &Game) -> String {
    format!("rule {}\nrows {}\ncolumns {}\n", game.rule, game.rows, game.columns)
}

fn value_text(value: &Interval) -> String {
    if value.lower == value.upper {
        format!("value {}\n", value.lower)
    } else {
        format!("lower {}\nupper {}\n", value.lower, value.upper)
    }
}

fn file_text(file: Option<&FileName>) -> String {
    match file {
        None => "none".to_string(),
        Some(FileName { member: Some(member), name, .. }) => format!("../{member}/{name}"),
        Some(FileName { member: None, name, .. }) => name.clone(),
    }
}

fn claim_text(claim: &Claim) -> String {
    let opening = claim.game.opening.map_or("none".to_string(), |cell| claim.game.square(cell));
    format!(
        "claim 1\ngame dark-hex\n{}opening {opening}\n{}black {}\nwhite {}\nrotate {}\n",
        game_text(&claim.game),
        value_text(&claim.value),
        file_text(claim.black.as_ref()),
        file_text(claim.white.as_ref()),
        if claim.rotate { "yes" } else { "no" },
    )
}

fn set_text(set: &Set) -> String {
    let members: String = set.members.iter().map(|member| format!("member {member}\n")).collect();
    let free = set.free_opening.as_ref().map_or(String::new(), |(game, value)| {
        format!("{}opening free\n{}", game_text(game), value_text(value))
    });
    format!("set 1\ngame dark-hex\nmembers {}\n{members}{free}", set.members.len())
}
