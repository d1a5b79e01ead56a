"""What planned episodes teach of Gymnasium's environments, beside random ones.

    .venv-python/bin/python bench/gymnasium/exploration.py [NAME ...] [--seeds 5] [--episodes 10] [--replan 20] [key=value ...]

Episodes of 100 steps; settings as `rhc explore`. For each environment, medians over seeds: `planned / gained`, of the
nats that episodes promised and told (sums over those that were planned, and the median over single episodes); the nats
that were `gained` after the first episode, beside those of random actions; the one-step `error` on episodes of a third
policy (actions that are held, and sines), in standard deviations of what a step changes there, beside that of random
actions; the steps that were seen, and seconds of the processor a run.
"""
import argparse
import concurrent.futures
import math
import multiprocessing
import statistics
import sys
import time
import tomllib
import warnings

import gymnasium
import numpy as np

import rhc

NAMES = ["Pendulum-v1", "InvertedPendulum-v5", "Swimmer-v5", "Reacher-v5", "HalfCheetah-v5"]
ANGLES = {"Pendulum-v1": [(0, 1)], "Reacher-v5": [(0, 2), (1, 3)]}
STEPS = 100


def third_policy(name, rows=2000):
    """Inputs and changes of actions that neither method chooses."""
    env = gymnasium.make(name)
    low, high = env.action_space.low.astype(float), env.action_space.high.astype(float)
    random = np.random.default_rng(12345)
    inputs, changes = [], []
    episode = 0
    while len(inputs) < rows:
        observation, _ = env.reset(seed=1000 + episode)
        held = episode % 2 == 0
        period, phase = random.uniform(10, 60, low.size), random.uniform(0, 2 * math.pi, low.size)
        size = random.uniform(0.2, 1)
        for step in range(STEPS):
            if held and step % 10 == 0:
                level = random.uniform(-1, 1, low.size)
            share = level if held else np.sin(2 * math.pi * step / period + phase)
            action = (low + high) / 2 + size * share * (high - low) / 2
            after, _, terminated, truncated, _ = env.step(action.astype(env.action_space.dtype))
            inputs.append(np.concatenate([observation, action]))
            changes.append(np.asarray(after, dtype=float) - observation)
            observation = after
            if terminated or truncated:
                break
        episode += 1
    return np.array(inputs), np.array(changes)


def run(job):
    name, seed, episodes, replan, settings = job
    warnings.simplefilter("ignore")
    shape = {"episodes": episodes, "seed": seed, "threads": 1, "horizon": STEPS, "angles": ANGLES.get(name, []), **settings}

    def environment():
        return gymnasium.make(name, max_episode_steps=STEPS)

    random = rhc.explore(environment(), method="random", **shape)
    would_tell = []

    def ask_the_same_belief(found):
        if len(found.trajectories) < episodes:
            other = random.trajectories[len(found.trajectories)]
            would_tell.append(found.belief.information(np.hstack([other.observations[:-1], other.actions])))

    begin = time.process_time()
    found = rhc.explore(environment(), replan=replan, on_episode=ask_the_same_belief, **shape)
    seconds = time.process_time() - begin
    inputs, changes = third_policy(name)
    spread = np.maximum(changes.std(axis=0), 1e-12)

    def error(belief):
        off = belief.predict(inputs).mean - changes
        return float(np.mean(np.sqrt(np.mean(off**2, axis=0)) / spread))

    pairs = [(p, g) for p, g in zip(found.information, found.gained) if p is not None and g is not None]
    gained = sum(g for g in found.gained if g is not None)
    return {
        "error": error(found.belief),
        "random_error": error(random.belief),
        "ratio": sum(p for p, _ in pairs) / sum(g for _, g in pairs),
        "ratios": [p / g for p, g in pairs],
        "pairs": [(round(p), round(g)) for p, g in pairs],
        "remarks": found.remarks,
        "gained": gained,
        "random_gained": sum(would_tell),
        "steps": sum(len(t.actions) for t in found.trajectories),
        "random_steps": sum(len(t.actions) for t in random.trajectories),
        "seconds": seconds,
    }


def value(text):
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="NAME or key=value")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--replan", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="each run: what its episodes promised and told")
    options = parser.parse_args()
    settings = dict(word.split("=", 1) for word in options.words if "=" in word)
    settings = {key: value(text) for key, text in settings.items()}
    names = [word for word in options.words if "=" not in word] or NAMES
    print(f"{'':<22} planned/gained  episode |  gained  random |   error  random |  steps  random |   CPU s")
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        for name in names:
            seeds = range(options.first, options.first + options.seeds)
            found = list(pool.map(run, [(name, seed, options.episodes, options.replan, settings) for seed in seeds]))
            if options.verbose:
                for f in found:
                    print(f"  {name}: error {f['error']:.3g}, {f['seconds']:.0f} s, planned and gained {f['pairs']}")
                    print(*(f"    {remark}" for remark in f["remarks"]), sep="\n")

            def median(key):
                return statistics.median(f[key] for f in found)

            single = statistics.median(r for f in found for r in f["ratios"])
            print(
                f"{name:<22} {median('ratio'):>14.2f} {single:>8.2f} |"
                f" {median('gained'):>7.0f} {median('random_gained'):>7.0f} |"
                f" {median('error'):>7.2g} {median('random_error'):>7.2g} |"
                f" {median('steps'):>6.0f} {median('random_steps'):>7.0f} |"
                f" {median('seconds'):>7.1f}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
