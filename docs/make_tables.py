"""Rewrite tables.md from small runs of all scenarios: `python docs/make_tables.py`."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from memopolis import BasicIncome, Hurricane, Polarization, Run, load_run
from memopolis.errors import ParameterError
from memopolis.minds import LlmMind, ScriptedClient
from memopolis.sim.recording.schema import (
    AGENTS,
    CALL_TIMINGS,
    HELD,
    SWEEP_POINTS,
    SWEEP_RUNS,
    TABLES,
    TIMINGS,
    Column,
    TableSchema,
    is_status,
)

PAGE = Path(__file__).with_name("tables.md")
BEGIN = "<!-- written by docs/make_tables.py -->\n"
_NAMES = {"float": "float32", "double": "float64", "string": "text", "large_string": "text"}
_ASKED = {"survey.ask": "ces_d", "survey.every": 24.0}


def small_runs(folder: Path) -> dict[str, list[Run]]:
    """Run each scenario so that it records every table.

    Args:
        folder: Parent folder of the runs.

    Returns:
        Runs by the name of the scenario.
    """
    storm = Hurricane(agents=40, days=1, rng=1, **_ASKED)
    client = ScriptedClient(lambda _: '{"reason": "I heard nothing new.", "rating": 5}')
    storm.mind = LlmMind(client, seed=storm.seed, log=storm.log_calls)
    town = Polarization(agents=60, days=2, rng=1)
    country = BasicIncome(agents=60, days=60, start=1, rng=1)
    made = {"hurricane": storm, "polarization": town, "ubi": country}
    return {name: [load_run(one.run(folder / name))] for name, one in made.items()}


def page_of(runs: dict[str, list[Run]]) -> str:
    """Return the page: its hand-written part, then the tables."""
    top = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]
    return f"{top}{BEGIN}\n{tables_markdown(runs)}"


def tables_markdown(runs: Mapping[str, Sequence[Run]]) -> str:
    """Describe every table of runs and sweeps in Markdown.

    Args:
        runs: Runs of each scenario by its name, which recorded all their tables.

    Returns:
        Sections and tables, those that all scenarios share first.

    Raises:
        ParameterError: If a recorded table differs from its schema.
    """
    every = [run for of_scenario in runs.values() for run in of_scenario]
    shared = {name: schema for name, schema in TABLES.items() if not schema.static}
    beside = {
        "memory/POPULATION.parquet": (HELD, "memory"),
        "timings/model_calls.parquet": (CALL_TIMINGS, "timings"),
    }
    tables = [(name, schema, f"tables/{name}") for name, schema in shared.items()]
    tables += [(name, schema, path) for name, (schema, path) in beside.items()]
    for name, schema, path in tables:
        _check(name, schema, every, path)
    sections = _Sections()
    parts = ["## Every run"]
    parts += [sections.add(name, schema) for name, schema, _ in tables]
    parts.append(sections.add("timings/timings.json", TIMINGS))
    parts.append(sections.add("agents_POPULATION, start_POPULATION", AGENTS))
    for scenario, own in runs.items():
        parts.append(f"## {scenario}")
        tables = sorted({name for run in own for name in run.tables} - set(shared))
        static = [name for name in TABLES if name in tables]
        agents = [name for name in tables if name.startswith("agents_")]
        if unknown := {name for name in tables if not is_status(name)} - {*static}:
            raise ParameterError(f"sim/recording/columns.csv has no table {min(unknown)!r}")
        for name in static:
            _check(name, TABLES[name], own, f"tables/{name}")
        parts += [sections.add(name, TABLES[name]) for name in static]
        parts += [sections.add(name, _agents_schema(name, own)) for name in agents]
    parts += ["## A sweep", sections.add("runs", SWEEP_RUNS), sections.add("points", SWEEP_POINTS)]
    return "\n\n".join(parts) + "\n"


def _agents_schema(name: str, runs: Sequence[Run]) -> TableSchema:
    """Return the attributes of a status table, which the manifests declare."""
    columns: dict[str, Column] = {}
    types = _recorded_types(runs, f"tables/{name}")
    for run in runs:
        for attribute, one in run.attributes(name.removeprefix("agents_")).items():
            kind, meaning = types[attribute], f"{one['description']}{_range_text(one)}"
            if kind == "text":
                # The status holds numbers of names; the table holds the names.
                meaning = meaning.replace("Number of the", "Name of the")
            columns[attribute] = Column(kind, meaning, one["unit"])
    return TableSchema(columns)


def _range_text(attribute: Mapping[str, Any]) -> str:
    """Format the range of an attribute, unless its description already contains it."""
    low, high, text = attribute["low"], attribute["high"], str(attribute["description"])
    if low is None or (high is not None and f"{high:g} " in f"{text} "):
        return ""
    return f", {low:g} and more" if high is None else f", {low:g} to {high:g}"


def _check(title: str, schema: TableSchema, runs: Sequence[Run], folder: str) -> None:
    """Compare the schema of a table with the recorded columns."""
    recorded, columns = _recorded_types(runs, folder), schema.columns
    for name in sorted(recorded.keys() - columns.keys()):
        raise ParameterError(
            f"{title} does not declare {name}; add it to sim/recording/columns.csv"
        )
    for name in sorted(columns.keys() - recorded.keys()):
        raise ParameterError(f"{title} declares {name}, which no run has")
    for name, kind in recorded.items():
        if kind != columns[name].type:
            raise ParameterError(
                f"{title} declares {name} as {columns[name].type}, the runs have {kind}"
            )


def _recorded_types(runs: Sequence[Run], folder: str) -> dict[str, str]:
    """Return the type of each column in the files of a folder, over all runs."""
    paths = (path for run in runs for path in sorted(Path(run.folder, folder).glob("*.parquet")))
    return {field.name: _type_name(field.type) for path in paths for field in pq.read_schema(path)}


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        return _type_name(kind.value_type)
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    return _NAMES.get(str(kind), str(kind))


class _Sections:
    """Sections of the page; a column as last described above is only named."""

    def __init__(self) -> None:
        self._last: dict[str, Column] = {}

    def add(self, title: str, schema: TableSchema) -> str:
        """Return the section of a table: its key, and a line for the columns of each meaning."""
        repeated, new = [], dict[str, list[str]]()
        for name, declared in schema.columns.items():
            column = replace(declared, key=False)
            if self._last.get(name) == column:
                repeated.append(_cell(name))
            else:
                self._last[name] = column
                unit = f" ({column.unit})" if column.unit else ""
                new.setdefault(f"{unit}: {column.meaning}", []).append(_cell(name))
        keys = ", ".join(f"`{name}`" for name in schema.key)
        lines = [f"- {', '.join(names)}{meaning}" for meaning, names in new.items()]
        lines += [f"- As above: {', '.join(repeated)}"] if repeated else []
        key = f"Key: {keys}.\n\n" if keys else ""
        return f"### {title}\n\n{key}" + "\n".join(lines)


def _cell(name: str) -> str:
    return f"one per {name.lower()}" if name.isupper() else f"`{name}`"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PAGE.write_text(page_of(small_runs(Path(made))), encoding="utf-8")
