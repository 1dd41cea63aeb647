"""The memory stream, with search and a filter by topic."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
from nicegui import ui

from memopolis.commands.shown_text import harmless
from memopolis.dashboard.elements import (
    agent_text,
    choice,
    line_box,
    link,
    shown_now,
    tell,
    text_field,
)
from memopolis.dashboard.life.memory_words import MemoryText, describe_memories, topics_of
from memopolis.dashboard.life.opened import Opened
from memopolis.dashboard.life.pieces import Part, bar
from memopolis.dashboard.life.sections import section, side_by_side
from memopolis.dashboard.life.stream import Stream
from memopolis.dashboard.viewer import line_of

if TYPE_CHECKING:
    from memopolis.dashboard.viewer import Viewer

_FOUND = 10
"""Maximum number of results of a search."""
TERMS = ("recency", "importance", "relevance")


class Memories:
    """The stream of each run, and a search over all of them.

    Args:
        viewer: The visitor.
    """

    def __init__(self, viewer: "Viewer") -> None:
        self._viewer = viewer
        self._opened: Sequence[Opened] = ()
        self._query, self._asked, self._topic = "", "", ""
        with section("Memory stream", "memories"):
            with ui.element("form").classes("asked").props("role=search") as form:
                form.on("submit", self._search, js_handler="(e) => {e.preventDefault(); emit()}")
                field = text_field("Search the memories", "", self._typed, named="memory-query")
                self._field = field
                ui.button("Search").props("type=submit no-caps data-testid=memory-search")
                clear = ui.button("Clear", on_click=self._clear)
                clear.props("type=button flat no-caps data-testid=memory-clear")
                self._topics = Part("memory-topics")
                self._topics.box.classes("in-line")
            self._line = line_box(named="memory-error")
            places = side_by_side(viewer)
            self._found = [self._part(place, f"found-{n}") for n, place in enumerate(places, 1)]
            self._streams = []
            for number, place in enumerate(places, 1):
                with place:
                    self._streams.append(Stream(number, self._all_topics))

    def show(self, opened: Sequence[Opened]) -> None:
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
            if one.unremembered:
                self._found[number].show(None, lambda: None)
                continue
            matches = await self._viewer.work(partial(_found, one, asked, topic))
            if (asked, topic, opened) != (self._asked, self._topic, self._opened):
                return
            known = (one.agent, asked, topic, tuple(matches.index), tuple(matches["score"]))
            self._found[number].show(known, partial(self._list, number, one, matches))

    def go_to(self, number: int, memory: int) -> None:
        """Go to a memory in the stream of a run.

        Args:
            number: Of the run, from 0.
            memory: Id of the memory.
        """
        self._streams[number].go_to(memory)

    def _part(self, place: ui.element, named: str) -> Part:
        with place:
            return Part(named)

    def _choose_topic(self, topics: Sequence[str]) -> None:
        shown = {"": "all topics"} | {topic: harmless(topic) for topic in topics}
        self._topic_field = choice("Topic", shown, self._topic, self._set_topic, named="topic")

    def _typed(self, text: str) -> None:
        self._query = text

    async def _set_topic(self, topic: str) -> None:
        self._topic = topic
        self.show(self._opened)
        await self._try()

    def _all_topics(self) -> None:
        self._topic = ""
        shown_now(self._topic_field, value="")
        self.show(self._opened)

    async def _search(self) -> None:
        if not self._query.strip():
            tell(self._line, "Type a text to search for.")
            return
        self._asked = self._query
        await self._try()

    async def _try(self) -> None:
        tell(self._line, "")
        try:
            await self.find()
        except Exception as error:  # noqa: BLE001 - shown beside the field
            tell(self._line, line_of(error))

    def _clear(self) -> None:
        self._query = self._asked = ""
        shown_now(self._field, value="")
        self._field.update()
        tell(self._line, "")
        for part in self._found:
            part.show(None, lambda: None)

    def _list(self, number: int, one: Opened, matches: pd.DataFrame) -> None:
        count = len(matches)
        words = f"{count} results, best first" if count else "No memory is relevant to the search."
        ui.label(words).props("role=status").classes("quiet")
        with ui.element("ol").classes("stream"):
            texts = describe_memories(one.known.memories, matches.index.tolist())
            for memory, row in zip(texts, matches.to_dict("records"), strict=True):
                self._hit(number, memory, row)

    def _hit(self, number: int, entry: MemoryText, row: Mapping[Any, Any]) -> None:
        memory = entry.number
        with ui.element("li").classes("memory").props(f"data-testid=found-memory-{memory}"):
            with ui.element("div").classes("memory-facts"):
                ui.label(entry.when)
                ui.label(entry.topic).classes("topic").props("dir=auto")
                ui.label(f"score {float(row['score']):.2f}").props("data-testid=score")
                link("show in the stream", lambda: self.go_to(number, memory), named="go-to")
            agent_text(entry.text)
            with ui.element("div").classes("bars"):
                for name in TERMS:
                    bar(name, float(row[name]))


def _found(one: Opened, query: str, topic: str) -> pd.DataFrame:
    return one.restored_agent.search(query, k=_FOUND, topic=topic)
