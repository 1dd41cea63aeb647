"""Agent classes: citizens of two parties, news outlets, persuaders and the statistics bureau."""

import types
from functools import cache
from typing import Any, ClassVar

from memopolis.agents import citizen, institutions
from memopolis.scenarios.polarization.subjects import GUNS, PLACEBO, Subject
from memopolis.sim.declarations import read_declarations
from memopolis.sim.population import PROFILE

TABLE = read_declarations(__file__, "attributes.toml")

PARTIES = ("Democrat", "Independent", "Republican")  # labels of `party`; leaners count as members

SIDES = (1, 0, -1)  # side by party, in the order of `PARTIES`; 1 is the side for stricter gun laws

PARTY_IDENTIFICATION = (
    "strong Democrat",
    "weak Democrat",
    "leaning Democrat",
    "Independent",
    "leaning Republican",
    "weak Republican",
    "strong Republican",
)
"""Labels of `pid`, the seven-point scale of the American National Election Studies."""

TOPICS = (*GUNS.topics, PLACEBO)
"""Keys of `attitude` for the default subject; the last is a placebo that no message concerns."""


# There is no daily life: needs and activities stay constant.
CITIZEN_OPTIONS: dict[str, Any] = {
    "unrecorded": ("hunger", "energy", "safety", "social", "doing", "doing_before", "talked_with"),
    "in_zones": ("home", "place"),
    "float_dtype": "f4",
    "labels": {"pid": PARTY_IDENTIFICATION},
}


class Citizen(citizen.Citizen, table=TABLE["citizen"], **CITIZEN_OPTIONS):
    """An adult with a party and an opinion on guns."""

    portrait: ClassVar[tuple[str, ...]] = (
        *PROFILE, "party", "pid", "ideology", "gun_owner", "urbanity", "warmth", "in_warmth",
    )  # fmt: skip


class Outlet(
    institutions.Institution,
    table=TABLE["outlet"],
    float_dtype="f4",
    labels={"subject": GUNS.topics},
):
    """A source of news with a slant."""


class Persuader(institutions.Institution, table=TABLE["persuader"], float_dtype="f4"):
    """A campaign that sends messages to assigned citizens."""


class StatisticsBureau(
    institutions.StatisticsBureau, table=TABLE["statistics_bureau"], float_dtype="f4"
):
    """The statistics bureau, which publishes opinions, exposure and network figures.

    Opinion figures refer to the first attitude of the subject. Figures by side exclude
    Independents.
    """


@cache
def define_citizen(subject: Subject) -> type[citizen.Citizen]:
    """Return the class of citizens with attitudes to a subject and to the placebo."""
    if subject == GUNS:
        return Citizen
    table = {name: dict(row) for name, row in TABLE["citizen"].items()}
    for name in ("attitude", "conviction"):
        default = table[name]["default"]
        table[name]["default"] = dict.fromkeys((*subject.topics, PLACEBO), default[PLACEBO])
    values = {
        "__module__": __name__,
        "__doc__": f"An adult with a party and an opinion on {subject.about}.",
        "portrait": Citizen.portrait,
    }
    bases = (citizen.Citizen,)
    return types.new_class(
        "Citizen", bases, {**CITIZEN_OPTIONS, "table": table}, lambda space: space.update(values)
    )


@cache
def define_outlet(subject: Subject) -> type[institutions.Institution]:
    """Return the class of outlets whose stories are on the topics of a subject."""
    if subject == GUNS:
        return Outlet
    options = {"table": TABLE["outlet"], "float_dtype": "f4", "labels": {"subject": subject.topics}}
    values = {"__module__": __name__, "__doc__": Outlet.__doc__}
    bases = (institutions.Institution,)
    return types.new_class("Outlet", bases, options, lambda space: space.update(values))
