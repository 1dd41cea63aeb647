"""Split the runs of a sweep between machines: 2/8 is the second of eight shards."""

from collections.abc import Sequence

from memopolis.sim.errors import ParameterError


def read_shard(text: str) -> tuple[int, int]:
    """Parse a shard, such as "2/8"."""
    number, slash, of = text.partition("/")
    if not (slash and number.strip().isdecimal() and of.strip().isdecimal()):
        raise ParameterError(f"shard is {text!r}; write it as 2/8, the second of eight")
    return int(number), int(of)


def share_of[T](runs: Sequence[T], shard: tuple[int, int]) -> list[T]:
    """Return every n-th run of a design, for a shard's number, from 1, and the number of shards."""
    number, of = shard
    if not 1 <= number <= of:
        raise ParameterError(f"shard is {number}/{of}; the first of 8 is 1/8 and the last is 8/8")
    return list(runs[number - 1 :: of])
