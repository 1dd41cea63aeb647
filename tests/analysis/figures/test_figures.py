import numpy as np
import pandas as pd
from scipy.stats import beta

from memopolis.analysis import Run
from memopolis.analysis.figures import charts, evacuation
from memopolis.analysis.figures.lines import days_of, label_ends
from memopolis.analysis.figures.small_groups import LEAST, drop_small
from memopolis.analysis.figures.style import as_png, canvas, look
from memopolis.analysis.figures.zones_now import zones_now


def test_every_declared_chart_is_drawn(stormy: Run) -> None:
    titles = charts.declared(stormy)
    assert {"Emotions", "Attitudes", "Evacuated share"} <= set(titles)
    for title in titles:
        assert as_png(charts.chart(stormy, title)).startswith(b"\x89PNG")


def test_figures_of_the_evacuation(stormy: Run, calm: Run) -> None:
    for figure in (
        evacuation.evacuated_share(stormy),
        evacuation.departures(stormy),
        evacuation.trips_and_visits(stormy, calm),
        zones_now(stormy, "evacuated"),
    ):
        assert len(as_png(figure)) > 10_000


def test_departures_are_shown_with_the_population(stormy: Run) -> None:
    (axes,) = evacuation.evacuated_share(stormy).axes
    living = stormy.first_rows("citizen")["order_zone"].value_counts()
    lines = {text.get_text() for text in axes.texts}
    # A single line needs no label, and the few people without an order are no line.
    assert living["none"] < LEAST
    assert not any("order (" in line for line in lines)


def test_the_interval_of_a_share_depends_on_the_number_of_households() -> None:
    shares = pd.Series([0.0, 0.5, 1.0], pd.date_range("2019-09-01", periods=3))
    few, many = evacuation.bound_shares(shares, 10), evacuation.bound_shares(shares, 1_000)
    half = beta(5.5, 5.5)
    np.testing.assert_allclose(few.iloc[1], half.ppf([0.025, 0.975]))
    assert few["low"].iloc[0] == 0
    assert few["high"].iloc[2] == 1
    assert (many["high"] - many["low"] < few["high"] - few["low"]).all()


def test_the_evacuated_share_is_within_its_interval(stormy: Run) -> None:
    (axes,) = evacuation.evacuated_share(stormy).axes
    areas = [area.get_datalim(axes.transData) for area in axes.collections]
    groups = [group for group in stormy.groups("evacuated_share") if group]
    assert len(areas) == len(drop_small(stormy, "citizen", "order_zone", groups))
    values = [np.asarray(line.get_ydata()) for line in axes.lines]
    last = [float(one[-1]) for one in values if len(one) > 2]
    assert any(area.y0 <= value <= area.y1 for area in areas for value in last)


def test_the_same_run_gives_the_same_figure(stormy: Run) -> None:
    assert as_png(evacuation.departures(stormy)) == as_png(evacuation.departures(stormy))


def test_dates_become_days_since_1970() -> None:
    assert days_of(pd.DatetimeIndex(["1970-01-02 12:00"])).tolist() == [1.5]


def test_labels_of_lines_do_not_overlap() -> None:
    figure, (axes,) = canvas("Lines")
    axes.set_ylim(0, 1)
    label_ends(axes, [(0.5, "one", look(0)), (0.5, "two", look(1)), (0.51, "three", look(2))])
    places = sorted(text.xy[1] for text in axes.texts)  # type: ignore[attr-defined]
    inches = axes.get_position().height * figure.get_figheight()
    assert np.diff(places).min() * inches >= 0.2 - 1e-6
