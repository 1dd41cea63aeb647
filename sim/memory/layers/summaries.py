"""Summaries of passages of memories, and the entries of the status in which they are stored.

A summary covers ten consecutive memories. A side column stores progress. Summaries and key memories
are stored as JSON.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, cast

import numpy as np

from memopolis.sim.arguments import check_text
from memopolis.sim.arrays import Float32, Float64, Int32, Int64, Ints
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.recollection import Recollections, format_memories

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Kind = Literal["summary", "gist"]

SUMMARIES = "summaries"
KEY_MEMORIES = "key_memories"

_DESCRIPTIONS = {
    SUMMARIES: "Summaries of past memories, oldest first",
    KEY_MEMORIES: "Facts that are always part of the context",
}

JOINER = "; "  # joins two sentences if the first does not end with punctuation
ELLIPSIS = "…"  # marks the end of a shortened text; counts as one of its characters
# Punctuation that ends a sentence; the last three are Chinese and Japanese.
STOPS = ".!?\u3002\uff01\uff1f"
_QUOTES = "\"'\u201d\u2019)"
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # letters that form a flag in pairs
_WIDE = "\u3002\uff01\uff1f"
_ENDS = re.compile(
    r"(?<=[.!?])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)\s+(?=[^a-z\s])"
    rf"|(?<=[.!?][{_QUOTES}])\s+(?=[^a-z\s])"
    rf"|(?<=[{_WIDE}])(?![{_WIDE}\u300d\u300f\u201d])"
)


def split_sentences(text: str) -> list[str]:
    """Split a text into its sentences, in reading order, without empty ones.

    A full stop ends a sentence if a space and anything but a lower-case letter follow. Chinese and
    Japanese punctuation always ends one, and so does a line break.
    """
    # Line by line: a pattern that matches line breaks is quadratic in the length of blank text.
    parts = [part.strip() for line in text.splitlines() for part in _ENDS.split(line)]
    return [part for part in parts if part]


def shorten(text: str, limit: int) -> str:
    """Shorten a text to `limit` code points, >= 1, at a word boundary of the second half if any.

    Otherwise it is cut between characters, never within accents, flags or joined emoji. An ellipsis
    marks the end.
    """
    if len(text) <= limit:
        return text
    room = limit - len(ELLIPSIS)
    words = text[: room + 1].rsplit(maxsplit=1)
    head = words[0] if len(words) == 2 else ""
    if text[room].isspace():
        head = text[:room]
    elif 2 * len(head) < room:
        head = text[: _boundary(text, room)]
    return head.rstrip().rstrip(",;:-") + ELLIPSIS


def _boundary(text: str, at: int) -> int:
    """Return the last boundary between characters up to `at`; `at` if there is none."""
    place = at
    while place > 0 and _is_inside(text, place):
        place -= 1
    return place or at


def _is_inside(text: str, place: int) -> bool:
    """Return whether the code points before and at an index form one character."""
    after, before = text[place], text[place - 1]
    if unicodedata.category(after) in ("Mn", "Me", "Mc", "Cf") or before == "\u200d":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if after not in _FLAGS:
        return False
    run = len(text[:place]) - len(text[:place].rstrip(_FLAGS))
    return run % 2 == 1


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """Memories of one agent to summarise."""

    kind: Kind  # "summary" of consecutive memories, or "gist" of a cluster
    memories: Recollections  # the memories, oldest first
    # Cosine of each memory with the centroid of all, -1..1, shape (memories,).
    centrality: Float64
    limit: int  # most characters of the summary or gist

    @property
    def texts(self) -> list[str]:
        """Texts of the memories, in their order."""
        return [memory.text for memory in self.memories]

    @property
    def ids(self) -> Int64:
        """Ids of the memories, shape (memories,)."""
        return np.array([memory.id for memory in self.memories], np.int64)


Writer = Callable[[Passage], str]


def extractive(passage: Passage) -> str:
    """Summarise a passage of at least one memory by its own sentences, in at most its limit.

    A summary takes the first sentences of the memories in order of importance + centrality, then
    their second ones, as long as they fit, and lists them in order of time. A gist is the memory
    nearest to the centroid.

    Source:
        This project, illustrative.
    """
    if passage.kind == "gist":
        return shorten(passage.texts[int(np.argmax(passage.centrality))], passage.limit)
    central = passage.centrality.tolist()
    worth = [m.importance + c for m, c in zip(passage.memories, central, strict=True)]
    order = sorted(range(len(worth)), key=lambda at: -worth[at])
    parts = [split_sentences(text) or [text] for text in passage.texts]
    chosen: dict[str, tuple[int, int]] = {}
    remaining = passage.limit
    for place in range(max(map(len, parts))):
        for at in order:
            sentence = parts[at][place] if place < len(parts[at]) else ""
            needed = len(sentence) + (len(JOINER) if chosen else 0)
            if sentence and sentence not in chosen and (needed <= remaining or not chosen):
                chosen[sentence] = (at, place)
                remaining -= needed
    return shorten(_join(sorted(chosen, key=chosen.__getitem__)), passage.limit)


def _join(sentences: Sequence[str]) -> str:
    text = ""
    for sentence in sentences:
        separator = "" if not text else " " if text[-1] in STOPS else JOINER
        text += separator + sentence
    return text


def load_passage(memory: Memory, row: int, ids: Ints, kind: Kind) -> Passage | None:
    """Load memories to summarise, by ascending ids; return None if all of them are forgotten."""
    memories = format_memories(memory, row, ids.tolist())
    if not memories:
        return None
    numbers = memory.streams.get("text", row, [loaded.id for loaded in memories])
    return Passage(
        kind,
        memories,
        compute_centrality(memory.vectors.vectors(numbers)),
        memory.layer_settings.max_summary_length,
    )


def write(writer: Writer, passage: Passage) -> str:
    """Return the text of a writer, shortened; the rule replaces a blank one."""
    text = writer(passage)
    check_text("the text of a writer", text)
    return shorten(text.strip() or extractive(passage), passage.limit)


def compute_centrality(vectors: Float32) -> Float64:
    """Compute the cosine of each unit vector with the sum of all, (n,); 0 for a zero vector."""
    unit = vectors.astype(np.float64)
    centroid = np.add.reduce(unit, axis=0)
    length = np.sqrt(np.add.reduce(centroid * centroid))
    along: Float64 = np.add.reduce(unit * centroid, axis=1)
    return along / length if length > 0 else along


class _Entry(TypedDict):
    """An entry as stored; it has all attributes of a `Summary` or `KeyMemory`."""

    memories: list[int]


def declare(memory: Memory, name: str) -> None:
    """Declare one of the two attributes unless it is declared."""
    if name not in memory._columns.schema.attributes:
        memory._columns.declare(name, [], description=_DESCRIPTIONS[name])


def load_entries[T](kind: Callable[..., T], memory: Memory, row: int, name: str) -> list[T]:
    """Return an agent's entries as objects of a class; an agent without the attribute has none."""
    if not memory._columns.is_present(name, row):
        return []
    entries = cast("list[_Entry]", memory._columns.read(name, row))
    return [kind(**{**entry, "memories": tuple(entry["memories"])}) for entry in entries]


