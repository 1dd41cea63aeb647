"""What a page watches: a run under way, or runs that have ended, at one moment."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from memopolis.analysis.run.run import Run

FASTEST = float("inf")
"""Speed of a watch that goes on as fast as it can."""


class Watch(Protocol):
    """A clock over one run or two, with what stands at its moment.

    All of it is quick and never waits for a step, so that a page may ask at any time.
    """

    @property
    def title(self) -> str:
        """What is watched, for a heading: a scenario's name, or those of two runs."""
        ...

    @property
    def mind(self) -> Mapping[str, object]:
        """Settings of the model that the user named to answer questions; none without one."""
        ...

    @property
    def live(self) -> bool:
        """Whether a society is stepped; else runs that have ended are replayed."""
        ...

    @property
    def version(self) -> int:
        """A number that changes whenever something else is to be shown."""
        ...

    @property
    def step(self) -> int:
        """Steps done."""
        ...

    @property
    def steps(self) -> int:
        """Steps in all."""
        ...

    @property
    def date(self) -> datetime:
        """Local time of the society after the steps done."""
        ...

    @property
    def state(self) -> str:
        """What it does: building, paused, playing, ended or failed."""
        ...

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        ...

    @property
    def speed(self) -> float:
        """Steps a second, `FASTEST` for as many as it can."""
        ...

    @property
    def error(self) -> str:
        """What went wrong, in one line; "" if nothing."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """What the runs are called, one name a run."""
        ...

    def play(self) -> None:
        """Go on by itself from here."""
        ...

    def pause(self) -> None:
        """Stand still after the step that is being made."""
        ...

    def step_once(self) -> None:
        """Make one step, then stand still."""
        ...

    def go_to(self, step: int) -> None:
        """Go to a step, 0 to `steps`; a live run only forwards, step by step."""
        ...

    def set_speed(self, speed: float) -> None:
        """Play so many steps a second, above 0, or `FASTEST`."""
        ...

    def runs(self) -> tuple[Run, ...]:
        """The runs as they stand now: one, or two side by side.

        The same objects come back until the moment changes, so what was worked out of one may
        be kept beside it.
        """
        ...
