"""Writes the policies that tests/openspiel.rs imports, and prints the best responses to them.

    python3 -m venv venv && venv/bin/pip install open-spiel && venv/bin/python openspiel.py FOLDER
"""

import hashlib
import lzma
import pathlib
import sys

import pyspiel


def best_responses(game, policy):
    """Black's and White's best payoffs (+1 win, -1 loss) against the policy, by OpenSpiel's own search."""
    root = game.new_initial_state()
    return [pyspiel.TabularBestResponse(game, me, policy).value_from_state(root) for me in (0, 1)]


def uniform(state):
    """Equal probabilities."""
    actions = state.legal_actions()
    return [(action, 1 / len(actions)) for action in actions]


def scattered(state):
    """Unequal probabilities that depend on the information set alone: the count of both players' moves is left out."""
    lines = state.information_state_string().split("\n")
    known = "\n".join(lines[:-2] + lines[-1:])
    weights = {a: 1 + hashlib.sha256(f"{known}{a}".encode()).digest()[0] % 16 for a in state.legal_actions()}
    return [(action, weight / sum(weights.values())) for action, weight in weights.items()]


def table(game, probabilities):
    """The policy with these probabilities at every information state."""
    policy = {}
    states = [game.new_initial_state()]
    while states:
        state = states.pop()
        if not state.is_terminal():
            policy[state.information_state_string()] = probabilities(state)
            states.extend(state.child(action) for action in state.legal_actions())
    return pyspiel.TabularPolicy(policy)


def average(game, iterations):
    """The average policy of counterfactual regret minimisation."""
    solver = pyspiel.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def main(folder):
    for rule, rows, columns, kind in (
        ("abrupt", 2, 2, "uniform"),
        ("abrupt", 2, 3, "cfr20"),
        ("classic", 2, 2, "uniform"),
        ("classic", 2, 3, "uniform"),
        ("classic", 2, 2, "scattered"),
        ("classic", 2, 3, "scattered"),
        ("classic", 2, 3, "cfr2"),
    ):
        version = {"abrupt": "adh", "classic": "cdh"}[rule]
        game = pyspiel.load_game(f"dark_hex(gameversion={version},num_rows={rows},num_cols={columns})")
        policy = average(game, int(kind[3:])) if kind.startswith("cfr") else table(game, globals()[kind])
        name = f"openspiel-{rule}-{rows}x{columns}-{kind}.txt.xz"
        (pathlib.Path(folder) / name).write_bytes(lzma.compress(policy.serialize().encode(), preset=9))
        print(name, *(f"{value:.17g}" for value in best_responses(game, policy)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
