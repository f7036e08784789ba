//! The rules: connected stones, the no-draw lemma, and published counts and values of small games.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "test code fails by panicking"
)]

mod common;

use common::{game, joins};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use verify_darkhex::board::{Board, Cell, Game, Player, Rule, Stones};
use verify_darkhex::check::examine;
use verify_darkhex::strategy::{History, Plan, Strategy, knowledge, reachable, root};

const BOTH: [Player; 2] = [Player::Black, Player::White];

fn stones(bits: u32) -> Stones {
    (0..16).filter(|cell| bits >> cell & 1 == 1).filter_map(Cell::new).fold(Stones::NONE, Stones::with)
}

#[test]
fn every_full_board_of_up_to_16_cells_has_exactly_one_winner() {
    let mut boards = 0;
    for rows in 1..=16 {
        for columns in 1..=16 / rows {
            let game = game(Rule::Classic, rows, columns, None);
            let board = Board::new(&game);
            for bits in 0..1u32 << game.cells() {
                let black = stones(bits);
                let white = game.board().without(black);
                let winners = BOTH.map(|player| {
                    board.connected(player, if player == Player::Black { black } else { white })
                });
                assert_ne!(winners[0], winners[1], "{rows} x {columns}, black {bits:b}");
            }
            boards += 1;
        }
    }
    assert_eq!(boards, 50);
}

#[test]
fn the_tables_of_connected_stones_agree_with_walking_from_stone_to_stone() {
    for (rows, columns) in [(1, 1), (1, 4), (4, 1), (2, 2), (2, 5), (3, 3), (4, 3), (3, 4)] {
        let game = game(Rule::Classic, rows, columns, None);
        let board = Board::new(&game);
        for bits in 0..1u32 << game.cells() {
            let list: Vec<usize> = stones(bits).cells().map(Cell::index).collect();
            for player in BOTH {
                assert_eq!(board.connected(player, stones(bits)), joins(&game, player, &list));
            }
        }
    }
}

#[test]
fn squares_are_named_by_column_letter_and_row_number() {
    let game = game(Rule::Classic, 4, 3, None);
    assert_eq!(game.cell("a1"), Cell::new(0));
    assert_eq!(game.cell("c1"), Cell::new(2));
    assert_eq!(game.cell("a2"), Cell::new(3));
    assert_eq!(game.cell("c4"), Cell::new(11));
    assert_eq!(
        (game.cell("d1"), game.cell("a5"), game.cell("a0"), game.cell("A1")),
        (None, None, None, None)
    );
    assert_eq!(game.square(game.rotated(game.cell("a2").unwrap())), "c3");
}

/// All plays of a game, one probe after another.
struct Plays {
    game: Game,
    board: Board,
    histories: usize,
    /// Per player the private histories at which he is to move.
    information_sets: [BTreeSet<History>; 2],
}

impl Plays {
    fn all(game: Game) -> Plays {
        let board = Board::new(&game);
        let mut plays =
            Plays { game, board, histories: 0, information_sets: [BTreeSet::new(), BTreeSet::new()] };
        plays.from([root(&game, Player::Black), root(&game, Player::White)], game.first());
        plays
    }

    fn from(&mut self, histories: [History; 2], player: Player) {
        self.histories += 1;
        let side = |player: Player| usize::from(player == Player::White);
        let (mine, theirs) = (histories[side(player)], histories[side(player.opponent())]);
        self.information_sets[side(player)].insert(mine);
        let (own, blocked) = knowledge(&self.game, player, mine);
        let (other, _) = knowledge(&self.game, player.opponent(), theirs);
        for cell in self.game.board().without(own.union(blocked)).cells() {
            let success = !other.contains(cell);
            let mut next = histories;
            next[side(player)] = mine.then(cell, success);
            if success && self.board.connected(player, own.with(cell)) {
                self.histories += 1;
            } else if !success && self.game.rule == Rule::Classic {
                self.from(next, player);
            } else {
                self.from(next, player.opponent());
            }
        }
    }
}

