"""Split the runs of a sweep between machines: 2/8 is the second of eight shards."""

from collections.abc import Sequence
from typing import NamedTuple, Self

from memopolis.sim.errors import ParameterError


class Shard(NamedTuple):
    """Every n-th run of a design.

    Attributes:
        number: Number of the shard, from 1.
        of: Number of shards.
    """

    number: int
    of: int

    @classmethod
    def checked(cls, number: int, of: int) -> Self:
        """Create a shard.

        Raises:
            ParameterError: If `number` is not from 1 to `of`.
        """
        if not 1 <= number <= of:
            raise ParameterError(
                f"shard is {number}/{of}; the first of 8 is 1/8 and the last is 8/8"
            )
        return cls(number, of)

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a shard, such as "2/8".

        Raises:
            ParameterError: If it is not a shard.
        """
        number, slash, of = text.partition("/")
        if not (slash and number.strip().isdecimal() and of.strip().isdecimal()):
            raise ParameterError(f"shard is {text!r}; write it as 2/8, the second of eight")
        return cls.checked(int(number), int(of))

    def share[T](self, runs: Sequence[T]) -> list[T]:
        """Return the runs of this shard, by their position in the design."""
        return list(runs[self.number - 1 :: self.of])
