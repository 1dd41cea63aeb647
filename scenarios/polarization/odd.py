"""Keep the tables of this scenario's README as the code is.

`python -m memopolis.scenarios.polarization.odd` writes anew what stands between the markers
`<!-- table: NAME -->` and `<!-- end -->`; a test fails while a table is out of date.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path

from memopolis.scenarios import odd
from memopolis.scenarios.odd import Odd, markdown
from memopolis.scenarios.polarization.attitudes import ATTITUDES, OPINION
from memopolis.scenarios.polarization.events import shooting
from memopolis.scenarios.polarization.messages import DATA, TALKED_OF
from memopolis.scenarios.polarization.people import PARTIES
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.polarization.survey_tables import attitudes as held
from memopolis.scenarios.polarization.survey_tables import owners_by_party


def attitudes() -> str:
    """What messages of a topic say for or against an attitude."""
    return odd.attitudes(ATTITUDES)


def start() -> str:
    """Beta distributions that attitudes start with, and owners of guns, by party."""
    head = ("party", *(f"{topic}, mean (sd)" for topic in TALKED_OF), "own a gun")
    rows = (
        (
            party,
            *("{:g} ({:g})".format(*held(topic)[number]) for topic in TALKED_OF),
            f"{100 * owners_by_party()[(party, 'all')]:g} %",
        )
        for number, party in enumerate(PARTIES)
    )
    return markdown(head, rows)


def recall() -> str:
    """The profile by which messages are recalled: what differs from a profile's defaults."""
    rows = (
        (f"`{one.name}`", f"{getattr(OPINION, one.name)}", one.default)
        for one in fields(OPINION)
        if one.default is not MISSING and getattr(OPINION, one.name) != one.default
    )
    return markdown(("of the profile `opinion`", "value", "default"), _texts(rows))


def messages() -> str:
    """How many texts there are of each topic and level, and the first of them."""
    texts: dict[tuple[str, str], list[str]] = {}
    with (DATA / "messages.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            texts.setdefault((row["topic"], row["level"] or "none"), []).append(row["text"])
    rows = ((*key, str(len(some)), some[0]) for key, some in texts.items())
    return markdown(("topic", "level", "texts", "the first of them"), rows)


def news() -> str:
    """What is reported after a shooting."""
    head = ("day", "topic", "stance", "importance", "text")
    rows = ((day, n.topic, f"{n.stance:g}", f"{n.importance:g}", n.text) for day, n in shooting())
    return markdown(head, _texts(rows))


def _texts(rows: Iterator[tuple[object, ...]]) -> Iterator[tuple[str, ...]]:
    return (tuple(str(cell) for cell in row) for row in rows)


TABLES: Mapping[str, odd.Table] = {
    "attitudes": attitudes,
    "start": start,
    "recall": recall,
    "messages": messages,
    "news": news,
}
"""Tables of this scenario alone, by the name in their marker."""

ODD = Odd(
    Polarization,
    Path(__file__).with_name("README.md"),
    TABLES,
    small={"agents": 50, "arm": "echo"},  # an arm in which every block is there
)
"""The README and all its tables."""


if __name__ == "__main__":
    ODD.write()
