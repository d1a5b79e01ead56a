"""Ask and tell through Python."""
import contextlib
import gc
import signal
import threading

import numpy as np
import pytest
import rhc
from conftest import SETTINGS

ARM = {
    "name": "arm",
    "time_step": 0.05,
    "horizon": 20,
    "observation": [
        {"name": "angle", "unit": "deg", "angle": True, "start": 0},
        {"name": "speed", "unit": "deg/s", "start": 0.0, "range": (-200, 200)},
    ],
    "action": [{"name": "volt", "unit": "V", "bounds": np.array([-6, 6])}],
}


def measured_arm(actions):
    """What an arm might have done: angles and speeds, as they are measured."""
    state, rows = np.zeros(2), [np.zeros(2)]
    for (volt,) in actions:
        speed = 0.9 * state[1] + 3 * volt - 2 * np.sin(np.radians(state[0]))
        state = np.array([state[0] + 0.05 * speed, speed])
        rows.append(state)
    return np.array(rows)


@pytest.mark.parametrize("system, method", [("pendulum", "rhc-evr"), ("mountain-car", "rhc-us"), ("cartpole", "random")])
def test_plans_are_those_of_the_command_bit_for_bit(run_of, system, method):
    run = rhc.load_run(run_of(system, "--no-evaluation", "--seed", "3", "--method", method))
    explorer = rhc.Explorer(system, method=method, seed=3, threads=2, **SETTINGS)
    for number, trajectory in enumerate(run.trajectories, start=1):
        proposal = explorer.ask()
        assert proposal.experiment == number
        steps = len(trajectory.actions)  # fewer where the limits ended it
        assert proposal.actions[:steps].tobytes() == trajectory.actions.tobytes()
        explorer.tell(trajectory)
    assert np.array_equal(explorer.belief.weights, run.belief.weights)
    assert explorer.config == run.config | {"episodes": explorer.config["episodes"], "task": True,
                                            "test_trajectories": explorer.config["test_trajectories"]}


def test_predictions_are_those_of_the_command(pendulum_run):
    explorer = rhc.Explorer("pendulum", seed=3, **SETTINGS)
    for trajectory in rhc.load_run(pendulum_run).trajectories[:2]:
        explorer.ask()
        explorer.tell(trajectory.observations, trajectory.actions)
    table = np.genfromtxt(pendulum_run / "predictions/0003.csv", delimiter=",", names=True)
    proposal = explorer.ask()
    for i, name in enumerate(explorer.system.observation_names):
        assert np.array_equal(proposal.mean[:, i], table[name])
        assert np.array_equal(proposal.deviation[:, i], table[name + "_sd"])


def test_acting_step_by_step_is_the_plan_and_with_replan_what_the_command_does(run_of):
    explorer = rhc.Explorer("pendulum", **SETTINGS)
    proposal = explorer.ask()
    acted = [explorer.act(proposal.start) for _ in proposal.actions]
    assert np.array_equal(acted, proposal.actions)
    with pytest.raises(rhc.InputError, match="all were carried out"):
        explorer.act(proposal.start)
    run = rhc.load_run(run_of("pendulum", "--no-evaluation", "--seed", "3", "--replan", "40"))
    looking = rhc.Explorer("pendulum", seed=3, replan=40, **SETTINGS)
    with pytest.raises(rhc.InputError, match="`ask` comes before `act`"):
        looking.act([1, 0, 0])
    for trajectory in run.trajectories:
        looking.ask()
        acted = [looking.act(seen) for seen in trajectory.observations[:-1]]
        assert np.array_equal(acted, trajectory.actions)
        told = looking.tell(trajectory)
    assert told.gained > 0 and told.planned > 0


