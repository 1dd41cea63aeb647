import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import spearmanr

from memopolis.agents.opinion.baumann import compute_activity
from memopolis.scenarios.polarization.kinds import shift_to_mean
from memopolis.scenarios.polarization.people import PARTIES, Citizen
from memopolis.scenarios.polarization.settings import StartSettings
from memopolis.scenarios.polarization.start import (
    Columns,
    beta_quantile,
    correlate,
    draw_citizens,
    draw_evenly,
    draw_outlets,
    rank_steps,
    shift_owners,
    spread_steps,
)
from memopolis.scenarios.polarization.survey_tables import DATA
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError, SettingsError

SEEDS = range(10)


@pytest.fixture(scope="module")
def many() -> Columns:
    """As many as show what the shares tend to."""
    return draw_citizens(100_000, Chance(1))


@pytest.fixture(scope="module")
def mirrored() -> Columns:
    """Many of the start in which the parties are mirror images."""
    return draw_citizens(100_000, Chance(1), symmetric=True)


def support(citizens: Columns, party: str = "", topic: str = "gun_control") -> float:
    held = citizens[f"attitude.{topic}"]
    return float(((held[citizens["party"] == party] if party else held) > 5).mean())


def test_party_shares_of_support_match_polls() -> None:
    starts = [draw_citizens(1000, Chance(seed)) for seed in SEEDS]
    result = {party: [support(start, party) for start in starts] for party in PARTIES}
    # 86 % of Democrats, 60 % of Independents and 29 % of Republicans, 3 points.
    for party, expected in zip(PARTIES, (0.86, 0.60, 0.29), strict=True):
        assert np.mean(result[party]) == pytest.approx(expected, abs=0.03)
    # Of the two parties in every seed by itself; Independents are 100 people.
    assert result["Democrat"] == pytest.approx([0.86] * len(starts), abs=0.03)
    assert result["Republican"] == pytest.approx([0.29] * len(starts), abs=0.03)
    everybody = [support(start) for start in starts]
    assert 0.53 <= min(everybody) <= max(everybody) <= 0.60
    checks = [[support(start, p, "background_checks") for p in PARTIES] for start in starts]
    assert np.mean(checks, axis=0)[[0, 2]] == pytest.approx([0.93, 0.68], abs=0.02)


def test_the_party_mix_equals_the_setting() -> None:
    for seed in SEEDS:
        party = draw_citizens(1000, Chance(seed))["party"]
        shares = [np.mean(party == name) for name in PARTIES]
        assert shares == pytest.approx([0.46, 0.10, 0.44], abs=0.005)
    settings = StartSettings(democrats=0.3, republicans=0.5)
    party = draw_citizens(1000, Chance(1), settings=settings)["party"]
    assert [np.mean(party == p) for p in PARTIES] == pytest.approx([0.3, 0.2, 0.5], abs=0.005)


def test_attitudes_have_the_beta_distributions_of_the_parties(many: Columns) -> None:
    for party, mean, sd in zip(PARTIES, (7.4, 5.6, 3.8), (2.0, 2.4, 2.15), strict=True):
        held = many["attitude.gun_control"][many["party"] == party]
        assert held.mean() == pytest.approx(mean, abs=0.05)
        assert held.std() == pytest.approx(sd, abs=0.05)
        assert held.min() >= 0
        assert held.max() <= 10


def test_the_share_of_gun_owners_matches_the_survey(many: Columns) -> None:
    owner = many["gun_owner"]
    assert owner.mean() == pytest.approx(0.32, abs=0.005)
    rates = {
        "party": {"Democrat": 0.20, "Republican": 0.45},
        "gender": {"male": 0.40, "female": 0.25},
        "urbanity": {"rural": 0.47, "suburban": 0.30, "urban": 0.20},
        "race": {"white": 0.38, "black": 0.24, "hispanic": 0.20, "asian": 0.10},
    }
    for trait, groups in rates.items():
        for group, expected in groups.items():
            # One point: the published rates are rounded, and do not quite go together.
            assert owner[many[trait] == group].mean() == pytest.approx(expected, abs=0.012)
    democrat, republican = (many["party"] == p for p in ("Democrat", "Republican"))
    liberal, conservative = many["ideology"] <= 3, many["ideology"] >= 5
    assert owner[democrat & liberal].mean() == pytest.approx(0.16, abs=0.012)
    assert owner[democrat & ~liberal].mean() == pytest.approx(0.24, abs=0.012)
    # Of the study of 1996 more Republicans are conservative than of the survey of 2023.
    assert owner[republican & conservative].mean() == pytest.approx(0.51, abs=0.035)
    assert owner[republican & ~conservative].mean() == pytest.approx(0.38, abs=0.035)


