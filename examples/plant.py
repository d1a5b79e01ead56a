"""A pendulum as a plant: `rhc explore --command "python3 examples/plant.py"`.

One JSON object a line comes in, one goes out; docs/protocol.md says which. What is printed besides
belongs on standard error.
"""
import json
import math
import sys

SYSTEM = {
    "name": "my-pendulum",
    "time_step": 0.05,
    "horizon": 60,
    "observation": [
        {"name": "theta", "unit": "rad", "angle": True, "start": math.pi},
        {"name": "speed", "unit": "rad/s", "start": 0, "range": [-8, 8]},
    ],
    "action": [{"name": "torque", "unit": "N m", "bounds": [-1, 1]}],
    "task": {"target": {"theta": 0}, "weight": {"theta": 1, "speed": 0.01}},
}


FASTEST = 20  # rad/s; beyond it something is wrong, and nothing may move before a person has looked


def step(theta, speed, torque):
    for _ in range(5):
        speed += 0.01 * (14 * math.sin(theta) + 3 * torque - 0.3 * speed)
        theta += 0.01 * speed
    return theta, speed


state = (math.pi, 0.0)
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if request["type"] == "hello":
        answer.update(protocol=1, system=SYSTEM)
    elif request["type"] == "reset":
        state = tuple(request["start"])  # a machine would drive back to where it starts
        answer["observation"] = state
    elif request["type"] == "step":
        state = step(*state, *request["action"])
        answer["observation"] = state
    elif request["type"] == "close":
        break
    if abs(state[1]) > FASTEST:
        answer = {"stop": f"the pendulum turns with {state[1]:.1f} rad/s"}
    print(json.dumps(answer), flush=True)