def test_a_past_may_be_given_instead_of_a_start():
    arm = {
        "name": "arm", "time_step": 0.08, "horizon": 30, "history": 2,
        "observation": [{"name": "theta", "unit": "rad", "angle": True, "start": np.pi}],
        "action": [{"name": "torque", "bounds": [-1, 1]}],
        "task": {"target": {"theta": 0}, "weight": {"theta": 1}},
    }
    explorer = rhc.Explorer(arm, **SETTINGS)
    env = rhc.SystemEnv("pendulum")
    actions = explorer.ask().actions.copy()
    seen = np.array([env.reset()[0]] + [env.step(action)[0] for action in actions])[:, :2]
    explorer.tell(seen, actions)
    past = rhc.Trajectory(seen[:12], actions[:11])
    moving, resting = explorer.ask(start=past), explorer.ask(start=seen[11])
    assert len(moving.actions) == 30 and np.array_equal(moving.start, resting.start)
    assert not np.array_equal(moving.mean[1], resting.mean[1])
    for planned in (lambda start: rhc.plan(explorer.belief, arm, start=start, starts=4), lambda start: explorer.solve(start=start)):
        assert np.array_equal(planned(past).states[0], seen[11])
        assert not np.array_equal(planned(past).states[1], planned(seen[11]).states[1])
    with pytest.raises(rhc.InputError, match="one observation more than actions"):
        explorer.ask(start=rhc.Trajectory(seen[:12], actions[:12]))


def test_asked_twice_it_is_the_same_and_from_another_start_another():
    explorer = rhc.Explorer("pendulum", **SETTINGS)
    explorer.tell(*first_of_pendulum(explorer))
    one, same = explorer.ask(), explorer.ask()
    assert one.actions.tobytes() == same.actions.tobytes() and one.information == same.information
    upright = explorer.ask(start=[1, 0, 0])
    assert np.array_equal(upright.mean[0], [1, 0, 0]) and not np.array_equal(upright.actions, one.actions)
    assert np.array_equal(explorer.ask(start=[0, 0]).actions, upright.actions), "an internal state is a start, too"


def first_of_pendulum(explorer):
    actions = explorer.ask().actions
    states = [explorer.system.start]
    for action in actions:
        states.append(explorer.system.step(states[-1], action))
    return np.array([explorer.system.observe(state) for state in states]), actions


def test_measured_angles_and_their_cosines_teach_the_same(tmp_path):
    raw, turned = rhc.Explorer(ARM, **SETTINGS), rhc.Explorer(ARM, **SETTINGS)
    actions = raw.ask().actions
    rows = measured_arm(actions)
    angle = np.radians(rows[:, 0])
    raw.tell(rows, actions)
    turned.tell(np.column_stack([np.cos(angle), np.sin(angle), rows[:, 1]]), actions)
    assert np.allclose(raw.belief.weights, turned.belief.weights, rtol=1e-6, atol=1e-6)
    assert raw.ask().mean.shape == (21, 3)


def test_a_dict_describes_what_its_file_does(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text(
        'name = "arm"\ntime_step = 0.05\nhorizon = 20\n'
        '[[observation]]\nname = "angle"\nunit = "deg"\nangle = true\nstart = 0\n'
        '[[observation]]\nname = "speed"\nunit = "deg/s"\nstart = 0.0\nrange = [-200, 200]\n'
        '[[action]]\nname = "volt"\nunit = "V"\nbounds = [-6, 6]\n'
    )
    one, other = rhc.Explorer(ARM, seed=2), rhc.Explorer(file, seed=2)
    assert one.ask().actions.tobytes() == other.ask().actions.tobytes()
    assert one.system.observation_names == ["cos_angle", "sin_angle", "speed"] == other.system.observation_names


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: rhc.Explorer("pendulun"), "did you mean 'pendulum'"),
        (lambda: rhc.Explorer("pendulum", method="rhc-ever"), "did you mean 'rhc-evr'"),
        (lambda: rhc.Explorer("pendulum", feature=9), "did you mean 'features'"),
        (lambda: rhc.Explorer("pendulum", features=-1), "whole number from 0"),
        (lambda: rhc.Explorer("nowhere/at_all.toml"), "nowhere/at_all.toml"),
        (lambda: rhc.Explorer(ARM | {"horizont": 3}), "spec:6:1"),
        (lambda: rhc.Explorer("pendulum").ask([1.0]), "start has 1 entries"),
        (lambda: rhc.Explorer("pendulum").solve(), "nothing was told yet"),
    ],
)
def test_what_cannot_be_used_is_a_value_error_with_our_words(make, message):
    with pytest.raises(ValueError, match=message) as raised:
        make()
    assert isinstance(raised.value, rhc.InputError)


