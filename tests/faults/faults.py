"""Lets every call of a command that changes the disk fail once, or kills the command there, and goes on as a person would.

Each command is run on a small start state with a fault at its n-th write, sync, rename, opening for writing, mkdir,
unlink, truncation or link (fail_at.c has the faults), for every n and every fault. Then the same is asked for again, and
in the end every byte must be that of a command which was left alone, but for times.

    faults.py --program build/bin/rhc --library build/tests/libfail_at.so [--cases 300 [--seed 7]] [--jobs 2]
    faults.py ... --scenario tell --at 12 --how before --keep    one case, whose directory is kept
"""
import argparse
import collections
import itertools
import os
import random
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import runs
from runs import LAB, SMALL, SOURCE, SWEEP, differences, files_below

KILLS = ("before", "after", "torn")
MAKES_OR_FILLS = ("open", "mkdir", "write", "link")


@dataclass
class Scenario:
    name: str
    start: str  # a function of Starts
    command: list
    go_on: list  # commands, of which a person takes the first that is not refused
    done: str = ""  # a refusal in these words says that it was done already
    last: list = field(default_factory=list)  # done in the end, by those who were left alone, too
    looked_at: str = "run"  # what `rhc inspect` is given
    views: list = field(default_factory=list)  # must show all of the old or all of the new; OUT is a file
    has_workers: bool = False  # processes of its own, whose calls come in any order
    numbered: str = ""  # a folder in which every attempt has a number of its own: the newest counts
    admits: str = ""  # words with which a command that goes on without something says so
    makes_page: bool = False  # left out where rhc was built without its pages


EXPLORE = ["explore", "pendulum", "--quiet", "--threads", "1", "--out", "run", *SMALL, "--episodes", "2"]
RESUME = ["resume", "run", "--quiet", "--threads", "1"]
DESCRIBE = ["describe", "log.csv", "--out", "my.toml"]
NEW = ["new", "lab.toml", "--out", "lab", *LAB]
ASK = ["ask", "lab", "--out", "plan.csv", "--threads", "1"]
TELL = ["tell", "lab", "m2.csv", "--threads", "1"]
IMPORT = ["tell", "lab", "m2.csv", "--import", "--threads", "1"]
FORGET = ["forget", "lab", "1", "--threads", "1"]
CHANGE = ["change", "lab", "gentler.toml", "--threads", "1"]
EVALUATE = ["evaluate", "run", "--write", "--threads", "1", "test_trajectories=30"]
VALIDATE = ["validate", "run", "run/episodes/0002.csv", "--write", "--threads", "1"]
REPORT = ["report", "run"]
EXPORT = ["export", "run", "--format", "npz", "--out", "run.npz"]
EXPORT_C = ["export", "run", "--format", "c", "--out", "run.c", "--threads", "1"]
CONTROL = ["control", "run", "--seconds", "1", "--horizon", "10", "--threads", "1"]
LEARN = ["control", "lab", "--plant", f"exec python3 {SOURCE}/tests/plants/live.py none", "--seconds", "1000", "--horizon", "10",
         "--threads", "1", "--learn"]
COMPARE = ["compare", "run", "--out", "compare.html"]
SWEEPING = ["sweep", "s.toml", "--out", "s", "--jobs", "1", "--quiet"]
COLLECT = ["sweep", "collect", "s"]

