"""The README's picture: learning curves of random exploration on the three systems.

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


def run(rhc, system, seed, work):
    out = work / f"{system}-{seed}"
    subprocess.run([rhc, "explore", system, "--quiet", "--seed", str(seed), "--out", out], check=True)
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return rows, json.loads((out / "best_achievable.json").read_text())


def main():
    rhc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(2, 3, figsize=(11, 5.4), sharex=True, layout="constrained")
    with tempfile.TemporaryDirectory() as work:
        for column, system in enumerate(SYSTEMS):
            for seed in range(1, 4):
                rows, best = run(rhc, system, seed, pathlib.Path(work))
                episodes = [row["episode"] for row in rows]
                axes[0, column].semilogy(episodes, [row["rmse"] for row in rows], color="#1f77b4", alpha=0.7)
                axes[1, column].plot(episodes[1:], [row["log_likelihood_one_step"] for row in rows[1:]],
                                     color="#1f77b4", alpha=0.7)
            axes[0, column].axhline(best["rmse"], color="#444", linestyle="--", linewidth=1)
            axes[1, column].axhline(best["log_likelihood_one_step"], color="#444", linestyle="--", linewidth=1)
            axes[0, column].set_title(system)
            axes[1, column].set_xlabel("episode")
            for axis in axes[:, column]:
                axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("one-step error\n(of an output's spread)")
    axes[1, 0].set_ylabel("one-step log-likelihood\nof unseen trajectories")
    figure.suptitle("random exploration, three seeds; dashed: the best achievable", fontsize=11)
    figure.savefig(folder / "random-exploration.png", dpi=110)


main()
