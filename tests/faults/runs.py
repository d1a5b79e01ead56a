"""What the runners of faults and of damage share: the program, small runs and laboratories, and how they are compared."""
import functools
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
TIME_LIMIT = 300

# As in tests/apps/small_run.h, a little smaller still.
SMALL = ["features=20", "forecast_features=40", "evidence_starts=2", "plan_starts=2", "task_starts=2", "task_hops=0", "task_draws=0", "limit_hops=0",
         "test_trajectories=20", "test_steps=3", "best_achievable_transitions=20"]
LAB = ["features=20", "forecast_features=40", "evidence_starts=2", "plan_starts=2", "task_starts=2", "task_hops=0", "task_draws=0"]
SWEEP = """[grid]
system = ["mountain-car", "pendulum"]
method = "random"
seed = "1"
[settings]
episodes = 2
""" + "".join(setting.replace("=", " = ") + "\n" for setting in SMALL)


@dataclass
class Outcome:
    code: int  # exit code, minus the signal that ended it, or None where it hung
    out: str
    err: str

    @property
    def words(self):
        return self.out + self.err


def ended_group(group):
    """Waits until no process of a group is left; False where some had to be killed."""
    for _ in range(10 * TIME_LIMIT):
        alive = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                alive.append(int(stat.parent.name))
        if not alive:
            return True
        time.sleep(0.1)
    os.killpg(group, signal.SIGKILL)
    return False


class Program:
    """rhc, as a person calls it in a directory."""

    def __init__(self, path):
        self.path = str(Path(path).resolve())

    def start(self, words, directory, environment=None, **more):
        return subprocess.Popen([self.path, *words], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, **(environment or {})},
                                start_new_session=True, **more)

    def run(self, words, directory, environment=None, has_workers=False):
        process = self.start(words, directory, environment)
        try:
            out, err = process.communicate(timeout=TIME_LIMIT)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            code = None
        if has_workers and not ended_group(process.pid):
            code = None
        return Outcome(code, out.decode(errors="replace"), err.decode(errors="replace"))

    def must(self, words, directory, environment=None):
        outcome = self.run(words, directory, environment)
        if outcome.code != 0:
            raise SystemExit(f"rhc {' '.join(words)} in {directory}: exit code {outcome.code}\n{outcome.words}")
        return outcome


def is_crash(outcome):
    """How a program must not end, in words; none where it ended well."""
    if outcome.code is None:
        return "hangs"
    if outcome.code < 0:
        return f"dies by signal {-outcome.code}"
    if outcome.code not in (0, 1, 2, 130):
        return f"exit code {outcome.code}"
    bare = re.search(r"terminate called|Traceback|std::\w+|basic_string|vector::|bad_alloc|what\(\)", outcome.words)
    if bare:
        return f"says '{bare.group(0)}'"
    if outcome.code != 0 and not outcome.err.strip() and not outcome.out.strip():
        return f"exit code {outcome.code} without a word"
    return ""


def work_directory():
    """In memory where that is possible: a killed process loses nothing that the kernel has, so a sync proves nothing."""
    memory = "/dev/shm"
    return Path(tempfile.mkdtemp(prefix="rhc-faults-", dir=memory if os.access(memory, os.W_OK) else None)).resolve()


def in_work_directory(work_in, keep):
    """Ends the program with what `work_in` returns of a directory, which goes unless it is to be kept."""
    work = work_directory()
    try:
        sys.exit(work_in(work))
    finally:
        if keep:
            print(f"kept: {work}")
        else:
            remove(work)


def copy(start, to):
    shutil.copytree(start, to, symlinks=True)
    return to


def remove(directory):
    shutil.rmtree(directory, ignore_errors=True)


def measure(program, directory, plan, log):
    """Carries a plan of examples/lab.toml out on a simulated pendulum, as examples/lab.sh does."""
    rows = (directory / plan).read_text().splitlines()[1:-1]
    (directory / "actions.csv").write_text("action\n" + "".join(row.split(",")[1] + "\n" for row in rows))
    text = program.must(["simulate", "pendulum", "--actions", "actions.csv"], directory).out
    (directory / log).write_text("step,cos_angle,sin_angle,speed,torque\n" + text.split("\n", 1)[1])
    (directory / "actions.csv").unlink()


def begin_laboratory(program, directory):
    text = (SOURCE / "examples" / "lab.toml").read_text()
    (directory / "lab.toml").write_text(text)
    (directory / "gentler.toml").write_text(text.replace("bounds = [-1, 1]", "bounds = [-0.5, 0.5]"))
    program.must(["new", "lab.toml", "--out", "lab", *LAB], directory)


def ask_and_tell(program, directory, number):
    """Experiment `number`, from its plan to what was learned."""
    program.must(["ask", "lab", "--out", "plan.csv", "--threads", "1"], directory)
    measure(program, directory, "plan.csv", f"m{number}.csv")
    program.must(["tell", "lab", f"m{number}.csv", "--threads", "1"], directory)


