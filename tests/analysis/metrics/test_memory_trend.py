"""Trends of memories, on small recorded runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis import Run, Settings, Society, load_run, memory_trend
from memopolis.agents.citizen import Citizen
from memopolis.analysis.figures import memories as plots
from memopolis.analysis.figures.style import as_png
from memopolis.analysis.metrics.memory_trend import text_relevance
from memopolis.errors import ParameterError, UnknownNameError
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort


class Remember(Block):
    """On the first day nothing, then every hour bread, and on the third day a storm at noon."""

    def step(self, citizens: Cohort) -> None:
        day, hour = self.clock.day, self.clock.hour
        if day >= 1:
            citizens.memory.stream.add("economy", "I bought bread.", importance=0.2)
        if day == 2 and hour == 12:
            citizens.memory.stream.add("disaster", "The storm broke a window.", importance=1.0)
            citizens.memory.stream.add("economy", "Storm candles were sold out.", importance=0.6)


class Hamlet(Society[Settings]):
    """Four people who remember an earlier storm too."""

    def build(self, settings: Settings) -> None:
        people = self.populate(Citizen, settings.agents)
        people.memory.now = -1000
        people.memory.stream.add("disaster", "There was a storm long ago.")
        people.memory.now = 0
        self.give(people, Remember())


@pytest.fixture(scope="module")
def hamlet(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("trend") / "run"
    # A Wednesday, at six in the morning.
    Hamlet(agents=4, rng=1, days=4, start="2026-01-07 06:00").run(folder)
    return load_run(folder)


def test_counts_and_weights_by_day(hamlet: Run) -> None:
    result = memory_trend(hamlet, "storms")
    assert list(result) == ["time", "count", "weight", "memories", "share"]
    days = pd.date_range("2026-01-07", periods=5, freq="D")
    assert result["time"].tolist() == days.tolist()
    # Two texts, four people: importances 1.0 and 0.6.
    assert result["count"].tolist() == [0, 0, 8, 0, 0]
    assert result["weight"].to_numpy() == pytest.approx([0, 0, 6.4, 0, 0], abs=0.02)
    # Nothing on the first day; bread every hour, to six in the morning of the last.
    assert result["memories"].tolist() == [0, 96, 104, 96, 24]
    assert np.isnan(result["share"][0])
    assert result["share"][2] == pytest.approx(8 / 104)


def test_a_trend_can_be_limited_to_a_topic(hamlet: Run) -> None:
    result = memory_trend(hamlet, "storms", topic="economy")
    assert result["count"].sum() == 4
    assert result["memories"].tolist() == [0, 96, 100, 96, 24]
    assert memory_trend(hamlet, "bread", "disaster")["count"].sum() == 0


@pytest.mark.parametrize(("by", "spans"), [("tick", 96), ("hour", 96), ("day", 5), ("week", 1)])
def test_trends_by_hour_day_and_week(hamlet: Run, by: Any, spans: int) -> None:
    result = memory_trend(hamlet, "storm", by=by)
    assert len(result) == spans
    assert result["count"].sum() == 8
    noon = result.loc[result["count"] > 0, "time"].iloc[0]
    expected = {"day": "2026-01-09", "week": "2026-01-05"}.get(by, "2026-01-09 12:00")
    assert noon == pd.Timestamp(expected)


def test_the_threshold_is_the_share_of_query_words(hamlet: Run) -> None:
    shares = text_relevance(hamlet, "storm window")
    shares.index = pd.Index(hamlet.texts[shares.index])
    assert shares["The storm broke a window."] == 1.0
    assert 0.3 <= shares["Storm candles were sold out."] < 1
    assert shares["I bought bread."] == 0
    assert memory_trend(hamlet, "storm window", bar=1.0)["count"].sum() == 4
    everything = memory_trend(hamlet, "storm window", bar=0.0)
    assert everything["count"].tolist() == everything["memories"].tolist()


def test_unused_words_match_nothing(hamlet: Run) -> None:
    for query in ("zebra", ""):
        assert memory_trend(hamlet, query)["count"].sum() == 0


def test_a_storm_is_remembered_when_it_comes(stormy: Run, calm: Run) -> None:
    query = "a hurricane, its wind and flood"
    with_storm, without = (memory_trend(run, query)["count"] for run in (stormy, calm))
    assert with_storm.sum() > 5 * without.sum()
    peak = memory_trend(stormy, query)["time"][int(with_storm.argmax())]
    nearest = pd.Timestamp(stormy.facts["nearest"])
    # Forecasts and reports of them are most frequent before the storm.
    assert pd.Timedelta(days=-1) < nearest - peak < pd.Timedelta(days=6)


def test_wrong_arguments_are_refused(hamlet: Run, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'day'"):
        memory_trend(hamlet, "storm", by="year")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="bar"):
        memory_trend(hamlet, "storm", bar=-1)
    with pytest.raises(UnknownNameError, match="disaster, economy"):
        memory_trend(hamlet, "storm", topic="sport")
    Hamlet(agents=2, rng=1, days=1, record={"tables": ("measures",)}).run(tmp_path / "run")
    with pytest.raises(UnknownNameError, match="memories"):
        memory_trend(load_run(tmp_path / "run"), "storm")


def test_a_trend_is_drawn(hamlet: Run, stormy: Run) -> None:
    figure = plots.trend(stormy, "a hurricane, its wind and flood")
    assert len(as_png(figure)) > 10_000
    assert as_png(plots.trend(hamlet, "bread", "economy", "hour")).startswith(b"\x89PNG")
