"""Activities of people in words, and the groups by which the map colours them."""

from collections.abc import Sequence
from typing import Any

GROUPS = (
    "at home",
    "at work or school",
    "eating, free time, friends",
    "shopping",
    "preparing to stay or leave",
    "driving out",
    "other",
)
"""Groups of activities, in the order of their colours in `colours.css`."""
_CITIZENS = {
    "idle": ("at home", "at leisure"),
    "sleep": ("at home", "asleep"),
    "rest": ("at home", "resting at home"),
    "work": ("at work or school", "at work"),
    "school": ("at work or school", "at school"),
    "eat": ("eating, free time, friends", "eating"),
    "meet": ("eating, free time, friends", "meeting a friend"),
    "message": ("eating, free time, friends", "exchanging messages"),
    "leisure": ("eating, free time, friends", "spending free time"),
    "shop": ("shopping", "shopping"),
    "stock up": ("preparing to stay or leave", "buying supplies"),
    "fuel": ("preparing to stay or leave", "filling the tank"),
    "secure home": ("preparing to stay or leave", "securing the home"),
    "pack": ("preparing to stay or leave", "packing to leave"),
    "drive": ("driving out", "driving out of the region"),
    "away": ("other", "away from the region"),
}
"""Group and words of the activities of citizens."""
_ON_ROAD = "drive"


def groups_of(activities: Sequence[str], noun: str) -> list[dict[str, str]]:
    """Return the groups in which the map colours people, as label and name of a colour.

    Activities of citizens have groups, others their own. People without activities are called
    `noun`.
    """
    labels = list(dict.fromkeys(_group_of(name, activities, noun) for name in activities))
    if set(labels) <= set(GROUPS):
        numbers = {name: i for i, name in enumerate(GROUPS, 1) if name in labels}
    else:
        numbers = {name: i % len(GROUPS) + 1 for i, name in enumerate(labels)}
    return [{"label": name, "colour": f"--group-{i}"} for name, i in numbers.items()]


def activities_in_words(activities: Sequence[str], noun: str) -> list[dict[str, Any]]:
    """Return for each activity the number of its group, its words, and whether it is on a road."""
    labels = [group["label"] for group in groups_of(activities, noun)]
    return [
        {
            "group": labels.index(_group_of(name, activities, noun)),
            "phrase": _CITIZENS[name][1] if name in _CITIZENS else name,
            "onRoad": name == _ON_ROAD,
        }
        for name in activities
    ]


def _group_of(name: str, activities: Sequence[str], noun: str) -> str:
    if not any(activities):
        return noun
    if set(activities) <= set(_CITIZENS):
        return _CITIZENS[name][0]
    return name or "other"