#[test]
fn game_trees_have_the_published_numbers_of_histories_and_information_sets() {
    // 196,357 is published for Classic on 2 rows x 3 columns, but belongs to 3 rows x 2 columns (the other board has
    // 104,229); all other figures are those of the board that they name.
    let cases = [
        (Rule::Classic, 2, 2, Some(441), [70, 0]),
        (Rule::Classic, 2, 3, None, [2_508, 0]),
        (Rule::Classic, 3, 2, Some(196_357), [4_180, 0]),
        (Rule::Abrupt, 2, 2, Some(471), [59, 35]),
        (Rule::Abrupt, 2, 3, Some(149_953), [4_033, 2_725]),
        (Rule::Abrupt, 3, 2, Some(245_243), [5_811, 3_363]),
    ];
    for (rule, rows, columns, histories, sets) in cases {
        let plays = Plays::all(game(rule, rows, columns, None));
        let found = [plays.information_sets[0].len(), plays.information_sets[1].len()];
        if let Some(histories) = histories {
            assert_eq!(plays.histories, histories, "{rule} {rows} x {columns}");
        }
        // The published counts of the classic rule are sums over both players.
        if sets[1] == 0 {
            assert_eq!(found[0] + found[1], sets[0], "{rule} {rows} x {columns}");
        } else {
            assert_eq!(found, sets, "{rule} {rows} x {columns}");
        }
    }
}

#[test]
fn a_history_is_reachable_exactly_if_some_play_brings_it_about() {
    for rule in [Rule::Classic, Rule::Abrupt] {
        for (rows, columns) in [(2, 2), (2, 3), (3, 2)] {
            let openings = game(rule, rows, columns, None).board().cells().map(Some).collect::<Vec<_>>();
            for opening in std::iter::once(None).chain(openings) {
                let game = Game { opening, ..game(rule, rows, columns, None) };
                let plays = Plays::all(game);
                for (player, expected) in BOTH.into_iter().zip(&plays.information_sets) {
                    let mut found = BTreeSet::new();
                    collect(&game, &plays.board, player, root(&game, player), &mut found);
                    assert_eq!(&found, expected, "{game:?} {player}");
                }
            }
        }
    }
}

/// All histories of legal probes that the predicate accepts, looking also below those that it refuses.
fn collect(game: &Game, board: &Board, player: Player, history: History, found: &mut BTreeSet<History>) {
    if reachable(game, board, player, history) {
        found.insert(history);
    }
    let (own, blocked) = knowledge(game, player, history);
    for cell in game.board().without(own.union(blocked)).cells() {
        for success in [false, true] {
            collect(game, board, player, history.then(cell, success), found);
        }
    }
}

/// The opponent who probes each legal cell with equal probability. The number of legal cells falls by one with each
/// probe, so a total of n! splits evenly all the way.
fn uniform(game: Game, owner: Player) -> Strategy {
    let total: BigUint = (1..=game.cells()).product();
    let mut plan =
        Plan { priority: game.board().cells().collect(), total: total.clone(), decisions: BTreeMap::new() };
    let board = Board::new(&game);
    let mut waiting = vec![(History::EMPTY, total)];
    while let Some((history, mass)) = waiting.pop() {
        if !reachable(&game, &board, owner, history) {
            continue;
        }
        let (own, blocked) = knowledge(&game, owner, history);
        let free: Vec<Cell> = game.board().without(own.union(blocked)).cells().collect();
        let share = mass / free.len();
        for &cell in &free {
            waiting.push((history.then(cell, true), share.clone()));
            waiting.push((history.then(cell, false), share.clone()));
        }
        plan.decisions.insert(history, free.into_iter().map(|cell| (cell, share.clone())).collect());
    }
    Strategy { game, owner, plans: vec![plan] }
}

#[test]
fn best_responses_to_the_uniformly_random_opponent_are_the_published_ones() {
    let cases = [
        (Rule::Classic, 2, 2, (1, 1), (1, 4)),
        (Rule::Classic, 2, 3, (1, 1), (-1, 4)),
        (Rule::Classic, 3, 2, (3, 5), (1, 1)),
        (Rule::Abrupt, 2, 2, (5, 6), (0, 1)),
        (Rule::Abrupt, 2, 3, (347, 360), (-11, 60)),
        (Rule::Abrupt, 3, 2, (17, 30), (239, 360)),
    ];
    for (rule, rows, columns, black, white) in cases {
        let game = game(rule, rows, columns, None);
        for (responder, (numerator, denominator)) in BOTH.into_iter().zip([black, white]) {
            let strategy = uniform(game, responder.opponent());
            let response = examine(&strategy, &Board::new(&game), true).unwrap().response;
            let wins = BigRational::new(response.mass().clone().into(), response.total().clone().into());
            // +1 for a win and -1 for a loss.
            let payoff = wins * BigInt::from(2) - BigInt::from(1);
            let published = BigRational::new(numerator.into(), denominator.into());
            assert_eq!(payoff, published, "{rule} {rows} x {columns} {responder}");
        }
    }
}

