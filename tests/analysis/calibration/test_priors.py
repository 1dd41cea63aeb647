from typing import Any

import numpy as np
import pytest
from scipy import stats

from memopolis.analysis.calibration.design import read_prior
from memopolis.sim.errors import ParameterError

PRIORS: list[tuple[dict[str, Any], Any]] = [
    ({"prior": "uniform", "low": 2, "high": 6}, stats.uniform(2, 4)),
    ({"prior": "normal", "mean": 1, "sd": 2, "low": 0}, stats.truncnorm(-0.5, np.inf, 1, 2)),
    ({"prior": "lognormal", "median": 3, "sigma": 0.5}, stats.lognorm(0.5, scale=3)),
]


@pytest.mark.parametrize(("written", "known"), PRIORS)
def test_a_prior_has_the_quantiles_of_its_distribution(written: dict[str, Any], known: Any) -> None:
    prior = read_prior("x", written)
    scores = np.linspace(-3, 3, 25)
    np.testing.assert_allclose(prior.value(scores), known.ppf(stats.norm.cdf(scores)), rtol=1e-9)
    values = prior.value(scores)
    np.testing.assert_allclose(prior.density(values), known.pdf(values), rtol=1e-9)


def test_a_prior_is_truncated_to_the_limits_of_its_setting() -> None:
    prior = read_prior("x", {"prior": "normal", "mean": 0, "sd": 10}, (-1, 1))
    values = prior.value(np.array([-50.0, 0.0, 50.0]))
    np.testing.assert_allclose(values, [-1, 0, 1], atol=1e-9)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (0.5, "parameter x is 0.5; write it as"),
        ({"low": 0, "high": 1}, "write it as"),
        ({"prior": "unifrm", "low": 0, "high": 1}, "prior is 'unifrm'; it should be 'uniform'"),
        ({"prior": "uniform", "low": 0}, "a uniform prior has low and high, not low"),
        ({"prior": "uniform", "low": 0, "high": 1, "sd": 1}, "a uniform prior has low and high"),
        ({"prior": "uniform", "low": 2, "high": 1}, "low is 2 and high 1"),
        (
            {"prior": "uniform", "low": float("nan"), "high": 1},
            "low is nan; it should be a finite",
        ),
        ({"prior": "uniform", "low": -1, "high": 1}, "covers -1 to 1; the setting allows 0 to 10"),
        ({"prior": "normal", "mean": 1, "sd": 0}, "sd is 0; it should be greater than 0"),
        ({"prior": "normal", "mean": 100, "sd": 1}, "nearly no weight between its ends"),
        (
            {"prior": "lognormal", "median": -1, "sigma": 1},
            "median is -1; it should be",
        ),
    ],
)
def test_an_impossible_prior_is_refused_in_one_line(written: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message) as error:
        read_prior("x", written, (0, 10))
    assert "\n" not in str(error.value)