def test_a_bad_experiment_loses_nothing():
    explorer = rhc.Explorer("pendulum", **SETTINGS)
    observations, actions = first_of_pendulum(explorer)
    broken = observations.copy()
    broken[7, 2] = np.nan
    for bad in [(broken, actions), (observations[:-1], actions), (observations[:, :1], actions), (observations, [])]:
        with pytest.raises(ValueError):
            explorer.tell(*bad)
    with pytest.raises(rhc.InputError, match="row 7, column 2"):
        explorer.tell(broken, actions)
    with pytest.raises(TypeError, match="a trajectory that holds both"):
        explorer.tell(observations)
    assert explorer.told == 0 and explorer.belief is None
    explorer.tell(observations, actions[:, 0])  # one action a step needs no second dimension
    fresh = rhc.Explorer("pendulum", **SETTINGS)
    fresh.ask()
    fresh.tell(observations, actions)
    assert explorer.ask().actions.tobytes() == fresh.ask().actions.tobytes()


def test_arrays_of_a_proposal_are_views_that_outlive_it():
    explorer = rhc.Explorer("pendulum", **SETTINGS)
    proposal = explorer.ask()
    assert np.shares_memory(proposal.actions, proposal.actions)
    actions, copy = proposal.actions, proposal.actions.copy()
    with pytest.raises(ValueError):
        actions[0] = 1
    explorer.tell(*first_of_pendulum(explorer))
    explorer.ask()
    del proposal, explorer
    gc.collect()
    assert np.array_equal(actions, copy)


def test_others_go_on_while_it_plans():
    explorer = rhc.Explorer("pendulum", threads=1, **SETTINGS)
    explorer.tell(*first_of_pendulum(explorer))
    model, begun, done, turns = explorer.belief, threading.Event(), threading.Event(), []

    def plan():
        begun.set()
        rhc.plan(model, "pendulum", threads=1, hops=30)
        done.set()

    thread = threading.Thread(target=plan)
    thread.start()
    begun.wait()
    while not done.is_set():
        turns.append(None)
    thread.join()
    assert len(turns) > 1000


@contextlib.contextmanager
def interrupted_soon():
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(KeyboardInterrupt):
        yield
    signal.signal(signal.SIGALRM, before)


def test_a_signal_ends_a_plan():
    explorer = rhc.Explorer("pendulum", **SETTINGS)
    explorer.tell(*first_of_pendulum(explorer))
    with interrupted_soon():
        rhc.plan(explorer.belief, "pendulum", hops=1_000_000, threads=2)  # would take hours


def test_a_signal_ends_a_question_and_costs_nothing():
    explorer = rhc.Explorer("pendulum", **SETTINGS | {"plan_starts": 10_000})  # many seconds
    explorer.tell(*first_of_pendulum(explorer))
    weights = explorer.belief.weights
    with interrupted_soon():
        explorer.ask()
    assert explorer.told == 1
    np.testing.assert_array_equal(explorer.belief.weights, weights)


def test_the_task_is_solved_with_what_was_learned(run_of):
    run = rhc.load_run(run_of("pendulum", "test_trajectories=0", "task_hops=4", episodes=2))
    explorer = rhc.Explorer("pendulum", task_hops=4, **SETTINGS)
    explorer.tell(run.trajectories[0])
    solved = explorer.solve()
    assert solved.objective == run.metrics.task_cost_predicted[1]
    assert solved.actions.shape == (100, 1) and solved.states.shape == (101, 3)


TIGHT = {
    "name": "tight",
    "time_step": 0.05,
    "horizon": 20,
    "observation": [{"name": "x", "start": 0, "limits": [-1, 1]}, {"name": "v", "start": 0, "limits": [-1, 1]}],
    "action": [{"name": "push", "bounds": [-1, 1]}],
    "safety": {"sigmas": 10},
}


def test_a_plan_that_is_none_warns(recwarn):
    explorer = rhc.Explorer(TIGHT, **SETTINGS)
    explorer.ask()
    assert not recwarn.list, "nothing is known yet, so nothing was planned"
    # Nothing that the model could trust: its doubt reaches any limit, even at rest.
    explorer.tell([[0, 0], [0.01, 0.1], [0.02, 0.1]], [[0.02], [0.02]])
    with pytest.warns(RuntimeWarning, match="experiment 2: no plan keeps its margin, so it is one like the first; look at its actions"):
        assert explorer.ask().status == "repeated"
