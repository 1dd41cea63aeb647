"""Hegselmann and Krause's model: by hand, against its definition, and the groups it leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memopolis.agents.attitude_models import hegselmann_krause
from memopolis.agents.opinion import HegselmannKrause
from memopolis.agents.opinion.hegselmann_krause import compute_local_means
from memopolis.agents.opinion.reference import compare_with_known
from memopolis.sim.errors import ParameterError


def test_three_agents_equal_a_hand_calculation() -> None:
    # 0 hears 0.2; 0.2 hears both; 0.5 hears 0.2 (0.3 away, just within).
    path = HegselmannKrause(bound=0.3).evolve([0.0, 0.2, 0.5], steps=1)
    assert path[1] == pytest.approx([0.1, 0.7 / 3, 0.35])
    apart = HegselmannKrause(bound=0.1).evolve([0.0, 0.2, 0.5], steps=5)
    assert apart[-1] == pytest.approx([0.0, 0.2, 0.5], abs=1e-14)


@given(
    hnp.arrays(np.float64, 12, elements=st.integers(0, 1_000).map(lambda n: n / 1_000)),
    st.integers(0, 1_000).map(lambda n: n / 1_000 + 1e-4),
)
def test_the_sorted_algorithm_equals_the_definition(opinions: np.ndarray, bound: float) -> None:
    others = np.tile(opinions, (12, 1))
    weight = 1.0 - np.eye(12)
    by_definition = hegselmann_krause(opinions, others, weight, bound=bound)
    assert compute_local_means(opinions, bound) == pytest.approx(by_definition, abs=1e-12)


def test_the_number_of_clusters_matches_published_values() -> None:
    result = compare_with_known("hegselmann_krause", range(1, 11))
    means = result.groupby("case")[["low", "measured", "high"]].mean()
    assert len(result) == 7 * 10 + 2 * 10
    assert (means["low"] <= means["measured"]).all()
    assert (means["measured"] <= means["high"]).all()
    # Consensus does not come at 0.18 and is certain at 0.25.
    agreed = result[result["case"].str.endswith("consensus")]
    assert agreed["measured"].tolist() == [0] * 10 + [1] * 10


def test_a_bound_below_0_is_refused() -> None:
    with pytest.raises(ParameterError, match="bound"):
        HegselmannKrause(bound=-1)
