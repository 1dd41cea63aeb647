"""Descriptions of the columns of a status, with which saved ones are checked."""

from collections.abc import Iterable
from dataclasses import dataclass

from memopolis.sim.arguments import shown
from memopolis.sim.arrays import Array, Int32
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.status.encoding import from_json
from memopolis.sim.memory.status.schema import Attribute
from memopolis.sim.saved_arrays import SavedArray, find_later_ids

_KINDS = {"float": "float", "int": "integer", "bool": "bool", "text": "int32"}
"""Types of columns by kind, for attributes that do not say more."""


@dataclass(frozen=True)
class StatusSizes:
    """Sizes that limit the values of a status; None for no limit."""

    agents: int  # number of agents
    labels: int  # number of texts
    following: Int32  # id of each agent's next memory, shape (agents,)
    zones: int | None = None  # number of zones
    references: int | None = None  # greatest row or id within the society

    def describe(self, attribute: Attribute) -> SavedArray:
        """Describe the column of an attribute of numbers or texts."""
        dtypes, shape = (attribute.dtype or _KINDS[attribute.kind],), (self.agents,)
        if attribute.kind == "text":
            return SavedArray(dtypes, shape, low=0, high=self.labels - 1)
        if attribute.role in ("zone", "current zone") and self.zones is not None:
            return SavedArray(dtypes, shape, low=-1, high=self.zones - 1)
        if attribute.role == "reference" and self.references is not None:
            return SavedArray(dtypes, shape, low=-1, high=self.references)
        if attribute.role == "memory":
            most = self.following - 1
            return SavedArray(dtypes, shape, low=-1, rules=(lambda ids: find_later_ids(ids, most),))
        if attribute.labels:
            return SavedArray(dtypes, shape, low=-1, high=len(attribute.labels) - 1)
        return SavedArray(dtypes, shape)


def describe_present(agents: int) -> SavedArray:
    """Describe which agents have an optional attribute."""
    return SavedArray(("bool",), (agents,))


def check_texts(name: str, texts: Iterable[object], agents: int) -> None:
    """Refuse values of an attribute that are not one JSON text per agent."""
    values = list(texts)
    if len(values) != agents:
        raise RunFolderError(f"{name} has {len(values):,} values for {agents:,} agents")
    for text in set(values):
        try:
            from_json(text)  # type: ignore[arg-type]
        except (ValueError, TypeError, RecursionError):
            raise RunFolderError(f"{name} contains {shown(text)}, which is not JSON") from None


def find_shared_id(ids: Array) -> str:
    """Report a unique_id of several agents."""
    return "" if len(set(ids.tolist())) == len(ids) else "contains a unique_id twice"
