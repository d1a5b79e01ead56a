"""Soft actor-critic against stable-baselines3 on Gymnasium's Pendulum-v1, in one run, on one core.

    OPENBLAS_NUM_THREADS=1 taskset -c 0 .venv-bench/bin/python bench/peers/sac.py build/bin/sac [STEPS]

Both have networks of 64 x 64, batches of 64, a buffer of 50000, and one update a step. Seeds take
turns, so that a slower minute of the machine meets both. Prints each return (the mean of 10 episodes
of the policy without noise) and the steps a second, and at the end the ratio.
"""

import json
import statistics
import subprocess
import sys
import time

import gymnasium
import torch
from stable_baselines3 import SAC
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor


def peer(seed, steps):
    environment = Monitor(gymnasium.make("Pendulum-v1"))
    model = SAC("MlpPolicy", environment, learning_rate=3e-4, buffer_size=50000, batch_size=64, tau=0.005,
                gamma=0.99, train_freq=1, gradient_steps=1, learning_starts=100,
                policy_kwargs={"net_arch": [64, 64]}, seed=seed, device="cpu")
    begin = time.perf_counter()
    model.learn(steps)
    seconds = time.perf_counter() - begin
    environment.reset(seed=1000 + seed)
    mean, _ = evaluate_policy(model, environment, n_eval_episodes=10, deterministic=True)
    return {"return": mean, "steps_per_second": steps / seconds}


def main():
    program = sys.argv[1]
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    torch.set_num_threads(1)
    seeds = [1, 2, 3, 4, 5]
    results = {"rhc": [], "stable-baselines3": []}
    print(f"{'seed':>4} {'rhc return':>12} {'peer return':>12} {'rhc steps/s':>12} {'peer steps/s':>13} {'ratio':>6}")
    for seed in seeds:
        own = json.loads(subprocess.run([program, str(steps), str(seed), str(seed)], check=True,
                                        capture_output=True, text=True).stdout)
        other = peer(seed, steps)
        results["rhc"].append(own)
        results["stable-baselines3"].append(other)
        print(f"{seed:>4} {own['return']:>12.1f} {other['return']:>12.1f} {own['steps_per_second']:>12.1f} "
              f"{other['steps_per_second']:>13.1f} {own['steps_per_second'] / other['steps_per_second']:>6.1f}",
              flush=True)
    median = {name: {key: statistics.median(r[key] for r in rows) for key in rows[0] if key != "seed"}
              for name, rows in results.items()}
    own, other = median["rhc"], median["stable-baselines3"]
    good = sum(r["return"] >= -200 for r in results["rhc"])
    print(f"median return after {steps} steps: rhc {own['return']:.1f}, stable-baselines3 {other['return']:.1f}; "
          f"rhc at least -200 on {good} of {len(seeds)} seeds")
    print(f"steps a second on one core: rhc {own['steps_per_second'] / other['steps_per_second']:.1f} times "
          "stable-baselines3")


if __name__ == "__main__":
    main()
