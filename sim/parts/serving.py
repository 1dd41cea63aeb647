"""The process of a part other than 0: it builds the society and executes the commands of part 0."""

import resource
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from memopolis.sim.error_places import described
from memopolis.sim.mind.mind import Decisions, Outcome
from memopolis.sim.parts.division import Division
from memopolis.sim.parts.link import Channel, Message, Spoke, decode, encode
from memopolis.sim.recording.garbage import freeze_agents
from memopolis.sim.recording.rows import DecisionRows, decisions_to_record
from memopolis.sim.state.rebuilding import add_interventions, built_for
from memopolis.sim.state.state import State, restore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memopolis.sim.mind.call import LoggedCall
    from memopolis.sim.society_base import SocietyBase
    from memopolis.sim.survey.survey import Answers


# Collect the decisions of a part, which part 0 records.


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


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Everything that a part needs to begin.

    Attributes:
        part: Number of the part.
        parts: Number of parts.
        scenario: Class of the society, pickled by cloudpickle.
        state: State of the society, with the streams that the part owns.
        owners: Part of each agent by name of the population.
    """

    part: int
    parts: int
    scenario: bytes
    state: State
    owners: Mapping[str, NDArray[np.int16]]


type Interventions = dict[str, list[Any]]
"""Shocks and surveys that were added to the run so far, as in the manifest."""


def serve(channel: Channel) -> None:
    """Run a part until part 0 ends.

    Raises:
        PartLostError: If part 0 has ended.
    """
    try:
        served = _Served(channel)
        channel.send(encode(Message("done", "start")))
        with freeze_agents():
            while True:
                command = decode(channel.receive())
                answer = getattr(served, command.kind)(command.value)
                channel.send(encode(Message("done", command.kind, answer)))
    except Exception as error:
        channel.send(encode(Message("failed", "", described(error, with_type=True))))
        raise


class _Served:
    """The society of a part, with one method for each command."""

    def __init__(self, channel: Channel) -> None:
        start: Start = decode(channel.receive()).value
        kind: type[SocietyBase[Any]] = cloudpickle.loads(start.scenario)
        settings = kind.settings_class(**start.state.plain["settings"])
        society = self._society = built_for(start.state, kind, settings)
        restore(society, start.state)
        society.running = round(society.time) < society.ticks
        link = Spoke(channel, start.part, start.parts)
        society.division = self._division = Division(society, start.owners, link)
        society.recorder = self._collector = DecisionCollector(society, self._division)

    def step(self, added: Interventions) -> list[DecisionRows]:
        """Make a step; return the rows of decisions that part 0 does not have."""
        society = self._society
        add_interventions(society, added)
        society.step()
        return self._collector.take()

    def streams(self, _: None) -> dict[str, dict[str, NDArray[Any]]]:
        """Return the streams that the part owns, by name of the population."""
        return {
            population.name: population.memory.streams.state()
            for population in self._division.divided()
        }

    def usage(self, _: None) -> "Usage":
        """Return how much memory the part uses."""
        return usage_of(self._society)


@dataclass(frozen=True, slots=True)
class Usage:
    """Memory of a part: most bytes of its process so far, and bytes of streams and status."""

    process: int
    streams: int
    status: int


def usage_of(society: "SocietyBase[Any]") -> Usage:
    """Return how much memory this process and its society use."""
    memories = [population.memory for population in society.populations]
    return Usage(
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        sum(memory.streams.nbytes for memory in memories),
        sum(memory.status.nbytes for memory in memories),
    )
