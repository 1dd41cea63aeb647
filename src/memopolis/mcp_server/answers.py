"""Answers of the tools: values as JSON, and a limited number of rows."""

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from pydantic import BaseModel, Field

from memopolis.mcp_server.arguments import MOST_ROWS

if TYPE_CHECKING:
    import networkx as nx

MOST_TEXT = 2_000  # maximum characters of a text; a longer one is cut and marked
MOST_SIZE = 50_000  # approximate maximum JSON characters of a list of rows
_MOST_NODES = 100  # maximum number of memories in a map
_MOST_ENTRIES = 200  # maximum entries of a list or mapping
_DEEPEST = 6
_LARGEST_EXACT = 2**53 - 1  # largest whole number that JavaScript keeps apart from the next one
_SHORT = 1e6

Rows = list[dict[str, Any]]


class Answer(BaseModel, extra="allow"):
    """An answer of a tool, whose other fields the description of the tool explains."""

    note: str = Field(
        default="", description="Number of rows left out and how to get them; step of an active run"
    )

    @classmethod
    def of(
        cls,
        *,
        note: str = "",
        limit: int = MOST_ROWS,
        narrow: str = "request fewer",
        wide: Collection[str] = (),
        **values: Any,
    ) -> Self:
        """Return an answer of values, converted to JSON.

        A table has at most `limit` rows. `note` counts the others, also those of `total` that the
        table itself lacks, and says how to `narrow` the query. `wide` are columns as in `rows_of`.
        """
        notes = [note]
        for name, value in values.items():
            if isinstance(value, pd.DataFrame):
                rows = values[name] = rows_of(value.iloc[:limit], wide)
                total = values.get("total", len(value))
                if len(rows) < total:
                    left_out = total - len(rows)
                    notes.append(f"{left_out:,} of {total:,} {name} were left out: {narrow}")
            elif not isinstance(value, list | dict):
                values[name] = plain(value)
        return cls(**values, note="; ".join(filter(None, notes)))


class Table(Answer):
    """The first rows of a table or query."""

    rows: Rows = Field(description="The rows, each with its columns by name")
    total: int = Field(description="Total number of rows")

    @classmethod
    def first(cls, frame: pd.DataFrame, limit: int, narrow: str, **values: Any) -> Self:
        """Return the first rows of a table; `narrow` names arguments that select fewer."""
        advice = f"narrow the query by {narrow}, or raise limit (at most {MOST_ROWS})"
        return cls.of(rows=frame, limit=limit, narrow=advice, **{"total": len(frame)} | values)


class Memories(Answer):
    """Some memories, best first."""

    memories: Rows = Field(description="By id: time, topic, kind, text, and the terms of the score")


class KnowledgeMap(Answer):
    """What is known about a topic, as a graph of memories."""

    nodes: Rows = Field(description="Memories: id, text, topic, score, depth, cluster")
    edges: Rows = Field(default=[], description="Similarity of two memories: a, b, weight")

    @classmethod
    def of_graph(cls, graph: "nx.Graph[int]", **others: Any) -> Self:
        """Return the best nodes of a map of knowledge, and the edges between them."""
        best = sorted(graph.nodes(data=True), key=lambda node: (-node[1]["score"], node[0]))
        nodes = pd.DataFrame([{"id": number, **facts} for number, facts in best])
        others |= {"topic": graph.graph["topic"], "narrow": "raise least, or lower depth"}
        answer = cls.of(nodes=nodes, limit=_MOST_NODES, **others)
        ids = {node["id"] for node in answer.nodes}
        answer.edges = [
            {"a": plain(a), "b": plain(b), "weight": plain(weight)}
            for a, b, weight in graph.edges(data="weight")
            if a in ids and b in ids
        ]
        return answer


def assessment_of(assessment: Any, **others: Any) -> Answer:
    """Return how well an agent of a run, or the owner of a memory, knows a topic."""
    values = {field.name: getattr(assessment, field.name) for field in fields(assessment)}
    return Answer.of(**values | others)


def rows_of(frame: pd.DataFrame, wide: Collection[str] = ()) -> Rows:
    """Convert rows to JSON values; a named index becomes a column.

    Whole numbers in the columns `wide`, such as hashes, become texts. Stops before the row that
    would make the list longer than `MOST_SIZE`, but always returns the first row.
    """
    named = frame.reset_index() if frame.index.name is not None else frame
    columns = {str(name): _cells(named[name], wide) for name in named}
    rows: Rows = []
    size = 0
    for values in zip(*columns.values(), strict=True):
        row = {name: plain(value) for name, value in zip(columns, values, strict=True)}
        size += len(compact(row))
        if rows and size > MOST_SIZE:
            break
        rows.append(row)
    return rows


def _cells(column: pd.Series, wide: Collection[str]) -> list[Any]:
    """Return the values of a column; all its whole numbers are texts if one has to be."""
    values: list[Any] = column.tolist()
    numbers = [value for value in values if type(value) is int]
    if column.name in wide or any(abs(number) > _LARGEST_EXACT for number in numbers):
        return [str(value) if type(value) is int else value for value in values]
    return values


def plain(value: Any, depth: int = 0) -> Any:
    """Convert a value to JSON: cut texts, shortened lists and mappings, no NaN, exact numbers.

    `depth` counts the lists and mappings around the value.
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    for kinds, convert in _CONVERSIONS:
        if isinstance(value, kinds):
            return convert(value)
    if depth < _DEEPEST and isinstance(value, Mapping):
        shown = islice(value.items(), _MOST_ENTRIES)
        return {cut(str(name)): plain(entry, depth + 1) for name, entry in shown}
    if depth < _DEEPEST and isinstance(value, list | tuple | set | np.ndarray):
        return [plain(entry, depth + 1) for entry in islice(value, _MOST_ENTRIES)]
    return cut(str(value))


def _exact(value: int) -> int | str:
    """Return a whole number, as a text if JavaScript, whose numbers are floats, would round it."""
    return int(value) if abs(int(value)) <= _LARGEST_EXACT else str(value)


def _finite(value: float) -> float | None:
    """Return a finite number, None for others; 32-bit numbers as 0.1, not 0.10000000149."""
    exact, short = float(value), np.float32(value)
    if not math.isfinite(exact):
        return None
    is_short = abs(exact) < _SHORT and not exact.is_integer() and float(short) == exact
    return float(str(short)) if is_short else exact


def cut(text: str, most: int = MOST_TEXT) -> str:
    """Shorten a text to a maximum number of characters, and state how many were removed.

    A lone surrogate, such as in a file name that is not valid UTF-8, is replaced by its code,
    because an answer with it could not be sent.
    """
    if len(text) > most:
        text = f"{text[:most]}... ({len(text) - most:,} more characters)"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_text(value: object) -> bool:
    """Return whether no text in a JSON value contains a lone surrogate."""
    try:
        compact(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def compact(value: object) -> str:
    """Return a value as JSON without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# bool is a subclass of int, and a timestamp of a date, so the order matters.
_CONVERSIONS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, cut),
    (bool | np.bool_, bool),
    (int | np.integer, _exact),
    (float | np.floating, _finite),
    (date, lambda value: value.isoformat()),
)
