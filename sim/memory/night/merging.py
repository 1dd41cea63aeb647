"""Merging: a near duplicate updates the old memory; repeats become one abstract memory."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Array, Int32, Int64, Ints, UInt8
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.updating import record_update
from memopolis.sim.memory.streams.encoding import KINDS
from memopolis.sim.memory.streams.pending import Accesses, batch
from memopolis.sim.memory.text.gist import find_gist
from memopolis.sim.memory.vectors.embedders.rounding import encode_cosine
from memopolis.sim.memory.vectors.text_likeness import Ragged, groups, stored_texts


def near_duplicates(memory: Memory, rows: Int64, texts: Int32, topic: int, actors: Array) -> Int32:
    """Find each agent's memory of a topic and actor that is a near duplicate of a text.

    Queued memories are not searched. `texts` and `actors` (-1 for none) have one value per agent.
    Returns ids, -1 for none; ties go to the newer; int32, shape (n,).
    """
    from memopolis.sim.memory.night import related_kernels as kernels

    memory.settle()
    duplicates = np.full(len(rows), -1, np.int32)
    stored, ids = _candidates(memory, rows, topic, np.asarray(actors, np.int32))
    if not len(ids):
        return duplicates
    queries = Ragged(np.asarray(texts, np.int32), np.arange(len(rows) + 1))
    least = encode_cosine(memory.thresholds.duplicate)
    for group in groups(memory.vectors, queries, stored):
        kernels.most_alike(
            group.similarity, group.queries.values, group.stored.values, group.stored.starts, least,
            duplicates[group.begin : group.end],
        )  # fmt: skip
    valid = duplicates >= 0
    duplicates[valid] = ids[stored.starts[:-1][valid] + duplicates[valid]]
    return duplicates


def _candidates(memory: Memory, rows: Int64, topic: int, actors: Int32) -> tuple[Ragged, Int32]:
    """Return texts and ids of the memories of one topic and actor, by agent, oldest first."""
    from memopolis.sim.memory.vectors import text_likeness_kernels as kernels

    streams = memory.streams
    starts = np.zeros(len(rows) + 1, np.int64)
    texts, ids = np.empty((2, int(streams.count[rows].sum())), np.int32)
    count = kernels.texts_alike(
        streams.view, streams.count, rows, topic, actors, starts, texts, ids
    )
    return Ragged(texts[:count], starts), ids[:count]


def update_old(
    memory: Memory,
    rows: Int64,
    ids: Ints,
    fields: Mapping[str, Array],
) -> Ints:
    """Update old memories by their near duplicates, given as encoded values of shape (m,).

    An old memory takes the new text, the greater importance, the mean valence and the tags of both,
    and the tick of the update is stored, at once even if storing is deferred.
    """
    if not len(rows):
        return ids
    slots = memory.streams.locate(rows, ids)
    # A memory with two duplicates in a batch is updated twice, in the order given.
    order = np.argsort(slots, kind="stable")
    ordered = slots[order]
    turn = np.empty(len(slots), np.int64)
    turn[order] = np.arange(len(slots)) - np.searchsorted(ordered, ordered)
    for number in range(int(turn.max()) + 1):
        now = turn == number
        _update(memory, slots[now], {name: values[now] for name, values in fields.items()})
    if memory.store is not None:
        memory.store.queue(changed=[(rows, ids)])
    return ids


def _update(memory: Memory, slots: Int64, fields: Mapping[str, Array]) -> None:
    streams = memory.streams
    valence = streams.at("valence", slots).astype(np.int64) + fields["valence"]
    streams.put("valence", slots, (valence + 1) >> 1)
    streams.put("text", slots, fields["text"])
    importance = np.maximum(streams.at("importance", slots), fields["importance"])
    streams.put("importance", slots, importance)
    streams.put("tags", slots, streams.at("tags", slots) | fields["tags"])
    record_update(memory, slots)


def merge_repeats(memory: Memory, rows: ArrayLike, at_least: int = 3) -> Int32:
    """Replace groups of at least two near duplicates by one abstract memory each; count them, (n,).

    A group is a memory and all its near duplicates of the same topic, starting with the memory that
    has most of them; ties go to the newer. The abstract memory is a thought with the topic, actor,
    place and emotion of that memory, the words of its text that most of the group share, the
    greatest importance, all tags, the mean confidence and valence of all occasions, and the
    accesses and occasions of all. The members
    are forgotten, in a society with the next batch. `rows` have no duplicates.
    """
    if at_least < 2:
        raise ParameterError(f"at_least is {at_least}; a group has at least 2 memories")
    memory.settle()
    agents = np.asarray(rows, np.int64)
    stored = stored_texts(memory.streams, agents)
    _, ids, slots = memory.streams.listed(agents)
    heads = _groups(memory, stored, memory.streams.at("topic", slots), at_least)
    chosen = np.flatnonzero(heads >= 0)
    if not len(chosen):
        return np.zeros(len(agents), np.int32)
    agent = np.repeat(np.arange(len(agents)), stored.lengths)[chosen]
    central, group = np.unique(stored.starts[agent] + heads[chosen], return_inverse=True)
    owners = agent[np.searchsorted(chosen, central)]
    _abstract(memory, agents[owners], slots[central], slots[chosen], group)
    memory.pending.forgets.append((agents[agent], ids[chosen].astype(np.int32)))
    memory.settle()
    return np.bincount(owners, minlength=len(agents)).astype(np.int32)


def _groups(memory: Memory, stored: Ragged, topics: UInt8, at_least: int) -> Int32:
    """Return the index of the most central memory of each memory's group, -1 for none."""
    from memopolis.sim.memory.night import related_kernels as kernels

    heads = np.full(len(stored.values), -1, np.int32)
    least = encode_cosine(memory.thresholds.duplicate)
    for group in groups(memory.vectors, stored, stored):
        part = slice(stored.starts[group.begin], stored.starts[group.end])
        kernels.repeats(
            group.similarity, group.queries.values, group.stored.values, group.stored.starts,
            topics[part], least, at_least, heads[part],
        )  # fmt: skip
    return heads


