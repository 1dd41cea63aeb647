"""Filters of the list of citizens, one field per chosen attribute."""

from collections.abc import Awaitable, Callable

import pandas as pd
from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from memopolis.analysis.labels import scaled, words
from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import choice, labelled, line_box, tell
from memopolis.dashboard.life.attribute_words import Declared
from memopolis.dashboard.life.pieces import Part
from memopolis.dashboard.panels.people_listed import (
    AmongFilter,
    BetweenFilter,
    Filter,
    choices_of,
    kind_of,
    number_typed,
)

type Changed = Callable[[], Awaitable[None]]


class FilterFields:
    """Filters that are combined by "and", one per attribute; typed values are kept.

    Args:
        changed: Called after each change.
    """

    def __init__(self, changed: Changed) -> None:
        self._changed = changed
        self._filters: dict[str, Filter] = {}
        self._people = pd.DataFrame()
        self._declared: Declared = {}
        with ui.element("div").classes("filters").props("data-testid=filters") as self._place:
            self._more = Part("filter-more")
            self._more.box.classes("in-line")

    @property
    def wanted(self) -> tuple[Filter, ...]:
        """The filters, one per attribute."""
        return tuple(self._filters.values())

    def clear(self) -> None:
        """Remove all filters."""
        self._filters.clear()
        for field in list(self._place)[1:]:
            field.delete()

    def offer(self, people: pd.DataFrame, declared: Declared) -> None:
        """Update the attributes on offer.

        Args:
            people: As `people_to_list` gives them.
            declared: What the manifest says of its attributes.
        """
        self._people, self._declared = people, declared
        names = tuple(str(name) for name in people if name != "name")
        known = (names, tuple(self._filters))
        self._more.show(known, lambda: self._choose(names))

    def _choose(self, names: tuple[str, ...]) -> None:
        free = [name for name in names if name not in self._filters]
        usable = [name for name in free if kind_of(self._people[name]) != "text"]
        shown = {"": "choose an attribute"} | {name: words(name) for name in usable}
        choice("Add a filter", shown, "", self._add, named="filter-add")

    async def _add(self, name: str) -> None:
        if name not in self._people or name in self._filters:
            return
        values = self._people[name]
        with self._place, ui.element("fieldset").classes("filter") as field:
            field.props(f"data-testid=filter-{name.replace('.', '-')}")
            TextElement(tag="legend", text=words(name))
            if kind_of(values) == "choice":
                self._filters[name] = AmongFilter(name)
                self._among(name, choices_of(values))
            else:
                self._filters[name] = BetweenFilter(name)
                self._between(name)
            remove = ui.button("Remove", on_click=lambda: self._remove(name, field))
            remove.props(f"flat dense no-caps aria-label='Remove the filter {words(name)}'")
        await self._changed()

    async def _remove(self, name: str, field: Element) -> None:
        self._filters.pop(name, None)
        field.delete()
        await self._changed()

    def _among(self, name: str, options: list[str]) -> None:
        chosen: set[str] = set()

        async def turn(option: str, *, on: bool) -> None:
            chosen.add(option) if on else chosen.discard(option)
            self._filters[name] = AmongFilter(name, tuple(sorted(chosen)))
            await self._changed()

        with ui.element("div").classes("options"):
            for option in options:
                _box(option, turn)

    def _between(self, name: str) -> None:
        facts = self._declared.get(name, {})
        factor, unit = scaled(str(facts.get("unit") or ""))
        bounds: dict[str, float | None] = {"Minimum": None, "Maximum": None}
        named = f"filter-{name.replace('.', '-')}"
        fields = [_number(label, unit, f"{named}-{label.lower()}") for label in bounds]
        line = line_box()

        async def hear(event: GenericEventArguments, label: str) -> None:
            try:
                typed = number_typed(str(event.args))
            except ValueError as error:
                tell(line, str(error))
                return
            tell(line, "")
            bounds[label] = None if typed is None else typed / factor
            self._filters[name] = BetweenFilter(name, bounds["Minimum"], bounds["Maximum"])
            await self._changed()

        for made, label in zip(fields, bounds, strict=True):
            _listen(made, hear, label)


def _number(label: str, unit: str, named: str) -> Element:
    with labelled(f"{label}, {harmless(unit)}" if unit else label):
        made = ui.element("input").props("type=text inputmode=decimal autocomplete=off size=8")
        return made.props(f"data-testid={named}")


def _listen(
    made: Element, hear: Callable[[GenericEventArguments, str], Awaitable[None]], label: str
) -> None:
    async def heard(event: GenericEventArguments) -> None:
        await hear(event, label)

    made.on("input", heard, js_handler="(event) => emit(event.target.value)")


def _box(option: str, turn: Callable[..., Awaitable[None]]) -> None:
    async def heard(event: GenericEventArguments) -> None:
        await turn(option, on=bool(event.args))

    with ui.element("label"):
        box = ui.element("input").props("type=checkbox")
        box.on("change", heard, js_handler="(event) => emit(event.target.checked)")
        TextElement(tag="span", text=harmless(option))
