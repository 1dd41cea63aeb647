"""Change memories: update one, and merge those that say the same.

- A near duplicate that is added updates the old memory.
- At night, near duplicates become one abstract memory.
- Trivia are unimportant events, whose exact repeats become one memory with a count.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arguments import INT64, check_range, shown, whole_number
from memopolis.sim.arrays import Array, Int32, Int64, Intp, Ints, UInt8
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.night.forgetting import find_queued
from memopolis.sim.memory.night.related import relate_again
from memopolis.sim.memory.retention.activation import load_strength
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.cluster_columns import (
    NONE,
    STALE,
    cluster_numbers,
    cluster_shares,
)
from memopolis.sim.memory.streams.encoding import KINDS
from memopolis.sim.memory.streams.pending import Accesses, batch
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.vectors.embedders.protocol import encode_cosine
from memopolis.sim.memory.vectors.text_likeness import Ragged, groups

if TYPE_CHECKING:
    from memopolis.sim.memory.streams.encoding import Tags


_FIELDS = ("text", "topic", "importance", "valence", "confidence", "tags")


def update(memory: Memory, row: int, number: int, values: Mapping[str, object]) -> None:
    """Change a memory at once, and record the tick; as `AgentStream.update`."""
    if not values or not values.keys() <= {*_FIELDS}:
        raise ParameterError(f"update takes {', '.join(_FIELDS)}, given {shown(list(values))}")
    memory.settle()
    streams = memory.streams
    number = whole_number("number", number, least=INT64[0], most=INT64[1])
    slots = streams.locate(np.array([row]), np.array([number]))
    if slots[0] < 0:
        raise UnknownNameError(f"the agent has no memory {shown(number)}")
    encoded = {name: _encode(memory, name, value) for name, value in values.items()}
    for name, code in (_read_again(memory, slots, encoded) | encoded).items():
        streams.put(name, slots, code)
    record_update(memory, slots)
    if "text" in values:
        relate_again(memory, row, number)
    if memory.store is not None:
        memory.store.queue(changed=[(np.array([row]), np.array([number]))])
        memory.store.send(memory)


def _encode(memory: Memory, name: str, value: object) -> int:
    """Encode a value of a field, which the called functions check."""
    match name:
        case "text":
            return memory.texts.intern(cast("str", value))
        case "topic":
            return memory.topic_number(cast("str", value))
        case "tags":
            return memory.tags.bits(cast("Tags", value))
        case _:
            code = np.asarray(encoding.share(name, value))
            if code.ndim:
                raise ParameterError(f"{name} is {shown(value)}; one value is needed")
            return int(code)


def _read_again(memory: Memory, slots: Int64, new: Mapping[str, int]) -> dict[str, int]:
    """Read tags and valence again from a new text or topic; what was given before stays.

    Tags that only the old text or topic has are removed, those that only the new one has are added.
    The valence changes if it is the one that was read from the old text.
    """
    if memory.extractor is None or not new.keys() & {"text", "topic"}:
        return {}
    names = ("topic", "time", "text", "tags", "valence")
    topic, time, text, tags, valence = (int(memory.streams.at(n, slots)[0]) for n in names)
    old_tags, old_valence = memory.extractor.read_one(memory, topic, time, text)
    topic, text = new.get("topic", topic), new.get("text", text)
    new_tags, new_valence = memory.extractor.read_one(memory, topic, time, text)
    again = {"tags": tags & ~(old_tags & ~new_tags) | new_tags & ~old_tags}
    return again | ({"valence": new_valence} if valence == old_valence else {})


def record_update(memory: Memory, slots: Int64) -> None:
    """Record that memories were updated now, by slot."""
    streams = memory.streams
    streams.memory_column("updated", np.int32, fill=-1)[slots] = memory.now
    if streams.has_column("cluster"):
        # The centroid of its cluster changes; the next pass computes it.
        members = slots[cluster_numbers(streams)[slots] != NONE]
        cluster_shares(streams)[members] = STALE


GAP = "…"  # stands for words that differ
SHARED = 0.5  # a word is kept if more than this share of the texts has it
LEAST = 0.5  # least share of the words of the first text that a gist keeps

# Words of a text; characters of scripts without spaces, and fields such as {actor}, are words.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\{{\w+\}}|[{_UNSPACED}]|[^\s{{{_UNSPACED}]+|\{{")
_EDGES = re.compile(r"^\W+|\W+$")


def near_duplicates(memory: Memory, rows: Int64, texts: Int32, topic: int, actors: Array) -> Int32:
    """Find each agent's memory of a topic and actor that is a near duplicate of a text.

    Queued memories are not searched. `texts` and `actors` (-1 for none) have one value per agent.
    Returns ids, -1 for none; ties go to the newer; int32, shape (n,).
    """
    from memopolis.sim.memory.night import kernels

    memory.settle()
    duplicates = np.full(len(rows), -1, np.int32)
    streams = memory.streams
    owners, ids, slots = streams.listed(rows)
    is_candidate = streams.at("topic", slots) == topic
    is_candidate &= streams.at("actor", slots) == np.asarray(actors)[owners]
    owners, ids, slots = owners[is_candidate], ids[is_candidate], slots[is_candidate]
    if not len(ids):
        return duplicates
    stored = Ragged.of(streams.at("text", slots), owners, len(rows))
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
    accesses and occasions of all. The members are forgotten, in a society with the next batch.
    `rows` have no duplicates.
    """
    if at_least < 2:
        raise ParameterError(f"at_least is {at_least}; a group has at least 2 memories")
    memory.settle()
    agents = np.asarray(rows, np.int64)
    owners, ids, slots = memory.streams.listed(agents)
    stored = Ragged.of(memory.streams.at("text", slots), owners, len(agents))
    heads = _groups(memory, stored, memory.streams.at("topic", slots), at_least)
    chosen = np.flatnonzero(heads >= 0)
    if not len(chosen):
        return np.zeros(len(agents), np.int32)
    agent = owners[chosen]
    central, group = np.unique(stored.starts[agent] + heads[chosen], return_inverse=True)
    _abstract(memory, agents[owners[central]], slots[central], slots[chosen], group)
    memory.pending.forgets.append((agents[agent], ids[chosen].astype(np.int32)))
    memory.settle()
    return np.bincount(owners[central], minlength=len(agents)).astype(np.int32)


