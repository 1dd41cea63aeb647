"""Measures and outcomes of the scenario."""

from memopolis.sim.measures import Measure

_BUREAU = "statistics_bureau"


def _published(name: str, chart: str, description: str, unit: str = "") -> Measure:
    return Measure(name, name, description, unit=unit, population=_BUREAU, chart=chart)


MEASURES = (
    Measure(
        "attitude",
        "attitude.gun_control",
        "Mean attitude to gun control, by party",
        unit="0-10",
        group="party",
        chart="Attitude to gun control",
    ),
    Measure(
        "attitude_of_owners",
        "attitude.gun_control",
        "Mean attitude to gun control, by gun ownership",
        unit="0-10",
        group="gun_owner",
    ),
    _published("support", "Share for stricter laws", "Share with an attitude above 5", "share"),
    _published("support_democrat", "Share for stricter laws", "The same among Democrats", "share"),
    _published(
        "support_independent", "Share for stricter laws", "The same among Independents", "share"
    ),
    _published(
        "support_republican", "Share for stricter laws", "The same among Republicans", "share"
    ),
    _published("variance", "Variance of attitudes", "Variance of attitudes to gun control"),
    _published("bimodality", "Polarization", "Bimodality coefficient; above 0.555 bimodal"),
    _published("esteban_ray", "Polarization", "Polarization index of Esteban and Ray"),
    _published(
        "extreme_share",
        "Extreme attitudes",
        "Share beyond one standard deviation from the initial mean",
        "share",
    ),
    _published("party_gap", "Gap between parties", "Mean of Democrats minus mean of Republicans"),
    _published("warmth_gap", "Thermometer gap", "Own-party minus other-party thermometer", "0-100"),
    _published("warmth", "Feeling thermometers", "Mean thermometer of the other party", "0-100"),
    _published(
        "in_warmth", "Feeling thermometers", "Mean thermometer of the citizens' own party", "0-100"
    ),
    _published("left_right", "Other attitudes", "Mean placebo attitude, left to right", "0-10"),
    _published(
        "left_right_variance", "", "Variance of the placebo attitude, which no message concerns"
    ),
    _published("background_checks", "Other attitudes", "Mean attitude to checks", "0-10"),
    Measure("read", "read", "Messages read in the feed", unit="1/d", chart="Exposure"),
    Measure(
        "read_like",
        "read_like",
        "Of these, by authors of the reader's own side",
        unit="1/d",
        chart="Exposure",
    ),
    Measure(
        "read_cross",
        "read_cross",
        "Of these, by authors of the other side",
        unit="1/d",
        chart="Exposure",
    ),
    Measure("heard", "heard", "Messages heard from friends", unit="1/d", chart="Exposure"),
    Measure("persuaded", "persuaded", "Messages of persuaders", unit="1/d", chart="Exposure"),
    _published("ei_follows", "E-I index", "E-I index of follows"),
    _published("ei_friends", "E-I index", "E-I index of friends"),
    _published("ei_exposure", "E-I index", "E-I index of messages read in the feed"),
    _published("assortativity", "", "Assortativity of friends by side"),
    _published("opinion_assortativity", "", "Correlation of attitudes between friends"),
    _published("modularity", "", "Modularity of friends by side"),
    _published("messages", "", "Messages read, heard and received"),
)

OUTCOMES = (
    "variance",
    "extreme_share",
    "bimodality",
    "esteban_ray",
    "party_gap",
    "warmth_gap",
    "ei_follows",
)
"""Outcomes of comparisons by default."""
