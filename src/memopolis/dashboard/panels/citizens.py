"""The list of citizens with search, filters by attribute, order and pages."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from numpy.typing import NDArray

from memopolis.analysis.labels import plural, scaled, words
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import harmless, one_line
from memopolis.dashboard.elements import (
    button,
    checkbox,
    error_line,
    link_button,
    note,
    panel,
    select,
    show_line,
    text_field,
)
from memopolis.dashboard.life.components import Part, page_buttons, run_select
from memopolis.dashboard.life.paging import page_at
from memopolis.dashboard.life.words import Declared
from memopolis.dashboard.panels.people_listed import (
    NUMBER,
    Filter,
    PeopleQuery,
    cell,
    choices_of,
    kind_of,
    number_typed,
    people_to_list,
    select_people,
    shown_columns,
)
from memopolis.dashboard.panels.saving import download
from memopolis.dashboard.viewer import Viewer, line_of

type Changed = Callable[[], Awaitable[None]]


class FilterFields:
    """Filters that are combined by "and", one per attribute; typed values are kept."""

    def __init__(self, changed: Changed) -> None:
        self._changed = changed
        self._filters: dict[str, Filter] = {}
        self._people = pd.DataFrame()
        self._declared: Declared = {}
        with ui.element("div").classes("filters").props("data-testid=filters") as self._place:
            self._more = Part("filter-more")
            self._more.box.classes("in-line")

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The filters, one per attribute."""
        return tuple(self._filters.values())

    def clear(self) -> None:
        """Remove all filters."""
        self._filters.clear()
        for field in list(self._place)[1:]:
            field.delete()

    def offer(self, people: pd.DataFrame, declared: Declared) -> None:
        """Update the attributes on offer."""
        self._people, self._declared = people, declared
        names = tuple(str(name) for name in people if name != "name")
        known = (names, tuple(self._filters))
        self._more.show(known, lambda: self._choose(names))

    def _choose(self, names: tuple[str, ...]) -> None:
        free = [name for name in names if name not in self._filters]
        usable = [name for name in free if kind_of(self._people[name]) != "text"]
        shown = {"": "choose an attribute"} | {name: words(name) for name in usable}
        select("Add a filter", shown, "", self._add, test_id="filter-add")

    async def _add(self, name: str) -> None:
        if name not in self._people or name in self._filters:
            return
        values = self._people[name]
        with self._place, ui.element("fieldset").classes("filter") as field:
            field.props(f"data-testid=filter-{name.replace('.', '-')}")
            TextElement(tag="legend", text=words(name))
            self._filters[name] = Filter(name)
            if kind_of(values) == "choice":
                self._among(name, choices_of(values))
            else:
                self._between(name)
            remove = button("Remove", partial(self._remove, name, field), look="flat dense")
            remove.props(f"aria-label='Remove the filter {words(name)}'")
        await self._changed()

    async def _remove(self, name: str, field: Element) -> None:
        self._filters.pop(name, None)
        field.delete()
        await self._changed()

    def _among(self, name: str, options: list[str]) -> None:
        chosen: set[str] = set()

        async def toggle(option: str, checked: bool) -> None:  # noqa: FBT001 - see `checkbox`
            chosen.add(option) if checked else chosen.discard(option)
            self._filters[name] = Filter(name, tuple(sorted(chosen)))
            await self._changed()

        with ui.element("div").classes("options"):
            for option in options:
                checkbox(option, partial(toggle, option))

    def _between(self, name: str) -> None:
        facts = self._declared.get(name, {})
        factor, unit = scaled(str(facts.get("unit") or ""))
        bounds: dict[str, float | None] = {"Minimum": None, "Maximum": None}

        async def type_bound(label: str, text: str) -> None:
            try:
                number = number_typed(text)
            except ValueError as error:
                show_line(line, str(error))
                return
            show_line(line, "")
            bounds[label] = None if number is None else number / factor
            self._filters[name] = Filter(name, (), *bounds.values())
            await self._changed()

        for label in bounds:
            text_field(
                f"{label}, {harmless(unit)}" if unit else label,
                "",
                partial(type_bound, label),
                test_id=f"filter-{name.replace('.', '-')}-{label.lower()}",
            ).props("inputmode=decimal size=8")
        line = error_line()


ROWS = 50  # rows per page


def citizens(viewer: Viewer) -> None:
    """List the agents of a population; a click on a name opens its life."""
    _List(viewer)


