//! Our rules against those of OpenSpiel's `dark_hex`, a program that others wrote.
//!
//! Games are played here with the crate's own rules and told to `openspiel.py`, which replays them in OpenSpiel and
//! compares the player to move, the legal probes, collisions, both players' views, the end of the game and the winner.
//! The same is done with rules that are wrong on purpose, which must be found out. Without OpenSpiel in the virtual
//! environment `.venv` of the workspace (`requirements.txt` has the two lines that install it) all of this is listed
//! as ignored.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::doc_markdown,
    reason = "a test may stop at the first surprise, and OpenSpiel is a name"
)]

use libtest_mimic::{Arguments, Failed, Trial};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use verify_darkhex::board::{Board, Cell, Game, Player, Rule, Stones};
use verify_darkhex::{claim, mixture, referee};

/// Random games for each board and rule.
const GAMES: usize = 100_000;
/// Random games that must suffice to find a wrong rule out.
const GAMES_OF_A_WRONG_RULE: usize = 500;

/// What is done wrong on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// Neighbours (-1,-1) and (1,1) in place of (-1,1) and (1,-1).
    Neighbours,
    /// Black joins left and right.
    Sides,
    /// The other rule's turn after a collision.
    Turns,
    /// Cell = column * rows + row.
    RowsAndColumns,
    /// A cell that was found occupied may be probed again.
    Memory,
}

/// A game in progress.
#[derive(Clone)]
struct Table<'a> {
    game: Game,
    board: &'a Board,
    wrong: Wrong,
    to_move: Player,
    black: (Stones, Stones),
    white: (Stones, Stones),
    transcript: String,
}

impl<'a> Table<'a> {
    fn new(game: Game, board: &'a Board, wrong: Wrong) -> Self {
        Table {
            game,
            board,
            wrong,
            to_move: game.first(),
            black: game.start(Player::Black),
            white: game.start(Player::White),
            transcript: String::new(),
        }
    }

    fn of(&self, player: Player) -> (Stones, Stones) {
        match player {
            Player::Black => self.black,
            Player::White => self.white,
        }
    }

    fn legal(&self) -> Vec<Cell> {
        let (own, found) = self.of(self.to_move);
        let known = if self.wrong == Wrong::Memory { own } else { own.union(found) };
        self.game.board().without(known).cells().collect()
    }

    /// Probes, writes the probe down, and returns whether it ended the game.
    fn probe(&mut self, cell: Cell) -> bool {
        let player = self.to_move;
        let mask = self.legal().into_iter().fold(Stones::NONE, Stones::with).bits();
        let (own, found) = self.of(player);
        let success = !self.of(player.opponent()).0.contains(cell);
        let known = if success { (own.with(cell), found) } else { (own, found.with(cell)) };
        match player {
            Player::Black => self.black = known,
            Player::White => self.white = known,
        }
        let outcome = if success { '+' } else { '-' };
        let written = format!("{}{mask:04x}{:x}{outcome} ", letter(player), cell.index());
        self.transcript.push_str(&written);
        let same_turn = match self.game.rule {
            Rule::Classic => self.wrong != Wrong::Turns,
            Rule::Abrupt => self.wrong == Wrong::Turns,
        };
        if success || !same_turn {
            self.to_move = player.opponent();
        }
        let over = success && self.joined(player, known.0);
        if over {
            self.transcript.push(letter(player));
        }
        over
    }

    fn joined(&self, player: Player, stones: Stones) -> bool {
        let mapped = |map: &dyn Fn(usize, usize) -> usize| {
            let place = |cell: Cell| {
                let (row, column) = (cell.index() / self.game.columns, cell.index() % self.game.columns);
                Cell::new(map(row, column)).unwrap()
            };
            stones.cells().fold(Stones::NONE, |all, cell| all.with(place(cell)))
        };
        let columns = self.game.columns;
        match self.wrong {
            Wrong::Neighbours => {
                let mirrored = mapped(&|row, column| row * columns + columns - 1 - column);
                self.board.connected(player, mirrored)
            }
            Wrong::Sides => self.board.connected(player.opponent(), stones),
            Wrong::RowsAndColumns => {
                let Game { rows, columns, .. } = self.game;
                let exchanged = Board::new(&Game { rows: columns, columns: rows, ..self.game });
                exchanged.connected(player, stones)
            }
            Wrong::Nothing | Wrong::Turns | Wrong::Memory => self.board.connected(player, stones),
        }
    }
}

fn letter(player: Player) -> char {
    match player {
        Player::Black => 'b',
        Player::White => 'w',
    }
}

/// `SplitMix64` (Steele, Lea, Flood 2014): enough to play at random, and the same games on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((word ^ word >> 31) % u64::try_from(bound).unwrap()).unwrap()
    }
}

fn game(rule: Rule, rows: usize, columns: usize) -> Game {
    Game { rule, rows, columns, opening: None }
}

/// A script's standard input, or nothing once it has stopped listening.
struct Listener<W: Write>(Option<BufWriter<W>>);

