"""A share of a sweep's runs, for a machine of its own: 2/8 is the second of eight."""

from collections.abc import Sequence
from typing import NamedTuple, Self

from memopolis.sim.errors import ParameterError


class Shard(NamedTuple):
    """Every n-th run of a design.

    Attributes:
        number: Which shard, from 1 on.
        of: How many there are.
    """

    number: int
    of: int

    @classmethod
    def checked(cls, number: int, of: int) -> Self:
        """Make one.

        Raises:
            ParameterError: If there is no such shard.
        """
        if not 1 <= number <= of:
            raise ParameterError(
                f"shard is {number}/{of}; the first of 8 is 1/8 and the last is 8/8"
            )
        return cls(number, of)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read one as it is typed, such as "2/8".

        Raises:
            ParameterError: If it is none.
        """
        number, slash, of = text.partition("/")
        if not (slash and number.strip().isdecimal() and of.strip().isdecimal()):
            raise ParameterError(f"shard is {text!r}; write it as 2/8, the second of eight")
        return cls.checked(int(number), int(of))

    def share[T](self, runs: Sequence[T]) -> list[T]:
        """The runs that are this shard's, by their place in the design."""
        return list(runs[self.number - 1 :: self.of])
