"""Which survey is asked when."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memopolis.sim.clock import Clock
from memopolis.sim.errors import ParameterError
from memopolis.sim.survey.survey import Survey


class Schedule:
    """The surveys of a run by tick; they are asked at the end of it, in the order of adding.

    Args:
        clock: The clock of the society, which turns dates into ticks.

    Attributes:
        surveys: Every survey by name.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ticks: dict[int, list[str]] = {}
        self.surveys: dict[str, Survey] = {}

    def at(self, when: datetime | str, survey: Survey) -> None:
        """Let a survey be asked at the end of the tick that covers a moment.

        Args:
            when: Local date and time, a datetime or ISO text, not before the current tick.
            survey: What is asked.

        Raises:
            ParameterError: If `when` is no date or has passed, or another survey has the name.
        """
        tick = self._clock.tick_of(when)
        if tick < self._clock.tick:
            raise ParameterError(
                f"{when} has passed: the clock is at {self._clock.now}; "
                f"give a later time for the survey {survey.name!r}"
            )
        self.on((tick,), survey)

    def on(self, ticks: Iterable[int], survey: Survey) -> None:
        """Let a survey be asked at the end of some ticks; once in a tick, however often set.

        Raises:
            ParameterError: If another survey has the name.
        """
        known = self.surveys.setdefault(survey.name, survey)
        if known != survey:
            raise ParameterError(
                f"there is another survey {survey.name!r}; give one of them another name"
            )
        for tick in ticks:
            names = self._ticks.setdefault(int(tick), [])
            if survey.name not in names:
                names.append(survey.name)

    def due(self, tick: int) -> list[Survey]:
        """The surveys of a tick."""
        return [self.surveys[name] for name in self._ticks.get(tick, ())]

    def __len__(self) -> int:
        """How often a survey is asked in all."""
        return sum(map(len, self._ticks.values()))

    def state(self) -> dict[str, Any]:
        """Give the schedule as plain values."""
        ticks = [[tick, names] for tick, names in sorted(self._ticks.items())]
        return {"surveys": [survey.to_dict() for survey in self.surveys.values()], "ticks": ticks}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over what `state` gave, in place of what is here."""
        made = [Survey.from_dict(values) for values in state["surveys"]]
        self.surveys = {survey.name: survey for survey in made}
        self._ticks = {int(tick): list(names) for tick, names in state["ticks"]}
