"""Passes on what `learning ... preset=paper` prints, and counts the episodes whose median lies in the paper's band.

learning pendulum cartpole preset=paper | band.py

rhc/study/paper_task_cost.csv holds the median and the first and ninth decile of the task's cost after each episode of
the paper's figure 1, 20 runs; here method RHC US is looked at.
"""
import csv
import pathlib
import sys

with open(pathlib.Path(__file__).parents[2] / "rhc/study/paper_task_cost.csv") as file:
    band = {(row["environment"], int(row["episode"])): (float(row["decile1"]), float(row["decile9"]))
            for row in csv.DictReader(file) if row["method"] == "rhc-us"}
system, found = None, {}
for line in sys.stdin:
    print(line, end="", flush=True)
    words = line.replace("|", " ").split()
    if line[:1].isalpha() and ", " in line:
        system = line.split(",")[0]
    elif len(words) > 3 and words[0].isdigit() and (system, int(words[0])) in band:
        found.setdefault(system, []).append((int(words[0]), float(words[2]), *band[system, int(words[0])]))
if not found:
    sys.exit("band.py: no line tells a median after an episode")
for system, rows in found.items():
    below = [e for e, median, low, _ in rows if median < low]
    above = [e for e, median, _, high in rows if median > high]
    print(f"{system}: {len(rows) - len(below) - len(above)} of {len(rows)} medians inside the paper's band; "
          f"better at episodes {below}, worse at {above}")
