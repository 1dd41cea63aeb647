"""The transfer of wealth in both forms of AMBER, for `other_tools.py`."""

import ambr


class AmberPerson(ambr.Agent):
    """A person as an object."""

    def setup(self) -> None:
        """Start with one unit."""
        self.wealth = 1

    def give(self) -> None:
        """Give one unit to a random person."""
        if self.wealth > 0:
            people = self.model.agents
            people.by_id(people.random()).wealth += 1
            self.wealth -= 1


class AmberObjects(ambr.Model):
    """The model with objects."""

    def setup(self) -> None:
        """Create the persons."""
        self.agents = ambr.AgentList(self, self.p.n, AmberPerson)

    def step_oop(self) -> None:
        """Let each person give once."""
        self.agents.give()


class AmberColumns(ambr.Model):
    """The model with columns."""

    def setup(self) -> None:
        """Create the persons."""
        self.add_agents(self.p.n, wealth=1)

    def step_vectorized(self) -> None:
        """Let all persons give at once."""
        givers = self.agents.where(self.agents.wealth > 0)
        givers.wealth -= 1
        receivers = self.rng.choice(self.agents.ids.to_numpy(), size=len(givers))
        self.agents.at[receivers].scatter_add(wealth=1)
