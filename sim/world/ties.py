"""Symmetric ties between agents by kind, read for one agent or for many at once.

Ties of a kind are stored as compressed rows: those of row r are
`contacts[starts[r]:starts[r + 1]]`, sorted, each with a strength. `ties_social.py`, `ties_kin.py`,
`ties_built.py`, `ties_homophilic.py` and `ties_read.py` create ties.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.arguments import as_array, as_indices, check_per_agent, whole_number
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.saved_arrays import SavedArray
from memopolis.sim.world.ties_graph import read_edges, to_graph

if TYPE_CHECKING:
    import networkx as nx

_MOST_ENDS = int(np.iinfo(np.int32).max)  # maximum number of ends of ties of a kind
PARTS = ("starts", "contacts", "strength")  # arrays of a network

RowArray = NDArray[np.intp]
Rows = NDArray[np.int64]


class Network:
    """The ties of one kind among agents numbered from 0.

    `first` and `second` are the rows at the ends of each tie, shape (pairs,), and `strength` is >
    0, one for all or one per pair. Pairs of a row with itself are dropped; of duplicate pairs the
    strongest is kept.
    """

    def __init__(
        self, agents: int, first: ArrayLike, second: ArrayLike, strength: ArrayLike = 1.0
    ) -> None:
        agents = whole_number("agents", agents, least=0)
        one = as_indices("first", first, agents).ravel()
        two = as_indices("second", second, agents).ravel()
        if len(one) != len(two):
            raise ParameterError(f"ties have {len(one)} first and {len(two)} second ends")
        with np.errstate(over="ignore"):  # infinite values are refused below
            firm = as_array("strength", strength, "biuf", "a number or one per tie")
            check_per_agent("strength", firm, len(one))
            firm = np.broadcast_to(firm.astype(np.float32), one.shape)
        if (firm <= 0).any() or not np.isfinite(firm).all():
            raise ParameterError("the strength of a tie must be above 0, and at most 3e38")
        apart = one != two
        low, high = np.minimum(one, two)[apart], np.maximum(one, two)[apart]
        pair = low * max(agents, 1) + high
        firm = firm[apart]
        if not _is_constant(firm):
            order = np.lexsort((-firm, pair))
            pair, firm = pair[order], firm[order]
        else:
            pair.sort()  # much faster than ordering two arrays
        kept = np.ones(len(pair), bool)
        kept[1:] = pair[1:] != pair[:-1]
        low, high = np.divmod(pair[kept], max(agents, 1))
        self._store(agents, low, high, firm[kept])

    @staticmethod
    def from_graph(graph: "nx.Graph[Any]", *, agents: int | None = None) -> "Network":
        """Create a network from a networkx graph; see `ties_graph.read_edges`."""
        return Network(*read_edges(graph, agents))

    def to_networkx(self) -> "nx.Graph[int]":
        """Return the ties as a networkx graph of all rows, with the attribute strength."""
        return to_graph(self.agents, [("", *self.list_ends())])

    def list_ends(self) -> tuple[Rows, NDArray[np.int32], NDArray[np.float32]]:
        """Return the rows at both ends of each tie, the lower first, and its strength."""
        rows = np.repeat(np.arange(self.agents), np.diff(self.starts))
        (once,) = (rows < self.contacts).nonzero()
        return rows[once], self.contacts[once], self.strength[once]

    def _store(self, agents: int, low: Rows, high: Rows, strength: NDArray[np.float32]) -> None:
        row, contact = np.concatenate([low, high]), np.concatenate([high, low])
        both = np.concatenate([strength, strength]).astype(np.float32)
        if len(row) > _MOST_ENDS:
            raise ParameterError(
                f"there are {len(low):,} ties; at most {_MOST_ENDS // 2:,} are allowed"
            )
        key = row * max(agents, 1) + contact
        if _is_constant(both):
            key.sort()
            contact = key % max(agents, 1)
        else:
            order = np.argsort(key, kind="stable")
            contact, both = contact[order], both[order]
        self.contacts: NDArray[np.int32] = contact.astype(np.int32)
        self.strength: NDArray[np.float32] = _share_constant(both)
        self.starts = np.zeros(agents + 1, np.int32)
        np.cumsum(np.bincount(row, minlength=agents), dtype=np.int32, out=self.starts[1:])

    @property
    def agents(self) -> int:
        """Number of agents."""
        return len(self.starts) - 1

    def __len__(self) -> int:
        """Number of ties, each counted once."""
        return len(self.contacts) // 2

    def of(self, row: int) -> RowArray:
        """Return the rows of the contacts of one agent, sorted."""
        whole_number("row", row, least=0, most=self.agents - 1)
        return self.contacts[self.starts[row] : self.starts[row + 1]].astype(np.intp)

    def count(self, rows: ArrayLike) -> NDArray[np.int64]:
        """Count the ties of each of some rows, shape of `rows`."""
        at = as_indices("rows", rows, self.agents)
        return np.asarray(self.starts[at + 1] - self.starts[at], np.int64)

    def one_of(self, rows: RowArray, u: NDArray[np.float64]) -> NDArray[np.int64]:
        """Choose a contact of each row, by draws u; return indices into `contacts`, shape (m,)."""
        return np.asarray(self.starts[rows] + (u * self.count(rows)).astype(np.int64), np.int64)

    def between(self, rows: ArrayLike, others: ArrayLike) -> NDArray[np.float32]:
        """Return the strength of ties between pairs of rows, broadcast, 0 without a tie."""
        from memopolis.sim.world import ties_kernels

        ends = as_indices("rows", rows, self.agents), as_indices("others", others, self.agents)
        try:
            one, two = np.broadcast_arrays(*ends)
        except ValueError:
            raise ParameterError(
                f"rows and others have shapes {ends[0].shape} and {ends[1].shape}, which cannot be "
                "paired"
            ) from None
        return ties_kernels.strengths(
            self.starts, self.contacts, self.strength, one.ravel(), two.ravel()
        ).reshape(one.shape)

    def total(self, values: ArrayLike, rows: ArrayLike) -> NDArray[np.float64]:
        """Sum a column of all agents over the contacts of each row, weighted by strength, (m,)."""
        return _sums([self], values, rows)[0]

    def mean(
        self, values: ArrayLike, rows: ArrayLike, *, alone: float = 0.0
    ) -> NDArray[np.float64]:
        """Average a column over the contacts of each row by strength, (m,); `alone` without any."""
        return _mean(*_sums([self], values, rows), alone)

    def add_sums(
        self,
        values: ArrayLike,
        rows: NDArray[np.int64],
        totals: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        """Add this kind's weighted sums and strengths to running totals, in place."""
        from memopolis.sim.world import ties_kernels

        column = np.ascontiguousarray(values, np.float64)
        if column.shape != (self.agents,):
            raise ParameterError(
                f"a column over ties has shape {column.shape}; one for each of {self.agents} "
                "agents is needed"
            )
        at = as_indices("rows", rows, self.agents)
        if not at.shape == totals.shape == weights.shape == (len(at),):
            raise ParameterError(
                f"rows, totals and weights have shapes {at.shape}, {totals.shape} and "
                f"{weights.shape}; one shape (m,) is needed"
            )
        ties_kernels.weighted_sums(
            self.starts, self.contacts, self.strength, column, at, totals, weights
        )

    def grow(self, agents: int) -> None:
        """Make room for more agents, who have no ties yet."""
        more = agents - self.agents
        if more < 0:
            raise ParameterError(f"ties of {self.agents} agents cannot shrink to {agents}")
        self.starts = np.append(self.starts, np.full(more, self.starts[-1]))


