"""Institutions: organizations that remember, decide, and form attitudes and thoughts."""

from typing import ClassVar

from memopolis.agents.thoughts import INTENTIONS
from memopolis.sim.declarations import read_declarations
from memopolis.sim.population import Agent

TABLE = read_declarations(__file__, "attributes.toml")


class Institution(
    Agent, table=TABLE["institution"], float_dtype="f4", labels={"intention": INTENTIONS}
):
    """A firm, bank, government, statistics bureau, outlet or persuader.

    Subclasses that have attitudes of their own declare `attitude` and `conviction` again.
    """

    portrait: ClassVar[tuple[str, ...]] = ("name", "zone")


class Firm(Institution, table=TABLE["firm"], float_dtype="f4"):
    """A workplace and shop."""


class Bank(Institution, table=TABLE["bank"], float_dtype="f4"):
    """The only bank, which is also the central bank.

    Every account of the society, its own capital included, is a deposit with the bank, so
    deposits = loans + reserves.
    """


class Government(Institution, table=TABLE["government"], float_dtype="f4"):
    """All public authorities as one agent."""


class StatisticsBureau(Institution):
    """The statistics bureau, which publishes figures and changes nothing.

    A scenario declares the figures as attributes of a subclass, and one of its blocks computes
    them. Measures and other agents read them.
    """
