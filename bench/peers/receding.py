"""Receding-horizon control by CasADi, for `build/bin/control_peers`, which asks it a line a period.

The first line of the standard input is a problem: a learned model as our planner has it, a task, bounds of the actions, a
horizon and a solver. Then each line is a state, and the answer the first action of a plan from there, with the CPU seconds
that the solver took.

ipopt  direct multiple shooting, exact Hessian, functions compiled by cc; warm-started with the last plan, its multipliers
       and a small barrier, all moved by a step; ended by `max_cpu_time`
rti    one quadratic program a period around the last plan, Gauss-Newton, solved by HPIPM: the real-time iteration that
       acados is used for
Both begin with the best of some plans of IPOPT from random actions, without a limit of time.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import casadi as ca
import numpy as np

QUIET = {"print_time": False, "error_on_fail": False}
IPOPT = {"print_level": 0, "sb": "yes", "max_iter": 300}
# Where a solver is told to go on from what it knows.
WARM = {"warm_start_init_point": "yes", "warm_start_bound_push": 1e-6, "warm_start_mult_bound_push": 1e-6,
        "warm_start_slack_bound_push": 1e-6, "mu_init": 1e-4}


def compiled(name):
    """The library of a generated C file. -O2 compiles longer and straight-line code runs no faster."""
    subprocess.run(["cc", "-O1", "-march=native", "-fPIC", "-shared", name + ".c", "-o", name + ".so", "-lm"], check=True)
    return "./" + name + ".so"


class Plans:
    def __init__(self, said):
        array = lambda key: np.array(said[key], float)
        self.T, self.seconds = said["horizon"], said["seconds"]
        self.Q, self.phase, self.W, self.offset = array("Q"), array("phase"), array("W"), array("offset")
        self.nx = self.W.shape[1]
        self.nu = self.Q.shape[1] - self.nx
        self.carry = array("carry") if said["carry"] else np.eye(self.nx, self.nx + self.nu)
        self.affine, self.angles, self.outputs = said["affine"], said["angles"], said["outputs"]
        self.target, self.weight, self.final = array("target"), array("weight"), array("final_weight")
        self.action_weight, self.lower, self.upper = array("action_weight"), array("lower"), array("upper")
        self.rng = np.random.default_rng(said["seed"])

        # x_0 is a parameter; the variables are u_0, x_1, u_1, ..., x_T.
        x, u = ca.SX.sym("x", self.nx), ca.SX.sym("u", self.nu)
        step = ca.Function("step", [x, u], [self.next_state(x, u)])
        stage = ca.Function("stage", [x, u], [self.state_cost(x, self.weight) + ca.dot(self.action_weight, u**2)])
        start = ca.MX.sym("start", self.nx)
        U = [ca.MX.sym("u", self.nu) for _ in range(self.T)]
        X = [start] + [ca.MX.sym("x", self.nx) for _ in range(self.T)]
        before = ca.horzcat(*X[:-1]), ca.horzcat(*U)
        cost = ca.sum2(stage.map(self.T)(*before)) + self.state_cost(X[-1], self.final)
        gaps = ca.vec(step.map(self.T)(*before) - ca.horzcat(*X[1:]))
        nlp = {"x": ca.vertcat(*[v for pair in zip(U, X[1:]) for v in pair]), "p": start, "f": cost, "g": gaps}
        ca.nlpsol("plan", "ipopt", nlp, QUIET | {"ipopt": IPOPT}).generate_dependencies("plan.c")
        oracle = compiled("plan")
        self.cold = ca.nlpsol("cold", "ipopt", oracle, QUIET | {"ipopt": IPOPT})
        if said["solver"] == "ipopt":
            limits = {"max_cpu_time": self.seconds}
            self.warm = ca.nlpsol("warm", "ipopt", oracle, QUIET | {"ipopt": IPOPT | WARM | limits})
            self.improve = self.improve_by_ipopt
        else:
            self.prepare_iteration(x, u, step)
            self.improve = self.improve_by_iteration
        no_bound = np.full((self.T, self.nx), np.inf)
        self.low = np.hstack([np.tile(self.lower, (self.T, 1)), -no_bound]).ravel()
        self.high = np.hstack([np.tile(self.upper, (self.T, 1)), no_bound]).ravel()
        self.step, self.plan = step, None

    def next_state(self, x, u):
        z = ca.vertcat(x, u)
        phi = ca.mtimes(ca.DM(self.Q), z) + self.phase
        sines = len(self.phase) - self.affine
        phi = ca.vertcat(ca.sin(phi[:sines]), phi[sines:])
        y = ca.vertsplit(ca.mtimes(ca.DM(self.carry), z) + self.offset + ca.mtimes(ca.DM(self.W.T), phi))
        for c, s in self.angles:
            norm = ca.sqrt(y[c] ** 2 + y[s] ** 2)
            y[c], y[s] = y[c] / norm, y[s] / norm
        return ca.vertcat(*y)

    def state_cost(self, x, weight):
        return ca.dot(weight, (x[: self.outputs] - self.target) ** 2)

    def rolled_out(self, x, actions):
        rows = []
        for u in actions:
            x = np.array(self.step(x, u)).ravel()
            rows.append(np.r_[u, x])
        return np.array(rows)

    def worth(self, x, plan):
        states = np.vstack([x, plan[:, self.nu :]])[:, : self.outputs] - self.target
        return ((states[:-1] ** 2) @ self.weight + (plan[:, : self.nu] ** 2) @ self.action_weight).sum() \
            + (states[-1] ** 2) @ self.final

    def begin(self, x, starts=8):
        """The plan that is best when it is rolled out."""
        best = np.inf
        for i in range(starts):
            actions = self.rng.uniform(self.lower, self.upper, (self.T, self.nu))
            if i == 0:
                actions *= 0
            found = self.cold(x0=self.rolled_out(x, actions).ravel(), p=x, lbx=self.low, ubx=self.high, lbg=0, ubg=0)
            plan = np.array(found["x"]).reshape(self.T, -1)
            worth = self.worth(x, self.rolled_out(x, np.clip(plan[:, : self.nu], self.lower, self.upper)))
            if worth < best:
                best, self.plan = worth, plan
                self.on_gaps = np.array(found["lam_g"]).reshape(self.T, -1)
                self.on_bounds = np.array(found["lam_x"]).reshape(self.T, -1)

    def move_on(self):
        for rows in self.plan, self.on_gaps, self.on_bounds:
            rows[:-1] = rows[1:].copy()

    def improve_by_ipopt(self, x):
        found = self.warm(x0=self.plan.ravel(), lam_g0=self.on_gaps.ravel(), lam_x0=self.on_bounds.ravel(), p=x,
                          lbx=self.low, ubx=self.high, lbg=0, ubg=0)
        plan = np.array(found["x"]).reshape(self.T, -1)
        if np.isfinite(plan).all():
            self.plan = plan
            self.on_gaps = np.array(found["lam_g"]).reshape(self.T, -1)
            self.on_bounds = np.array(found["lam_x"]).reshape(self.T, -1)
        return self.warm.stats()["iter_count"]

    def prepare_iteration(self, x, u, step):
        """Changes of x_0, u_0, x_1, ..., x_T: the order that HPIPM wants."""
        z = ca.vertcat(x, u)
        slopes = ca.Function("slopes", [x, u], [step(x, u), ca.jacobian(step(x, u), z)]).map(self.T)
        slopes.generate("slopes.c")
        self.slopes = ca.external(slopes.name(), compiled("slopes"))
        n, T = self.nx + self.nu, self.T
        rows, columns = [], []
        for t in range(T):
            for i in range(self.nx):
                rows += [t * self.nx + i] * (n + 1)
                columns += list(range(t * n, t * n + n)) + [(t + 1) * n + i]
        self.gap_entries = rows, columns
        sparsity = ca.Sparsity.triplet(T * self.nx, T * n + self.nx, rows, columns)
        curvature = [2 * np.r_[self.weight, np.zeros(self.nx - self.outputs), self.action_weight]] * T
        curvature = np.r_[np.concatenate(curvature), 2 * self.final, np.zeros(self.nx - self.outputs)]
        self.curvature = np.maximum(curvature, 1e-8)
        self.H = ca.diag(ca.DM(self.curvature))
        self.program = ca.conic("program", "hpipm", {"h": self.H.sparsity(), "a": sparsity},
                                {"print_time": False, "error_on_fail": False, "N": T, "nx": [self.nx] * (T + 1),
                                 "nu": [self.nu] * T + [0], "ng": [0] * (T + 1)})
        # CasADi keeps columns together.
        self.by_column = np.lexsort((rows, columns))
        self.sparsity = sparsity

    def improve_by_iteration(self, x):
        T, n, nx, nu = self.T, self.nx + self.nu, self.nx, self.nu
        states, actions = np.vstack([x, self.plan[:, nu:]]), self.plan[:, :nu]
        after, F = (np.array(one) for one in self.slopes(states[:-1].T, actions.T))
        entries = np.empty((T, nx, n + 1))
        entries[:, :, :n] = F.reshape(nx, T, n).transpose(1, 0, 2)
        entries[:, :, n] = -1
        A = ca.DM(self.sparsity, entries.ravel()[self.by_column])
        gaps = (states[1:] - after.T).ravel()
        off = np.hstack([states[:-1, : self.outputs] - self.target, np.zeros((T, nx - self.outputs)), actions]).ravel()
        off = np.r_[off, states[-1, : self.outputs] - self.target, np.zeros(nx - self.outputs)]
        free = np.full((T + 1, nx), np.inf)
        free[0] = 0
        low = np.hstack([-free[:-1], self.lower - actions]).ravel()
        high = np.hstack([free[:-1], self.upper - actions]).ravel()
        found = self.program(h=self.H, g=self.curvature * off, a=A, lba=gaps, uba=gaps,
                             lbx=np.r_[low, -free[-1]], ubx=np.r_[high, free[-1]])
        change = np.array(found["x"]).ravel()
        if np.isfinite(change).all():
            self.plan = self.plan + change[nx:].reshape(T, n)
        return 1

    def action(self, x):
        begin = time.process_time()
        iterations = 0
        if self.plan is None:
            self.begin(x)
        else:
            self.move_on()
            iterations = self.improve(x)
        action = np.clip(self.plan[0, : self.nu], self.lower, self.upper)
        return {"action": action.tolist(), "seconds": time.process_time() - begin, "iterations": iterations}


def main():
    plans = None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in sys.stdin:
            said = json.loads(line)
            if plans is None:
                plans = Plans(said)
                answer = {"ready": True}
            else:
                answer = plans.action(np.array(said, float))
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
