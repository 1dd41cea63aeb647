"""Answers from the record: their facts are those of the tables."""

import re

import pandas as pd
import pytest

from memopolis import Run
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.appraisal import Attitude
from memopolis.agents.blocks.cognition import ATTITUDES
from memopolis.analysis.interview.attitude_answers import describe_attitude
from memopolis.analysis.interview.memory_answers import find_sources
from memopolis.analysis.interview.record_answers import answer_from_record
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.interview.wording import date, gist, join_names, percent


def decisions_by_draw(run: Run) -> pd.DataFrame:
    decisions = run.decisions
    return decisions[decisions["kind"] == "stay_or_go"]


@pytest.fixture(scope="module")
def leaver(stormy: Run) -> pd.Series:
    """The decision of an adult who left once, together with another adult."""
    rows = decisions_by_draw(stormy)
    left = rows[rows["draw"] < rows["probability"]]
    once = left[~left["agent"].duplicated(keep=False) & (left["together"].str.len() > 0)]
    return once.iloc[0]


def test_why_did_you_leave_states_the_decision_of_the_tables(
    stormy: Run, leaver: pd.Series
) -> None:
    agent = int(leaver["agent"])
    life = stormy.life(agent)
    reply = restore_agent(stormy, agent).interview("Why did you leave?")
    assert reply.mind == "rule"
    assert f"I decided to leave on {date(leaver['time'])}." in reply.details
    assert f"The recorded reason: {leaver['reason']}." in reply.details
    chance, draw = percent(leaver["probability"]), f"{leaver['draw']:.3g}"
    assert f"The probability was {chance}; the draw was {draw}, below it." in reply.details
    assert f"{leaver['value']:.1f} of 10" in reply.details
    for other in leaver["together"]:
        rows = decisions_by_draw(stormy)
        (theirs,) = rows[(rows["agent"] == other) & (rows["tick"] == leaver["tick"])]["value"]
        assert f"{stormy.name_of(other)} ({theirs:.1f})" in reply.details
    assert len(reply.evidence) > 0
    assert reply.text.startswith(f"I decided to leave on {leaver['time']:%A}")
    assert "because" in reply.text
    assert not re.search(r"probability|draw|of 10|\d\d:\d\d", reply.text)
    for number, one in reply.evidence.iterrows():
        assert number in leaver["evidence"]
        assert str(one["text"]).rstrip(".") in reply.details
    people = stormy.people("citizen").set_index("agent").loc[agent]
    went, back = stormy.time_of(pd.Series([people["left_at"], people["returned_at"]]))
    assert f"Left at: {went:%d %b %H:%M}." in reply.details
    assert f"Returned at: {back:%d %b %H:%M}." in reply.details
    assert f"Destination: {life.status['destination'].iloc[-1]}." in reply.details
    assert reply.decisions.iloc[0]["time"] == leaver["time"]
    assert reply.decisions.iloc[0]["kind"] == "stay_or_go"


def test_a_false_assumption_is_corrected(stormy: Run, leaver: pd.Series) -> None:
    left = answer_from_record(stormy, stormy.life(int(leaver["agent"])), "Why did you stay?")
    assert left is not None
    assert left.details.startswith("I did not stay. I decided to leave on")


def test_why_did_you_stay_states_when_the_agent_came_closest_to_leaving(stormy: Run) -> None:
    rows = decisions_by_draw(stormy)
    stayed = rows[~(rows["draw"] < rows["probability"]).groupby(rows["agent"]).transform("any")]
    best = stayed.sort_values(["probability", "value"]).iloc[-1]
    agent = int(best["agent"])
    own = stayed[stayed["agent"] == agent]
    answer = answer_from_record(stormy, stormy.life(agent), "Why did you stay?")
    assert answer is not None
    assert f"each of the {len(own)} times" in answer.details
    assert f"I came closest to leaving on {date(best['time'])}." in answer.details
    assert f"The probability was {percent(best['probability'])}" in answer.details
    same = answer_from_record(stormy, stormy.life(agent), "Why did you not leave?")
    assert same is not None
    assert same.details == answer.details


def test_a_child_reports_the_decision_of_an_adult_of_its_household(
    stormy: Run,
) -> None:
    people = stormy.people("citizen")
    rows = decisions_by_draw(stormy)
    houses = people[people["agent"].isin(rows["agent"])]["household"]
    children = people[people["household"].isin(houses) & ~people["agent"].isin(rows["agent"])]
    child = int(children["agent"].iloc[0])
    answer = answer_from_record(stormy, stormy.life(child), "Why did you leave?")
    assert answer is not None
    assert ", with whom I live, decided" in answer.details
    assert ", with whom I live, decided" in answer.text
    assert answer.decisions.empty


