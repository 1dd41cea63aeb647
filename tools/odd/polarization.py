"""Tables of this scenario's README; see `tools/odd/tables.py`."""

from memopolis.scenarios.polarization.attitudes import ATTITUDES, OPINION
from memopolis.scenarios.polarization.messages import read_messages, read_shooting
from memopolis.scenarios.polarization.people import PARTIES
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.polarization.subjects import GUNS
from memopolis.scenarios.polarization.survey_tables import read_attitudes, read_owners
from tools.odd.tables import SCENARIOS, Odd, markdown


def start() -> str:
    """Table of Beta distributions of initial attitudes, and of gun owners, by party."""
    head = ("party", *(f"{topic}, mean (sd)" for topic in GUNS.topics), "own a gun")
    rows = (
        (
            party,
            *("{:g} ({:g})".format(*read_attitudes(topic)[number]) for topic in GUNS.topics),
            f"{100 * read_owners()[(party, 'all')]:g} %",
        )
        for number, party in enumerate(PARTIES)
    )
    return markdown(head, rows)


def messages() -> str:
    """Table of the number of phrases by section and key, with the first of each."""
    rows = (
        (section, key, str(len(phrases)), next(filter(None, phrases), "(nothing)"))
        for section in ("opening", "claim", "ground", "story", "agreement", "neutral")
        for key, phrases in read_messages().sections[section].items()
    )
    return markdown(("section", "key", "phrases", "first phrase"), rows)


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
    SCENARIOS / "polarization" / "README.md",
    ATTITUDES,
    (start, messages, news),
    profile=("opinion", OPINION),
    small={"agents": 50, "arm": "echo"},  # an arm with all blocks
    steps=2,
)
"""The README and all its tables."""
