"""Damages every file of a run and of a laboratory in every way, and looks at what every command then does.

A cell is a file, a damage and a command. Its outcome is one of
    named       the words say which file is wrong
    repaired    all is in the end as if there had been no damage
    not needed  the command shows and writes what it does without the damage
    refused     it ends with an exit code and words, and nothing was touched
or it is wrong: SILENT where damaged data were used without a word, CRASH where it ended by a signal, hung, or said what
no person understands.

    damage.py --program build/bin/rhc [--cells 400] [--seed 7] [--jobs 2]
    damage.py ... --subject lab --file experiments.json --damage older --command ask --keep    some cells, kept
"""
import argparse
import collections
import itertools
import json
import os
import random
import re
import shutil
import signal
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import runs
from runs import SWEEP, Outcome, differences, files_below

DAMAGES = ("digit", "byte", "half", "empty", "deleted", "older")
LETTERS = {"named": "n", "repaired": "r", "not needed": ".", "refused": "x", "SILENT": "S", "CRASH": "!"}
WRONG = ("SILENT", "CRASH")
# What people put in: nothing else knows it, so that whoever mends it, or refuses for it, names it.
FROM_PEOPLE = ("experiments.json", "measured/")
# What a run is whole without: whoever removes it wants it gone.
MAY_BE_REMOVED = ("validation.json", "control/0001.csv", "control/0001.json")

RUN = "s/runs/pendulum-rhc-evr-1"
OTHER = "s/runs/pendulum-rhc-evr-2"
GRID = SWEEP.replace('["mountain-car", "pendulum"]', '"pendulum"').replace('"random"', '"rhc-evr"').replace('"1"', '"1-2"')

# Name -> words; OF is the damaged run.
LOOKING = {
    "inspect": ["inspect", "OF"],
    "export csv": ["export", "OF", "--out", "out.csv"],
    "export jsonl": ["export", "OF", "--format", "jsonl", "--out", "out.jsonl"],
    "export npz": ["export", "OF", "--format", "npz", "--out", "out.npz"],
    "export metrics": ["export", "OF", "--metrics", "--out", "out.csv"],
    "export c": ["export", "OF", "--format", "c", "--out", "out.c", "--threads", "1"],
    "evaluate": ["evaluate", "OF", "--json", "--threads", "1"],
    "solve": ["solve", "OF", "--out", "out.csv", "--threads", "1"],
    "validate": ["validate", "OF", "log.csv", "--json", "--threads", "1"],
    "report": ["report", "OF"],
    "compare": ["compare", "OF", "--out", "out.html"],
    "serve": [],
}
ON_RUN = {
    **LOOKING,
    "control": ["control", "OF", "--seconds", "1", "--horizon", "10", "--threads", "1"],
    "compare all": ["compare", "s/runs", "--out", "out.html"],
    "collect": ["sweep", "collect", "s"],
    "resume": ["resume", "OF", "--quiet", "--threads", "1"],
    "resume on": ["resume", "OF", "--quiet", "--threads", "1", "--episodes", "4"],
    "repair": ["resume", "OF", "--quiet", "--threads", "1", "--repair"],
    "repair on": ["resume", "OF", "--quiet", "--threads", "1", "--repair", "--episodes", "4"],
    "evaluate write": ["evaluate", "OF", "--json", "--threads", "1", "--write"],
}
ON_LAB = {
    **LOOKING,
    "control": ["control", "OF", "--plant", "exec false", "--threads", "1"],
    "resume": ["resume", "OF", "--quiet", "--threads", "1"],
    "repair": ["resume", "OF", "--quiet", "--threads", "1", "--repair"],
    "evaluate write": ["evaluate", "OF", "--json", "--threads", "1", "--write"],
    "ask": ["ask", "OF", "--out", "out.csv", "--threads", "1"],
    "ask anew": ["ask", "OF", "--anew", "--out", "out.csv", "--threads", "1"],
    "tell": ["tell", "OF", "m4.csv", "--threads", "1"],
    "import": ["tell", "OF", "m5.csv", "--import", "--threads", "1"],
    "forget": ["forget", "OF", "1", "--threads", "1"],
    "change": ["change", "OF", "gentler.toml", "--threads", "1"],
}
MAKE_PAGES = ("report", "compare", "compare all", "serve")


@dataclass
class Subject:
    name: str
    start: object  # a directory that holds it
    at: str  # the run in there
    older: dict  # its files at an earlier time
    commands: dict


