"""Charts as they grow: empty at first, a dot after a step, then lines."""

import numpy as np
import pytest

from memopolis.analysis import Run
from memopolis.analysis.figures.charts import chart, chart_in_words, titles
from memopolis.analysis.figures.small_groups import LEAST, drop_small
from memopolis.analysis.figures.style import as_png
from memopolis.sim.errors import UnknownNameError

TITLE = "Evacuated share"


def test_axes_are_empty_before_the_first_step(stormy: Run) -> None:
    run = stormy.until(0)
    assert titles(run) == titles(stormy)
    for title in titles(run):
        figure = chart(run, title)
        assert not figure.axes[0].lines
        assert [text.get_text() for text in figure.axes[0].texts] == ["no data yet"]
        assert as_png(figure).startswith(b"\x89PNG")
    assert chart_in_words(run, TITLE).endswith("no data yet.")


def test_a_single_value_is_a_dot(stormy: Run) -> None:
    figure = chart(stormy.until(1), TITLE)
    assert {line.get_marker() for line in figure.axes[0].lines} == {"o"}
    assert as_png(figure).startswith(b"\x89PNG")


def test_lines_end_at_the_current_step(stormy: Run) -> None:
    run = stormy.until(200)
    drawn = [np.asarray(line.get_ydata()) for line in chart(run, TITLE).axes[0].lines]
    lines = [values for values in drawn if len(values) > 2]
    people = run.first_rows("citizen")["order_zone"].value_counts()
    every = [group for group in run.groups("evacuated_share") if group]
    groups = [group for group in every if people[group] >= LEAST]
    # The few people without an order are no line.
    assert 0 < len(groups) < len(every)
    assert len(lines) == len(groups)
    for line, group in zip(lines, groups, strict=True):
        assert line.tolist() == run.measure("evacuated_share", group).tolist()
    last = run.measure("evacuated_share", "mandatory").iloc[-1]
    assert f"mandatory 0% initially, now {last:.0%}" in chart_in_words(run, TITLE)


def test_groups_of_an_attribute_that_is_not_recorded_are_all_drawn(stormy: Run) -> None:
    groups = ["mandatory", "none"]
    assert drop_small(stormy, "citizen", "", groups) == groups
    assert drop_small(stormy, "citizen", "weather", groups) == groups
    assert drop_small(stormy, "citizen", "order_zone", ["none"]) == ["none"]


def test_an_unknown_chart_is_refused(stormy: Run) -> None:
    with pytest.raises(UnknownNameError, match="no chart 'Weather'; the run's measures declare"):
        chart(stormy, "Weather")
