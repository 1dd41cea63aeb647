"""Tools that look across a run, or lay two beside each other."""

from functools import cached_property
from typing import Annotated

from pydantic import Field

from memopolis.analysis.compare.divergence import find_divergence
from memopolis.analysis.sql.query import query
from memopolis.analysis.sql.query_process import QueryLimits, QueryWorker
from memopolis.mcp_server.answers import Compared
from memopolis.mcp_server.arguments import Limit, Offset
from memopolis.mcp_server.open_runs import OpenRuns, note_of
from memopolis.mcp_server.paging import MOST_ROWS, Page, page_of, plain, rows_of
from memopolis.sim.sweep.design_kept import DESIGN

LIMITS = QueryLimits(seconds=60.0, memory=4.0, answer=50.0)
"""What a question in SQL may take."""
_MOST_SETTINGS = 200


class AcrossTools:
    """Tools that look across runs and their tables.

    Args:
        runs: What is read.
    """

    def __init__(self, runs: OpenRuns) -> None:
        self._runs = runs

    @cached_property
    def _worker(self) -> QueryWorker:
        """Answers one question at a time, so that each may take all the memory of `LIMITS`."""
        return QueryWorker(LIMITS)

    def compare_runs(
        self,
        *,
        a: Annotated[str, Field(description="Name of a run, such as the control")],
        b: Annotated[str, Field(description="Name of another run, such as the treatment")],
        groups: Annotated[
            bool, Field(description="Whether outcomes are told for every group, too")
        ] = False,
    ) -> Compared:
        """Lay two runs beside each other: settings, where they diverge, and what they came to.

        Both must begin at the same time and have steps of the same length, such as a run and its
        fork, or two arms of a comparison with one seed.
        """
        folder = self._runs.folder
        runs = self._runs.run(a), self._runs.run(b)
        divergence = find_divergence(*runs, examples=0)
        ends = divergence.ends
        if not groups:
            ends = ends[ends["group"] == ""]
        differ = list(divergence.settings.items())[:_MOST_SETTINGS]
        return Compared(
            a=folder.name_of(a),
            b=folder.name_of(b),
            same=divergence.same,
            steps=divergence.ticks,
            diverges_at_step=divergence.tick,
            diverges_at=plain(divergence.time),
            first_different_decision=divergence.decision_tick,
            settings={key: [plain(of_a), plain(of_b)] for key, (of_a, of_b) in differ},
            tables=rows_of(divergence.table),
            outcomes=rows_of(ends.head(MOST_ROWS)),
            note="; ".join(dict.fromkeys(filter(None, map(note_of, runs)))),
        )

    def query_sql(
        self,
        *,
        sql: Annotated[
            str, Field(min_length=1, max_length=10_000, description="One question: SELECT ...")
        ],
        run: Annotated[str, Field(description="Name of a run or a sweep")] = "",
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> Page:
        """Ask the tables of a run, or of all runs of a sweep, in DuckDB's SQL; it only reads.

        Every table of describe_run is a view of its name, such as
        `select tick, count(*) from memories group by tick`. In a sweep each has a column `run`,
        and the view `runs` tells factors and outcomes of each run. Texts of memories and decisions
        are numbers of the view `texts` (hash, text). Order the rows to page through them.
        """
        folder = self._runs.folder
        place = folder.tables_of(run)
        asked = None if (place / DESIGN).is_file() else self._runs.run(run)
        note = "" if asked is None else note_of(asked)
        step = asked.ticks if asked is not None and note else None
        found = query(place, sql, first=offset, most=limit + 1, step=step, worker=self._worker)
        # One row more than wanted says whether others follow; how many, nobody counts.
        total = offset + len(found)
        return page_of(found, offset=offset, limit=limit, total=total, note=note)
