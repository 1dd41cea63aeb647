"""Tools that list runs and describe what they recorded."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from memopolis.analysis.run.opening import checkpointed_step
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.tables import table_length
from memopolis.mcp_server.answers import (
    RunDescribed,
    RunList,
    RunListed,
)
from memopolis.mcp_server.arguments import FromStep, Limit, Offset, RunName, ToStep
from memopolis.mcp_server.open_runs import Tools, check_steps, note_of, status_of
from memopolis.mcp_server.paging import Page, cut, page_of, plain
from memopolis.mcp_server.tables import between, rows_of_table
from memopolis.sim.errors import MemopolisError
from memopolis.sim.recording.schema import grows_by_step
from memopolis.sim.run_folder.manifest import read_content


class RunTools(Tools):
    """Tools about whole runs."""

    def list_runs(self, *, limit: Limit = 50, offset: Offset = 0) -> RunList:
        """List the available runs: scenario, status, seed, agents, steps.

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
            offset=offset,
            next_offset=last if shown and last < len(names) else None,
        )

    def describe_run(
        self,
        *,
        run: RunName = "",
        part: Annotated[
            Literal["", "settings", "shocks", "measures", "tables", "attributes"],
            Field(description="Describe this part in detail, such as the columns of tables"),
        ] = "",
    ) -> RunDescribed:
        """Describe a run: settings, facts, measures, tables, populations and their attributes.

        Read measures with read_measures, and tables with read_table or query_sql.
        """
        name = self._runs.folder.name_of(run)
        opened = self._runs.run(name)
        timeline, attributes = opened.manifest["timeline"], opened.manifest["attributes"]
        parts: dict[str, Callable[[], Any]] = {
            "settings": lambda: plain(opened.settings),
            "shocks": lambda: _shocks(timeline, "past", "pending"),
            "measures": lambda: _measures(opened, detailed=bool(part)),
            "tables": lambda: _tables(opened, detailed=bool(part)),
            "attributes": lambda: _attributes(attributes, detailed=bool(part)),
        }
        return RunDescribed(
            run=name,
            scenario=opened.title,
            status=status_of(opened.folder, opened.status),
            seed=str(opened.seed),
            start=opened.start.isoformat(),
            end=opened.end.isoformat(),
            steps=opened.ticks,
            step_hours=opened.hours,
            populations={str(key): int(n) for key, n in opened.manifest["populations"].items()},
            facts=plain(opened.facts),
            by_hand=_shocks(opened.manifest["interventions"], "shocks"),
            note=note_of(opened),
            **{name: read() for name, read in parts.items() if part in {"", name}},
        )

    def read_table(
        self,
        *,
        table: Annotated[
            str, Field(max_length=200, description="Name of the table, from describe_run")
        ],
        run: RunName = "",
        columns: Annotated[
            list[str] | None, Field(max_length=200, description="Names of columns; all if null")
        ] = None,
        agent: Annotated[
            int | None, Field(description="Only rows of the agent with this number")
        ] = None,
        from_step: FromStep = None,
        to_step: ToStep = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Page:
        """Read rows of a table, sorted by its key, with texts in full.

        Tables: agents_POPULATION (status of everyone, once a day), memories, decisions, measures,
        ledger (money), zones, weather, survey and others; describe_run lists them with their
        columns. `tick` is the number of the step, from 0. Name an agent where a table is large.
        """
        opened = self._runs.run(run)
        check_steps(opened, from_step=from_step, to_step=to_step)
        return rows_of_table(
            opened,
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
            int, Field(ge=1, le=1_000_000, description="Interval between steps, such as 24")
        ] = 1,
        from_step: FromStep = None,
        to_step: ToStep = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> Page:
        """Read the scenario's measures by step, such as the share of people who left.

        Returns rows of measure, group, tick (number of the step), time and value.
        """
        opened = self._runs.run(run)
        check_steps(opened, from_step=from_step, to_step=to_step)
        names = measures or sorted(opened.measured)
        groups = {name: opened.groups(name) for name in names}  # rejects unknown ones
        frame = opened.measures
        frame = frame[frame["measure"].isin(names)]
        if group != "*":
            for name in measures or ():
                if group not in groups[name]:
                    opened.measure(name, group)  # lists the existing groups
            frame = frame[frame["group"] == group]
        frame = between(frame, (from_step, to_step))
        frame = frame[frame["tick"] % every == 0].sort_values(["measure", "group", "tick"])
        shown = frame[["measure", "group", "tick", "time", "value"]]
        shown = shown.reset_index(drop=True)
        return page_of(shown, offset=offset, limit=limit, note=note_of(opened))


def _listed(name: str, folder: Path) -> RunListed:
    try:
        content = read_content(folder)
        return RunListed(
            run=name,
            scenario=cut(content["title"]),
            status=status_of(folder, content["status"]),
            seed=str(content["seed"]),
            agents=content["populations"],
            start=datetime.fromisoformat(content["start"]).isoformat(),
            steps=_steps(content, folder),
            step_hours=content["tick_hours"],
            fork_of=cut((content["fork"] or {}).get("of", "")),
            note=str(plain(content["error"])),
        )
    except MemopolisError as error:
        why = str(error).replace(f"{folder}/", "").replace(str(folder), name)
        return RunListed(run=name, status="broken", note=why)


def _steps(content: Mapping[str, Any], folder: Path) -> int:
    return (
        (checkpointed_step(folder) or 0)
        if content["status"] == "running"
        else int(content["ticks"])
    )


def _measures(run: Run, *, detailed: bool) -> dict[str, Any]:
    declared = {one["name"]: one for one in run.manifest["measures"]}
    described = {}
    for name in sorted(run.measured):
        groups = run.groups(name)
        last = plain(next(iter(run.measure(name)[-1:]), None)) if "" in groups else None
        details = {key: str(declared.get(name, {}).get(key, "")) for key in ("description", "unit")}
        described[name] = {**details, "groups": list(groups), "last": last} if detailed else last
    return described


def _shocks(content: Mapping[str, Any], *names: str) -> list[dict[str, Any]]:
    every = [one for name in names for one in content.get(name, ())]
    shown: list[dict[str, Any]] = plain([{"step": one[0], **one[1]} for one in every])
    return shown


def _tables(run: Run, *, detailed: bool) -> dict[str, Any]:
    described = {}
    for name in run.tables:
        ended = run.status != "running" or not grows_by_step(name)
        rows = table_length(run.folder, name) if ended else run.reader.read(name, ["tick"]).num_rows
        columns = sorted(run.reader.columns(name)) if detailed else []
        described[name] = {"rows": rows, "columns": columns} if detailed else rows
    return described


def _attributes(declared: Mapping[str, Any], *, detailed: bool) -> dict[str, Any]:
    described = {}
    for population, attributes in declared.items():
        texts = {
            name: f"{one.get('description', '')}{f' ({one["unit"]})' if one.get('unit') else ''}"
            for name, one in attributes.items()
        }
        described[population] = texts if detailed else list(texts)
    return described