def write_entries(
    memory: Memory, row: int, name: str, entries: "Sequence[DataclassInstance]"
) -> None:
    """Replace an agent's entries."""
    declare(memory, name)
    memory._columns.write(name, row, [asdict(entry) for entry in entries])


def summarised_to(memory: Memory) -> Int32:
    """Return the first id that no summary covers, by agent, int32, shape (agents,)."""
    return memory.streams.agent_column("summarised", np.int32)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of consecutive memories."""

    id: int  # id of the first memory it covers
    time: int  # tick at which it was written
    since: int  # tick of the oldest memory it covers
    until: int  # tick of the newest memory it covers
    text: str  # at most `LayerSettings.max_summary_length` characters
    memories: tuple[int, ...]  # ids of the memories it covers, some of which may have been evicted

    def __str__(self) -> str:
        return f"- {self.text}"


def summaries_due(memory: Memory, rows: Int64) -> tuple[Int64, Int64]:
    """Return each agent's first id that no summary covers, and how many are due, int64, (n,)."""
    streams = memory.streams
    starts = streams.oldest(rows).astype(np.int64)
    if streams.has_column("summarised"):
        starts = np.maximum(starts, summarised_to(memory)[rows])
    return starts, (streams.next[rows] - starts) // memory.layer_settings.summary_interval


def store_summary(memory: Memory, row: int, ids: Ints, text: str) -> None:
    """Store a summary of memories `ids`, unless empty; drop the oldest ones beyond the limit."""
    if not text:
        return
    times = memory.streams.get("time", row, ids[[0, -1]]).tolist()
    covered = tuple(int(number) for number in ids)
    summary = Summary(covered[0], memory.now, times[0], times[1], text, covered)
    others = [e for e in load_entries(Summary, memory, row, SUMMARIES) if e.id != summary.id]
    every = sorted([*others, summary], key=lambda entry: entry.id)
    write_entries(memory, row, SUMMARIES, every[-memory.layer_settings.max_summaries :])


def summarise(memory: Memory, rows: Int64, writer: Writer) -> Int32:
    """Write every summary that is due; return their number by agent, all distinct, shape (n,)."""
    interval = memory.layer_settings.summary_interval
    starts, due = summaries_due(memory, rows)
    counts = np.zeros(len(rows), np.int32)
    for place in np.flatnonzero(due).tolist():
        row = int(rows[place])
        for block in range(int(due[place])):
            first = int(starts[place]) + block * interval
            passage = load_passage(memory, row, np.arange(first, first + interval), "summary")
            text = "" if passage is None else write(writer, passage)
            if passage is not None and text:
                store_summary(memory, row, passage.ids, text)
                counts[place] += 1
            # After each block, so that a writer that fails loses no earlier summary.
            summarised_to(memory)[row] = first + interval
    return counts
