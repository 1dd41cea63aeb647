"""Keyboard shortcuts, which page.js handles, and the dialog that lists them."""

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.dashboard.elements import button, heading

_KEYS = {
    "p": "Start or pause",
    "s": "Step",
    "b": "Back, in a replay",
    "1 to 9": "The tabs, from left to right",
    "?": "This list",
}
_SHOW = "memopolis.showKeys()"


def build_keys() -> None:
    """Build the button that opens the dialog, as the key "?" does."""
    button("Keys", lambda: ui.run_javascript(_SHOW), test_id="keys", look="flat")
    dialog = ui.element("dialog").classes("keys").props("data-testid=keys-dialog")
    dialog.props["aria-label"] = "Keyboard shortcuts"
    with dialog:
        heading(2, "Keyboard shortcuts")
        with ui.element("dl").classes("facts"):
            for key, effect in _KEYS.items():
                with ui.element("div"):
                    TextElement(tag="dt", text=effect)
                    TextElement(tag="dd", text=key)
        with ui.element("label"):
            ui.element("input").props("type=checkbox data-testid=keys-used")
            TextElement(tag="span", text="Use these keys in this browser")
        with ui.element("form").props("method=dialog"):
            TextElement(tag="button", text="Close").classes("link").props("data-testid=keys-close")
