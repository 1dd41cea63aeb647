"""The models in Starsim: its SIR on a random network, and wealth as a module.

Half of the contacts of an agent are drawn for it, the other half by others, so the number of
contacts varies; with `TRANSMISSION` this changes the probability of infection by less
than 0.5 %.
`crn=False` is the faster way to draw that its documentation describes.
"""

import numpy as np
import starsim as ss
from measuring import (
    CONTACTS,
    DURATION,
    SEEDED,
    TRANSMISSION,
    Form,
    Result,
    Run,
    measure_epidemic,
    measure_wealth,
    seconds_of,
)


class Wealth(ss.Module):
    """Wealth of all agents."""

    def __init__(self, agents: int) -> None:
        super().__init__()
        self.define_states(ss.IntArr("wealth", default=1))
        self.receiver = ss.randint(low=0, high=agents)

    def step(self) -> None:
        """Move one unit from each agent that has one to a random agent."""
        givers = self.wealth > 0
        receivers = self.receiver.rvs(givers.uids)
        received = np.bincount(receivers, minlength=len(self.wealth))
        self.wealth[:] = self.wealth.values - givers.values + received


def _timed(sim: ss.Sim) -> float:
    sim.init()
    return seconds_of(sim.run)


def _sim(agents: int, steps: int, seed: int, **parts: object) -> ss.Sim:
    # The first step is on the start date.
    calendar = {"start": ss.days(0), "dur": ss.days(steps - 1), "dt": ss.days(1)}
    return ss.Sim(n_agents=agents, rand_seed=seed, verbose=0, **calendar, **parts)


def _wealth(*, crn: bool) -> Run:
    def run(agents: int, steps: int, seed: int) -> Result:
        ss.options.crn = crn
        sim = _sim(agents, steps, seed, modules=Wealth(agents))
        seconds = _timed(sim)
        return measure_wealth(seconds, sim.custom.wealth.wealth.values.tolist())

    return run


def _epidemic(*, crn: bool) -> Run:
    def run(agents: int, steps: int, seed: int) -> Result:
        ss.options.crn = crn
        disease = ss.SIR(
            beta=ss.probperday(TRANSMISSION),
            init_prev=SEEDED,
            dur_inf=ss.expon(scale=ss.days(DURATION)),
            p_death=0,
        )
        network = ss.RandomNet(n_contacts=CONTACTS)
        sim = _sim(agents, steps, seed, diseases=disease, networks=network)
        seconds = _timed(sim)
        return measure_epidemic(seconds, agents, sim.results.sir.n_susceptible.tolist())

    return run


FORMS = (
    Form("arrays", "at once", _wealth(crn=True), _epidemic(crn=True)),
    Form("arrays, `crn=False`", "at once", _wealth(crn=False), _epidemic(crn=False)),
)