def test_owners_support_less_than_others_of_their_party(many: Columns) -> None:
    held, owner = many["attitude.gun_control"], many["gun_owner"]
    for party in PARTIES:
        own, other = (held[(many["party"] == party) & (owner == o)].mean() for o in (True, False))
        assert 0.7 < other - own < 1.5
    level = draw_citizens(20_000, Chance(1), settings=StartSettings(owner_effect=0))
    one = level["party"] == "Independent"  # whose ideology says nothing of guns
    held, owner = level["attitude.gun_control"], level["gun_owner"]
    assert held[one & owner].mean() == pytest.approx(held[one & ~owner].mean(), abs=0.25)


def test_ideology_correlates_with_party_and_attitudes(many: Columns) -> None:
    # Mean left-right by identification in the study of 1996, from strong D to strong R.
    means = [many["ideology"][many["pid"] == pid].mean() for pid in range(7)]
    assert means == pytest.approx([3.34, 3.62, 3.69, 4.05, 4.96, 5.03, 5.69], abs=0.1)
    placebo = many["attitude.left_right"]
    assert np.corrcoef(placebo, many["ideology"])[0, 1] > 0.95
    assert ((placebo * 0.7).astype(int) + 1 == many["ideology"]).mean() > 0.9999
    for party in PARTIES:
        here = many["party"] == party
        guns, checks = (many[f"attitude.{t}"][here] for t in ("gun_control", "background_checks"))
        assert np.corrcoef(guns, placebo[here])[0, 1] == pytest.approx(-0.29, abs=0.03)
        assert np.corrcoef(guns, checks)[0, 1] == pytest.approx(0.48, abs=0.04)


def test_thermometers_match_those_of_2012(many: Columns) -> None:
    strong = many["pid"] == 0
    assert many["warmth"][strong].mean() == pytest.approx(19.7, abs=0.5)
    assert many["in_warmth"][strong].mean() == pytest.approx(82.4, abs=0.5)
    weak = many["pid"] == 5
    assert many["warmth"][weak].mean() == pytest.approx(36.6, abs=0.5)
    assert many["warmth"][weak].std() == pytest.approx(20.3, abs=0.5)
    none = many["party"] == "Independent"
    assert (many["warmth"][none] == many["in_warmth"][none]).all()
    assert many["warmth"].min() >= 0
    assert many["in_warmth"].max() <= 100


def test_activity_falls_as_a_power(many: Columns) -> None:
    activity = many["activity"]
    assert activity.min() == pytest.approx(0.0005, rel=0.02)
    assert activity.max() <= 1
    # P(a > x) = (x^-0.4 - 1) / (0.0005^-0.4 - 1)
    for x in (0.02, 0.1, 0.5):
        expected = (x**-0.4 - 1) / (0.0005**-0.4 - 1)
        assert (activity > x).mean() == pytest.approx(expected, rel=0.06)


def test_all_columns_fit_the_citizen(many: Columns) -> None:
    assert set(many) <= set(Citizen.schema.attributes)
    for name, values in many.items():
        declared = Citizen.schema.attributes[name]
        assert len(values) == 100_000
        if declared.low is not None:
            assert values.min() >= declared.low
        if declared.high is not None:
            assert values.max() <= declared.high
    side_of = {"Democrat": 1, "Independent": 0, "Republican": -1}
    assert [side_of[party] for party in many["party"]] == many["side"].tolist()
    assert 18 <= many["age"].min() <= many["age"].max() <= 90


def test_one_more_citizen_changes_no_other() -> None:
    some, more = (draw_citizens(n, Chance(3)) for n in (400, 401))
    for name, values in some.items():
        assert (values == more[name][:400]).all(), name


def test_the_start_follows_from_the_seed() -> None:
    one, same, other = (draw_citizens(50, Chance(seed)) for seed in (1, 1, 2))
    assert (one["attitude.gun_control"] == same["attitude.gun_control"]).all()
    assert (one["attitude.gun_control"] != other["attitude.gun_control"]).all()


