"""Build a society with the numbered words of a saved state, before the state is restored."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memopolis.sim.memory.saving.arrays import restore_texts, unpack_texts
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.settings import Settings
from memopolis.sim.society_base import SocietyBase
from memopolis.sim.state.state import State
from memopolis.sim.survey.survey import Survey
from memopolis.sim.timeline import Shock

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory


class WordsOfState:
    """The numbered words of a state, with all its texts, for the society to be rebuilt."""

    def __init__(self, state: State) -> None:
        self._plain = state.plain["populations"]
        self._arrays = {name: state.below(f"{name}/memory") for name in self._plain}
        first = next(iter(self._arrays.values()), None)
        self.texts = Texts() if first is None else restore_texts(first)

    def teach(self, name: str, memory: "Memory") -> None:
        """Add the saved words to the empty memory of a population, with their numbers."""
        if name not in self._plain:
            return
        labels = self._plain[name]["labels"]
        if memory.columns.texts == labels[: len(memory.columns.texts)]:
            for label in labels:
                memory.columns.label(label)
        for topic in unpack_texts(self._arrays[name]["topics"]):
            memory.topic_number(topic)
        memory.tags.bits(unpack_texts(self._arrays[name]["tags"]))


def built_for[S: SocietyBase[Any]](state: State, scenario: type[S], settings: Settings) -> S:
    """Build a society with the numbered words of a state, before the state is restored."""
    society = scenario.__new__(scenario)
    society.words = WordsOfState(state)
    scenario.__init__(society, settings, rng=state.plain["seed"])
    society.words = None  # they hold the arrays of the state
    return society


def add_interventions(society: SocietyBase[Any], added: Mapping[str, Sequence[Any]]) -> None:
    """Add shocks and surveys of a run, as in its manifest, except the first, which it has.

    Raises TypeError, ValueError or LookupError if an entry is invalid.
    """
    clock, known = society.clock, society.interventions
    for tick, shock in added["shocks"][len(known["shocks"]) :]:
        society.steer(clock.date_of(tick), Shock.from_dict(shock))
    for tick, survey in added["surveys"][len(known["surveys"]) :]:
        society.survey(clock.date_of(tick), Survey.from_dict(survey))