impl<W: Write> Listener<W> {
    /// Returns whether the script still listens. Whether it should have is for its exit code to say.
    fn tell(&mut self, transcript: &str) -> bool {
        if self.0.as_mut().is_some_and(|input| writeln!(input, "{transcript}").is_err()) {
            self.0 = None;
        }
        self.0.is_some()
    }
}

/// Tells the script so many games and returns what it says.
fn replay(game: Game, kind: &str, tell: impl FnOnce(&mut Listener<std::process::ChildStdin>)) -> Output {
    let mut child = Command::new(python())
        .arg(script())
        .args(["replay", &game.rule.to_string(), &game.rows.to_string(), &game.columns.to_string(), kind])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the interpreter of .venv starts");
    let mut listener = Listener(child.stdin.take().map(BufWriter::new));
    tell(&mut listener);
    drop(listener);
    child.wait_with_output().expect("the script ends")
}

fn random_games(game: Game, wrong: Wrong, games: usize) -> Output {
    let board = Board::new(&game);
    let mut random = Random(1);
    replay(game, "random", |listener| {
        for _ in 0..games {
            let mut table = Table::new(game, &board, wrong);
            loop {
                let legal = table.legal();
                let cell = *legal.get(random.below(legal.len())).unwrap();
                if table.probe(cell) {
                    break;
                }
                // Games without memory need not end.
                if table.transcript.len() > 1_000 {
                    break;
                }
            }
            if !listener.tell(&table.transcript) {
                break;
            }
        }
    })
}

/// Tells all complete games and returns how many they are and how many histories (complete or not, the empty one
/// included) they have.
fn tell_all<W: Write>(table: &Table<'_>, listener: &mut Listener<W>) -> (usize, usize) {
    let (mut games, mut histories) = (0, 1);
    for cell in table.legal() {
        let mut after = table.clone();
        if after.probe(cell) {
            listener.tell(&after.transcript);
            games += 1;
            histories += 1;
        } else {
            let (more_games, more_histories) = tell_all(&after, listener);
            games += more_games;
            histories += more_histories;
        }
    }
    (games, histories)
}

fn agreed(output: &Output, games: usize) -> Result<(), Failed> {
    let (said, complaint) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() || !said.starts_with(&format!("games {games} probes ")) {
        return Err(format!("{games} games were told; the script said: {said}{complaint}").into());
    }
    Ok(())
}

fn at_random(rule: Rule, rows: usize, columns: usize) -> Result<(), Failed> {
    agreed(&random_games(game(rule, rows, columns), Wrong::Nothing, GAMES), GAMES)
}

fn exhaustively(rule: Rule, rows: usize, columns: usize, expected: usize) -> Result<(), Failed> {
    let game = game(rule, rows, columns);
    let board = Board::new(&game);
    let mut counts = (0, 0);
    let output = replay(game, "exhaustive", |listener| {
        counts = tell_all(&Table::new(game, &board, Wrong::Nothing), listener);
    });
    agreed(&output, counts.0)?;
    if counts.1 != expected {
        return Err(format!("{} histories in place of {expected}", counts.1).into());
    }
    Ok(())
}

fn a_game_left_out() -> Result<(), Failed> {
    let game = game(Rule::Classic, 2, 2);
    let board = Board::new(&game);
    let mut all = Listener(Some(BufWriter::new(Vec::new())));
    tell_all(&Table::new(game, &board, Wrong::Nothing), &mut all);
    let all = String::from_utf8(all.0.unwrap().into_inner()?)?;
    // Every game is one that the script must miss; a few are enough.
    for missing in [0, 7, all.lines().count() - 1] {
        let output = replay(game, "exhaustive", |listener| {
            for (_, line) in all.lines().enumerate().filter(|(index, _)| *index != missing) {
                listener.tell(line);
            }
        });
        let complaint = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !complaint.contains(" told of ") {
            return Err(format!("game {missing} was not missed: {complaint}").into());
        }
    }
    Ok(())
}

fn found_out(rule: Rule, rows: usize, columns: usize, wrong: Wrong, reasons: &[&str]) -> Result<(), Failed> {
    let output = random_games(game(rule, rows, columns), wrong, GAMES_OF_A_WRONG_RULE);
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(1) || !reasons.iter().any(|reason| complaint.contains(reason)) {
        return Err(format!("{wrong:?} was not found out for {reasons:?}: {complaint}").into());
    }
    Ok(())
}

/// All pairs of policies of two mixtures, played in OpenSpiel, have this value.
fn pairs(folder: &Path, black: &str, white: &str, value: &str) -> Result<(), Failed> {
    let output = Command::new(python())
        .arg(script())
        .arg("mixtures")
        .args([folder.join(black), folder.join(white)])
        .output()?;
    let (said, complaint) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() || said.lines().next() != Some(&format!("value {value}")) {
        return Err(format!("{value} is claimed; the script said: {said}{complaint}").into());
    }
    Ok(())
}

