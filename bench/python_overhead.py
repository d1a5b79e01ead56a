"""What Python adds to asking and telling: the time of the calls over the time that the library spends in them.

    taskset -c 0 .venv-python/bin/python bench/python_overhead.py [EPISODES]

Both are of the same calls, so that what else the machine does falls out. `Explorer.seconds` is measured around the
library's own `Campaign::ask` and `tell`, which is what a program in C++ would call.
"""
import sys
import time

import numpy as np
import rhc

episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 20
for name in ["mountain-car", "pendulum", "cartpole"]:
    explorer = rhc.Explorer(name, seed=1, threads=1)
    env = rhc.SystemEnv(name)
    called = 0.0
    for _ in range(episodes):
        begin = time.perf_counter()
        proposal = explorer.ask()
        actions, mean = proposal.actions, proposal.mean
        called += time.perf_counter() - begin
        seen, done = [env.reset()[0]], []
        for action in actions:
            observation, _, terminated, _, _ = env.step(action)
            seen.append(observation)
            done.append(action)
            if terminated:
                break
        observations, actions = np.array(seen), np.array(done)
        begin = time.perf_counter()
        explorer.tell(observations, actions)
        called += time.perf_counter() - begin
    inside = explorer.seconds
    print(
        f"{name}: {1e3 * inside / episodes:.2f} ms in C++, {1e6 * (called - inside) / episodes:.0f} us added by Python, "
        f"{100 * (called / inside - 1):.3f} %"
    )
