"""Light and dark mode of the page; the browser keeps a visitor's choice in a cookie."""

from nicegui import ui

from memopolis.dashboard.elements import select

_COOKIE = "memopolis-mode"
_YEAR = 365 * 24 * 3600
_LABELS = {"system": "As the system", "light": "Light", "dark": "Dark"}
_IS_DARK = {"system": None, "light": False, "dark": True}
SCRIPT = f"""{{
  const mode = document.cookie.match(/(?:^|; ){_COOKIE}=(light|dark)/)?.[1];
  if (mode) document.getElementById("nicegui-color-scheme").content = mode;
}}"""
"""Applies the choice before anything is drawn, so that a dark page does not flash."""


def mode_select() -> None:
    """Build the choice of the mode, and apply the one that the browser has kept."""
    kept = ui.context.client.request.cookies.get(_COOKIE, "")
    first = kept if kept in _LABELS else "system"
    dark = ui.dark_mode(_IS_DARK[first])

    def choose(mode: str) -> None:
        dark.value = _IS_DARK[mode]
        cookie = f"{_COOKIE}={mode}; path=/; max-age={_YEAR}; samesite=strict"
        ui.run_javascript(f"document.cookie = '{cookie}'")

    select("Colours", _LABELS, first, choose, test_id="mode")
