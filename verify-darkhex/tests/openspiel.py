#!/usr/bin/env python3
"""Lets OpenSpiel's implementation of Dark Hex judge ours.

    openspiel.py replay RULE ROWS COLUMNS random|exhaustive < TRANSCRIPTS
    openspiel.py mixtures BLACK.mix WHITE.mix

`replay` reads one game a line. A game is a list of probes and the winner, separated by spaces: `b01ff4+` says that
Black is to move, that the cells of the hexadecimal mask 01ff (bit i for cell i) may be probed, that he probes cell 4
(a hexadecimal digit) and that he succeeds (`-`: collides); the last word is `b` or `w`, the winner. Every statement is
compared with OpenSpiel. `exhaustive` compares both players' views after each probe, and demands that no continuation
is missing and no game is told twice. The last line printed is `games N probes M`.

`mixtures` plays every policy of the one file against every policy of the other and prints `value P/Q` and `pairs N`.
The rules, each side's view and the outcome of each probe are OpenSpiel's; the files are read by the plain Python
best response.

Exit code 1 and a line on standard error at the first disagreement.
"""

import sys
from fractions import Fraction
from pathlib import Path

import pyspiel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benches"))
import plain_best_response  # noqa: E402

BLACK, WHITE, NOBODY = 0, 1, pyspiel.PlayerId.TERMINAL
NAMES = {BLACK: "black", WHITE: "white", NOBODY: "nobody"}
# OpenSpiel marks stones that are joined to an edge, and those that win, by letters of their own.
STONES = {BLACK: "xyzX", WHITE: "opqO"}


class Disagreement(Exception):
    """Our rules and OpenSpiel's differ."""


def load(abrupt, rows, columns):
    version = "adh" if abrupt else "cdh"
    return pyspiel.load_game(f"dark_hex(gameversion={version},num_rows={rows},num_cols={columns})")


def view(state, player):
    """What a player sees: one character a cell."""
    return state.observation_string(player).replace("\n", "")


def colours(seen):
    """A view with every cell as `.`, `x` or `o`."""
    return "".join("x" if mark in STONES[BLACK] else "o" if mark in STONES[WHITE] else mark for mark in seen)


class Replay:
    """Compares games with OpenSpiel."""

    def __init__(self, game, cells, exhaustive):
        self.game, self.cells, self.exhaustive = game, cells, exhaustive
        self.words = {}
        self.followed = {}
        self.told = set()
        self.games = self.probes = 0

    def word(self, word):
        """(player, legal probes, probe, success); few words occur, so each is taken apart once."""
        if word not in self.words:
            player, mask, cell, outcome = word[0], int(word[1:-2], 16), int(word[-2], 16), word[-1]
            legal = [other for other in range(mask.bit_length()) if mask >> other & 1]
            self.words[word] = {"b": BLACK, "w": WHITE}[player], legal, cell, {"+": True, "-": False}[outcome]
        return self.words[word]

    def play(self, line):
        *words, winner = line.split(" ")
        winner = {"b": BLACK, "w": WHITE}[winner]
        state = self.game.new_initial_state()
        views = [["."] * self.cells, ["."] * self.cells]
        for step, text in enumerate(words):
            player, legal, cell, success = self.word(text)
            if state.current_player() != player:
                self.disagree(step, "player to move", NAMES[player], NAMES[state.current_player()])
            if state.legal_actions() != legal:
                self.disagree(step, "legal probes", legal, state.legal_actions())
            if cell not in legal:
                self.disagree(step, "probe", cell, legal)
            state.apply_action(cell)
            views[player][cell] = "x" if success == (player == BLACK) else "o"
            if self.exhaustive:
                self.compare_views(step, state, views)
                self.followed.setdefault(tuple(words[:step]), set()).add(cell)
        # Each cell is probed at most once by a player, so the last views tell the outcome of every probe.
        self.compare_views(len(words), state, views)
        if not state.is_terminal():
            self.disagree(len(words), "end of the game", "over", "not over")
        if state.returns() != ([1.0, -1.0] if winner == BLACK else [-1.0, 1.0]):
            self.disagree(len(words), "winner", NAMES[winner], state.returns())
        if self.exhaustive:
            if line in self.told:
                raise Disagreement(f"game {self.games}: told twice")
            self.told.add(line)
        self.games += 1
        self.probes += len(words)

    def compare_views(self, step, state, views):
        for player in BLACK, WHITE:
            seen = colours(view(state, player))
            if seen != "".join(views[player]):
                self.disagree(step, f"view of {NAMES[player]}", "".join(views[player]), seen)

    def disagree(self, step, what, ours, theirs):
        raise Disagreement(f"game {self.games}, probe {step}: {what}: {ours} by our rules, {theirs} by OpenSpiel's")

    def finish(self):
        """No continuation that OpenSpiel allows was left out."""
        for words, cells in self.followed.items():
            state = self.game.new_initial_state()
            for word in words:
                state.apply_action(self.words[word][2])
            if sorted(cells) != state.legal_actions():
                raise Disagreement(f"after {' '.join(words)}: {sorted(cells)} told of {state.legal_actions()}")
        print("games", self.games, "probes", self.probes)


