"""Schedule of the surveys of a run, from settings and from code."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memopolis.sim.clock import Clock
from memopolis.sim.errors import ParameterError, SettingsError
from memopolis.sim.survey.named import find_survey
from memopolis.sim.survey.survey import Survey

if TYPE_CHECKING:
    from memopolis.sim.settings import SurveySettings


class Schedule:
    """The surveys of a run, asked at the end of their ticks in the order of scheduling."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ticks: dict[int, list[str]] = {}
        self.surveys: dict[str, Survey] = {}

    def at(self, when: datetime | str, survey: Survey) -> None:
        """Schedule a survey for the end of the tick that covers a date, which has not passed."""
        tick = self._clock.tick_of(when)
        if tick < self._clock.tick:
            raise ParameterError(
                f"{when} has passed: the clock is at {self._clock.now}; "
                f"give a later time for the survey {survey.name!r}"
            )
        self.on((tick,), survey)

    def on(self, ticks: Iterable[int], survey: Survey) -> None:
        """Schedule a survey for the end of several ticks, at most once per tick."""
        known = self.surveys.setdefault(survey.name, survey)
        if known != survey:
            raise ParameterError(
                f"there is another survey {survey.name!r}; give one of them another name"
            )
        for tick in ticks:
            names = self._ticks.setdefault(int(tick), [])
            if survey.name not in names:
                names.append(survey.name)

    def plan(self, settings: "SurveySettings", ticks: int) -> None:
        """Schedule the surveys that settings name, in a run of a number of ticks."""
        if not settings.ask:
            return
        when = list(_ticks(settings, self._clock, ticks))
        for name in settings.ask:
            survey = find_survey(name)
            self.on(when, replace(survey, share=survey.share * settings.share))

    def due(self, tick: int) -> list[Survey]:
        """Return the surveys of a tick."""
        return [self.surveys[name] for name in self._ticks.get(tick, ())]

    def __len__(self) -> int:
        """Number of times that surveys are asked."""
        return sum(map(len, self._ticks.values()))

    def state(self) -> dict[str, Any]:
        """Return the schedule as plain values."""
        ticks = [[tick, names] for tick, names in sorted(self._ticks.items())]
        return {"surveys": [survey.to_dict() for survey in self.surveys.values()], "ticks": ticks}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the schedule by the result of `state`."""
        made = [Survey.from_dict(values) for values in state["surveys"]]
        self.surveys = {survey.name: survey for survey in made}
        self._ticks = {int(tick): list(names) for tick, names in state["ticks"]}


def _ticks(settings: "SurveySettings", clock: Clock, ticks: int) -> Iterator[int]:
    """Yield the ticks at whose end surveys are asked; the last tick by default."""
    for date in settings.at:
        tick = clock.tick_of(date)
        if not 0 <= tick < ticks:
            last = clock.date_of(ticks - 1)
            raise SettingsError(
                f"survey.at was given {date}; the run has the times {clock.start} to {last}"
            )
        yield tick
    if settings.every is not None:
        yield from range(clock.ticks(settings.every) - 1, ticks, clock.ticks(settings.every))
    elif not settings.at:
        yield ticks - 1
