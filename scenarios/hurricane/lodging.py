"""Where evacuees stay: how far away it is, what it is called, and what they remember of it."""

import numpy as np

from memopolis.scenarios.hurricane.people import Destination
from memopolis.sim.arrays import Float32, Float64, UInt8

NAMES = {
    Destination.FAMILY_OR_FRIENDS: (
        "the house of an aunt", "the home of cousins", "the home of grandparents",
        "the apartment of old friends", "the house of a sister's family", "the home of relatives",
        "the house of a former neighbour", "the home of a brother and his wife",
    ),
    Destination.HOTEL: (
        "a motel off the interstate", "a hotel downtown", "a roadside inn", "a chain hotel",
        "a small hotel in the hills",
    ),
    Destination.SHELTER: (
        "a shelter in a high school", "a Red Cross shelter", "a shelter in a church hall",
        "a shelter in a gymnasium",
    ),
    Destination.OTHER: (
        "a campground", "a rented cabin", "a vacation home", "a room at a workplace upstate",
    ),
}  # fmt: skip
"""Names of places to stay by destination, as sentences use them."""
OF_FRIENDS = "the home of relatives of a friend"  # with the family of those who offered a place

MEDIAN_HOURS = {
    Destination.FAMILY_OR_FRIENDS: 3.0,
    Destination.HOTEL: 2.5,
    Destination.SHELTER: 1.0,
    Destination.OTHER: 2.5,
}
"""Median hours of driving from the edge of the region (recalled: evacuees of Gulf storms drove some
200 miles; shelters are nearer)."""
SPREAD = 0.5  # standard deviation of the logarithm of these hours (illustrative)
MOST_HOURS = 9.0  # longest such drive, so that people arrive on the same day (illustrative)

COMFORT = {
    Destination.FAMILY_OR_FRIENDS: 0.2,
    Destination.HOTEL: 0.0,
    Destination.SHELTER: -0.35,
    Destination.OTHER: 0.0,
}
"""Usual valence of memories of a stay, by destination (illustrative)."""

ARRIVED = "We arrived at {lodging} after {hours} on the road."
NIGHTS = (
    (
        "We waited for news of home at {lodging}.",
        "Another evening at {lodging}, far from home.",
        "We spent the evening at {lodging} and wondered about our house.",
        "We watched the weather together at {lodging}.",
    ),
    (
        "We were well looked after at {lodging}.",
        "We cooked and talked at {lodging}, and it did us good.",
        "It was good to be safe at {lodging}.",
        "We slept well at {lodging}, for the first time in days.",
    ),
    (
        "It was crowded at {lodging}, and we hardly slept.",
        "Everyone was on edge at {lodging}.",
        "The stay at {lodging} is costing more than we can afford.",
        "There was no peace and quiet at {lodging}.",
    ),
)
"""Memories of an evening of a stay: an ordinary, a good and a bad one."""
LEFT = "We left {lodging} after {nights} and set off for home."
THANKED = "We thanked our hosts, left {lodging} after {nights} and set off for home."


def rate_comfort(destination: UInt8) -> Float32:
    """Return the usual valence of memories of a stay of each household, 0 without destination."""
    comfort = np.zeros(len(Destination), np.float32)
    for number, valence in COMFORT.items():
        comfort[number] = valence
    return comfort[destination]


def name_lodgings(destination: UInt8, u: Float64) -> list[str]:
    """Return what takes in each household, given its destination and a draw in [0, 1)."""
    names = [NAMES[Destination(number)] for number in destination.tolist()]
    return [some[int(draw * len(some))] for some, draw in zip(names, u.tolist(), strict=True)]


def travel_hours(destination: UInt8, normal: Float64) -> Float64:
    """Return the hours of driving from the edge of the region, given standard normal draws."""
    median = np.array([MEDIAN_HOURS[Destination(number)] for number in destination.tolist()])
    return np.asarray(np.minimum(median * np.exp(SPREAD * normal), MOST_HOURS))


def say_hours(hours: float) -> str:
    """Return a duration in words, rounded to hours."""
    whole = max(round(hours), 1)
    return "an hour" if whole == 1 else f"{whole} hours"


def say_nights(days: float) -> str:
    """Return the number of nights in words."""
    nights = max(round(days), 1)
    return "a night" if nights == 1 else f"{nights} nights"