# A further command is one more entry.
SCENARIOS = [
    Scenario("explore", "nothing", EXPLORE, [RESUME, EXPLORE]),
    Scenario("resume", "stopped", RESUME, [RESUME]),
    Scenario("resume-episodes", "finished", RESUME + ["--episodes", "3"], [RESUME + ["--episodes", "3"]]),
    Scenario("describe", "recorded", DESCRIBE, [DESCRIBE], done="is there already"),
    Scenario("new", "nothing", NEW, [NEW], done="already holds a run", last=ASK, looked_at="lab"),
    Scenario("ask", "told", ASK, [ASK], looked_at="lab"),
    Scenario("tell", "asked", TELL, [TELL], looked_at="lab",
             done="the same measurements were told as experiment 2 already|no experiment is under way"),
    Scenario("import", "told", IMPORT, [IMPORT], looked_at="lab",
             done="the same measurements were told as experiment 2 already"),
    Scenario("forget", "told-twice", FORGET, [FORGET], done="was taken back already", looked_at="lab"),
    Scenario("change", "asked", CHANGE, [CHANGE], looked_at="lab"),
    Scenario("evaluate", "finished", EVALUATE, [EVALUATE],
             views=[["compare", "run", "--out", "OUT"], ["export", "run", "--metrics", "--out", "OUT"]]),
    Scenario("validate", "finished", VALIDATE, [VALIDATE]),
    Scenario("report", "finished", REPORT, [REPORT], makes_page=True),
    Scenario("export", "finished", EXPORT, [EXPORT]),
    Scenario("export-c", "finished", EXPORT_C, [EXPORT_C]),
    # The thread of its log writes when it likes.
    Scenario("control", "finished", CONTROL, [CONTROL], has_workers=True, numbered="run/control",
             admits="The log is not whole"),
    Scenario("keep", "learning", ASK, [ASK], looked_at="lab"),
    Scenario("compare", "finished", COMPARE, [COMPARE], makes_page=True),
    Scenario("sweep", "nothing", SWEEPING, [SWEEPING, SWEEPING + ["--retry"]], looked_at="s/runs/pendulum-random-1",
             has_workers=True),
    Scenario("collect", "swept", COLLECT, [COLLECT], looked_at="s/runs/pendulum-random-1"),
]


class Starts:
    """The states that commands begin from, each made once."""

    def __init__(self, program, library, work):
        self.program, self.library, self.work = program, library, work

    def get(self, name):
        path = self.work / "starts" / name
        if not path.exists():
            making = self.work / "starts" / (name + ".new")
            making.mkdir(parents=True)
            getattr(self, name.replace("-", "_"))(making)
            making.rename(path)
        return path

    def nothing(self, path):
        shutil.copy(SOURCE / "examples" / "lab.toml", path)
        (path / "s.toml").write_text(SWEEP)

    def recorded(self, path):
        shutil.copy(SOURCE / "bench" / "real" / "acrobot-mcpilco-1.csv", path / "log.csv")

    def finished(self, path):
        self.program.must(EXPLORE, path)

    def stopped(self, path):
        # In the middle of the second of three episodes.
        words = [*EXPLORE[:-1], "3"]
        counted = self.work / "starts" / "counted"
        counted.mkdir()
        calls = Watch(self.library, counted, self.work / "starts" / "watch").calls(self.program, words)
        n = calls.index(("write", "run/tasks/0002.csv.rhc-tmp")) + 1
        watch = Watch(self.library, path, self.work / "starts" / "watch")
        outcome = self.program.run(words, path, watch.environment(n, "before"))
        assert outcome.code == -9, outcome

    def told(self, path):
        runs.begin_laboratory(self.program, path)
        runs.ask_and_tell(self.program, path, 1)
        # Measured already, so that it can be told or imported.
        other = runs.copy(path, self.work / "starts" / "told.other")
        self.program.must(ASK, other)
        runs.measure(self.program, other, "plan.csv", "m2.csv")
        shutil.copy(other / "m2.csv", path)

    def asked(self, path):
        shutil.copytree(self.get("told"), path, dirs_exist_ok=True)
        self.program.must(ASK, path)

    def told_twice(self, path):
        shutil.copytree(self.get("asked"), path, dirs_exist_ok=True)
        self.program.must(TELL, path)

    def learning(self, path):
        # Killed before what it learned was kept.
        shutil.copytree(self.get("told"), path, dirs_exist_ok=True)
        process = self.program.start(LEARN, path)
        log = path / "lab/control/0001.csv"
        for _ in range(6000):
            if log.exists() and log.read_text().count("\n") > 40:
                break
            time.sleep(0.01)
        process.kill()
        process.communicate()

    def swept(self, path):
        self.nothing(path)
        self.program.must(SWEEPING, path)


