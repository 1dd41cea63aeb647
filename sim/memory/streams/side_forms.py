"""Descriptions of saved side columns: those of this package, and any other."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from memopolis.sim.arrays import Array
from memopolis.sim.memory.streams.cluster_columns import NONE
from memopolis.sim.memory.streams.side_columns import AGENTS, MEMORIES, width_of
from memopolis.sim.saved_arrays import SavedArray, find_later_ids


@dataclass(frozen=True)
class SideForm:
    """What a side column contains; without arguments, any numbers."""

    dtypes: tuple[str, ...] = ("number", "bool")  # allowed types
    fill: int | None = None  # value of a new memory or agent; None for any
    low: int | None = None  # least value
    # Values of a column of agents are ids: at most the id of the agent's next memory, or below it.
    up_to_next: bool = False
    below_next: bool = False
    like: str = ""  # column of the agents with the same width
    numbers: str = ""  # column of the agents in which values other than `NONE` are columns
    owner: str = ""  # prefix of the column, `MEMORIES` or `AGENTS`; "" for either
    width: int | None = None  # number of values of each memory or agent; None for any
    needs: str = ""  # column of the memories without which this one is not used

    def describe(
        self, prefix: str, length: int, width: int, state: Mapping[str, Array], *, is_filled: bool
    ) -> SavedArray:
        """Describe a column of so many memories or agents, in a state of streams."""
        partner = state.get(AGENTS + (self.like or self.numbers))
        if partner is not None and self.like:
            width = width_of(partner)
        if self.width is not None:
            width = self.width
        rules = []
        if self.owner not in ("", prefix):
            rules.append(lambda _: f"is no column of the {prefix.rstrip('/')}")
        if self.needs and MEMORIES + self.needs not in state:
            rules.append(lambda _: f"lacks the column {self.needs}")
        if self.up_to_next or self.below_next:
            most = state["next"].astype(np.int64) - self.below_next
            rules.append(lambda ids: find_later_ids(ids, most))
        if self.numbers:
            clusters = 0 if partner is None else width_of(partner)
            rules.append(lambda numbers: _find_unknown(numbers, clusters))
        if not is_filled:
            rules.append(lambda _: "lacks the value of a new entry")
        shape = (length,) if width == 1 else (length, width)
        return SavedArray(self.dtypes, shape, self.low, rules=tuple(rules))


def _find_unknown(numbers: Array, clusters: int) -> str:
    wrong = (numbers >= clusters) & (numbers != NONE)
    return f"contains the cluster {numbers[wrong][0]}; there are {clusters}" if wrong.any() else ""


_IDS = SideForm(("int32",), fill=0, low=0, up_to_next=True, owner=AGENTS, width=1)
_FOUNDERS = SideForm(
    ("int32",), fill=-1, low=-1, below_next=True, like="cluster_hits", owner=AGENTS
)

SIDE_FORMS: Mapping[str, SideForm] = {
    "times": SideForm(("uint8", "uint16"), fill=1, low=1, owner=MEMORIES, width=1, needs="span"),
    "span": SideForm(
        ("uint16", "int32", "int64"), fill=0, low=0, owner=MEMORIES, width=1, needs="times"
    ),
    "updated": SideForm(("int32",), fill=-1, owner=MEMORIES, width=1),
    "related": SideForm(("uint16",), fill=0, owner=MEMORIES, width=5),
    "related_to": _IDS,
    "cluster": SideForm(("uint8",), fill=NONE, numbers="cluster_founder", owner=MEMORIES, width=1),
    "cluster_share": SideForm(("int32", "int64"), fill=0, owner=MEMORIES, width=1),
    "cluster_founder": _FOUNDERS,
    "cluster_hits": SideForm(("uint16",), fill=0, like="cluster_founder", owner=AGENTS),
    "clustered_to": _IDS,
    "summarised": _IDS,
    "statements": _IDS,
    "key_numbers": SideForm(("int32",), fill=0, low=0, owner=AGENTS, width=1),
    "promoted": _FOUNDERS,
}
"""Columns of memories and of agents, by name."""
