"""The panel of shocks: a form to send one, beside the timeline of the run."""

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.value_element import ValueElement

from memopolis.analysis.labels import format_moment
from memopolis.dashboard.effects.panel import EffectPanel
from memopolis.dashboard.elements import (
    agent_text,
    button,
    error_line,
    heading,
    note,
    panel,
    select,
    show_line,
    show_value,
    text_area,
    text_field,
)
from memopolis.dashboard.shocks.kinds import (
    ShockField,
    describe_kind,
    kinds_of,
    missing_kinds,
    preview,
    shock_of,
)
from memopolis.dashboard.shocks.offers import (
    Entry,
    fields_of,
    list_entries,
    select_shown,
    value_field,
)
from memopolis.dashboard.shocks.people import label_agent
from memopolis.dashboard.viewer import Viewer, line_of
from memopolis.dashboard.watch.live import LiveWatch
from memopolis.sim.errors import MemopolisError
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, Policy, Shock

_TAKE = "Choose ..."


class ShockForm:
    """The fields of a form.

    `typed` has the initial texts by field, and is updated while the visitor types; `changed` is
    called with the name of a field after each change.
    """

    def __init__(
        self, fields: list[ShockField], typed: dict[str, str], changed: Callable[[str], None]
    ) -> None:
        self._typed, self._changed = typed, changed
        self._controls: dict[str, ValueElement[Any]] = {}
        self._places: dict[str, Element] = {}
        for field in fields:
            typed.setdefault(field.name, field.default)
            self._places[field.name] = ui.element("div").classes("shock-field")
            self._build(field)

    def write(self, name: str, text: str) -> None:
        """Set the text of a field."""
        show_value(self._controls[name], text)
        self._type(name, text)

    def place(self, name: str) -> Element:
        """Return the element of a field."""
        return self._places[name]

    def replace(self, field: ShockField) -> None:
        """Replace a field, with its default."""
        self._typed[field.name] = field.default
        self._places[field.name].clear()
        self._build(field)

    def _type(self, name: str, text: str) -> None:
        self._typed[name] = text
        self._changed(name)

    def _build(self, field: ShockField) -> None:
        with self._places[field.name]:
            self._controls[field.name] = self._control(field)
            ui.label(field.description).classes("quiet any-text")

    def _control(self, field: ShockField) -> ValueElement[Any]:
        name, text, test_id = field.name, self._typed[field.name], f"shock-{field.name}"
        label = name.replace("_", " ").capitalize()

        typed = partial(self._type, name)
        if field.form == "choice":
            if text not in dict(field.offers):
                self._typed[name] = text = field.offers[0][0]
            return select(label, dict(field.offers), text, typed, test_id=test_id)
        if field.form == "words":
            return text_area(label, text, typed, test_id=test_id)
        with ui.element("div").classes("shock-offered"):
            made = text_field(label, text, typed, test_id=test_id)
            if field.form == "number":
                made.props("inputmode=decimal")
            if field.offers:
                self._offers(field, label)
        return made

    def _offers(self, field: ShockField, label: str) -> None:
        """Build a list of suggestions; a choice is copied into the field."""

        def take(value: str) -> None:
            if value != _TAKE:
                before = self._typed[field.name].strip().rstrip(",")
                joined = f"{before}, {value}" if field.several and before else value
                self.write(field.name, joined)
                show_value(offered, _TAKE)

        options = {_TAKE: "…", **dict(field.offers)}
        offered = select(
            f"{label}, suggestions", options, _TAKE, take, test_id=f"shock-{field.name}-offers"
        )


_PREVIEW_DELAY = 0.25  # seconds without typing after which the reach of a shock is computed


def shocks(viewer: Viewer) -> None:
    """Send news, orders, policies, messages and shocks of the scenario into a live run."""
    if viewer.live is not None:
        with ui.element("div").classes("columns"):
            _ShockPanel(viewer, viewer.live)
            _TimelinePanel(viewer, viewer.live)
        EffectPanel(viewer, viewer.live)