/// A pure strategy that wins against everything, if there is one: searched over sets of possible enemy stones, in which
/// the enemy may do all that the rules allow.
fn sure_win(game: Game, player: Player) -> Option<Strategy> {
    let mut search = SureWin { game, board: Board::new(&game), player, known: HashMap::new() };
    let start: BTreeSet<Stones> = BTreeSet::from([Stones::NONE]);
    let start = if game.first() == player { start } else { search.after_enemy(&start, Stones::NONE)? };
    let mut decisions = BTreeMap::new();
    search.wins(Stones::NONE, &start)?;
    search.write(Stones::NONE, &start, History::EMPTY, &mut decisions);
    let plan = Plan { priority: game.board().cells().collect(), total: BigUint::from(1u8), decisions };
    Some(Strategy { game, owner: player, plans: vec![plan] })
}

struct SureWin {
    game: Game,
    board: Board,
    player: Player,
    known: HashMap<(Stones, BTreeSet<Stones>), Option<Cell>>,
}

impl SureWin {
    /// The enemy's possible stones after his turn, or nothing if one of them connects. (Classic)
    fn after_enemy(&self, worlds: &BTreeSet<Stones>, own: Stones) -> Option<BTreeSet<Stones>> {
        let mut next = BTreeSet::new();
        for world in worlds {
            for cell in self.game.board().without(world.union(own)).cells() {
                if self.board.connected(self.player.opponent(), world.with(cell)) {
                    return None;
                }
                next.insert(world.with(cell));
            }
        }
        Some(next)
    }

    fn branches(&self, own: Stones, worlds: &BTreeSet<Stones>, cell: Cell) -> Option<[BTreeSet<Stones>; 2]> {
        let (taken, empty): (BTreeSet<Stones>, BTreeSet<Stones>) =
            worlds.iter().partition(|world| world.contains(cell));
        let success = if self.board.connected(self.player, own.with(cell)) {
            BTreeSet::new()
        } else {
            self.after_enemy(&empty, own.with(cell))?
        };
        Some([success, taken])
    }

    fn wins(&mut self, own: Stones, worlds: &BTreeSet<Stones>) -> Option<()> {
        if worlds.is_empty() {
            return Some(());
        }
        let key = (own, worlds.clone());
        if let Some(choice) = self.known.get(&key) {
            return choice.map(|_| ());
        }
        let mut choice = None;
        for cell in self.game.board().without(own).cells() {
            if worlds.iter().all(|world| world.contains(cell)) {
                continue;
            }
            let Some([success, taken]) = self.branches(own, worlds, cell) else { continue };
            if self.wins(own.with(cell), &success).is_some() && self.wins(own, &taken).is_some() {
                choice = Some(cell);
                break;
            }
        }
        self.known.insert(key, choice);
        choice.map(|_| ())
    }

    fn write(
        &self,
        own: Stones,
        worlds: &BTreeSet<Stones>,
        history: History,
        decisions: &mut BTreeMap<History, Vec<(Cell, BigUint)>>,
    ) {
        let Some(Some(cell)) = self.known.get(&(own, worlds.clone())) else { return };
        decisions.insert(history, vec![(*cell, BigUint::from(1u8))]);
        let [success, taken] = self.branches(own, worlds, *cell).unwrap();
        self.write(own.with(*cell), &success, history.then(*cell, true), decisions);
        self.write(own, &taken, history.then(*cell, false), decisions);
    }
}

#[test]
fn small_boards_have_the_published_sure_wins() {
    let cases = [(3, 3, Player::Black), (2, 2, Player::Black), (2, 3, Player::Black), (3, 2, Player::White)];
    for (rows, columns, winner) in cases {
        let game = game(Rule::Classic, rows, columns, None);
        let strategy = sure_win(game, winner).unwrap();
        let bound = examine(&strategy, &Board::new(&game), true).unwrap().bound;
        let value = i32::from(winner == Player::Black);
        assert_eq!(*bound.value(), BigRational::from_integer(value.into()), "{rows} x {columns}");
        assert!(sure_win(game, winner.opponent()).is_none());
    }
}
