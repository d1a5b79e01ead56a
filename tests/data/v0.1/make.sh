#!/usr/bin/env bash
# Makes what README.md lists: tests/data/v0.1/make.sh RHC FOLDER, with the program of version 0.1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rhc=$(realpath "$1")
mkdir "$2" && cd "$2"
one="--threads 1"
model="features=12 evidence_starts=2 plan_starts=2"
small="$model task_starts=2 task_hops=0 limit_hops=0 test_trajectories=20 test_steps=3 best_achievable_transitions=20"
# With noise, no search for hyperparameters and this seed, machines that round differently agree to 1e-8.
steady="refit=never"
mkdir expected

# A finished run, and what is exported of it.
"$rhc" explore pendulum --episodes 3 --quiet $one $small $steady observation_noise=0.05 --seed 5 --out finished
"$rhc" export finished --out expected/finished.csv
"$rhc" export finished --metrics --out expected/finished-metrics.csv

# A run that was stopped after two of three episodes, and how it ends.
"$rhc" explore mountain-car --episodes 3 --quiet $one $small $steady observation_noise=[0.02,0.002] --out interrupted &
until [ "$(cat interrupted/metrics.jsonl 2>/dev/null | wc -l)" -gt 2 ]; do :; done
kill %1
wait %1 || [ $? -eq 130 ]
grep -q '"episodes_done": 2' interrupted/manifest.json
cp -r interrupted resumed
"$rhc" resume resumed --quiet $one
cp resumed/metrics.jsonl expected/resumed-metrics.jsonl
cp resumed/episodes/0003.csv expected/resumed-0003.csv

# A laboratory. The machine is the simulated pendulum; "measure PLAN STEPS LOG" carries a plan out.
measure() {
  { echo action; tail -n +2 "$1" | head -n "$2" | cut -d, -f2; } > actions.csv
  "$rhc" simulate pendulum --actions actions.csv | sed '1s/.*/step,cos_angle,sin_angle,speed,torque/' > "$3"
}
"$rhc" new "$here/bench.toml" --out laboratory $model $steady task_starts=2 task_hops=0
experiment() {  # experiment STEPS LOG WORDS...
  "$rhc" ask laboratory --out plan.csv $one
  measure plan.csv "$1" "$2"
  "$rhc" tell laboratory "$2" "${@:3}" $one
}
experiment 20 told.csv
experiment 8 aborted.csv --aborted
experiment 20 forgotten.csv
"$rhc" forget laboratory 3 $one
"$rhc" ask laboratory --out plan.csv $one
cp plan.csv expected/asked.csv
measure plan.csv 20 expected/measured.csv
cp -r laboratory later
"$rhc" ask later --start 3.0,0.1 --out expected/asked-elsewhere.csv $one
"$rhc" ask later --start 3.14159265358979312,0 --out plan.csv $one
"$rhc" tell later expected/measured.csv $one
"$rhc" ask later --out expected/asked-next.csv $one
"$rhc" solve laboratory --out expected/solved.csv $one

# A sweep.
"$rhc" sweep "$here/sweep.toml" --out sweep --jobs 1 --quiet
"$rhc" sweep collect sweep

# What stands in the way of a small repository, and what only says on which machine this was.
rm -rf resumed later plan.csv actions.csv told.csv aborted.csv forgotten.csv
find . \( -name report.html -o -name compare.html -o -name lock \) -delete
find . -name manifest.json -exec sed -i 's/"cpu": ".*"/"cpu": "masked"/' {} +
