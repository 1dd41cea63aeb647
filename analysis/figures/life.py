"""Figures of one life: needs, emotions and attitudes over time."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import days_of, looks_of
from memopolis.analysis.figures.over_time import Panel, draw_over_time

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

_EMOTION, _ATTITUDE = "emotion.", "attitude."
_FEW = 40
"""Maximum number of records that are also drawn as dots."""


def needs(run: "Run", population: str) -> dict[str, str]:
    """Return the recorded needs of a population: labels by attribute.

    Args:
        run: A run.
        population: Its name.
    """
    declared = run.attributes(population)
    names = [name for name, facts in declared.items() if facts.get("role") == "need"]
    return {name: name.replace("_", " ") for name in names}


def emotions(run: "Run", population: str) -> dict[str, str]:
    """Return the recorded emotions of a population: labels by attribute."""
    return _group(run, population, _EMOTION)


def attitudes(run: "Run", population: str) -> dict[str, str]:
    """Return the recorded attitudes of a population: labels by attribute."""
    return _group(run, population, _ATTITUDE)


def needs_over_time(run: "Run", agent: int) -> Figure:
    """Draw the satisfaction of an agent's needs over time.

    Args:
        run: A run at a moment.
        agent: unique_id of the agent.

    Raises:
        UnknownNameError: If no agent has that unique_id.
    """
    names = needs(run, run.population_of(agent))
    subtitle = "satisfaction, from 0 (not at all) to 1 (fully)"
    return _over_time(run, agent, names, "Needs over time", subtitle, high=1)


def emotions_over_time(run: "Run", agent: int) -> Figure:
    """Draw the intensity of an agent's emotions over time.

    Args:
        run: A run at a moment.
        agent: unique_id of the agent.

    Raises:
        UnknownNameError: If no agent has that unique_id.
    """
    names = emotions(run, run.population_of(agent))
    return _over_time(run, agent, names, "Emotions over time", "intensity, from 0 to 10", high=10)


def attitudes_over_time(run: "Run", agent: int) -> Figure:
    """Draw an agent's attitudes over time.

    Args:
        run: A run at a moment.
        agent: unique_id of the agent.

    Raises:
        UnknownNameError: If no agent has that unique_id.
    """
    names = attitudes(run, run.population_of(agent))
    subtitle = "rating, from 0 (oppose) to 10 (support)"
    return _over_time(run, agent, names, "Attitudes over time", subtitle, high=10)


def latest(run: "Run", agent: int, names: Mapping[str, str]) -> pd.Series:
    """Return the latest recorded values of some attributes of an agent, by label.

    Args:
        run: A run at a moment.
        agent: unique_id.
        names: Names in words by attribute.

    Returns:
        Without those that were not recorded yet.
    """
    rows = _rows(run, agent, names)
    return rows.iloc[-1].dropna() if len(rows) else pd.Series(dtype=float)


def _rows(run: "Run", agent: int, names: Mapping[str, str]) -> pd.DataFrame:
    rows = run.agent_rows(agent)
    recorded = [name for name in names if name in rows]
    return rows.set_index("time")[recorded].rename(columns=dict(names)).astype(float)


def _over_time(
    run: "Run",
    agent: int,
    names: Mapping[str, str],
    title: str,
    subtitle: str,
    *,
    high: float,
) -> Figure:
    rows = _rows(run, agent, names).dropna(how="all")
    series = {str(name): rows[name] for name in rows}
    panel = Panel(series, limits=(-0.03 * high, 1.03 * high))
    figure = draw_over_time(run, title, subtitle, panel, height=2.6)
    if 1 < len(rows) <= _FEW:
        for name, look in looks_of(list(series)).items():
            figure.axes[0].plot(days_of(rows.index), rows[name], "o", color=look.colour, ms=3)
    return figure


def _group(run: "Run", population: str, group: str) -> dict[str, str]:
    declared = run.attributes(population)
    members = [name for name in declared if name.startswith(group)]
    return {name: name.removeprefix(group).replace("_", " ") for name in members}
