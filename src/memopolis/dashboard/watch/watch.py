"""The base class of a watch: a running society or finished runs, at one moment."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memopolis.analysis.run.run import Run
from memopolis.dashboard.charts.overlays import Overlays
from memopolis.sim.errors import ParameterError

FASTEST = float("inf")  # speed without limit
USUAL_SPEED = 5.0  # default speed in steps per second


@dataclass(frozen=True)
class Moment:
    """What all parts of a page show at a time."""

    version: int  # a number that changes whenever the display must change
    step: int  # number of complete steps
    date: datetime  # local time after the latest step
    state: str  # state of the watch: building, paused, playing, ended or failed
    society: int  # a number that changes when another society is watched
    runs: tuple[Run, ...]  # the runs at this step: one, or two side by side


class Watch(ABC):
    """A clock over one or two runs, and the runs at its moment.

    No method waits for a step, so the page may call them at any time.
    """

    title: str  # heading of the page: a scenario's name, or the names of two scenarios
    names: tuple[str, ...]  # names of the runs' folders, one per run
    mind: Mapping[str, object]  # settings of the user's model for interviews; empty without one
    steps: int  # total number of steps
    speed: float = USUAL_SPEED  # steps per second, `FASTEST` for no limit
    error: str = ""  # error in one line; "" for none
    overlays: Overlays | None = None  # charts that compare arms; None for a running society

    @property
    @abstractmethod
    def version(self) -> int:
        """A number that changes whenever the display must change."""

    @property
    @abstractmethod
    def step(self) -> int:
        """Number of complete steps."""

    @property
    @abstractmethod
    def date(self) -> datetime:
        """Local time after the latest step."""

    @property
    @abstractmethod
    def state(self) -> str:
        """State: building, paused, playing, ended or failed."""

    @property
    @abstractmethod
    def playing(self) -> bool:
        """Whether it is playing; true until the last started step is complete."""

    @abstractmethod
    def play(self) -> None:
        """Play from here."""

    @abstractmethod
    def pause(self) -> None:
        """Pause after the current step."""

    @abstractmethod
    def step_once(self) -> None:
        """Run one step, then pause."""

    @abstractmethod
    def go_to(self, step: int) -> None:
        """Go to a step, 0 to `steps`; a live run only forwards, step by step."""

    def set_speed(self, speed: float) -> None:
        """Set the speed in steps per second, or `FASTEST`.

        Raises ParameterError if it is not above 0.
        """
        if not speed > 0:
            raise ParameterError(
                f"the speed is {speed}; allowed: a number of steps per second above 0"
            )
        self._apply_speed(speed)
        self.speed = speed

    @abstractmethod
    def _apply_speed(self, speed: float) -> None:
        """Continue at another speed, which is valid."""

    @abstractmethod
    def moment(self) -> Moment:
        """Return the current moment, whose step, date and runs belong together.

        Its runs are the same objects until it changes, so results may be cached by run.
        """
