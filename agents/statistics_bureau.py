"""The statistics bureau: publishes what can be counted of everybody, and changes nothing.

A scenario declares what its bureau publishes as attributes of a subclass, and a block of its
own works them out; measures, figures and other agents read them there.
"""

from memopolis.sim.population import Agent


class StatisticsBureau(Agent):
    """The one statistics bureau. Subclass it and declare what is published."""
