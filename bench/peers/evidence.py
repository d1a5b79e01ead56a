"""scipy's L-BFGS-B on the same function in numpy, beside our own fit.

evidence.py EVIDENCE_PROBLEM speed           one start each: time and objective reached
evidence.py EVIDENCE_PROBLEM robust [FOLDER] 50 starts, 20 seeds, all systems: how far below we end;
                                             writes the best to FOLDER/evidence_best_of_50_SYSTEM.csv
"""
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.optimize import minimize


class Problem:
    def __init__(self, program, system, episodes, features, seed, repeats=1):
        words = [program, system, *map(str, (episodes, features, seed, repeats))]
        stored = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        self.P, self.phase = np.array(stored["P"]), np.array(stored["phase"])
        self.Z, self.Y = np.array(stored["inputs"]).T.copy(), np.array(stored["outputs"]).T.copy()
        self.R = np.array(stored["region"]).T.copy()
        self.floor, self.caution = stored["noise_floor"], stored["caution"]
        self.ours, self.our_seconds = stored["objective"], stored["seconds"]
        self.N, self.D = self.Y.shape
        self.M, self.n = self.P.shape
        self.values = self.N * self.D
        order = np.sort(self.Z, axis=0)
        weights = 2 * np.arange(1, self.N + 1) - self.N - 1
        self.distance = (weights @ order) / (self.N * (self.N - 1) / 2)
        least = max(1e-12, 0.1 * np.finfo(float).eps * self.N * self.M)
        self.bounds = [(np.log(0.02 * d), np.log(1000 * d)) for d in self.distance]
        self.bounds.append((np.log(least), np.log(1e4)))

    def negative(self, theta):
        """Minus log evidence and caution, with its gradient."""
        nu, lam = np.exp(theta[: self.n]), np.exp(theta[self.n])
        Q = self.P / nu
        argument = self.Z @ Q.T + self.phase
        Phi, C = np.sin(argument), np.cos(argument)
        A = Phi.T @ Phi
        A[np.diag_indices(self.M)] += lam
        try:
            L = np.linalg.cholesky(A)
        except np.linalg.LinAlgError:
            return 1e300, np.zeros(self.n + 1)
        solve = lambda b: cho_solve((L, True), b, check_finite=False)
        W = solve(Phi.T @ self.Y)
        E = self.Y - Phi @ W
        residual = (E**2).sum(0) + lam * (W**2).sum(0)
        s2 = np.maximum(residual / self.N, self.floor**2)
        log_det = 2 * np.log(np.diag(L)).sum()
        value = -0.5 * self.D * (self.N * np.log(2 * np.pi) + log_det - self.M * theta[self.n])
        value -= 0.5 * self.N * np.log(s2).sum() + 0.5 * (residual / s2).sum()

        inverse_factor = solve_triangular(L, np.eye(self.M), lower=True, check_finite=False)
        G = -self.D * solve(Phi.T).T + E @ (W / s2).T
        g = np.zeros(self.n + 1)
        g[self.n] = 0.5 * self.D * (self.M - lam * (inverse_factor**2).sum())
        g[self.n] -= 0.5 * lam * ((W**2).sum(0) / s2).sum()
        if self.caution > 0:
            argument = self.R @ Q.T + self.phase
            Rphi, Rcos = np.sin(argument), np.cos(argument)
            U = solve(Rphi.T).T
            q = (U * Rphi).sum(1)
            value += self.caution * 0.5 * np.log1p(q).mean()
            share = 0.5 * self.caution / len(q) / (1 + q)
            weighted = 2 * share[:, None] * U
            G -= Phi @ (U.T @ weighted)
            g[self.n] -= lam * ((U**2).sum(1) @ share)
            g[: self.n] -= (((weighted * Rcos).T @ self.R) * self.P).sum(0) / nu
        g[: self.n] -= (((G * C).T @ self.Z) * self.P).sum(0) / nu
        return -value, -g

    def mean_distance_start(self):
        return np.append(np.log(self.distance), np.log(1e-4 * self.M))

    def random_start(self, rng):
        theta = np.log(self.distance) + rng.uniform(-0.5, 4) + rng.normal(size=self.n)
        theta = np.append(theta, rng.uniform(np.log(1e-11), 0))
        return np.clip(theta, *np.array(self.bounds).T)

    def climb(self, start):
        result = minimize(self.negative, start, jac=True, method="L-BFGS-B", bounds=self.bounds)
        return -result.fun, result.nfev


def speed(program):
    """N 2000, M 90, 4 inputs, 3 outputs: the pendulum after 20 episodes."""
    print("evidence fit, N 2000, M 90, 4 inputs, 3 outputs, one core, CPU seconds")
    print(f"{'seed':>4} {'rhc s':>8} {'scipy s':>8} {'ratio':>7} {'rhc':>12} {'scipy':>12}  objective per transition and output")
    ratios = []
    for seed in range(1, 6):
        problem = Problem(program, "pendulum", 20, 90, seed, repeats=5)
        times = []
        for _ in range(3):
            begin = time.process_time()
            value, _ = problem.climb(problem.mean_distance_start())
            times.append(time.process_time() - begin)
        peer = statistics.median(times)
        ratios.append(problem.our_seconds / peer)
        print(f"{seed:>4} {problem.our_seconds:8.3f} {peer:8.3f} {ratios[-1]:7.3f} "
              f"{problem.ours / problem.values:12.5f} {value / problem.values:12.5f}")
    print(f"rhc takes {statistics.median(ratios):.3f} of scipy's time in the median, {max(ratios):.3f} at worst (bar: 0.333)")


def robust(program, folder, starts=50, seeds=20, features=90):
    worst_of_all = 0.0
    for system, episodes in [("mountain-car", 3), ("pendulum", 3), ("cartpole", 3)]:
        rows, gaps, single = [], [], []
        for seed in range(1, seeds + 1):
            problem = Problem(program, system, episodes, features, seed)
            rng = np.random.default_rng(seed)
            first = problem.climb(problem.mean_distance_start())[0]
            best = max([first] + [problem.climb(problem.random_start(rng))[0] for _ in range(starts - 1)])
            rows.append(f"{episodes},{features},{seed},{best!r}")
            gaps.append((best - problem.ours) / problem.values)
            single.append((best - first) / problem.values)
        worst_of_all = max(worst_of_all, max(gaps))
        print(f"{system:13} {seeds} seeds, {episodes} episodes, M {features}: rhc ends {max(gaps):.4f} nats a transition "
              f"and output below the best of {starts} scipy starts at worst (bar: 0.02); one scipy start {max(single):.4f}")
        sys.stdout.flush()
        if folder:
            path = pathlib.Path(folder) / f"evidence_best_of_50_{system}.csv"
            path.write_text("episodes,features,seed,objective\n" + "\n".join(rows).replace("np.float64(", "").replace(")", "") + "\n")
    return worst_of_all


if __name__ == "__main__":
    if sys.argv[2] == "speed":
        speed(sys.argv[1])
    else:
        sys.exit(robust(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else None) > 0.02)
