"""Other people's environments."""
import warnings

import gymnasium
import numpy as np
import pytest
import rhc
from conftest import SETTINGS


def error_on(found, env, steps=200, seed=5):
    """One-step error on random motion, in units of what an observation changes."""
    env.action_space.seed(seed)
    observation, _ = env.reset(seed=seed)
    inputs, outputs = [], []
    for _ in range(steps):
        action = env.action_space.sample()
        after, _, terminated, truncated, _ = env.step(action)
        inputs.append(np.concatenate([observation, action]))
        outputs.append(np.asarray(after, dtype=float) - observation)
        observation = after
        if terminated or truncated:
            observation, _ = env.reset()
    outputs = np.array(outputs)
    error = found.belief.predict(np.array(inputs)).mean - outputs
    return np.sqrt(np.mean((error / outputs.std(axis=0)) ** 2))


def test_pendulum_of_gymnasium():
    found = rhc.explore("Pendulum-v1", episodes=4, seed=2, angles=[(0, 1)], plan_starts=4)
    assert [len(t.actions) for t in found.trajectories] == [200] * 4
    assert found.information[0] is None and found.information[3] < found.information[1]
    assert error_on(found, gymnasium.make("Pendulum-v1")) < 0.03
    assert all(len(r) == 200 and r.max() <= 0 for r in found.rewards)


def test_mountain_car_of_gymnasium():
    # The time limit is 999 steps; a plan need not be that long. The limits keep it off the wall, where it stops dead.
    # Its episodes end at the goal, which is no place to keep away from.
    env = gymnasium.make("MountainCarContinuous-v0")
    limits = ([-1.15, -1], [0.6, 1])
    found = rhc.explore(env, episodes=3, horizon=150, limits=limits, plan_starts=4, learn_limits=False)
    assert found.terminated[1:] == [True, True], "it rocks itself out of the valley, where the episode ends"
    assert error_on(found, env) < 0.01
    env.close()


def test_a_task_of_dm_control():
    from dm_control import suite

    env = rhc.from_dm_control(suite.load("pendulum", "swingup"))
    assert env.observation_space.shape == (3,) and env.action_space.shape == (1,)
    found = rhc.explore(env, episodes=3, horizon=60, angles=[(0, 1)], plan_starts=4)
    assert [len(t.actions) for t in found.trajectories] == [60] * 3
    assert error_on(found, env) < 0.05
    first, _ = env.reset(seed=7)
    assert np.array_equal(first, env.reset(seed=7)[0])


def test_the_same_seed_explores_the_same():
    one, two = (rhc.explore("Pendulum-v1", episodes=2, seed=4, horizon=40, threads=n, **SETTINGS) for n in (1, 2))
    for a, b in zip(one.trajectories, two.trajectories):
        assert a.observations.tobytes() == b.observations.tobytes() and a.actions.tobytes() == b.actions.tobytes()


def test_what_was_begun_goes_on_by_hand():
    seen = []
    found = rhc.explore("rhc/MountainCar-v0", episodes=2, on_episode=lambda e: seen.append(len(e.trajectories)), **SETTINGS)
    assert seen == [1, 2] and found.explorer.told == 2 and found.explorer.ask().experiment == 3