def _groups(memory: Memory, stored: Ragged, topics: UInt8, at_least: int) -> Int32:
    """Return the index of the most central memory of each memory's group, -1 for none."""
    from memopolis.sim.memory.night import kernels

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
    streams, merged = memory.streams, _combine(memory.streams, slots, group)
    fields = {n: streams.at(n, central) for n in ("topic", "actor", "place", "emotion")}
    fields["text"] = _gists(memory, streams.at("text", central), streams.at("text", slots), group)
    ids = memory.issue(rows)
    memory.pending.add(
        batch(
            len(rows), rows=rows, ids=ids, time=memory.now, kind=KINDS["thought"], **fields,
            **{n: merged[n] for n in ("tags", "importance", "valence", "confidence")},
        )
    )  # fmt: skip
    times, since = merged["times"].astype(np.int32), merged["since"].astype(np.int32)
    memory.pending.occasions.append((rows, ids, times, since))
    # Accesses of its members count as its own.
    counts = merged["accesses"]
    each = np.repeat(ids, counts).reshape(-1, 1)
    memory.pending.accesses.append(Accesses(np.repeat(rows, counts), each, memory.now))


def _combine(streams: Streams, slots: Int64, group: Intp) -> dict[str, Int64]:
    """Combine the columns of the memories of each group, numbered from 0, shape (groups,).

    These are the greatest importance, all tags, the accesses of all, at most 255, the last access,
    the number of occasions and the tick of the first, and the mean valence and confidence of all
    occasions, whole numbers; halves are rounded up.
    """
    order = np.argsort(group, kind="stable")
    slots, group = slots[order], group[order]
    begins = np.searchsorted(group, np.arange(group[-1] + 1))
    times, since = (values.astype(np.int64) for values in streams.occasions(slots))
    combined = {
        name: combine.reduceat(streams.at(name, slots).astype(np.int64), begins)
        for name, combine in (
            ("importance", np.maximum), ("tags", np.bitwise_or), ("accesses", np.add),
            ("accessed", np.maximum),
        )
    }  # fmt: skip
    combined["accesses"] = np.minimum(combined["accesses"], 255)
    combined["since"] = np.minimum.reduceat(since, begins)
    counts = combined["times"] = np.add.reduceat(times, begins)
    for name in ("valence", "confidence"):
        sums = np.add.reduceat(streams.at(name, slots) * times, begins)
        combined[name] = (2 * sums + counts) // (2 * counts)
    return combined


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


