"""Learns Gymnasium's pendulum from a few episodes, then swings it up and keeps it there.

    .venv-python/bin/python examples/gymnasium_control.py 5
"""
import sys

import gymnasium
import rhc

episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 5
found = rhc.explore("Pendulum-v1", episodes=episodes, seed=1, angles=[(0, 1)], threads=1)

# The environment has no task that the library knows: upright, slow, and without much effort.
controller = rhc.Controller(
    found, target=[1, 0, 0], weight={"angle_o0": 1, "o2": 0.02}, action_weight=[0.001], horizon=40, learn=True
)
env = gymnasium.make("Pendulum-v1")
observation, _ = env.reset(seed=3)
upright = 0
for _ in range(200):
    action = controller.act(observation)                         # at once ...
    observation = env.step(action.astype("float32"))[0]
    controller.prepare(seconds=0.05)                             # ... and the rest of the period for the next plan
    upright = upright + 1 if observation[0] > 0.99 else 0
print(f"upright for the last {upright} of 200 steps")
