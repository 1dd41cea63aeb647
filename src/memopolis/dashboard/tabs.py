"""Which tabs a page has, and the panels in each; what a scenario has nothing for is not there."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from nicegui import ui

from memopolis.dashboard.viewer import Viewer

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
    charts = _panel("panels.charts", "charts")
    first = (_panel("panels.place", "place"), charts) if placed else (charts,)
    tabs = [Tab("map", "Map and charts" if placed else "Charts", first)]
    if _tied(viewer):
        tabs.append(Tab("network", "Network", (_panel("panels.network", "network"),)))
    tabs += [
        Tab("citizens", "Citizens", (_panel("panels.citizens", "citizens"),)),
        Tab("citizen", "Citizen", (_panel("life.citizen", "citizen"),)),
    ]
    if viewer.live is not None:
        tabs += [
            Tab("shocks", "Shocks", (_panel("shocks", "shocks"),)),
            Tab("settings", "Settings", (_panel("settings_form", "settings_form"),)),
        ]
    return tabs


def _tied(viewer: Viewer) -> bool:
    """Whether anybody is tied to anybody in what is watched."""
    return any("ties" in run.tables for run in viewer.runs)


def _panel(module: str, name: str) -> Panel:
    # Until all are there.
    try:
        return getattr(importlib.import_module(f"memopolis.dashboard.{module}"), name)
    except Exception as error:
        told = repr(error)
        return lambda viewer: ui.label(f"{name}: {told}") and None