class Watch:
    """The preloaded library over one directory."""

    STATE_SIZE = 8192

    def __init__(self, library, directory, place):
        self.library, self.directory = library, directory
        self.state, self.log = place.with_suffix(".state"), place.with_suffix(".log")

    def environment(self, at=0, how="", log=False):
        self.state.write_bytes(bytes(self.STATE_SIZE))
        found = {"LD_PRELOAD": str(self.library), "RHC_FAULT_DIR": str(self.directory),
                 "RHC_FAULT_STATE": str(self.state), "RHC_FAULT_AT": str(at), "RHC_FAULT_HOW": how}
        if log:
            self.log.write_bytes(b"")
            found["RHC_FAULT_LOG"] = str(self.log)
        return found

    def hit(self):
        """The call that was spoiled, such as "write run/manifest.json.rhc-tmp"; empty where it was not reached."""
        return self.state.read_bytes()[8:].split(b"\0", 1)[0].decode().replace(f"{self.directory}/", "")

    def calls(self, program, words, has_workers=False):
        """[(name, path)] of a command that is left alone."""
        outcome = program.run(words, self.directory, self.environment(log=True), has_workers)
        assert outcome.code == 0, (words, outcome)
        return [tuple(line.replace(f"{self.directory}/", "").split(" ", 1))
                for line in self.log.read_text().splitlines()]


@dataclass
class Ready:
    """A scenario whose undisturbed end is known."""
    scenario: Scenario
    start: object
    calls: list
    end: dict  # the files after it
    views: list  # for each view what it shows before and after


class Runner:
    def __init__(self, program, library, work):
        self.program, self.library, self.work = program, library, work
        self.starts = Starts(program, library, work)
        self.numbers = itertools.count()

    def place(self, name):
        return self.work / f"{name}-{next(self.numbers)}"

    def view(self, words, directory):
        """What a command shows of a directory; None where it says in words that something is wrong."""
        out = self.place("view")
        outcome = self.program.run([str(out) if word == "OUT" else word for word in words], directory)
        if outcome.code == 0 and not outcome.err.strip() and out.exists():
            shown = runs.timeless_text(out.read_text(errors="replace"))
            if "_seconds" in shown.split("\n", 1)[0]:
                shown = runs.timeless_table(shown)
            out.unlink()
            return shown
        out.unlink(missing_ok=True)
        return None

    def prepare(self, scenario):
        start = self.starts.get(scenario.start)
        directory = runs.copy(start, self.place("undisturbed"))
        calls = Watch(self.library, directory, directory).calls(self.program, scenario.command, scenario.has_workers)
        after = [self.view(words, directory) for words in scenario.views]
        if scenario.last:
            self.program.must(scenario.last, directory)
        ready = Ready(scenario, start, calls, files_of(scenario, directory),
                      list(zip([self.view(words, start) for words in scenario.views], after)))
        runs.remove(directory)
        return ready

    def go_on(self, scenario, directory):
        """What is wrong with going on, in words; empty where that worked."""
        refusals = []
        for words in scenario.go_on:
            outcome = self.program.run(words, directory, has_workers=scenario.has_workers)
            crash = runs.is_crash(outcome)
            if crash:
                return f"`rhc {words[0]}` afterwards {crash}"
            if outcome.code == 0 or (scenario.done and re.search(scenario.done, outcome.err)):
                break
            refusals.append(f"`rhc {' '.join(words[:2])}` afterwards: {outcome.err.strip().splitlines()[0]}")
        else:
            return "; ".join(refusals)
        if scenario.last:
            outcome = self.program.run(scenario.last, directory)
            if outcome.code != 0:
                return f"`rhc {scenario.last[0]}` in the end: {outcome.err.strip() or outcome.code}"
        return ""

    def judge(self, ready, at, how, directory):
        """What is wrong after one fault, in words; and the call that was spoiled."""
        scenario = ready.scenario
        watch = Watch(self.library, directory, directory)
        outcome = self.program.run(scenario.command, directory, watch.environment(at, how), scenario.has_workers)
        hit = watch.hit()
        watch.state.unlink()
        if not hit:
            return ("" if scenario.has_workers else "the call was not reached"), hit
        killed = how in KILLS and outcome.code == -9
        crash = "" if killed else runs.is_crash(outcome)
        if crash:
            return f"the command {crash}", hit

        if (directory / scenario.looked_at).is_dir():
            looked = self.program.run(["inspect", scenario.looked_at], directory)
            crash = runs.is_crash(looked)
            if crash:
                return f"`rhc inspect` {crash}", hit
        wrong = []
        for words, (before, after) in zip(scenario.views, ready.views):
            if self.view(words, directory) not in (None, before, after):
                wrong.append(f"`rhc {words[0]}` shows neither the old nor the new, without a word")

        # Whoever says that all went well has done all.
        if outcome.code == 0 and not scenario.last and not (scenario.admits and scenario.admits in outcome.words):
            wrong += [f"exit code 0, but {difference}" for difference in differences(ready.end, files_of(scenario, directory))]
            return "; ".join(wrong), hit
        refusal = self.go_on(scenario, directory)
        wrong += [refusal] if refusal else differences(ready.end, files_of(scenario, directory))
        return "; ".join(wrong), hit

    def case(self, ready, at, how, keep=False):
        directory = runs.copy(ready.start, self.place(ready.scenario.name))
        try:
            return self.judge(ready, at, how, directory)
        finally:
            if not keep:
                runs.remove(directory)


