import os
import subprocess

import pytest

# Few features and no evaluation: what is compared does not depend on them.
SETTINGS = {"features": 20, "plan_starts": 4}


@pytest.fixture(scope="session")
def program():
    """The command that the package is compared with."""
    return os.environ["RHC"]


@pytest.fixture(scope="session")
def run_of(program, tmp_path_factory):
    """Makes runs by the command."""

    def make(system, *options, episodes=4):
        path = tmp_path_factory.mktemp("runs") / system
        settings = [f"{key}={value}" for key, value in SETTINGS.items()]
        command = [program, "explore", system, "--quiet", "--episodes", str(episodes), "--out", path]
        subprocess.run([*command, *options, *settings], check=True)
        return path

    return make


@pytest.fixture(scope="session")
def pendulum_run(run_of):
    return run_of("pendulum", "--no-evaluation", "--seed", "3")
