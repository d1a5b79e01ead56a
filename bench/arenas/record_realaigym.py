"""Records RealAIGym's own simulator: tests/data/{acrobot,pendubot}_realaigym_20ms.csv.

    python3 record_realaigym.py FOLDER OUT

FOLDER: a copy of github.com/dfki-ric-underactuated-lab/double_pendulum, whose Python package needs numpy, sympy and
matplotlib. Eight trajectories of 100 steps for each robot; a step is ten steps of the simulator, over which the torque
changes linearly.
"""

import sys

import numpy as np

FOLDER, OUT = sys.argv[1:3]
sys.path.insert(0, FOLDER + "/src/python")

from double_pendulum.model.model_parameters import model_parameters  # noqa: E402
from double_pendulum.model.symbolic_plant import SymbolicDoublePendulum  # noqa: E402
from double_pendulum.simulation.simulation import Simulator  # noqa: E402

PARAMETERS = FOLDER + "/data/system_identification/identified_parameters/design_C.1/model_1.0/model_parameters.yml"
STATE = ["shoulder", "elbow", "shoulderdot", "elbowdot", "torque"]
SEEN = ["cos_shoulder", "sin_shoulder", "cos_elbow", "sin_elbow", "shoulderdot_seen", "elbowdot_seen", "torque_seen"]
MOST, SECONDS, SUBSTEPS = 6.0, 0.002, 10

for robot, driven in [("acrobot", 1), ("pendubot", 0)]:
    machine = model_parameters(filepath=PARAMETERS)
    machine.set_torque_limit([0.0, MOST] if driven == 1 else [MOST, 0.0])
    machine.set_motor_inertia(0.0)
    machine.set_damping([0.0, 0.0])
    machine.set_cfric([0.0, 0.0])
    simulator = Simulator(plant=SymbolicDoublePendulum(model_pars=machine))
    random = np.random.default_rng(7 + driven)
    lines = [",".join(["traj", "step", *STATE, "action", *("next_" + n for n in STATE), *("next_" + n for n in SEEN)])]
    for trajectory in range(8):
        state, torque = np.zeros(4), 0.0
        if trajectory > 0:
            state = np.concatenate([random.uniform(-np.pi, np.pi, 2), random.uniform(-6, 6, 2)])
            torque = random.uniform(-3, 3)
        simulator.set_state(0.0, state)
        simulator.reset_data_recorder()
        simulator.record_data(0.0, np.copy(state), None)
        for step in range(100):
            action = random.uniform(-1, 1)
            row = [*simulator.x, torque, action]
            before = torque
            for i in range(SUBSTEPS):
                torque = np.clip(before + action * (i + 1) / SUBSTEPS, -MOST, MOST)
                torques = np.zeros(2)
                torques[driven] = torque
                simulator.step(simulator.get_real_applied_u(torques, simulator.t, SECONDS), SECONDS)
            q = simulator.x
            row += [*q, torque, np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1]), q[2], q[3], torque]
            lines.append(",".join([str(trajectory), str(step), *(repr(float(value)) for value in row)]))
    with open(f"{OUT}/{robot}_realaigym_20ms.csv", "w") as file:
        file.write("\n".join(lines) + "\n")
