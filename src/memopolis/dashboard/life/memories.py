"""The memory stream, with search and a filter by topic."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
from nicegui import ui

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import (
    agent_text,
    error_line,
    link_button,
    select,
    show_line,
    show_value,
    text_field,
)
from memopolis.dashboard.life.components import Part, bar, section, side_by_side
from memopolis.dashboard.life.memory_words import MemoryText, describe_memories, topics_of
from memopolis.dashboard.life.opened import OpenedAgent
from memopolis.dashboard.life.stream import Stream
from memopolis.dashboard.viewer import line_of

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer

_MOST_RESULTS = 10
"""Maximum number of results of a search."""
TERMS = ("recency", "importance", "relevance")


class Memories:
    """The stream of each run, and a search over all of them."""

    def __init__(self, viewer: "Viewer") -> None:
        self._viewer = viewer
        self._opened: Sequence[OpenedAgent] = ()
        self._query, self._asked, self._topic = "", "", ""
        with section("Memory stream", "memories"):
            with ui.element("div").classes("asked").props("role=search"):
                self._field = text_field(
                    "Search the memories", "", self._type, test_id="memory-query"
                ).on("keydown.enter", self._search, [])
                search = ui.button("Search", on_click=self._search)
                search.props("no-caps data-testid=memory-search")
                clear = ui.button("Clear", on_click=self._clear)
                clear.props("flat no-caps data-testid=memory-clear")
                self._topics = Part("memory-topics")
                self._topics.box.classes("in-line")
            self._line = error_line(test_id="memory-error")
            sides = side_by_side(
                viewer, lambda number: (Part(f"found-{number}"), Stream(number, self._all_topics))
            )
            self._results, self._streams = zip(*sides, strict=True)

    def show(self, opened: Sequence[OpenedAgent]) -> None:
        """Update the streams; keep the typed text."""
        self._opened = opened
        lives = [one.life for one in opened if one.life is not None]
        topics = sorted({topic for life in lives for topic in topics_of(life.memories)})
        if self._topic not in topics:
            self._topic = ""
        self._topics.show(tuple(topics), lambda: self._choose_topic(topics))
        for one, stream in zip(opened, self._streams, strict=True):
            stream.show(one, self._topic)

    async def find(self) -> None:
        """Repeat the last search in the current memories."""
        if not self._asked:
            return
        asked, topic, opened = self._asked, self._topic, self._opened
        for number, one in enumerate(opened):
            if one.missing_memories:
                self._results[number].show(None, lambda: None)
                continue
            matches = await self._viewer.work(partial(_search_in, one, asked, topic))
            if (asked, topic, opened) != (self._asked, self._topic, self._opened):
                return
            known = (one.agent, asked, topic, tuple(matches.index), tuple(matches["score"]))
            self._results[number].show(known, partial(self._list, number, one, matches))

    def go_to(self, number: int, memory: int) -> None:
        """Go to a memory in the stream of a run.

        Args:
            number: Number of the run, from 0.
            memory: Id of the memory.
        """
        self._streams[number].go_to(memory)

    def _choose_topic(self, topics: Sequence[str]) -> None:
        shown = {"": "all topics"} | {topic: harmless(topic) for topic in topics}
        self._topic_field = select("Topic", shown, self._topic, self._set_topic, test_id="topic")

    def _type(self, text: str) -> None:
        self._query = text

    async def _set_topic(self, topic: str) -> None:
        self._topic = topic
        self.show(self._opened)
        await self._try()

    def _all_topics(self) -> None:
        self._topic = ""
        show_value(self._topic_field, "")
        self.show(self._opened)

    async def _search(self) -> None:
        if not self._query.strip():
            show_line(self._line, "Type a text to search for.")
            return
        self._asked = self._query
        await self._try()

    async def _try(self) -> None:
        show_line(self._line, "")
        try:
            await self.find()
        except Exception as error:  # noqa: BLE001 - shown beside the field
            show_line(self._line, line_of(error))

    def _clear(self) -> None:
        self._query = self._asked = ""
        show_value(self._field, "")
        show_line(self._line, "")
        for part in self._results:
            part.show(None, lambda: None)

    def _list(self, number: int, one: OpenedAgent, matches: pd.DataFrame) -> None:
        count = len(matches)
        words = f"{count} results, best first" if count else "No memory is relevant to the search."
        ui.label(words).props("role=status").classes("quiet")
        with ui.element("ol").classes("stream"):
            texts = describe_memories(one.required_life.memories, matches.index.tolist())
            for memory, row in zip(texts, matches.to_dict("records"), strict=True):
                self._hit(number, memory, row)

    def _hit(self, number: int, entry: MemoryText, row: Mapping[Any, Any]) -> None:
        memory = entry.number
        with ui.element("li").classes("memory").props(f"data-testid=found-memory-{memory}"):
            with ui.element("div").classes("memory-facts"):
                ui.label(entry.when)
                ui.label(entry.topic).classes("topic").props("dir=auto")
                ui.label(f"score {float(row['score']):.2f}").props("data-testid=score")
                link_button(
                    "show in the stream", lambda: self.go_to(number, memory), test_id="go-to"
                )
            agent_text(entry.text)
            with ui.element("div").classes("bars"):
                for name in TERMS:
                    bar(name, float(row[name]))


def _search_in(one: OpenedAgent, query: str, topic: str) -> pd.DataFrame:
    return one.restored_agent.search(query, k=_MOST_RESULTS, topic=topic)
