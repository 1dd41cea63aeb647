"""The tabs of the page and their panels, without those a scenario has no data for."""

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
"""Builds a panel for a visitor."""


@dataclass(frozen=True)
class Tab:
    """A tab of the page.

    Attributes:
        name: Name for `Viewer.show`.
        label: Label of the tab.
        panels: Its panels, from top to bottom.
    """

    name: str
    label: str
    panels: tuple[Panel, ...]


def tabs_of(viewer: Viewer) -> list[Tab]:
    """Return the tabs for a watch."""
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
