"""Explores any Gymnasium environment with boxes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .explorer import Explorer, Trajectory

# Spaces write the largest number of their type, or some other large one, where there is no bound.
_NO_BOUND = 1e10


@dataclass
class Exploration:
    """What an exploration saw, and who explored: ask `explorer` to go on."""

    explorer: Explorer
    trajectories: list[Trajectory] = field(default_factory=list)
    rewards: list[np.ndarray] = field(default_factory=list)
    terminated: list[bool] = field(default_factory=list)
    information: list[float | None] = field(default_factory=list)  # nats that each was expected to tell
    gained: list[float | None] = field(default_factory=list)  # nats that each told
    left_out: list[int] = field(default_factory=list)  # steps of each that led outside the limits, or came after
    remarks: list[str] = field(default_factory=list)  # what a person should know of them

    @property
    def belief(self) -> _core.BayesianLinearModel | None:
        return self.explorer.belief

    @property
    def learned_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) of the observations, beyond which episodes were terminated and none went on; infinite: none."""
        return self.explorer.learned_limits

    @property
    def system(self) -> _core.System:
        return self.explorer.system


def _box(space: gymnasium.Space, what: str) -> gymnasium.spaces.Box:
    if not isinstance(space, gymnasium.spaces.Box):
        raise _core.InputError(
            f"the {what} space is {type(space).__name__}, not a Box: one of gymnasium.wrappers, such as "
            "FlattenObservation, may make it one"
        )
    return space


def _flat_bounds(box: gymnasium.spaces.Box) -> tuple[np.ndarray, np.ndarray]:
    return box.low.astype(float).ravel(), box.high.astype(float).ravel()


class _Plant:
    """An environment of flat observations."""

    def __init__(self, env: gymnasium.Env) -> None:
        self.env = env
        self.actions = _box(env.action_space, "action")
        self.action_bounds = _flat_bounds(self.actions)
        self.observation_bounds = _flat_bounds(_box(env.observation_space, "observation"))
        if not np.all(np.abs(self.action_bounds) < _NO_BOUND):
            raise _core.InputError(
                "the action space is not bounded: gymnasium.wrappers.TransformAction can make it a Box with bounds"
            )

    def reset(self, seed: int | None) -> np.ndarray:
        return np.asarray(self.env.reset(seed=seed)[0], dtype=float).ravel()

    def carry_out(
        self, first: np.ndarray, steps: int, policy: Callable[[np.ndarray, int], np.ndarray]
    ) -> tuple[Trajectory, np.ndarray, bool]:
        space = self.actions
        seen, done, rewards, terminated = [first], [], [], False
        for step in range(steps):
            action = policy(seen[-1], step)
            # What is told is what the environment was given, in its own precision.
            given = np.clip(action.reshape(space.shape).astype(space.dtype), space.low, space.high)
            observation, reward, terminated, truncated, _ = self.env.step(given)
            seen.append(np.asarray(observation, dtype=float).ravel())
            done.append(given.astype(float).ravel())
            rewards.append(float(reward))
            if terminated or truncated:
                break
        return Trajectory(np.array(seen), np.array(done)), np.array(rewards), bool(terminated)


def _region(given: ArrayLike | None, bounds: Sequence[np.ndarray], seen: np.ndarray) -> np.ndarray:
    """Where the motion is to be learned: as given, as the space is bounded, or twice as wide as what was seen."""
    if given is not None:
        return np.asarray(given, dtype=float)
    lowest, highest = seen.min(axis=0), seen.max(axis=0)
    margin = (highest - lowest) / 2
    lower = np.where(np.abs(bounds[0]) < _NO_BOUND, bounds[0], lowest - margin)
    upper = np.where(np.abs(bounds[1]) < _NO_BOUND, bounds[1], highest + margin)
    return np.array([lower, upper])


