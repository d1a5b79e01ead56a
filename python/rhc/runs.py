"""Runs that `rhc explore` left, as tables; and datasets of them."""

from __future__ import annotations

import json
import os
import tomllib
import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .explorer import Reference, Start, Target, Trajectory, _past

if TYPE_CHECKING:
    import minari
    import pandas

    from .exploration import Exploration


class Run:
    """A run directory. Episodes that are damaged are left out, and named in `damaged`."""

    def __init__(self, path: str | os.PathLike) -> None:
        record = _core.read_run(path)
        self.path = os.fspath(path)
        self.manifest: dict[str, Any] = json.loads(record.manifest_json)
        self.config: dict[str, Any] = tomllib.loads(record.config_toml)
        self.status: str = record.status
        self.damaged: list[str] = record.damaged
        self.recovered: list[str] = record.recovered
        self.system: _core.System = record.system
        self._record = record
        whole = {k: e for k, e in enumerate(record.episodes, start=1) if e is not None}
        self._episodes = {k: Trajectory(observations, actions) for k, (observations, actions, _) in whole.items()}
        self._ended = [ended for _, _, ended in whole.values()]

    @property
    def trajectories(self) -> list[Trajectory]:
        """What was seen and done, episode by episode."""
        return list(self._episodes.values())

    @property
    def rewards(self) -> list[np.ndarray]:
        """Minus what the task takes for each step."""
        cost = self.system.stage_cost
        return [np.array([-cost(o, a) for o, a in zip(t.observations, t.actions)]) for t in self.trajectories]

    @property
    def terminated(self) -> list[bool]:
        """Whether each was ended by the plant, or ended outside the limits."""
        lower, upper = self.system.limits
        ends = [t.observations[-1] for t in self.trajectories]
        return [e or bool(np.any((end < lower) | (end > upper))) for e, end in zip(self._ended, ends)]

    @property
    def belief(self) -> _core.BayesianLinearModel | None:
        """The last one, as the run keeps it."""
        return self._record.belief

    @cached_property
    def episodes(self) -> pandas.DataFrame:
        """A row a step: `episode`, `step`, the observations, the actions, which an episode's last row does not have."""
        import pandas

        parts = []
        for number, (observations, actions) in self._episodes.items():
            part = pandas.DataFrame(observations, columns=self.system.observation_names)
            part.insert(0, "episode", number)
            part.insert(1, "step", np.arange(len(observations)))
            part[self.system.action_names] = np.vstack([actions, np.full((1, actions.shape[1]), np.nan)])
            parts.append(part)
        names = ["episode", "step", *self.system.observation_names, *self.system.action_names]
        return pandas.concat(parts, ignore_index=True) if parts else pandas.DataFrame(columns=names)

    @cached_property
    def metrics(self) -> pandas.DataFrame:
        """A row before any data and one after each episode; docs/formats.md explains the columns."""
        import pandas

        return pandas.DataFrame([json.loads(line) for line in self._record.metrics_jsonl.splitlines()])

    def solve(
        self,
        start: Start = None,
        *,
        target: Target = None,
        weight: Target = None,
        final_weight: Target = None,
        action_weight: Target = None,
        reference: Reference = None,
        horizon: int = 0,
        starts: int = 0,
        hops: int = -1,
        draws: int = -1,
        sigmas: float | None = None,
        threads: int = 0,
    ) -> _core.Solution:
        """The task, planned with what was learned: as `rhc solve`, with another target or other weights if wanted.

        `target={"angle": 3.14}` and `weight={"speed": 0.1}` go by the names of what is measured, an angle's own in place
        of its cosine and sine; "90 deg" has a unit of its own. Arrays have a number for each observation. `reference` is
        a target for every step: a CSV file, a dict of columns or rows of observations. What was decided without being
        asked for is a warning.
        """
        solution = self._record.solve(
            *_past(start), target, weight, final_weight, action_weight, reference, horizon, starts, hops, draws, sigmas,
            threads,
        )
        for remark in solution.remarks:
            warnings.warn(remark, RuntimeWarning, stacklevel=2)
        return solution

    def c_code(self, solution: _core.Solution | None = None) -> str:
        """A controller of a solution (by default of `solve()`) as one file of C99, as `rhc export --format c` writes it."""
        return self._record.c_code(self.solve() if solution is None else solution)

    def validate(
        self,
        logs: str | os.PathLike | Trajectory | Iterable[Any],
        steps: int = 10,
        every: int = 1,
        *,
        resample: bool = False,
        delay: float = 0.0,
        threads: int = 0,
    ) -> _core.Validation:
        """What the run has learned, against logs that it did not learn from: as `rhc validate`.

        A log is a CSV file as `rhc tell` takes it, or observations, (T + 1, D), and actions, (T, k). From every so many
        rows, forecasts run so many steps ahead with the actions as they were. What a person should know of a log is a
        warning. `resample` and `delay` are of files.
        """
        if delay and not resample:
            raise _core.InputError("a delay is taken off when resampling; say resample=True, too")
        if isinstance(logs, (str, os.PathLike, Trajectory)):
            logs = [logs]
        read = []
        for number, log in enumerate(logs, start=1):
            if isinstance(log, (str, os.PathLike)):
                read.append(self._record.read_log(log, resample, delay))
            else:
                observations, actions = log
                read.append(self._record.log_of(f"log {number}", observations, actions))
            for remark in read[-1].remarks:
                warnings.warn(f"{read[-1].name}: {remark}", RuntimeWarning, stacklevel=2)
        return self._record.validate(read, steps, every, threads)

    def __repr__(self) -> str:
        return f"<rhc.Run '{self.path}' of {len(self._episodes)} episodes, {self.status}>"


def load_run(path: str | os.PathLike) -> Run:
    """The run in a directory. InputError where there is none, or one that cannot be understood."""
    return Run(path)


def to_minari(source: str | os.PathLike | Run | Exploration, dataset_id: str, **details: Any) -> minari.MinariDataset:
    """Makes a Minari dataset of a run, or of what `rhc.explore` returned, in the folder where Minari keeps them.

    `dataset_id` is such as "lab/pendulum-v0"; `details` go to minari.create_dataset_from_buffers (author, ...).
    """
    import gymnasium
    import minari
    from minari.data_collector import EpisodeBuffer

    run = load_run(source) if isinstance(source, (str, os.PathLike)) else source
    if not run.trajectories:
        raise _core.InputError("there is no episode to make a dataset of")
    buffers = []
    for i, (trajectory, rewards, ended) in enumerate(zip(run.trajectories, run.rewards, run.terminated)):
        last = np.arange(len(trajectory.actions)) == len(trajectory.actions) - 1
        buffers.append(
            EpisodeBuffer(
                id=i,
                observations=np.array(trajectory.observations),
                actions=np.array(trajectory.actions),
                rewards=list(rewards),
                terminations=list(last & ended),
                truncations=list(last & (not ended)),
            )
        )
    size = run.trajectories[0].observations.shape[1]
    details.setdefault("algorithm_name", "rhc")
    return minari.create_dataset_from_buffers(
        dataset_id,
        buffers,
        observation_space=gymnasium.spaces.Box(-np.inf, np.inf, (size,), dtype=np.float64),
        action_space=gymnasium.spaces.Box(*run.system.action_bounds, dtype=np.float64),
        **details,
    )
