"""Run a machine in real time with what was learned."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Union

from . import _core
from .explorer import Explorer, Reference, Start, SystemLike, Target, _past, system
from .runs import Run, load_run

if TYPE_CHECKING:
    from .exploration import Exploration

Learned = Union[str, os.PathLike, Run, "Exploration", Explorer, _core.BayesianLinearModel]


def _belief(learned: Learned, spec: SystemLike | None) -> _core.Belief:
    if isinstance(learned, _core.BayesianLinearModel):
        if spec is None:
            raise TypeError("a model alone does not know its system: Controller(model, system)")
        return _core.belief_of(learned, system(spec), True)
    if spec is not None:
        raise TypeError("what was explored knows its system; leave the second argument out")
    if isinstance(learned, (str, os.PathLike)):
        learned = load_run(learned)
    if isinstance(learned, Run):
        return learned._record.whole_belief
    return getattr(learned, "explorer", learned).whole_belief


class Controller(_core.Controller):
    """Estimates where a system is, plans its task anew in every period, and corrects what is planned by feedback.

    `learned` is a run or its path, an explorer, what `rhc.explore` returned, or a model with its system. The task is
    that of the system, with another target, other weights or a reference as `Run.solve` takes them. Bounds, rates and
    limits are kept; a constant disturbance is estimated and removed (`remove_offset`); with `learn` it learns from
    every step. Plans have `horizon` steps (as many as an experiment), and are improved by up to `iterations` in a period.

    >>> explorer = rhc.Explorer("pendulum", seed=1, features=40, evidence_starts=4)
    >>> env = rhc.SystemEnv("pendulum")
    >>> for _ in range(3):
    ...     actions = explorer.ask().actions
    ...     told = explorer.tell([env.reset()[0]] + [env.step(action)[0] for action in actions], actions)
    >>> controller = rhc.Controller(explorer, horizon=30)
    >>> observation = env.reset()[0]
    >>> for _ in range(5):
    ...     observation = env.step(controller.step(observation))[0]
    >>> controller.last
    <rhc.ControlStep 4 by plan>
    >>> controller.aim(target={"theta": "180 deg"})
    >>> controller.step(None).shape  # nothing was measured this time
    (1,)
    >>> controller.last.measured
    'lost'
    """

    def __init__(
        self,
        learned: Learned,
        spec: SystemLike | None = None,
        *,
        target: Target = None,
        weight: Target = None,
        final_weight: Target = None,
        action_weight: Target = None,
        reference: Reference = None,
        horizon: int = 0,
        learn: bool = False,
        remove_offset: bool = True,
        iterations: int = 30,
        starts: int = 8,
        seed: int = 1,
    ) -> None:
        super().__init__(_belief(learned, spec), horizon, learn, remove_offset, iterations, starts, seed)
        self.aim(target, weight, final_weight, action_weight, reference)

    def start(self, observation: Start = None) -> None:
        """Plans from this observation, or the system's own start; may take seconds. The first `act` or `step` does it, too.

        Where the model looks back (`history`), a trajectory may be given instead: it ends where the system is now.
        """
        super().start(*_past(observation))

    def aim(
        self,
        target: Target = None,
        weight: Target = None,
        final_weight: Target = None,
        action_weight: Target = None,
        reference: Reference = None,
    ) -> None:
        """Another target, other weights, a reference that begins with the next step; what is not given stays as it is.

        What was decided without being asked for is a warning.
        """
        for remark in super().aim(target, weight, final_weight, action_weight, reference):
            warnings.warn(remark, RuntimeWarning, stacklevel=2)
