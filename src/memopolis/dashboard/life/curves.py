"""Figures of a life over time, drawn after all other parts."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_args

from nicegui import ui

from memopolis.analysis.figures.life import Kind, labels_of, latest_values, life_over_time
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.figure import FigureImage
from memopolis.dashboard.life.components import section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer


class Curves:
    """Needs, emotions and attitudes over time, in each run."""

    def __init__(self, viewer: "Viewer") -> None:
        with section("Needs, emotions and attitudes over time", "over-time"):
            self._none = ui.label("None of these were recorded for this citizen.").classes("quiet")
            self._sides = side_by_side(viewer, _build_curves)

    async def show(self, opened: Sequence[OpenedAgent], is_current: Callable[[], bool]) -> None:
        """Draw the figures one after the other, while `is_current` returns true."""
        curves = list(zip(opened, self._sides, strict=True))
        self._none.set_visibility(
            not any(curve.has_values(one) for one, side in curves for curve in side)
        )
        for one, side in curves:
            for curve in side:
                if is_current():
                    await curve.show(one)


class _Curve:
    """A figure of one citizen in one run."""

    def __init__(self, kind: Kind, number: int) -> None:
        self._kind = kind
        with ui.element("figure").classes("figure") as self._frame:
            self._frame.props(f"data-testid=figure-{kind}-{number}")
            self._image = FigureImage(f"image-{kind}-{number}")
        self._frame.set_visibility(False)
        self._requested: OpenedAgent | None = None

    def has_values(self, opened: OpenedAgent) -> bool:
        life = opened.life
        return life is not None and bool(labels_of(opened.run, life.population, self._kind))

    async def show(self, opened: OpenedAgent) -> None:
        """Draw the life, unless another one is chosen before its turn."""
        self._requested = opened
        self._frame.set_visibility(self.has_values(opened))
        if not self.has_values(opened):
            return
        agent = opened.agent
        drawn = await self._image.draw(
            lambda: opened.run if self._requested is opened else None,
            f"life-{self._kind}-{agent}",
            lambda run: life_over_time(run, agent, self._kind),
            lambda run: self._alt(run, opened),
        )
        if drawn is not None and self._requested is opened:
            self._image.show(drawn, **{"data-agent": agent, "data-step": opened.run.ticks})

    def _alt(self, run: Run, opened: OpenedAgent) -> str:
        now = latest_values(run, opened.agent, self._kind)
        values = ", ".join(f"{name} {value:.2g}" for name, value in now.items())
        name = harmless(opened.required_life.name)
        return f"{self._kind.capitalize()} of {name} over time; now {values or 'nothing recorded'}"


def _build_curves(number: int) -> list[_Curve]:
    with ui.element("div").classes("figures"):
        return [_Curve(kind, number) for kind in get_args(Kind.__value__)]
