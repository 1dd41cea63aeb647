"""The list of lines in the browser."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments


class FeedList(Element, component="feed_list.js"):  # type: ignore[call-arg]
    """Lines, the newest first, that open lives.

    `opened` is called with the unique_id of an agent whose name was clicked.
    """

    def __init__(self, opened: Callable[[int], None]) -> None:
        super().__init__()
        self._props["lines"] = []

        def handle(event: GenericEventArguments) -> None:
            opened(int(event.args))

        self.on("open", handle)

    def show(self, lines: Sequence[dict[str, Any]]) -> None:
        """Show lines; nothing is sent if they are the same."""
        if self._props["lines"] != list(lines):
            self._props["lines"] = list(lines)
            self.update()
