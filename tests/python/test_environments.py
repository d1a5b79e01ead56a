"""The systems as Gymnasium's environments."""
import warnings

import gymnasium
import numpy as np
import pytest
import rhc
from gymnasium.utils.env_checker import check_env

IDS = {"pendulum": "rhc/Pendulum-v0", "cartpole": "rhc/Cartpole-v0", "mountain-car": "rhc/MountainCar-v0"}


@pytest.mark.parametrize("id", IDS.values())
def test_gymnasium_finds_nothing_wrong(id):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(gymnasium.make(id).unwrapped)
    # Speeds have no bounds, and the checker asks whether that is meant.
    assert all("infinity" in str(w.message) for w in told), [str(w.message) for w in told]


@pytest.mark.parametrize("system, id", IDS.items())
def test_they_move_as_the_command_does(run_of, system, id):
    run = rhc.load_run(run_of(system, "--no-evaluation", episodes=2))
    for trajectory, terminated, rewards in zip(run.trajectories, run.terminated, run.rewards):
        env = gymnasium.make(id)
        seen, last = [env.reset()[0]], None
        for action, expected in zip(trajectory.actions, rewards):
            observation, reward, *last, _ = env.step(action)
            assert reward == expected
            seen.append(observation)
        assert np.array(seen).tobytes() == trajectory.observations.tobytes()
        assert last == [terminated, not terminated]


def test_rewards_are_minus_the_cost_of_the_task():
    env = gymnasium.make("rhc/Pendulum-v0")
    env.reset(options={"state": [0.0, 2.0]})
    # 0.1 thetadot^2 + 0.001 torque^2, upright
    assert env.step([0.5])[1] == pytest.approx(-(0.1 * 4 + 0.001 * 0.25))


def test_a_real_system_is_no_environment():
    spec = {"name": "lab", "time_step": 1, "horizon": 5, "observation": [{"name": "x", "start": 0, "range": [-1, 1]}],
            "action": [{"name": "u", "bounds": [-1, 1]}]}
    with pytest.raises(rhc.InputError, match="cannot be simulated"):
        rhc.SystemEnv(spec)
