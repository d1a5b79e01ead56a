"""Makes rows like those beside it, and more of them: what Gymnasium's MuJoCo environments do under coloured random actions.

    python3 bench/gymnasium/rows.py FOLDER [ROWS=15000] [NAME=HalfCheetah-v5]

Writes FOLDER/NAME.npy: ROWS to learn from, 3000 of the same kind, and 3000 under much slower actions. A row is observation, action
and the change of the observation, in single precision.
"""

import pathlib
import sys

import gymnasium
import numpy as np

STEPS = 200  # from each reset
UNSEEN = 3000

folder = pathlib.Path(sys.argv[1])
learned = int(sys.argv[2]) if len(sys.argv) > 2 else 15000
name = sys.argv[3] if len(sys.argv) > 3 else "HalfCheetah-v5"

env = gymnasium.make(name).unwrapped
random = np.random.default_rng(1)


def rows(count, colours):
    made = []
    episode = 0
    while len(made) < count:
        observation, _ = env.reset(seed=int(random.integers(2**31)))
        colour = colours[episode % len(colours)]
        noise = random.standard_normal(env.action_space.shape)
        for _ in range(min(STEPS, count - len(made))):
            share = 0.5 + 0.5 * np.tanh(1.2 * noise)
            action = env.action_space.low + share * (env.action_space.high - env.action_space.low)
            after, _, ended, _, _ = env.step(action)
            made.append(np.concatenate([observation, action, after - observation]))
            observation = after
            noise = colour * noise + np.sqrt(1 - colour**2) * random.standard_normal(noise.shape)
            if ended:
                break
        episode += 1
    return made


everything = rows(learned, [0, 0.7, 0.9]) + rows(UNSEEN, [0, 0.7, 0.9]) + rows(UNSEEN, [0.98])
folder.mkdir(parents=True, exist_ok=True)
np.save(folder / f"{name}.npy", np.array(everything, np.float32))
