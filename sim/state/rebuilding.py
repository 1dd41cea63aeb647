"""Build a society with the numbered words of a saved state, before the state is restored."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import (
    DataFileError,
    ExtraError,
    MemopolisError,
    RunFolderError,
    ServerError,
    StateError,
)
from memopolis.sim.memory.saving.arrays import restore_texts
from memopolis.sim.memory.saving.described import describe_words
from memopolis.sim.memory.text.texts import Texts, unpack_texts
from memopolis.sim.saved_arrays import check_arrays
from memopolis.sim.settings import Settings
from memopolis.sim.society_base import SocietyBase
from memopolis.sim.state.described import check_state
from memopolis.sim.state.state import State, check_fits, restore
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
        for name, words in self._arrays.items():
            described = describe_words(words, has_texts=words is first)
            check_arrays(words, described, f"{name}/memory/", others=True)
        self.texts = Texts() if first is None else restore_texts(first)

    def teach(self, name: str, memory: "Memory") -> None:
        """Add the saved words to the empty memory of a population, with their numbers."""
        if name not in self._plain:
            return
        labels = self._plain[name]["labels"]
        if memory.status.labels == labels[: len(memory.status.labels)]:
            for label in labels:
                memory.status.label(label)
        for topic in unpack_texts(self._arrays[name]["topics"]):
            memory.topic_number(topic)
        memory.tags.bits(unpack_texts(self._arrays[name]["tags"]))


def built_for[S: SocietyBase[Any]](state: State, scenario: type[S], settings: Settings) -> S:
    """Build a society with the numbered words of a state, before the state is restored."""
    society = scenario.__new__(scenario)
    with refusing_invalid():
        society.words = WordsOfState(state)
        scenario.__init__(society, settings, rng=state.plain["seed"])
    society.words = None  # they hold the arrays of the state
    return society


def restore_read(society: SocietyBase[Any], state: State) -> None:
    """Restore a state that was read, in a society built for it, after checking it.

    Raises RunFolderError if a value is not what a society saves, or StateError if the society has
    other populations or blocks.
    """
    check_fits(society, state.plain)
    with refusing_invalid():
        check_state(society, state)
        restore(society, state)


@contextmanager
def refusing_invalid() -> Iterator[None]:
    """Turn errors that invalid values of a state cause into a RunFolderError."""
    try:
        yield
    except (RunFolderError, StateError, DataFileError, ExtraError, ServerError):
        raise
    except (
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError,
    ) as error:  # fmt: skip
        kind = "" if isinstance(error, MemopolisError) else f"{type(error).__name__}: "
        raise RunFolderError(f"the state is not what its scenario saves: {kind}{error}") from error


def add_interventions(society: SocietyBase[Any], added: Mapping[str, Sequence[Any]]) -> None:
    """Add shocks and surveys of a run, as in its manifest, except the first, which it has.

    Raises TypeError, ValueError or LookupError if an entry is invalid.
    """
    clock, known = society.clock, society.interventions
    for tick, shock in added["shocks"][len(known["shocks"]) :]:
        society.steer(clock.date_of(tick), Shock.from_dict(shock))
    for tick, survey in added["surveys"][len(known["surveys"]) :]:
        society.survey(clock.date_of(tick), Survey.from_dict(survey))
