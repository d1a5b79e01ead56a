"""Learn how a system moves from as few experiments as possible.

>>> import rhc
>>> explorer = rhc.Explorer("pendulum", features=20)
>>> explorer.ask().actions.shape
(100, 1)
"""

import importlib.util

from ._core import (
    BayesianLinearModel,
    ControlStep,
    InputError,
    IoError,
    LearningError,
    Plan,
    Prediction,
    Proposal,
    Solution,
    System,
    Told,
    Validation,
    system_names,
    version,
)
from .controller import Controller
from .explorer import Explorer, Trajectory, plan, system
from .runs import Run, load_run, to_minari

__all__ = [
    "BayesianLinearModel",
    "ControlStep",
    "Controller",
    "Explorer",
    "InputError",
    "IoError",
    "LearningError",
    "Plan",
    "Prediction",
    "Proposal",
    "Run",
    "Solution",
    "System",
    "Told",
    "Trajectory",
    "Validation",
    "__version__",
    "load_run",
    "plan",
    "system",
    "system_names",
    "to_minari",
    "version",
]

__version__ = version()

# What a traceback calls them.
for _error in (InputError, IoError, LearningError):
    _error.__module__ = "rhc"

# The bundled systems are environments, and environments are explored, where Gymnasium is there.
if importlib.util.find_spec("gymnasium"):
    from .environments import SystemEnv, from_dm_control
    from .exploration import Exploration, explore

    __all__ += ["Exploration", "SystemEnv", "explore", "from_dm_control"]
