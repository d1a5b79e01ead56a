"""The README's picture: learning curves of curious and random exploration on the three systems.

pictures.py RHC FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SYSTEMS = ["mountain-car", "pendulum", "cartpole"]


METHODS = [("random", "#1f77b4"), ("rhc-evr", "#d62728")]


def run(rhc, system, method, seed, work):
    out = work / f"{system}-{method}-{seed}"
    words = ["--method", method, "--episodes", "10", "--seed", str(seed), "--out", out, "best_achievable_transitions=0"]
    subprocess.run([rhc, "explore", system, "--quiet", *words], check=True)
    return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]


def main():
    rhc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(2, 3, figsize=(11, 5.4), sharex=True, layout="constrained")
    with tempfile.TemporaryDirectory() as work:
        for column, system in enumerate(SYSTEMS):
            for method, colour in METHODS:
                for seed in range(1, 4):
                    rows = run(rhc, system, method, seed, pathlib.Path(work))[1:]
                    episodes = [row["episode"] for row in rows]
                    excess = [max(1e-4, 100 * (row["task_cost"] / row["task_cost_limit"] - 1)) for row in rows]
                    label = method if seed == 1 else None
                    axes[0, column].semilogy(episodes, excess, color=colour, alpha=0.7, label=label)
                    axes[1, column].semilogy(episodes, [row["rmse"] for row in rows], color=colour, alpha=0.7)
            axes[0, column].set_title(system)
            axes[1, column].set_xlabel("episode")
            for axis in axes[:, column]:
                axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("task cost above\nthe limit, %")
    axes[1, 0].set_ylabel("one-step error\n(of an output's spread)")
    axes[0, 2].legend()
    figure.savefig(folder / "learning-curves.png", dpi=110)


main()
