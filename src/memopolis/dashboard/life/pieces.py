"""Components shared by the parts of a life: parts, links to memories, bars, page buttons."""

from collections.abc import Callable, Hashable, Sequence

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from memopolis.commands.shown_text import one_line
from memopolis.dashboard.elements import link
from memopolis.dashboard.life.paging import Page


class Part:
    """A part of the page that is rebuilt only when its content changes.

    Args:
        named: Its data-testid, "" for none.
    """

    def __init__(self, named: str = "") -> None:
        self.box = ui.element("div").classes("part")
        if named:
            self.box.props(f"data-testid={named}")
        self._shown: Hashable = None

    def show(self, what: Hashable, build: Callable[[], None]) -> None:
        """Rebuild the part, unless its content is unchanged.

        Args:
            what: Key of the content.
            build: Builds it.
        """
        if what != self._shown:
            self._shown = what
            self.box.clear()
            with self.box:
                build()


def evidence(
    texts: Sequence[str],
    numbers: Sequence[int],
    go_to: Callable[[int], object],
    *,
    most: int = 3,
    named: str = "evidence",
) -> None:
    """Build a button for each memory that an answer or decision is based on.

    Args:
        texts: What they say.
        numbers: Their ids in the life, as many.
        go_to: Called with the id of the one that was pressed.
        most: Most of them that are shown at once.
        named: Begins their data-testid.
    """
    pairs = list(zip(texts, numbers, strict=True))
    with ui.element("ul").classes("evidence") as listing:
        _links(pairs[:most], go_to, named)
    if len(pairs) > most:

        def show_rest() -> None:
            more.delete()
            with listing:
                _links(pairs[most:], go_to, named)

        more = link(f"and {len(pairs) - most:,} more", show_rest, named=f"more-{named}")


def _links(pairs: Sequence[tuple[str, int]], go_to: Callable[[int], object], named: str) -> None:
    for text, number in pairs:
        with ui.element("li"):

            def press(number: int = number) -> None:
                go_to(number)

            button = link(one_line(text), press, named=f"{named}-{number}")
            button.props["aria-label"] = f"Go to memory {number}: {one_line(text)}"


def bar(name: str, value: float) -> None:
    """Build a bar for a share from 0 to 1, with its number.

    Args:
        name: What it says.
        value: 0 to 1; beyond that the bar is full or empty.
    """
    with ui.element("div").classes("bar"):
        TextElement(tag="span", text=name).classes("bar-name")
        with ui.element("div").classes("bar-track") as track:
            track.props(f"role=meter aria-valuemin=0 aria-valuemax=1 aria-valuenow={value:.3f}")
            track.props["aria-label"] = name
            track.props(f"data-testid=bar-{name}")
            width = 100 * min(max(value, 0.0), 1.0)
            ui.element("div").classes("bar-fill").style(f"width: {width:.1f}%")
        TextElement(tag="span", text=f"{value:.2f}").classes("bar-number")


def page_buttons(page: Page, turn: Callable[[int], object], *, named: str) -> Element:
    """Build the buttons that turn the pages of a list.

    Args:
        page: That is shown.
        turn: Called with the number of the page wanted.
        named: Begins their data-testid.
    """
    with ui.element("nav").classes("pages").props(f'aria-label="Pages" data-testid={named}') as nav:
        for label, number, works in (
            ("First", 0, page.number > 0),
            ("Previous", page.number - 1, page.number > 0),
            ("Next", page.number + 1, page.number < page.pages - 1),
            ("Last", page.pages - 1, page.number < page.pages - 1),
        ):

            def press(number: int = number) -> None:
                turn(number)

            button = ui.button(label, on_click=press).props("flat dense no-caps")
            button.props(f"data-testid={named}-{label.lower()}").set_enabled(works)
        position = f"Page {page.number + 1:,} of {page.pages:,}"
        ui.label(position).classes("quiet").props(f"data-testid={named}-told role=status")
    return nav
