"""A pendulum that swings in its own time: `python3 examples/fast_pendulum.py /tmp/pendulum.sock`, then
`rhc control RUN --plant unix:/tmp/pendulum.sock` with a run of `rhc explore pendulum`.

Its steps take 0.08 s of simulated time; the second argument says how many seconds each lasts, if not so many.
"""
import math
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "clients"))
from rhc_channel import STOP, Channel, Gone, Rest  # noqa: E402

TIME_STEP, SUBSTEPS = 0.08, 4
PATIENCE = 10  # steps without an action, after which the torque is zero
FASTEST = 40  # rad/s; beyond it something is wrong


def step(theta, speed, torque):
    """A rod of 0.5 m with a ball of 1 kg and 5 cm at its end."""
    h, inertia = TIME_STEP / SUBSTEPS, 0.25 + 0.4 * 0.05**2
    torque = max(-1.0, min(1.0, torque))
    for _ in range(SUBSTEPS):
        speed += h * (9.81 * 0.5 * math.sin(theta) + torque - 0.1 * speed) / (inertia + h * 0.1)
        theta += h * speed
    return theta, speed


def main():
    lasts = float(sys.argv[2]) if len(sys.argv) > 2 else TIME_STEP
    channel = Channel(sys.argv[1], measured=2, actions=1, time_step=lasts)
    theta, speed, torque, silent = math.pi, 0.0, 0.0, 0
    due = time.monotonic()
    while True:
        channel.accept()
        try:
            action = channel.receive()
            silent = 0 if action else silent + 1
            torque = action[0] if action else torque if silent <= PATIENCE else 0.0
        except Rest as rest:
            torque = rest.action[0]
        except Gone:
            torque = 0.0
        theta, speed = step(theta, speed, torque)
        due += lasts
        time.sleep(max(0.0, due - time.monotonic()))
        if abs(speed) > FASTEST:
            channel.send((theta, speed), STOP, f"it turns with {speed:.1f} rad/s")
        else:
            channel.send((theta, speed))


main()