def test_the_best_friend_is_the_one_of_whom_most_is_remembered(stormy: Run) -> None:
    ties = stormy.table("ties")
    friends = ties[ties["kind"] == "friend"]
    agent = int(friends["source"].value_counts().index[0])
    mine = friends[(friends["source"] == agent) | (friends["target"] == agent)]
    others = set(mine[["source", "target"]].to_numpy().ravel().tolist()) - {agent}
    memories = stormy.life(agent).memories
    counts = memories[memories["kind"] == "event"]["actor"].value_counts()
    most = max(int(counts.get(one, 0)) for one in others)
    answer = answer_from_record(stormy, stormy.life(agent), "Who is your best friend?")
    assert answer is not None
    best = [one for one in others if int(counts.get(one, 0)) == most]
    assert any(f"closest to me is {stormy.name_of(one)}." in answer.details for one in best)
    assert f"{most} times" in answer.details
    for number in answer.memories:
        assert memories.loc[number, "actor"] in best


def test_an_opinion_states_the_attitude_and_its_last_changes(stormy: Run) -> None:
    rows = stormy.decisions
    own = rows[(rows["kind"] == "attitude") & (rows["item"] == "emergency_preparedness")]
    agent = int(own[own["evidence"].str.len() > 0]["agent"].iloc[0])
    life = stormy.life(agent)
    answer = answer_from_record(stormy, life, "What do you think of being prepared?")
    assert answer is not None
    recorded = life.status["attitude.emergency_preparedness"].dropna()
    assert f"is {recorded.iloc[-1]:.1f} of 10" in answer.details
    assert "prepar" in answer.text
    assert not re.search(r"\d\.\d|of 10", answer.text)
    assert f"It was {recorded.iloc[0]:.1f} when it was first recorded." in answer.details
    mine = own[own["agent"] == agent]
    rows = mine.assign(change=mine["value"].diff())
    for row in rows[rows["change"].abs() >= 0.005].tail(3).to_dict("records"):
        step = f"{row['change']:+.2f} to {row['value']:.2f}"
        assert f"It changed on {date(row['time'])} by {step}" in answer.details


@pytest.mark.parametrize("attitude", ATTITUDES, ids=lambda one: one.name)
def test_memories_quoted_for_a_change_speak_for_it(stormy: Run, attitude: Attitude) -> None:
    quoted = 0
    people = stormy.people("citizen")
    for agent in people[people["age"] >= AGE_OF_REASON]["agent"][:60]:
        life = stormy.life(int(agent))
        answer = describe_attitude(stormy, life, attitude.name)
        assert answer is not None
        for change, memory in re.findall(
            r"by ([+-])(?:(?! by [+-])[^\"])*?I remembered \"(.*?)\" \(", answer.details
        ):
            rows = life.memories.loc[list(answer.memories)].to_dict("records")
            (same,) = [one for one in rows if one["text"].rstrip(".") == memory][:1]
            effect = attitude.effect[str(same["topic"])] * same["valence"]
            assert effect > 0 if change == "+" else effect < 0
            quoted += 1
    assert quoted > 20


def test_firms_and_governments_explain_their_choices(stormy: Run) -> None:
    rows = stormy.decisions
    closed = rows[(rows["kind"] == "opening") & (rows["choice"] == "closed")]
    firm = int(closed["agent"].iloc[0])
    answer = answer_from_record(stormy, stormy.life(firm), "Why did you close your store?")
    assert answer is not None
    row = answer.decisions.iloc[0]
    assert (row["kind"], row["choice"]) == ("opening", "closed")
    assert f"{row['threshold']:.3g}" in answer.details
    government = int(stormy.agents_of("government")["agent"].iloc[0])
    order = answer_from_record(stormy, stormy.life(government), "Why did you order this?")
    assert order is not None
    assert str(order.decisions.iloc[0]["choice"]) != "none"


def test_a_rating_is_explained_by_its_last_decision(stormy: Run) -> None:
    firm = int(stormy.agents_of("firm")["agent"].iloc[0])
    life = stormy.life(firm)
    answer = answer_from_record(stormy, life, "Why do you stock so much?")
    assert answer is not None
    ratings = life.decisions[life.decisions["kind"] == "stock"]
    assert len(ratings) > 1
    assert answer.decisions["time"].tolist() == [ratings["time"].iloc[-1]]


@pytest.mark.parametrize("question", ["What did you eat?", "Why is the sky blue?", "Hello"])
def test_other_questions_are_left_to_memories(stormy: Run, question: str) -> None:
    assert answer_from_record(stormy, stormy.life(1), question) is None


def test_words_of_answers() -> None:
    assert percent(0.42) == "42 %"
    assert percent(0.0042) == "0.42 %"
    assert join_names(["Ann", "Bob", "Cy"]) == "Ann, Bob and Cy"
    assert join_names(["Ann"]) == "Ann"
    assert gist("Ann told me: Winds in 5 days.") == gist("Winds in 4 days")


def test_what_was_heard_is_read_from_the_one_who_said_it() -> None:
    sources = {
        "I told Ann Hill: A friend told me: We are leaving.": "said",
        "I answered Ann Hill: Bob told me: It rains.": "said",
        "Ann Hill told me: A friend told me: We are leaving.": "heard",
        "Ann Hill answered: I posted: It rains.": "heard",
        "Outlet 6 reported: Who is to blame?": "post",
        "I posted: Bob told me: It rains.": "own post",
        "The governor ordered everyone to evacuate.": "news",
        "Food cost more than last month.": "lived",
    }
    assert find_sources(pd.Series([*sources])).tolist() == [*sources.values()]
