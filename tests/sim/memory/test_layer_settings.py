"""What layers are made with."""

from typing import Any

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.layer_settings import LayerSettings


def test_defaults_equal_the_published_values() -> None:
    made = LayerSettings()
    assert (made.short_term_size, made.max_clusters, made.hit_threshold) == (20, 100, 10)
    assert (made.top_k, made.summary_interval, made.max_summary_length) == (3, 10, 200)
    assert made.similarity_threshold is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"short_term_size": -1},
        {"max_clusters": 0},
        {"max_clusters": 256},
        {"top_k": 0},
        {"summary_interval": 0},
        {"max_summary_length": 0},
        {"hit_threshold": -1},
        {"long_term_size": -1},
        {"summary_interval": 2.5},
        {"top_k": True},
        {"similarity_threshold": 1.5},
        {"similarity_threshold": float("nan")},
        {"max_key_memories": 0},
        {"statements": 1},
        {"key_actors": (-2,)},
    ],
)
def test_out_of_range_values_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        LayerSettings(**wrong)
