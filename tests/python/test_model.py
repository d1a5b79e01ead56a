"""The belief through Python."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import rhc


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(1)
    inputs = random.uniform(-2, 2, (120, 2))
    noise = 0.05 * random.normal(size=(120, 2))
    return inputs, np.column_stack([np.sin(inputs[:, 0]) + inputs[:, 1], inputs[:, 0] * inputs[:, 1]]) + noise


@pytest.fixture
def model(data):
    return rhc.BayesianLinearModel.fit(*data, features=40)


def test_a_fit_explains_data_it_has_not_seen(model):
    points = np.random.default_rng(2).uniform(-1.8, 1.8, (200, 2))
    truth = np.column_stack([np.sin(points[:, 0]) + points[:, 1], points[:, 0] * points[:, 1]])
    prediction = model.predict(points)
    assert np.sqrt(np.mean((prediction.mean - truth) ** 2)) < 0.05
    assert np.all(np.abs(np.sqrt(prediction.noise) - 0.05) < 0.015), "the noise that was put in"
    inside = np.abs(prediction.mean - truth) < 1.96 * np.sqrt(prediction.epistemic)
    assert inside.mean() > 0.85


def test_entropy_falls_by_the_information(model, data):
    more, outputs = np.random.default_rng(3).uniform(-4, 4, (15, 2)), np.ones((15, 2))
    before, expected = model.entropy, model.information(more)
    model.learn(more, outputs)
    assert before - model.entropy == pytest.approx(expected, rel=1e-9)
    assert model.count == 135 and model.log_evidence is None


def test_any_layout_gives_the_same(model):
    points = np.random.default_rng(4).uniform(-2, 2, (30, 2)).astype(np.float32)
    expected = model.predict(points.astype(float)).mean
    for other in [points, np.asfortranarray(points, dtype=float), points.tolist(), np.repeat(points, 2, axis=0)[::2]]:
        assert np.array_equal(model.predict(other).mean, expected)


def test_threads_do_not_change_a_fit(data):
    one, two = (rhc.BayesianLinearModel.fit(*data, features=30, threads=n) for n in (1, 2))
    assert one.log_evidence == two.log_evidence and np.array_equal(one.weights, two.weights)


def test_many_threads_may_ask(model):
    points = np.random.default_rng(5).uniform(-2, 2, (50, 2))
    expected = model.predict(points).mean
    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(p.mean, expected) for p in pool.map(lambda _: model.predict(points), range(40)))


def test_bad_data_are_refused_and_change_nothing(model):
    expected = model.predict([[0.1, 0.2]]).mean.copy()
    for inputs, outputs, words in [
        ([[0.0, np.nan]], [[0.0, 0.0]], "input 1 is nan; nothing was learned"),
        ([[0.0]], [[0.0, 0.0]], "inputs has 1 columns, expected 2"),
        ([[0.0, 0.0]], [[0.0]], "outputs has 1 columns, expected 2"),
        ([[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0]], "2"),
        ([0.0, 0.0], [[0.0, 0.0]], "two dimensions"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.learn(inputs, outputs)
    assert np.array_equal(model.predict([[0.1, 0.2]]).mean, expected)
    with pytest.raises(ValueError):
        rhc.BayesianLinearModel.fit(np.zeros((0, 2)), np.zeros((0, 1)))