def files_of(scenario, directory):
    """Of numbered attempts those of the newest, whatever its number; what earlier ones left is no part of the run."""
    files = files_below(directory)
    if not scenario.numbered:
        return files
    number = re.compile(re.escape(scenario.numbered) + r"/(\d+)")
    numbers = [int(found.group(1)) for name in files if (found := number.match(name))]
    kept = {}
    for name, data in files.items():
        found = number.match(name)
        if found and int(found.group(1)) != max(numbers):
            continue
        kept[number.sub(scenario.numbered + "/NEWEST", name)] = data
    return kept


def faults_of(call):
    """Every fault that can happen at a call."""
    found = ["enospc", "eio", "before", "after"]
    if call in MAKES_OR_FILLS:
        found.append("full")
    return found + (["short", "torn"] if call == "write" else [])


KERNEL_CALLS = {"write": "write", "pwrite64": "write", "writev": "write", "fsync": "sync", "fdatasync": "sync",
                "syncfs": "sync", "ftruncate": "truncate", "truncate": "truncate", "rename": "rename",
                "renameat": "rename", "renameat2": "rename", "link": "link", "linkat": "link", "symlink": "link",
                "unlink": "unlink", "unlinkat": "unlink", "rmdir": "unlink", "mkdir": "mkdir", "mkdirat": "mkdir",
                "open": "open", "openat": "open", "creat": "open", "copy_file_range": "write", "sendfile": "write",
                "pwritev": "write"}


