"""Systems as Gymnasium's environments, and dm_control's tasks as such."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .explorer import SystemLike, system


class SystemEnv(gymnasium.Env):
    """A simulated system: the reward is minus what its task takes for the step, and it ends outside the limits.

    >>> import gymnasium
    >>> env = gymnasium.make("rhc/Pendulum-v0")
    >>> observation, _ = env.reset()
    >>> observation, reward, terminated, truncated, _ = env.step([1.0])
    >>> round(reward, 3)  # it hangs, a metre from where it should be
    -400.001
    """

    metadata = {"render_modes": []}

    def __init__(self, spec: SystemLike) -> None:
        self.system = system(spec)
        if not self.system.simulated:
            raise _core.InputError(f"'{self.system.name}' is a real system: it cannot be simulated")
        high = np.full(len(self.system.observation_names), np.inf)
        for pair in self.system.angles:
            high[list(pair)] = 1
        self.observation_space = gymnasium.spaces.Box(-high, high, dtype=np.float64)
        self._bounds = self.system.action_bounds
        self.action_space = gymnasium.spaces.Box(*self._bounds, dtype=np.float64)
        self._limits = self.system.limits

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """To the system's start, or to options["state"]."""
        super().reset(seed=seed)
        self._state = np.array((options or {}).get("state", self.system.start), dtype=float)
        self._observation = self.system.observe(self._state)
        return self._observation, {"state": self._state}

    def step(self, action: ArrayLike) -> tuple[np.ndarray, float, bool, bool, dict]:
        action = np.clip(np.asarray(action, dtype=float), *self._bounds)
        reward = -self.system.stage_cost(self._observation, action)
        self._state = self.system.step(self._state, action)
        self._observation = self.system.observe(self._state)
        lower, upper = self._limits
        inside = np.all((self._observation >= lower) & (self._observation <= upper))
        return self._observation, reward, not inside, False, {"state": self._state}


def _register() -> None:
    for name, bundled in [("Pendulum", "pendulum"), ("Cartpole", "cartpole"), ("MountainCar", "mountain-car")]:
        gymnasium.register(
            id=f"rhc/{name}-v0",
            entry_point="rhc.environments:SystemEnv",
            kwargs={"spec": bundled},
            max_episode_steps=_core.System.open(bundled).horizon,
        )


_register()


class _DmControlEnv(gymnasium.Env):
    metadata = {"render_modes": []}

    def __init__(self, env: Any) -> None:
        self._env = env
        actions = env.action_spec()
        self.action_space = gymnasium.spaces.Box(
            np.broadcast_to(actions.minimum, actions.shape).astype(np.float64),
            np.broadcast_to(actions.maximum, actions.shape).astype(np.float64),
            dtype=np.float64,
        )
        size = sum(int(np.prod(spec.shape)) for spec in env.observation_spec().values())
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), dtype=np.float64)

    @staticmethod
    def _flat(time_step: Any) -> np.ndarray:
        return np.concatenate([np.ravel(part) for part in time_step.observation.values()]).astype(np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        if seed is not None:
            self._env.task.random.seed(seed)
        return self._flat(self._env.reset()), {}

    def step(self, action: ArrayLike) -> tuple[np.ndarray, float, bool, bool, dict]:
        time_step = self._env.step(np.asarray(action, dtype=float))
        # The end of the time is no end of the task: the discount tells them apart.
        ended = time_step.last() and time_step.discount == 0
        return self._flat(time_step), float(time_step.reward or 0), ended, time_step.last() and not ended, {}

    def close(self) -> None:
        self._env.close()


def from_dm_control(env: Any) -> gymnasium.Env:
    """A task of dm_control as an environment: its observations side by side, in their order."""
    return _DmControlEnv(env)
