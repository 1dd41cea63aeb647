"""The page of every table, column by column, written from runs: so it says what they hold."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.analysis.columns import (
    AGENTS,
    CALL_TIMINGS,
    HELD,
    POINTS,
    RUNS,
    STATIC,
    TABLES,
    TIMINGS,
    Column,
)
from memopolis.analysis.load import Run
from memopolis.sim.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

_NAMES = {"float": "float32", "double": "float64", "string": "text", "large_string": "text"}
_HEAD = "| column | type | unit | meaning |\n| --- | --- | --- | --- |"


def tables_markdown(
    runs: Mapping[str, Sequence[Run]], sweep: Mapping[str, Mapping[str, str]]
) -> str:
    """Describe every table of some runs in Markdown.

    Args:
        runs: Runs of each scenario by its name, which recorded what there is to record.
        sweep: Types of the columns of a sweep's frames `runs` and `points`; FACTOR and OUTCOME
            stand for all of them.

    Returns:
        Sections and tables, those that all scenarios share first.

    Raises:
        ParameterError: If a column has no description, or a description no column.
    """
    every = [run for ran in runs.values() for run in ran]
    agents = {name for run in every for name in run.tables if name.startswith("agents_")}
    _check("the page", {n for run in every for n in run.tables} - agents, {**TABLES, **STATIC})
    parts = ["## Every run"]
    parts += [_described(n, columns, _types(every, f"tables/{n}")) for n, columns in TABLES.items()]
    parts += _beside(every)
    for scenario, ran in runs.items():
        parts.append(f"## {scenario}")
        parts += [
            _described(name, columns, _types(ran, f"tables/{name}"))
            for name, columns in STATIC.items()
            if _any(ran, name)
        ]
        parts += [_agents(ran, name) for name in sorted(agents) if _any(ran, name)]
    frames = {"runs": RUNS, "points": POINTS}
    parts += ["## A sweep", *(_described(n, frames[n], types) for n, types in sweep.items())]
    return "\n\n".join(parts) + "\n"


def _any(runs: Sequence[Run], table: str) -> bool:
    return any(table in run.tables for run in runs)


def _agents(runs: Sequence[Run], name: str) -> str:
    """A table of a population's status: its attributes are told by the manifest."""
    population = name.removeprefix("agents_")
    types = _types(runs, f"tables/{name}")
    declared: dict[str, Column] = dict(AGENTS)
    for run in runs:
        for attribute, one in run.manifest["attributes"].get(population, {}).items():
            meaning = f"{one['description']}{_within(one)}"
            if types.get(attribute) == "text":
                # Status holds numbers of names; tables hold the names.
                meaning = meaning.replace("Number of the", "Name of the")
            declared[attribute] = Column(meaning, one["unit"])
    return _described(name, declared, types)


def _within(attribute: Mapping[str, Any]) -> str:
    """The range of an attribute, where its description does not say it already."""
    low, high, told = attribute["low"], attribute["high"], str(attribute["description"])
    if low is None or (high is not None and f"{high:g} " in f"{told} "):
        return ""
    return f", {low:g} and more" if high is None else f", {low:g} to {high:g}"


def _beside(runs: Sequence[Run]) -> Iterator[str]:
    """What lies beside the tables: what is remembered at the end, and the wall clock."""
    yield _described("memory/POPULATION.parquet", HELD, _types(runs, "memory"))
    yield _described("timings/model_calls.parquet", CALL_TIMINGS, _types(runs, "timings"))
    kinds = {"str": "text", "float": "number", "int": "number", "dict": "numbers by name"}
    found = {name: kinds[type(value).__name__] for name, value in runs[0].timings.items()}
    yield _described("timings/timings.json", TIMINGS, found)


def _types(runs: Sequence[Run], folder: str) -> dict[str, str]:
    """Types of the columns of all files in a folder of some runs."""
    import pyarrow.parquet as pq

    found: dict[str, str] = {}
    for run in runs:
        for path in sorted(Path(run.folder, folder).glob("*.parquet")):
            schema = pq.read_schema(path)
            found |= {field.name: _type(field.type) for field in schema}
    return found


def _type(kind: "pa.DataType") -> str:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _type(kind.value_type)
    if pa.types.is_list(kind):
        return f"list of {_type(kind.value_type)}"
    return _NAMES.get(str(kind), str(kind))


def _described(title: str, columns: Mapping[str, Column], types: Mapping[str, str]) -> str:
    _check(title, set(types), columns)
    keys = ", ".join(f"`{name}`" for name, one in columns.items() if one.key)
    rows = [
        f"| {_cell(name)} | {types[name]} | {one.unit} | {one.meaning} |"
        for name, one in columns.items()
    ]
    key = f"Key: {keys}.\n\n" if keys else ""
    return f"### {title}\n\n{key}{_HEAD}\n" + "\n".join(rows)


def _cell(name: str) -> str:
    return f"one a {name.lower()}" if name.isupper() else f"`{name}`"


def _check(title: str, there: set[str], described: Mapping[str, object]) -> None:
    for problem, names in (
        ("has no description for", sorted(there - set(described))),
        ("describes what is not there:", sorted(set(described) - there)),
    ):
        if names:
            raise ParameterError(
                f"{title} {problem} {', '.join(names)}; descriptions stand in analysis/columns.py"
            )
