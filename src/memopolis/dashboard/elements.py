"""Basic elements of the page: labelled fields, buttons, and texts of agents."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.elements.mixins.value_element import ValueElement
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from memopolis.commands.shown_text import beginning, harmless

_MOVED = "(event) => { element.props.value = event.target.value; emit(event.target.value) }"
_SHOWING: set[Element] = set()  # the element whose value `show_value` is changing

type Handler[T] = Callable[[T], Awaitable[None] | None]
"""Handler of a value that a visitor typed or chose; a coroutine function is awaited."""


def heading(level: int, text: str) -> TextElement:
    """Build a heading, h1 to h6."""
    return TextElement(tag=f"h{level}", text=text)


def select(
    label: str, options: Mapping[str, str], value: str, chosen: Handler[str], *, test_id: str
) -> ui.select:
    """Build a drop-down list."""
    field = ui.select(dict(options), label=label, value=value)
    return _listen(_style(field, test_id).props("options-dense"), chosen)


def panel(test_id: str, label: str = "") -> Element:
    """Build a panel of a tab, to be used as a context manager; `label` is for screen readers."""
    made = ui.element("section").classes("panel").props(f"data-testid={test_id}")
    if label:
        made.props["aria-label"] = label
    return made


def text_field(label: str, value: str, typed: Handler[str], *, test_id: str) -> ui.input:
    """Build a field for a short text."""
    return _listen(_style(ui.input(label, value=value), test_id).props("autocomplete=off"), typed)


def text_area(
    label: str, value: str, typed: Handler[str], *, test_id: str, rows: int = 3
) -> ui.textarea:
    """Build a field for a text of several lines."""
    return _listen(_style(ui.textarea(label, value=value), test_id).props(f"rows={rows}"), typed)


def slider(
    label: str, most: int, value: int, moved: Callable[[int], None], *, test_id: str
) -> Element:
    """Build a slider over whole numbers from 0: the `input`; its property `value` may be set later.

    It is the browser's own, since NiceGUI's slider ignores the keys Home and End.
    """
    made = ui.element("input").props(f"data-testid={test_id} type=range min=0 step=1")
    made.props["max"], made.props["value"], made.props["aria-label"] = most, value, label

    def move(event: GenericEventArguments) -> None:
        # The server does not send the value back, so a slider stays where it is dragged.
        with made.props.suspend_updates():
            made.props["value"] = int(event.args)
        moved(int(event.args))

    return made.on("input", move, throttle=0.05, js_handler=_MOVED)


def checkbox(
    label: str, changed: Handler[bool], *, checked: bool = False, test_id: str = ""
) -> ui.checkbox:
    """Build a check box."""
    return _listen(_name(ui.checkbox(harmless(label), value=checked), test_id), changed)


def button(
    text: str, press: Callable[[], object], *, test_id: str = "", look: str = ""
) -> ui.button:
    """Build a button; `look` has properties of Quasar's button, such as "flat dense"."""
    return _name(ui.button(text, on_click=press).props(f"no-caps {look}"), test_id)


def agent_text(
    text: str, *, test_id: str = "", whole: Callable[[], object] | None = None
) -> TextElement:
    """Show the beginning of an agent's text, with a button for the rest."""
    begun = beginning(text)
    label = ui.label(f"{begun.text}…" if begun.cut else begun.text)
    _name(label.classes("any-text").props("dir=auto"), test_id)
    if begun.cut:
        _add_rest(label, text, whole)
    return label


def _add_rest(label: ui.label, text: str, opened: Callable[[], object] | None) -> None:
    whole, few = f"Show all {len(text):,} characters", "Show less"

    def toggle() -> None:
        # The rest is sent to the browser only now.
        if link.text == whole:
            label.text, link.text = harmless(text), few
            if opened is not None:
                opened()
        else:
            label.text, link.text = f"{beginning(text).text}…", whole

    link = link_button(whole, toggle, test_id="show-all")


def link_button(text: str, press: Callable[[], object], *, test_id: str = "") -> TextElement:
    """Build a button that looks like a link; its text may come from an agent."""
    made = TextElement(tag="button", text=text).classes("link any-text")
    return _name(made.props("type=button dir=auto").on("click", press), test_id)


def note(text: str) -> None:
    """Show a grey line of explanation."""
    ui.label(text).classes("quiet any-text")


def error_line(*, test_id: str = "") -> ui.label:
    """Build a line for an error message, hidden while it is empty."""
    line = ui.label().classes("failed any-text").props("role=alert dir=auto")
    line.set_visibility(False)
    return _name(line, test_id)


def show_line(line: ui.label, text: str) -> None:
    """Show a line, "" to hide it."""
    line.text = harmless(text)
    line.set_visibility(bool(text))


def show_value(element: ValueElement[Any], value: object) -> None:
    """Change the value of a field without calling its handler."""
    _SHOWING.add(element)
    try:
        element.set_value(value)
    finally:
        _SHOWING.remove(element)


def set_properties(element: Element, **properties: object) -> None:
    """Set the properties of an element that differ, and send only those."""
    changed = {key: value for key, value in properties.items() if element.props.get(key) != value}
    if changed:
        element.props.update(changed)
        element.update()


def _style[E: Element](field: E, test_id: str) -> E:
    field.props(f"data-testid={test_id} dense outlined dir=auto")
    return field


def _name[E: Element](element: E, test_id: str) -> E:
    if test_id:
        element.props(f"data-testid={test_id}")
    return element


def _listen[E: ValueElement[Any]](element: E, handler: Handler[Any]) -> E:
    """Call a handler when a visitor changes a value, but not when `show_value` does."""
    # An event of its own would come in a second message, between which the page may be refreshed.

    def changed(event: ValueChangeEventArguments[Any]) -> object:
        return None if element in _SHOWING else handler(event.value)

    element.on_value_change(changed)
    return element
