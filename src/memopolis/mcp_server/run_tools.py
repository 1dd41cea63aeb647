"""Tools that list, describe and compare runs, and read their tables and measures."""

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.compare.divergence import find_divergence
from memopolis.analysis.run import texts
from memopolis.analysis.run.opening import checkpointed_step
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.tables import table_length
from memopolis.analysis.sql.query import query
from memopolis.analysis.sql.query_process import QueryLimits, QueryWorker
from memopolis.mcp_server import arguments as arg
from memopolis.mcp_server.answers import Answer, Rows, Table, cut, plain
from memopolis.mcp_server.served_runs import ServedRuns, note_of
from memopolis.sim.errors import MemopolisError, ParameterError
from memopolis.sim.recording import schema
from memopolis.sim.run_folder.folder import is_owned, parts_of
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.sweep.saved_design import DESIGN

LIMITS = QueryLimits(seconds=60.0, memory=4.0, answer=50.0)  # limits of an SQL query
MOST_READ = 3_000_000  # maximum rows of a table that is read for all agents
_WIDE = schema.wide_columns([*schema.TABLES.values(), schema.SWEEP_RUNS])


class RunTools:
    """Tools about whole runs, which never change them."""

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs

    @cached_property
    def _worker(self) -> QueryWorker:
        """Answers one query at a time, so that each may use all the memory of `LIMITS`."""
        return QueryWorker(LIMITS)

    def list_runs(self, *, limit: arg.Limit = 50) -> Answer:
        """List the available runs: scenario, status, seed, agents, steps.

        A run is one simulation that was recorded. `status` is succeeded, interrupted, failed,
        running, killed or broken; of a broken run nothing can be read, of a running or killed one
        `steps` steps. `sweeps` are names for query_sql. Start here, then use describe_run.
        """
        names, sweeps = self._runs.names(), self._runs.sweeps()
        advice = "raise limit, or query the view `runs` of a sweep with query_sql"
        note = f"{len(names) - limit:,} of {len(names):,} runs were left out: {advice}"
        return Answer.of(
            runs=[_listed(name, self._runs.root / name) for name in names[:limit]],
            sweeps=sweeps[:limit],
            total=len(names),
            note=note if len(names) > limit else "",
        )

    def describe_run(self, *, run: arg.Run = "", part: arg.Part = "") -> Answer:
        """Describe a run: settings, facts, measures, tables, populations and their attributes.

        `facts` are stated by the scenario, `shocks` are news, orders, policies and messages by
        step, `by_hand` those that a user sent. `measures` are last values for all agents, as part
        also unit, description and groups; `tables` are numbers of rows, as part also columns;
        `attributes` are columns of agents_POPULATION, as part with descriptions. Read measures
        with read_measures, and tables with read_table or query_sql.
        """
        opened = self._runs.run(run)
        manifest, measured = opened.manifest, sorted(opened.measured)
        groups = {name: opened.groups(name) for name in measured}
        last = {name: opened.measure(name).iloc[-1:] for name in measured if "" in groups[name]}
        parts: dict[str, Any] = {
            "settings": opened.settings,
            "shocks": _shocks(manifest["timeline"], "past", "pending"),
            "measures": {name: next(iter(last.get(name, ())), None) for name in measured},
            "tables": {name: _rows_in(opened, name) for name in opened.tables},
            "attributes": {name: list(own) for name, own in manifest["attributes"].items()},
        }
        if part == "measures":
            declared = {measure["name"]: measure for measure in manifest["measures"]}
            for name, value in parts[part].items():
                about = {
                    key: declared.get(name, {}).get(key, "") for key in ("description", "unit")
                }
                parts[part][name] = {**about, "groups": groups[name], "last": value}
        elif part == "tables":
            for name, rows in parts[part].items():
                columns = sorted(opened.reader.columns(name))
                parts[part][name] = {"rows": rows, "columns": columns}
        elif part == "attributes":
            parts[part] = manifest["attributes"]
        return Answer.of(
            run=self._runs.name_of(run),
            scenario=opened.title,
            status=_status(opened.folder, opened.status),
            seed=str(opened.seed),
            start=opened.start,
            end=opened.end,
            steps=opened.ticks,
            step_hours=opened.hours,
            populations=plain(manifest["populations"]),
            facts=plain(opened.facts),
            by_hand=_shocks(manifest["interventions"], "shocks"),
            note=note_of(opened),
            **{name: plain(value) for name, value in parts.items() if part in {"", name}},
        )

    def read_table(
        self, *, table: arg.TableName, run: arg.Run = "", columns: arg.Columns = None,
        agent: arg.RowsOf = None, from_step: arg.FromStep = None, to_step: arg.ToStep = None,
        limit: arg.Limit = 20,
    ) -> Table:  # fmt: skip
        """Read rows of a table, sorted by its key, with texts in full.

        Tables: agents_POPULATION (status of everyone, once a day), memories, decisions, measures,
        ledger (money), zones, weather, survey and others; describe_run lists them with their
        columns. `tick` is the number of the step, from 0. Name an agent where a table is large.
        """
        opened = self._runs.run(run)
        _check_steps(opened, from_step=from_step, to_step=to_step)
        _check_table(opened, table, agent, has_steps=(from_step, to_step) != (None, None))
        columns = columns or []
        needed = [*columns, *(("actor", "place") if table == "memories" and columns else ())]
        frame = opened.reader.read(table, needed, agent=agent).to_pandas()
        frame = _between(frame, from_step, to_step)
        shown = _with_texts(opened, table, frame.iloc[:limit].copy())
        if columns:
            selected = {*schema.sort_key(table), "time", *columns}
            shown = shown[[name for name in shown if name in selected]]
        return Table.first(
            shown, limit, "agent, from_step, to_step or columns", total=len(frame),
            note=note_of(opened), wide=schema.wide_columns([schema.schema_of(table)]),
        )  # fmt: skip

    def read_measures(
        self, *, run: arg.Run = "", measures: arg.Measures = None, group: arg.Group = "",
        every: arg.Every = 1, from_step: arg.FromStep = None, to_step: arg.ToStep = None,
        limit: arg.Limit = 100,
    ) -> Table:  # fmt: skip
        """Read the scenario's measures by step, such as the share of people who left.

        Returns rows of measure, group, tick (number of the step), time and value.
        """
        opened = self._runs.run(run)
        _check_steps(opened, from_step=from_step, to_step=to_step)
        names = measures or sorted(opened.measured)
        groups = {name: opened.groups(name) for name in names}  # rejects unknown ones
        frame = opened.measures
        frame = frame[frame["measure"].isin(names)]
        if group != "*":
            for name in measures or ():
                if group not in groups[name]:
                    opened.measure(name, group)  # lists the existing groups
            frame = frame[frame["group"] == group]
        frame = _between(frame, from_step, to_step)
        frame = frame[frame["tick"] % every == 0].sort_values(["measure", "group", "tick"])
        shown = frame[["measure", "group", "tick", "time", "value"]].reset_index(drop=True)
        narrow = "measures, every, from_step or to_step"
        return Table.first(shown, limit, narrow, note=note_of(opened))

    def compare_runs(
        self, *, a: arg.Control, b: arg.Treatment, groups: arg.Groups = False
    ) -> Answer:
        """Compare two runs: settings, where they diverge, and results.

        Both must have the same start and length of a step, such as a run and its fork, or two arms
        of a comparison with one seed. `same` says whether all tables are identical in the common
        `steps`, `settings` have the values of a and of b, `outcomes` the measures at the end with
        their difference (b minus a) and the largest difference.
        """
        runs = self._runs.run(a), self._runs.run(b)
        divergence = find_divergence(*runs)
        ends = divergence.ends
        return Answer.of(
            a=self._runs.name_of(a),
            b=self._runs.name_of(b),
            same=divergence.same,
            steps=divergence.ticks,
            diverges_at_step=divergence.tick,
            diverges_at=divergence.time,
            settings=plain(divergence.settings),
            tables=divergence.table,
            outcomes=ends if groups else ends[ends["group"] == ""],
            note="; ".join(dict.fromkeys(filter(None, map(note_of, runs)))),
            narrow="omit groups",
        )

    def query_sql(self, *, sql: arg.Sql, run: arg.RunOrSweep = "", limit: arg.Limit = 50) -> Table:
        """Query the tables of a run, or of all runs of a sweep, with DuckDB's SQL (read-only).

        Every table of describe_run is a view of that name, such as
        `select tick, count(*) from memories group by tick`. In a sweep each has a column `run`,
        and the view `runs` has the factors and outcomes of each run. Texts of memories and
        decisions refer to the view `texts` (hash, text). Answers have hashes and seeds as texts,
        which SQL compares with numbers.
        """
        place = self._runs.tables_of(run)
        opened = None if (place / DESIGN).is_file() else self._runs.run(run)
        note = "" if opened is None else note_of(opened)
        step = opened.ticks if opened is not None and note else None
        frame = query(place, sql, most=limit + 1, step=step, worker=self._worker)
        total = len(frame)
        if total > limit:
            counted = query(place, sql, count=True, step=step, worker=self._worker)
            total = counted["rows"].tolist()[0]
        narrow = "where, group by or fewer columns"
        return Table.first(frame, limit, narrow, total=total, note=note, wide=_WIDE)


