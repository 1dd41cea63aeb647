"""A diary that schedules the same for everybody, for tests of what carries it out."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.blocks.diary import KeepDiary
from memopolis.agents.day.time_use import FIRST_SLOT_HOUR, SLOTS


class Scheduled(KeepDiary):
    """Schedules one activity, or the latest of `activities` by the hour from which it is done.

    `before` is scheduled for the half hour before each hour's, if that is another activity.
    """

    def __init__(
        self, activities: Activity | Mapping[int, Activity], before: Activity | None = None
    ) -> None:
        by_hour = activities if isinstance(activities, Mapping) else {0: activities}
        first = sorted(by_hour)
        # The hour that each half hour belongs to, and the half hour before the diary begins.
        hours = (FIRST_SLOT_HOUR + 0.25 + np.arange(-1, SLOTS) / 2).astype(int) % 24
        self.day = np.array(
            [by_hour[max([at for at in first if at <= hour] or first[-1:])] for hour in hours],
            np.uint8,
        )
        if before is not None:
            self.day[::2] = before

    def _begin(self) -> None:
        self._draw()

    def _draw(self, *_: Any, **__: Any) -> None:
        self.days = np.tile(self.day, (len(self.population), 1))
