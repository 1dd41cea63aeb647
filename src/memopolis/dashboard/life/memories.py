"""The memory stream, with search and a filter by topic."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from nicegui import ui
from nicegui.element import Element

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import (
    agent_text,
    button,
    link_button,
    note,
    select,
    show_value,
    text_field,
)
from memopolis.dashboard.life.answer_panel import Answer, Answers
from memopolis.dashboard.life.components import Part, bar, page_buttons, section, side_by_side
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.words import (
    MemoryText,
    StreamPage,
    describe_memories,
    is_forgotten,
    newest_first,
    page_of_memory,
    stream_page,
    topics_of,
)
from memopolis.dashboard.viewer import Viewer

# The memories of a citizen, newest first, page by page; one of them may be marked.


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
            for row in rows:
                self._rows[row.number] = self._row(row)
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


_MOST_RESULTS = 10
_TERMS = ("recency", "importance", "relevance")


class Memories:
    """The stream of each run, and a search over all of them."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._opened: Sequence[OpenedAgent] = ()
        self._typed, self._query, self._topic = "", "", ""
        with section("Memory stream", "memories"):
            with ui.element("div").classes("asked").props("role=search"):
                self._field = text_field(
                    "Search the memories", "", self._type, test_id="memory-query"
                ).on("keydown.enter", self._search, [])
                button("Search", self._search, test_id="memory-search")
                button("Clear", self._clear, test_id="memory-clear", look="flat")
                self._topics = Part("memory-topics")
                self._topics.box.classes("in-line")
            self._results = Answers(viewer, "found", "memory-error")
            self._streams = side_by_side(viewer, lambda number: Stream(number, self._all_topics))

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Update the streams; keep the typed text."""
        self._opened = opened
        lives = [agent.life for agent in opened if agent.life is not None]
        topics = sorted({topic for life in lives for topic in topics_of(life.memories)})
        if self._topic not in topics:
            self._topic = ""
        self._topics.show(tuple(topics), lambda: self._choose_topic(topics))
        for one, stream in zip(opened, self._streams, strict=True):
            stream.show(one, self._topic)

    async def find(self) -> None:
        """Repeat the last search in the current memories."""
        if self._query:
            await self._results.fill(self._opened, self._find)

    def go_to(self, number: int, memory: int) -> None:
        """Go to a memory in the stream of the run of a number, from 0."""
        self._streams[number].go_to(memory)

    async def _find(self, number: int, one: OpenedAgent) -> Answer:
        if one.missing_memories:
            return None  # the stream says so
        query, topic = self._query, self._topic
        matches = await self._viewer.work(
            lambda: one.restored_agent.search(query, k=_MOST_RESULTS, topic=topic)
        )
        key = (one.agent, query, topic, tuple(matches.index), tuple(matches["score"]))
        return key, partial(self._list, number, one, matches)

    def _choose_topic(self, topics: Sequence[str]) -> None:
        shown = {"": "all topics"} | {topic: harmless(topic) for topic in topics}
        self._topic_field = select("Topic", shown, self._topic, self._set_topic, test_id="topic")

    def _type(self, text: str) -> None:
        self._typed = text

    async def _set_topic(self, topic: str) -> None:
        self._topic = topic
        self.show(self._opened)
        await self.find()

    def _all_topics(self) -> None:
        self._topic = ""
        show_value(self._topic_field, "")
        self.show(self._opened)

    async def _search(self) -> None:
        if not self._typed.strip():
            self._results.show_error("Type a text to search for.")
            return
        self._query = self._typed
        await self.find()

    def _clear(self) -> None:
        self._typed = self._query = ""
        show_value(self._field, "")
        self._results.clear()

    def _list(self, number: int, one: OpenedAgent, matches: pd.DataFrame) -> None:
        count = len(matches)
        note(f"{count} results, best first" if count else "No memory is relevant to the search.")
        with ui.element("ol").classes("stream"):
            texts = describe_memories(
                one.required_life.memories, matches.index.tolist(), hours=one.run.hours
            )
            for memory, row in zip(texts, matches.to_dict("records"), strict=True):
                self._result(number, memory, row)

    def _result(self, number: int, memory: MemoryText, row: Mapping[Any, Any]) -> None:
        test_id = f"found-memory-{memory.number}"
        with ui.element("li").classes("memory").props(f"data-testid={test_id}"):
            with ui.element("div").classes("memory-facts"):
                ui.label(memory.when)
                ui.label(memory.topic).classes("topic").props("dir=auto")
                ui.label(f"score {float(row['score']):.2f}").props("data-testid=score")
                show = partial(self.go_to, number, memory.number)
                link_button("show in the stream", show, test_id="go-to")
            agent_text(memory.text)
            with ui.element("div").classes("bars"):
                for name in _TERMS:
                    bar(name, float(row[name]))
