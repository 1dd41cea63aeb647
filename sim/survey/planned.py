"""From settings to a schedule: which surveys a run asks, and at which ticks."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from memopolis.sim.clock import Clock
from memopolis.sim.errors import SettingsError
from memopolis.sim.survey.named import find_survey
from memopolis.sim.survey.schedule import Schedule

if TYPE_CHECKING:
    from memopolis.sim.settings import SurveySettings


def plan(schedule: Schedule, settings: "SurveySettings", clock: Clock, ticks: int) -> None:
    """Put the surveys that settings name into a schedule.

    Args:
        schedule: Where they go.
        settings: Which, when, and whom.
        clock: The run's clock.
        ticks: Length of the run.

    Raises:
        SettingsError: If a date lies outside of the run.
        UnknownNameError: If no survey has a name.
        DataFileError: If a file of a survey cannot be read.
    """
    if not settings.ask:
        return
    when = list(_ticks(settings, clock, ticks))
    for name in settings.ask:
        survey = find_survey(name)
        schedule.on(when, replace(survey, share=survey.share * settings.share))


def _ticks(settings: "SurveySettings", clock: Clock, ticks: int) -> Iterator[int]:
    """The ticks at whose end surveys are asked; the last one where nothing is said."""
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
