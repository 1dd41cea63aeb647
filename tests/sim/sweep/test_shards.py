"""Shards: every run is in one of them."""

from itertools import chain

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.sweep.shards import read_shard, share_of


def test_shards_share_all_runs() -> None:
    shards = [share_of(range(10), read_shard(f"{number}/4")) for number in range(1, 5)]
    assert shards[1] == [1, 5, 9]
    assert sorted(chain.from_iterable(shards)) == list(range(10))


@pytest.mark.parametrize("text", ["0/4", "5/4", "2", "a/b", "1/0", "-1/2"])
def test_impossible_shards_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="shard is"):
        share_of([], read_shard(text))
