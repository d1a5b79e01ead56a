"""What a sweep costs beside its runs: prints busy cores, overhead a run, and the reading of 10,000 runs.

    python3 bench/sweep.py RHC DIRECTORY
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

rhc, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True)
cores = os.cpu_count()
phases = ("plan_seconds", "fit_seconds", "evaluate_seconds")


def grid(name, text):
    path = folder / (name + ".toml")
    path.write_text(text)
    return path


def measured(*words):
    """Wall and processor seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run([rhc, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, busy


def rows(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def overheads(sweep):
    """Milliseconds of each run beside planning, learning and judging: acting, files, and beginning."""
    result = []
    for run in sorted((sweep / "runs").iterdir()):
        total = json.loads((run / "manifest.json").read_text())["seconds"]
        result.append(1000 * (total - sum(row[phase] for row in rows(run) for phase in phases)))
    return sorted(result)


# 10,000 finished runs: one real run of 20 episodes, under many names.
many = folder / "many"
text = grid("many", '[grid]\nsystem = ["pendulum"]\nmethod = ["random"]\nseed = "1-10000"\n')
small = grid("one", '[grid]\nsystem = ["pendulum"]\nmethod = ["random"]\nseed = [1]\n')
subprocess.run([rhc, "sweep", str(small), "--out", str(many), "--quiet"], check=True)
first = many / "runs" / "pendulum-random-1"
config, manifest = (first / "config.toml").read_text(), (first / "manifest.json").read_text()
sweep = json.loads((many / "sweep.json").read_text())
sweep["file"] = text.read_text()
(many / "sweep.json").write_text(json.dumps(sweep))
for seed in range(2, 10001):
    copy = many / "runs" / f"pendulum-random-{seed}"
    copy.mkdir()
    (copy / "config.toml").write_text(config.replace("\nseed = 1\n", f"\nseed = {seed}\n"))
    (copy / "manifest.json").write_text(manifest.replace('"seed": 1,', f'"seed": {seed},'))
    for name in ("metrics.jsonl", "best_achievable.json"):
        shutil.copyfile(first / name, copy / name)
for word in ("status", "collect"):
    probe = subprocess.run(
        [sys.executable, "-c",
         "import resource,subprocess,sys,time;b=time.monotonic();subprocess.run(sys.argv[1:],check=True,"
         "stdout=subprocess.DEVNULL);print(time.monotonic()-b,resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024)",
         rhc, "sweep", word, str(many)], check=True, capture_output=True, text=True).stdout.split()
    print(f"{word} of 10,000 runs of 20 episodes: {float(probe[0]):.2f} s, {float(probe[1]):.0f} MB (bars: 5 s, 200 MB)", flush=True)
shutil.rmtree(many)

wall, busy = measured("sweep", grid("random", '[grid]\nsystem = ["mountain-car", "pendulum", "cartpole"]\n'
                                       'method = ["random"]\nseed = "1-20"\n'), "--out", folder / "random")
print(f"60 random runs: {wall:.0f} s, {cores} cores {100 * busy / (wall * cores):.1f} % busy (bar: 90 %)", flush=True)
found = overheads(folder / "random")
print(f"a run beside planning, learning and judging: median {found[30]:.0f} ms, ninth decile {found[54]:.0f} ms (bar: 50 ms)")
