"""Which tabs a page has, and the panels in each; what a scenario has nothing for is not there."""

from collections.abc import Callable
from dataclasses import dataclass

from memopolis.dashboard.life.citizen import citizen
from memopolis.dashboard.panels.charts import charts
from memopolis.dashboard.panels.citizens import citizens
from memopolis.dashboard.panels.network import network
from memopolis.dashboard.panels.place import place
from memopolis.dashboard.settings.form import settings_form
from memopolis.dashboard.shocks.panel import shocks
from memopolis.dashboard.viewer import CITIZEN, Viewer

type Panel = Callable[[Viewer], None]
"""Builds a part of the page for a visitor."""


@dataclass(frozen=True)
class Tab:
    """A tab of the page.

    Attributes:
        name: By which `Viewer.show` finds it.
        label: What is shown.
        panels: What it holds, from top to bottom.
    """

    name: str
    label: str
    panels: tuple[Panel, ...]


def tabs_of(viewer: Viewer) -> list[Tab]:
    """The tabs for what is watched."""
    runs = viewer.runs
    placed = any("zones" in run.tables for run in runs)
    tied = any("ties" in run.tables for run in runs)
    tabs = [Tab("map", "Map and charts", (place, charts)) if placed else _CHARTS]
    tabs += [Tab("network", "Network", (network,))] if tied else []
    tabs += [Tab("citizens", "Citizens", (citizens,)), Tab(CITIZEN, "Citizen", (citizen,))]
    return tabs if viewer.live is None else [*tabs, *_STEERING]


_CHARTS = Tab("map", "Charts", (charts,))
_STEERING = (
    Tab("shocks", "Shocks", (shocks,)),
    Tab("settings", "Settings", (settings_form,)),
)
