"""The statistics bureau: publishes aggregate figures and changes nothing.

A scenario declares published figures as attributes of a subclass, and one of its blocks computes
them. Measures, figures and other agents read them.
"""

from memopolis.agents.institution import Institution


class StatisticsBureau(Institution):
    """The only statistics bureau. Subclass it and declare the published figures."""
