"""Ask which experiment teaches the most, and tell what came of it."""

from __future__ import annotations

import json
import os
import tomllib
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core

SystemLike = Union[str, os.PathLike, Mapping, _core.System]


class Trajectory(NamedTuple):
    """One experiment: T + 1 observations and T actions, one a row."""

    observations: np.ndarray
    actions: np.ndarray


# Names and numbers, or "90 deg" with a unit of its own; or a number for each observation.
Target = Union[Mapping[str, Union[float, str]], ArrayLike, None]
# A target for every step: a CSV file, columns by name, or rows of observations.
Reference = Union[str, os.PathLike, Mapping[str, ArrayLike], ArrayLike, None]

# An observation, after a past at rest; or all that was seen and done until now.
Start = Union[ArrayLike, Trajectory, None]


def _past(start: Start) -> tuple[Any, Any]:
    """Observations until now, and the actions between them: None where there are none."""
    if hasattr(start, "observations") and hasattr(start, "actions"):
        return (start.observations, start.actions) if len(start.actions) else (start.observations[-1], None)
    return start, None


def _toml(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return json.dumps(os.fspath(value) if isinstance(value, os.PathLike) else str(value), ensure_ascii=False)


def _setting(value: Any) -> str:
    """A value as the command line takes it."""
    return value if isinstance(value, str) else _toml(value)


def system(spec: SystemLike) -> _core.System:
    """A bundled system's name, a TOML file, or a dict of the same shape.

    >>> rhc.system("cartpole").observation_names
    ['x', 'cos', 'sin', 'xdot', 'thetadot']
    >>> rhc.system({"name": "cart", "time_step": 0.1, "horizon": 50,
    ...             "observation": [{"name": "x", "unit": "m", "start": 0, "limits": [-1, 1]}],
    ...             "action": [{"name": "push", "bounds": [-2, 2]}]})
    <rhc.System 'cart'>
    >>> rhc.system("pendulun")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rhc.InputError: unknown system 'pendulun'; did you mean 'pendulum'? ...
    """
    if isinstance(spec, _core.System):
        return spec
    if isinstance(spec, Mapping):
        text = "".join(f"{json.dumps(str(key))} = {_toml(value)}\n" for key, value in spec.items())
        return _core.System.parse(text, "spec", os.getcwd())
    return _core.System.open(os.fspath(spec))


class Explorer(_core.Explorer):
    """Proposes experiments and learns from what they showed.

    `spec` is what `rhc.system` takes. Settings are those of `rhc config show`, such as features=90. The result does
    not depend on the number of threads (0: all).

    >>> explorer = rhc.Explorer("pendulum", method="rhc-evr", seed=3, features=20)
    >>> env = rhc.SystemEnv("pendulum")
    >>> for _ in range(2):
    ...     proposal = explorer.ask()
    ...     seen = [env.reset()[0]] + [env.step(action)[0] for action in proposal.actions]
    ...     told = explorer.tell(seen, proposal.actions)
    >>> told.gained > 1
    True
    >>> explorer.belief
    <rhc.BayesianLinearModel of 111 features, 200 transitions>
    >>> proposal = explorer.ask()
    >>> proposal.experiment, proposal.mean.shape, proposal.deviation.shape
    (3, (101, 3), (101, 3))
    >>> len(explorer.act(proposal.start))  # step by step, instead: with replan=10 the rest is planned anew on the way
    1
    >>> explorer.tell(seen[:5], proposal.actions)
    Traceback (most recent call last):
    rhc.InputError: 5 observations and 100 actions: an experiment has one observation more than actions
    """

    def __init__(
        self,
        spec: SystemLike,
        method: str = "rhc-evr",
        seed: int = 1,
        threads: int = 0,
        preset: str = "default",
        **settings: Any,
    ) -> None:
        texts = {key: _setting(value) for key, value in settings.items()}
        super().__init__(system(spec), method, seed, threads, preset, texts)

    def ask(self, start: Start = None) -> _core.Proposal:
        """The next experiment, from where the description says or from this observation.

        Where the model looks back (`history`), a trajectory may be given instead: it ends where the system is now. Asked twice, it is the same until something was told. A warning says where no plan was found inside the limits,
        or nothing but rest.
        """
        proposal = super().ask(*_past(start))
        if trouble := self.plan_trouble(proposal):
            warnings.warn(
                f"experiment {proposal.experiment}: {trouble}; look at its actions and its forecast before you use it",
                RuntimeWarning,
                stacklevel=2,
            )
        return proposal

    def tell(
        self, observations: ArrayLike | Trajectory, actions: ArrayLike | None = None, *, ended: bool = False
    ) -> _core.Told:
        """What was observed, (T + 1, D), and done, (T, k), of any length; or a trajectory that holds both.

        Of a system whose observations follow from something else, such as angles, that may be given instead. Returns
        the nats that the experiment was expected to tell, `planned`, and those that it told, `gained`; and what a person
        should know of it, `remarks`. `ended`: the system itself ended it early, such as a machine that fell. Then plans stay
        inside a limit that this teaches, `learned_limits`.
        """
        if actions is None:
            trajectory: Any = observations
            try:
                observations, actions = trajectory.observations, trajectory.actions
            except AttributeError:
                raise TypeError("tell takes observations and actions, or a trajectory that holds both") from None
        return super().tell(observations, actions, ended)

    def solve(
        self,
        starts: int = 0,
        hops: int = -1,
        draws: int = -1,
        start: Start = None,
        *,
        target: Target = None,
        weight: Target = None,
        final_weight: Target = None,
        action_weight: Target = None,
        reference: Reference = None,
    ) -> _core.Plan:
        """The system's task, planned with what was learned, from its start or from where it is now.

        It is planned for `draws` systems that what was learned leaves possible (0: for its mean; default: the setting
        task_draws). `start` is what `ask` takes; another target or other weights are given as to `Run.solve`. InputError
        before any data.
        """
        plan, remarks = super().solve(
            starts, hops, draws, *_past(start), target, weight, final_weight, action_weight, reference
        )
        for remark in remarks:
            warnings.warn(remark, RuntimeWarning, stacklevel=2)
        return plan

    @property
    def config(self) -> dict[str, Any]:
        """Every setting in force."""
        return tomllib.loads(self.config_toml)


def plan(
    model: _core.BayesianLinearModel,
    spec: SystemLike,
    start: Start = None,
    objective: str = "evr",
    *,
    weights: str = "uniform",
    discount: float = 0.97,
    starts: int = 16,
    hops: int = 0,
    stay_inside: bool = True,
    limit_margin: float = 0.05,
    threads: int = 0,
    seed: int = 1,
) -> _core.Plan:
    """The best actions for a belief about a system, from its start or from this observation.

    The objective is a curious one, "evr", "info" or "us", or the system's own "task". Where the model looks back, `start`
    may be a trajectory, which ends where the system is now.

    >>> explorer = rhc.Explorer("pendulum", features=20)
    >>> env = rhc.SystemEnv("pendulum")
    >>> actions = explorer.ask().actions
    >>> told = explorer.tell([env.reset()[0]] + [env.step(action)[0] for action in actions], actions)
    >>> curious = rhc.plan(explorer.belief, "pendulum", starts=4)
    >>> curious.actions.shape, curious.states.shape
    ((100, 1), (101, 3))
    """
    return _core.plan_on(
        model, system(spec), *_past(start), objective, weights, discount, starts, hops, stay_inside, limit_margin,
        threads, seed,
    )