def make_run(program, work):
    """A run of a sweep, whose earlier state had an episode less."""
    start = work / "run-start"
    start.mkdir()
    sweep = ["sweep", "s.toml", "--out", "s", "--jobs", "1", "--quiet"]
    (start / "s.toml").write_text(GRID)
    program.must(sweep, start)
    older = files_below(start / RUN)
    (start / "s.toml").write_text(GRID.replace("episodes = 2", "episodes = 3"))
    program.must(sweep, start)
    shutil.copy(start / OTHER / "episodes/0001.csv", start / "log.csv")
    program.must(["validate", RUN, "log.csv", "--write", "--threads", "1"], start)
    program.must(["control", RUN, "--seconds", "1", "--horizon", "10", "--threads", "1"], start)
    program.run(["report", RUN], start)
    return Subject("run", start, RUN, older, ON_RUN)


def make_laboratory(program, work):
    """One with an experiment that was told, one taken back, one imported and one under way."""
    start = work / "lab-start"
    start.mkdir()
    runs.begin_laboratory(program, start)
    runs.ask_and_tell(program, start, 1)
    older = files_below(start / "lab")
    runs.ask_and_tell(program, start, 2)
    program.must(["forget", "lab", "2", "--threads", "1"], start)
    program.must(["tell", "lab", "m2.csv", "--import", "--threads", "1"], start)
    program.must(["ask", "lab", "--out", "plan.csv", "--threads", "1"], start)
    runs.measure(program, start, "plan.csv", "m4.csv")
    rows = (start / "m4.csv").read_text().splitlines()
    (start / "m5.csv").write_text("\n".join([rows[0], *rows[20:70]]) + "\n")
    shutil.copy(start / "m4.csv", start / "log.csv")
    program.must(["validate", "lab", "log.csv", "--write", "--threads", "1"], start)
    program.run(["report", "lab"], start)
    return Subject("lab", start, "lab", older, ON_LAB)


# How a plant is started and waited for may be changed at any time.
FREE_SETTINGS = re.compile(r"^(?:command|on_failure|plant_\w+) = .*$", re.M)


def places_to_damage(data, is_toml):
    """Places of a file that neither a clock nor a person decides."""
    text = data.decode("latin-1")
    free = set()
    for pattern in (runs.TIMES, runs.RESUMED, runs.UTC, *([FREE_SETTINGS] if is_toml else [])):
        for found in pattern.finditer(text):
            free.update(range(*found.span()))
    return [i for i in range(len(data)) if i not in free]


def says_the_same(data, changed):
    """Whether nothing was damaged: another last digit of a long number is often the same number."""
    if data == changed:
        return True
    try:
        return json.loads(data) == json.loads(changed)
    except ValueError:
        return False