def columns_of_tables() -> str:
    """Describe each column with its unit; a star marks the columns of the key."""
    lines = ["# Columns of the tables", ""]
    tables = {
        **schema.TABLES,
        "agents_POPULATION, start_POPULATION (attributes: describe_run)": schema.AGENTS,
        "memory_POPULATION (query_sql)": schema.HELD,
        "runs (query_sql, of a sweep)": schema.SWEEP_RUNS,
    }
    for table, declared in tables.items():
        lines += [f"## {table}", ""]
        for name, column in declared.columns.items():
            unit = f" ({column.unit})" if column.unit else ""
            lines.append(f"- {name}{'*' * column.key}{unit}: {column.meaning}")
        lines.append("")
    return "\n".join(lines)


def _listed(name: str, folder: Path) -> dict[str, Any]:
    try:
        content = read_content(folder)
    except MemopolisError as error:
        why = str(error).replace(f"{folder}/", "").replace(str(folder), name)
        return {"run": name, "status": "broken", "note": why}
    running = content["status"] == "running"
    return {
        "run": name,
        "scenario": cut(content["title"]),
        "status": _status(folder, content["status"]),
        "seed": str(content["seed"]),
        "agents": plain(content["populations"]),
        "start": plain(datetime.fromisoformat(content["start"])),
        "steps": (checkpointed_step(folder) or 0) if running else plain(content["ticks"]),
        "step_hours": plain(content["tick_hours"]),
        "fork_of": cut((content["fork"] or {}).get("of", "")),
        "note": plain(content["error"]),
    }


