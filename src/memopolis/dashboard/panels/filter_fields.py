"""Filters of the list of citizens, one field per chosen attribute."""

from collections.abc import Awaitable, Callable
from functools import partial

import pandas as pd
from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from memopolis.analysis.labels import scaled, words
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import button, checkbox, error_line, select, show_line, text_field
from memopolis.dashboard.life.components import Part
from memopolis.dashboard.life.words import Declared
from memopolis.dashboard.panels.people_listed import (
    Filter,
    choices_of,
    kind_of,
    number_typed,
)

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
