"""Who lived in a run: names, populations, and what is recorded of everybody."""

from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.people import changing_in, first_population, people_of
from memopolis.analysis.run_tables import RunTables
from memopolis.sim.errors import UnknownNameError


class RunPeople(RunTables):
    """The agents of a run: what they are called, and their status."""

    def name_of(self, agent: int) -> str:
        """Name of an agent: its recorded attribute `name`, or population and unique_id."""
        return self._names.get(agent) or self._unnamed(agent)

    def _unnamed(self, agent: int) -> str:
        return f"{self.population_of(agent) or 'agent'} {agent}"

    def place_name(self, zone: int) -> str:
        """Name of a zone."""
        return self._labels.get(zone, f"zone {zone}")

    def population_of(self, agent: int) -> str:
        """Population of an agent, "" if nobody has that unique_id."""
        return next((name for name, ids in self._ids.items() if agent in ids), "")

    def member_of(self, agent: int) -> str:
        """Population of an agent.

        Raises:
            UnknownNameError: If nobody has that unique_id.
        """
        population = self.population_of(agent)
        if not population:
            raise UnknownNameError(self._nobody(agent))
        return population

    def people(self, population: str = "") -> pd.DataFrame:
        """Who is there, with the newest status that was recorded.

        Args:
            population: Whose members; "" for the first population.

        Returns:
            A row an agent, in order of unique_id: agent, name, tick and time of the status,
            zone and zone_name where an attribute says where it is, and the attributes. Where
            no status is recorded yet, tick is -1, time is missing, and only the attributes are
            there that never change. Who has left or died is not there.

        Raises:
            UnknownNameError: If there is no such population or it was not recorded.
        """
        return people_of(self, population)

    def there(self, population: str) -> NDArray[np.integer]:
        """unique_ids of those of a population who are there, sorted, shape (people,).

        Raises:
            UnknownNameError: If there is no such population or it was not recorded.
        """
        rows = self.rows.newest(f"agents_{population}", self.ticks, ["agent"])
        if len(rows):
            return np.sort(rows["agent"].to_numpy())
        return np.sort(self.first_rows(population)["agent"].to_numpy())

    @cached_property
    def agents(self) -> pd.DataFrame:
        """Status of the first population (citizens) at the end of each recorded day.

        Raises:
            UnknownNameError: If there is no population or it was not recorded.
        """
        return self.agents_of(first_population(self))

    def agents_of(self, population: str) -> pd.DataFrame:
        """Status of a population at the end of each recorded day.

        Raises:
            UnknownNameError: If there is no such population or it was not recorded.
        """
        return self._dated(f"agents_{population}")

    def columns(self, population: str, *names: str) -> pd.DataFrame:
        """Some attributes of a population at the end of each recorded day, and no others.

        Args:
            population: Its name.
            *names: Attributes, as they were recorded; all if none are named.

        Returns:
            Columns tick, time, agent and those asked for.

        Raises:
            UnknownNameError: If the population was not recorded, or has no such attribute.
        """
        return self._dated(f"agents_{population}", names)

    def agent_rows(self, agent: int) -> pd.DataFrame:
        """Status of one agent at the end of each recorded day, and of nobody else.

        Raises:
            UnknownNameError: If nobody has that unique_id.
        """
        return self.own(f"agents_{self.member_of(agent)}", agent)

    def first_rows(self, population: str) -> pd.DataFrame:
        """Status of everyone in a population in the first step of which it was recorded.

        Raises:
            UnknownNameError: If it was not recorded.
        """
        rows = self.rows.read(f"agents_{population}")
        ticks = rows["tick"].to_numpy()
        end = int(np.searchsorted(ticks, ticks[0], "right"))
        first: pd.DataFrame = rows.slice(0, end).to_pandas()
        return first

    def changing(self, population: str) -> frozenset[str]:
        """Attributes of a population that change in the whole run, for whomever."""
        if population not in self._changing:
            self._changing[population] = changing_in(self, population)
        return self._changing[population]

    def _nobody(self, agent: int) -> str:
        ranges = [f"{name} {min(ids)} to {max(ids)}" for name, ids in self._ids.items() if ids]
        if not ranges:
            return (
                f"agent {agent} cannot be shown: the run did not record agents (see record.tables)"
            )
        return f"nobody has the number {agent}; there are {'; '.join(ranges)}"

    @cached_property
    def _changing(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _ids(self) -> dict[str, frozenset[int]]:
        found = (name for name in self.populations if f"agents_{name}" in self.tables)
        rows = {name: self.rows.read(f"agents_{name}", ["agent"]) for name in found}
        return {name: frozenset(one["agent"].unique().to_pylist()) for name, one in rows.items()}

    @cached_property
    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for population in self._ids:
            if self.has(f"agents_{population}", "name"):
                frame = self.rows.read(f"agents_{population}", ["name"]).to_pandas()
                first = frame.drop_duplicates("agent")
                names.update(zip(first["agent"].tolist(), first["name"].tolist(), strict=True))
        return names

    @cached_property
    def _labels(self) -> dict[int, str]:
        if "zones" not in self.tables or "label" not in self.zones:
            return {}
        return dict(enumerate(self.zones["label"].astype(str)))
