"""The Mesa side of a society: objects of agents, created when first requested.

An agent is a row of its population, and blocks change all rows at once, so a run needs no objects.
Everything in Mesa's interface that lists agents creates them: `agents`, `agents_by_type`,
`agent_types`, `observe`, `remove_all_agents`, and agents of other classes that register. From then
on, agents that join are created and listed at once, as in any Mesa model.
"""

from collections.abc import Callable, Iterable
from typing import Any

import mesa
import numpy as np
from numpy.typing import NDArray

from memopolis.sim.population import Agent, Population


class MesaModel(mesa.Model):  # type: ignore[type-arg]
    """A Mesa model that consists of populations."""

    populations: list[Population]  # all agents by class, in the order of their creation
    # Whether Mesa's lists contain the agents, because they were requested
    lists_agents: bool = False

    def reserve_ids(self, count: int) -> NDArray[np.int64]:
        """Return the unique_id of each of `count` new agents, shape (count,)."""
        first = self.agent_id_counter
        self.agent_id_counter = first + count
        return np.arange(first, first + count, dtype=np.int64)

    def list_agents(self, agents: Iterable[Agent]) -> None:
        """Add agents of a population to Mesa's lists."""
        next_id = self.agent_id_counter
        for agent in agents:
            self.agent_id_counter = agent.unique_id  # Mesa assigns it
            super().register_agent(agent)
        self.agent_id_counter = next_id

    def _list_everyone(self) -> None:
        if self.lists_agents:
            return
        self.lists_agents = True
        present = (agent for population in self.populations for agent in population.present())
        self.list_agents(sorted(present, key=lambda agent: agent.unique_id))

    @property
    def agents(self) -> Any:
        """All agents of the society as Mesa's AgentSet, in the order of their unique_id."""
        self._list_everyone()
        return super().agents

    @agents.setter
    def agents(self, agents: Any) -> None:
        mesa.Model.agents.fset(self, agents)  # raises Mesa's error

    @property
    def agents_by_type(self) -> Any:
        """The agents of each class as Mesa's AgentSet."""
        self._list_everyone()
        return super().agents_by_type

    @property
    def agent_types(self) -> Any:
        """All classes of agents."""
        self._list_everyone()
        return super().agent_types

    def register_agent(self, agent: Any) -> None:
        """Give an agent its unique_id, and list it if it belongs to no population."""
        if isinstance(agent, Agent):
            agent.unique_id = int(agent.population.ids[agent.row])
        else:
            self._list_everyone()
            super().register_agent(agent)

    def deregister_agent(self, agent: Any) -> None:
        """Remove an agent from Mesa's lists, if they contain it."""
        if self.lists_agents:
            super().deregister_agent(agent)

    def remove_all_agents(self) -> None:
        """Remove all agents from the society."""
        self._list_everyone()
        super().remove_all_agents()  # type: ignore[no-untyped-call]

    def observe(self, observable_name: Any, signal_type: Any, handler: Callable[..., Any]) -> None:
        """Subscribe to signals, such as those of agents that join or leave."""
        self._list_everyone()
        super().observe(observable_name, signal_type, handler)