class Ties(Mapping[str, Network]):
    """All ties of a population by kind: `ties["friend"]` is a network; methods combine kinds."""

    def __init__(self, agents: int, networks: Mapping[str, Network] | None = None) -> None:
        self.agents = agents
        self._networks: dict[str, Network] = {}
        for kind, network in (networks or {}).items():
            self[kind] = network

    def __getitem__(self, kind: str) -> Network:
        try:
            return self._networks[kind]
        except KeyError:
            raise UnknownNameError(
                f"no ties of kind '{kind}'; there are {', '.join(self._networks) or 'none'}"
            ) from None

    def __setitem__(self, kind: str, network: Network) -> None:
        if network.agents != self.agents:
            raise ParameterError(
                f"ties '{kind}' are of {network.agents} agents, the others of {self.agents}"
            )
        self._networks[kind] = network

    def __iter__(self) -> Iterator[str]:
        return iter(self._networks)

    def __len__(self) -> int:
        return len(self._networks)

    def of(self, row: int, kinds: Iterable[str] | None = None) -> RowArray:
        """Return the unique rows of the contacts of one agent over kinds (all), sorted."""
        contacts = [self[kind].of(row) for kind in self._kinds(kinds)]
        return np.unique(np.concatenate(contacts)) if contacts else np.empty(0, np.intp)

    def mean(
        self,
        values: ArrayLike,
        rows: ArrayLike,
        kinds: Iterable[str] | None = None,
        *,
        alone: float = 0.0,
    ) -> NDArray[np.float64]:
        """Average a column over contacts of several kinds (all); see `Network.mean`."""
        networks = [self[kind] for kind in self._kinds(kinds)]
        return _mean(*_sums(networks, values, rows), alone)

    def to_networkx(self, kinds: Iterable[str] | None = None) -> "nx.Graph[int]":
        """Return ties of several kinds (all) as a networkx graph of all rows.

        An edge has the attributes `kind`, the kinds joined by commas, and `strength`, the greatest.
        """
        edges = ((kind, *self[kind].list_ends()) for kind in self._kinds(kinds))
        return to_graph(self.agents, edges)

    def connected_sample(self, most: int) -> RowArray:
        """Return at most `most` rows, ascending, that are connected over all kinds of ties.

        They are the first row of the largest connected component, and the rows reached from it
        first by breadth-first search.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        shape = (self.agents, self.agents)
        joined = csr_array(shape, dtype=np.int8)
        for network in self.values():
            ones = np.ones(len(network.contacts), np.int8)
            joined = joined + csr_array((ones, network.contacts, network.starts), shape=shape)
        _, group = connected_components(joined, directed=False)
        largest = np.bincount(group).argmax()
        reached = {int(np.argmax(group == largest)): None}
        for row in (waiting := list(reached)):
            for other in self.of(row).tolist():
                if other not in reached and len(reached) < most:
                    reached[other] = None
                    waiting.append(other)
        return np.array(sorted(reached), np.intp)

    def grow(self, agents: int) -> None:
        """Make room for more agents, who have no ties yet."""
        for network in self._networks.values():
            network.grow(agents)
        self.agents = agents

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all ties as named arrays, to be saved with a run."""
        return {
            f"{kind}/{part}": getattr(network, part)
            for kind, network in self._networks.items()
            for part in PARTS
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace all ties by a saved state."""
        self._networks = {}
        for kind in dict.fromkeys(name.rpartition("/")[0] for name in state):
            network = Network(0, [], [])
            network.starts = np.asarray(state[f"{kind}/starts"], np.int32).copy()
            network.contacts = np.asarray(state[f"{kind}/contacts"], np.int32).copy()
            strength = np.asarray(state[f"{kind}/strength"], np.float32)
            network.strength = _share_constant(strength.copy())
            self._networks[kind] = network
            self.agents = network.agents

    def _kinds(self, kinds: Iterable[str] | None) -> Iterable[str]:
        return self._networks if kinds is None else kinds


def describe_network(
    arrays: Mapping[str, NDArray[Any]], agents: int
) -> Iterator[tuple[str, SavedArray]]:
    """Describe the saved arrays of a network of agents; see `saved_arrays`."""
    yield "starts", SavedArray(("int32",), (agents + 1,), low=0, rules=(_find_disorder,))
    starts = arrays["starts"]
    ties = int(starts[-1])

    def find_one_sided(contacts: NDArray[Any]) -> str:
        rows = np.repeat(np.arange(agents), np.diff(starts))
        pairs = rows * agents + contacts
        if not (pairs[1:] > pairs[:-1]).all() or (rows == contacts).any():
            return "does not contain the contacts of each agent, in order and once"
        if not np.array_equal(np.sort(contacts.astype(np.int64) * agents + rows), pairs):
            return "contains a tie that one of its two agents lacks"
        return ""

    def find_unequal(strength: NDArray[Any]) -> str:
        if (strength <= 0).any():
            return "contains a strength that is not above 0"
        if _is_constant(strength):
            return ""
        rows = np.repeat(np.arange(agents), np.diff(starts))
        order = np.argsort(arrays["contacts"].astype(np.int64) * agents + rows)
        is_equal = np.array_equal(strength[order], strength)
        return "" if is_equal else "contains a tie with two strengths"

    shape = (ties,)
    yield (
        "contacts",
        SavedArray(("int32",), shape, low=0, high=agents - 1, rules=(find_one_sided,)),
    )
    yield "strength", SavedArray(("float32",), shape, finite=True, rules=(find_unequal,))


def _find_disorder(starts: NDArray[Any]) -> str:
    is_ordered = starts[0] == 0 and (starts[1:] >= starts[:-1]).all()
    return "" if is_ordered else "does not rise from 0"


def _sums(
    networks: Iterable[Network], values: ArrayLike, rows: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums over contacts weighted by strength, and sums of strengths, shape (m,) each."""
    at = np.atleast_1d(as_array("rows", rows, "iu", "rows of agents, shape (m,),")).astype(np.int64)
    column = as_array("values", values, "biuf", "a column of numbers").astype(np.float64)
    totals, weights = np.zeros(len(at)), np.zeros(len(at))
    for network in networks:
        network.add_sums(column, at, totals, weights)
    return totals, weights


def _mean(
    totals: NDArray[np.float64], weights: NDArray[np.float64], alone: float
) -> NDArray[np.float64]:
    return np.where(weights > 0, totals / np.where(weights > 0, weights, 1.0), alone)


def _share_constant(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return equal values as a view of one, which needs no memory, others unchanged."""
    if len(values) and _is_constant(values):
        return np.broadcast_to(values[:1].copy(), values.shape)
    return values


def _is_constant(values: NDArray[np.float32]) -> bool:
    """Whether all values are equal, or there are none."""
    return bool((values[:1] == values).all())
