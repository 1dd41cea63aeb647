"""Sections of a life, each with a place for every run."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.dashboard.elements import heading

if TYPE_CHECKING:
    from nicegui.element import Element

    from memopolis.dashboard.viewer import Viewer


@contextmanager
def section(title: str, named: str) -> Iterator[None]:
    """A part of the page with a heading.

    Args:
        title: The heading.
        named: Its data-testid.
    """
    with ui.element("section").classes("panel").props(f"data-testid={named}") as made:
        made.props["aria-label"], made.props["id"] = title, f"life-{named}"
        heading(3, title).classes("panel-title")
        yield


def side_by_side(viewer: "Viewer") -> "list[Element]":
    """Yield a place for each run, with the run's name if there are two.

    Args:
        viewer: The visitor.
    """
    names, places = viewer.watch.names, []
    with ui.element("div").classes("sides"):
        for number in range(len(viewer.runs)):
            with ui.element("div").classes("stack"):
                if len(viewer.runs) > 1:
                    ui.label(names[number]).classes("run-name any-text")
                with ui.element("div").classes("stack") as place:
                    places.append(place)
    return places


def contents(titles: Mapping[str, str]) -> None:
    """Links to the sections of the page.

    Args:
        titles: Short titles of sections, by their names.
    """
    with ui.element("nav").classes("contents").props('aria-label="Sections"'):
        for named, title in titles.items():
            link = TextElement(tag="a", text=title)
            link.props["href"] = f"#life-{named}"
