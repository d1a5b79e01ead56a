"""Plans by CasADi, beside our own planner.

plan.py PROBLEM.json... [--variants ipopt,fatrop,compiled] [--starts 6] [--easy-starts] [--json FILE]
                        [--rhc PROGRAM]

ipopt     as in the paper's released code: one MX stage function, called at each step, IPOPT, exact Hessian
compiled  SX stage functions, dynamics apart from reward, mapped over the horizon and compiled by cc; IPOPT
fatrop    the same compiled functions, solved by fatrop, which knows the stages

All are direct multiple shooting with at most 500 iterations. Seconds are CPU seconds of one solve from one
start, without construction and compilation. `rollout` is the objective when a plan's actions are rolled out
through the mean model in numpy: only this is compared, the solver's own may be that of an infeasible point.
IPOPT begins as in the released code, with all variables uniform in [-2, 2]. The stronger peers, and with
--easy-starts IPOPT too, begin with random actions and the first observation repeated, or rolled out.
With --rhc, our planner runs on the same problems; the exit status is 1 where it misses a bar. A plan that
leaves the state bounds does not count, nor does the time of a stronger peer that never ends feasible.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import casadi as ca
import numpy as np
from scipy.linalg import solve_triangular

# The generated code is straight-line scalar code: -O2 compiles longer and it runs no faster.
COMPILED = {"jit": True, "compiler": "shell",
            "jit_options": {"compiler": "cc", "linker": "cc", "flags": ["-O1", "-march=native"]}}
FEASIBLE = 1e-6  # largest defect of the dynamics
LIMIT = 1e-3  # largest violation of a state's bounds, as a part of their range


class Problem:
    def __init__(self, path):
        stored = json.loads(path.read_text())
        self.name, self.path = path.stem, path
        self.T, self.o_dim, self.a_dim = stored["T"], stored["o_dim"], stored["a_dim"]
        self.start = np.array(stored["start_obs"], float)
        self.Q = np.array(stored["W"]) / np.array(stored["v"])
        self.psi, self.mean = np.array(stored["psi"]), np.array(stored["mean"])
        L = np.linalg.cholesky(np.array(stored["Sigma_inv"]))
        self.inverse_factor = solve_triangular(L, np.eye(len(L)), lower=True)
        self.offset = np.array(stored.get("offset") or np.zeros(self.o_dim))
        self.angles = stored.get("angles") or []
        bounds = np.array(stored["action_bounds"], float).reshape(2, -1)
        self.a_lo, self.a_hi = np.broadcast_to(bounds, (2, self.a_dim))
        lo, hi = stored.get("state_bounds") or [[None] * self.o_dim] * 2
        self.o_lo = np.array([-np.inf if b is None else b for b in lo])
        self.o_hi = np.array([np.inf if b is None else b for b in hi])
        span = self.o_hi - self.o_lo
        one_sided = np.maximum(1, np.minimum(abs(self.o_lo), abs(self.o_hi)))
        self.range = np.where(np.isfinite(span), span, one_sided)

    def rollout(self, actions):
        """Objective and observations 1 to T of the clipped actions."""
        o, total, states = self.start, 0.0, []
        for a in np.clip(actions, self.a_lo, self.a_hi):
            phi = np.sin(self.Q @ np.concatenate([o, a]) + self.psi)
            total += ((self.inverse_factor @ phi) ** 2).sum()
            o = o + self.offset + self.mean.T @ phi
            for pair in self.angles:
                o[pair] /= np.hypot(*o[pair])
            states.append(o)
        return total, np.array(states)

    def judge(self, actions, feasible):
        """What a plan is worth, and whether it may count as a best."""
        value, states = self.rollout(actions)
        outside = np.maximum(0, np.maximum(self.o_lo - states, states - self.o_hi)).max(0)
        part = (outside / self.range).max()
        counts = bool(np.isfinite(value) and part <= LIMIT and (feasible or part == 0))
        return {"rollout": float(value), "violation": float(outside.max()), "counts": counts}

    def stage(self, kind):
        """Observation, action, next observation and cost as CasADi expressions."""
        o, a = kind.sym("o", self.o_dim), kind.sym("a", self.a_dim)
        phi = ca.sin(ca.mtimes(ca.DM(self.Q), ca.vertcat(o, a)) + self.psi)
        y = ca.vertsplit(o + self.offset + ca.mtimes(ca.DM(self.mean.T), phi))
        for c, s in self.angles:
            norm = ca.sqrt(y[c] ** 2 + y[s] ** 2)
            y[c], y[s] = y[c] / norm, y[s] / norm
        return o, a, ca.vertcat(*y), -ca.sumsqr(ca.mtimes(ca.DM(self.inverse_factor), phi))

    def solver(self, variant):
        """Variables are a_0, o_1, a_1, o_2, ..., o_T; each defect is the next observation minus its prediction."""
        A = [ca.MX.sym("a", self.a_dim) for _ in range(self.T)]
        O = [ca.MX(self.start)] + [ca.MX.sym("o", self.o_dim) for _ in range(self.T)]
        if variant == "ipopt":
            o, a, y, cost = self.stage(ca.MX)
            model = ca.Function("model", [o, a], [y, cost])
            after, costs = (ca.horzcat(*row) for row in zip(*[model(*pair) for pair in zip(O, A)]))
        else:
            o, a, y, cost = self.stage(ca.SX)
            inputs = ca.horzcat(*O[:-1]), ca.horzcat(*A)
            after = ca.Function("dynamics", [o, a], [y]).map(self.T)(*inputs)
            costs = ca.Function("cost", [o, a], [cost]).map(self.T)(*inputs)
        variables = ca.vertcat(*[v for pair in zip(A, O[1:]) for v in pair])
        nlp = {"x": variables, "f": ca.sum2(costs), "g": ca.vec(ca.horzcat(*O[1:]) - after)}
        options = {"print_time": False, "error_on_fail": False} | ({} if variant == "ipopt" else COMPILED)
        if variant == "fatrop":
            options |= {"structure_detection": "auto", "equality": [True] * (self.T * self.o_dim),
                        "fatrop": {"print_level": 0, "max_iter": 500}}
            return ca.nlpsol("plan", "fatrop", nlp, options)
        return ca.nlpsol("plan", "ipopt", nlp, options | {"ipopt": {"print_level": 0, "sb": "yes", "max_iter": 500}})

    def begin(self, start, paper):
        rng = np.random.default_rng(start)
        if paper:
            return rng.uniform(-2, 2, (self.T, self.a_dim + self.o_dim)).ravel()
        actions = rng.uniform(self.a_lo, self.a_hi, (self.T, self.a_dim))
        states = self.rollout(actions)[1] if start % 2 else np.tile(self.start, (self.T, 1))
        return np.hstack([actions, np.clip(states, self.o_lo, self.o_hi)]).ravel()

    def solve(self, solver, variant, start, paper):
        lower = np.tile(np.r_[self.a_lo, self.o_lo], self.T)
        upper = np.tile(np.r_[self.a_hi, self.o_hi], self.T)
        x0 = self.begin(start, paper)
        begin = time.process_time()
        solution = solver(x0=x0, lbx=lower, ubx=upper, lbg=0, ubg=0)
        seconds = time.process_time() - begin
        x, stats = np.array(solution["x"]).ravel(), solver.stats()
        defect = max(abs(np.array(solution["g"])).max(), (lower - x).max(), (x - upper).max())
        actions = x.reshape(self.T, -1)[:, : self.a_dim]
        return {"problem": self.name, "variant": variant, "start": start, "seconds": seconds,
                "iterations": stats["iter_count"], "status": str(stats["return_status"]), "success": stats["success"],
                "objective": -float(solution["f"]), "defect": float(defect), "feasible": bool(defect <= FEASIBLE)
                } | self.judge(actions, defect <= FEASIBLE)

    def ours(self, program, runs=5):
        """Our planner: median seconds, and the objective of the median run, rolled out as the peers' are."""
        results = []
        for _ in range(runs):
            words = [program, "plan", str(self.path), "--objective", "us", "--threads", "1"]
            result = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
            actions = np.array(result["actions"], float).reshape(self.T, self.a_dim)
            results.append(result | self.judge(actions, feasible=True))
        result = sorted(results, key=lambda r: r["rollout"])[runs // 2]
        return result | {"seconds": median(results)}


def best(records):
    return max((r["rollout"] for r in records if r["counts"]), default=math.nan)


def median(records):
    return statistics.median(r["seconds"] for r in records) if records else math.nan


def compare(problem, peers, ours):
    """Ratios of objective and speed; a ratio without a peer to divide by is nan."""
    paper = peers.get("ipopt", [])
    anybody = best([r for records in peers.values() for r in records])
    stronger = [median(r) for v, r in peers.items() if v != "ipopt" and any(one["feasible"] for one in r)]
    return {"problem": problem.name, "objective": ours["rollout"] / best(paper) if ours["counts"] else 0.0,
            "anybody": ours["rollout"] / anybody if ours["counts"] else 0.0,
            "ipopt": median(paper) / ours["seconds"], "stronger": min(stronger, default=math.nan) / ours["seconds"],
            "seconds": ours["seconds"], "rollout": ours["rollout"], "said": ours["objective"], "counts": ours["counts"]}


def verdict(rows):
    """The table, and whether every bar is met."""
    print(f"\n{'problem':16} {'rhc s':>9} {'rollout':>12} {'/ ipopt best':>12} {'/ any best':>12} "
          f"{'ipopt s / s':>12} {'stronger s / s':>14}")
    for row in rows:
        print(f"{row['problem']:16} {row['seconds']:9.5f} {row['rollout']:12.5g} {row['objective']:12.4f} "
              f"{row['anybody']:12.4f} {row['ipopt']:12.1f} {row['stronger']:14.1f}" + ("" if row["counts"] else "  leaves the state bounds"))
        if abs(row["said"] - row["rollout"]) > 1e-3 * abs(row["rollout"]):
            print(f"  rhc says {row['said']:.5g} of this plan")
    objective, ipopt, stronger = ([row[key] for row in rows if np.isfinite(row[key])] or [math.nan]
                                  for key in ("objective", "ipopt", "stronger"))
    mean = lambda values: math.exp(statistics.fmean(math.log(max(v, 1e-9)) for v in values))
    results = [("objective over ipopt's best, least", min(objective), 0.98),
               ("objective over ipopt's best, geometric mean", mean(objective), 1),
               ("times faster than one ipopt start, least", min(ipopt), 100),
               ("times faster than one ipopt start, geometric mean", mean(ipopt), 100),
               ("times faster than the best stronger peer, least", min(stronger), 30),
               ("times faster than the best stronger peer, geometric mean", mean(stronger), 30)]
    for text, value, bar in results:
        print(f"{text}: {value:.4g} (bar: {bar}){'' if value >= bar else '  MISSED'}")
    return all(value >= bar for _, value, bar in results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("problems", nargs="+", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--variants", default="ipopt,fatrop,compiled", type=lambda v: v.split(","))
    parser.add_argument("--starts", default=6, type=int)
    parser.add_argument("--easy-starts", action="store_true")
    parser.add_argument("--rhc", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--json", type=lambda p: pathlib.Path(p).resolve())
    options = parser.parse_args()
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)  # CasADi compiles in the working folder
    if "fatrop" in options.variants and not ca.has_nlpsol("fatrop"):
        print("this CasADi has no fatrop")
        options.variants.remove("fatrop")
    records, rows = [], []
    print(f"{'problem':16} {'variant':9} {'starts':>6} {'median s':>9} {'best rollout':>12} {'feasible':>8} {'count':>5}")
    for problem in map(Problem, options.problems):
        peers = {}
        for variant in options.variants:
            solver = problem.solver(variant)
            found = [problem.solve(solver, variant, start, variant == "ipopt" and not options.easy_starts) for start in range(options.starts)]
            del solver  # removes what it compiled
            print(f"{problem.name:16} {variant:9} {len(found):6} {median(found):9.3f} "
                  f"{best(found):12.5g} {sum(r['feasible'] for r in found):8} {sum(r['counts'] for r in found):5}", flush=True)
            peers[variant] = found
            records += found
        if options.rhc:
            rows.append(compare(problem, peers, problem.ours(options.rhc)))
    met = verdict(rows) if options.rhc else True
    if options.json:
        options.json.write_text(json.dumps({"peers": records, "comparison": rows}, indent=1) + "\n")
    return met


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
