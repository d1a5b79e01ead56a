"""Reads the exports of a run with numpy and Python's own modules, and compares with its directory.

check_export.py RHC
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


WORDS = ("plan_status", "trouble")
LISTS = ("information_by_output",)


def table(path):
    """The header and rows of a run's own file."""
    rows = [line.split(",") for line in pathlib.Path(path).read_text().splitlines()]
    return rows[0], rows[1:]


def same(what, a, b):
    assert np.asarray(a).shape == np.asarray(b).shape, f"{what}: {np.shape(a)} and {np.shape(b)}"
    assert np.array_equal(a, b, equal_nan=np.asarray(b).dtype.kind == "f"), f"{what} differs"


def check(rhc, system, outputs, run):
    def export(*options):
        return subprocess.run([rhc, "export", run, *options], check=True, capture_output=True).stdout

    names = table(run / "episodes/0001.csv")[0][1:]
    episodes = {int(p.stem): table(p)[1] for p in sorted((run / "episodes").glob("*.csv"))}
    metrics = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]

    # Steps: the same numbers in the same order, nothing where nobody acts.
    expected = [[str(e), *row] for e, rows in episodes.items() for row in rows]
    rows = list(csv.reader(io.StringIO(export("--format", "csv").decode())))
    assert rows[0] == ["episode", "step", *names], rows[0]
    assert rows[1:] == expected, "csv differs"
    lines = [json.loads(line) for line in export("--format", "jsonl").decode().splitlines()]
    assert all(list(line) == ["episode", "step", *names] for line in lines)
    as_numbers = [[float(c) if c else None for c in row] for row in expected]
    assert [list(line.values()) for line in lines] == as_numbers, "jsonl differs"

    # Metrics.
    # A row without scores does not have every key; a table has every column.
    absent = ("log_likelihood_coherent", "information_by_output", "task_cost_closed", "task_cost_closed_limit")
    complete = [{**dict.fromkeys(absent), "left_out": 0, **row} for row in metrics]
    assert [json.loads(line) for line in export("--format", "jsonl", "--metrics").decode().splitlines()] == metrics
    rows = list(csv.DictReader(io.StringIO(export("--format", "csv", "--metrics").decode())))
    assert len(rows) == len(metrics)
    for row, stored in zip(rows, complete):
        assert sorted(row) == sorted(stored)
        for key, cell in row.items():
            value = None if cell == "" else cell if key in WORDS else float(cell) if key not in LISTS else [
                float(entry) for entry in cell.split(" ")]
            assert value == stored[key], f"metrics csv: {key} is {cell}, stored {stored[key]}"

    # Arrays, from a pipe and from a file.
    subprocess.run([rhc, "export", run, "--format", "npz", "--out", run / "x.npz"], check=True)
    assert (run / "x.npz").read_bytes() == export("--format", "npz"), "npz differs from call to call"
    with np.load(run / "x.npz", allow_pickle=False) as arrays:
        values = np.array([[float(c) for c in row[:-1] + [row[-1] or "nan"]] for row in expected])
        last = np.isnan(values[:, -1])
        same("episode", arrays["episode"], values[~last, 0].astype(np.int64))
        same("step", arrays["step"], values[~last, 1].astype(np.int64))
        same("observations", arrays["observations"], values[~last, 2 : 2 + outputs])
        same("actions", arrays["actions"], values[~last, 2 + outputs :])
        after = np.flatnonzero(~last) + 1
        same("next_observations", arrays["next_observations"], values[after, 2 : 2 + outputs])
        same("observation_names", arrays["observation_names"], np.array(names[:outputs]))
        same("action_names", arrays["action_names"], np.array(names[outputs:]))
        for key in complete[0]:
            column = [row[key] for row in complete]
            if key in WORDS:
                same(key, arrays["metrics_" + key], np.array([v or "" for v in column]))
            elif key in LISTS:
                column = np.array([[np.nan] * outputs if v is None else v for v in column], dtype=np.float64)
                same(key, arrays["metrics_" + key], column)
            else:
                column = np.array([np.nan if v is None else v for v in column], dtype=np.float64)
                same(key, arrays["metrics_" + key], column)
        assert arrays["episode"].dtype == np.int64 and arrays["step"].dtype == np.int64
        assert len(arrays.files) == 7 + len(complete[0]), arrays.files
    print(f"{system}: {len(expected)} steps, {len(metrics)} rows: csv, jsonl and npz agree")


def main():
    rhc = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        for system, outputs in [("mountain-car", 2), ("pendulum", 3), ("cartpole", 5)]:
            run = pathlib.Path(work) / system
            subprocess.run(
                [rhc, "explore", system, "--quiet", "--episodes", "3", "--out", run, "features=40",
                 "test_trajectories=50", "best_achievable_transitions=0", "limit_hops=0", "task_hops=0", "task_draws=0",
                 "observation_noise=0.01"],
                check=True,
            )
            check(rhc, system, outputs, run)


main()
