"""Stances, their words, and that neutral words take none."""

from pathlib import Path

import numpy as np
import pytest

from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.attitudes import ATTITUDES
from memopolis.scenarios.polarization.messages import read_shooting
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.texts import Texts


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


def test_texts_match_topic_and_level() -> None:
    messages = words.read_messages()
    u = np.linspace(0, 1, 50, endpoint=False)
    output = messages.write(np.full(50, 0.99), np.zeros(50, np.intp), u)
    texts = {messages.texts[n] for n in output.text}
    assert len(texts) == 3
    assert "Gun laws should let nobody own a gun outside the army and the police." in texts
    checks = messages.write(np.full(50, -0.7), np.ones(50, np.intp), u)
    assert all("ackground check" in messages.texts[n] for n in checks.text)


def test_neutral_messages_have_no_stance_and_no_topic_of_an_attitude() -> None:
    output = words.read_messages().write_neutral(np.linspace(0, 1, 20, endpoint=False))
    assert set(output.topic.tolist()) == {-1}
    assert not output.stance.any()
    assert len(np.unique(output.text)) == 6


def test_every_text_exists_with_every_opening() -> None:
    texts = Texts()
    words.read_messages().intern(texts)
    assert len(texts) == len(words.PREFIXES) * len(words.read_messages().texts)
    number = words.read_messages().numbers(texts, words.HEARD)[0]
    assert texts[int(number)].startswith("{actor} told me: ")
    before = len(texts)
    words.read_messages().numbers(texts, words.POSTED)
    assert len(texts) == before


def test_a_file_without_texts_of_a_level_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("topic,level,text\ngun_control,0,Hm.\nguns,,Hm hm.\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="no text on gun_control of level -3"):
        words.Messages.read(path)


def test_the_news_after_a_shooting_is_for_stricter_laws() -> None:
    news = read_shooting()
    assert [day for day, _ in news] == sorted(day for day, _ in news)
    assert {item.topic for _, item in news} == {"gun_control"}
    assert min(item.stance for _, item in news) > 0.5


def test_no_side_is_nearer_to_the_query_of_an_attitude() -> None:
    messages, queries = words.read_messages(), {a.name: a.query for a in ATTITUDES}
    u = np.linspace(0, 1, 7, endpoint=False)
    for topic, name in enumerate(words.MESSAGE_TOPICS):
        for stance in np.linspace(-1, 1, words.LEVELS):
            output = messages.write(np.full(7, stance), np.full(7, topic), u)
            texts = [messages.texts[number].lower() for number in output.text]
            assert all(word in text for text in texts for word in queries[name].split())
