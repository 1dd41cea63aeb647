"""A small society reads, talks and judges: what holds in every arm, and what makes a difference."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from memopolis import Polarization, load_run
from memopolis.minds import Archetype, LlmMind, ScriptedClient
from memopolis.scenarios.polarization.blocks.read_feed import ReadFeed
from memopolis.scenarios.polarization.blocks.report_figures import report_survey
from memopolis.scenarios.polarization.grounds import find_figures
from memopolis.scenarios.polarization.messages import GROUNDS, read_shooting
from memopolis.scenarios.polarization.settings import PolarizationSettings
from memopolis.scenarios.polarization.subjects import GUNS
from memopolis.sim.errors import MemopolisError, SettingsError
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import nest
from memopolis.sim.state.saving import save_state

AGENTS, DAYS = 240, 12
SETTLED: dict[str, Any] = {
    "dispositions__settled": 1.0,
    "dispositions__settled_strong": 1.0,
}
"""Without considerations that come and go, the same memories give the same attitude."""


def _nested(changes: dict[str, Any]) -> dict[str, Any]:
    return {key.replace("__", "."): value for key, value in changes.items()}


_folders = TemporaryDirectory(prefix="polarization")


class Days:
    """A society that has lived some days, and what was seen at the end of each."""

    def __init__(self, days: int = DAYS, **changes: Any) -> None:
        settings = nest({"agents": AGENTS, "days": days, **_nested(changes)})
        self.society = Polarization(rng=3, **settings)
        self.start = self.attitudes
        self.seen: list[dict[str, float]] = []
        for _ in range(days):
            self.society.step()
            self.seen.append({k: v[""] for k, v in self.society.measured.items()})

    def column(self, name: str) -> NDArray[Any]:
        values: NDArray[Any] = self.society.population("citizen").cohort()[name]
        return values

    @property
    def attitudes(self) -> NDArray[Any]:
        names = ("gun_control", "background_checks", "left_right")
        return np.stack([self.column(f"attitude.{name}") for name in names])


@cache
def lived(**changes: Any) -> Days:
    return Days(**changes)


@cache
def recorded() -> Path:
    society = Polarization(agents=AGENTS, days=5, rng=3, arm="echo")
    return society.run(Path(_folders.name) / "echo")


def table(name: str, folder: Path | None = None) -> pd.DataFrame:
    return pd.read_parquet((folder or recorded()) / "tables" / name)


def texts() -> pd.DataFrame:
    """Return the memories with their texts."""
    return load_run(recorded()).memories


@pytest.fixture(scope="module", autouse=True)
def _clean() -> Iterator[None]:
    yield
    lived.cache_clear()
    recorded.cache_clear()
    _folders.cleanup()


# Messages that are not sent change no attitude


def test_without_conversations_no_attitude_changes() -> None:
    run = lived(arm="none")
    assert np.array_equal(run.attitudes, run.start)
    assert {day["messages"] for day in run.seen} == {0}
    assert len({day["ei_follows"] for day in run.seen}) == 1


def test_messages_without_a_stance_change_no_attitude() -> None:
    neutral, control = lived(arm="neutral"), lived()
    assert neutral.seen[-1]["persuaded"] == 3
    assert control.seen[-1]["persuaded"] == 0
    assert np.array_equal(neutral.attitudes, control.attitudes)
    assert np.array_equal(neutral.column("warmth"), control.column("warmth"))


def test_outlets_choose_subjects_whatever_else_is_written() -> None:
    shares = []
    for others in (0, 200):
        society = Polarization(agents=AGENTS, rng=3)
        society.texts.intern_many(
            [f"The response to letter {n} on gun laws." for n in range(others)]
        )
        for _ in range(5):
            society.step()
        shares.append(society.population("outlet").cohort()["checks_share"])
    assert len(set(shares[0].tolist())) > 1
    assert np.array_equal(shares[0], shares[1])


@pytest.mark.parametrize("arm", ["control", "echo", "cross", "random"])
def test_the_placebo_attitude_is_not_discussed_and_stays(arm: str) -> None:
    run = lived() if arm == "control" else lived(arm=arm)
    assert np.array_equal(run.attitudes[2], run.start[2])
    assert (run.attitudes[:2] != run.start[:2]).any(axis=1).all()


# What makes a difference


def test_like_minded_persuaders_polarize_and_others_moderate() -> None:
    variance = {arm: lived(arm=arm).seen[-1]["variance"] for arm in ("echo", "cross", "random")}
    control = lived().seen[-1]["variance"]
    assert variance["cross"] < control < variance["echo"]
    assert variance["cross"] < variance["random"] < variance["echo"]


def test_an_anchored_attitude_changes_less_with_fewer_memories() -> None:
    moved = {
        how: float(np.abs(run.attitudes[0] - run.start[0]).mean())
        for how, run in (
            ("scored", lived(**SETTLED)),
            ("none", lived(recall="none", **SETTLED)),
            ("random", lived(recall="random", **SETTLED)),
        )
    }
    assert moved["none"] < 0.6 * moved["scored"]
    assert 0.05 * moved["scored"] < abs(moved["random"] - moved["scored"])


def test_a_selective_feed_sorts_follows() -> None:
    blind, strong = lived(feed__strength=0), lived(feed__strength=3)
    assert strong.seen[-1]["ei_follows"] < strong.seen[0]["ei_follows"] - 0.04
    assert abs(blind.seen[-1]["ei_follows"] - blind.seen[0]["ei_follows"]) < 0.05
    assert strong.seen[0]["ei_exposure"] < blind.seen[0]["ei_exposure"] - 0.08


def test_a_cut_removes_its_share_of_like_minded_messages_only() -> None:
    cut, control = lived(feed__cut=1 / 3), lived()
    ratio = cut.seen[0]["read_like"] / control.seen[0]["read_like"]
    assert ratio == pytest.approx(2 / 3, abs=0.05)
    # So few citizens write hardly more posts than a feed has places.
    assert cut.seen[0]["read"] == pytest.approx(control.seen[0]["read"], rel=0.1)
    assert cut.seen[0]["read_cross"] > control.seen[0]["read_cross"]


def test_without_friends_only_persuaders_are_heard() -> None:
    run = lived(arm="echo", persuasion__keep_friends=False)
    assert {day["read"] + day["heard"] for day in run.seen} == {0}
    assert {day["messages"] for day in run.seen} == {3 * AGENTS}


def test_a_shooting_raises_support() -> None:
    run, control = lived(event="shooting", event_day=3), lived()
    assert run.seen[2]["support"] == control.seen[2]["support"]
    assert run.attitudes[0].mean() > control.attitudes[0].mean() + 0.2


def test_a_shooting_is_not_forgotten_at_once() -> None:
    shot, control = (
        Days(days=30, agents=40, arm="neutral", persuasion__messages=6, **SETTLED, **event)
        for event in ({"event": "shooting", "event_day": 3}, {})
    )
    left = []
    for _ in range(5):
        left.append(float((shot.attitudes[0] - control.attitudes[0]).mean()))
        for run in (shot, control):
            for _ in range(25):
                run.society.step()
    assert left == sorted(left, reverse=True)
    assert left[4] > 0.2 * left[0]
    # All have formed more memories than they keep, and keep the news of the event.
    streams = shot.society.population("citizen").memory.streams
    assert streams.next.min() > 1_200
    assert streams.count.tolist() == [1_000] * 40
    rows, _, slots = streams.listed()
    stored = streams.at("text", slots)
    news = [one.text for _, one in read_shooting()]
    reports = [
        number
        for number in np.unique(stored).tolist()
        if any(text in shot.society.texts[number] for text in news)
    ]
    assert set(rows[np.isin(stored, reports)].tolist()) == {*range(40)}


def test_attitudes_vary_from_day_to_day_around_a_lasting_disposition() -> None:
    run = Days(days=30, agents=300)
    middle = run.attitudes[0]
    for _ in range(20):
        run.society.step()
    start, end = run.start[0], run.attitudes[0]
    assert 0.9 < np.corrcoef(middle, end)[0, 1] < 0.99
    assert 0.8 < np.corrcoef(start, end)[0, 1] < np.corrcoef(middle, end)[0, 1]
    assert abs(end.var() / start.var() - 1) < 0.15
    assert len(set(run.attitudes[2] - run.start[2])) == 1


def test_messages_of_the_other_side_are_believed_less() -> None:
    memory = texts()
    trust = PolarizationSettings().persuasion.trust
    written = memory[memory["text"].str.contains(" wrote to me: ", regex=False)]
    written = written[written["topic"].isin(GUNS.topics)]
    people = load_run(recorded()).table("agents_citizen", ["side"])
    sides = people.groupby("agent")["side"].first()
    side = sides.reindex(written["agent"]).to_numpy()
    author = np.sign(written["valence"].to_numpy())
    opposed = side * author < 0
    confidence = written["confidence"].to_numpy()
    assert 0 < opposed.sum() < len(opposed)
    assert confidence[opposed] == pytest.approx(0.3 * trust, abs=0.01)
    assert confidence[~opposed] == pytest.approx(trust, abs=0.01)


def test_mirrored_parties_have_mirrored_changes() -> None:
    run = Days(days=15, agents=1_200, symmetric=True, arm="cross", **SETTLED)
    moved, side = run.attitudes[0] - run.start[0], run.column("side")
    for_laws, against = (float(moved[side == one].mean()) for one in (1, -1))
    assert for_laws < -0.1
    assert for_laws + against == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize(
    "model", ["leaning", "deffuant", "hegselmann_krause", "degroot", "baumann", "repulsion"]
)
def test_every_model_of_opinion_runs(model: str) -> None:
    run = Days(days=4, agents=80, **{"cognition.opinion.model": model})
    assert ((run.attitudes >= 0) & (run.attitudes <= 10)).all()
    assert (run.attitudes[0] != run.start[0]).any()


def test_backfire_can_be_limited_to_one_party() -> None:
    changes: dict[str, Any] = {
        "arm": "cross",
        "cognition.opinion.model": "repulsion",
        "cognition.opinion.reject": 3.0,
    }
    party: dict[str, Any] = {"cognition.opinion.backfire_by_group": {"Republican": 0.5}}
    plain, fired = Days(6, **changes), Days(6, **changes, **party)
    away = fired.attitudes[0] - plain.attitudes[0]
    republican = plain.column("party") == "Republican"
    opposed = republican & (plain.start[0] < 4)
    assert away[opposed].mean() < -0.02
    assert abs(away[~republican].mean()) < abs(away[opposed].mean()) / 3


# What is written down


def test_published_figures_equal_the_tables() -> None:
    people, figures = table("agents_citizen"), table("agents_statistics_bureau")
    last = people[people["tick"] == people["tick"].max()]
    held = last["attitude.gun_control"].to_numpy(np.float64)
    published = figures[figures["tick"] == figures["tick"].max()].iloc[0]
    assert published["variance"] == pytest.approx(held.var(), rel=1e-5)
    assert published["support"] == pytest.approx((held > 5).mean(), rel=1e-5)
    by_party = last.groupby("party", observed=True)["attitude.gun_control"].mean()
    gap = by_party["Democrat"] - by_party["Republican"]
    assert published["party_gap"] == pytest.approx(gap, rel=1e-5)
    like, cross = last["read_like"].sum(), last["read_cross"].sum()
    assert published["ei_exposure"] == pytest.approx((cross - like) / (cross + like), rel=1e-5)
    counted = last[["read", "heard", "persuaded"]].to_numpy().sum()
    assert published["messages"] == counted


def test_every_message_read_or_heard_is_a_memory_of_its_reader() -> None:
    people, memories = table("agents_citizen"), table("memories")
    kept = memories[memories["topic"].isin(["gun_control", "background_checks"])]
    by_day = kept.groupby("tick").size()
    counted = people.groupby("tick")[["read", "heard", "persuaded"]].sum().sum(axis=1)
    assert by_day.to_dict() == counted.to_dict()
    assert (kept["actor"] != kept["agent"]).all()
    # Authors and speakers remember it too, but it is not an opinion of others.
    own = texts().query("topic == 'social'")
    assert len(own) == people["posted"].sum() + people["heard"].sum()
    posted = own["text"].str.startswith("I posted: ")
    assert posted.sum() == people["posted"].sum()
    # How a talk felt is remembered with what one said in it.
    assert not own.loc[posted, "valence"].any()
    assert own.loc[~posted, "valence"].ne(0).mean() > 0.8


def test_a_talk_has_an_opening_and_a_reply_that_both_remember() -> None:
    memories = texts()
    opening = memories[memories["text"].str.startswith("I told ")]
    answered = memories[memories["text"].str.startswith("I answered ")]
    assert len(opening) == len(answered) > 50
    views = memories[memories["topic"].isin(["gun_control", "background_checks"])]
    heard = views["text"].str.contains(" told me: ")
    replies = views["text"].str.contains(" answered: ")
    assert heard.sum() == replies.sum() == len(opening)
    # Both sides of a talk feel the same about it.
    pair = ["tick", "agent", "actor"]
    both = opening[[*pair, "valence"]].merge(
        answered[[*pair, "valence"]],
        left_on=["tick", "agent", "actor"],
        right_on=["tick", "actor", "agent"],
    )
    once = both.groupby(["tick", "agent_x", "actor_x"])["valence_x"].transform("size") == 1
    assert (both.loc[once, "valence_x"] == both.loc[once, "valence_y"]).all()
    agree = both["valence_x"] > 0.15
    assert 0.1 < agree.mean() < 0.99


def test_grounds_of_statements_are_true_of_their_speakers() -> None:
    memories, people = texts(), table("agents_citizen")
    own = memories[memories["topic"] == "social"]
    lives = people[people["tick"] == people["tick"].max()].set_index("agent")
    for words, column, value in (
        ("as a gun owner|I own a gun", "gun_owner", True),
        ("[Ii]n this city", "urbanity", "urban"),
        ("[Oo]ut here", "urbanity", "rural"),
    ):
        statements = own[own["text"].str.contains(words)]
        assert len(statements) > 1, words
        assert (lives.loc[statements["agent"], column] == value).all(), words
    views = memories[memories["topic"].isin(["gun_control", "background_checks"])]
    voices = (
        "A friend (?:convinced me|of mine says the same|got me thinking)|My friends see it"
        "|Others are posting|I read that online|I read both sides online"
    )
    convinced = own[own["text"].str.contains(voices)]
    assert len(convinced) > 5
    for row in convinced.itertuples():
        earlier = views[(views["agent"] == row.agent) & (views["tick"] < row.tick)]
        assert earlier["text"].str.contains(" told me: | answered: | posted: ").any()


def test_many_memories_share_few_texts() -> None:
    memories = table("memories")
    events = memories[memories["kind"] == "event"]
    assert len(events) > 5 * events["text"].nunique()


def test_ties_and_outlets_are_recorded() -> None:
    ties, outlets = table("ties"), table("outlets")
    assert len(ties) == pytest.approx(AGENTS * 6, rel=0.1)
    assert (ties["source"] < ties["target"]).all()
    assert outlets["slant"].sum() == pytest.approx(0, abs=1e-6)


# An option of AgentSociety


def test_similar_views_in_conversations_strengthen_attitudes() -> None:
    plain, strengthened = Days(8, arm="echo"), Days(8, arm="echo", talk__reinforce=0.1)
    away = np.abs(strengthened.attitudes[0] - 5) - np.abs(plain.attitudes[0] - 5)
    # Persuaders of the own side send more than five views in three days.
    assert away.mean() > 0.02
    assert strengthened.seen[-1]["variance"] > plain.seen[-1]["variance"]
    assert "strengthen_views" not in {b.name for b in plain.society.population("citizen").blocks}


def test_looking_for_a_ground_creates_no_text() -> None:
    society = Polarization(agents=AGENTS, rng=3)
    citizens = society.population("citizen").cohort()
    citizens.memory.stream.add("survey", "A survey reports: nothing new.", importance=0.5)
    society.population("citizen").memory.flush()
    before = society.texts.all
    assert (find_figures(citizens, GUNS) == GROUNDS.index("principle")).all()
    assert society.texts.all == before
    rise = report_survey("Support for stricter gun laws has risen.")
    citizens.memory.stream.add("survey", rise, importance=1.0)
    society.population("citizen").memory.flush()
    assert (find_figures(citizens, GUNS) == GROUNDS.index("support up")).all()


# Chance


def test_a_seed_gives_the_same_tables_twice(tmp_path: Path) -> None:
    society = Polarization(agents=AGENTS, days=5, rng=3, arm="echo")
    again = society.run(tmp_path / "again")
    for name in ("agents_citizen", "memories", "measures", "decisions"):
        pd.testing.assert_frame_equal(table(name), table(name, again))


def test_one_more_agent_leaves_the_draws_of_the_others() -> None:
    one, more = (Polarization(agents=n, rng=3) for n in (AGENTS, AGENTS + 1))
    one.step()
    more.step()
    first, second = (s.population("citizen").cohort() for s in (one, more))
    same = first["activity"] == second["activity"][:AGENTS]
    assert same.all()
    assert np.array_equal(first["posted"], second["posted"][:AGENTS])
    # Ties and feeds may name another agent where the newcomer stands between two.
    follows = [_feed(society).follows[:AGENTS] for society in (one, more)]
    assert (follows[0] == follows[1]).mean() > 0.25


def _feed(society: Polarization) -> ReadFeed:
    (feed,) = (b for b in society.population("citizen").blocks if isinstance(b, ReadFeed))
    return feed


def test_a_restored_society_continues_identically(tmp_path: Path) -> None:
    society = Polarization(agents=80, rng=3, arm="echo")
    for _ in range(3):
        society.step()
    save_state(society, tmp_path / "state")
    other = load_state(tmp_path / "state")
    for _ in range(2):
        society.step()
        other.step()
    one, two = (s.population("citizen").cohort() for s in (society, other))
    assert np.array_equal(one["attitude.gun_control"], two["attitude.gun_control"])


# Minds


def _mild(*_: object) -> str:
    return json.dumps({"reason": "I heard both sides.", "rating": 5, "emotion": "Hope"})


def test_a_model_answers_in_place_of_the_rule() -> None:
    client = ScriptedClient(_mild)
    society = Polarization(agents=12, days=2, rng=3, **nest(_nested(SETTLED)))
    society.mind = LlmMind(client, seed=3)
    start = society.population("citizen").cohort()["attitude.gun_control"]
    society.step()
    assert client.calls
    # Its answer, 5, stands for what is recalled; the attitude itself and its disposition persist.
    now = society.population("citizen").cohort()["attitude.gun_control"]
    assert (np.abs(now - 5) <= np.abs(start - 5) + 1e-4).all()
    moved = np.abs(now - start)
    assert moved.max() > 0.001
    assert moved.max() < 0.5
    text = client.calls[0].messages[1].text
    assert "gun_control" in text


class Writer(Mind):
    """Writes what friends say, and answers other questions by their rules."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def answer(self, question: Question) -> Answer:
        ruled = question.rule(question)
        if question.kind != "message":
            return ruled
        self.asked.append(question)
        number = question.cohort.population.memory.texts.intern("Think of the children.")
        return replace(ruled, text=np.full(len(question.cohort), number, np.int32))


