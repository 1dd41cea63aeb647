"""Adults of a place, and their politics by the traits that they share with the survey.

A place has figures on age, sex, race, education and income, but none on politics. Party, ideology
and gun ownership are drawn from the survey's citizens with the same traits.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memopolis.scenarios.places.place_files import NO_PLACE
from memopolis.scenarios.places.zones import read_place
from memopolis.scenarios.polarization.kinds import TRAITS, Kinds
from memopolis.scenarios.polarization.survey_tables import read_by_party, read_groups
from memopolis.scenarios.synthesis.persons import EDUCATION, label_codes
from memopolis.scenarios.synthesis.residents import draw_adults
from memopolis.scenarios.synthesis.social_life import (
    OTHER_EDUCATION,
    OTHER_GENDER,
    OTHER_RACE,
    SocialLife,
)
from memopolis.scenarios.synthesis.traits import MARITAL, OCCUPATIONS, RACES
from memopolis.sim.arrays import Array, Float64, Int8, Intp, Objects
from memopolis.sim.chance import Chance
from memopolis.sim.statistics.raking import fit_intercepts
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties_social import Labels

Columns = dict[str, Array]

RURAL, URBAN = 100.0, 2_140.0
"""People per square kilometre below which a zone is rural and above which it is urban: 102 and
2,213 households per square mile (recalled: Kolko 2015), with 2.5 people each."""
REFERENCE = 4_000  # adults from whom the odds of the parties in a place are computed (choice)
DEGREE = EDUCATION.index("degree")
OTHER_URBANITY = 0.4
"""Chance of becoming friends with a person met who lives in surroundings of another density,
relative to one of the same, where there are no zones (illustrative)."""


class Group(NamedTuple):
    """Adults with the same traits."""

    kinds: Intp  # rows of the kinds of citizens with these traits
    band: int  # age band
    school: int  # level of education


@dataclass(frozen=True, eq=False)
class Adults:
    """Adults of a place, whose politics are still unknown."""

    place: Place  # the zones
    columns: Columns  # columns of `people.Citizen`, each of shape (adults,)
    # Numbers of the groups of gender, race and urbanity in the survey's table, by name
    traits: dict[str, Intp]
    band: Intp  # age band of `read_by_party`
    # Level of education of `read_by_party`, the first level of degrees for all degrees
    school: Intp

    def draw_kinds(
        self, known: Kinds, mix: tuple[float, float, float], u: Float64, *, symmetric: bool
    ) -> Intp:
        """Draw a kind of citizen, a row of `known.table`, for each adult by its traits, (adults,).

        `mix` has the shares of the parties in the place.
        """
        likelihood = _compute_likelihood(mix, symmetric=symmetric)
        reference = read_adults(self.place, REFERENCE, Chance(0))
        odds = np.exp(_fit_odds(reference, known, mix, likelihood))
        kinds = np.zeros(len(u), np.intp)
        for group, at in self.list_groups(known):
            party = known.party[group.kinds]
            likely = odds * likelihood[:, group.band, group.school]
            weight = known.weight[group.kinds] * likely[party]
            edges = np.cumsum(weight / weight.sum())[:-1]
            kinds[at] = group.kinds[np.searchsorted(edges, u[at], side="right")]
        return kinds

    def list_groups(self, known: Kinds) -> Iterator[tuple[Group, Intp]]:
        """Yield the adults of each combination of traits, age band and education."""
        codes = np.column_stack([self.traits[name] for name in TRAITS])
        table = known.table[list(TRAITS)].to_numpy()
        own = np.column_stack([codes, self.band, self.school])
        values, number = np.unique(own, axis=0, return_inverse=True)
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number.ravel()))
        for value, at in zip(values, np.split(order, ends[:-1]), strict=True):
            rows = np.flatnonzero((table == value[: len(TRAITS)]).all(axis=1))
            yield Group(rows, int(value[-2]), int(value[-1])), at

    def label_education(self, party: Intp, u: Float64) -> Objects:
        """Return the labels of education, with degrees divided as in the survey's party."""
        groups, shares = read_by_party("education")
        first = len(groups) - 2
        advanced = shares[:, first + 1] / shares[:, first:].sum(axis=1)
        code = self.school + ((self.school == first) & (u < advanced[party]))
        labels: Objects = groups["group"].to_numpy(object)[code]
        return labels


def read_residence(place: str, agents: int, chance: Chance) -> Adults | None:
    """Draw adults of the place of the setting; None without a place."""
    return None if place == NO_PLACE else read_adults(read_place(place), agents, chance)


