"""News is heard once, and memories are shared with friends."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.social import FollowNews, Talk
from memopolis.agents.conversation import compute_harmony, split_repeats
from memopolis.agents.everyday import draw_accord, read_replies
from memopolis.agents.hearing import Hearing
from memopolis.sim.memory.streams.layout import CONTINUES
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.mind.prompting import Prompts
from memopolis.sim.timeline import News
from memopolis.sim.world.ties import Ties

MakeVillage = Callable[..., Any]


def texts(made: Any, row: int) -> list[str]:
    return [
        item.template for item in made.citizens.agents[row].memory.observed.stream.read(range(99))
    ]


def talkers(village: MakeVillage, agents: int = 3, **changes: Any) -> Any:
    """All agents share memories whenever possible."""
    made = village(agents=agents, start="2026-01-01 12:00", **changes)
    made.give(made.citizens, Talk(SocialSettings(tell=1.0, least=0.3)))
    made.citizens.cohort()["doing"] = int(Activity.IDLE)
    choose_partners(made)
    return made


def choose_partners(made: Any) -> None:
    """Let all agents share their plans with their first friend."""
    for one in made.citizens.agents:
        friends = one.ties("friend")
        one.partner = friends[0].row if friends else -1


# News


def test_everyone_hears_a_piece_of_news_once(village: MakeVillage) -> None:
    made = village(agents=50, start="2026-01-01 08:00")
    made.give(made.citizens, FollowNews(SocialSettings(news_delay=2)))
    made.at("2026-01-01 10:00", News("A storm.", topic="disaster", stance=-0.5, importance=0.9))
    heard = []
    for _ in range(60):
        made.step()
        heard.append(sum(texts(made, row) == ["A storm."] for row in range(50)))
    assert heard[1] == 0
    assert heard[2] > 0
    assert heard[-1] == 50
    assert all(len(texts(made, row)) == 1 for row in range(50))
    (memory,) = made.citizens.agents[0].memory.observed.stream.read([0])
    assert (memory.topic, memory.actor) == ("disaster", -1)
    assert memory.importance == pytest.approx(0.9, abs=0.01)
    assert memory.valence == pytest.approx(-0.5, abs=0.01)
    assert memory.confidence == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    ("audience", "rows"),
    [("all", [0, 1, 2, 3, 4, 5]), ("m", [1, 4]), ("age=35", [0, 1, 2, 5]), ("gender=male", [])],
)
def test_news_reaches_its_audience(village: MakeVillage, audience: str, rows: list[int]) -> None:
    made = village(agents=6, start="2026-01-01 08:00")
    made.give(made.citizens, FollowNews())
    made.at("2026-01-01 08:00", News("A storm.", audience=audience))
    for _ in range(72):
        made.step()
    assert [row for row in range(6) if texts(made, row)] == rows


def test_the_time_of_reception_does_not_depend_on_other_news_or_agents(
    village: MakeVillage,
) -> None:
    heard = []
    for agents in (20, 21):
        made = village(agents=agents, start="2026-01-01 08:00")
        hearing = Hearing(made, "x", 3.0)
        ticks = np.full(agents, -1)
        for tick in range(60):
            made.clock.tick = tick
            before, awake = np.full(agents, tick - 1, np.int32), np.ones(agents, np.bool_)
            rows = hearing.now(0, 0, before, awake)
            assert (ticks[rows] == -1).all()
            ticks[rows] = tick
        heard.append(ticks[:20].tolist())
        assert (ticks >= 0).all()
    assert heard[0] == heard[1]


def test_sleepers_receive_news_when_they_wake_up(village: MakeVillage) -> None:
    made = village(agents=40, start="2026-01-01 08:00")
    made.give(made.citizens, FollowNews(SocialSettings(news_delay=1)))
    people = made.citizens.cohort()
    asleep = people.rows % 2 == 0
    made.at("2026-01-01 08:00", News("A storm."))
    made.at("2026-01-01 09:00", News("Rain at noon.", lasts=3))
    for hour in range(8, 18):
        sleeps = asleep & (hour < 14)
        people["scheduled"] = np.where(sleeps, Activity.SLEEP, Activity.REST).astype(np.uint8)
        made.step()
        heard = [texts(made, row) for row in people.rows.tolist()]
        if hour < 14:
            assert not any(heard[row] for row in np.flatnonzero(asleep))
        if hour == 14:
            known = sum("A storm." in heard[row] for row in np.flatnonzero(asleep))
            assert known > 15
    # What no longer mattered when they woke up was not received.
    assert not any("Rain at noon." in heard[row] for row in np.flatnonzero(asleep))
    assert sum("Rain at noon." in heard[row] for row in np.flatnonzero(~asleep)) > 10
    assert all(texts.count("A storm.") == 1 for texts in heard)


def test_a_new_agent_receives_no_old_news(village: MakeVillage) -> None:
    made = village(agents=4, start="2026-01-01 08:00")
    made.give(made.citizens, FollowNews())
    made.at("2026-01-01 08:00", News("A storm."))
    for _ in range(60):
        made.step()
    made.citizens.add(3)
    made.step()
    assert [len(texts(made, row)) for row in range(7)] == [1, 1, 1, 1, 0, 0, 0]


# Talk


def test_a_memory_is_shared_with_a_friend_who_remembers_it(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    people = made.citizens.agents
    people[0].memory.stream.add("disaster", "A tree fell.", place=2, importance=0.8, valence=-0.6)
    made.citizens.memory.flush()
    people[0].doing = int(Activity.MESSAGE)
    made.step()
    listeners = [row for row in range(1, 5) if texts(made, row)]
    assert len(listeners) == 1
    assert people[listeners[0]] in people[0].ties("friend")
    (memory,) = people[listeners[0]].memory.observed.stream.read([0])
    assert memory.template == "{actor} told me: A tree fell."
    assert memory.text == f"{made.name_of(people[0].unique_id)} told me: A tree fell."
    assert (memory.actor, memory.topic, memory.place) == (people[0].unique_id, "disaster", 2)
    assert memory.importance == pytest.approx(0.64, abs=0.01)
    assert memory.valence == pytest.approx(-0.6, abs=0.01)
    assert 0 < memory.confidence < 1


def test_the_speaker_remembers_the_conversation(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    teller = made.citizens.agents[0]
    teller.memory.stream.add("disaster", "A tree fell.", importance=0.8)
    made.citizens.memory.flush()
    teller.doing = int(Activity.MESSAGE)
    made.step()
    (listener,) = (row for row in range(1, 5) if texts(made, row))
    _, report, answer = teller.memory.observed.stream.read(range(9))
    other = made.citizens.agents[listener].unique_id
    assert (report.actor, report.topic) == (answer.actor, answer.topic) == (other, "social")
    assert report.template == "I told {actor}: A tree fell."
    assert answer.template.startswith("{actor} answered: ")


def test_both_sides_remember_the_answer_and_how_it_felt(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    teller = made.citizens.agents[0]
    teller.memory.stream.add("disaster", "A tree fell.", importance=0.8, valence=-0.5)
    made.citizens.memory.flush()
    teller.doing = int(Activity.MESSAGE)
    made.step()
    (listener,) = (row for row in range(1, 5) if texts(made, row))
    heard, answered = made.citizens.agents[listener].memory.observed.stream.read(range(9))
    answer = teller.memory.observed.stream.read(range(9))[2]
    assert heard.template == "{actor} told me: A tree fell."
    assert answered.template.removeprefix("I answered {actor}: ") == answer.template.removeprefix(
        "{actor} answered: "
    )
    assert answered.valence == answer.valence > 0  # both have the same attitude
    words = answer.template.removeprefix("{actor} answered: ")
    middle = read_replies().sections["reply"]["disaster middle"]
    assert any(words.startswith(phrase) for phrase in middle)


def test_only_turns_of_the_same_talk_continue_one_another(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    people = made.citizens.agents
    (friend,) = {one.row for one in people[0].ties("friend")[:1]}
    other = next(row for row in range(1, 5) if row != friend)
    for row in (0, other):
        people[row].memory.stream.add("disaster", f"Tree {row} fell.", importance=0.8)
        people[row].doing, people[row].partner = int(Activity.MESSAGE), friend
    made.citizens.memory.flush()
    made.step()

    def follows(row: int) -> list[bool]:
        memory = made.citizens.memory
        kinds = memory.streams.at("kind", memory.streams.live(np.array([row]))[0])
        return [bool(one) for one in (kinds & CONTINUES) != 0]

    # Own event, own report, answer.
    assert follows(0) == follows(other) == [False, False, True]
    # Two reports heard, then two answers: none is the turn after the memory before it.
    assert follows(friend) == [False] * 4


@pytest.mark.parametrize(("rating", "level"), [(9.0, "high"), (1.0, "low")])
def test_an_answer_depends_on_the_attitude(village: MakeVillage, rating: float, level: str) -> None:
    made = talkers(village, agents=5)
    made.citizens.cohort()["attitude.emergency_preparedness"] = rating
    teller = made.citizens.agents[0]
    teller.memory.stream.add("disaster", "A tree fell.", importance=0.8, valence=-0.4)
    made.citizens.memory.flush()
    teller.doing = int(Activity.MESSAGE)
    made.step()
    words = texts(made, 0)[2].removeprefix("{actor} answered: ")
    phrases = read_replies().sections["reply"][f"disaster {level}"]
    assert any(words.startswith(phrase) for phrase in phrases)


def test_opposite_attitudes_are_unpleasant() -> None:
    own, other = np.array([5.0, 9.0, 9.0]), np.array([5.0, 8.0, 0.0])
    felt = compute_harmony(own, other, np.full(3, 0.5))
    assert felt[0] > felt[1] > 0 > felt[2]
    assert compute_harmony(own, other, np.ones(3))[0] > felt[0]


def test_talks_feel_like_the_meetings_of_the_same_hour(village: MakeVillage) -> None:
    felt = []
    for seed in range(20):
        made = talkers(village, agents=6, rng=seed)
        for agent in made.citizens.agents:
            text = f"Tree {agent.row} fell."
            agent.memory.stream.add("disaster", text, importance=0.8, valence=-0.4)
        made.citizens.memory.flush()
        made.step()
        for agent in made.citizens.agents:
            for item in agent.memory.observed.stream.read(range(99)):
                if item.template.startswith("{actor} answered: "):
                    other = made.citizens.row_of(item.actor)
                    pair = np.array([agent.row]), np.array([other])
                    accord = draw_accord(*pair, made.chance, made.clock.tick)[0]
                    felt.append((accord, item.valence))
    accord, valence = np.array(felt).T
    assert len(felt) > 20
    assert np.corrcoef(accord, valence)[0, 1] > 0.8


def test_a_person_in_a_report_becomes_a_friend(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    teller = made.citizens.agents[0]
    other = made.citizens.agents[4].unique_id
    teller.memory.stream.add("social", "I met {actor}.", actor=other, importance=0.8)
    made.citizens.memory.flush()
    teller.doing = int(Activity.MESSAGE)
    made.step()
    (listener,) = (row for row in range(1, 5) if texts(made, row))
    assert texts(made, listener)[0] == "{actor} told me: I met a friend."


def test_the_prefix_of_a_shared_memory_is_not_repeated(village: MakeVillage) -> None:
    made = talkers(village, agents=6)
    people = made.citizens.agents
    people[0].memory.stream.add("disaster", "A tree fell.", importance=1.0)
    made.citizens.memory.flush()
    made.citizens.cohort()["doing"] = int(Activity.MESSAGE)
    for _ in range(6):
        made.step()
    kept = {t for row in range(6) for t in texts(made, row) if "tree" in t}
    assert kept >= {"A tree fell.", "{actor} told me: A tree fell."}
    assert max(t.count("{actor}") for t in kept) == 1


def test_unimportant_memories_are_not_shared(village: MakeVillage) -> None:
    made = talkers(village)
    made.citizens.cohort().memory.stream.add("life", "I had a meal.", importance=0.1)
    made.citizens.memory.flush()
    made.citizens.cohort()["doing"] = int(Activity.MESSAGE)
    made.step()
    assert all(texts(made, row) == ["I had a meal."] for row in range(3))


def test_memories_of_yesterday_are_not_shared(village: MakeVillage) -> None:
    made = talkers(village)
    made.citizens.cohort().memory.stream.add("disaster", "A tree fell.", importance=0.9)
    made.citizens.memory.flush()
    for _ in range(13):
        made.step()
    made.citizens.cohort()["doing"] = int(Activity.MESSAGE)
    made.step()
    assert all(texts(made, row) == ["A tree fell."] for row in range(3))


def test_an_agent_without_friends_shares_nothing(village: MakeVillage) -> None:
    made = talkers(village, agents=4)
    made.citizens.ties = Ties(4)
    made.citizens.cohort().memory.stream.add("disaster", "A tree fell.", importance=0.9)
    made.citizens.cohort()["doing"] = int(Activity.MESSAGE)
    made.step()
    assert all(texts(made, row) == ["A tree fell."] for row in range(4))


def test_a_friend_who_left_hears_nothing(village: MakeVillage) -> None:
    made = talkers(village, agents=3)
    people = made.citizens.agents
    people[1].remove()
    people[2].remove()
    people[0].memory.stream.add("disaster", "A tree fell.", importance=0.9)
    made.citizens.memory.flush()
    people[0].doing = int(Activity.MESSAGE)
    made.step()
    assert texts(made, 1) == texts(made, 2) == []


def test_thoughts_are_not_shared(village: MakeVillage) -> None:
    made = talkers(village, agents=3)
    teller = made.citizens.agents[0].memory.stream
    teller.add("disaster", "A tree fell.", importance=0.4)
    teller.add("cognition", "I am worried. {evidence}", kind="thought", importance=0.9)
    made.citizens.memory.flush()
    made.citizens.agents[0].doing = int(Activity.MESSAGE)
    made.step()
    heard = [text for text in texts(made, 1) + texts(made, 2) if "answered" not in text]
    assert heard == ["{actor} told me: A tree fell."]


def test_the_number_of_texts_stays_small(lived: MakeVillage) -> None:
    made = lived(24 * 6, agents=60)
    memories = sum(len(agent.memory.stream) for agent in made.citizens.agents)
    assert len(made.texts) < 0.15 * memories


# Messages in one's own words


class Words(Mind):
    """Answers messages in words of its own, others by the rule."""

    def __init__(self, message: str = "") -> None:
        self.text = message
        self.asked: list[Question] = []

    def answer(self, question: Question) -> Answer:
        ruled = question.rule(question)
        if question.kind != "message":
            return ruled
        self.asked.append(question)
        if not self.text:
            return ruled
        number = question.cohort.population.memory.texts.intern(self.text)
        return replace(ruled, text=np.full(len(question.cohort), number, np.int32))


def telling(village: MakeVillage, mind: Any, *, ask: bool = True) -> Any:
    made = village(agents=5, start="2026-01-01 12:00")
    made.give(made.citizens, Talk(SocialSettings(tell=1.0, least=0.3, ask=ask)))
    made.mind = mind
    made.citizens.cohort()["doing"] = int(Activity.IDLE)
    choose_partners(made)
    teller = made.citizens.agents[0]
    teller.memory.stream.add("disaster", "A tree fell.", importance=0.8, valence=-0.6)
    made.citizens.memory.flush()
    teller.doing = int(Activity.MESSAGE)
    made.step()
    return made


def test_a_mind_can_write_both_sides(village: MakeVillage) -> None:
    mind = Words("Watch out for that oak!")
    made = telling(village, mind)
    teller = made.citizens.agents[0]
    (listener,) = (row for row in range(1, 5) if texts(made, row))
    heard, answered = made.citizens.agents[listener].memory.observed.stream.read([0, 1])
    assert heard.template == "{actor} told me: Watch out for that oak!"
    assert heard.topic == "disaster"
    assert heard.valence == pytest.approx(-0.6, abs=0.01)
    assert answered.template == "I answered {actor}: Watch out for that oak!"
    assert texts(made, 0)[1:] == [
        "I told {actor}: Watch out for that oak!",
        "{actor} answered: Watch out for that oak!",
    ]
    opening, reply = mind.asked
    assert opening.recalled[opening.recalled >= 0].tolist() == [0]
    assert opening.known["to"].tolist() == [made.name_of(made.citizens.agents[listener].unique_id)]
    assert reply.known["to"].tolist() == [made.name_of(teller.unique_id)]
    assert reply.known["heard"].tolist() == ["Watch out for that oak!"]


def test_the_rule_shares_the_same_text_with_or_without_questions(village: MakeVillage) -> None:
    asked, silent = telling(village, Words()), telling(village, Words(), ask=False)
    assert len(asked.mind.asked) == 2
    assert not silent.mind.asked
    for row in range(5):
        assert texts(asked, row) == texts(silent, row)


def test_a_mind_is_asked_about_each_talk_of_an_agent_in_turn() -> None:
    rounds = [some.tolist() for some in split_repeats(np.array([4, 2, 4, 7, 4]))]
    assert rounds == [[1, 0, 3], [2], [4]]


# What is reported, and what is remembered of the other


def report(made: Any, text: str, *, topic: str = "disaster", **changes: Any) -> tuple[int, Any]:
    """Let the first citizen report an event of today in a message; return the listener."""
    teller = made.citizens.agents[0]
    listener = teller.ties("friend")[0]
    stream = teller.memory.stream
    stream.add(topic, text, **{"importance": 0.8, "valence": -0.6, **changes})
    made.citizens.memory.flush()
    made.citizens.cohort()["place"] = np.arange(len(made.citizens)) % 3
    teller.doing, teller.partner = int(Activity.MESSAGE), listener.row
    made.step()
    return listener.row, listener


def answer_of(made: Any, row: int) -> str:
    (answer,) = (text for text in texts(made, row) if text.startswith("I answered"))
    return answer.removeprefix("I answered {actor}: ")


def test_listeners_get_no_report_of_their_own_meeting(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    teller = made.citizens.agents[0]
    listener = teller.ties("friend")[0]
    row, _ = report(made, "I met {actor}.", topic="social", actor=listener, valence=0.5)
    assert texts(made, row) == []


def test_lives_of_others_are_passed_on_as_theirs(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    other = made.citizens.agents[4]
    row, _ = report(made, "{actor} told me: We are leaving.", topic="evacuation", actor=other)
    assert texts(made, row)[0] == "{actor} told me: A friend told me: We are leaving."
    assert texts(made, 0)[1] == "I told {actor}: A friend told me: We are leaving."


def test_news_is_passed_on_as_news(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    other = made.citizens.agents[4]
    row, _ = report(made, "{actor} told me: A tree fell.", actor=other)
    assert texts(made, row)[0] == "{actor} told me: A tree fell."


@pytest.mark.parametrize(("age", "tells"), [(8, False), (40, True)])
def test_children_do_not_pass_on_news(village: MakeVillage, age: int, *, tells: bool) -> None:
    made = talkers(village, agents=5)
    made.citizens.agents[0].age = age
    row, _ = report(made, "Forecasters expect a storm.")
    assert bool(texts(made, row)) == tells


def test_a_listener_recalls_an_earlier_talk_on_the_subject(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    teller = made.citizens.agents[0]
    listener = teller.ties("friend")[0]
    listener.memory.stream.add(
        "disaster", "{actor} told me: The wind is strong.", actor=teller, importance=0.3
    )
    made.citizens.memory.flush()
    for _ in range(13):  # until tomorrow
        made.step()
    row, _ = report(made, "A tree fell.")
    words = answer_of(made, row)
    assert "the storm yesterday" in words.split(". ")[0]
    assert (words.count("."), words.count("{")) >= (2, 0)


def test_a_talk_of_today_is_not_recalled(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    teller = made.citizens.agents[0]
    listener = teller.ties("friend")[0]
    listener.memory.stream.add("disaster", "{actor} told me: Wind.", actor=teller, importance=0.3)
    row, _ = report(made, "A tree fell.")
    assert "yesterday" not in answer_of(made, row)
    assert "today" not in answer_of(made, row)


def test_the_event_on_the_subject_of_the_last_talk_is_reported(village: MakeVillage) -> None:
    made = talkers(village, agents=5)
    teller = made.citizens.agents[0]
    listener = teller.ties("friend")[0]
    stream = teller.memory.stream
    stream.add("traffic", "{actor} told me: A jam.", actor=listener, importance=0.1)
    stream.add("traffic", "The road is closed.", importance=0.4)
    row, _ = report(made, "A tree fell.")
    assert texts(made, row)[0] == "{actor} told me: The road is closed."


@pytest.fixture
def asked(village: MakeVillage) -> list[Question]:
    """The questions of a talk in which the listener has met the teller, who forgot it."""
    mind = Words()
    made = village(agents=5, start="2026-01-01 12:00")
    made.give(made.citizens, Talk(SocialSettings(tell=1.0, least=0.3, ask=True)))
    made.mind = mind
    made.citizens.cohort()["doing"] = int(Activity.IDLE)
    teller = made.citizens.agents[0]
    listener = teller.ties("friend")[0]
    listener.memory.stream.add(
        "social", "I met {actor} in {place}.", actor=teller, place=1, importance=0.3
    )
    report(made, "A tree fell.")
    return mind.asked


def test_a_mind_gets_the_history_with_the_other(asked: list[Question]) -> None:
    opening, reply = asked
    assert opening.known["relation"].tolist() == reply.known["relation"].tolist() == ["friend"]
    assert opening.known["met_before"].tolist() == [False]
    assert reply.known["met_before"].tolist() == [True]
    teller = opening.cohort
    (memory,) = reply.cohort.memory.observed.stream.read(reply.recalled)[0]
    assert memory.text == f"I met {teller['name'][0]} in Middle."


def test_prompts_of_a_talk_contain_the_history_with_the_other(asked: list[Question]) -> None:
    opening, reply = (Prompts(context_tokens=0).of(one)[0].messages[-1].text for one in asked)
    assert "They do not remember having talked with that person before." in opening
    assert "I met" not in opening
    assert "They do not remember" not in reply
    assert "social: I met " in reply
    for prompt in (opening, reply):
        assert '"relation": "friend"' in prompt
        assert '"age": ' in prompt
