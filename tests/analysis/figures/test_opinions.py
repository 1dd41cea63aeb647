"""Figures of opinions: what is drawn is what the tables say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.analysis import Run
from memopolis.analysis.figures import network_now, opinions
from memopolis.analysis.figures.style import as_png
from memopolis.sim.errors import UnknownNameError


def heights(line: Any) -> list[float]:
    return [float(y) for y in line.get_ydata()]


def test_thick_lines_are_party_means(opinionated: Run) -> None:
    (axes,) = opinions.opinion_paths(opinionated).axes
    people = opinionated.agents
    mean = people.groupby(["party", "tick"], observed=True)["attitude.gun_control"].mean()
    drawn = [heights(line) for line in axes.lines[1::2]]
    for line, party in zip(drawn, ("Democrat", "Independent", "Republican"), strict=True):
        assert line == pytest.approx(list(mean[party]), rel=1e-5)
    assert axes.get_ylim() == (-0.2, 10.2)


def test_a_sample_of_paths_is_drawn(opinionated: Run) -> None:
    (axes,) = opinions.opinion_paths(opinionated).axes
    assert [len(paths.get_segments()) for paths in axes.collections] == [60, 40, 60]  # type: ignore[attr-defined]


def test_distributions_at_start_middle_and_end(opinionated: Run) -> None:
    figure = opinions.opinion_distributions(opinionated)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "end of 01 Jan 2026",
        "end of 16 Jan 2026",
        "end of 30 Jan 2026",
    ]
    first = figure.axes[0].patches[1].get_data()  # type: ignore[attr-defined]
    assert first.values.sum() == pytest.approx(1)
    assert len(first.edges) == 21


def test_bands_by_arm_cover_the_central_citizens(opinionated: Run) -> None:
    figure = opinions.distributions_by_arm({"control": [opinionated], "echo": [opinionated] * 2})
    control, echo = figure.axes
    held = opinionated.agents.query("party == 'Democrat'").groupby("tick")["attitude.gun_control"]
    assert heights(control.lines[0]) == pytest.approx(list(held.median()), rel=1e-5)
    quarters = [held.quantile(share) for share in (0.25, 0.75)]
    for edge, quarter in zip(control.lines[1:3], quarters, strict=True):
        assert heights(edge) == pytest.approx(list(quarter), rel=1e-5)
    (named,) = figure.legends
    assert [text.get_text() for text in named.get_texts()] == [
        "Democrat",
        "Independent",
        "Republican",
    ]
    # The same run twice has the same median.
    assert heights(echo.lines[0]) == heights(control.lines[0])
    assert [axes.get_title(loc="left") for axes in (control, echo)] == ["control", "echo"]


def test_an_unrecorded_attitude_is_reported(opinionated: Run) -> None:
    with pytest.raises(UnknownNameError, match=r"no column 'attitude\.taxes'"):
        opinions.opinion_paths(opinionated, "taxes")


def test_the_network_shows_each_agent_once(opinionated: Run) -> None:
    figure = network_now.opinion_network(opinionated)
    start, end = figure.axes[:2]
    dots = [[np.asarray(c.get_offsets()) for c in axes.collections[1:]] for axes in (start, end)]
    assert sum(len(party) for party in dots[0]) == 200
    for before, after in zip(*dots, strict=True):
        assert (before == after).all()


@pytest.mark.parametrize("draw", [network_now.opinion_network, opinions.opinion_paths])
def test_the_same_run_gives_the_same_figure(draw: Callable[[Run], Any], opinionated: Run) -> None:
    assert as_png(draw(opinionated)) == as_png(draw(opinionated))


def test_exposure_sums_to_messages_read(opinionated: Run) -> None:
    parts, index = opinions.exposure(opinionated).axes
    seen = opinionated.agents.groupby("tick")[["read", "read_like", "read_cross"]].sum()
    tops = [heights(line) for line in parts.lines]
    assert tops[0] == pytest.approx(list(seen["read_like"] / seen["read"]))
    assert tops[2] == pytest.approx([1.0] * 30)
    ei = (seen["read_cross"] - seen["read_like"]) / (seen["read_cross"] + seen["read_like"])
    assert heights(index.lines[0]) == pytest.approx(list(ei))