def _status(folder: Path, status: str) -> str:
    """Return the status of a run; a running one without a process was killed."""
    return "killed" if status == "running" and not is_owned(folder) else status


def _shocks(content: Mapping[str, Any], *names: str) -> Rows:
    shocks = [shock for name in names for shock in content.get(name, ())]
    shown: Rows = plain([{"step": step, **shock} for step, shock, *_ in shocks])
    return shown


def _rows_in(run: Run, table: str) -> int:
    ended = run.status != "running" or not schema.grows_by_step(table)
    return table_length(run.folder, table) if ended else run.reader.read(table, ["tick"]).num_rows


def _check_steps(run: Run, **steps: int | None) -> None:
    for name, step in steps.items():
        if step is not None and step >= run.ticks:
            raise ParameterError(
                f"{name} is {step:,}; run {run.folder.name!r} has the steps 0 to {run.ticks - 1:,}"
            )


def _check_table(run: Run, table: str, agent: int | None, *, has_steps: bool) -> None:
    """Raise an error if a run has no such table, or not the columns by which it is filtered."""
    arg.check_known("the run has no table", table, run.tables)  # with a slash it would be a path
    columns = run.reader.columns(table)
    if agent is not None and "agent" not in columns:
        raise ParameterError(f"table {table!r} has no agents; omit agent")
    if has_steps and "tick" not in columns:
        raise ParameterError(f"table {table!r} has no steps; omit from_step and to_step")
    rows = table_length(run.folder, table)
    if agent is None and rows > MOST_READ:
        raise ParameterError(
            f"table {table!r} has {rows:,} rows in {len(parts_of(run.folder, table))} files: name "
            "an agent, or ask query_sql"
        )


def _between(frame: pd.DataFrame, first: int | None, last: int | None) -> pd.DataFrame:
    """Select the rows of a range of steps."""
    if first is not None:
        frame = frame[frame["tick"] >= first]
    return frame if last is None else frame[frame["tick"] <= last]


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
