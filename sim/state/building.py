"""Rebuild a society from a state.

The society is built with the numbered words of the state: texts, labels, topics and tags keep
their saved numbers, and new words are numbered after them. A block may therefore store such a
number in `setup`, even if the settings differ from those saved.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.errors import StateError
from memopolis.sim.memory.keeping.as_arrays import unpacked
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.running.trust import Trust
from memopolis.sim.state.saving import read_state
from memopolis.sim.state.state import State, restore

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.settings import Settings
    from memopolis.sim.society import Society


class Words:
    """The numbered words of a state, for the society to be rebuilt.

    Args:
        state: The state.

    Attributes:
        texts: Every distinct text of the society.
    """

    def __init__(self, state: State) -> None:
        self._plain = state.plain["populations"]
        self._arrays = {name: state.below(f"{name}/memory") for name in self._plain}
        first = next(iter(self._arrays.values()), None)
        self.texts = Texts() if first is None else _texts(first)

    def teach(self, name: str, memory: "Memory") -> None:
        """Add the saved words to the empty memory of a population, with their numbers."""
        if name not in self._plain:
            return
        labels = self._plain[name]["labels"]
        if memory.columns.texts == labels[: len(memory.columns.texts)]:
            for label in labels:
                memory.columns.label(label)
        for topic in unpacked(self._arrays[name]["topics"]):
            memory.topic_number(topic)
        memory.tags.bits(unpacked(self._arrays[name]["tags"]))


def load_state(
    folder: str | Path,
    *,
    scenario: "type[Society[Any]] | None" = None,
    trust: bool = False,
) -> "Society[Any]":
    """Build a society as `save_state` left it.

    Args:
        folder: Where it is.
        scenario: Its class, where that lies in a notebook or in a function; None to find it
            by the name that was saved, if that is installed.
        trust: Whether the state may name any code, files and servers, see SECURITY.md.

    Raises:
        RunFolderError: If there is no state, or it is broken or of another format.
        StateError: If the scenario now has other populations or blocks, or was given no name.
        TrustError: If it names code, a file or a server, and `trust` is not given.
        UnknownNameError: If the scenario is not found.
        SettingsError: If it no longer takes the saved settings.
    """
    return society_of(read_state(Path(folder)), scenario=scenario, trust=trust)


def society_of(
    state: State,
    *,
    scenario: "type[Society[Any]] | None" = None,
    settings: "Settings | None" = None,
    trust: bool = False,
) -> "Society[Any]":
    """Rebuild a society from a state.

    Args:
        state: The state.
        scenario: Class of the scenario; None to find it by its saved name, see `trust`.
        settings: Settings that create the same agents and blocks; None for those saved.
        trust: Whether the state may name any code, files and servers, see SECURITY.md.

    Returns:
        The society between two steps.

    Raises:
        StateError: If the scenario now has other populations or blocks, or no name was saved.
        TrustError: If the state names code, a file or a server that is not trusted.
        UnknownNameError: If the scenario is not found.
        SettingsError: If the scenario does not accept the settings.
    """
    plain = state.plain
    if scenario is None and not plain["scenario"]:
        raise StateError(
            "the scenario was defined in a notebook or a function, so it cannot be imported; pass "
            "its class as `scenario`"
        )
    allowed = Trust(scenario=scenario, everything=trust)
    kind = allowed.find(plain["scenario"], "the saved state")
    if settings is None:
        settings = kind.settings_class(**plain["settings"])
        allowed.check(settings, "the saved state")
    society = built_for(state, kind, settings)
    restore(society, state)
    return society


def built_for(state: State, scenario: "type[Society[Any]]", settings: "Settings") -> "Society[Any]":
    """Build a society with the numbered words of a state, before the state is restored."""
    society = scenario.__new__(scenario)
    society.words = Words(state)
    scenario.__init__(society, settings, rng=state.plain["seed"])
    society.words = None  # they hold the arrays of the state
    return society


def _texts(memory: dict[str, Any]) -> Texts:
    log = np.asarray(memory["texts/log"], np.int32)
    return Texts.restore(memory["texts/numbers"], unpacked(memory["texts/texts"]), log)
