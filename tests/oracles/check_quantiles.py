"""Compares our quantiles of random lists with numpy's: check_quantiles.py DUMP_QUANTILES"""
import subprocess
import sys

import numpy as np

lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
failed = 0
for line in lines:
    probability, ours, *values = [float(word) for word in line.split()]
    theirs = np.quantile(values, probability)
    if abs(ours - theirs) > 1e-12 * np.abs(values).max():
        failed += 1
        print(f"quantile {probability} of {values}: rhc {ours}, numpy {theirs}")
print(f"{len(lines)} lists, {failed} differ")
sys.exit(1 if failed or len(lines) != 3000 else 0)
