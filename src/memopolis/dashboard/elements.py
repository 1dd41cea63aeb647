"""What the whole page is built of: plain HTML elements where Quasar has others, and texts."""

from collections.abc import Awaitable, Callable, Mapping

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from memopolis.commands.shown_text import beginning, harmless

type Heard = Callable[[str], Awaitable[None] | None]
"""What hears of a value that a visitor typed or chose; a coroutine function is awaited."""

# What is typed stands in the browser's own copy of the element at once, and is not sent back: an
# answer that comes late would take letters away that were typed meanwhile.
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
    """A list to choose one of.

    Args:
        label: Says what is chosen.
        options: What is shown, by value.
        value: Which is chosen at first.
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
    """A field for a short text.

    Args:
        label: Says what is typed.
        value: What stands there at first.
        typed: Called with what stands there after each change.
        named: Its data-testid.

    Returns:
        The `input`; its property `value` may be set later.
    """
    with labelled(label):
        made = ui.element("input").props(f"data-testid={named} type=text autocomplete=off")
        made.props["value"] = value

    return _heard(made, "input", typed)


def words_field(label: str, value: str, typed: Heard, *, named: str, rows: int = 3) -> Element:
    """A field for words of several lines.

    Args:
        label: Says what is typed.
        value: What stands there at first.
        typed: Called with what stands there after each change.
        named: Its data-testid.
        rows: Lines that are seen at once.

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
    """A slider over whole numbers from 0, moved by the mouse or by the arrow keys.

    Args:
        label: Says what is chosen.
        most: The highest number.
        value: Where it stands at first.
        moved: Called with the number to which the visitor moved it.
        named: Its data-testid.

    Returns:
        The `input`; its property `value` may be set later.
    """
    made = ui.element("input").props(f"data-testid={named} type=range min=0 step=1")
    made.props["max"], made.props["value"], made.props["aria-label"] = most, value, label

    def hear(event: GenericEventArguments) -> None:
        # What the visitor holds in hand is not moved by the page.
        _keep(made, int(event.args))
        moved(int(event.args))

    made.on(
        "input",
        hear,
        throttle=0.05,
        js_handler=_TYPED,
    )
    return made


def said(text: str, *, named: str = "", whole: Callable[[], object] | None = None) -> TextElement:
    """A text of an agent, as text: its beginning, and a button that shows the rest of it.

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


def _rest(label: ui.label, text: str, told: Callable[[], object] | None) -> None:
    whole, few = f"Show all {len(text):,} characters", "Show less"

    def turn() -> None:
        # The rest leaves the server only now.
        begun = beginning(text)
        if button.text == whole:
            label.text, button.text = harmless(text), few
            if told is not None:
                told()
        else:
            label.text, button.text = f"{begun.text}…", whole

    button = link(whole, turn, named="show-all")


def link(text: str, press: Callable[[], object], *, named: str = "") -> TextElement:
    """A button that looks like a link; its text may be of an agent.

    Args:
        text: Stands on it.
        press: Called when it is pressed.
        named: Its data-testid, "" for none.
    """
    button = TextElement(tag="button", text=text).classes("link any-text")
    button.props("type=button dir=auto").on("click", press)
    if named:
        button.props(f"data-testid={named}")
    return button


def quiet(text: str) -> None:
    """A line in grey: what there is not, and why."""
    ui.label(text).classes("quiet any-text")


def line_box(*, named: str = "") -> ui.label:
    """A place for one line of an error, hidden while there is none."""
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
    """Set properties of an element that differ from what it has, and send nothing else."""
    changed = {key: value for key, value in properties.items() if element.props.get(key) != value}
    if changed:
        element.props.update(changed)
        element.update()


def _heard(made: Element, event: str, heard: Heard) -> Element:
    """Tell what stands in a field whenever it changes."""

    def hear(told: GenericEventArguments) -> Awaitable[None] | None:
        _keep(made, str(told.args))
        return heard(str(told.args))

    return made.on(event, hear, js_handler=_TYPED)


def _keep(element: Element, value: object) -> None:
    """Know what stands in a field, without sending it to the browser that has it."""
    with element.props.suspend_updates():
        element.props["value"] = value