def _abstract(memory: Memory, rows: Int64, central: Int64, slots: Int64, group: Int64) -> None:
    """Add a thought for each group, by row and slot of its most central memory."""
    streams = memory.streams
    fields = {n: streams.at(n, central) for n in ("topic", "actor", "place", "emotion")}
    importance, tags = np.zeros(len(rows), np.int16), np.zeros(len(rows), np.uint16)
    np.maximum.at(importance, group, streams.at("importance", slots))
    np.bitwise_or.at(tags, group, streams.at("tags", slots))
    accesses = np.zeros(len(rows), np.int64)
    np.add.at(accesses, group, streams.at("accesses", slots))
    times, first = streams.occasions(slots)
    since = np.full(len(rows), np.iinfo(np.int32).max, np.int32)
    np.minimum.at(since, group, first)
    for name in ("valence", "confidence"):
        fields[name] = weighted_mean(streams.at(name, slots), times, group)
    fields["text"] = _gists(memory, streams.at("text", central), streams.at("text", slots), group)
    ids = memory.issue(rows)
    memory.pending.add(
        batch(
            len(rows), rows=rows, ids=ids, time=memory.now, kind=KINDS["thought"], tags=tags,
            importance=importance, **fields,
        )
    )  # fmt: skip
    total = np.bincount(group, times).astype(np.int32)
    memory.pending.occasions.append((rows, ids, total, since))
    # Accesses of its members count as its own.
    counts = np.minimum(accesses, 255)
    each = np.repeat(ids, counts).reshape(-1, 1)
    memory.pending.accesses.append(Accesses(np.repeat(rows, counts), each, memory.now))


def _gists(memory: Memory, central: Int32, texts: Int32, group: Int64) -> Int32:
    """Return the number of the gist of each group's texts, that of the most central one first."""
    gists = central.copy()
    pairs, counts = np.unique(np.stack([group, texts]), axis=1, return_counts=True)
    ends = np.searchsorted(pairs[0], np.arange(len(central) + 1))
    for number in np.flatnonzero(np.diff(ends) > 1).tolist():
        own = slice(ends[number], ends[number + 1])
        first = pairs[1, own] != central[number]
        order = np.argsort(first, kind="stable")
        distinct = tuple(memory.texts[text] for text in pairs[1, own][order].tolist())
        gist = find_gist(distinct, tuple(counts[own][order].tolist()))
        gists[number] = memory.texts.intern(gist)
    return gists


def weighted_mean(values: Array, times: Int32, group: Int64) -> Int64:
    """Return the mean of each group over occasions, a whole number; halves are rounded up."""
    counts = np.bincount(group, times).astype(np.int64)
    sums = np.bincount(group, values * times.astype(np.int64)).astype(np.int64)
    return np.asarray((2 * sums + counts) // (2 * counts), np.int64)