/// Optimal mixtures give their value whatever the weights of the other side are. So here the policies get other
/// weights, on both sides, and OpenSpiel's value has to be our referee's.
fn skewed_weights() -> Result<(), Failed> {
    let folder = workspace().join("certificates/abrupt-3x3");
    let copies = tempfile::tempdir()?;
    let mut strategies = Vec::new();
    for (name, step) in [("black-lower.mix", 7), ("white-upper.mix", 11)] {
        let mut weight = 0;
        let mut reweighted = |line: &str| {
            if line.starts_with("POLICY ") {
                weight = (weight + step) % 1_009;
                format!("POLICY {weight}\n")
            } else {
                format!("{line}\n")
            }
        };
        let text = std::fs::read_to_string(folder.join(name))?;
        let copy = text.lines().map(&mut reweighted).collect::<Vec<_>>().concat();
        strategies.push(mixture::read(name, copy.as_bytes()).map_err(|error| error.to_string())?);
        std::fs::write(copies.path().join(name), copy)?;
    }
    let [black, white] = strategies.as_slice() else { return Err("two strategies were read".into()) };
    let value = referee::play(black, white).map_err(|error| error.to_string())?.to_string();
    if value == "207579464761/299876201866" {
        return Err("the weights make no difference".into());
    }
    pairs(copies.path(), "black-lower.mix", "white-upper.mix", &value)
}

fn certificate(name: &str) -> Result<(), Failed> {
    let folder = workspace().join("certificates").join(name);
    let claim = claim::read_claim("claim.txt", &std::fs::read(folder.join("claim.txt"))?)
        .map_err(|error| error.to_string())?;
    let (Some(black), Some(white)) = (claim.black, claim.white) else {
        return Err("the claim names no file for a player".into());
    };
    if claim.value.lower != claim.value.upper {
        return Err("the claim is not of a value".into());
    }
    pairs(&folder, &black.name, &white.name, &claim.value.lower.to_string())
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn python() -> PathBuf {
    workspace().join(".venv/bin/python3")
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openspiel.py")
}

fn main() {
    use Rule::{Abrupt, Classic};
    let arguments = Arguments::from_args();
    let installed = Command::new(python())
        .args(["-c", "import pyspiel"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !installed && !arguments.list {
        eprintln!(
            "OpenSpiel is not in .venv: its tests are ignored (tests/requirements.txt says how to install it)"
        );
    }
    let published = workspace().join("../shared/published/dark-hex/classic");
    let has_published = published.is_dir();
    let mut trials = Vec::new();
    let mut add = |name: String, ignored: bool, run: Box<dyn FnOnce() -> Result<(), Failed> + Send>| {
        trials.push(Trial::test(name, run).with_kind("openspiel").with_ignored_flag(ignored));
    };
    // Published are 441, 196,357 and the three of Abrupt. 104,229 is ours, and OpenSpiel misses none and has no more.
    for (rule, rows, columns, histories) in [
        (Classic, 2, 2, 441),
        (Classic, 2, 3, 104_229),
        (Classic, 3, 2, 196_357),
        (Abrupt, 2, 2, 471),
        (Abrupt, 2, 3, 149_953),
        (Abrupt, 3, 2, 245_243),
    ] {
        add(
            format!("all_games_on_{rows}_rows_and_{columns}_columns_agree_under_{rule}"),
            !installed,
            Box::new(move || exhaustively(rule, rows, columns, histories)),
        );
    }
    for (rows, columns) in [(3, 3), (4, 3), (4, 4)] {
        for rule in [Classic, Abrupt] {
            add(
                format!("random_games_on_{rows}_rows_and_{columns}_columns_agree_under_{rule}"),
                !installed,
                Box::new(move || at_random(rule, rows, columns)),
            );
        }
    }
    add(
        "all_policy_pairs_of_abrupt_3x3_have_its_value".to_owned(),
        !installed,
        Box::new(|| certificate("abrupt-3x3")),
    );
    add(
        "all_policy_pairs_of_the_published_classic_pair_have_its_value".to_owned(),
        !(installed && has_published),
        Box::new(move || pairs(&published, "black-lower.mix", "white-upper.mix", "14279/67484")),
    );
    add(
        "all_policy_pairs_of_abrupt_3x3_with_other_weights_have_the_value_of_our_referee".to_owned(),
        !installed,
        Box::new(skewed_weights),
    );
    add("a_game_left_out_is_missed".to_owned(), !installed, Box::new(a_game_left_out));
    let end: &[&str] = &["winner", "end of the game", "player to move: "];
    for (name, rule, rows, columns, wrong, reasons) in [
        ("mirrored_neighbours_are_found_out", Classic, 3, 3, Wrong::Neighbours, end),
        ("exchanged_sides_are_found_out", Classic, 3, 3, Wrong::Sides, end),
        ("exchanged_rows_and_columns_are_found_out", Classic, 4, 3, Wrong::RowsAndColumns, end),
        ("a_turn_lost_in_classic_is_found_out", Classic, 3, 3, Wrong::Turns, &["player to move"]),
        ("a_turn_kept_in_abrupt_is_found_out", Abrupt, 3, 3, Wrong::Turns, &["player to move"]),
        ("forgotten_collisions_are_found_out", Classic, 3, 3, Wrong::Memory, &["legal probes"]),
    ] {
        add(name.to_owned(), !installed, Box::new(move || found_out(rule, rows, columns, wrong, reasons)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
