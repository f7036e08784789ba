#!/usr/bin/env python3
"""The exact best response to a `.mix` strategy file, as plainly as it can be said.

    python3 plain_best_response.py FILE.mix      prints  best_response MASS TOTAL

MASS / TOTAL is the greatest probability of winning against the mixture that any strategy has. Written from the rules
and from the grammar of the published files, apart from the Rust checker: standard library only, whole numbers only,
every probe tried in every belief, no bound and no shortcut. The benches use it as the opponent to be beaten, and
auditors may use it as a second opinion. It checks what its own computation needs and is lenient about layout.
"""

import sys
from typing import NamedTuple, Optional

COLLISION, SUCCESS = 0, 1


class Game:
    """A board, a rule, and perhaps an announced opening. Sets of cells are numbers with one bit a cell."""

    def __init__(self, rows, columns, abrupt, opening):
        self.cells, self.abrupt = range(rows * columns), abrupt
        self.announced = 0 if opening is None else 1 << opening
        steps = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
        self.touching = [
            [
                (cell // columns + down) * columns + cell % columns + right
                for down, right in steps
                if 0 <= cell // columns + down < rows and 0 <= cell % columns + right < columns
            ]
            for cell in self.cells
        ]
        top, left = set(range(columns)), set(range(0, rows * columns, columns))
        bottom, right = {cell + (rows - 1) * columns for cell in top}, {cell + columns - 1 for cell in left}
        self.edges = {"BLACK": (top, bottom), "WHITE": (left, right)}
        self.known = {}

    def wins(self, player, stones):
        """Whether the stones join the player's two edges."""
        if (player, stones) not in self.known:
            start, goal = self.edges[player]
            reached = set()
            todo = [cell for cell in start if stones >> cell & 1]
            while todo:
                cell = todo.pop()
                if cell not in reached:
                    reached.add(cell)
                    todo.extend(other for other in self.touching[cell] if stones >> other & 1)
            self.known[player, stones] = bool(reached & goal)
        return self.known[player, stones]


def append(history, cell, outcome):
    return history << 5 | (cell + 1) << 1 | outcome


class History:
    """A private history of the owner, its mass, and the probes that follow: (cell, after a collision, after success)."""

    def __init__(self, stones, occupied):
        self.stones, self.occupied, self.mass, self.probes = stones, occupied, 0, {}


def add_policy(game, owner, root, number, weight, priority, decisions):
    """Adds the weight of a deterministic policy to every history that the policy can reach."""
    unused = set(decisions)
    todo = [(root, number)]
    while todo:
        history, number = todo.pop()
        history.mass += weight
        if game.wins(owner, history.stones):
            continue
        unused.discard(number)
        known = history.stones | history.occupied
        free = [cell for cell in priority if not known >> cell & 1]
        if not free:
            continue  # all the other cells are the opponent's, who has won long ago
        cell = decisions.get(number, free[0])
        if cell not in free:
            raise ValueError(f"history {number}: cell {cell} is known to be occupied")
        if cell not in history.probes:
            bit = 1 << cell
            history.probes[cell] = (
                History(history.stones, history.occupied | bit),
                History(history.stones | bit, history.occupied),
            )
        for outcome in COLLISION, SUCCESS:
            todo.append((history.probes[cell][outcome], append(number, cell, outcome)))
    if unused:
        raise ValueError(f"histories that the policy does not reach: {sorted(unused)}")


class Mixture(NamedTuple):
    """What a file says; each policy is (weight, priority, decisions), the decisions a cell for each listed history."""

    rows: int
    columns: int
    abrupt: bool
    opening: Optional[int]
    owner: str
    policies: list


def read(text):
    """Parses a mixture of any of the three kinds."""
    tokens = iter(text.split())

    def expect(word):
        token = next(tokens)
        if token != word:
            raise ValueError(f"{word} expected, {token} found")

    def labelled(word):
        expect(word)
        return int(next(tokens))

    kind = next(tokens)
    if kind == "DARKHEX_PUBLIC_MIXTURE":
        rows, columns = labelled("BOARD"), int(next(tokens))
    elif kind in ("DARKHEX_MIXTURE", "DARKHEX_OPENING_MIXTURE"):
        rows, columns = labelled("ROWS"), labelled("COLUMNS")
    else:
        raise ValueError(f"unknown kind {kind}")
    expect("MODE")
    abrupt = {"STANDARD": False, "PUBLIC": False, "ABRUPT": True}[next(tokens)]
    opening = None
    if kind != "DARKHEX_MIXTURE":
        expect("OPENING")
        square = next(tokens)
        opening = (int(square[1:]) - 1) * columns + ord(square[0]) - ord("a")
    expect("OWNER")
    owner = next(tokens)
    policies = []
    for _ in range(labelled("POLICIES")):
        weight = labelled("POLICY")
        expect("PRIORITY")
        others = [cell for cell in range(rows * columns) if cell != opening]
        priority = [int(next(tokens)) for _ in others]
        if weight <= 0 or sorted(priority) != others:
            raise ValueError("a weight or a priority is wrong")
        pairs = [(int(next(tokens)), int(next(tokens))) for _ in range(labelled("DECISIONS"))]
        expect("END")
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a history occurs twice")
        policies.append((weight, priority, dict(pairs)))
    expect("DONE")
    if next(tokens, None) is not None:
        raise ValueError("something stands after DONE")
    return Mixture(rows, columns, abrupt, opening, owner, policies)


def histories(game, mixture):
    """The root of the owner's histories, all policies merged into it."""
    # Black's histories begin with the announced stone; to White its cell is known to be occupied.
    root, number = History(0, game.announced), 0
    if mixture.owner == "BLACK":
        root = History(game.announced, 0)
        if mixture.opening is not None:
            number = append(0, mixture.opening, SUCCESS)
    for weight, priority, decisions in mixture.policies:
        add_policy(game, mixture.owner, root, number, weight, priority, decisions)
    return root


class Response:
    """The best response of the other player, the responder.

    A belief is his stones, the cells that he has found occupied, and the set of the owner's histories that are
    compatible with what he saw. There is no chance and his own play is pure, so the weight of a compatible history is
    its mass.
    """

    def __init__(self, game, owner):
        self.game, self.owner = game, owner
        self.player = "WHITE" if owner == "BLACK" else "BLACK"
        self.memo = {}

    def value(self, root):
        stones, occupied = self.game.announced, 0
        if self.player == "WHITE":
            stones, occupied = occupied, stones
        worlds = [root]
        # Black begins, unless his first stone has been announced.
        if (self.owner == "BLACK") == (not self.game.announced):
            worlds = self.after_owner(worlds, stones)
        return self.best(stones, occupied, frozenset(worlds))

    def after_owner(self, worlds, stones):
        """The histories after the owner's turn, the responder having these stones; wins of the owner are left out."""
        after, todo = [], list(worlds)
        while todo:
            for cell, (collision, success) in todo.pop().probes.items():
                if not stones >> cell & 1:
                    if not self.game.wins(self.owner, success.stones):
                        after.append(success)
                elif self.game.abrupt:
                    after.append(collision)
                else:
                    todo.append(collision)
        return after

    def best(self, stones, occupied, worlds):
        """The greatest mass that the responder can win, he being to move."""
        if not worlds:
            return 0
        key = stones, occupied, worlds
        if key not in self.memo:
            known = stones | occupied
            self.memo[key] = max(
                self.after_probe(stones, occupied, worlds, 1 << cell)
                for cell in self.game.cells
                if not known >> cell & 1
            )
        return self.memo[key]

    def after_probe(self, stones, occupied, worlds, bit):
        hit = [world for world in worlds if world.stones & bit]
        free = [world for world in worlds if not world.stones & bit]
        if self.game.wins(self.player, stones | bit):
            won = sum(world.mass for world in free)
        else:
            won = self.best(stones | bit, occupied, frozenset(self.after_owner(free, stones | bit)))
        if self.game.abrupt:
            hit = self.after_owner(hit, stones)
        return won + self.best(stones, occupied | bit, frozenset(hit))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii") as file:
        mixture = read(file.read())
    game = Game(mixture.rows, mixture.columns, mixture.abrupt, mixture.opening)
    root = histories(game, mixture)
    print("best_response", Response(game, mixture.owner).value(root), root.mass)


if __name__ == "__main__":
    main()
