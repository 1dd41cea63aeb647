"""Describe the columns of all tables, and read a page of a table, with texts in full."""

from collections.abc import Sequence

import pandas as pd

from memopolis.analysis.run import texts
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.tables import table_length
from memopolis.mcp_server.open_runs import note_of
from memopolis.mcp_server.paging import Page, page_of
from memopolis.sim.errors import ParameterError, UnknownNameError, did_you_mean
from memopolis.sim.recording.schema import (
    AGENTS,
    HELD,
    SWEEP_RUNS,
    TABLES,
    schema_of,
    sort_key,
    wide_columns,
)
from memopolis.sim.run_folder.folder import parts_of

MOST_READ = 3_000_000  # maximum rows of a table that is read for all agents
type Steps = tuple[int | None, int | None]
URI = "memopolis://columns"
_ALL = {
    **TABLES,
    "agents_POPULATION, start_POPULATION (attributes: describe_run)": AGENTS,
    "memory_POPULATION (query_sql)": HELD,
    "runs (query_sql, of a sweep)": SWEEP_RUNS,
}


def rows_of_table(
    run: Run,
    table: str,
    *,
    columns: Sequence[str] = (),
    agent: int | None = None,
    steps: Steps = (None, None),
    limit: int,
    offset: int,
) -> Page:
    """Return a page of a table, sorted by its key."""
    present = _columns(run, table)
    _check_filters(run, table, present, agent, steps)
    needed = [*columns, *(("actor", "place") if table == "memories" and columns else ())]
    frame = run.reader.read(table, needed, agent=agent).to_pandas()
    frame = between(frame, steps)
    shown = _with_texts(run, table, frame.iloc[offset : offset + limit].copy())
    if columns:
        selected = {*sort_key(table), "time", *columns}
        shown = shown[[name for name in shown if name in selected]]
    return page_of(
        shown, offset=offset, limit=limit, total=len(frame), note=note_of(run),
        wide=wide_columns([schema_of(table)]),
    )  # fmt: skip


def between(frame: pd.DataFrame, steps: Steps) -> pd.DataFrame:
    """Select the rows of a range of steps."""
    first, last = steps
    if first is not None:
        frame = frame[frame["tick"] >= first]
    return frame if last is None else frame[frame["tick"] <= last]


def _columns(run: Run, table: str) -> frozenset[str]:
    # A name with a slash would be a path.
    if table not in run.tables:
        raise UnknownNameError(
            f"the run has no table {table[:80]!r}; {did_you_mean(table[:80], run.tables)}it has "
            f"{', '.join(run.tables) or 'none'}"
        )
    return frozenset(run.reader.columns(table))


def _check_filters(
    run: Run, table: str, present: frozenset[str], agent: int | None, steps: Steps
) -> None:
    if agent is not None and "agent" not in present:
        raise ParameterError(f"table {table!r} has no agents; omit agent")
    if steps != (None, None) and "tick" not in present:
        raise ParameterError(f"table {table!r} has no steps; omit from_step and to_step")
    rows = table_length(run.folder, table)
    if agent is None and rows > MOST_READ:
        raise ParameterError(
            f"table {table!r} has {rows:,} rows in {len(parts_of(run.folder, table))} files: name "
            "an agent, or ask query_sql"
        )


def _with_texts(run: Run, table: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Add dates, and replace hashes of texts by the texts."""
    if "tick" in frame:
        frame.insert(1, "time", run.time_of(frame["tick"]))
    if table == "memories" and "text" in frame:
        named = run.fill_names(frame)
        return named.assign(text=texts.drop_evidence(named["text"]))
    if table == "decisions" and "text" in frame:
        return frame.assign(text=run.templates_of(frame["text"]))
    for name in {"prompt", "answer"}.intersection(frame if table == "model_calls" else ()):
        frame[name] = run.prompts_of(frame[name])
    return frame


def columns() -> str:
    """Describe each column with its unit; a star marks the columns of the key."""
    lines = ["# Columns of the tables", ""]
    for table, schema in _ALL.items():
        lines += [f"## {table}", ""]
        for name, one in schema.columns.items():
            unit = f" ({one.unit})" if one.unit else ""
            lines.append(f"- {name}{'*' * one.key}{unit}: {one.meaning}")
        lines.append("")
    return "\n".join(lines)