def explore(
    env: gymnasium.Env | str,
    episodes: int = 10,
    *,
    seed: int = 1,
    method: str = "rhc-evr",
    threads: int = 0,
    horizon: int | None = None,
    angles: Sequence[tuple[int, int]] = (),
    limits: ArrayLike | None = None,
    region: ArrayLike | None = None,
    time_step: float = 1.0,
    history: int = 1,
    replan: int = 0,
    nominal: Callable[[np.ndarray, np.ndarray], ArrayLike] | None = None,
    on_episode: Callable[[Exploration], Any] | None = None,
    **settings: Any,
) -> Exploration:
    """Explores an environment, or one of a registered id, and returns what was seen and believed.

    Every episode is a plan of `horizon` steps (the environment's time limit, or 200), carried out without looking
    until it ends; with `replan`, the rest is planned anew every so many steps, with what was seen until then. (In the
    first episode only where its region is known: given, or bounds of the space.) `angles` names pairs (cosine, sine) in the observation. `limits` and `region` are pairs (lower,
    upper) of observations: plans stay inside the limits, and the motion is to be learned in the region (by default what
    the space is bounded by, or else twice what the first episode saw). Where velocities are not observed, `history`
    gives the model more than the last observation. `nominal(observation, action)` returns the next observation as far as
    it is known already, such as a simulator's; what it has wrong is learned. `on_episode` is called with what there is after each one: keep it
    where Ctrl-C may end the exploration.

    Where the environment terminates an episode, a limit is learned from it that later plans stay inside (`learned_limits`);
    with learn_limits=False, where that is a goal, none is. A warning says so, and where an episode told far less than its
    plan promised, or led outside the limits.

    >>> found = rhc.explore("rhc/MountainCar-v0", episodes=2, features=20)
    >>> len(found.trajectories), found.belief.count == sum(len(t.actions) for t in found.trajectories)
    (2, True)
    """
    made = isinstance(env, str)
    env = gymnasium.make(env) if isinstance(env, str) else env
    try:
        plant = _Plant(env)
        if horizon is None:
            horizon = (env.spec.max_episode_steps if env.spec else None) or 200
        first = plant.reset(seed)
        bounded = bool(np.all(np.abs(plant.observation_bounds) < _NO_BOUND))
        unbounded = np.array([np.full(first.size, -np.inf), np.full(first.size, np.inf)])

        def explorer_of(seen: np.ndarray) -> Explorer:
            system = _core.measured_system(
                name=env.spec.id.replace("/", "-") if env.spec else "environment",
                start=first,
                region=_region(region, plant.observation_bounds, seen),
                limits=unbounded if limits is None else limits,
                action_bounds=plant.action_bounds,
                angles=list(angles),
                horizon=horizon,
                time_step=time_step,
                history=history,
                nominal=nominal,
            )
            return Explorer(system, method=method, seed=seed, threads=threads, replan=replan, **settings)

        found = Exploration(explorer_of(first[None]))
        for episode in range(episodes):
            proposal = found.explorer.ask(first)
            region_known = episode > 0 or region is not None or bounded
            looks = replan > 0 and region_known
            trajectory, rewards, terminated = plant.carry_out(
                first,
                len(proposal.actions),
                (lambda seen, step: found.explorer.act(seen)) if looks else (lambda seen, step: proposal.actions[step]),
            )
            if not region_known:
                # The first actions need no region, and are the same again from who knows it.
                found.explorer = explorer_of(trajectory.observations)
                found.explorer.ask(first)
            told = found.explorer.tell(trajectory, ended=terminated)
            found.trajectories.append(trajectory)
            found.rewards.append(rewards)
            found.terminated.append(terminated)
            found.information.append(told.planned)
            found.gained.append(told.gained)
            found.left_out.append(told.left_out)
            for remark in told.remarks:
                found.remarks.append(f"episode {episode + 1}: {remark}")
                warnings.warn(found.remarks[-1], RuntimeWarning, stacklevel=2)
            if on_episode:
                on_episode(found)
            if episode + 1 < episodes:
                first = plant.reset(None)
        return found
    finally:
        if made:
            env.close()