def damaged(data, is_toml, older, damage, randomness):
    """Bytes of a file after a damage, or None for no file, and what was done in words; nothing where it cannot be done."""
    if damage == "deleted":
        return None, "deleted"
    if damage == "older":
        return (older, "an older one") if older is not None and older != data else ()
    if damage == "empty":
        return (b"", "emptied") if data else ()
    if damage == "half":
        return (data[:len(data) // 2], "cut in half") if len(data) > 1 else ()
    places = places_to_damage(data, is_toml)
    if damage == "digit":
        comments = {i for found in re.finditer(rb"#[^\n]*", data) for i in range(*found.span())} if is_toml else ()
        places = [i for i in places if data[i] in b"0123456789" and i not in comments]
    if not places:
        return ()
    changed = data
    while says_the_same(data, changed):
        i = randomness.choice(places)
        if damage == "digit":
            # Never a leading zero, which would be no number any more.
            new = ord("1") + (data[i] - ord("0")) % 9
        else:
            new = data[i] ^ (1 << randomness.randrange(8))
        changed = data[:i] + bytes([new]) + data[i + 1:]
    line = data.count(b"\n", 0, i) + 1
    near = slice(max(0, i - 20), i + 12)
    return changed, f"byte {i}, line {line}: {data[near]!r} became {changed[near]!r}"


@dataclass
class Cell:
    subject: Subject
    file: str
    damage: str
    command: str
    change: tuple  # new bytes or None, and words


@dataclass
class Seen:
    outcome: Outcome
    files: dict


class Runner:
    def __init__(self, program, work):
        self.program, self.work = program, work
        self.numbers = itertools.count()
        self.undamaged = {}

    def serve(self, subject, directory):
        """The list of runs and the page of the run, as a browser gets them."""
        folder, name = os.path.split(subject.at)
        process = self.program.start(["serve", folder or ".", "--port", "0"], directory)
        watchdog = threading.Timer(runs.TIME_LIMIT, process.kill)
        watchdog.start()
        try:
            port = re.search(rb":(\d+)/", process.stdout.readline())
            if not port:
                out, err = process.communicate()
                return Outcome(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
            shown, code = "", 0
            for page in ("runs.json", f"run/{name}/data.json"):
                try:
                    answer = urllib.request.urlopen(f"http://127.0.0.1:{int(port.group(1))}/{page}", timeout=runs.TIME_LIMIT)
                    data = json.loads(answer.read())
                    problems = data.pop("problems", [])
                    data.pop("folder", None)  # named after the directory of the cell
                    # Commands that it shows name the directory of the cell, too.
                    shown += json.dumps(data).replace(str(directory), "") + "\n" + "".join(f"{problem}\n" for problem in problems)
                except urllib.error.HTTPError as refused:
                    code = 2
                    shown += refused.read().decode(errors="replace")
                except (OSError, ValueError) as broken:
                    return Outcome(-1, "", f"{page}: {broken}")
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate()
            return Outcome(code if process.returncode == 0 else process.returncode, shown, err.decode(errors="replace"))
        finally:
            watchdog.cancel()
            if process.poll() is None:
                process.kill()
                process.communicate()

    def see(self, subject, command, directory):
        if command == "serve":
            outcome = self.serve(subject, directory)
        else:
            words = [subject.at if word == "OF" else word for word in subject.commands[command]]
            outcome = self.program.run(words, directory)
        return Seen(outcome, files_below(directory))

    def cell(self, cell, keep=False):
        directory = runs.copy(cell.subject.start, self.work / f"cell-{next(self.numbers)}")
        path = directory / cell.subject.at / cell.file
        if cell.change[0] is None:
            path.unlink()
        else:
            path.write_bytes(cell.change[0])
        before = files_below(directory)
        seen = self.see(cell.subject, cell.command, directory)
        if keep:
            print(f"kept: {directory}\n{seen.outcome.words}")
        else:
            runs.remove(directory)
        return self.judge(cell, before, seen)

    def look_at_undamaged(self, subject, command):
        directory = runs.copy(subject.start, self.work / f"cell-{next(self.numbers)}")
        seen = self.see(subject, command, directory)
        runs.remove(directory)
        crash = runs.is_crash(seen.outcome)
        if crash:
            raise SystemExit(f"{subject.name}, {command}, nothing damaged: {crash}\n{seen.outcome.words}")
        self.undamaged[subject.name, command] = seen

    def judge(self, cell, before, seen):
        """The outcome, and a few words on it."""
        expected = self.undamaged[cell.subject.name, cell.command]
        crash = runs.is_crash(seen.outcome)
        if crash:
            return "CRASH", crash
        said, usual = lines_of(seen.outcome), lines_of(expected.outcome)
        new_lines = [line for line in said if line not in set(usual)]
        in_pages = [line for name, data in seen.files.items() if name.endswith(".html") and data != before.get(name)
                    for line in problems_in(data)]
        named = next((line for line in new_lines + in_pages if names(line, cell.file)), None)

        # The damaged file itself may stay as it is where the command has no business with it.
        place = f"{cell.subject.at}/{cell.file}"
        start = self.undamaged[cell.subject.name, None][place]
        untouched = seen.files.get(place) == cell.change[0]
        files, should_be = dict(seen.files), dict(expected.files)
        if untouched and expected.files.get(place) == start:
            files.pop(place, None)
            should_be.pop(place, None)
        differing = differences(should_be, files)
        if named:
            aside = [d for d in differing if not re.search(r"\.damaged(-\d+)? is left over$", d)]
            mended = seen.outcome.code == 0 and not untouched and not aside
            return ("repaired" if mended else "named"), named
        if seen.outcome.code == expected.outcome.code and not differing and not new_lines and len(said) == len(usual):
            if untouched:
                return "not needed", ""
            if cell.file.startswith(FROM_PEOPLE):
                return "SILENT", f"{cell.file} was put back without a word"
            return "repaired", ""
        if seen.outcome.code != 0 and not differences(before, seen.files):
            why = " ".join(seen.outcome.err.split())
            if cell.file.startswith(FROM_PEOPLE) and seen.outcome.code != expected.outcome.code:
                return "SILENT", f"refuses, but names another reason: {why}"
            return "refused", why
        if not untouched and seen.outcome.code == 0 == expected.outcome.code and not differing:
            return "repaired", " ".join(new_lines)[:200]
        shown = "shows something else" if new_lines or len(said) != len(usual) else ""
        return "SILENT", "; ".join([f"exit code {seen.outcome.code}", *filter(None, [shown]), *differing])


def lines_of(outcome):
    return [line for line in map(runs.timeless_text, outcome.words.splitlines()) if line.strip()]


def problems_in(page):
    """What a page that was written says is wrong."""
    found = re.search(r'"problems":(?=\[)', text := page.decode(errors="replace"))
    return json.JSONDecoder().raw_decode(text, found.end())[0] if found else []


def names(line, file):
    """Whether words name a file of a run."""
    ways = [file]
    if file == "config.toml":
        ways.append("the settings")
    if file == "system.toml":
        ways.append("the system's file")
    return any(way in line for way in ways)


def all_cells(subjects, seed, repeats):
    for subject in subjects:
        for file, data in sorted(files_below(subject.start / subject.at).items()):
            for damage in DAMAGES:
                if damage == "deleted" and file in MAY_BE_REMOVED:
                    continue
                for i in range(repeats if damage in ("digit", "byte") else 1):
                    change = damaged(data, file.endswith(".toml"), subject.older.get(file), damage,
                                     random.Random(f"{seed} {file} {damage} {i}"))
                    if change:
                        yield from (Cell(subject, file, damage, command, change) for command in subject.commands)


def print_table(subject, results):
    """A row a file and damage, a column a command; the worst where there are several."""
    commands = list(subject.commands)
    order = list(LETTERS)
    for i, command in enumerate(commands):
        print("  " + "| " * i + "," + "-" * (2 * (len(commands) - i) - 1) + f" {command}")
    rows = collections.defaultdict(dict)
    for cell, (outcome, _) in results:
        if cell.subject is subject:
            row = rows[cell.file, cell.damage]
            row[cell.command] = max(row.get(cell.command, outcome), outcome, key=order.index)
    for (file, damage), row in rows.items():
        print("  " + " ".join(LETTERS[row[c]] if c in row else " " for c in commands) + f"  {file} {damage}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--cells", type=int, default=0, help="so many, drawn from all (default: all)")
    parser.add_argument("--seed", type=int, default=None, help="of the draw and of the damage (default: another each time)")
    parser.add_argument("--repeats", type=int, default=2, help="flipped digits and bytes of each file")
    parser.add_argument("--jobs", type=int, default=1)
    for name in ("subject", "file", "damage", "command"):
        parser.add_argument("--" + name, help="only this one")
    parser.add_argument("--keep", action="store_true", help="keep the directories, and print what was said")
    options = parser.parse_args()

    runs.in_work_directory(lambda work: look_at_all(options, work), options.keep)


def look_at_all(options, work):
    program = runs.Program(options.program)
    runner = Runner(program, work)
    subjects = [make(program, work) for make in (make_run, make_laboratory)]
    has_pages = (subjects[0].start / RUN / "report.html").exists()
    subjects = [s for s in subjects if options.subject in (None, s.name)]
    for subject in subjects:
        subject.commands = {command: words for command, words in subject.commands.items()
                            if (has_pages or command not in MAKE_PAGES) and options.command in (None, command)}
        runner.undamaged[subject.name, None] = files_below(subject.start)
        for command in subject.commands:
            runner.look_at_undamaged(subject, command)
            # What differs without any damage would hide what damage does.
            manifest = (subject.start / subject.at / "manifest.json").read_bytes()
            outcome, why = runner.cell(Cell(subject, "manifest.json", "none", command, (manifest, "")))
            if outcome not in ("not needed", "repaired", "refused"):
                raise SystemExit(f"{subject.name}, {command}: differs from time to time: {why}")

    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    cells = [cell for cell in all_cells(subjects, seed, options.repeats)
             if options.file in (None, cell.file) and options.damage in (None, cell.damage)]
    some = cells
    if options.cells and options.cells < len(cells):
        some = sorted(random.Random(seed).sample(range(len(cells)), options.cells))
        some = [cells[i] for i in some]
    print(f"{len(some)} of {len(cells)} cells, seed {seed}", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(zip(some, pool.map(lambda cell: runner.cell(cell, options.keep), some)))

    print("  n named, r repaired, . not needed, x refused, S SILENT, ! CRASH")
    for subject in subjects:
        print(f"\n{subject.name}")
        print_table(subject, results)
    print()
    wrong = [(cell, outcome, why) for cell, (outcome, why) in results if outcome in WRONG]
    together = collections.defaultdict(list)
    for cell, outcome, why in wrong:
        together[outcome, cell.subject.name, cell.file, cell.damage, cell.change[1]].append((cell.command, why))
    for (outcome, subject, file, damage, change), commands in together.items():
        print(f"{outcome}: {subject} {file}, {damage}: {', '.join(command for command, _ in commands)}")
        print(f"    {change}\n    {commands[0][0]}: {commands[0][1][:300]}")
    if wrong:
        cell = wrong[0][0]
        print(f"one of them again: --seed {seed} --subject {cell.subject.name} --file {cell.file} --damage {cell.damage} "
              f"--command '{cell.command}' --keep")
    counts = collections.Counter(outcome for _, (outcome, _) in results)
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in LETTERS))
    return 1 if wrong else 0


if __name__ == "__main__":
    main()