def test_mirrored_starts_are_symmetric(mirrored: Columns) -> None:
    democrat, republican = (mirrored["party"] == p for p in ("Democrat", "Republican"))
    assert democrat.mean() == pytest.approx(republican.mean(), abs=0.001)
    for topic in ("gun_control", "background_checks", "left_right"):
        held = mirrored[f"attitude.{topic}"]
        parts = np.linspace(0.05, 0.95, 10)
        one = np.quantile(held[democrat], parts)
        two = 10 - np.quantile(held[republican], 1 - parts)
        assert one == pytest.approx(two, abs=0.12)
    for name in ("warmth", "in_warmth", "gun_owner", "age", "activity"):
        one, two = mirrored[name][democrat], mirrored[name][republican]
        assert one.mean() == pytest.approx(two.mean(), rel=0.03)
    held, owner = mirrored["attitude.gun_control"], mirrored["gun_owner"]
    assert held[owner].mean() == pytest.approx(held[~owner].mean(), abs=0.1)


def test_extreme_mixes_are_possible() -> None:
    for democrats, republicans, party in ((1, 0, "Democrat"), (0, 0, "Independent")):
        settings = StartSettings(democrats=democrats, republicans=republicans)
        citizens = draw_citizens(50, Chance(1), settings=settings)
        assert set(citizens["party"]) == {party}


def test_impossible_values_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"democrats and republicans sum to 1\.1"):
        StartSettings(democrats=0.6, republicans=0.5)
    with pytest.raises(ParameterError, match="agents is 0"):
        draw_citizens(0, Chance(1))


def test_every_table_is_documented() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    for file in DATA.glob("*.csv"):
        assert f"| {file.name} |" in readme


GRID = (np.arange(10_000) + 0.5) / 10_000


def test_a_uniform_distribution_is_a_beta_distribution() -> None:
    # Mean 1/2 and sd 1/sqrt(12) of the scale: the rank itself.
    flat = beta_quantile(GRID, np.full(10_000, 5.0), np.full(10_000, 10 / np.sqrt(12)))
    assert flat == pytest.approx(10 * GRID, abs=1e-6)


def test_the_published_moments_give_the_published_shares() -> None:
    for mean, sd, above in ((7.4, 2.0, 0.86), (5.6, 2.4, 0.598), (3.8, 2.15, 0.294)):
        held = beta_quantile(GRID, np.full(10_000, mean), np.full(10_000, sd))
        assert held.mean() == pytest.approx(mean, abs=1e-3)
        assert held.std() == pytest.approx(sd, abs=1e-3)
        assert (held > 5).mean() == pytest.approx(above, abs=1e-3)


def test_moments_that_no_distribution_has_are_refused() -> None:
    with pytest.raises(ParameterError, match="no Beta distribution fits"):
        beta_quantile(np.array([0.5]), np.array([5.0]), np.array([5.0]))


def test_correlations_equal_the_setting() -> None:
    z, other = np.random.default_rng(1).normal(size=(2, 200_000))
    assert np.corrcoef(correlate(z, other, -0.3), other)[0, 1] == pytest.approx(-0.3, abs=0.01)
    assert correlate(z, other, 0.3).std() == pytest.approx(1, abs=0.01)


def test_owners_stand_lower_and_all_as_before() -> None:
    rng = np.random.default_rng(2)
    z, owner = rng.normal(size=200_000), rng.random(200_000) < 0.45
    rank = shift_owners(z, owner, np.full(200_000, 0.45), 0.5)
    for part in (0.1, 0.5, 0.9):
        assert (rank < part).mean() == pytest.approx(part, abs=0.005)
    assert (rank[owner] > 0.5).mean() < 0.42
    assert (rank[~owner] > 0.5).mean() > 0.57
    # By hand: an owner at z = 0.5 - 0.5 = 0 stands among others at 0 and owners at 0.5.
    one = shift_owners(np.array([0.5]), np.array([True]), np.array([0.4]), 0.5)
    assert one[0] == pytest.approx(0.4 * ndtr(0.5) + 0.6 * 0.5)


