"""Tables of this scenario's README; see `memopolis.scenarios.odd`."""

import csv
from pathlib import Path

from memopolis.scenarios.odd import Odd, markdown
from memopolis.scenarios.polarization.attitudes import ATTITUDES, OPINION
from memopolis.scenarios.polarization.messages import DATA, MESSAGE_TOPICS, read_shooting
from memopolis.scenarios.polarization.people import PARTIES
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.polarization.survey_tables import read_attitudes, read_owners


def start() -> str:
    """Table of Beta distributions of initial attitudes, and of gun owners, by party."""
    head = ("party", *(f"{topic}, mean (sd)" for topic in MESSAGE_TOPICS), "own a gun")
    rows = (
        (
            party,
            *("{:g} ({:g})".format(*read_attitudes(topic)[number]) for topic in MESSAGE_TOPICS),
            f"{100 * read_owners()[(party, 'all')]:g} %",
        )
        for number, party in enumerate(PARTIES)
    )
    return markdown(head, rows)


def messages() -> str:
    """Table of the number of texts by topic and level, with the first of each."""
    texts: dict[tuple[str, str], list[str]] = {}
    with (DATA / "messages.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            texts.setdefault((row["topic"], row["level"] or "none"), []).append(row["text"])
    rows = ((*key, str(len(some)), some[0]) for key, some in texts.items())
    return markdown(("topic", "level", "texts", "first text"), rows)


def news() -> str:
    """Table of news after a shooting."""
    head = ("day", "topic", "stance", "importance", "text")
    rows = (
        (str(day), one.topic, f"{one.stance:g}", f"{one.importance:g}", one.text)
        for day, one in read_shooting()
    )
    return markdown(head, rows)


ODD = Odd(
    Polarization,
    Path(__file__).with_name("README.md"),
    ATTITUDES,
    (start, messages, news),
    profile=("opinion", OPINION),
    small={"agents": 50, "arm": "echo"},  # an arm with all blocks
)
"""The README and all its tables."""
