"""Writes the logs in this folder: one log of 21 rows, as numpy and scipy (for MATLAB) keep it."""
from pathlib import Path

import numpy as np
import scipy.io

here = Path(__file__).parent
rows = np.arange(21)
log = {
    "time": 0.08 * rows,
    "theta": np.sin(0.1 * rows),
    "thetadot": (np.cos(0.1 * rows)).astype(np.float32),
    "torque": (rows % 3 - 1).astype(np.int8),
}
np.savez(here / "log.npz", **log)
np.savez_compressed(here / "packed.npz", **log, pair=np.column_stack([rows, -rows]).astype(np.int64), gain=2.5, note=np.array(["a"]))
np.savez(here / "fortran.npz", time=log["time"], pair=np.asfortranarray(np.column_stack([rows, -rows]).astype(np.float64)))
scipy.io.savemat(here / "log.mat", log)
scipy.io.savemat(here / "packed.mat", {**log, "note": "text", "gain": 2.5, "complex": rows * 1j}, do_compression=True, oned_as="column")
scipy.io.savemat(here / "structure.mat", {"bench": {"time": log["time"], "arm": {k: log[k] for k in ("theta", "thetadot", "torque")}}}, do_compression=True)
