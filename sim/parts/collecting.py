"""Collect the decisions of a part, which part 0 records."""

from typing import TYPE_CHECKING, Any

from memopolis.sim.mind.mind import Decisions, Outcome
from memopolis.sim.recording.rows import decision_rows, select_recorded

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
        self._rows: list[tuple[int, dict[str, Any]]] = []

    def decisions(self, decided: Decisions, outcome: Outcome) -> None:
        """Keep the decisions on a question, as rows of the table."""
        society = self._society
        recorded = select_recorded(decided, outcome, society.settings.record)
        if not self._division.is_local or recorded is None:
            return
        decided, outcome = recorded
        columns = decision_rows(decided, outcome, society.clock.tick, society.texts)
        self._rows.append((len(decided.question.cohort), columns))

    def take(self) -> list[tuple[int, dict[str, Any]]]:
        """Return number and columns of the rows of each question, and forget them."""
        rows, self._rows = self._rows, []
        return rows

    def model_calls(self, calls: "Sequence[LoggedCall]") -> None:
        """Do nothing: part 0 records this."""

    def survey(self, answers: "Sequence[Answers]") -> None:
        """Do nothing: part 0 records this."""

    def step(self) -> None:
        """Do nothing: part 0 records this."""

    def static_from(self, step: int) -> None:
        """Do nothing: part 0 records this."""
