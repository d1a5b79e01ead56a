#!/usr/bin/env bash
# The loop of a laboratory, with a simulated pendulum in the place of the machine.
#   examples/lab.sh [RUN]
set -euo pipefail
cd "$(dirname "$0")/.."
rhc=${RHC:-build/bin/rhc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run=${1:-$work/run}

"$rhc" new examples/lab.toml --out "$run"
for experiment in 1 2 3 4; do
  "$rhc" ask "$run" --out "$work/plan.csv"
  # The machine: takes the column of the torques, and logs what it measures.
  { echo action; tail -n +2 "$work/plan.csv" | head -n -1 | cut -d, -f2; } > "$work/actions.csv"
  "$rhc" simulate pendulum --actions "$work/actions.csv" |
    sed '1s/.*/step,cos_angle,sin_angle,speed,torque/' > "$work/measured.csv"
  "$rhc" tell "$run" "$work/measured.csv"
done
"$rhc" solve "$run" --out "$work/swing-up.csv"
head -n 3 "$work/swing-up.csv"