def test_a_mind_can_write_what_friends_say() -> None:
    mind = Writer()
    society = Polarization(agents=60, days=2, rng=3, talk={"ask": True})
    society.mind = mind
    society.step()
    statements = [
        one.template
        for agent in society.population("citizen").agents
        for one in agent.memory.observed.stream.read(range(20))
        if one.template.startswith(("I told", "I answered", "{actor} told", "{actor} answered"))
    ]
    assert statements
    assert all(text.endswith(": Think of the children.") for text in statements)
    replies = [one for one in mind.asked if "heard" in one.known]
    assert replies
    assert all(set(one.known["heard"]) == {"Think of the children."} for one in replies)
    # Stances are those of the speakers, whatever the words.
    plain = Polarization(agents=60, days=2, rng=3)
    plain.step()
    held, expected = (
        one.population("citizen").cohort()["attitude.gun_control"] for one in (society, plain)
    )
    assert held == pytest.approx(expected, abs=0.3)


def test_archetypes_answer_for_groups() -> None:
    client = ScriptedClient(_mild)
    society = Polarization(agents=60, days=2, rng=3)
    society.mind = Archetype(LlmMind(client, seed=3), seed=3, by=("party",), least=10)
    society.step()
    assert 0 < len(client.calls) < 60


# Bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arm": "echoes"}, "arm"),
        ({"tick": 1.0}, "tick"),
        ({"network": {"cross_share": 1.2}}, "cross_share"),
        (
            {"network": {"kind": "rings"}},
            "network.kind is 'rings'; it must be social, block, growth",
        ),
        ({"network": {"kind": ""}}, "network.kind"),
        ({"network": {"kind": "nowhere.csv"}}, "nowhere.csv"),
        ({"feed": {"cut": -0.1}}, "cut"),
        ({"event": "nothing.csv"}, "nothing.csv"),
        ({"media": {"outlets": 0}}, "outlets"),
        ({"cognition": {"opinion": {"model": "loud"}}}, "model"),
        (
            {"cognition.opinion": {"model": "repulsion", "backfire_by_group": {"Whig": 0.5}}},
            "names Whig; it must",
        ),
        (
            {"cognition": {"conviction_rate": 0.4}},
            "0.4, but has no effect with cognition.opinion.model=friedkin_johnsen; leave it at 0.2",
        ),
        ({"event_day": 3}, "has no effect with event=none; leave it at 10"),
        ({"news": "default"}, "no default news; it must be none, or a CSV file"),
    ],
)
def test_invalid_input_is_reported_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(MemopolisError) as caught:
        Polarization(agents=40, rng=1, **changes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value).strip() or isinstance(caught.value, SettingsError)


def test_friends_may_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "friends.csv"
    path.write_text("source,target\n0,1\n1,2\n2,3\n", encoding="utf-8")
    society = Polarization(agents=4, rng=1, network={"kind": str(path)})
    assert society.population("citizen").ties["friend"].of(1).tolist() == [0, 2]
    society.step()
    assert "friends.csv" in society.data_hashes()


def test_every_arm_is_a_setting() -> None:
    settings = PolarizationSettings()
    for name, changes in Polarization.arms.items():
        assert settings.with_changes(changes).arm == name
    measures = {measure.name for measure in Polarization.measures}
    assert set(Polarization.outcomes) <= measures