class _ShockPanel:
    """The form of one visitor."""

    def __init__(self, viewer: Viewer, live: LiveWatch) -> None:
        self._viewer, self._live = viewer, live
        self._typed: dict[str, dict[str, str]] = {}
        self._society: Any = None
        self._kind: type[Shock] | None = None
        self._rules: dict[str, Any] = {}
        self._form: ShockForm | None = None
        self._when = ""
        self._asked = 0
        with panel("shocks"):
            heading(2, "Send a shock")
            self._place = ui.element("div").classes("stack")
        viewer.on_change(self._show)

    async def _show(self) -> None:
        """Build the form for the current society, and update its dates."""
        if self._society is not self._live.society:
            self._society = self._live.society
            kinds, without = await self._look(lambda s: (kinds_of(s), missing_kinds(s)))
            self._place.clear()
            with self._place:
                self._build(kinds, without)
            await self._show_kind(self._kind if self._kind in kinds else kinds[0])
        elif self._kind is Policy and self._rules != self._live.society.policies:
            await self._show_kind(Policy)  # suggestions show the current values of policies
        self._show_dates()
        self._show_chosen()

    async def _look[T](self, ask: Callable[[Society[Any]], T]) -> T:
        """Read the society between two steps, in another thread."""
        return await self._viewer.work(lambda: self._live.look(ask))

    def _build(self, kinds: list[type[Shock]], without: list[type[Shock]]) -> None:
        by_name = {kind.__name__: kind for kind in kinds}
        options = {name: f"{name}: {describe_kind(kind)}" for name, kind in by_name.items()}
        select(
            "Kind",
            options,
            (self._kind if self._kind in kinds else kinds[0]).__name__,
            lambda name: self._choose_kind(by_name[name]),
            test_id="shock-kind",
        )
        if without:
            title = self._live.society.title
            names = " and ".join(kind.__name__ for kind in without)
            note(f"Not available, because nothing in {title} reacts to them: {names}.")
        self._fields = ui.element("div").classes("stack")
        self._reach = ui.label().classes("any-text").props("role=status data-testid=shock-reach")
        with ui.element("div").classes("shock-field"):
            text_field("When", self._when, self._set_when, test_id="shock-when")
            self._dates = ui.label().classes("quiet")
        self._error = error_line(test_id="shock-error")
        with ui.element("div").classes("shock-send"):
            self._send_button = button("Send", self._send, test_id="shock-send", look="unelevated")
            self._sent = ui.label().classes("any-text").props("role=status data-testid=shock-sent")

    async def _choose_kind(self, kind: type[Shock]) -> None:
        if kind is not self._kind:
            await self._show_kind(kind)

    async def _show_kind(self, kind: type[Shock]) -> None:
        """Show the fields of a kind with the texts typed before."""
        self._kind = kind
        self._rules = dict(self._live.society.policies)
        fields = await self._look(partial(fields_of, kind))
        typed = self._typed.setdefault(kind.__name__, {})
        self._asked += 1
        self._fields.clear()
        self._show_lines("", "")
        with self._fields:
            self._form = ShockForm(fields, typed, self._changed)
        if kind is Message:
            with self._form.place("to"):
                look = "flat dense align=left"
                self._chosen = button("", self._to_chosen, test_id="shock-to-chosen", look=look)
        self._show_chosen()
        if typed.get("to", "").strip():
            self._changed("to")

    def _changed(self, name: str) -> None:
        self._asked += 1
        asked = self._asked
        ui.timer(_PREVIEW_DELAY, lambda: self._preview(asked), once=True)
        if self._kind is Policy and name == "key":
            ui.timer(0, self._other_rule, once=True)

    async def _other_rule(self) -> None:
        key = self._typed["Policy"]["key"]
        field = await self._look(partial(value_field, key))
        if self._form is not None and self._kind is Policy:
            self._form.replace(field)

    async def _preview(self, asked: int) -> None:
        """Show the reach of the shock, or the error, unless the form changed meanwhile."""
        kind, typed = self._filled()
        if asked != self._asked:
            return
        reach, wrong = await self._look(partial(preview, kind, typed))
        if asked == self._asked:
            self._show_lines(reach, wrong)

    async def _send(self) -> None:
        """Send the shock; the typed texts are kept."""
        self._asked += 1  # the confirmation stays until the form changes
        kind, typed = self._filled()
        when = self._when.strip() or None

        def send() -> int:
            return self._live.shock(self._live.look(partial(shock_of, kind, typed)), when)

        self._send_button.disable()
        self._sent.set_text("")
        try:
            tick = await self._viewer.work(send)
        except MemopolisError as error:
            self._show_lines("", line_of(error))
        else:
            self._show_lines("", "")
            clock = self._live.society.clock
            when_sent = format_moment(clock.date_of(tick), clock.hours)
            self._sent.set_text(f"Sent: {kind.__name__} for {when_sent}")
        finally:
            self._send_button.enable()
        self._viewer.refresh()

    def _filled(self) -> tuple[type[Shock], dict[str, str]]:
        """Return the selected kind and the texts of its fields."""
        kind = self._kind or Message
        return kind, dict(self._typed.get(kind.__name__, {}))

    def _to_chosen(self) -> None:
        if self._form is not None and self._viewer.agent is not None:
            self._form.write("to", str(self._viewer.agent))

    def _show_chosen(self) -> None:
        if self._kind is not Message or self._form is None:
            return
        agent = self._viewer.agent
        society, recipient = self._live.society, "none yet"
        if agent is not None and any(p.find(agent) is not None for p in society.populations):
            recipient = label_agent(society, agent)
        self._chosen.set_enabled(recipient != "none yet")
        self._chosen.set_text(f"To the chosen citizen: {recipient}")

    def _show_dates(self) -> None:
        live = self._live
        last = live.society.clock.date_of(live.steps)
        self._dates.set_text(
            "Leave empty for the next step, or type a date from "
            f"{live.date:%Y-%m-%d %H:%M} to before {last:%Y-%m-%d %H:%M}"
        )

    def _show_lines(self, reach: str, wrong: str) -> None:
        show_line(self._reach, reach)
        show_line(self._error, wrong)

    def _set_when(self, text: str) -> None:
        self._when = text


