"""Plans on a belief, against the command's."""
import json
import subprocess

import numpy as np
import pytest
import rhc
from conftest import SETTINGS


@pytest.mark.parametrize("objective", ["evr", "info", "us", "task"])
def test_a_plan_is_worth_what_the_command_finds(program, run_of, objective):
    path = run_of("pendulum", "--no-evaluation", "--dump-problem", "3", episodes=3)
    explorer = rhc.Explorer("pendulum", **SETTINGS)
    for trajectory in rhc.load_run(path).trajectories:
        explorer.tell(trajectory)
    answer = subprocess.run([program, "plan", path / "problem-0003.json", "--objective", objective, "--starts", "200"],
                            check=True, capture_output=True)
    theirs, ours = json.loads(answer.stdout), rhc.plan(explorer.belief, "pendulum", objective=objective, starts=200)
    # Their file's weights are in other units: the same problem but for rounding, which leads some searches elsewhere.
    assert ours.objective == pytest.approx(theirs["objective"], rel=0.05 if objective in ("us", "info") else 1e-3)
    assert np.all(np.abs(ours.actions) <= 1) and ours.defect < 1e-9
    assert np.array_equal(ours.states[0], explorer.ask().start)


def test_what_does_not_fit_is_refused(pendulum_run):
    belief = rhc.load_run(pendulum_run).belief
    for make, words in [
        (lambda: rhc.plan(belief, "cartpole"), "4 inputs and 3 outputs, 'cartpole' has 6 and 5"),
        (lambda: rhc.plan(belief, "pendulum", objective="evrr"), "did you mean 'evr'"),
        (lambda: rhc.plan(belief, "pendulum", weights="lst"), "did you mean 'last'"),
        (lambda: rhc.plan(belief, "pendulum", starts=0), "at least 1"),
    ]:
        with pytest.raises(rhc.InputError, match=words):
            make()
