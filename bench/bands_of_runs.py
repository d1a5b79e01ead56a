"""What programs announced and what came, from the run directories that they leave: two versions of rhc side by side.

    python3 bench/bands_of_runs.py RHC [RHC ...] [--systems pendulum,...] [--seeds 20] [--first 101] [--jobs 2]

Each program explores every system without noise and with about 1 % of it, five episodes a seed. Printed are the share of
measurements inside the announced 95 % bands before episodes 2 to 5, pooled over the seeds, and the mean interval score:
the width of a band and 40 times what lies outside of it, in standard deviations of the observation over the region of
interest. `build/bin/bands` prints the same of this version, and of machines, without run directories.
"""
import argparse
import csv
import math
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REACH = 1.959964
OF_CIRCLE = math.sqrt(0.5)


def of_range(width):
    return width / math.sqrt(12)


# By observation: deviation over the region of interest, and the noise of about 1 % (usual_noise.h).
SYSTEMS = {
    "mountain-car": ([of_range(1.65), of_range(0.13)], [0.01, 0.001]),
    "pendulum": ([OF_CIRCLE, OF_CIRCLE, of_range(16)], [0.01, 0.01, 0.05]),
    "cartpole": ([of_range(3.2), OF_CIRCLE, OF_CIRCLE, of_range(8), of_range(8)], [0.005, 0.01, 0.01, 0.02, 0.05]),
}
EPISODES = range(2, 6)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def compare(run, episode, scales):
    """Values inside, values in all, and the sum of their interval scores."""
    inside = points = score = 0
    seen = rows(run / f"episodes/{episode:04d}.csv")
    announced = rows(run / f"predictions/{episode:04d}.csv")
    names = [name.removesuffix("_sd") for name in announced[0] if name.endswith("_sd")]
    for told, came in list(zip(announced, seen))[1:]:
        for name, scale in zip(names, scales):
            half = REACH * float(told[name + "_sd"])
            off = abs(float(came[name]) - float(told[name]))
            inside += off <= half
            points += 1
            score += (2 * half + 40 * max(0.0, off - half)) / scale
    return inside, points, score


def explore(program, system, noise, seed, folder):
    run = folder / f"{system}-{seed}"
    settings = [f"observation_noise=[{','.join(map(str, noise))}]"] if noise else []
    command = [program, "explore", system, "--no-evaluation", "--quiet", "--episodes", str(EPISODES[-1])]
    subprocess.run([*command, "--threads", "1", "--seed", str(seed), "--out", run, *settings], check=True)
    return [compare(run, episode, SYSTEMS[system][0]) for episode in EPISODES]


def study(program, system, noise, seeds, jobs):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        runs = list(pool.map(lambda seed: explore(program, system, noise, seed, Path(folder)), seeds))
    pooled = [[sum(column) for column in zip(*counts)] for counts in zip(*runs)]
    inside, points, score = (sum(column) for column in zip(*pooled))
    least = min(sum(c[0] for c in run) / sum(c[1] for c in run) for run in runs)
    shares = " ".join(f"{i / p:7.3f}" for i, p, _ in pooled)
    print(f"{system:13} {'noisy' if noise else 'clean'} {shares}  least {least:.3f} | {score / points:10.4f} | {program}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", metavar="RHC")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=101)
    parser.add_argument("--jobs", type=int, default=2)
    wanted = parser.parse_args()
    seeds = range(wanted.first, wanted.first + wanted.seeds)
    print("share inside before episodes 2 to 5, least seed | mean interval score")
    for system in wanted.systems.split(","):
        for noise in ([], SYSTEMS[system][1]):
            for program in wanted.programs:
                study(program, system, noise, seeds, wanted.jobs)


if __name__ == "__main__":
    main()
