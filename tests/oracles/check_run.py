"""Recomputes a run's metrics in numpy from nothing but its files, and compares.

check_run.py RHC DUMP_TEST_SET
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def read_csv(path):
    rows = [line.split(",") for line in pathlib.Path(path).read_text().splitlines()]
    return rows[0], rows[1:]


def transitions(path, outputs, limits):
    _, rows = read_csv(path)
    observations = np.array([[float(v) for v in row[1 : 1 + outputs]] for row in rows])
    actions = np.array([[float(v) for v in row[1 + outputs :]] for row in rows[:-1]])
    inside = (np.abs(observations[1:] - limits[0]) <= limits[1]).all(1)
    inputs, targets = np.hstack([observations[:-1], actions]), observations[1:] - observations[:-1]
    return inputs[inside], targets[inside]


class Model:
    """The belief in covariance form, from hyperparameters and data alone."""

    def __init__(self, stored, inputs, outputs):
        self.P, self.phase = np.array(stored["frequencies"]), np.array(stored["phase"])
        self.nu, self.lam = np.array(stored["bandwidth"]), stored["prior_precision"]
        self.s = np.array(stored["noise"])
        self.predicted = np.array(stored.get("predicted_noise", stored["noise"]))
        self.mean, self.scale = outputs.mean(0), outputs.std(0)
        phi = self.features(inputs)
        self.Y = (outputs - self.mean) / self.scale
        # Least squares on the stacked system: no normal equations, unlike the program.
        M = len(self.phase)
        stacked = np.vstack([phi, math.sqrt(self.lam) * np.eye(M)])
        self.R = np.linalg.qr(stacked, mode="r")
        target = np.vstack([self.Y, np.zeros((M, self.Y.shape[1]))])
        self.W = np.linalg.lstsq(stacked, target, rcond=None)[0]

    def features(self, z):
        return np.sin(z @ (self.P / self.nu).T + self.phase)

    def predict(self, z):
        phi = self.features(z)
        leverage = (np.linalg.solve(self.R.T, phi.T) ** 2).sum(0)
        variance = (self.predicted * self.scale) ** 2 * (1 + leverage[:, None])
        return self.mean + self.scale * (phi @ self.W), variance

    def jacobian(self, z, outputs):
        cosine = np.cos(z @ (self.P / self.nu).T + self.phase)
        Q = (self.P / self.nu)[:, :outputs]
        return np.einsum("j,ij,ti,ik->tjk", self.scale, self.W, cosine, Q)

    def evidence(self, inputs):
        phi = self.features(inputs)
        N = len(phi)
        kernel = phi @ phi.T / self.lam + np.eye(N)
        sign, log_det = np.linalg.slogdet(kernel)
        quadratic = (self.Y * np.linalg.solve(kernel, self.Y)).sum(0)
        each = -0.5 * (N * np.log(2 * np.pi * self.s**2) + log_det + quadratic / self.s**2)
        return (each - N * np.log(self.scale)).sum()


def gaussian(error, variance):
    return -0.5 * (np.log(2 * np.pi * variance) + error**2 / variance).sum(-1)


def scores(model, observations, actions):
    count, steps, outputs = observations.shape[0], actions.shape[1], observations.shape[2]
    spread = (observations[:, 1:] - observations[:, :-1]).reshape(-1, outputs).std(0)
    squared = covered = one = free = paper = 0.0
    predicted, C = observations[:, 0], np.zeros((count, outputs, outputs))
    for t in range(steps):
        z = np.hstack([observations[:, t], actions[:, t]])
        mean, variance = model.predict(z)
        error = observations[:, t + 1] - observations[:, t] - mean
        squared += ((error / spread) ** 2).sum()
        covered += (np.abs(error) <= 1.959963984540054 * np.sqrt(variance)).sum()
        one += gaussian(error, variance).sum()

        z = np.hstack([predicted, actions[:, t]])
        mean, variance = model.predict(z)
        F = np.eye(outputs) + model.jacobian(z, outputs)
        C = F @ C @ F.transpose(0, 2, 1) + np.einsum("tj,jk->tjk", variance, np.eye(outputs))
        predicted = predicted + mean
        error = observations[:, t + 1] - predicted
        paper += gaussian(error, variance).sum()
        quadratic = np.einsum("tj,tj->t", error, np.linalg.solve(C, error[:, :, None])[:, :, 0])
        free += -0.5 * (np.linalg.slogdet(2 * np.pi * C)[1] + quadratic).sum()
    values = count * steps * outputs
    return {
        "rmse": math.sqrt(squared / values),
        "log_likelihood": free / count,
        "log_likelihood_one_step": one / count,
        "log_likelihood_paper": paper / count,
        "coverage95": covered / values,
    }


def check(rhc, dump, system, limits, noise, work):
    outputs = len(limits[0])
    run, trajectories, steps, episodes = work / system, 400, 10, 3
    subprocess.run(
        [rhc, "explore", system, "--quiet", "--episodes", str(episodes), "--out", run, "features=60",
         f"test_trajectories={trajectories}", f"test_steps={steps}", f"observation_noise={noise}",
         "best_achievable_transitions=0", "fit_trajectories=false"],
        check=True,
    )
    text = subprocess.run([dump, system, str(trajectories), str(steps), str(noise)], check=True,
                          capture_output=True, text=True).stdout
    block = np.array([[float(v) for v in line.split(",")] for line in text.splitlines()])
    block = block.reshape(trajectories, steps + 1, -1)
    observations, actions = block[:, :, 2 : 2 + outputs], block[:, :-1, 2 + outputs :]

    data = [transitions(run / "episodes" / f"{e:04}.csv", outputs, limits) for e in range(1, episodes + 1)]
    inputs, targets = np.vstack([d[0] for d in data]), np.vstack([d[1] for d in data])
    stored = json.loads((run / "model.json").read_text())
    model = Model(stored, inputs, targets)
    expected = scores(model, observations, actions)
    expected["evidence"] = model.evidence(inputs)
    row = json.loads((run / "metrics.jsonl").read_text().splitlines()[-1])
    failed = 0
    for key, value in expected.items():
        relative = abs(row[key] - value) / max(1e-3, abs(value))
        fine = relative < 1e-4
        failed += not fine
        print(f"{system:13} {key:24} rhc {row[key]:.10g}  numpy {value:.10g}  {'' if fine else 'DIFFERS'}")
    return failed


def main():
    rhc, dump = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        failed = sum(
            check(rhc, dump, system, np.array(limits), noise, work)
            for system, limits, noise in [
                ("mountain-car", [[-0.3, 0], [0.85, np.inf]], 0.0005),
                ("pendulum", [[0, 0, 0], [np.inf, np.inf, np.inf]], 0.02),
                ("cartpole", [[0, 0, 0, 0, 0], [1.8, np.inf, np.inf, 10, 10]], 0.02),
            ]
        )
    sys.exit(1 if failed else 0)


main()
