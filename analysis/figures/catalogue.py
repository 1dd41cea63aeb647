"""List the figures of a report, each drawn for runs that recorded the tables it needs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from memopolis.analysis.figures import charts, economy, evacuation, network_now, opinions, zones_now
from memopolis.analysis.run.run import Run

type Draw = Callable[[Run], Figure]


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the report and the tables it needs."""

    draw: Draw  # draws the figure of a run
    caption: str  # caption below it
    measures: tuple[str, ...] = ()  # measures that the run must have
    # Columns that the run must have, by table, separated by spaces
    columns: Mapping[str, str] = field(default_factory=dict)
    replaces: tuple[str, ...] = ()  # measures whose own charts it replaces

    def is_available(self, run: Run) -> bool:
        """Check whether a run has the tables that the figure needs."""
        return run.measured.issuperset(self.measures) and all(
            run.has(table, *columns.split()) for table, columns in self.columns.items()
        )


_PEOPLE = "tick agent party attitude.gun_control"

FIGURES: tuple[ReportFigure, ...] = (
    # An evacuation
    ReportFigure(
        evacuation.evacuated_share,
        "Evacuated share by order zone and hour",
        ("evacuated_share",),
        replaces=("evacuated_share",),
    ),
    ReportFigure(
        evacuation.departures,
        "Departures over time and by hour of the day",
        ("departures", "evacuated_share"),
        replaces=("departures",),
    ),
    ReportFigure(
        evacuation.roads_out,
        "Vehicles on the way out of the region, and vehicles that have left, by road",
        ("vehicles_on_the_road", "vehicles_cleared"),
    ),
    # Opinions
    ReportFigure(
        opinions.opinion_paths,
        "Opinions of individual citizens, with the mean of each party",
        columns={"agents_citizen": _PEOPLE},
    ),
    ReportFigure(
        opinions.opinion_distributions,
        "Opinions by party at the start, in the middle and at the end",
        columns={"agents_citizen": _PEOPLE},
    ),
    ReportFigure(
        network_now.opinion_network,
        "Friends, coloured by opinion",
        columns={"agents_citizen": _PEOPLE, "ties": "source target"},
    ),
    ReportFigure(
        opinions.exposure,
        "Messages read, by side of the author",
        columns={"agents_citizen": "tick read read_like read_cross"},
        replaces=("ei_exposure", "ei_follows", "ei_friends"),
    ),
    # A monetary economy
    ReportFigure(
        economy.income_by_quintile,
        "Disposable income by quintile",
        columns={"agents_household": "tick quintile disposable"},
        replaces=("disposable_by_quintile",),
    ),
    ReportFigure(
        economy.consumption_by_quintile,
        "Consumption by quintile",
        columns={"agents_household": "tick quintile consumption"},
        replaces=("consumption_by_quintile",),
    ),
    ReportFigure(
        economy.hours_by_quintile,
        "Hours worked by quintile",
        columns={"agents_citizen": "tick quintile hours age"},
    ),
    ReportFigure(
        economy.prices_and_wages,
        "Prices and wages",
        columns={"agents_statistics_bureau": "tick price_level wage"},
        replaces=("price_level", "wage"),
    ),
    ReportFigure(
        economy.inequality,
        "Inequality of income",
        columns={"agents_statistics_bureau": "tick gini"},
        replaces=("gini", "poverty"),
    ),
    ReportFigure(
        economy.labour_market,
        "Labour market",
        columns={"agents_statistics_bureau": "tick unemployment vacancies participation"},
        replaces=("unemployment", "vacancies", "participation"),
    ),
    ReportFigure(
        economy.account,
        "Government revenue and spending",
        columns={"agents_government": "tick income_tax payroll_tax basic_income purchases debt"},
        replaces=(
            "government_revenue",
            "government_benefits",
            "government_basic_income",
            "government_purchases",
            "government_deficit",
            "government_debt",
        ),
    ),
    ReportFigure(
        economy.wellbeing,
        "Wellbeing",
        columns={"agents_statistics_bureau": "tick depression life_satisfaction"},
        replaces=("depression", "life_satisfaction"),
    ),
)
"""Figures in the order in which a report shows them."""

LAST_FIGURES: tuple[ReportFigure, ...] = (
    ReportFigure(
        zones_now.place_map, "Map of the place", columns={"zones": "number zone lat lon label"}
    ),
    ReportFigure(
        evacuation.evacuated_by_zone,
        "Evacuated share by zone",
        columns={"agents_citizen": "tick home evacuated", "zones": "population lon lat label"},
    ),
)
"""Figures shown after the charts of the declared measures."""


def draw_figures(run: Run, paired: Run | None = None) -> Iterator[tuple[Figure, str]]:
    """Draw every figure that a run, or a run and its paired run, has the tables for.

    Yields figures with their captions: listed figures, then charts of declared measures.
    """
    available = [one for one in FIGURES if one.is_available(run)]
    for one in available:
        yield one.draw(run), one.caption
    if paired is not None and run.measured.issuperset(("trips", "store_visits")):
        yield evacuation.trips_and_visits(run, paired), "Trips and visits against the paired run"
    drawn = frozenset[str]().union(*(one.replaces for one in available))
    for title, measures in charts.declared(run).items():
        if not {measure["name"] for measure in measures} <= drawn:
            yield charts.chart(run, title), title
    for one in LAST_FIGURES:
        if one.is_available(run):
            yield one.draw(run), one.caption
