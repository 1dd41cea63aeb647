"""Memories of agents from before the start, from a table.

| column | what | if omitted |
| --- | --- | --- |
| agent | unique_id of the agent; or `name` | required |
| topic | its topic | required |
| text | the memory; may contain {actor} and {place} | required |
| day | day since the start, below 0 before it | -1 |
| time | time of that day, as 18:30 | 12:00 |
| importance | 0..1 | 0.5 |
| valence | -1 (bad) .. 1 (good) | read from the text, or 0 |
| confidence | 0..1 | 1 |
| emotion | one of the 21 words | none |
| place | name or number of a zone | none |
| actor | id or name of the agent that did or said it | none |
| kind | event or thought | event |
| tags | words, separated by spaces | read from time and text, or none |
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError, ParameterError, did_you_mean
from memopolis.sim.memory.interface import TOPICS
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.streams.encoding import EMOTIONS, TagNames, emotion_number
from memopolis.sim.memory.streams.pending import batch
from memopolis.sim.tables.agents import KEYS, AgentIndex
from memopolis.sim.world.columns import Column, check_names, check_table
from memopolis.sim.world.frames import Source, plain_cells, read_frame

if TYPE_CHECKING:
    import pandas as pd

_TEXT = Column("text", required=False, blank=True)
_SHARE = Column("number", required=False, blank=True, default=0.5, least=0.0, most=1.0)

PAST_COLUMNS: dict[str, Column] = {
    "topic": Column("text"),
    "text": Column("text"),
    # At most a hundred years, so that dates are valid.
    "day": Column("whole", required=False, blank=True, default=-1, least=-36_500.0, most=0.0),
    "time": Column("text", required=False, blank=True, default="12:00"),
    "importance": _SHARE,
    "valence": Column("number", required=False, blank=True, least=-1.0, most=1.0),
    "confidence": Column("number", required=False, blank=True, default=1.0, least=0.0, most=1.0),
    "emotion": Column("text", required=False, blank=True, options=EMOTIONS),
    "place": _TEXT,
    "actor": _TEXT,
    "kind": Column(
        "text", required=False, blank=True, default="event", options=tuple(encoding.KINDS)
    ),
    "tags": _TEXT,
}

_BETWEEN = re.compile(r"[\s,;]+")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")

type Fields = dict[str, NDArray[Any]]


def read_memories(
    memories: Memory | Sequence[Memory], source: Source, *, places: Mapping[str, int] | None = None
) -> int:
    """Add memories from before the start to one or several populations; return their number.

    Everything is checked before anything is stored. Memories are stored in order of time, and
    listeners are not called. `source` is a CSV, Parquet or JSON file or a DataFrame, with the
    columns above, and `places` is the index of a zone by each of its names; None to take indices. A
    DataFileError names file, row (the first is 1) and column.
    """
    several = tuple(memories) if isinstance(memories, Sequence) else (memories,)
    table, name = read_frame(source)
    if not any(key in table for key in KEYS):
        raise DataFileError(
            f"{name}: column agent or name is missing; it identifies the agent of each memory"
        )
    check_names(table, (*KEYS, *PAST_COLUMNS), name)
    agents = AgentIndex(several)
    owners = agents.owners(table, name)
    if not owners.key:
        raise DataFileError(f"{name}, column name: no agent has a name; give ids in a column agent")
    checked = check_table(_plain(table, name), PAST_COLUMNS, source=name, others_kept=True)
    fields = _encode_common(checked, agents, places, name)
    each = [
        (memory, np.flatnonzero(owners.memory == number)) for number, memory in enumerate(several)
    ]
    encoded = [_encode_for(memory, checked, lines, name) for memory, lines in each]
    for (memory, lines), own in zip(each, encoded, strict=True):
        if len(lines):
            common = {key: values[lines] for key, values in fields.items()}
            _store(memory, owners.row[lines], checked.iloc[lines], common | own)
    return len(table)


def _plain(table: "pd.DataFrame", name: str) -> "pd.DataFrame":
    """Return the table with plain cells, and with lists of tags as words."""
    cells = {column: plain_cells(table[column], source=name) for column in table}
    if "tags" in cells:
        cells["tags"] = [
            " ".join(map(str, cell)) if isinstance(cell, list | set) else cell
            for cell in cells["tags"]
        ]
    return type(table)({column: np.array([*c, None], object)[:-1] for column, c in cells.items()})


def _encode_common(
    checked: "pd.DataFrame", agents: AgentIndex, places: Mapping[str, int] | None, name: str
) -> Fields:
    """Encode the fields that do not depend on the memory, one value per row."""
    rows = range(1, len(checked) + 1)

    def where(number: int, column: str) -> str:
        return f"{name}, row {number}, column {column}"

    actor = [
        agents.unique_id(cell, where(number, "actor")) if cell else encoding.NO_ONE
        for number, cell in zip(rows, checked["actor"], strict=True)
    ]
    place = [
        _place(cell, places, where(number, "place")) if cell else -1
        for number, cell in zip(rows, checked["place"], strict=True)
    ]
    return {
        "importance": np.asarray(encoding.share("importance", checked["importance"].to_numpy())),
        "confidence": np.asarray(encoding.share("confidence", checked["confidence"].to_numpy())),
        "emotion": np.array([emotion_number(word or None) for word in checked["emotion"]]),
        "kind": np.array([encoding.KINDS[kind] for kind in checked["kind"]]),
        "actor": np.array(actor, np.int64),
        "place": np.array(place, np.int64),
    }


def _place(cell: str, places: Mapping[str, int] | None, where: str) -> int:
    """Return the index of a zone given by name or index."""
    if places is not None and cell in places:
        return places[cell]
    number = int(float(cell)) if re.fullmatch(r"\d{1,5}(\.0+)?", cell) else -1
    most = 32_767 if places is None else max(places.values(), default=-1)
    if 0 <= number <= most:
        return number
    advice = did_you_mean(cell, places or ())
    named = "the number of a zone" if not places else "the name or number of a zone"
    raise DataFileError(f"{where}: {cell!r}; {advice}expected {named}, 0 to {most}")


def _encode_for(
    memory: Memory, checked: "pd.DataFrame", lines: NDArray[np.intp], name: str
) -> Fields:
    """Encode the fields that depend on the memory, and check the number of topics."""
    part = checked.iloc[lines]
    trial = TagNames(list(memory.tags.all))
    tags = np.zeros(len(lines), np.int64)
    for at, (row, words) in enumerate(zip(lines, part["tags"], strict=True)):
        try:
            tags[at] = trial.bits(_BETWEEN.split(words) if words else None)
        except ParameterError as error:
            raise DataFileError(f"{name}, row {row + 1}, column tags: {error}") from None
    times = zip(lines.tolist(), part["day"].tolist(), part["time"], strict=True)
    ticks = [_tick(memory, day, time, f"{name}, row {row + 1}") for row, day, time in times]
    topics = set(part["topic"]) | set(memory.topics)
    if len(topics) > TOPICS:
        raise DataFileError(
            f"{name}, column topic: {len(topics)} topics; at most {TOPICS} are allowed"
        )
    return {"tags": tags, "time": np.array(ticks, np.int64)}


def _tick(memory: Memory, day: int, time: str, where: str) -> int:
    """Return the tick of a time of a day before the start."""
    match = _CLOCK.fullmatch(time)
    if match is None:
        raise DataFileError(f"{where}, column time: {time!r}, expected a time such as 18:30")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    days = day + (hours * 3600 + minutes * 60 + seconds) / 86_400
    # The margin keeps the start of a tick from being rounded into the previous one.
    tick = math.floor(days * memory.ticks_per_day - memory.day_offset + 1e-6)
    if tick >= 0:
        raise DataFileError(
            f"{where}, column day: day {day} at {time} is not before the start; earlier memories "
            "have days below 0"
        )
    if tick < -(2**31):
        raise DataFileError(f"{where}, column day: {day} is too many ticks before the start")
    return tick


def _store(
    memory: Memory, rows: NDArray[np.int64], checked: "pd.DataFrame", fields: Fields
) -> None:
    """Store memories of one population in order of time, without calling listeners."""
    order = np.argsort(fields["time"], kind="stable")
    fields = {name: values[order] for name, values in fields.items()}
    checked, rows = checked.iloc[order], rows[order]
    topic = np.array([memory.topic_number(topic) for topic in checked["topic"]])
    text = memory.texts.intern_many(checked["text"].tolist())
    # Declared in the order of the table, as in the check.
    words = [_BETWEEN.split(tags) for tags in checked["tags"].sort_index() if tags]
    memory.tags.bits([word for tags in words for word in tags])
    fields |= _read_feelings(memory, checked, topic, text, fields)
    memory.flush()
    memory.pending.add(
        batch(len(rows), rows=rows, ids=memory.issue(rows), topic=topic, text=text, **fields)
    )
    # Past events do not affect present feelings and alarm.
    listeners, memory.stored = memory.stored, []
    try:
        memory.flush()
    finally:
        memory.stored = listeners


def _read_feelings(
    memory: Memory,
    checked: "pd.DataFrame",
    topic: NDArray[Any],
    text: NDArray[np.int32],
    fields: Fields,
) -> Fields:
    """Return valence and tags of the table; missing ones are read by the memory's extractor."""
    valences = checked["valence"].to_numpy(np.float64)
    known = np.where(np.isnan(valences), 0.0, valences)
    valence = np.asarray(encoding.share("valence", known), np.int64)
    tags = fields["tags"]
    if memory.extractor is not None:
        read_tags, read_valence = memory.extractor.read(memory, topic, fields["time"], text)
        valence = np.where(np.isnan(valences), read_valence, valence)
        tags = np.where((checked["tags"] == "").to_numpy(), read_tags, tags)
    return {"valence": valence, "tags": tags}
