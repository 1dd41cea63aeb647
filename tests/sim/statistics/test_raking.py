import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.statistics.raking import fit_intercepts, normal_scores, rake, shares


def test_raking_equals_classical_proportional_fitting() -> None:
    # Two by two cells; rows to 0.3/0.7, columns to 0.6/0.4, by the textbook's iteration.
    table = np.array([[10.0, 20.0], [30.0, 40.0]])
    fitted = table / table.sum()
    for _ in range(200):
        fitted *= (np.array([0.3, 0.7]) / fitted.sum(axis=1))[:, None]
        fitted *= np.array([0.6, 0.4]) / fitted.sum(axis=0)
    row, column = np.indices((2, 2))
    features = np.column_stack([row.ravel() == 0, column.ravel() == 0])
    result = rake(table.ravel(), features, [0.3, 0.6])
    assert result == pytest.approx(fitted.ravel(), abs=1e-9)


def test_impossible_means_are_refused() -> None:
    with pytest.raises(ParameterError, match="no weights give the target means"):
        rake([1, 1, 1], [[0.0], [1.0], [2.0]], [3.0])


def test_intercepts_meet_the_shares() -> None:
    z = np.random.default_rng(1).normal(size=2000)
    scores = np.stack([0 * z, z, -0.5 * z], axis=-1)
    weights = np.random.default_rng(2).uniform(0.5, 2, 2000)
    constants = fit_intercepts(scores, weights, [0.5, 0.4, 0.1])
    result = weights @ shares(scores + constants) / weights.sum()
    assert result == pytest.approx([0.5, 0.4, 0.1], abs=1e-5)
    constants = fit_intercepts(scores, weights, [0.6, 0.4, 0.0])
    assert weights @ shares(scores + constants) / weights.sum() == pytest.approx(
        [0.6, 0.4, 0], abs=1e-5
    )


def test_normal_scores_rank() -> None:
    scores = normal_scores([3.0, 1.0, 2.0, 2.0], [1, 1, 1, 1])
    assert scores[1] < scores[2] == scores[3] < scores[0]
    assert scores[2] == pytest.approx(0)