# Clock times, durations, how often a run was taken up and the random name of a sweep: all that may differ from one run to the next. A value that is
# missing stays so.
TIMES = re.compile(r'("(?:started|ended|asked|told|time|seconds|cpu_seconds|[a-z]+_seconds)" ?: ?)(?:"[^"]*"|[-+.0-9eE]+)')
RESUMED = re.compile(r'("resumed" ?: ?)\d+')
SEALS = re.compile(r'("(?:metrics_)?checksum" ?: ?)"[0-9a-f]{8}"')  # of what holds such values
SWEEP_ID = re.compile(r'("id" ?: ?)"[0-9a-f]{8}"')
UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def timeless_table(text):
    rows = [row.split(",") for row in text.split("\n")]
    timed = [i for i, name in enumerate(rows[0]) if name.endswith(("_seconds", "_ms"))]
    for row in rows[1:]:
        for i in timed:
            if i < len(row) and row[i]:
                row[i] = "0"
    return "\n".join(",".join(row) for row in rows)


def timeless_text(text):
    text = CONTROL_TIMES.sub("TIMES", TABLE.sub(r'\g<1>""', MILLISECONDS.sub(r"\g<1>0", text)))
    text = SEALS.sub(r'\g<1>""', RESUMED.sub(r"\g<1>0", TIMES.sub(r"\g<1>0", text)))
    return UTC.sub("TIME", SWEEP_ID.sub(r'\g<1>""', text))


# Of a controller: how long anything took.
MILLISECONDS = re.compile(r'("(?:sent|act_cpu|step_cpu)_ms" ?: ?)\{[^}]*\}')
TABLE = re.compile(r'("table" ?: ?)"[0-9a-f]{8}"')
CONTROL_TIMES = re.compile(r"(?m)^(?:An action took|a step with the next plan|Stolen by other machines).*$")


def archive_blocks(data):
    """Name -> bytes of a checkpoint (docs/formats.md); none where it is no whole one."""
    blocks, place = {}, 24
    if not data.startswith(b"rhc-archive\n") or len(data) < place:
        return None
    end_of_texts = place + struct.unpack_from("<Q", data, 16)[0]
    while place < len(data) - 4:
        if place == end_of_texts:
            place += 4  # their checksum
            continue
        if place + 21 > len(data):
            return None
        kind, length, rows, columns = struct.unpack_from("<BIQQ", data, place)
        place += 21
        size = rows * columns * (1 if kind else 8)
        name = data[place:place + length].decode(errors="replace")
        blocks[name] = data[place + length:place + length + size]
        if kind:
            blocks[name] = timeless_text(blocks[name].decode(errors="replace")).encode()
        place += length + size
    return blocks


@functools.lru_cache(maxsize=200)
def timeless(name, data):
    """A file of a run without what depends on the clock, so that two runs can be compared."""
    base = name.rsplit("/", 1)[-1]
    if base.endswith(".html"):
        # A page is large, and what stands around its data has no times.
        before, mark, rest = data.partition(b'<script type="application/json"')
        shown, end, after = rest.partition(b"</script>")
        return before + mark + timeless_text(shown.decode(errors="surrogateescape")).encode(errors="surrogateescape") + end + after
    if base == "checkpoint":
        blocks = archive_blocks(data)
        return data if blocks is None else repr(blocks)
    if base.endswith((".json", ".jsonl", ".txt", ".md")):
        return timeless_text(data.decode(errors="surrogateescape"))
    if base.endswith(".csv") and re.search(rb"_seconds|_ms", data.split(b"\n", 1)[0]):
        return timeless_table(data.decode(errors="surrogateescape"))
    return data


def files_below(directory):
    """Path -> bytes of every file, but for locks: one that nobody holds means nothing."""
    found = {}
    for folder, _, names in os.walk(directory):
        for name in filter(lambda name: name != "lock", names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, directory)] = file.read()
    return found


def first_difference(expected, found):
    """Of two texts, such as `"status": "open" became "status": "running"`."""
    if not isinstance(expected, str) or expected.startswith("{'"):
        return ""
    for old, new in zip(expected.splitlines(), found.splitlines()):
        if old != new and len(old) < 200 > len(new):
            return f" ({old.strip()} became {new.strip()})"
    return ""


def differences(expected, found):
    """Names of files that only one has, or that differ but for the clock."""
    differing = []
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            differing.append(f"{name} is missing")
        elif name not in expected:
            differing.append(f"{name} is left over")
        elif expected[name] != found[name]:
            old, new = timeless(name, expected[name]), timeless(name, found[name])
            if old != new:
                differing.append(f"{name} differs{first_difference(old, new)}")
    return differing
