"""Figures of a life over time, drawn after all other parts."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nicegui import ui

from memopolis.analysis.figures.life import Kind, labels_of, latest_values, life_over_time
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import error_line, show_line
from memopolis.dashboard.figure import gallery
from memopolis.dashboard.life.components import section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.viewer import line_of

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer


class Curve:
    """A figure of one citizen in one run.

    Args:
        key: needs, emotions or attitudes.
        number: Number of the run, from 1.
    """

    def __init__(self, key: Kind, number: int) -> None:
        self._key = key
        with ui.element("figure").classes("figure") as self._frame:
            self._frame.props(f"data-testid=figure-{key}-{number}")
            self._image = ui.element("img").props(f"data-testid=image-{key}-{number} alt=''")
            self._line = error_line()
        self._frame.set_visibility(False)
        self._requested: OpenedAgent | None = None

    async def show(self, opened: OpenedAgent) -> None:
        """Draw the life, unless another one is chosen before its turn."""
        self._requested = opened
        life = opened.life
        has_values = life is not None and bool(labels_of(opened.run, life.population, self._key))
        self._frame.set_visibility(has_values)
        if not has_values:
            return
        agent = opened.agent
        try:
            drawn = await gallery.drawn(
                lambda: opened.run if self._requested is opened else None,
                f"life-{self._key}-{agent}",
                lambda run: life_over_time(run, agent, self._key),
                lambda run: self._alt(run, opened),
            )
        except Exception as error:  # noqa: BLE001 - shown in place of the figure
            show_line(self._line, line_of(error))
            return
        if drawn is not None and self._requested is opened:
            show_line(self._line, "")
            self._image.props["src"], self._image.props["alt"] = drawn.address, drawn.alt
            self._image.props["data-agent"] = agent
            self._image.props["data-step"] = opened.run.ticks
            self._image.update()

    def _alt(self, run: Run, opened: OpenedAgent) -> str:
        now = latest_values(run, opened.agent, self._key)
        values = ", ".join(f"{name} {value:.2g}" for name, value in now.items())
        name = harmless(opened.required_life.name)
        return f"{self._key.capitalize()} of {name} over time; now {values or 'nothing recorded'}"


class Curves:
    """Needs and emotions over time, in each run."""

    def __init__(self, viewer: "Viewer") -> None:
        with section("Needs and emotions over time", "over-time"):
            self._none = ui.label("No needs or emotions were recorded for this citizen.").classes(
                "quiet"
            )
            self._sides = side_by_side(viewer, _build_curves)

    async def show(self, opened: Sequence[OpenedAgent], is_current: Callable[[], bool]) -> None:
        """Draw the figures one after the other."""
        lives = [(one.run, one.life.population) for one in opened if one.life is not None]
        has_figures = any(
            labels_of(*life, "needs") or labels_of(*life, "emotions") for life in lives
        )
        self._none.set_visibility(not has_figures)
        for one, curves in zip(opened, self._sides, strict=True):
            for curve in curves:
                if is_current():
                    await curve.show(one)


def _build_curves(number: int) -> list[Curve]:
    with ui.element("div").classes("figures"):
        return [Curve("needs", number), Curve("emotions", number)]