def read_adults(place: Place, agents: int, chance: Chance) -> Adults:
    """Draw adults of a place."""
    people = draw_adults(place, agents, chance)
    persons, homes = people.persons, people.households
    zone = persons["zone"].astype(np.intp)
    female = persons["female"].astype(np.intp)
    bands = read_by_party("age")[0]
    columns = {
        "household": persons["household"],
        "age": persons["age"],
        "marriage_status": label_codes(persons["marital"], MARITAL),
        "occupation": label_codes(persons["occupation"], (*OCCUPATIONS, "none")),
        "income": homes["income"][persons["household"]],
        "home": persons["zone"],
        "place": persons["zone"],
    }
    traits = {
        "gender": _number("gender", ("male", "female"))[female],
        "race": _draw_race(persons["race"], chance),
        "urbanity": _find_urbanity(place)[zone],
    }
    band = np.searchsorted(bands["high"].to_numpy()[:-1], persons["age"])
    school = np.clip(persons["education"].astype(np.intp), 1, DEGREE) - 1
    return Adults(place, columns, traits, band, school)


def describe_social_life(
    columns: Mapping[str, Array], place: Place | None, *, other_side: float
) -> SocialLife:
    """Return what friendships of citizens depend on, given their columns at the start.

    They choose friends of their side with the weight 1, of the other side with `other_side`;
    Independents have no side. Without a place, like citizens live in like surroundings.
    """
    side = columns["side"].astype(np.int64)
    traits = [
        Labels(np.where(side == 0, -1, side > 0), other_side),
        _label("race", columns["race"], OTHER_RACE),
        _label("gender", columns["gender"], OTHER_GENDER),
        Labels(np.unique(columns["education"], return_inverse=True)[1], OTHER_EDUCATION),
    ]
    if place is None:
        traits.append(_label("urbanity", columns["urbanity"], OTHER_URBANITY))
    return SocialLife(
        household=columns["household"],
        age=columns["age"],
        place=place,
        zone=0 if place is None else columns["home"],
        traits=traits,
    )


def _label(trait: str, labels: Array, apart: float) -> Labels:
    """Return a trait of the survey's table as one by which friends are chosen."""
    groups = read_groups()
    names = groups.loc[groups["trait"] == trait, "group"].tolist()
    return Labels([names.index(name) for name in labels], apart)


def _fit_odds(
    adults: Adults, known: Kinds, mix: tuple[float, float, float], likelihood: Float64
) -> Float64:
    """Fit log odds of the parties at which adults of the place have the mix, shape (3,)."""
    scores, weights = [], []
    for group, at in adults.list_groups(known):
        share = np.bincount(known.party[group.kinds], known.weight[group.kinds], minlength=3)
        with np.errstate(divide="ignore"):
            scores.append(np.log(share * likelihood[:, group.band, group.school]))
        weights.append(len(at))
    return fit_intercepts(np.array(scores), np.array(weights), mix)


def _compute_likelihood(mix: tuple[float, float, float], *, symmetric: bool) -> Float64:
    """Return the likelihood ratios of age and education by party, (3, bands, levels)."""
    ages, schools = read_by_party("age")[1], read_by_party("education")[1]
    schools = np.column_stack([schools[:, :-2], schools[:, -2:].sum(axis=1)])
    relative = [shares / (np.array(mix) @ shares) for shares in (ages, schools)]
    both = relative[0][:, :, None] * relative[1][:, None, :]
    return np.ones_like(both) if symmetric else both


def _number(trait: str, names: tuple[str, ...]) -> Intp:
    table = read_groups()
    groups = table.loc[table["trait"] == trait, "group"].tolist()
    return np.array([groups.index(name) for name in names], np.intp)


def _draw_race(race: Int8, chance: Chance) -> Intp:
    """Return the group of each adult's race; "other" is divided as in the survey's table."""
    table = read_groups().set_index("group")["share"]
    code = _number("race", RACES)[race.astype(np.intp)]
    asian = table["asian"] / (table["asian"] + table["other"])
    other = race == RACES.index("other")
    drawn = chance.uniform("citizen race", np.arange(len(race))) < asian
    return np.where(other & drawn, _number("race", ("asian",)), code)


def _find_urbanity(place: Place) -> Intp:
    """Return the group of urbanity of each zone by density; suburban if the area is unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        density = place.population / place.land_km2
    codes = _number("urbanity", ("rural", "suburban", "urban"))
    step = np.where(np.isfinite(density), np.searchsorted([RURAL, URBAN], density), 1)
    return codes[step]