class _List:
    """The list of one visitor, with search and filters.

    While the run is playing, cells are updated but rows keep their agents. If the list
    would change, a message offers to update it.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._run_number = "0"
        self._population = next(iter(viewer.runs[0].manifest["populations"]), "")
        self._search, self._sort, self._way = "", NUMBER, "up"
        self._page = 0
        self._people = pd.DataFrame({"name": []})
        self._ids: NDArray[np.int64] = np.zeros(0, np.int64)
        self._cells: dict[tuple[int, str], TextElement] = {}
        self._turn = 0
        with panel("citizens"):
            self._title = ui.label().classes("panel-title")
            self._controls()
            self._filters = FilterFields(self._update)
            self._line = error_line(test_id="citizens-error")
            with ui.element("div").classes("who"):
                self._count = ui.label().props("role=status data-testid=citizens-count")
                self._other = link_button("The list has changed: update it", self._update)
                self._other.props("data-testid=citizens-update")
                self._other.set_visibility(False)
                button("Save as CSV", self._save, test_id="citizens-save", look="outline dense")
            self._table = Part("citizens-rows")
            self._pages = Part("citizens-pages-place")
        viewer.on_change(self._changed)

    # Query

    def _controls(self) -> None:
        with ui.element("div").classes("asked"):
            typed = partial(self._set, "_search")
            text_field("Name or number", "", typed, test_id="citizens-search")
            populations = list(self._run.manifest["populations"])
            if len(populations) > 1:
                shown = {name: words(plural(name)) for name in populations}
                select("List", shown, self._population, self._set_population, test_id="population")
            run_select(self._viewer, partial(self._set, "_run_number"), test_id="citizens-run")
            self._order = Part("citizens-order")
            self._order.box.classes("in-line")

    @property
    def _run(self) -> Run:
        return self._viewer.runs[int(self._run_number)]

    @property
    def _query(self) -> PeopleQuery:
        return PeopleQuery(self._search, self._filters.filters, self._sort, self._way == "down")

    async def _set_population(self, name: str) -> None:
        self._population, self._sort, self._way = name, NUMBER, "up"
        self._filters.clear()
        await self._update()

    async def _set(self, name: str, value: str) -> None:
        setattr(self, name, value)
        await self._update()

    def _save(self) -> None:
        """Save all listed agents with all their attributes, in the order of the list."""
        listed = self._people.reindex(self._ids[np.isin(self._ids, self._people.index)])
        contents = listed.to_csv().encode()
        download(contents, plural(self._population), self._run.ticks, "csv")

    # Display

    async def _update(self) -> None:
        """Update the list from the first page on."""
        self._page = 0
        await self._try(hold=False)

    async def _changed(self) -> None:
        await self._try(hold=bool(len(self._people)))

    async def _try(self, *, hold: bool) -> None:
        try:
            await self._read(hold=hold)
            show_line(self._line, "")
        except Exception as error:  # noqa: BLE001 - shown beside the fields
            show_line(self._line, line_of(error))

    async def _read(self, *, hold: bool) -> None:
        """Read the current people."""
        self._turn += 1
        turn, run, population = self._turn, self._run, self._population
        query = self._query

        def ask() -> tuple[pd.DataFrame, NDArray[np.int64]]:
            people = people_to_list(run, population)
            return people, select_people(people, query)

        people, ids = await self._viewer.work(ask)
        if turn != self._turn:
            return
        self._people = people
        self._other.set_visibility(hold and not np.array_equal(ids, self._ids))
        if not hold:
            self._ids = ids
        self._offer()
        self._fill()

    def _offer(self) -> None:
        """Update the attributes by which to sort and filter."""
        columns = [str(name) for name in self._people if name != "name"]
        self._title.text = words(plural(self._population)) if self._population else "Citizens"
        self._order.show((self._population, tuple(columns)), lambda: self._sorts(columns))
        self._filters.offer(self._people, self._run.attributes(self._population))

    def _sorts(self, columns: Sequence[str]) -> None:
        shown = {NUMBER: "Number", "name": "Name"} | {name: words(name) for name in columns}
        select("Sort by", shown, self._sort, partial(self._set, "_sort"), test_id="citizens-sort")
        ways = {"up": "lowest first", "down": "highest first"}
        select("Order", ways, self._way, partial(self._set, "_way"), test_id="citizens-way")

    def _fill(self) -> None:
        page = page_at(self._page, len(self._ids), size=ROWS)
        ids = self._ids[page.part].tolist()
        among = len(self._people)
        others = f", of {among:,} in all" if among != page.rows else ""
        self._count.text = f"Listed: {page.description}{others}"
        declared = self._run.attributes(self._population)
        columns = shown_columns(self._people, declared, self._query)
        self._table.show((tuple(ids), tuple(columns)), lambda: self._rows(ids, columns))
        self._pages.show(page, lambda: page_buttons(page, self._turn_to, test_id="citizens-pages"))
        self._write(ids, columns)

    def _turn_to(self, number: int) -> None:
        self._page = number
        self._fill()

    def _rows(self, ids: Sequence[int], columns: Sequence[str]) -> None:
        self._cells = {}
        if not ids:
            note("No matches: change the search or remove a filter.")
            return
        with ui.element("div").classes("listing-scroll"), ui.element("table").classes("listing"):
            with ui.element("thead"), ui.element("tr"):
                for place, name in enumerate(["Name", "Number", *map(words, columns)]):
                    head = TextElement(tag="th", text=name).props("scope=col")
                    head.classes("second" if place > _NARROW else "")
            with ui.element("tbody"):
                for agent in ids:
                    self._row(agent, columns)

    def _row(self, agent: int, columns: Sequence[str]) -> None:
        name = one_line(self._people["name"].get(agent) or f"{self._population} {agent}", most=60)
        with ui.element("tr").props(f"data-testid=citizen-row-{agent}"):
            with ui.element("td"):
                choose = partial(self._viewer.choose, agent)
                link_button(name, choose, test_id=f"citizen-open-{agent}")
            TextElement(tag="td", text=str(agent))
            for place, column in enumerate(columns, 2):
                made = TextElement(tag="td", text="").props("dir=auto")
                self._cells[agent, column] = made.classes("second" if place > _NARROW else "")

    def _write(self, ids: Sequence[int], columns: Sequence[str]) -> None:
        """Update the cells; unchanged ones are not sent."""
        if not self._cells:
            return
        present = self._people.reindex(list(ids))
        gone = ~np.isin(ids, self._people.index)
        run = self._run
        declared = run.attributes(self._population)
        for column in columns:
            values = present[column] if column in present else [None] * len(ids)
            for agent, value, left in zip(ids, values, gone, strict=True):
                text = "no longer present" if left else cell(run, value, column, declared)
                made = self._cells[agent, column]
                if made.text != text:
                    made.text = text


_NARROW = 3  # number of columns shown on a narrow page, minus one