def kernel_counts(program, scenario, directory, watch):
    """How often the kernel was called under the directory, by strace, and how often besides for what is gone; and the
    same by the library, in the same run."""
    trace = watch.state.with_suffix(".trace")
    environment = watch.environment(log=True)
    words = ["strace", "-f", "-y", "-s", "4096", "-o", str(trace), "-e", "trace=" + ",".join(KERNEL_CALLS)]
    for name, value in environment.items():
        words += ["-E", f"{name}={value}"]
    subprocess.run([*words, program.path, *scenario.command], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    counts, of_nothing = collections.Counter(), collections.Counter()
    for line in trace.read_text().splitlines():
        found = re.match(r"\d+ +(\w+)\((.*)", line)
        if not found or found.group(1) not in KERNEL_CALLS:
            continue
        kind, words = KERNEL_CALLS[found.group(1)], found.group(2)
        if kind == "open" and not re.search(r"O_WRONLY|O_RDWR|O_CREAT", words):
            continue
        # The last name is the one that is changed: of a rename the new one.
        opened = re.match(r"\d+<([^>]*)>", words)
        path = opened.group(1) if opened else os.path.normpath(directory / re.findall(r'"([^"]*)"', words)[-1])
        # A lock whose folder is gone already: the library sees it only where the folder went later.
        gone = "ENOENT" in line.rsplit("=", 1)[-1] and not os.path.isdir(os.path.dirname(path))
        if (path + "/").startswith(f"{directory}/"):
            (of_nothing if gone else counts)[kind] += 1
    trace.unlink()
    return counts, of_nothing, collections.Counter(line.split(" ", 1)[0] for line in watch.log.read_text().splitlines())


def check_counts(runner, scenarios):
    """Names of scenarios in which the library does not see all that the kernel does."""
    wrong = []
    for scenario in scenarios:
        directory = runs.copy(runner.starts.get(scenario.start), runner.place("traced"))
        kernel, of_nothing, library = kernel_counts(runner.program, scenario, directory,
                                                    Watch(runner.library, directory, directory))
        if any(not kernel[kind] <= library[kind] <= kernel[kind] + of_nothing[kind] for kind in kernel | of_nothing | library):
            wrong.append(scenario.name)
            print(f"{scenario.name}: the kernel saw {dict(kernel)}, the library {dict(library)}")
        runs.remove(directory)
    return wrong


def chosen(cases, wanted, seed):
    """About so many of [(ready, at, how)], of every scenario some; all where none are wanted."""
    if not wanted or wanted >= len(cases):
        return cases
    by_name = collections.defaultdict(list)
    for case in cases:
        by_name[case[0].scenario.name].append(case)
    randomness = random.Random(seed)
    found = []
    for some in by_name.values():
        number = min(len(some), max(8, wanted * len(some) // len(cases)))
        # One of each k: neighbours see nearly the same.
        step = len(some) / number
        found += [some[int((i + randomness.random()) * step)] for i in range(number)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True, help="what fail_at.c was built into")
    parser.add_argument("--cases", type=int, default=0, help="so many in all, spread over all (default: all)")
    parser.add_argument("--seed", type=int, default=None, help="of the spread (default: another each time)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--scenario", action="append", choices=[s.name for s in SCENARIOS])
    parser.add_argument("--at", type=int, help="only this call")
    parser.add_argument("--how", help="only this fault")
    parser.add_argument("--keep", action="store_true", help="keep the directories")
    options = parser.parse_args()

    runs.in_work_directory(lambda work: fault_all(options, work), options.keep)


def fault_all(options, work):
    program, library = runs.Program(options.program), os.path.abspath(options.library)
    runner = Runner(program, library, work)
    has_pages = (runner.starts.get("finished") / "run" / "report.html").exists()
    scenarios = [s for s in SCENARIOS if (not options.scenario or s.name in options.scenario)
                 and (has_pages or not s.makes_page)]
    if shutil.which("strace") and not options.at:
        wrong_counts = check_counts(runner, scenarios)
    else:
        wrong_counts = []
        print("calls were not compared with the kernel's (strace does that)")

    all_ready = [runner.prepare(scenario) for scenario in scenarios]
    cases = [(ready, at, how) for ready in all_ready for at, (call, _) in enumerate(ready.calls, 1)
             for how in faults_of(call)
             if options.at in (None, at) and options.how in (None, how)]
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    some = chosen(cases, options.cases, seed)
    print(f"{len(some)} of {len(cases)} faults, seed {seed}", flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda case: runner.case(*case, keep=options.keep), some))

    failures = collections.defaultdict(list)
    for (ready, at, how), (wrong, hit) in zip(some, results):
        if wrong:
            failures[(ready.scenario.name, re.sub(re.escape(str(work)) + r"/[\w.-]+/", "", wrong))].append((at, how, hit))
    print(f"{'command':<18} {'calls':>6} {'faults':>7} {'met':>7} {'wrong':>6}")
    for ready in all_ready:
        met = [bool(hit) for (r, _, _), (_, hit) in zip(some, results) if r is ready]
        wrong = sum(len(points) for (name, _), points in failures.items() if name == ready.scenario.name)
        print(f"{ready.scenario.name:<18} {len(ready.calls):>6} {len(met):>7} {sum(met):>7} {wrong:>6}")
    for (name, wrong), points in failures.items():
        print(f"\n{name}: {wrong}")
        for at, how, hit in points[:6]:
            print(f"    --scenario {name} --at {at} --how {how}: {hit}")
        if len(points) > 6:
            print(f"    and {len(points) - 6} more")
    for name in wrong_counts:
        print(f"\n{name}: the library does not see all that the kernel does")
    return 1 if failures or wrong_counts else 0


if __name__ == "__main__":
    main()
