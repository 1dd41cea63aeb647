"""List the figures of a report, each drawn for runs that recorded the tables it needs."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

from memopolis.analysis.figures import charts, evacuation
from memopolis.analysis.run.run import Run


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the report and the tables it needs, as declared in `catalogue.toml`."""

    draw: str  # module of this folder and function that draws the figure of a run
    caption: str  # caption below it
    column: str = ""  # second argument of the function, if it has one
    measures: tuple[str, ...] = ()  # measures that the run must have
    # Columns that the run must have, by table, separated by spaces
    columns: Mapping[str, str] = field(default_factory=dict)
    replaces: tuple[str, ...] = ()  # measures whose own charts it replaces
    last: bool = False  # whether it is shown after the charts of the declared measures

    def is_available(self, run: Run) -> bool:
        """Check whether a run has the tables that the figure needs."""
        return run.measured.issuperset(self.measures) and all(
            run.has(table, *columns.split()) for table, columns in self.columns.items()
        )

    def draw_run(self, run: Run) -> Figure:
        """Draw the figure of a run."""
        module, name = self.draw.split(".")
        draw = getattr(import_module(f"memopolis.analysis.figures.{module}"), name)
        figure: Figure = draw(run, *filter(None, (self.column,)))
        return figure


@cache
def read_figures() -> Mapping[str, ReportFigure]:
    """Read the figures by name, in the order in which a report shows them."""
    text = Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8")
    return {name: ReportFigure(**row) for name, row in tomllib.loads(text).items()}


def draw_figures(run: Run, paired: Run | None = None) -> Iterator[tuple[Figure, str]]:
    """Draw every figure that a run, or a run and its paired run, has the tables for.

    Yields figures with their captions: listed figures, then charts of declared measures.
    """
    available = [one for one in read_figures().values() if one.is_available(run)]
    for one in available:
        if not one.last:
            yield one.draw_run(run), one.caption
    if paired is not None and run.measured.issuperset(("trips", "store_visits")):
        yield evacuation.trips_and_visits(run, paired), "Trips and visits against the paired run"
    drawn = frozenset[str]().union(*(one.replaces for one in available))
    for title, measures in charts.declared(run).items():
        if not {measure["name"] for measure in measures} <= drawn:
            yield charts.chart(run, title), title
    for one in available:
        if one.last:
            yield one.draw_run(run), one.caption