@dataclass(frozen=True, slots=True)
class Trivia:
    """Which memories are trivial."""

    importance: float = 0.25  # greatest importance, 0..1 (illustrative)
    # Emotional strength from which a memory is not trivial, 0..1 (illustrative).
    emotion: float = 0.75

    def __post_init__(self) -> None:
        for name in ("importance", "emotion"):
            check_range(name, getattr(self, name))


def merge_trivia(memory: Memory, rows: Int64, trivia: Trivia, repeats: int) -> Int64:
    """Merge trivial memories that repeat exactly into the newest one.

    Repeats have the same topic, text, actor and place, and are merged if there are at least
    `repeats`. The newest memory takes the number of occasions, the tick of the first one, the
    greatest importance, the mean valence and confidence, all tags, and the accesses of all, at
    once; the others are forgotten. Returns the merged memories as index into `rows` << 32 | id,
    agent by agent.
    """
    from memopolis.sim.memory.night.kernels import find_repeats

    memory.settle()
    streams = memory.streams
    keys, slots, group = find_repeats(
        streams.view, streams.count, rows, np.sort(find_queued(memory, rows)), repeats,
        np.int16(encoding.share("importance", trivia.importance)), np.float32(trivia.emotion),
        load_strength(memory.tags),
    )  # fmt: skip
    if not len(keys):
        return np.empty(0, np.int64)
    combined = _combine(streams, slots, group)
    newest = np.empty(group.max() + 1, np.int64)
    newest[group] = np.arange(len(group))  # the last one of each group
    for name in ("importance", "tags", "accesses", "accessed", "valence", "confidence"):
        streams.put(name, slots[newest], combined[name])
    streams.put_occasions(slots[newest], combined["times"], combined["since"])
    merged: Int64 = np.delete(keys, newest)
    memory.pending.forgets.append((rows[merged >> 32], (merged & 0xFFFFFFFF).astype(np.int32)))
    if memory.store is not None:
        kept = keys[newest]
        memory.store.queue(changed=[(rows[kept >> 32], kept & 0xFFFFFFFF)])
    memory.settle()
    return merged


@lru_cache(4_096)  # agents of a society often have the same memories
def find_gist(texts: tuple[str, ...], counts: tuple[int, ...]) -> str:
    """Return the words of the first text that most of the texts share, in order.

    Words are aligned as by `difflib`, ignoring case and punctuation; "…" stands for words that
    differ. The first text is returned if less than half of it is shared.

    Args:
        texts: Distinct similar texts, the most typical one first.
        counts: How often each occurred.
    """
    spans = list(_WORD.finditer(texts[0]))
    words = [_plain(span.group()) for span in spans]
    votes = [counts[0]] * len(words)
    for text, count in zip(texts[1:], counts[1:], strict=True):
        rest = [_plain(word) for word in _WORD.findall(text)]
        matcher = SequenceMatcher(None, words, rest, autojunk=False)
        for begin, _, size in matcher.get_matching_blocks():
            for at in range(begin, begin + size):
                votes[at] += count
    kept = [vote > SHARED * sum(counts) for vote in votes]
    if sum(kept) < LEAST * len(words) or all(kept):
        return texts[0]
    parts: list[str] = []
    for at, span in enumerate(spans):
        before = texts[0][spans[at - 1].end() if at else 0 : span.start()]
        if kept[at]:
            parts += [before, span.group()]
        elif not at or kept[at - 1]:
            parts += [before, GAP]
    return "".join(parts) + ("" if kept[-1] else texts[0][spans[-1].end() :])


def _plain(word: str) -> str:
    return _EDGES.sub("", word).lower() or word
