"""The tab "Ask": a question to a sample of people in a place."""

import threading
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from nicegui import run, ui

from memopolis.analysis.run.conversations import Conversation
from memopolis.analysis.run.run import Run
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.ask.answers import answer_row, describe_asked, keep, kept, show_summary
from memopolis.dashboard.elements import (
    agent_text,
    button,
    error_line,
    heading,
    note,
    panel,
    select,
    show_line,
    text_field,
)
from memopolis.dashboard.life.components import Part, run_select, zone_select
from memopolis.dashboard.life.minds import MODEL, RULE, minds_of
from memopolis.dashboard.viewer import Viewer, line_of

NUMBERS = (10, 50, 200)  # numbers of people that can be asked at once
_USUAL = "50"
_EVERYWHERE = ""
_FORMS = {"words": "in words", "rating": "as a rating from 0 to 10"}
_SHOWN = 20  # answers shown at first
_INTERVAL = 0.4  # seconds between two updates of the answers while people are asked


def ask(viewer: Viewer) -> None:
    """Ask a sample of people a question; answers are kept with the run."""
    _GroupPanel(viewer)


class _Asking:
    """One question to a group, asked in a thread that can be stopped."""

    def __init__(self, run: Run, question: str, group: str) -> None:
        self.run, self.question, self.group = run, question, group
        self.answers: list[Conversation] = []
        self.total = 0
        self.stopping = threading.Event()

    def ask_all(self, asked: Iterator[Conversation]) -> str:
        """Collect the answers until all are asked or it is stopped, and keep them."""
        for answer in asked:
            self.answers.append(answer)
            if self.stopping.is_set():
                break
        return keep(self.run, self.answers) if self.answers else ""


class _GroupPanel:
    """The question of one visitor."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._run_number = 0
        self._question, self._zone, self._count = "", _EVERYWHERE, _USUAL
        self._form, self._mind = "words", RULE
        self._asking: _Asking | None = None
        self._most = _SHOWN
        with panel("ask-group"):
            heading(2, "Ask people")
            note(
                "A sample of adults answers from their memories, attitudes and recorded decisions. "
                "Copies of them are asked, so the run does not change."
            )
            with ui.element("div").classes("asked"):
                self._controls()
            with ui.element("div").classes("who"):
                self._state = ui.label().props("role=status data-testid=group-state")
                self._stop = button("Stop asking", self._stop_it, test_id="group-stop")
                self._stop.props("outline dense")
                self._stop.set_visibility(False)
            self._line = error_line(test_id="group-error")
            self._result = Part("group-answers")
        with panel("ask-kept"):
            heading(2, "Earlier questions")
            self._file = ui.label().classes("quiet any-text")
            self._kept = Part("group-kept")
        viewer.on_change(self._show_kept)

    @property
    def _run(self) -> Run:
        return self._viewer.runs[self._run_number]

    def _controls(self) -> None:
        field = text_field("Your question", "", self._set("_question"), test_id="group-question")
        field.on("keydown.enter", self._ask, [])
        zone = self._set("_zone")
        zone_select("Where", "everywhere", self._run, zone, test_id="group-place")
        numbers = {str(number): f"{number} people" for number in NUMBERS}
        select("How many", numbers, _USUAL, self._set("_count"), test_id="group-number")
        select("Answer", _FORMS, "words", self._set("_form"), test_id="group-form")
        minds = minds_of(self._viewer.watch.mind)
        if len(minds) > 1:
            select("Answered by", minds, RULE, self._set("_mind"), test_id="group-mind")
        run_select(self._viewer, self._choose_run, test_id="group-run")
        button("Ask", self._ask, test_id="group-ask")

    def _set(self, name: str) -> Any:
        return lambda value: setattr(self, name, value)

    async def _choose_run(self, number: str) -> None:
        self._run_number = int(number)
        await self._show_kept()

    def _stop_it(self) -> None:
        if self._asking is not None:
            self._asking.stopping.set()

    async def _ask(self) -> None:
        """Ask the sample, and show answers as they come."""
        question = self._question.strip()
        if not question:
            show_line(self._line, "Type a question, such as: How much do you trust the government?")
            return
        if self._asking is not None:
            return
        show_line(self._line, "")
        asking = self._asking = _Asking(self._run, question, self._describe_group())
        self._most = _SHOWN
        self._stop.set_visibility(True)
        timer = ui.timer(_INTERVAL, lambda: self._show(asking))
        form, mind = self._form, self._viewer.watch.mind if self._mind == MODEL else {}
        count, zone = int(self._count), -1 if self._zone == _EVERYWHERE else int(self._zone)

        def ask_all() -> str:
            from memopolis.analysis.interview.group import ask_people, sample_people

            agents = sample_people(asking.run, count, zone=zone)
            asking.total = len(agents)
            asked = ask_people(
                asking.run,
                agents,
                question,
                form="rating" if form == "rating" else "words",
                settings=mind,
                group=asking.group,
            )
            return asking.ask_all(asked)

        try:
            show_line(self._line, await run.io_bound(ask_all) or "")
        except Exception as error:  # noqa: BLE001 - shown beside the fields
            show_line(self._line, line_of(error))
        finally:
            timer.cancel()
            self._asking = None
            self._stop.set_visibility(False)
            self._show(asking)
        await self._show_kept()

    def _describe_group(self) -> str:
        where = "everywhere"
        if self._zone != _EVERYWHERE:
            where = f"in {self._run.place_name(int(self._zone))}"
        return f"up to {self._count} adults {where}"

    # Display

    def _show(self, asking: _Asking) -> None:
        answers = list(asking.answers)
        if asking is self._asking:
            self._state.text = f"Asked {len(answers):,} of {asking.total or '…'}"
        else:
            whole = len(answers) == asking.total
            self._state.text = f"{len(answers):,} people answered{'' if whole else '; stopped'}"
        key = (id(asking), len(answers), self._most)
        self._result.show(key, lambda: self._build(asking.run, answers))

    def _build(self, run: Run, answers: list[Conversation]) -> None:
        if not answers:
            return
        agent_text(f"{answers[0].question} ({answers[0].group})", test_id="group-asked")
        note(describe_asked(run, answers[0]))
        show_summary(answers)
        with ui.element("ul").classes("stream"):
            for answer in answers[: self._most]:
                answer_row(answer, self._viewer.choose)
        if len(answers) > self._most:
            note(f"and {len(answers) - self._most:,} more, in the file of conversations")

    async def _show_kept(self) -> None:
        """Show the earlier questions to groups, the newest first."""
        run = self._run
        asked = await self._viewer.work(lambda: kept(run))
        groups = [
            list(answers)
            for (_, group, _), answers in groupby(
                asked, key=lambda answer: (answer.step, answer.group, answer.question)
            )
            if group
        ]
        self._file.text = f"Kept in {run.folder / 'conversations.jsonl'}"
        key = tuple((len(group), group[0]) for group in groups)
        self._kept.show(key, lambda: self._build_kept(run, groups))

    def _build_kept(self, run: Run, groups: list[list[Conversation]]) -> None:
        if not groups:
            note("No group was asked so far.")
        for group in groups:
            title = one_line(group[0].question, most=80)
            with ui.expansion(title, caption=f"{group[0].group} · {len(group)} answers") as fold:
                fold.props("data-testid=kept-group dense").classes("kept-group")
            fold.on_value_change(
                lambda event, fold=fold, group=group: (
                    self._open_kept(run, fold, group) if event.value else None
                )
            )

    def _open_kept(self, run: Run, fold: ui.expansion, group: list[Conversation]) -> None:
        fold.clear()
        with fold:
            self._build(run, group[::-1])
