"""A pendulum over JSON lines that does one thing wrong: live.py MODE [STEP [STEPS]].

From this step on, for so many steps (default: 1). It moves when it is asked to, as fast as it can.
"""
import json
import math
import os
import sys
import time

MODE = sys.argv[1]
FIRST = int(sys.argv[2]) if len(sys.argv) > 2 else 0
STEPS = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def log(text):
    with open("actions", "a") as out:
        out.write(text + "\n")


theta, speed, step, kept = math.pi, 0.0, 0, ""
for line in sys.stdin:
    request = json.loads(line)
    kind = request["type"]
    if kind == "hello":
        if MODE == "stop-in-hello":
            say('{"stop": "emergency stop pressed"}\n')
        say(json.dumps({"id": request["id"], "protocol": 1}) + "\n")
        continue
    if kind == "close":
        log("close")
        break
    if kind == "reset":
        theta, speed = request["start"]
        log("reset")
    if kind == "step":
        step += 1
        torque = max(-1.0, min(1.0, request["action"][0]))
        log(repr(request["action"][0]))
        for _ in range(4):
            speed += 0.02 * (9.81 * 0.5 * math.sin(theta) + torque - 0.1 * speed) / (0.251 + 0.02 * 0.1)
            theta += 0.02 * speed
    answer = json.dumps({"id": request["id"], "observation": [theta, speed]}) + "\n"
    if MODE == "nameless":
        answer = json.dumps({"observation": [theta, speed]}) + "\n"
    if kind == "reset" or not FIRST <= step < FIRST + STEPS:
        say(answer)
    elif MODE == "lost":
        pass
    elif MODE == "doubled":
        say(answer + answer)
    elif MODE == "late":  # said after the next question, too
        kept = answer
    elif MODE == "absurd":
        say(json.dumps({"id": request["id"], "observation": [1e300, 0]}) + "\n")
    elif MODE == "nan":
        say('{"id": %d, "observation": [NaN, 0]}\n' % request["id"])
    elif MODE == "far":  # possible, but not believed
        say(json.dumps({"id": request["id"], "observation": [theta + 2, speed - 60]}) + "\n")
    elif MODE == "garbage":
        say("hello, world\n" + answer)
    elif MODE == "future":
        say(json.dumps({"id": request["id"] + 7, "observation": [theta, speed]}) + "\n" + answer)
    elif MODE == "ended":
        say(json.dumps({"id": request["id"], "observation": [theta, speed], "ended": True}) + "\n")
    elif MODE == "stop":
        say('{"stop": "emergency stop pressed"}\n')
    elif MODE == "error":
        say('{"error": "the motor is too hot"}\n')
    elif MODE == "crash":
        print("the motor is on fire", file=sys.stderr, flush=True)
        os._exit(3)
    elif MODE == "hang":
        time.sleep(1000)
    elif MODE == "slow":
        time.sleep(0.3)
        say(answer)
    else:
        say(answer)
    if kept and step >= FIRST + STEPS:
        say(kept)
        kept = ""
