"""The social life of citizens at the start: on what their ties depend."""

from collections.abc import Mapping

import numpy as np

from memopolis.agents.ages import SCHOOL_AGES
from memopolis.scenarios.synthesis.persons import EDUCATION
from memopolis.scenarios.synthesis.social_life import (
    OTHER_EDUCATION,
    OTHER_GENDER,
    SocialLife,
    rank_income,
)
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.arrays import Array
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties_social import Labels


def describe_social_life(persons: Mapping[str, Array], place: Place | None) -> SocialLife:
    """Return what the ties of citizens depend on, given their columns at the start.

    The survey has no race. Without a place, all pupils could meet.
    """
    age = persons["age"]
    education = np.array([EDUCATION.index(label) for label in persons["education"]])
    is_pupil = (age >= SCHOOL_AGES[0]) & (age <= SCHOOL_AGES[1])
    return SocialLife(
        household=persons["household"],
        age=age,
        place=place,
        zone=persons["home"],
        employer=persons["employer"],
        school=np.where(is_pupil, persons["home"], -1),
        traits=(
            Labels(persons["gender"] == "female", OTHER_GENDER),
            Labels(np.where(age >= ADULT, education, -1), OTHER_EDUCATION),
            rank_income(persons["income"]),
        ),
    )
