"""Runs as tables and datasets."""
import csv
import json

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
