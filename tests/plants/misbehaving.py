"""A plant that does one thing wrong: misbehaving.py MODE [EPISODE [STEP]].

It behaves until this step of this episode, counted over all of its processes by a file in the
working folder; without them it misbehaves from the beginning, each time.
"""
import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
EPISODE = int(sys.argv[2]) if len(sys.argv) > 2 else 0
STEP = int(sys.argv[3]) if len(sys.argv) > 3 else 0

SYSTEM = {
    "name": "lag",
    "time_step": 0.1,
    "horizon": 20,
    "observation": [
        {"name": "x", "start": 0.5, "range": [-2, 2]},
        {"name": "y", "start": 0, "range": [-2, 2]},
    ],
    "action": [{"name": "u", "bounds": [-1, 1]}],
}


if MODE == "big":
    SYSTEM["observation"] = [{"name": f"x{i}", "start": 0, "range": [-2, 2]} for i in range(2000)]


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def count(name):
    """How often this was called, by all processes."""
    with open(name, "a+") as file:
        file.write("x")
        file.flush()
        return file.tell()


def misbehave(request):
    """True where the request was answered, in its way."""
    if MODE == "slow":
        time.sleep(1000)
    elif MODE == "crash":
        print("the motor is on fire", file=sys.stderr, flush=True)
        os._exit(3)
    elif MODE == "killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif MODE == "garbage":
        sys.stdout.buffer.write(b"hello, world \xff\x00\n")
        sys.stdout.flush()
    elif MODE == "not-an-object":
        say("[1, 2]\n")
    elif MODE == "huge":
        while True:
            say("x" * 65536)
    elif MODE == "nan":
        say('{"observation": [NaN, 0]}\n')
    elif MODE == "null":
        say('{"observation": [null, 0]}\n')
    elif MODE == "overflow":
        say('{"observation": [1e999, 0]}\n')
    elif MODE == "absurd":
        say('{"observation": [1e300, 0]}\n')
    elif MODE == "wrong-size":
        say('{"observation": [1, 2, 3]}\n')
    elif MODE == "wrong-id":
        say('{"id": -1, "observation": [1, 2]}\n')
    elif MODE == "error":
        say('{"error": "the motor is too hot"}\n')
    elif MODE == "ended":
        say('{"observation": [1.9, 1.9], "ended": true}\n')
    elif MODE == "stop":
        say('{"stop": "emergency stop pressed"}\n')
    elif MODE == "stop-unasked":
        x_y = json.dumps([x, y])
        say('{"observation": ' + x_y + '}\n{"stop": "emergency stop pressed"}\n')
    elif MODE == "stop-at-the-end":
        signal.signal(signal.SIGTERM, lambda *_: (say('{"stop": "emergency stop pressed"}\n'), os._exit(0)))
        time.sleep(1000)
    elif MODE == "closes-stdout":
        os.close(1)
        time.sleep(1000)
    elif MODE == "half-a-line":
        say('{"observation": [1')
        os._exit(0)
    elif MODE == "speaks":
        say('{"observation": [0, 0]}\n{"observation": [0, 0]}\n')
    else:
        return False
    return True


if MODE == "exits":
    print("no such port", file=sys.stderr)
    sys.exit(5)
if MODE == "mute":
    time.sleep(1000)
if MODE == "speaks-first":
    say("Welcome!\n")
if MODE == "ignores-close":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if MODE == "has-children":
    child = subprocess.Popen(["sleep", "1000"])
    with open("child.pid", "w") as out:
        out.write(str(child.pid))
if MODE == "has-daemon":
    if os.fork() == 0:
        os.setsid()
        if (daemon := os.fork()) > 0:
            with open("child.pid", "w") as out:
                out.write(str(daemon))
            os._exit(0)
        os.execvp("sleep", ["sleep", "1000"])
    os.wait()
if MODE == "own-session":
    os.setsid()
    signal.signal(signal.SIGTERM, lambda *_: (open("terminated", "w").close(), os._exit(0)))

x = y = 0.0
episode = step = 0
for line in sys.stdin:
    request = json.loads(line)
    kind = request["type"]
    if kind == "close":
        open("closed", "w").close()
        if MODE not in ("ignores-close", "own-session"):
            break
        time.sleep(1000)
    if kind == "reset":
        episode, step = count("resets"), 0
    if kind == "step":
        step += 1
    due = episode >= EPISODE and step >= STEP if EPISODE == 0 else (episode, step) == (EPISODE, STEP)
    if kind != "hello" and due and misbehave(request):
        continue
    if kind == "hello" and MODE == "stop-in-hello":
        say('{"stop": "emergency stop pressed"}\n')
        continue
    if kind == "hello":
        system = dict(SYSTEM, horizon=30) if MODE == "changes" and count("starts") > 1 else SYSTEM
        about = {} if MODE == "nameless" else {"system": system}
        say(json.dumps({"id": request["id"], "protocol": 1, **about}) + "\n")
        continue
    if kind == "reset":
        x, y = request["start"]
    if MODE == "chatty":
        print("z" * (1 << 20), file=sys.stderr, flush=True)
    if kind == "step":
        u = request["action"][0]
        x, y = x + 0.1 * y, 0.9 * y + 0.1 * (u - x)
        with open("steps", "a") as out:
            out.write("s")
    say(json.dumps({"id": request["id"], "observation": [x, y]}) + "\n")