def probe(policy, history, seen):
    """The cell that a policy probes, its owner seeing this."""
    _, priority, decisions = policy
    return decisions.get(history, next(cell for cell in priority if seen[cell] == "."))


class Pairs:
    """Plays all policies of Black against all of White, pairs that have probed alike so far together."""

    def __init__(self, policies):
        self.policies = policies
        self.won = self.pairs = 0

    def play(self, state, histories, groups):
        if state.is_terminal():
            self.pairs += len(groups[BLACK]) * len(groups[WHITE])
            if state.returns()[BLACK] > 0:
                weights = [sum(policy[0] for policy in group) for group in groups]
                self.won += weights[BLACK] * weights[WHITE]
            return
        player = state.current_player()
        seen = view(state, player)
        chosen = {}
        for policy in groups[player]:
            chosen.setdefault(probe(policy, histories[player], seen), []).append(policy)
        for cell, policies in chosen.items():
            if cell not in state.legal_actions():
                raise Disagreement(f"history {histories[player]} of {NAMES[player]} probes {cell}, not legal there")
            after = state.child(cell)
            success = view(after, player)[cell] in STONES[player]
            longer, smaller = list(histories), list(groups)
            longer[player] = plain_best_response.append(histories[player], cell, int(success))
            smaller[player] = policies
            self.play(after, longer, smaller)


def mixtures(black_path, white_path):
    black, white = (plain_best_response.read(Path(path).read_text("ascii")) for path in (black_path, white_path))
    if (black.owner, white.owner) != ("BLACK", "WHITE") or black[:4] != white[:4] or black.opening is not None:
        raise Disagreement("not Black's and White's mixture for one game without an announced opening")
    game = load(black.abrupt, black.rows, black.columns)
    pairs = Pairs((black.policies, white.policies))
    pairs.play(game.new_initial_state(), [0, 0], [black.policies, white.policies])
    if pairs.pairs != len(black.policies) * len(white.policies):
        raise Disagreement("a pair of policies was lost")
    total = sum(policy[0] for policy in black.policies) * sum(policy[0] for policy in white.policies)
    print("value", Fraction(pairs.won, total))
    print("pairs", pairs.pairs)


def replay(rule, rows, columns, kind):
    rows, columns = int(rows), int(columns)
    games = Replay(load({"classic": False, "abrupt": True}[rule], rows, columns), rows * columns, kind == "exhaustive")
    for line in sys.stdin:
        games.play(line.rstrip("\n"))
    games.finish()


def main():
    arguments = sys.argv[1:]
    try:
        if len(arguments) == 5 and arguments[0] == "replay":
            replay(*arguments[1:])
        elif len(arguments) == 3 and arguments[0] == "mixtures":
            mixtures(*arguments[1:])
        else:
            sys.exit(__doc__)
    except Disagreement as disagreement:
        sys.exit(f"openspiel.py: {disagreement}")


if __name__ == "__main__":
    main()
