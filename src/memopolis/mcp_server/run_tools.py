"""Tools that tell what runs there are and what they recorded."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from memopolis.analysis.run.load import checkpointed_step
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.tables import table_length
from memopolis.mcp_server.answers import (
    MeasureDescribed,
    RunDescribed,
    RunList,
    RunListed,
    TableDescribed,
)
from memopolis.mcp_server.arguments import FromStep, Limit, Offset, RunName, ToStep
from memopolis.mcp_server.open_runs import OpenRuns, check_steps, note_of, status_of
from memopolis.mcp_server.paging import Page, cut, page_of, plain
from memopolis.mcp_server.table_rows import between, rows_of_table
from memopolis.sim.errors import MemopolisError
from memopolis.sim.recording.schema import grows_by_step
from memopolis.sim.running.manifest import read_content


class RunTools:
    """Tools about whole runs.

    Args:
        runs: What is read.
    """

    def __init__(self, runs: OpenRuns) -> None:
        self._runs = runs

    def list_runs(self, *, limit: Limit = 50, offset: Offset = 0) -> RunList:
        """List the runs that can be asked about: scenario, status, seed, agents, steps.

        A run is one simulation that was recorded. Start here, then use describe_run.
        """
        folder = self._runs.folder
        names = folder.names()
        shown = names[offset : offset + limit]
        last = offset + len(shown)
        return RunList(
            runs=[_listed(name, folder.root / name) for name in shown],
            sweeps=folder.sweeps()[:limit],
            total=len(names),
            next_offset=last if shown and last < len(names) else None,
        )

    def describe_run(self, *, run: RunName = "") -> RunDescribed:
        """Tell what a run was: settings, facts, measures, tables and their columns, populations.

        The measures named here are read by read_measures, the tables by read_table or query_sql.
        """
        name = self._runs.folder.name_of(run)
        found = self._runs.run(name)
        return RunDescribed(
            run=name,
            scenario=found.title,
            status=status_of(found.folder, found.status),
            seed=found.seed,
            start=found.start.isoformat(),
            end=found.end.isoformat(),
            steps=found.ticks,
            step_hours=found.hours,
            populations={str(key): int(n) for key, n in found.manifest["populations"].items()},
            facts=plain(found.facts),
            settings=plain(found.settings),
            shocks=_shocks(found.manifest["timeline"], "past", "pending"),
            by_hand=_shocks(found.manifest["given"], "shocks"),
            measures=_measures(found),
            tables=[_table(found, table) for table in found.tables],
            attributes=_attributes(found.manifest["attributes"]),
            note=note_of(found),
        )

    def read_table(
        self,
        *,
        table: Annotated[str, Field(max_length=200, description="Its name, as in describe_run")],
        run: RunName = "",
        columns: Annotated[
            list[str] | None, Field(max_length=200, description="Columns wanted; all if null")
        ] = None,
        agent: Annotated[
            int | None, Field(description="Only rows of the agent of this number")
        ] = None,
        from_step: FromStep = None,
        to_step: ToStep = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Page:
        """Read rows of a table of a run, in the order of its key, with texts written out.

        Tables: agents_POPULATION (status of everyone, once a day), memories, decisions, measures,
        ledger (money), zones, weather, survey and others; describe_run lists them with their
        columns. `tick` is the number of the step, from 0. Name an agent where a table is large.
        """
        found = self._runs.run(run)
        check_steps(found, from_step=from_step, to_step=to_step)
        return rows_of_table(
            found,
            table,
            columns=columns or (),
            agent=agent,
            steps=(from_step, to_step),
            limit=limit,
            offset=offset,
        )

    def read_measures(
        self,
        *,
        run: RunName = "",
        measures: Annotated[
            list[str] | None, Field(max_length=200, description="Names of measures; all if null")
        ] = None,
        group: Annotated[
            str,
            Field(max_length=200, description='Group of the measures; "" for all, "*" for each'),
        ] = "",
        every: Annotated[
            int, Field(ge=1, le=1_000_000, description="Only each so manyth step, such as 24")
        ] = 1,
        from_step: FromStep = None,
        to_step: ToStep = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> Page:
        """Read what the scenario measured in each step, such as the share of people who left.

        Gives rows of measure, group, tick (number of the step), time and value.
        """
        found = self._runs.run(run)
        check_steps(found, from_step=from_step, to_step=to_step)
        names = measures or sorted(found.measured)
        groups = {name: found.groups(name) for name in names}  # refuses unknown ones
        frame = found.measures
        frame = frame[frame["measure"].isin(names)]
        if group != "*":
            for name in measures or ():
                if group not in groups[name]:
                    found.measure(name, group)  # says which groups there are
            frame = frame[frame["group"] == group]
        frame = between(frame, (from_step, to_step))
        frame = frame[frame["tick"] % every == 0].sort_values(["measure", "group", "tick"])
        shown = frame[["measure", "group", "tick", "time", "value"]]
        shown = shown.reset_index(drop=True)
        return page_of(shown, offset=offset, limit=limit, note=note_of(found))


def _listed(name: str, folder: Path) -> RunListed:
    try:
        told = read_content(folder)
        return RunListed(
            run=name,
            scenario=cut(told["title"]),
            status=status_of(folder, told["status"]),
            seed=told["seed"],
            agents=told["populations"],
            start=datetime.fromisoformat(told["start"]).isoformat(),
            steps=_steps(told, folder),
            step_hours=told["tick_hours"],
            fork_of=cut((told["fork"] or {}).get("of", "")),
            note=str(plain(told["error"])),
        )
    except MemopolisError as error:
        return _broken(name, str(error).replace(f"{folder}/", "").replace(str(folder), name))


def _steps(told: Mapping[str, Any], folder: Path) -> int:
    return (checkpointed_step(folder) or 0) if told["status"] == "running" else int(told["ticks"])


def _broken(name: str, why: str) -> RunListed:
    return RunListed(
        run=name, scenario="", status="broken", seed=None, agents={}, start="", steps=0,
        step_hours=0.0, fork_of="", note=why,
    )  # fmt: skip


def _measures(run: Run) -> list[MeasureDescribed]:
    declared = {one["name"]: one for one in run.manifest["measures"]}
    return [
        MeasureDescribed(
            measure=name,
            description=str(declared.get(name, {}).get("description", "")),
            unit=str(declared.get(name, {}).get("unit", "")),
            groups=[str(group) for group in run.groups(name)],
            last=_last(run, name),
        )
        for name in sorted(run.measured)
    ]


def _last(run: Run, name: str) -> float | None:
    if "" not in run.groups(name):
        return None
    values = run.measure(name)
    last: float | None = plain(float(values.iloc[-1])) if len(values) else None
    return last


def _shocks(told: Mapping[str, Any], *names: str) -> list[dict[str, Any]]:
    every = [one for name in names for one in told.get(name, ())]
    shown: list[dict[str, Any]] = plain([{"step": one[0], **one[1]} for one in every])
    return shown


def _table(run: Run, name: str) -> TableDescribed:
    ended = run.status != "running" or not grows_by_step(name)
    rows = table_length(run.folder, name) if ended else run.reader.read(name, ["tick"]).num_rows
    return TableDescribed(table=name, rows=rows, columns=sorted(run.reader.columns(name)))


def _attributes(declared: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {
        str(population): {
            str(name): " ".join(filter(None, (told.get("description"), _unit(told))))
            for name, told in attributes.items()
        }
        for population, attributes in declared.items()
    }


def _unit(told: Mapping[str, Any]) -> str:
    return f"({told['unit']})" if told.get("unit") else ""
