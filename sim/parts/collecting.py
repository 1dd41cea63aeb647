"""Collect the decisions of a part, which part 0 records."""

from typing import TYPE_CHECKING, Any

from memopolis.sim.mind.mind import Decisions, Outcome
from memopolis.sim.recording.rows import DecisionRows, decisions_to_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memopolis.sim.mind.call import LoggedCall
    from memopolis.sim.parts.division import Division
    from memopolis.sim.society_base import SocietyBase
    from memopolis.sim.survey.survey import Answers


class DecisionCollector:
    """The recorder of a part other than 0.

    It keeps only the decisions of blocks that run for own agents: those of other blocks, all
    measures and all surveys are the same in part 0.
    """

    def __init__(self, society: "SocietyBase[Any]", division: "Division") -> None:
        self._society = society
        self._division = division
        self._decided: list[DecisionRows] = []

    def decisions(self, decided: Decisions, outcome: Outcome) -> None:
        """Keep the decisions on a question, as rows of the table."""
        if self._division.is_local:
            recorded = decisions_to_record(self._society, decided, outcome)
            if recorded is not None:
                self._decided.append(recorded)

    def take(self) -> list[DecisionRows]:
        """Return the rows kept so far, and forget them."""
        decided, self._decided = self._decided, []
        return decided

    def model_calls(self, calls: "Sequence[LoggedCall]") -> None:
        """Do nothing: part 0 records this."""

    def survey(self, answers: "Sequence[Answers]") -> None:
        """Do nothing: part 0 records this."""

    def step(self) -> None:
        """Do nothing: part 0 records this."""

    def static_from(self, step: int) -> None:
        """Do nothing: part 0 records this."""
