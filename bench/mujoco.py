"""Explores the bundled MuJoCo models and prints the README's table of one-step errors.

    python3 bench/mujoco.py RHC DIRECTORY

A directory with a part of the runs is gone on with.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tomllib

rhc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
grid = pathlib.Path(__file__).with_suffix(".toml")


def chance(less, more):
    """Exact one-sided p of Mann and Whitney: so many pairs in order, or more, where both are drawn alike."""
    # ways[k][u]: choices of k of the values so far, with u pairs that are in order
    ways = {(0, 0): 1}
    for seen in range(len(less) + len(more)):
        following = {}
        for (k, u), count in ways.items():
            for chosen in (0, 1):
                # One of `more` comes after k of `less`.
                key = (k + chosen, u + (0 if chosen else k))
                if key[0] <= len(less) and seen + 1 - key[0] <= len(more):
                    following[key] = following.get(key, 0) + count
        ways = following
    in_order = sum(a < b for a in less for b in more)
    return sum(n for (_, u), n in ways.items() if u >= in_order) / sum(ways.values())


def errors(system, method):
    found, features = [], None
    for run in sorted((folder / "runs").glob(f"{system}-{method}-*")):
        config = tomllib.loads((run / "config.toml").read_text())
        features = config["features"]
        rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        if rows[-1]["episode"] == config["episodes"]:
            found.append(rows[-1]["rmse"])
    return found, features


subprocess.run([rhc, "sweep", str(grid), "--out", str(folder), "--quiet", *sys.argv[3:]], check=True)
print("| system | features | `rhc-evr` | `random` | ratio | p |")
print("|---|---|---|---|---|---|")
for system in tomllib.loads(grid.read_text())["grid"]["system"]:
    (ours, features), (theirs, _) = errors(system, "rhc-evr"), errors(system, "random")
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"| `{system}` | {features} | {a:.3g} | {b:.3g} | {a / b:.2f} | {chance(ours, theirs):.1g} |")
