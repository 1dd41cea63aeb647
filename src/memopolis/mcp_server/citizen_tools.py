"""Tools that find citizens and tell the life of one."""

from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from memopolis.analysis.run.life import Life
from memopolis.mcp_server.answers import CitizenLife, Citizens
from memopolis.mcp_server.arguments import AgentId, Limit, Offset, RunName, Step
from memopolis.mcp_server.conditions import matching
from memopolis.mcp_server.open_runs import OpenRuns, note_of
from memopolis.mcp_server.paging import page_of, plain, rows_of
from memopolis.sim.errors import UnknownNameError, did_you_mean

_ALWAYS = ("agent", "name", "zone_name")
_FEW = 12
"""Columns of a citizen that are told where none are named."""


class CitizenTools:
    """Tools about citizens and other agents.

    Args:
        runs: What is read.
    """

    def __init__(self, runs: OpenRuns) -> None:
        self._runs = runs

    def list_citizens(
        self,
        *,
        run: RunName = "",
        name: Annotated[
            str, Field(max_length=200, description="Part of the name, or the number; any if empty")
        ] = "",
        where: Annotated[
            list[str] | None,
            Field(
                max_length=20,
                description='Conditions on the status, all of which hold, such as "age >= 65", '
                '"evacuated = true", "zone_name = North Charleston"',
            ),
        ] = None,
        columns: Annotated[
            list[str] | None,
            Field(max_length=50, description="Columns beside number and name; a few if null"),
        ] = None,
        population: Annotated[
            str, Field(max_length=200, description='Such as "firm"; the citizens if empty')
        ] = "",
        step: Step = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Citizens:
        """Find citizens by name or by their newest status; also firms and other populations.

        describe_run tells under `attributes` what there is to know of each.
        """
        found = self._runs.run(run, step)
        people = found.people(population)
        chosen = matching(people, where or ())
        if name:
            chosen &= _called(people, name)
        shown = people[_columns(people, columns)][chosen].reset_index(drop=True)
        page = page_of(shown, offset=offset, limit=limit, note=note_of(found))
        return Citizens(
            **dict(page),
            population=population or found.populations[0],
            populations=list(found.populations),
        )

    def citizen_life(
        self,
        *,
        agent: AgentId,
        run: RunName = "",
        step: Step = None,
        decisions: Annotated[
            int, Field(ge=0, le=100, description="How many of the last decisions and thoughts")
        ] = 10,
    ) -> CitizenLife:
        """Tell who an agent is, how it is, what it last decided and thought, and why.

        Its memories are searched by search_memory; `evidence` of a decision are the texts of the
        memories that it rests on.
        """
        found = self._runs.run(run, step)
        life = found.life(agent)
        status = life.status.iloc[-1] if len(life.status) else pd.Series(dtype=object)
        return CitizenLife(
            agent=agent,
            name=plain(life.name),
            population=life.population,
            at=found.end.isoformat(),
            profile=plain(life.profile),
            status={str(name): plain(value) for name, value in status.items()},
            status_at=plain(status.name) if len(status) else None,
            memories_by_topic=_by_topic(life),
            decisions=_newest(life.decisions, decisions),
            thoughts=_newest(life.thoughts, decisions),
            note=note_of(found),
        )


def _called(people: pd.DataFrame, name: str) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    wanted = name.strip().casefold()
    named = people["name"].astype(str).str.casefold().str.contains(wanted, regex=False)
    called = named | (people["agent"].astype(str) == wanted)
    return np.asarray(called, np.bool_)


def _columns(people: pd.DataFrame, wanted: list[str] | None) -> list[str]:
    there = [str(name) for name in people]
    for name in wanted or ():
        if name not in there:
            raise UnknownNameError(
                f"nobody has {name[:80]!r}; {did_you_mean(name[:80], there)}there are "
                f"{', '.join(there)}"
            )
    few = there[:_FEW] if wanted is None else wanted
    return [name for name in there if name in {*_ALWAYS, *few}]


def _by_topic(life: Life) -> dict[str, int]:
    if "topic" not in life.memories:
        return {}
    counts = life.memories["topic"].value_counts()
    return {str(topic): int(count) for topic, count in counts.items() if count}


def _newest(frame: pd.DataFrame, count: int) -> list[dict[str, Any]]:
    return rows_of(frame.iloc[::-1].head(count))
