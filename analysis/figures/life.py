"""Draw one life: needs, emotions and attitudes over time."""

from typing import Literal

import pandas as pd
from matplotlib.figure import Figure

from memopolis.analysis.figures.lines import Panel, days_of, looks_of
from memopolis.analysis.figures.over_time import draw_over_time
from memopolis.analysis.run.run import Run

type Kind = Literal["needs", "emotions", "attitudes"]

_PREFIXES = {"emotions": "emotion.", "attitudes": "attitude."}
_SUBTITLES = {
    "needs": "Satisfaction, from 0 (not at all) to 1 (fully)",
    "emotions": "Intensity, from 0 to 10",
    "attitudes": "Rating, from 0 (oppose) to 10 (support)",
}
_FEW = 40  # maximum number of records that are also drawn as dots


def labels_of(run: Run, population: str, kind: Kind) -> dict[str, str]:
    """Return the recorded needs, emotions or attitudes of a population: labels by attribute."""
    declared, prefix = run.attributes(population), _PREFIXES.get(kind, "")
    names = [
        name
        for name, facts in declared.items()
        if (name.startswith(prefix) if prefix else facts.get("role") == "need")
    ]
    return {name: name.removeprefix(prefix).replace("_", " ") for name in names}


def life_over_time(run: Run, agent: int, kind: Kind) -> Figure:
    """Draw the needs, emotions or attitudes of an agent, given by unique_id, over time."""
    rows = _rows(run, agent, kind).dropna(how="all")
    series = {str(name): rows[name] for name in rows}
    high = 1.0 if kind == "needs" else 10.0
    panel = Panel(series, limits=(-0.03 * high, 1.03 * high))
    title = f"{kind.capitalize()} over time"
    figure = draw_over_time(run, title, _SUBTITLES[kind], panel, height=2.6)
    if len(rows) <= _FEW:
        for name, look in looks_of(list(series)).items():
            figure.axes[0].plot(days_of(rows.index), rows[name], "o", color=look.colour, ms=3)
    return figure


def latest_values(run: Run, agent: int, kind: Kind) -> pd.Series:
    """Return the latest needs, emotions or attitudes of an agent by label, if recorded."""
    rows = _rows(run, agent, kind)
    return rows.iloc[-1].dropna() if len(rows) else pd.Series(dtype=float)


def _rows(run: Run, agent: int, kind: Kind) -> pd.DataFrame:
    rows, labels = run.agent_rows(agent), labels_of(run, run.population_of(agent), kind)
    recorded = [name for name in labels if name in rows]
    return rows.set_index("time")[recorded].rename(columns=labels).astype(float)
