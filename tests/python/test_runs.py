"""Runs as tables and datasets."""
import csv
import json
import subprocess

import numpy as np
import pytest
import rhc


def test_tables_hold_what_the_files_do(pendulum_run):
    run = rhc.load_run(pendulum_run)
    rows = []
    for number in range(1, 5):
        with open(pendulum_run / f"episodes/{number:04}.csv") as file:
            rows += [{"episode": str(number), **row} for row in csv.DictReader(file)]
    assert list(run.episodes.columns) == list(rows[0])
    for name in run.episodes.columns:
        assert np.array_equal(run.episodes[name], [float(row[name] or "nan") for row in rows], equal_nan=True)
    metrics = [json.loads(line) for line in (pendulum_run / "metrics.jsonl").read_text().splitlines()]
    assert run.metrics.episode.tolist() == [0, 1, 2, 3, 4]
    assert run.metrics.evidence.tolist()[1:] == [row["evidence"] for row in metrics[1:]]
    assert run.manifest["seed"] == 3 and run.config["features"] == 20 and run.status == "finished"
    assert run.manifest.keys() == json.loads((pendulum_run / "manifest.json").read_text()).keys()


def test_a_damaged_episode_is_left_out_and_named(run_of):
    path = run_of("pendulum", "--no-evaluation")
    (path / "episodes/0002.csv").write_text("broken")
    run = rhc.load_run(path)
    assert sorted(run.episodes.episode.unique()) == [1, 3, 4] and len(run.trajectories) == 3
    assert any("0002.csv" in line for line in run.damaged)


def test_where_there_is_no_run(tmp_path):
    with pytest.raises(rhc.InputError, match=str(tmp_path)):
        rhc.load_run(tmp_path)


def test_a_dataset_of_minari_holds_the_run(pendulum_run, tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    run = rhc.load_run(pendulum_run)
    rhc.to_minari(pendulum_run, "rhc/pendulum-v0", author="nobody")
    import minari

    dataset = minari.load_dataset("rhc/pendulum-v0")
    assert dataset.total_episodes == 4 and dataset.total_steps == 400
    for trajectory, rewards, episode in zip(run.trajectories, run.rewards, dataset.iterate_episodes()):
        assert np.array_equal(episode.observations, trajectory.observations)
        assert np.array_equal(episode.actions, trajectory.actions)
        assert np.array_equal(episode.rewards, rewards)
        assert not episode.terminations.any() and episode.truncations[-1] and not episode.truncations[:-1].any()


def test_a_dataset_of_what_was_explored(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    found = rhc.explore("Pendulum-v1", episodes=2, horizon=30, features=20, plan_starts=2)
    dataset = rhc.to_minari(found, "rhc/gym-v0")
    assert dataset.total_steps == 60
    assert np.array_equal(dataset[1].rewards, found.rewards[1])


def test_logs_are_validated_as_by_the_command(run_of, pendulum_run, program):
    other = run_of("pendulum", "--no-evaluation", "--method", "random", "--seed", "8", episodes=2)
    files = [other / "episodes/0001.csv", other / "episodes/0002.csv"]
    run = rhc.load_run(pendulum_run)
    found = run.validate(files, steps=5, every=3)
    words = [program, "validate", pendulum_run, *files, "--steps", "5", "--every", "3", "--json"]
    told = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert (found.steps, found.points) == (told["steps"], told["points"]) == (5, 64)
    assert found.observations == list(told["observations"])
    for key in ("rmse", "coverage", "nothing_moves"):
        table = getattr(found, key)
        assert table.shape == (5, 3)
        assert np.array_equal(table.T, [told["observations"][name]["by_step"][key] for name in found.observations])
        assert np.array_equal(table[-1], [told["observations"][name][key] for name in found.observations])
    arrays = run.validate(rhc.load_run(other).trajectories, steps=5, every=3, threads=1)
    assert np.array_equal(arrays.rmse, found.rmse) and np.array_equal(arrays.coverage, found.coverage)
    assert "64 forecasts" in repr(found)


def test_what_cannot_be_validated(pendulum_run, tmp_path):
    run = rhc.load_run(pendulum_run)
    with pytest.warns(RuntimeWarning, match="log 1: the run has learned from it, as episode 1"):
        run.validate(run.trajectories[0])
    with pytest.raises(rhc.InputError, match="cannot open"):
        run.validate([tmp_path / "nothing.csv"])
    with pytest.raises(rhc.InputError, match="log 1: 4 rows are too few to forecast 10 steps"):
        run.validate([(np.ones((4, 3)), np.ones((3, 1)))])
    with pytest.raises(rhc.InputError, match="no log"):
        run.validate([])
    with pytest.raises(rhc.InputError, match="resample=True"):
        run.validate(tmp_path / "log.csv", delay=0.1)
