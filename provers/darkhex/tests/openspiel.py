"""Makes the policies of tests/data/openspiel-* and prints OpenSpiel's own best responses to them.

    python3 -m venv venv && venv/bin/pip install open-spiel && venv/bin/python openspiel.py FOLDER
"""

import lzma
import pathlib
import sys

import pyspiel


def best_responses(game, policy):
    """Black's and White's best payoffs (+1 win, -1 loss) against the policy, by OpenSpiel's own search."""
    root = game.new_initial_state()
    return [pyspiel.TabularBestResponse(game, me, policy).value_from_state(root) for me in (0, 1)]


def main(folder):
    for rows, columns, iterations in ((2, 2, 0), (2, 3, 20)):
        game = pyspiel.load_game(f"dark_hex(gameversion=adh,num_rows={rows},num_cols={columns})")
        if iterations:
            solver = pyspiel.CFRSolver(game)
            for _ in range(iterations):
                solver.evaluate_and_update_policy()
            policy = solver.tabular_average_policy()
        else:
            policy = pyspiel.UniformRandomPolicy(game)
            table = {}
            states = [game.new_initial_state()]
            while states:
                state = states.pop()
                if not state.is_terminal():
                    table[state.information_state_string()] = policy.action_probabilities(state)
                    states.extend(state.child(action) for action in state.legal_actions())
            policy = pyspiel.TabularPolicy({key: list(value.items()) for key, value in table.items()})
        name = f"openspiel-abrupt-{rows}x{columns}-{iterations}.txt.xz"
        (pathlib.Path(folder) / name).write_bytes(lzma.compress(policy.serialize().encode(), preset=9))
        print(name, *(f"{value:.17g}" for value in best_responses(game, policy)))


main(sys.argv[1])
