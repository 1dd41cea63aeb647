"""Find the attributes that change in a run without a block that declares to write them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.recording.table import Coded

if TYPE_CHECKING:
    from memopolis.sim.population import Population


class ChangeDetector:
    """Detect the attributes, `seen` by population, that change between records of all agents."""

    def __init__(self, seen: Mapping[str, Sequence[str]] | None = None) -> None:
        self.seen: dict[str, list[str]] = {name: list(of) for name, of in (seen or {}).items()}
        self._last: dict[str, Mapping[str, Any]] = {}

    def note(self, population: "Population", status: Mapping[str, Any]) -> None:
        """Compare a record, columns from `status_of`, with the previous one."""
        seen = self.seen.setdefault(population.name, [])
        last = self._last.get(population.name)
        known = population.written.union(seen, ("tick", "agent"))
        unknown = [name for name in status if name not in known]
        if last is not None:
            both = _both(last["agent"], status["agent"])
            seen += [
                name
                for name in unknown
                if name not in last or _differ(last[name], status[name], *both)
            ]
        self._last[population.name] = {name: status[name] for name in ("agent", *unknown)}


def _both(before: NDArray[np.int32], now: NDArray[np.int32]) -> tuple[Any, Any]:
    """Return the positions of agents that are in both records."""
    if np.array_equal(before, now):
        return slice(None), slice(None)
    _, first, second = np.intersect1d(before, now, return_indices=True)
    return first, second


def _differ(before: Any, now: Any, first: Any, second: Any) -> bool:
    old, new = (_numbers(before)[first], _numbers(now)[second])
    differ = np.ma.getdata(old) != np.ma.getdata(new)
    if old.dtype.kind == "f":
        differ &= ~(np.isnan(np.ma.getdata(old)) & np.isnan(np.ma.getdata(new)))
    if np.ma.isMaskedArray(old):
        differ |= np.ma.getmaskarray(old) != np.ma.getmaskarray(new)
    return bool(differ.any())


def _numbers(column: Any) -> NDArray[Any]:
    return np.asanyarray(column.codes if isinstance(column, Coded) else column)
