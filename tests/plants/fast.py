"""A pendulum on the fast channel that does one thing wrong: fast.py PATH MODE STEP.

From the step on that many times with a controller; the file `end` says what it hears at the end.
"""
import math
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "clients"))
from rhc_channel import ENDED, FAILED, STOP, Channel, Gone, Rest  # noqa: E402

MODE, FIRST, STEP = sys.argv[2], int(sys.argv[3]), 0.08
channel = Channel(sys.argv[1], measured=2, actions=1, time_step=STEP)
theta, speed, torque, acted = math.pi, 0.0, 0.0, 0


def end(text):
    with open("end.tmp", "w") as out:
        out.write(text)
    os.rename("end.tmp", "end")
    sys.exit()


due = time.monotonic()
while True:
    channel.accept()
    try:
        action = channel.receive()
        torque, acted = (action[0], acted + 1) if action else (torque, acted)
    except Rest as rest:
        end(f"rest {rest.action[0]}")
    except Gone:
        if acted > 0:
            end("gone")
    for _ in range(4):
        speed += 0.02 * (9.81 * 0.5 * math.sin(theta) + torque - 0.1 * speed) / (0.251 + 0.02 * 0.1)
        theta += 0.02 * speed
    due += STEP
    time.sleep(max(0.0, due - time.monotonic()))
    wrong = MODE if acted >= FIRST else ""
    if wrong == "stop":
        channel.send((theta, speed), STOP, "the door is open")
    elif wrong == "failed":
        channel.send((theta, speed), FAILED, "the motor is too hot")
    elif wrong == "ended":
        channel.send((theta, speed), ENDED)
    elif wrong == "nan":
        channel.send((math.nan, speed))
    elif wrong != "silent":
        channel.send((theta, speed))
