"""Recomputes what a sweep's results say from the files of its runs, with numpy and Python's own csv.

check_sweep.py RHC
"""
import collections
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SWEEP = """
[grid]
system = ["mountain-car", "pendulum"]
method = ["random", "rhc-us"]
seed = "1-7"
sac_hidden = [[8], [16, 4]]

[settings]
episodes = 3
features = 20
evidence_starts = 2
plan_starts = 2
task_starts = 2
task_hops = 0
task_draws = 0
limit_hops = 0
test_trajectories = 20
test_steps = 3
best_achievable_transitions = 20
observation_noise = 0.01
"""
METRICS = ["task_cost", "log_likelihood", "log_likelihood_paper", "rmse", "coverage95"]


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_runs(sweep):
    """The settings and rows of every run, by its name."""
    runs = {}
    for path in sorted((sweep / "runs").iterdir()):
        manifest = json.loads((path / "manifest.json").read_text())
        rows = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
        hidden = next(line.split("=")[1].split("#")[0].replace(" ", "")
                      for line in (path / "config.toml").read_text().splitlines()
                      if line.startswith("sac_hidden"))
        runs[path.name] = (manifest, hidden, rows)
    return runs


def check_results(results, runs):
    """Every number of results.csv stands in a metrics.jsonl, and every line of those in it."""
    seen = set()
    for line in results:
        manifest, hidden, rows = runs[line["run"]]
        row = rows[int(line["episode"])]
        seen.add((line["run"], row["episode"]))
        assert line["system"] == manifest["system"] and line["method"] == manifest["method"]
        assert int(line["seed"]) == manifest["seed"]
        assert line["finished"] == ("yes" if manifest["status"] == "finished" else "no"), line
        assert line["sac_hidden"].replace(" ", "") == hidden, (line["sac_hidden"], hidden)
        for key, value in row.items():
            if value is None:
                assert line[key] == "", f"{key} is {line[key]}, not nothing"
            elif isinstance(value, str):
                assert line[key] == value, key
            elif isinstance(value, list):
                assert [float(entry) for entry in line[key].split(" ")] == value, key
            else:
                assert float(line[key]) == value, f"{key} is {line[key]}, not {value!r}"
    assert len(seen) == len(results) == sum(len(rows) for _, _, rows in runs.values())


def check_curves(curves, runs):
    """Medians and deciles, to the last bit but one: the order of additions may differ."""
    values = collections.defaultdict(list)
    for manifest, hidden, rows in runs.values():
        group = f"{manifest['method']} sac_hidden={hidden}"
        for row in rows:
            for metric in METRICS:
                if row[metric] is not None and math.isfinite(row[metric]):
                    values[manifest["system"], group, metric, row["episode"]].append(row[metric])
    seen = set()
    for line in curves:
        key = (line["system"], line["group"], line["metric"], int(line["episode"]))
        assert key in values, f"{key} is of no run"
        assert key not in seen, f"{key} comes twice"
        seen.add(key)
        assert int(line["runs"]) == len(values[key]), key
        for column, probability in [("median", 0.5), ("decile1", 0.1), ("decile9", 0.9)]:
            ours, theirs = float(line[column]), float(np.quantile(values[key], probability))
            size = np.spacing(np.abs(values[key]).max())
            assert abs(ours - theirs) <= size, f"{column} of {key}: rhc {ours!r}, numpy {theirs!r}"
            if column == "median" and len(values[key]) % 2:
                assert ours == float(np.median(values[key])), key
    assert seen == set(values), f"missing: {set(values) - seen}"


def main():
    rhc = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "s.toml").write_text(SWEEP)
        subprocess.run([rhc, "sweep", "s.toml", "--out", "s", "--quiet"], cwd=work, check=True)
        # One run less and one that is shorter than the others: seeds are not all there at the end.
        runs = sorted((work / "s/runs").iterdir())
        subprocess.run(["rm", "-r", runs[0]], check=True)
        subprocess.run(["rm", "-r", runs[5]], check=True)
        subprocess.run([rhc, "explore", "--config", runs[6] / "config.toml", "--quiet", "--out", runs[5],
                        "--seed", runs[5].name.rsplit("-", 1)[1], "--episodes", "1"], check=True)
        subprocess.run([rhc, "sweep", "collect", "s"], cwd=work, check=True, capture_output=True)
        runs = read_runs(work / "s")
        results, curves = table(work / "s/results.csv"), table(work / "s/curves.csv")
        check_results(results, runs)
        check_curves(curves, runs)
        print(f"{len(runs)} runs, {len(results)} rows, {len(curves)} points of curves agree")


main()
