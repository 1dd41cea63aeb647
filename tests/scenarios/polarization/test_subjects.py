"""Other subjects by a setting alone: attitudes, phrases and measures are those of the subject."""

import tomllib

import numpy as np
import pytest

from memopolis import Polarization
from memopolis.scenarios.polarization.messages import (
    DATA,
    LEVELS,
    Draft,
    read_messages,
    write_claims,
    write_stories,
)
from memopolis.scenarios.polarization.people import PARTIES
from memopolis.scenarios.polarization.start import draw_citizens
from memopolis.scenarios.polarization.subjects import GUNS, SUBJECTS, Subject
from memopolis.scenarios.polarization.survey_tables import read_attitudes
from memopolis.sim.chance import Chance
from memopolis.sim.errors import SettingsError
from memopolis.sim.memory.text.texts import Texts

OTHERS = [subject for subject in SUBJECTS.values() if subject != GUNS]


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=lambda subject: subject.key)
def test_every_claim_and_story_contains_the_query_of_its_topic(subject: Subject) -> None:
    sections = read_messages(subject).sections
    for topic, query in zip(subject.topics, subject.queries, strict=True):
        for section in ("claim", "story"):
            for level in range(-(LEVELS // 2), LEVELS // 2 + 1):
                phrases = sections[section][f"{topic} {level}"]
                assert len(phrases) >= 2
                for phrase in phrases:
                    assert set(query.split()) <= set(phrase.lower().replace(",", " ").replace(
                        ".", " ").replace(":", " ").replace(";", " ").replace("?", " ").split()
                    ), phrase  # fmt: skip


@pytest.mark.parametrize("subject", OTHERS, ids=lambda subject: subject.key)
def test_other_subjects_say_nothing_of_guns(subject: Subject) -> None:
    own = tomllib.loads((DATA / subject.file).read_text(encoding="utf-8"))
    assert set(own) == {"claim", "story", "ground", "neutral"}
    texts, m = Texts(), 700
    rng = np.random.default_rng(1)
    draft = Draft(rng.integers(0, 2, m), rng.uniform(-1, 1, m), rng.random((m, 3)), subject)
    zeros = np.zeros(m, np.intp)
    grounds = np.array([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])  # all but owners of guns
    claims = write_claims(texts, draft, opening=zeros, ground=rng.choice(grounds, m))
    stories = write_stories(texts, draft, opening=zeros)
    written = [texts[number] for number in (*claims.text, *stories.text)]
    assert not [text for text in written if "gun" in text.lower()]
    assert {claims.remarks(0.5, 0.5).topics} == {(*subject.topics, subject.neutral)}


@pytest.mark.parametrize("subject", OTHERS, ids=lambda subject: subject.key)
def test_attitudes_start_with_the_shares_of_the_table(subject: Subject) -> None:
    citizens = draw_citizens(20_000, Chance(1), subject=subject)
    table = np.genfromtxt(DATA / "attitudes.csv", delimiter=",", names=True, dtype=None,
                          encoding="utf-8")  # fmt: skip
    for topic in subject.topics:
        held = citizens[f"attitude.{topic}"]
        for party, (mean, _) in zip(PARTIES, read_attitudes(topic), strict=True):
            own = citizens["party"] == party
            row = table[(table["topic"] == topic) & (table["party"] == party)][0]
            assert held[own].mean() == pytest.approx(mean, abs=0.15)
            assert (held[own] > 5).mean() == pytest.approx(row["above_5"], abs=0.03)
    assert not {f"attitude.{topic}" for topic in GUNS.topics} & set(citizens)
    owners = citizens["gun_owner"]
    held = citizens[f"attitude.{subject.main}"]
    own = citizens["party"] == "Republican"
    assert held[own & owners].mean() == pytest.approx(held[own & ~owners].mean(), abs=0.15)


@pytest.mark.parametrize("subject", OTHERS, ids=lambda subject: subject.key)
def test_a_society_talks_about_the_subject_of_the_settings(subject: Subject) -> None:
    society = Polarization(agents=200, days=3, rng=1, subject=subject.key)
    people = society.population("citizen")
    start = people[f"attitude.{subject.main}"].copy()
    for _ in range(3):
        society.step()
    assert (people[f"attitude.{subject.main}"] != start).mean() > 0.9
    assert "attitude.gun_control" not in people.attributes
    known = people.memory.topics
    assert set(subject.topics) <= set(known)
    assert not set(GUNS.topics) & set(known)
    measured = society.measured["attitude"][""]
    assert measured == pytest.approx(float(people[f"attitude.{subject.main}"].mean()), abs=1e-3)
    bureau = society.population("statistics_bureau").cohort()
    assert bureau["mean"][0] == pytest.approx(measured, abs=1e-3)
    policy = float(people[f"attitude.{subject.topics[1]}"].mean())
    assert bureau["policy"][0] == pytest.approx(policy, abs=1e-3)


def test_the_news_of_the_shooting_belong_to_its_subject() -> None:
    with pytest.raises(SettingsError, match="event is 'shooting'"):
        Polarization(agents=10, subject="climate", event="shooting")
