"""The interface of a watch: a running society or finished runs, at one moment."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from memopolis.analysis.run.run import Run

FASTEST = float("inf")
"""Speed without limit."""


class Watch(Protocol):
    """A clock over one or two runs, and the runs at its moment.

    No method waits for a step, so the page may call them at any time.
    """

    @property
    def title(self) -> str:
        """Heading of the page: a scenario's name, or the names of two runs."""
        ...

    @property
    def mind(self) -> Mapping[str, object]:
        """Settings of the user's model for interviews; empty without one."""
        ...

    @property
    def live(self) -> bool:
        """Whether a society is running; false in a replay."""
        ...

    @property
    def version(self) -> int:
        """A number that changes whenever the display must change."""
        ...

    @property
    def step(self) -> int:
        """Number of complete steps."""
        ...

    @property
    def steps(self) -> int:
        """Total number of steps."""
        ...

    @property
    def date(self) -> datetime:
        """Local time after the latest step."""
        ...

    @property
    def state(self) -> str:
        """State: building, paused, playing, ended or failed."""
        ...

    @property
    def playing(self) -> bool:
        """Whether it is playing."""
        ...

    @property
    def speed(self) -> float:
        """Steps per second, `FASTEST` for no limit."""
        ...

    @property
    def error(self) -> str:
        """Error in one line; "" for none."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the runs, one per run."""
        ...

    def play(self) -> None:
        """Play from here."""
        ...

    def pause(self) -> None:
        """Pause after the current step."""
        ...

    def step_once(self) -> None:
        """Run one step, then pause."""
        ...

    def go_to(self, step: int) -> None:
        """Go to a step, 0 to `steps`; a live run only forwards, step by step."""
        ...

    def set_speed(self, speed: float) -> None:
        """Set the speed in steps per second, above 0, or `FASTEST`."""
        ...

    def runs(self) -> tuple[Run, ...]:
        """The runs at the current moment: one, or two side by side.

        The same objects come back until the moment changes, so what was worked out of one may
        be kept beside it.
        """
        ...
