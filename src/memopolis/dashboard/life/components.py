"""Components of a life: sections, a place for every run, links to memories, page buttons."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from nicegui import ui

from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.elements import Handler, button, heading, link_button, panel, select
from memopolis.dashboard.life.paging import Page
from memopolis.dashboard.viewer import Viewer


@contextmanager
def section(title: str, test_id: str) -> Iterator[None]:
    """Build a section of the page with a heading."""
    with panel(test_id, title) as made:
        made.props["id"] = f"life-{test_id}"
        heading(3, title).classes("panel-title")
        yield


def side_by_side[T](viewer: Viewer, build: Callable[[int], T]) -> list[T]:
    """Build the same content for each run, from number 1 on, below its name if there are two.

    Returns what `build` returned, by run.
    """
    built = []
    with ui.element("div").classes("sides"):
        for number, name in enumerate(viewer.watch.names, 1):
            with ui.element("div").classes("stack"):
                if len(viewer.runs) > 1:
                    ui.label(name).classes("run-name any-text")
                with ui.element("div").classes("stack"):
                    built.append(build(number))
    return built


def run_select(viewer: Viewer, chosen: Handler[str], *, test_id: str) -> None:
    """Build a choice among the runs, by number from 0, if there are two."""
    if len(viewer.runs) > 1:
        names = {str(number): harmless(name) for number, name in enumerate(viewer.watch.names)}
        select("Run", names, "0", chosen, test_id=test_id)


def zone_select(
    label: str, everywhere: str, run: Run, chosen: Handler[str], *, test_id: str
) -> None:
    """Build a choice among the zones, by number, and "" for all, if the run has zones."""
    if run.has("zones", "label"):
        zones = sorted(enumerate(run.zones["label"].astype(str)), key=lambda zone: zone[1])
        names = {"": everywhere} | {str(number): harmless(name) for number, name in zones}
        select(label, names, "", chosen, test_id=test_id)


def contents(titles: Mapping[str, str]) -> None:
    """Build links to the sections of the page."""
    with ui.element("nav").classes("contents").props('aria-label="Sections"'):
        for test_id, title in titles.items():
            ui.link(title, f"#life-{test_id}")


class Part:
    """A part of the page that is rebuilt only when its content changes."""

    def __init__(self, test_id: str = "") -> None:
        self.box = ui.element("div").classes("part")
        if test_id:
            self.box.props(f"data-testid={test_id}")
        self._shown: Hashable = None

    def show(self, what: Hashable, build: Callable[[], None]) -> None:
        """Rebuild the part, unless its content is unchanged."""
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
    test_id: str = "evidence",
) -> None:
    """Build a button for each memory that an answer or decision is based on."""
    pairs = list(zip(texts, numbers, strict=True))
    with ui.element("ul").classes("evidence") as listing:
        _links(pairs[:most], go_to, test_id)
    if len(pairs) > most:

        def show_rest() -> None:
            more.delete()
            with listing:
                _links(pairs[most:], go_to, test_id)

        more = link_button(f"and {len(pairs) - most:,} more", show_rest, test_id=f"more-{test_id}")


def _links(pairs: Sequence[tuple[str, int]], go_to: Callable[[int], object], test_id: str) -> None:
    for text, number in pairs:
        with ui.element("li"):
            press = partial(go_to, number)
            link = link_button(one_line(text), press, test_id=f"{test_id}-{number}")
            link.props["aria-label"] = f"Go to memory {number}: {one_line(text)}"


def bar(name: str, value: float) -> None:
    """Build a bar for a share from 0 to 1, with its number; others are shown full or empty."""
    with ui.element("div").classes("bar"):
        ui.label(name)
        made = ui.linear_progress(min(max(value, 0.0), 1.0), show_value=False, size="10px")
        made.props(f"instant-feedback aria-label={name} data-testid=bar-{name}")
        ui.label(f"{value:.2f}").classes("bar-number")


def page_buttons(page: Page, turn: Callable[[int], object], *, test_id: str) -> None:
    """Build the buttons that turn the pages of a list, if it has several."""
    if page.pages < 2:
        return
    with ui.element("nav").classes("pages").props(f'aria-label="Pages" data-testid={test_id}'):
        for label, number, works in (
            ("First", 0, page.number > 0),
            ("Previous", page.number - 1, page.number > 0),
            ("Next", page.number + 1, page.number < page.pages - 1),
            ("Last", page.pages - 1, page.number < page.pages - 1),
        ):
            press = partial(turn, number)
            made = button(label, press, test_id=f"{test_id}-{label.lower()}", look="flat dense")
            made.set_enabled(works)
        position = f"Page {page.number + 1:,} of {page.pages:,}"
        ui.label(position).classes("quiet").props(f"data-testid={test_id}-position role=status")
