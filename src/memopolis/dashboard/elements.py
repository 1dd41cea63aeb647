"""Basic elements of the page: plain HTML fields and buttons, and texts of agents."""

from collections.abc import Awaitable, Callable, Mapping

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from memopolis.commands.shown_text import beginning, harmless

type Heard = Callable[[str], Awaitable[None] | None]
"""Handler of a value that a visitor typed or chose; a coroutine function is awaited."""

# The browser keeps its own copy of what is typed, and the server does not send it back: a late
# answer would remove letters that were typed meanwhile.
_TYPED = "(event) => { element.props.value = event.target.value; emit(event.target.value) }"


def heading(level: int, text: str) -> TextElement:
    """A heading, h1 to h6."""
    return TextElement(tag=f"h{level}", text=text)


def labelled(text: str) -> Element:
    """A label around an element, which is built inside it."""
    label = ui.element("label").classes("labelled")
    with label:
        TextElement(tag="span", text=text)
    return label


def choice(
    label: str,
    options: Mapping[str, str],
    value: str,
    chosen: Heard,
    *,
    named: str,
) -> Element:
    """Build a drop-down list.

    Args:
        label: The label.
        options: Displayed texts by value.
        value: The initial choice.
        chosen: Called with the value that the visitor chose.
        named: Its data-testid.

    Returns:
        The `select`; its property `value` may be set later.
    """
    with labelled(label):
        made = ui.element("select").props(f"data-testid={named}")
        made.props["value"] = value
        with made:
            for key, shown in options.items():
                TextElement(tag="option", text=shown).props["value"] = key

    return _heard(made, "change", chosen)


def text_field(label: str, value: str, typed: Heard, *, named: str) -> Element:
    """Build a field for a short text.

    Args:
        label: The label.
        value: The initial text.
        typed: Called with the text after each change.
        named: Its data-testid.

    Returns:
        The `input`; its property `value` may be set later.
    """
    with labelled(label):
        made = ui.element("input").props(f"data-testid={named} type=text autocomplete=off")
        made.props["value"] = value

    return _heard(made, "input", typed)


def words_field(label: str, value: str, typed: Heard, *, named: str, rows: int = 3) -> Element:
    """Build a field for a text of several lines.

    Args:
        label: The label.
        value: The initial text.
        typed: Called with the text after each change.
        named: Its data-testid.
        rows: Number of visible lines.

    Returns:
        The `textarea`; its property `value` may be set later.
    """
    with labelled(label):
        made = ui.element("textarea").props(f"data-testid={named} rows={rows} dir=auto")
        made.props["value"] = value

    return _heard(made, "input", typed)


def range_field(
    label: str, most: int, value: int, moved: Callable[[int], None], *, named: str
) -> Element:
    """Build a slider over whole numbers from 0.

    Args:
        label: The label.
        most: The maximum.
        value: The initial position.
        moved: Called with the number that the visitor chose.
        named: Its data-testid.

    Returns:
        The `input`; its property `value` may be set later.
    """
    made = ui.element("input").props(f"data-testid={named} type=range min=0 step=1")
    made.props["max"], made.props["value"], made.props["aria-label"] = most, value, label

    def hear(event: GenericEventArguments) -> None:
        # The server does not move a slider that the visitor is dragging.
        _keep(made, int(event.args))
        moved(int(event.args))

    made.on(
        "input",
        hear,
        throttle=0.05,
        js_handler=_TYPED,
    )
    return made


def agent_text(
    text: str, *, named: str = "", whole: Callable[[], object] | None = None
) -> TextElement:
    """Show the beginning of an agent's text, with a button for the rest.

    Args:
        text: As it was written.
        named: Its data-testid, "" for none.
        whole: Called when the rest is shown.
    """
    begun = beginning(text)
    label = ui.label(f"{begun.text}…" if begun.cut else begun.text)
    label.classes("any-text").props("dir=auto")
    if named:
        label.props(f"data-testid={named}")
    if begun.cut:
        _rest(label, text, whole)
    return label


def _rest(label: ui.label, text: str, opened: Callable[[], object] | None) -> None:
    whole, few = f"Show all {len(text):,} characters", "Show less"

    def turn() -> None:
        # The rest is sent to the browser only now.
        begun = beginning(text)
        if button.text == whole:
            label.text, button.text = harmless(text), few
            if opened is not None:
                opened()
        else:
            label.text, button.text = f"{begun.text}…", whole

    button = link(whole, turn, named="show-all")


def link(text: str, press: Callable[[], object], *, named: str = "") -> TextElement:
    """Build a button that looks like a link; its text may come from an agent.

    Args:
        text: The label.
        press: Called when it is pressed.
        named: Its data-testid, "" for none.
    """
    button = TextElement(tag="button", text=text).classes("link any-text")
    button.props("type=button dir=auto").on("click", press)
    if named:
        button.props(f"data-testid={named}")
    return button


def quiet(text: str) -> None:
    """Show a grey line that explains why something is missing."""
    ui.label(text).classes("quiet any-text")


def line_box(*, named: str = "") -> ui.label:
    """Build a line for an error message, hidden while it is empty."""
    line = ui.label().classes("failed any-text").props("role=alert dir=auto")
    if named:
        line.props(f"data-testid={named}")
    line.set_visibility(False)
    return line


def tell(line: ui.label, text: str) -> None:
    """Show a line, "" to hide it."""
    line.text = harmless(text)
    line.set_visibility(bool(text))


def shown_now(element: Element, **properties: object) -> None:
    """Set the properties of an element that differ, and send only those."""
    changed = {key: value for key, value in properties.items() if element.props.get(key) != value}
    if changed:
        element.props.update(changed)
        element.update()


def _heard(made: Element, event: str, heard: Heard) -> Element:
    """Call a handler whenever the text of a field changes."""

    def hear(opened: GenericEventArguments) -> Awaitable[None] | None:
        _keep(made, str(opened.args))
        return heard(str(opened.args))

    return made.on(event, hear, js_handler=_TYPED)


def _keep(element: Element, value: object) -> None:
    """Store the text of a field without sending it back to the browser."""
    with element.props.suspend_updates():
        element.props["value"] = value
