"""Tags: up to 16 words that mark the context of a memory, stored as bits."""

from collections.abc import Iterable, Sequence

import numpy as np

from memopolis.sim.arguments import check_text, shown
from memopolis.sim.errors import ParameterError

MOST_TAGS = 16  # bits of the column `tags`

BUILT_IN = (
    "work_hours", "late_night", "weekend", "positive", "negative", "urgent", "idle", "work",
    "travel", "company", "home", "reflection", "key",
)  # fmt: skip
"""Built-in tags: time, feeling, urgency, idleness, tasks, and what a key memory was made from."""

Tags = int | str | Iterable[str] | None


class TagNames:
    """Names of the tags in `all` by bit: the built-in ones, then new ones by first use."""

    def __init__(self, names: Sequence[str] = BUILT_IN) -> None:
        self.all = list(names)

    def bits(self, tags: object) -> int:
        """Return the bits of tags given as names, bits or None; declare new names, at most 16."""
        return self._bits(tags, declare=True)

    def known(self, tags: object) -> int:
        """Return the bits of known tags; an unknown name has no bit."""
        return self._bits(tags, declare=False)

    def names(self, bits: int) -> tuple[str, ...]:
        """Return the names of the tags whose bits are set."""
        return tuple(name for bit, name in enumerate(self.all) if bits >> bit & 1)

    def _bits(self, tags: object, *, declare: bool) -> int:
        if tags is None:
            return 0
        if isinstance(tags, int | np.integer):
            if not 0 <= tags < 1 << MOST_TAGS:
                raise ParameterError(f"tags must be 16 bits, 0 to 65535, given {shown(tags)}")
            return int(tags)
        if not isinstance(tags, Iterable):
            raise ParameterError(f"tags is {shown(tags)}; a name, names or bits is needed")
        names = [tags] if isinstance(tags, str) else list(tags)
        for name in names:
            check_text("a tag", name)
        if declare:
            self._declare(names)
        return sum(1 << self.all.index(name) for name in set(names) if name in self.all)

    def _declare(self, names: Sequence[str]) -> None:
        """Declare the new names, or none of them if one is invalid."""
        known = list(self.all)
        for name in names:
            if name in known:
                continue
            if not name:
                raise ParameterError("a tag is ''; a str that is not empty is needed")
            if len(known) == MOST_TAGS:
                raise ParameterError(
                    f"{name!r} would be tag {MOST_TAGS + 1}; the maximum is {MOST_TAGS}: "
                    f"{', '.join(known)}"
                )
            known.append(name)
        self.all[:] = known
