"""Explores Gymnasium's pendulum for 20 episodes, on one thread, and says how long that took and what was learned.

    taskset -c 0 .venv-python/bin/python examples/gymnasium_pendulum.py
"""
import sys
import time

import gymnasium
import numpy as np
import rhc

episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 20
begin, cpu = time.perf_counter(), time.process_time()
found = rhc.explore("Pendulum-v1", episodes=episodes, seed=1, angles=[(0, 1)], threads=1)
print(f"{episodes} episodes: {time.perf_counter() - begin:.1f} s, {time.process_time() - cpu:.1f} s of the processor")

# How well it predicts steps of random motion that it has not seen.
env = gymnasium.make("Pendulum-v1")
env.action_space.seed(7)
observation, _ = env.reset(seed=7)
inputs, changes = [], []
for _ in range(200):
    action = env.action_space.sample()
    after = env.step(action)[0]
    inputs.append(np.concatenate([observation, action]))
    changes.append(after.astype(float) - observation)
    observation = after
error = found.belief.predict(np.array(inputs)).mean - np.array(changes)
print(f"one-step error: {np.sqrt(np.mean((error / np.std(changes, axis=0)) ** 2)):.2g} of what a step changes")