def test_steps_become_normal_ranks() -> None:
    # Of three steps of 1/4, 1/2 and 1/4 the middle of the second is the median.
    shares = np.tile([0.25, 0.5, 0.25], (3, 1))
    ranks = rank_steps(np.array([0, 1, 2]), shares, np.full(3, 0.5))
    assert ndtr(ranks) == pytest.approx([0.125, 0.5, 0.875])
    assert spread_steps(np.array([0, 6]), 7, np.array([0.0, 0.5])) == pytest.approx([0, 65 / 7])


def test_activities_lie_between_their_ends() -> None:
    drawn = compute_activity(np.array([0.0, 1 - 1e-12]), least=0.01, exponent=2.1)
    assert drawn == pytest.approx([0.01, 1.0])
    # The median: a^-1.1 half way between 0.01^-1.1 and 1.
    half = ((0.01**-1.1 + 1) / 2) ** (-1 / 1.1)
    assert compute_activity(np.array([0.5]), least=0.01, exponent=2.1)[0] == pytest.approx(half)


def test_rates_are_moved_by_one_factor_of_odds() -> None:
    moved = shift_to_mean([0.2, 0.5], np.array([0.5, 0.5]), 0.5)
    assert moved.mean() == pytest.approx(0.5)
    odds = moved / (1 - moved)
    assert odds[1] / odds[0] == pytest.approx(4)
    assert shift_to_mean([0.2], np.array([0.0]), 0.5) == pytest.approx([0.2])


def test_even_draws_are_uniform_and_more_even_than_chance() -> None:
    points = draw_evenly(Chance(1), "test", np.arange(1000), dimensions=2)
    assert points.shape == (1000, 2)
    assert 0 <= points.min() <= points.max() < 1
    for column in points.T:
        counts = np.histogram(column, 20, (0, 1))[0]
        assert np.abs(counts - 50).max() <= 3  # chance: a standard deviation of 7
    cells = np.bincount((points * 5).astype(int) @ [5, 1], minlength=25)
    assert np.abs(cells - 40).max() <= 5
    shifted = draw_evenly(Chance(2), "test", np.arange(1000), dimensions=2)
    assert np.ptp((shifted - points) % 1, axis=0) == pytest.approx(0, abs=1e-9)


def test_few_citizens_post_much_and_extreme_ones_more(many: Columns) -> None:
    activity = many["activity"].astype(float)
    silent = np.mean((1 - activity) ** 60)
    assert 0.55 < silent < 0.85
    ranked = np.sort(activity)[::-1]
    assert 0.7 < ranked[: len(ranked) // 10].sum() / ranked.sum() < 0.97
    for party in PARTIES:
        own = many["party"] == party
        apart = np.abs(many["attitude.gun_control"][own] - 5)
        assert spearmanr(activity[own], apart).statistic == pytest.approx(0.5, abs=0.05)


def test_outlets_are_chosen_by_side() -> None:
    side = np.repeat([1, 0, -1], 20_000)
    slant = np.linspace(-1, 1, 6)
    settings = {"followers": 0.6, "partisan": 1.4, "counter": 0.0}
    outlet = draw_outlets(side, slant, Chance(1), **settings)
    assert (outlet >= 0).mean() == pytest.approx(0.6, abs=0.01)
    audience = side[outlet == 5]
    assert (audience == 1).sum() / (audience != 0).sum() == pytest.approx(0.943, abs=0.01)
    neither = outlet[(side == 0) & (outlet >= 0)]
    assert np.bincount(neither) / len(neither) == pytest.approx([1 / 6] * 6, abs=0.02)
    turned = draw_outlets(side, slant, Chance(1), **{**settings, "counter": 1.0})
    assert (side[turned == 5] == -1).sum() > 10 * (side[turned == 5] == 1).sum()


def test_income_work_and_religion_go_with_traits(many: Columns) -> None:
    working = many["occupation"] != "none"
    old = many["age"] >= 65
    assert working[~old].mean() > 2 * working[old].mean()
    degree = np.isin(many["education"], ["college degree", "advanced degree"])
    assert np.median(many["income"][degree]) > 1.3 * np.median(many["income"][~degree])
    professional = many["occupation"][working] == "professional"
    assert professional.mean() == pytest.approx(0.40, abs=0.03)
    unaffiliated = many["religion"] == "none"
    by_party = [unaffiliated[many["party"] == party].mean() for party in PARTIES]
    assert by_party == pytest.approx([0.28, 0.33, 0.14], abs=0.02)
    assert set(many["marriage_status"]) == {"single", "married", "formerly married"}