class _TimelinePanel:
    """List past and future shocks."""

    def __init__(self, viewer: Viewer, live: LiveWatch) -> None:
        self._viewer, self._live = viewer, live
        self._found: list[Entry] | None = None
        with panel("shock-list"):
            heading(2, "Shocks of this run")
            self._where = ui.label().classes("quiet any-text").props("data-testid=shock-manifest")
            self._count = ui.label().props("role=status")
            self._rows = ui.element("ol").classes("shock-rows")
        viewer.on_change(self._show)

    async def _show(self) -> None:
        listed = await self._viewer.work(lambda: self._live.look(list_entries))
        folder = self._live.folder
        self._where.set_text(
            f"Shocks sent here are recorded in the manifest, {folder / 'manifest.json'}: "
            f"memopolis repeat {folder} reproduces the run without the dashboard."
        )
        if listed != self._found:
            self._found = listed
            by_hand = sum(entry.by_hand for entry in listed)
            many = "shock" if len(listed) == 1 else "shocks"
            self._count.set_text(f"{len(listed):,} {many}, {by_hand:,} of them sent by hand")
            self._rows.clear()
            with self._rows:
                for number, one in enumerate(select_shown(listed), start=1):
                    _row(number, one, self._live.society.clock.hours)


def _row(number: int, one: Entry, hours: float) -> None:
    classes = f"shock-row {'shock-past' if one.past else 'shock-coming'}"
    with ui.element("li").classes(classes).props(f"data-testid=shock-row-{number}"):
        with ui.element("div").classes("shock-head"):
            ui.label(format_moment(one.date, hours)).classes("shock-date")
            ui.label(one.kind).classes("shock-kind")
            ui.label("past" if one.past else "future").classes("quiet")
            if one.by_hand:
                ui.label("by hand").classes("shock-mark")
        if one.text:
            agent_text(one.text)
        if one.audience:
            agent_text(one.audience).classes("quiet")
