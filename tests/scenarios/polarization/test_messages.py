"""Stances, how they are worded, and that neutral messages have none."""

import numpy as np
import pytest

from memopolis.agents.thoughts import SIGNS
from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.attitudes import ATTITUDES
from memopolis.scenarios.polarization.blocks.discuss import AGREEMENTS, find_agreement
from memopolis.scenarios.polarization.messages import CLAIM_SIDES, GROUNDS, Draft, read_shooting
from memopolis.scenarios.polarization.subjects import GUNS
from memopolis.sim.memory.text.texts import Texts


def write(
    stance: float,
    topic: int = 0,
    *,
    ground: str = "gap down",
    opening: str = "none",
    draws: int = 40,
) -> list[str]:
    """Return the distinct claims of a stance."""
    texts, grammar = Texts(), words.read_messages()
    u = np.tile(np.linspace(0, 0.999, draws)[:, None], (1, words.DRAWS))
    claims = words.write_claims(
        texts,
        Draft(np.full(draws, topic), np.full(draws, stance), u),
        opening=np.repeat(grammar.numbers("opening", [opening]), draws),
        ground=np.full(draws, GROUNDS.index(ground)),
    )
    return sorted({texts[one] for one in claims.text.tolist()})


def test_a_stance_is_the_attitude_from_minus_one_to_one_and_noise() -> None:
    held = np.array([0, 5, 7.5, 10, 10], np.float32)
    noise = np.array([0, 1, -1, 0, 3.0])
    output = words.draw_stance(held, noise, spread=0.1)
    assert output == pytest.approx([-1, 0.1, 0.4, 1, 1])


def test_levels_are_the_nearest_third() -> None:
    stance = np.array([-1, -0.84, -0.83, -0.17, -0.16, 0, 0.16, 0.17, 0.5, 0.84, 1])
    assert words.compute_level(stance).tolist() == [0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 6]


def test_an_author_with_a_stance_never_writes_a_neutral_message() -> None:
    stance = np.array([0.0, 0.001, -0.001, 0.5])
    least = 1 / 127
    assert words.avoid_zero(stance) == pytest.approx([least, least, -least, 0.5])
    # A stance is stored in 127ths: the smallest one differs from none.
    assert (np.rint(words.avoid_zero(stance) * 127) != 0).all()


def test_claims_match_topic_and_level() -> None:
    claims = words.read_messages().sections["claim"]
    assert write(0.99) == sorted(claims["gun_control 3"])
    assert write(-0.7, 1) == sorted(claims["background_checks -2"])


def test_a_claim_names_what_it_rests_on() -> None:
    grammar = words.read_messages().sections
    for stance, side in ((-0.7, "against"), (0.0, "torn"), (0.7, "for")):
        composed = write(stance, ground="owner")
        phrases = grammar["ground"][f"{side} owner"]
        assert all(any(text.endswith(phrase) for phrase in phrases) for text in composed)
    # A rise of support is no ground against stricter laws.
    assert write(-0.7, ground="support up") == write(-0.7)


def test_conviction_opens_a_message() -> None:
    conviction, stance = np.array([0.9, 0.9, 0.0, 0.0]), np.array([0.8, 0.1, -0.1, -0.8])
    keys = list(words.read_messages().sections["opening"])
    named = [keys[one] for one in words.number_openings(conviction, stance)]
    assert named == ["firm", "open", "open", "none"]
    firm = words.read_messages().sections["opening"]["firm"]
    assert all(any(text.startswith(one) for one in firm) for text in write(0.9, opening="firm"))


def test_the_outlook_of_an_institution_opens_its_messages() -> None:
    keys = list(words.read_messages().sections["opening"])
    outlook = np.array([3.0, 5.2, 8.0])
    for name in ("outlet", "persuader"):
        named = [keys[one] for one in words.number_outlook(name, outlook)]
        assert named == [f"{name} down", f"{name} plain", f"{name} up"]


def test_stories_match_topic_and_level() -> None:
    texts, grammar = Texts(), words.read_messages()
    opening = np.repeat(grammar.numbers("opening", ["none"]), 20)
    u = np.tile(np.linspace(0, 0.999, 20)[:, None], (1, words.DRAWS))
    draft = Draft(np.zeros(20, int), np.full(20, 0.99), u)
    claims = words.write_stories(texts, draft, opening=opening)
    stories = grammar.sections["story"]["gun_control 3"]
    assert {texts[one] for one in claims.text.tolist()} == set(stories)


def test_neutral_messages_have_no_stance_and_no_topic_of_an_attitude() -> None:
    texts = Texts()
    words.intern_neutral(texts)
    before = len(texts)
    output = words.write_neutral(texts, np.linspace(0, 1, 20, endpoint=False))
    assert set(output.topic.tolist()) == {-1}
    assert not output.stance.any()
    assert len(np.unique(output.text)) == 6
    assert len(texts) == before
    assert set(output.remarks(0.5, 0.5).topic.tolist()) == {len(GUNS.topics)}


def test_the_phrases_are_complete() -> None:
    sections = words.read_messages().sections
    keys = {f"{topic} {level}" for topic in GUNS.topics for level in range(-3, 4)}
    assert set(sections["claim"]) == set(sections["story"]) == keys
    assert set(AGREEMENTS) == set(sections["agreement"])
    assert set(SIGNS) <= set(sections["closing"])
    sides = {f"{side} {kind}" for side in CLAIM_SIDES for kind in GROUNDS}
    assert set(sections["ground"]) - {"others"} <= sides
    used = {key.partition(" ")[2] for key in sections["ground"]}
    assert set(GROUNDS) <= used


def test_replies_agree_by_the_distance_of_stances() -> None:
    one, other = np.array([0.5, 0.5, 0.5]), np.array([0.4, 0.0, -0.5])
    assert [AGREEMENTS[n] for n in find_agreement(one, other)] == ["same", "near", "apart"]


def test_the_news_after_a_shooting_is_for_stricter_laws() -> None:
    news = read_shooting()
    assert [day for day, _ in news] == sorted(day for day, _ in news)
    assert {item.topic for _, item in news} == {"gun_control"}
    assert min(item.stance for _, item in news) > 0.5


def test_no_side_is_nearer_to_the_query_of_an_attitude() -> None:
    queries = {a.name: a.query for a in ATTITUDES}
    sections = words.read_messages().sections
    for section in ("claim", "story"):
        for key, phrases in sections[section].items():
            query = queries[key.partition(" ")[0]].split()
            assert all(word in phrase.lower() for phrase in phrases for word in query), key