class OnATable(gymnasium.Env):
    """A cart that falls where it is more than a metre from the middle."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    action_space = gymnasium.spaces.Box(-1, 1, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = np.zeros(2)
        return self.state, {}

    def step(self, action):
        x, speed = self.state
        self.state = np.array([x + 0.1 * speed, speed + 0.2 * action[0] * np.cos(x)])
        return self.state, 0.0, bool(abs(self.state[0]) > 1), False, {}


def on_a_table(**settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return rhc.explore(OnATable(), episodes=5, seed=2, horizon=60, plan_starts=4, **settings)


def test_plans_stay_inside_what_terminations_teach():
    found, blind = on_a_table(), on_a_table(learn_limits=False)
    lower, upper = found.learned_limits
    assert 0.8 < min(-lower[0], upper[0]) < 1.3 and np.isinf([lower[1], upper[1]]).all()
    expected = found.explorer.ask([0.0, 0.0]).mean[:, 0]
    assert np.abs(expected).max() < 1.3
    steps, blind_steps = (sum(len(t.actions) for t in f.trajectories) for f in (found, blind))
    assert steps > 1.5 * blind_steps
    assert np.isinf(blind.learned_limits).all() and all(blind.terminated)
    for planned, gained in zip(found.information[3:], found.gained[3:]):
        assert planned < 3 * gained + 10
    assert any("the plant ended it; plans stay where" in remark for remark in found.remarks)


def test_a_warning_says_where_an_episode_told_less_than_was_planned():
    with pytest.warns(RuntimeWarning, match="nats of the .* that were planned"):
        rhc.explore(OnATable(), episodes=3, seed=2, horizon=60, learn_limits=False, **SETTINGS)


def test_what_led_outside_the_limits_is_counted():
    with pytest.warns(RuntimeWarning, match="left the limits: .* are not learned from"):
        limits = ([-0.1, -np.inf], [0.1, np.inf])
        found = rhc.explore(OnATable(), episodes=2, seed=2, horizon=60, limits=limits, **SETTINGS)
    recorded = sum(len(t.actions) for t in found.trajectories)
    assert sum(found.left_out) > 0 and found.belief.count == recorded - sum(found.left_out)


class WithoutSpeed(gymnasium.ObservationWrapper):
    def __init__(self):
        super().__init__(gymnasium.make("Pendulum-v1"))
        self.observation_space = gymnasium.spaces.Box(-1, 1, (2,))

    def observation(self, observation):
        return observation[:2]


def test_looking_on_the_way_plans_from_the_first_look_on():
    settings = dict(episodes=1, seed=3, horizon=100, angles=[(0, 1)], plan_starts=4)
    blind = rhc.explore("Pendulum-v1", **settings)
    looking = rhc.explore("Pendulum-v1", replan=20, **settings)
    done, planned = (found.trajectories[0].actions for found in (blind, looking))
    assert np.array_equal(done[:20], planned[:20]), "nothing is known before the first look"
    assert not np.array_equal(done[20:], planned[20:])
    speeds = [np.abs(found.trajectories[0].observations[:, 2]).max() for found in (blind, looking)]
    assert speeds[1] > 1.2 * speeds[0], "it goes where it has not been"


def test_planned_and_gained_stand_side_by_side():
    found = rhc.explore("Pendulum-v1", episodes=3, seed=2, horizon=60, angles=[(0, 1)], replan=15, plan_starts=4)
    assert found.information[0] is None and found.gained[0] is None
    for planned, gained in zip(found.information[1:], found.gained[1:]):
        assert 0.5 < planned / gained < 2


def test_an_unknown_region_is_not_planned_in():
    # Its speed has no bound, so the first episode is carried out as it began.
    env = Unbounded(gymnasium.make("Pendulum-v1"))
    blind, looking = (
        rhc.explore(env, episodes=2, seed=3, horizon=40, angles=[(0, 1)], replan=replan, **SETTINGS)
        for replan in (0, 10)
    )
    assert np.array_equal(blind.trajectories[0].actions, looking.trajectories[0].actions)
    assert not np.array_equal(blind.trajectories[1].actions, looking.trajectories[1].actions)


class Unbounded(gymnasium.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, env.observation_space.shape)

    def observation(self, observation):
        return observation


def test_a_history_stands_for_speeds():
    found = rhc.explore(WithoutSpeed(), episodes=2, horizon=40, angles=[(0, 1)], history=2, **SETTINGS)
    assert found.belief.inputs == 2 * (2 + 1)
    assert found.belief.count == 2 * 39, "the first step of each has no history"
    assert found.explorer.ask().mean.shape == (41, 2)


def test_a_nominal_model_is_where_learning_begins():
    def nominal(observation, action):  # Gymnasium's pendulum, with a motor that is too weak
        cosine, sine, speed = observation
        speed += 0.05 * (15 * sine + 0.7 * 3 * action[0])
        angle = np.arctan2(sine, cosine) + 0.05 * speed
        return [np.cos(angle), np.sin(angle), speed]

    env = gymnasium.make("Pendulum-v1")
    known, alone = (
        rhc.explore(env, episodes=2, seed=2, horizon=40, angles=[(0, 1)], time_step=0.05, nominal=model, **SETTINGS)
        for model in (nominal, None)
    )
    assert error_on(known, env) < 0.5 * error_on(alone, env)
    env.close()


def test_a_nominal_model_of_another_size_is_refused():
    with pytest.raises(ValueError, match="what `nominal` returns"):
        rhc.explore("Pendulum-v1", episodes=1, horizon=20, angles=[(0, 1)], nominal=lambda o, a: [1, 2], **SETTINGS)


def test_plans_stay_inside_the_limits():
    limits = ([-1.0, -np.inf], [0.3, np.inf])
    found = rhc.explore("MountainCarContinuous-v0", episodes=3, horizon=100, limits=limits, plan_starts=4)
    expected = found.explorer.ask([-0.5, 0.0]).mean[:, 0]
    assert expected.min() >= -1.0 and expected.max() <= 0.3


@pytest.mark.parametrize("make, words", [
    (lambda: rhc.explore("CartPole-v1"), "the action space is Discrete, not a Box"),
    (lambda: rhc.explore("Pendulum-v1", angles=[(0, 0)]), "angles"),
    (lambda: rhc.explore("Pendulum-v1", angles=[(0, 7)]), "angles"),
    (lambda: rhc.explore("Pendulum-v1", limits=([0], [1])), "limits has 1 entries, expected 3"),
])
def test_what_cannot_be_explored_is_refused(make, words):
    with pytest.raises(rhc.InputError, match=words):
        make()
