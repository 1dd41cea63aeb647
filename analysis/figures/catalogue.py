"""List the figures of a report, each drawn for runs that recorded the tables it needs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memopolis.analysis.figures import (
    charts,
    economy,
    evacuation,
    friends,
    opinions,
    wellbeing,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memopolis.analysis.run.run import Run

type Draw = Callable[["Run"], "Figure"]


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the report and the tables it needs.

    Attributes:
        draw: Draws the figure of a run.
        caption: Caption below it.
        measures: Names of measures that the run must have.
        columns: Columns that a table of the run must have, by table.
        replaces: Measures whose own charts it replaces.
    """

    draw: Draw
    caption: str
    measures: frozenset[str] = frozenset()
    columns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    replaces: frozenset[str] = frozenset()

    def is_available(self, run: "Run") -> bool:
        """Check whether a run has the tables that the figure needs."""
        return self.measures <= run.measured and all(
            run.has(table, *needed) for table, needed in self.columns.items()
        )


def _needs(**tables: str) -> dict[str, frozenset[str]]:
    """Return columns by table, from words."""
    return {table: frozenset(columns.split()) for table, columns in tables.items()}


_PEOPLE = "tick agent party attitude.gun_control"

FIGURES: tuple[ReportFigure, ...] = (
    # An evacuation
    ReportFigure(
        evacuation.evacuated_share,
        "Evacuated share by order zone and hour",
        frozenset({"evacuated_share"}),
        replaces=frozenset({"evacuated_share"}),
    ),
    ReportFigure(
        evacuation.departures,
        "Departures over time and by hour of the day",
        frozenset({"departures", "evacuated_share"}),
        replaces=frozenset({"departures"}),
    ),
    # Opinions
    ReportFigure(
        opinions.opinion_paths,
        "Opinions of individual citizens, with the mean of each party",
        columns=_needs(agents_citizen=_PEOPLE),
    ),
    ReportFigure(
        opinions.opinion_distributions,
        "Opinions by party at the start, in the middle and at the end",
        columns=_needs(agents_citizen=_PEOPLE),
    ),
    ReportFigure(
        friends.opinion_network,
        "Friends, coloured by opinion",
        columns=_needs(agents_citizen=_PEOPLE, ties="source target"),
    ),
    ReportFigure(
        friends.exposure,
        "Messages read, by side of the author",
        columns=_needs(agents_citizen="tick read read_like read_cross"),
        replaces=frozenset({"ei_exposure", "ei_follows", "ei_friends"}),
    ),
    # A monetary economy
    ReportFigure(
        economy.income_by_quintile,
        "Disposable income by quintile",
        columns=_needs(agents_household="tick quintile disposable"),
        replaces=frozenset({"disposable_by_quintile"}),
    ),
    ReportFigure(
        economy.consumption_by_quintile,
        "Consumption by quintile",
        columns=_needs(agents_household="tick quintile consumption"),
        replaces=frozenset({"consumption_by_quintile"}),
    ),
    ReportFigure(
        economy.hours_by_quintile,
        "Hours worked by quintile",
        columns=_needs(agents_citizen="tick quintile hours age"),
    ),
    ReportFigure(
        economy.prices_and_wages,
        "Prices and wages",
        columns=_needs(agents_statistics_bureau="tick price_level wage"),
        replaces=frozenset({"price_level", "wage"}),
    ),
    ReportFigure(
        economy.inequality,
        "Inequality of income",
        columns=_needs(agents_statistics_bureau="tick gini"),
        replaces=frozenset({"gini", "poverty"}),
    ),
    ReportFigure(
        wellbeing.labour_market,
        "Labour market",
        columns=_needs(agents_statistics_bureau="tick unemployment vacancies participation"),
        replaces=frozenset({"unemployment", "vacancies", "participation"}),
    ),
    ReportFigure(
        economy.account,
        "Government revenue and spending",
        columns=_needs(agents_government="tick income_tax payroll_tax basic_income purchases debt"),
        replaces=frozenset(
            {
                "government_revenue",
                "government_benefits",
                "government_basic_income",
                "government_purchases",
                "government_deficit",
                "government_debt",
            }
        ),
    ),
    ReportFigure(
        wellbeing.wellbeing,
        "Wellbeing",
        columns=_needs(agents_statistics_bureau="tick depression life_satisfaction"),
        replaces=frozenset({"depression", "life_satisfaction"}),
    ),
)
"""Figures in the order in which a report shows them."""

PAIRED_FIGURES: tuple[tuple[frozenset[str], "Callable[[Run, Run], Figure]", str], ...] = (
    (
        frozenset({"trips", "store_visits"}),
        evacuation.trips_and_visits,
        "Trips and visits against the paired run",
    ),
)
"""Figures of a run and its paired run: measures needed, function, caption."""

LAST_FIGURES: tuple[ReportFigure, ...] = (
    ReportFigure(
        evacuation.evacuated_by_zone,
        "Evacuated share by zone",
        columns=_needs(agents_citizen="tick home evacuated", zones="population lon lat label"),
    ),
)
"""Figures shown after the charts of the declared measures."""


def draw_figures(run: "Run", paired: "Run | None" = None) -> "Iterator[tuple[Figure, str]]":
    """Draw every figure that a run has the tables for.

    Args:
        run: A run.
        paired: Its paired run, if there is one.

    Yields:
        Figures with their captions: listed figures, then charts of declared measures.
    """
    available = [one for one in FIGURES if one.is_available(run)]
    for one in available:
        yield one.draw(run), one.caption
    if paired is not None:
        for needed, draw, caption in PAIRED_FIGURES:
            if needed <= run.measured:
                yield draw(run, paired), caption
    drawn = frozenset[str]().union(*(one.replaces for one in available))
    for title, measures in charts.declared(run).items():
        if not {measure["name"] for measure in measures} <= drawn:
            yield charts.chart(run, title), title
    for one in LAST_FIGURES:
        if one.is_available(run):
            yield one.draw(run), one.caption
