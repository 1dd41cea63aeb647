"""Published models of opinion dynamics, each as published.

A model is a frozen dataclass with its parameters as fields. `evolve` returns the opinions of all
agents at each time, shape (times, agents). The update rules are the functions of arrays that
citizens with memories use, in `memopolis.agents.attitude_models`. DeGroot's model is
`FriedkinJohnsen(susceptibility=1)`.
"""

from memopolis.agents.opinion.baumann import Baumann
from memopolis.agents.opinion.biased_assimilation import BiasedAssimilation
from memopolis.agents.opinion.deffuant import Deffuant
from memopolis.agents.opinion.friedkin_johnsen import FriedkinJohnsen
from memopolis.agents.opinion.hegselmann_krause import HegselmannKrause
from memopolis.agents.opinion.repulsion import Repulsion
from memopolis.sim.statistics.polarization import clusters

__all__ = [
    "Baumann",
    "BiasedAssimilation",
    "Deffuant",
    "FriedkinJohnsen",
    "HegselmannKrause",
    "Repulsion",
    "clusters",
]
