"""Answers of people on the page, with the memories they are based on, and how they are kept."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from memopolis.analysis.labels import format_moment
from memopolis.analysis.run.conversations import (
    Conversation,
    keep_conversations,
    read_conversations,
)
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.elements import agent_text, link_button, note
from memopolis.dashboard.life.words import describe_mind
from memopolis.sim.errors import RunFolderError

_UNWRITTEN: dict[Path, list[Conversation]] = {}
"""Conversations of this process with runs in folders that cannot be written, by folder."""


def keep(run: Run, asked: Sequence[Conversation]) -> str:
    """Keep conversations in the folder of a run; takes some time.

    Returns "" if they are kept, else why they are kept only until the page is closed.
    """
    try:
        keep_conversations(run.folder, asked)
    except RunFolderError as error:
        _UNWRITTEN.setdefault(run.folder, []).extend(asked)
        return f"Kept only until the server stops: {error}"
    return ""


def kept(run: Run) -> list[Conversation]:
    """Return the conversations up to a moment, the newest first; takes some time.

    Raises RunFolderError if the file with them cannot be read.
    """
    asked = [*read_conversations(run.folder), *_UNWRITTEN.get(run.folder, ())]
    return [conversation for conversation in reversed(asked) if conversation.step <= run.ticks]


type Open = Callable[[int], None]
"""Opens the life of an agent."""


def answer_row(asked: Conversation, opened: Open | None = None) -> None:
    """Show an answer; with `opened`, after the name of the agent, which opens its life."""
    with ui.element("li").classes("memory").props("data-testid=kept-answer"):
        if opened is not None:
            name = one_line(asked.name, most=60)
            link_button(name, partial(opened, asked.agent), test_id=f"asked-{asked.agent}")
        agent_text(asked.answer)
        if asked.texts:
            with ui.element("details"):
                TextElement(tag="summary", text=f"Based on {len(asked.texts)} memories")
                with ui.element("ul").classes("evidence"):
                    for text in asked.texts:
                        with ui.element("li"):
                            agent_text(text)


def describe_asked(run: Run, asked: Conversation) -> str:
    """Describe when an agent was asked, and how the answer was reached."""
    when = run.start + timedelta(hours=run.hours) * asked.step
    who = describe_mind(asked.mind, asked.fault)
    return f"{format_moment(when, run.hours)} · answered by {who}"


def show_summary(asked: Sequence[Conversation]) -> None:
    """Show how many gave which answer: the distribution of ratings, or the commonest words."""
    ratings = [answer.value for answer in asked if answer.value is not None]
    if ratings:
        mean = sum(ratings) / len(ratings)
        note(f"{len(ratings):,} of {len(asked):,} gave a rating; mean {mean:.1f} of 10.")
        _bars(ratings)
        return
    evidence = sum(bool(answer.evidence) for answer in asked)
    note(f"{len(asked):,} answers, {evidence:,} of them based on memories.")


def _bars(ratings: Sequence[float]) -> None:
    """Show the number of ratings near each whole number."""
    counts = [sum(round(rating) == level for rating in ratings) for level in range(11)]
    with ui.element("div").classes("bars rating-bars").props("data-testid=asked-ratings"):
        for level, count in enumerate(counts):
            with ui.element("div").classes("bar"):
                ui.label(f"{level} of 10")
                share = count / max(counts)
                ui.linear_progress(share, show_value=False, size="8px").props(
                    f'instant-feedback aria-label="{count} people rate {level}"'
                )
                ui.label(str(count)).classes("bar-number")
