"""What Python adds to asking and telling: the time of the calls less the time that the library spends in them.

    taskset -c 0 .venv-python/bin/python bench/python_overhead.py [EPISODES]

Both are of the same calls, so that what else the machine does falls out. `Explorer.seconds` is measured around the
library's own `Campaign::ask` and `tell`, which is what a program in C++ would call. Medians over the episodes.
"""
import statistics
import sys
import time

import numpy as np
import rhc

episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 20


def carried_out(env, actions):
    seen, done = [env.reset()[0]], []
    for action in actions:
        observation, _, terminated, _, _ = env.step(action)
        seen.append(observation)
        done.append(action)
        if terminated:
            break
    return np.array(seen), np.array(done)


for name in ["mountain-car", "pendulum", "cartpole"]:
    explorer, env = rhc.Explorer(name, seed=1, threads=1), rhc.SystemEnv(name)
    inside, added = [], []
    for _ in range(episodes):
        spent, begin = explorer.seconds, time.perf_counter()
        proposal = explorer.ask()
        actions, mean, deviation = proposal.actions, proposal.mean, proposal.deviation
        called = time.perf_counter() - begin
        observations, actions = carried_out(env, actions)
        begin = time.perf_counter()
        explorer.tell(observations, actions)
        called += time.perf_counter() - begin
        inside.append(explorer.seconds - spent)
        added.append(called - inside[-1])
    there, more = statistics.median(inside), statistics.median(added)
    print(f"{name}: {1e3 * there:.1f} ms in C++, Python adds {1e6 * more:.0f} us: {100 * more / there:.3f} %")
