"""Initial citizens, drawn from survey figures that the README lists.

Draws are indexed by row, so adding a citizen changes no other.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv, ndtr, ndtri

from memopolis.agents.names import draw_names
from memopolis.agents.opinion.baumann import compute_activity
from memopolis.scenarios.polarization.kinds import TRAITS, Kinds, fit_kinds
from memopolis.scenarios.polarization.livelihoods import draw_livelihoods, draw_religion
from memopolis.scenarios.polarization.people import PARTIES, PARTY_IDENTIFICATION, SIDES
from memopolis.scenarios.polarization.residents import Adults
from memopolis.scenarios.polarization.settings import StartSettings
from memopolis.scenarios.polarization.subjects import GUNS, PLACEBO, Subject
from memopolis.scenarios.polarization.survey_tables import (
    IDEOLOGIES,
    read_attitudes,
    read_by_party,
    read_groups,
    read_party_identification,
)
from memopolis.sim.arrays import Array, Bools, Float64, Intp, Ints
from memopolis.sim.chance import Chance, options_of
from memopolis.sim.errors import ParameterError

# Initial attitudes: distributions by party, and correlations between attitudes.
#
# Each attitude has the distribution of the citizen's party. Other traits determine only the
# position within it, as a rank z that is standard normal in each party.

SCALE = 10.0  # length of the scale of attitudes
THERMOMETERS = ("warmth", "in_warmth")  # of the other and of the own party
_LEAST = 1e-9  # minimum distance of a rank from 0 and 1, where deviates are infinite


def beta_quantile(rank: Float64, mean: Float64, sd: Float64, *, scale: float = SCALE) -> Float64:
    """Return quantiles of Beta distributions on a scale, in [0, scale], shape (agents,)."""
    a, b = compute_beta_shape(mean, sd, scale=scale)
    return np.asarray(scale * betaincinv(a, b, rank))


def compute_beta_shape(mean: Float64, sd: Float64, *, scale: float) -> tuple[Float64, Float64]:
    """Return the parameters a and b of Beta distributions on a scale by their moments.

    Raises ParameterError if no Beta distribution has this mean and standard deviation.

    Source: a = m n and b = (1 - m) n with n = m (1 - m) / s^2 - 1, where m and s are mean and
    standard deviation on 0 to 1.
    """
    m, s = np.asarray(mean) / scale, np.asarray(sd) / scale
    if ((m <= 0) | (m >= 1) | (s <= 0) | (s**2 >= m * (1 - m))).any():
        raise ParameterError(
            f"no Beta distribution fits: the mean must be between 0 and {scale:g}, and the "
            f"standard deviation above 0 and below sqrt(mean ({scale:g} - mean))"
        )
    n = m * (1 - m) / s**2 - 1
    return np.asarray(m * n), np.asarray((1 - m) * n)


def correlate(z: Float64, other: Float64, link: float) -> Float64:
    """Return standard normal ranks with a correlation `link` to others, shape (agents,)."""
    return np.asarray(link * other + np.sqrt(1 - link**2) * z)


def shift_owners(z: Float64, owner: Bools, share: Float64, effect: float) -> Float64:
    """Lower the ranks of gun owners within their party, without changing its distribution.

    Returns ranks in (0, 1), uniform in each party: the distribution function of the mixture of
    owners and others, evaluated at z - effect for owners and at z for others. `share` is that of
    owners in the citizen's party.
    """
    moved = z - effect * owner
    return clip_rank(share * ndtr(moved + effect) + (1 - share) * ndtr(moved))


def rank_steps(step: Ints, shares: Float64, u: Float64) -> Float64:
    """Convert steps of a scale to standard normal ranks, by their shares in the citizen's group.

    `shares` has shape (agents, steps); `u` separates citizens on the same step.
    """
    rows = np.arange(len(step))
    own = shares[rows, step]
    below = np.cumsum(shares, axis=1)[rows, step] - own
    return to_normal(below + u * own)


def spread_steps(step: Ints, steps: int, u: Float64) -> Float64:
    """Spread the steps of a scale over 0 to 10, uniformly within each step."""
    return np.asarray(SCALE * (step + u) / steps)


def to_normal(rank: Float64) -> Float64:
    """Convert ranks in [0, 1] to standard normal deviates, same shape."""
    return np.asarray(ndtri(clip_rank(rank)))


def clip_rank(rank: Float64) -> Float64:
    """Clip ranks to exclude 0 and 1, same shape."""
    return np.asarray(np.clip(rank, _LEAST, 1 - _LEAST))


Columns = dict[str, Array]

DEFAULTS = StartSettings()


def draw_citizens(
    agents: int,
    chance: Chance,
    *,
    settings: StartSettings = DEFAULTS,
    symmetric: bool = False,
    adults: Adults | None = None,
    subject: Subject = GUNS,
) -> Columns:
    """Draw the initial status columns of citizens, each of shape (agents,).

    If `symmetric`, the parties are mirror images: equally large, with mirrored attitudes and
    otherwise equal traits, so that no symmetric process can distinguish them. Adults of a place
    keep their traits. Raises ParameterError if `agents` is below 1.
    """
    if agents < 1:
        raise ParameterError(f"agents is {agents}; it must be at least 1")
    rows = np.arange(agents)
    mix = _compute_party_mix(settings, symmetric=symmetric)
    known = fit_kinds(mix, symmetric=symmetric)
    # One dimension selects the kind, the other the rank of the attitude within it.
    even = draw_evenly(chance, "citizen", rows, dimensions=2)
    if adults is None:
        number = _draw_kind(known.weight, even[:, 0])
    else:
        number = adults.draw_kinds(known, mix, even[:, 0], symmetric=symmetric)
    party = known.party[number]
    traits = known.table.iloc[number]
    if adults is None:
        own = _draw_age_and_education(party, chance, symmetric=symmetric)
    else:
        u = chance.uniform("citizen education", rows)
        own = adults.columns | {"education": adults.label_education(party, u)}
    identity = _list_traits(traits, party, own["household"], chance) | own
    if adults is None:
        identity |= _draw_livelihoods(identity, chance)
        religion = chance.uniform("citizen religion", rows)
        of_party = np.ones_like(party) if symmetric else party  # those of Independents
        identity["religion"] = draw_religion(of_party, religion)
    held = _draw_attitudes(
        known, number, even[:, 1], chance, settings, subject=subject, symmetric=symmetric
    )
    warmth = _draw_warmth(traits["pid"].to_numpy(), rows, chance, symmetric=symmetric)
    moments = select_moments(subject.main, symmetric=symmetric)[party]
    activity = _draw_activity(held[f"attitude.{subject.main}"], moments, chance, settings)
    return identity | held | warmth | {"activity": activity}


def _compute_party_mix(settings: StartSettings, *, symmetric: bool) -> tuple[float, float, float]:
    """Return the shares of Democrats, Independents and Republicans."""
    one, two = settings.democrats, settings.republicans
    if symmetric:
        one = two = (one + two) / 2
    return one, max(1 - one - two, 0.0), two


def _draw_kind(weight: Float64, u: Float64) -> Intp:
    # The last edge is omitted, since it may round to just below 1.
    return np.searchsorted(np.cumsum(weight)[:-1], u, side="right")


def _list_traits(traits: Any, party: Intp, household: Array, chance: Chance) -> Columns:
    """Return columns of identity that follow from the kind of citizen."""
    table = read_groups()
    columns: Columns = {}
    for trait in TRAITS:
        labels = table.loc[table["trait"] == trait, "group"].to_numpy(object)
        columns[trait] = labels[traits[trait].to_numpy()]
    return columns | {
        "name": draw_names(columns["gender"], household, chance),
        "party": np.array(PARTIES, object)[party],
        "side": np.array(SIDES, np.int8)[party],
        "pid": traits["pid"].to_numpy().astype(np.uint8),
        "ideology": traits["ideology"].to_numpy().astype(np.uint8),
        "gun_owner": traits["owner"].to_numpy(),
    }


def _draw_age_and_education(party: Intp, chance: Chance, *, symmetric: bool) -> Columns:
    """Draw age and education by party; each citizen is a household."""
    rows = np.arange(len(party))
    age, age_shares = read_by_party("age")
    schooling, school_shares = read_by_party("education")
    if symmetric:
        age_shares, school_shares = age_shares[[1, 1, 1]], school_shares[[1, 1, 1]]
    band = _draw_by_party(age_shares, party, chance.uniform("citizen age band", rows))
    low, high = age["low"].to_numpy()[band], age["high"].to_numpy()[band]
    years = low + np.floor((high - low + 1) * chance.uniform("citizen age", rows))
    school = _draw_by_party(school_shares, party, chance.uniform("citizen education", rows))
    return {
        "household": rows.astype(np.int32),
        "age": years.astype(np.int16),
        "education": schooling["group"].to_numpy(object)[school],
    }


def _draw_by_party(shares: Float64, party: Intp, u: Float64) -> Intp:
    edges = np.cumsum(shares, axis=1)
    return options_of(edges / edges[:, -1:], party, u)


def _draw_attitudes(
    known: Kinds,
    number: Intp,
    even: Float64,
    chance: Chance,
    settings: StartSettings,
    *,
    subject: Subject,
    symmetric: bool,
) -> Columns:
    """Draw attitudes to the subject, distributed by party as in the survey."""
    rows = np.arange(len(number))
    party = known.party[number]
    step = known.table["ideology"].to_numpy()[number] - 1
    owner = known.table["owner"].to_numpy()[number]
    steps, owners = _sum_by_party(known)
    u = chance.uniform("citizen left right", rows)
    z = correlate(to_normal(even), -rank_steps(step, steps[party], u), settings.ideology_link)
    # In mirror images, owning a gun cannot favour one side.
    effect = 0.0 if symmetric or not subject.owners else settings.owner_effect
    rank = shift_owners(z, owner, owners[party], effect)
    other = chance.normal("citizen background checks", rows)
    policy = correlate(other, to_normal(rank), settings.checks_link)
    ranks = dict(zip(subject.topics, (rank, clip_rank(ndtr(policy))), strict=True))
    columns: Columns = {f"attitude.{PLACEBO}": spread_steps(step, IDEOLOGIES, u)}
    for topic, at in ranks.items():
        mean, sd = select_moments(topic, symmetric=symmetric)[party].T
        columns[f"attitude.{topic}"] = beta_quantile(at, mean, sd)
    return {name: values.astype(np.float32) for name, values in columns.items()}


def _draw_activity(held: Array, moments: Float64, chance: Chance, settings: StartSettings) -> Array:
    """Draw activities, which are higher for citizens far from the middle, given their attitude.

    `moments` are mean and standard deviation of the attitude in each citizen's party. The
    distribution of activity is the same in each party.
    """
    a, b = compute_beta_shape(*moments.T, scale=SCALE)
    apart = np.abs(np.asarray(held, np.float64) / SCALE - 0.5)
    extremity = betainc(a, b, 0.5 + apart) - betainc(a, b, 0.5 - apart)
    own = chance.normal("citizen activity", np.arange(len(held)))
    rank = ndtr(correlate(own, to_normal(extremity), settings.activity_link))
    activity = compute_activity(
        rank, least=settings.least_activity, exponent=settings.activity_exponent
    )
    return activity.astype(np.float32)


def _draw_livelihoods(identity: Columns, chance: Chance) -> Columns:
    """Draw income, occupation and marriage status by age, gender and education."""
    groups, shares = read_by_party("education")
    levels = groups["group"].tolist()
    step = np.array([levels.index(label) for label in identity["education"]], np.intp)
    rows = np.arange(len(step))
    share = np.broadcast_to(shares.mean(axis=0), (len(step), len(levels)))
    rank = rank_steps(step, share, chance.uniform("citizen schooling", rows))
    return draw_livelihoods(identity["age"], identity["gender"], rank, chance)


def draw_outlets(
    side: Ints, slant: Float64, chance: Chance, *, followers: float, partisan: float, counter: float
) -> Array:
    """Draw the row of the outlet that each citizen follows, -1 for none, shape (agents,).

    A follower chooses an outlet in proportion to exp(partisan * side * slant), and with probability
    `counter` as a member of the other side would. `slant` has the slants of all outlets.

    Source: This project: a logit choice, as in models of selective exposure.
    """
    rows = np.arange(len(side))
    turned = chance.uniform("citizen counter outlet", rows) < counter
    toward = np.where(turned, -1, 1) * side
    edges = np.cumsum(np.exp(partisan * np.outer(toward, slant)), axis=1)
    chosen = options_of(edges / edges[:, -1:], rows, chance.uniform("citizen outlet", rows))
    follows = chance.uniform("citizen follows outlet", rows) < followers
    return np.where(follows, chosen, -1).astype(np.int32)


def _sum_by_party(known: Kinds) -> tuple[Float64, Float64]:
    """Return shares of ideology steps by party, shape (3, 7), and of owners, shape (3,)."""
    steps = np.zeros((3, IDEOLOGIES))
    np.add.at(steps, (known.party, known.table["ideology"].to_numpy() - 1), known.weight)
    owners = np.bincount(known.party, known.weight * known.table["owner"].to_numpy(), minlength=3)
    total = np.maximum(steps.sum(axis=1), 1e-12)
    return steps / total[:, None], owners / total


def select_moments(topic: str, *, symmetric: bool) -> Float64:
    """Return mean and standard deviation of an attitude by party, shape (3, 2)."""
    moments = read_attitudes(topic).copy()
    if symmetric:
        moments[1, 0] = 5.0
        moments[2] = 10 - moments[0, 0], moments[0, 1]
    return moments


def select_thermometers(name: str, *, symmetric: bool) -> Float64:
    """Return mean and standard deviation of a thermometer by party identification, shape (7, 2).

    `name` is warmth, of the other party, or in_warmth, of the own party.
    """
    table = read_party_identification()
    moments = table[[f"{name}_mean", f"{name}_sd"]].to_numpy(np.float64)
    return (moments + moments[::-1]) / 2 if symmetric else moments


def _draw_warmth(pid: Ints, rows: Intp, chance: Chance, *, symmetric: bool) -> Columns:
    """Draw feeling thermometers of the other and the own party, Beta by party identification.

    Both thermometers of Independents are the mean of the two parties' thermometers.
    """
    columns: Columns = {}
    other, own = (chance.uniform(f"citizen {name}", rows) for name in THERMOMETERS)
    own = np.where(pid == PARTY_IDENTIFICATION.index("Independent"), other, own)
    for name, rank in zip(THERMOMETERS, (other, own), strict=True):
        mean, sd = select_thermometers(name, symmetric=symmetric)[pid].T
        drawn = beta_quantile(clip_rank(rank), mean, sd, scale=100.0)
        columns[name] = drawn.astype(np.float32)
    return columns


def draw_evenly(chance: Chance, purpose: str, rows: ArrayLike, *, dimensions: int) -> Float64:
    """Draw points in [0, 1) that are more evenly distributed than independent ones, one per row.

    The first m rows approximate any share to about log(m) / m, where independent draws have an
    error of about 1 / sqrt(m). Adding a row changes no other. Two purposes differ only in the shift
    of all points: use several dimensions, not purposes, for joint draws.

    Source: Multiples of an irrational vector, here powers of the generalised golden ratio: M.
    Roberts 2018, "The unreasonable effectiveness of quasirandom sequences" (recalled); the shift:
    R. Cranley and T. N. L. Patterson 1976, SIAM Journal on Numerical Analysis 13, 904-914
    (recalled).
    """
    ratio = 2.0
    for _ in range(64):  # the positive root of x^(d + 1) = x + 1
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    step = ratio ** -np.arange(1.0, dimensions + 1)
    shift = chance.uniform(purpose, np.arange(dimensions))
    points = shift + np.asarray(rows, np.float64)[:, None] * step
    return np.asarray(points % 1.0)
