"""Tools that compare runs or query their tables."""

from functools import cached_property
from typing import Annotated

from pydantic import Field

from memopolis.analysis.compare.divergence import find_divergence
from memopolis.analysis.sql.query import query
from memopolis.analysis.sql.query_process import QueryLimits, QueryWorker
from memopolis.mcp_server.answers import Compared
from memopolis.mcp_server.arguments import Limit, Offset
from memopolis.mcp_server.open_runs import Tools, note_of
from memopolis.mcp_server.paging import MOST_ROWS, Page, page_of, plain
from memopolis.sim.recording.schema import SWEEP_RUNS, TABLES, wide_columns
from memopolis.sim.sweep.saved_design import DESIGN

LIMITS = QueryLimits(seconds=60.0, memory=4.0, answer=50.0)  # limits of an SQL query
_MOST_SETTINGS = 200
_WIDE = wide_columns([*TABLES.values(), SWEEP_RUNS])


class AcrossTools(Tools):
    """Tools that look across runs and their tables."""

    @cached_property
    def _worker(self) -> QueryWorker:
        """Answers one query at a time, so that each may use all the memory of `LIMITS`."""
        return QueryWorker(LIMITS)

    def compare_runs(
        self,
        *,
        a: Annotated[str, Field(description="Name of a run, such as the control")],
        b: Annotated[str, Field(description="Name of another run, such as the treatment")],
        groups: Annotated[
            bool, Field(description="Whether to include the outcomes of every group")
        ] = False,
    ) -> Compared:
        """Compare two runs: settings, where they diverge, and results.

        Both must have the same start and length of a step, such as a run and its
        fork, or two arms of a comparison with one seed.
        """
        folder = self._runs.folder
        runs = self._runs.run(a), self._runs.run(b)
        divergence = find_divergence(*runs)
        ends = divergence.ends
        if not groups:
            ends = ends[ends["group"] == ""]
        differ = list(divergence.settings.items())[:_MOST_SETTINGS]
        return Compared.of(
            a=folder.name_of(a),
            b=folder.name_of(b),
            same=divergence.same,
            steps=divergence.ticks,
            diverges_at_step=divergence.tick,
            diverges_at=divergence.time,
            settings={key: [plain(of_a), plain(of_b)] for key, (of_a, of_b) in differ},
            tables=divergence.table,
            outcomes=ends.head(MOST_ROWS),
            note="; ".join(dict.fromkeys(filter(None, map(note_of, runs)))),
        )

    def query_sql(
        self,
        *,
        sql: Annotated[
            str, Field(min_length=1, max_length=10_000, description="One query: SELECT ...")
        ],
        run: Annotated[str, Field(description="Name of a run or a sweep")] = "",
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> Page:
        """Query the tables of a run, or of all runs of a sweep, with DuckDB's SQL (read-only).

        Every table of describe_run is a view of that name, such as
        `select tick, count(*) from memories group by tick`. In a sweep each has a column `run`,
        and the view `runs` has the factors and outcomes of each run. Texts of memories and
        decisions refer to the view `texts` (hash, text). Answers have hashes and seeds as texts,
        which SQL compares with numbers. Order the rows to page through them.
        """
        folder = self._runs.folder
        place = folder.tables_of(run)
        asked = None if (place / DESIGN).is_file() else self._runs.run(run)
        note = "" if asked is None else note_of(asked)
        step = asked.ticks if asked is not None and note else None
        frame = query(place, sql, first=offset, most=limit + 1, step=step, worker=self._worker)
        # One extra row shows whether more follow; they are not counted.
        total = offset + len(frame)
        return page_of(frame, offset=offset, limit=limit, total=total, note=note, wide=_WIDE)
