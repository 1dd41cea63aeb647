"""The memories of a citizen, newest first, page by page; one of them may be marked."""

from collections.abc import Callable

import pandas as pd
from nicegui import ui
from nicegui.element import Element

from memopolis.dashboard.elements import agent_text, link_button, note
from memopolis.dashboard.life.components import Part, page_buttons
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.words import (
    MemoryText,
    StreamPage,
    describe_memories,
    is_forgotten,
    newest_first,
    page_of_memory,
    stream_page,
)


class Stream:
    """The stream of one life in the run of a number, from 1.

    `all_topics` removes the filter by topic.
    """

    def __init__(self, number: int, all_topics: Callable[[], None]) -> None:
        self._all_topics = all_topics
        self._message = ui.label().classes("quiet").props(f"data-testid=stream-message-{number}")
        self._message.props("role=status")
        self._part = Part(f"stream-{number}")
        self._opened: OpenedAgent | None = None
        self._topic = ""
        self._page = 0
        self._upto: int | None = None
        self._marked: int | None = None
        self._rows: dict[int, Element] = {}

    def show(self, opened: OpenedAgent, topic: str) -> None:
        """Show a life; keep page and mark if it is the same agent."""
        if self._opened is None or self._opened.agent != opened.agent:
            self._page, self._upto, self._marked = 0, None, None
            self._message.text = ""
        elif topic != self._topic:
            self._page, self._upto = 0, None
        self._opened, self._topic = opened, topic
        self._fill()

    def go_to(self, memory: int) -> None:
        """Show the page with a memory, and mark the memory."""
        if self._opened is None or self._opened.life is None:
            return
        memories = self._opened.life.memories
        if memory not in memories.index:
            self._message.text = f"Memory {memory} is older than the run and was not recorded."
            return
        if self._topic and str(memories.loc[memory, "topic"]) != self._topic:
            self._all_topics()
        ids = newest_first(memories, self._topic)
        page = page_of_memory(ids, memory)
        self._page, self._marked = page or 0, memory
        self._upto = int(ids[0]) if self._page else None
        self._fill()
        self._message.text = _message(memories, memory, self._page)
        if memory in self._rows:
            ui.run_javascript(f"memopolis.reveal({self._rows[memory].id})")

    def _fill(self) -> None:
        if self._opened is None:
            return
        missing = self._opened.missing_memories
        if missing:
            self._part.show(missing, lambda: note(missing))
            return
        memories = self._opened.required_life.memories
        now = stream_page(newest_first(memories, self._topic), self._page, upto=self._upto)
        rows = describe_memories(memories, now.numbers, hours=self._opened.run.hours)
        shown = (self._opened.agent, now, rows, self._marked)
        self._part.show(shown, lambda: self._build(now, rows))

    def _build(self, now: StreamPage, rows: tuple[MemoryText, ...]) -> None:
        about = f" about {self._topic}" if self._topic else ""
        note(f"Memories{about}, newest first: {now.page.description}")
        if now.newer:
            link_button(
                f"{now.newer:,} newer memories: show them", self._newest, test_id="newer-memories"
            )
        self._rows = {}
        with ui.element("ul").classes("stream"):
            for one in rows:
                self._rows[one.number] = self._row(one)
        page_buttons(now.page, self._turn, test_id="stream-pages")

    def _row(self, one: MemoryText) -> Element:
        with ui.element("li").classes("memory") as row:
            row.props(f"data-testid=memory-{one.number} tabindex=-1")
            if one.number == self._marked:
                row.classes("marked").props("aria-current=true")
            with ui.element("div").classes("memory-facts"):
                ui.label(one.when)
                ui.label(one.topic).classes("topic").props("dir=auto")
                ui.label(" · ".join(one.notes))
            agent_text(one.text, whole=self._stay)
        return row

    def _turn(self, page: int) -> None:
        self._stay()
        self._page = page
        if not page:
            self._upto = None
        self._fill()

    def _stay(self) -> None:
        """Stop updating the page while the visitor reads it."""
        if self._upto is None and self._opened is not None and self._opened.life is not None:
            ids = newest_first(self._opened.life.memories, self._topic)
            self._upto = int(ids[0]) if len(ids) else None

    def _newest(self) -> None:
        self._page, self._upto = 0, None
        self._fill()


def _message(memories: pd.DataFrame, memory: int, page: int) -> str:
    where = f"Memory {memory} is marked, on page {page + 1:,}."
    if is_forgotten(memories, memory):
        return f"{where} It has since been forgotten."
    return where
