"""Controllers, and tasks that are changed without editing files."""
import csv
import subprocess
import threading
import warnings

import numpy as np
import pytest
import rhc
from conftest import SETTINGS


@pytest.fixture(scope="module")
def explorer():
    """Who has seen three episodes of the pendulum, with features enough to swing it up."""
    explorer = rhc.Explorer("pendulum", seed=1, features=60, evidence_starts=8)
    env = rhc.SystemEnv("pendulum")
    for _ in range(3):
        actions = explorer.ask().actions
        explorer.tell([env.reset()[0]] + [env.step(action)[0] for action in actions], actions)
    return explorer


def driven(controller, steps, push=0.0):
    env = rhc.SystemEnv("pendulum")
    observation = env.reset()[0]
    seen = []
    for _ in range(steps):
        action = controller.step(observation)
        assert np.all(np.abs(action) <= 1)
        observation = env.step(action + push)[0]
        seen.append(observation)
    return np.array(seen)


def test_the_pendulum_is_swung_up_and_stays(explorer):
    controller = rhc.Controller(explorer, horizon=60)
    seen = driven(controller, 160)
    assert np.all(seen[-40:, 0] > 0.99), seen[-40:, 0].min()
    assert controller.last.step == 159 and controller.last.measured == "taken"
    observations, actions = controller.planned
    assert observations.shape == (61, 3) and actions.shape == (60, 1)


def test_another_target_is_taken_while_it_runs(explorer):
    controller = rhc.Controller(explorer, horizon=40, target={"theta": "180 deg"}, weight={"thetadot": 1})
    seen = driven(controller, 20)
    assert np.all(seen[:, 0] < -0.99), "it hangs already"
    controller.aim(target={"theta": 0.0})
    controller.step(seen[-1])
    assert np.allclose(controller.last.target, [1, 0, 0])
    with pytest.raises(rhc.InputError, match="did you mean 'theta'"):
        controller.aim(target={"teta": 0.0})
    assert np.allclose(controller.last.target, [1, 0, 0])


def test_a_reference_goes_on_where_another_weight_is_given(explorer):
    speeds = np.linspace(0, 1, 11)
    controller = rhc.Controller(explorer, horizon=10, reference={"thetadot": speeds})
    hanging = [-1.0, 0.0, 0.0]
    for step in range(8):
        controller.step(hanging)
        assert controller.last.target[2] == pytest.approx(speeds[step])
        if step == 4:
            controller.aim(weight={"thetadot": 2.0})


def test_what_was_not_measured_is_none_or_nan(explorer):
    controller = rhc.Controller(explorer, horizon=20)
    with pytest.raises(rhc.InputError, match="where the system is"):
        controller.step(None)
    controller.step([-1.0, 0.0, 0.0])
    for nothing in (None, [np.nan, 0.0, 0.0]):
        assert controller.step(nothing).shape == (1,)
        assert controller.last.measured == "lost"
    assert controller.last.lost == 2
    with pytest.raises(rhc.InputError, match="weight has 4 entries"):
        rhc.Controller(explorer, weight=[1.0, 2.0, 3.0, 4.0])


def test_learning_is_on_where_it_is_asked_for(explorer):
    env = rhc.SystemEnv("pendulum")
    for learn in (False, True):
        controller = rhc.Controller(explorer, horizon=20, learn=learn)
        before = controller.belief.count
        observation = env.reset()[0]
        for _ in range(10):
            observation = env.step(controller.step(observation))[0]
        assert controller.last.learned == learn
        assert (controller.belief.count > before) == learn


def test_other_threads_run_while_it_plans(explorer):
    # Long enough for a busy machine to let the other thread have its turn.
    controller = rhc.Controller(explorer, horizon=100, starts=400)
    turns, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            turns[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = turns[0]
        controller.start()
        assert turns[0] > before
    finally:
        stop.set()
        thread.join()


def test_a_plan_of_another_task_is_the_commands(program, pendulum_run, tmp_path):
    run = rhc.load_run(pendulum_run)
    out = tmp_path / "plan.csv"
    reference = tmp_path / "reference.csv"
    reference.write_text("time [ms],thetadot\n0,0\n4000,1\n")
    task = ["--weight", "theta=3", "--action-weight", "action=0.02", "--reference", reference, "--draws", "0"]
    subprocess.run([program, "solve", pendulum_run, "--out", out, *task], check=True, capture_output=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solved = run.solve(weight={"theta": 3}, action_weight={"action": 0.02}, reference=reference, draws=0)
    # Without the units of their headers.
    rows = [{name.split(" [")[0]: value for name, value in row.items()} for row in csv.DictReader(out.open())]
    assert np.array_equal([float(row["action"]) for row in rows[:-1]], solved.actions[:, 0])
    assert solved.gains.shape == (100, 1, 3) and solved.corrected_by == ["cos", "sin", "thetadot"]
    assert float(rows[7]["gain_action_sin"]) == solved.gains[7, 0, 1]


def test_a_controller_in_c_is_the_commands(program, pendulum_run):
    run = rhc.load_run(pendulum_run)
    told = subprocess.run([program, "export", pendulum_run, "--format", "c", "--draws", "0"], check=True,
                          capture_output=True, text=True)
    assert told.stdout == run.c_code(run.solve(draws=0))


def test_tasks_are_said_in_many_ways(pendulum_run):
    run = rhc.load_run(pendulum_run)
    with pytest.warns(RuntimeWarning, match="weighed for another target"):
        angle = run.solve(target={"theta": np.pi / 2}, draws=0, horizon=20)
    with pytest.warns(RuntimeWarning):
        array = run.solve(target=[0.0, 1.0, 0.0], draws=0, horizon=20)
    assert np.allclose(angle.actions, array.actions)
    rows = np.tile([0.0, 1.0, 0.0], (21, 1))
    with pytest.warns(RuntimeWarning):
        followed = run.solve(reference=rows, draws=0, horizon=20)
    assert np.allclose(angle.actions, followed.actions)
    with pytest.raises(rhc.InputError, match="known: theta, cos, sin, thetadot"):
        run.solve(reference={"speed": [0.0]})
    with pytest.raises(rhc.InputError, match="not a number"):
        run.solve(target={"theta": None})


def test_who_knows_no_system_needs_one(explorer, pendulum_run):
    assert rhc.Controller(explorer.belief, "pendulum", horizon=10).step([-1.0, 0.0, 0.0]).shape == (1,)
    assert rhc.Controller(pendulum_run, horizon=10).step([-1.0, 0.0, 0.0]).shape == (1,)
    with pytest.raises(TypeError, match="does not know its system"):
        rhc.Controller(explorer.belief)
    with pytest.raises(rhc.InputError, match="nothing was told yet"):
        rhc.Controller(rhc.Explorer("pendulum", **SETTINGS))
