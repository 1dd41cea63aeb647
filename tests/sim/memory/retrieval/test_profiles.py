"""Profiles as values, and the published ones on numbers worked out by hand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError, SettingsError, UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import PROFILES, Profile, Shares, half_life_of
from memopolis.sim.memory.retrieval.terms.registry import TERMS
from memopolis.sim.settings import Field, SettingsGroup


class Given:
    """An embedder that knows the vectors of a few texts; others have none."""

    dimensions = 2

    def __init__(self, known: Mapping[str, tuple[float, float]]) -> None:
        self.known = known

    def vectors(self, texts: Sequence[str]) -> Any:
        """Vectors, float32, shape (texts, 2)."""
        return np.array([self.known.get(t, (0.0, 0.0)) for t in texts], np.float32)

    def token_vectors(self, texts: Sequence[str]) -> list[Any]:
        """Return the vector of the text as its only token, if it is known."""
        known = ([self.known[t]] if t in self.known else [] for t in texts)
        return [np.array(each, np.float32).reshape(-1, 2) for each in known]


# Cosines with the query are 1, 0 and the root of a half; the last has no vector.
PLANE = {"query": (1.0, 0.0), "same": (1.0, 0.0), "other": (0.0, 1.0), "half": (1.0, 1.0)}


def hourly(*memories: tuple[int, str, float], now: int, **columns: Any) -> Memory:
    """A memory of one agent: hour, text and importance of each; now is an hour too."""
    memory = Memory(1, embedder=Given(PLANE))
    for hour, text, importance in memories:
        memory.now = hour
        memory[0].stream.add("social", text, importance=importance, **columns)
    memory.now = now
    return memory


def find_scores(memory: Memory, query: str = "query", **arguments: Any) -> dict[int, float]:
    """Ids and scores of what an observer finds, in the order of the result."""
    seen = memory[0].observed.stream.search(query, **arguments)
    return {one.id: one.score for one in seen}


def test_profiles_are_compared_by_value() -> None:
    act = PROFILES["act"]
    assert act == Profile(recency=0.5, importance=0.5, relevance=1.0)
    assert len({act, replace(act), replace(act, k=3)}) == 2
    with pytest.raises(AttributeError):
        act.k = 4  # type: ignore[misc]
    assert set(PROFILES) == {
        "act", "lasting", "recall", "dense", "late_interaction", "town", "working", "society",
        "act_r", "recommend",
    }  # fmt: skip


def test_only_act_uses_the_fast_pass_for_cohorts() -> None:
    assert {name for name, profile in PROFILES.items() if not profile.general} == {"act"}
    assert not Profile(recency=1, floor=0.1, time_to_live=3.0, without=("idle",)).general
    assert Profile(recency=1, fading="adaptive").general
    assert not Profile(fading="adaptive").general


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"recency": -1}, "recency is -1"),
        ({"dense": math.nan}, "dense is nan"),
        ({"bm25": math.inf}, "bm25 is inf"),
        ({"tfidf": "much"}, "tfidf is 'much'"),
        ({"neighbours": 3.1}, "neighbours is 3.1"),
        ({"floor": 2}, "floor is 2"),
        ({"half_life": 0}, "half_life is 0"),
        ({"time_to_live": -1.0}, "time_to_live is -1.0"),
        ({"since": "seen"}, "'accessed' and 'created'"),
        ({"combine": "mean"}, "'sum' and 'product'"),
        ({"normalise": "min-max", "combine": "product"}, "min-max needs a sum"),
        ({"without": "idle"}, "several str"),
        ({"k": 0}, "k is 0"),
        ({"k": 2.5}, "k is 2.5"),
    ],
)
def test_invalid_profiles_are_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Profile(**wrong)


def test_a_weight_in_a_product_keeps_the_score_positive() -> None:
    with pytest.raises(ParameterError, match=r"importance is 2\.5"):
        Profile(importance=2.5, combine="product")


def test_shares_of_a_full_match_are_whole_twentieths() -> None:
    assert Profile().shares == Shares(10, 5, 4)
    assert Profile().shares.next_but_one == 8
    assert Profile(neighbours=0.52, actor=0, date=3).shares == Shares(10, 0, 60)
    assert Profile(neighbours=1).shares.next_but_one == 16


def test_a_decay_is_a_half_life() -> None:
    assert half_life_of(0.5, hours=24) == pytest.approx(24)
    assert half_life_of(0.99, hours=24) == pytest.approx(24 * 68.9676, rel=1e-4)
    with pytest.raises(ParameterError, match="decay"):
        half_life_of(1.0, hours=24)
    with pytest.raises(ParameterError, match="hours"):
        half_life_of(0.5, hours=0)


class Recalling(SettingsGroup):
    """Settings that hold profiles."""

    profile: Profile = Field(PROFILES["act"], "How memories are scored.")
    own: dict[str, Profile] = Field({}, "Profiles by name.")


def test_a_profile_can_be_written_in_settings_and_read_back() -> None:
    values: Any = {"dense": 1, "without": ["idle"], "where": {"tags": ["urgent"], "days": [0, 2]}}
    own: Any = {"mine": {"recency": 1}}
    settings = Recalling(profile=values, own=own)
    where = Filter(days=(0, 2), tags=("urgent",))
    assert settings.profile == Profile(dense=1.0, without=("idle",), where=where)
    assert hash(settings.profile)
    assert settings.own == {"mine": Profile(recency=1.0)}
    assert Recalling(**settings.model_dump(mode="json")) == settings


@pytest.mark.parametrize(
    "wrong", [{"weight": 1}, {"recency": -1}, {"where": {"sign": "bad"}}, {"k": 0}]
)
def test_settings_refuse_an_invalid_profile(wrong: Any) -> None:
    with pytest.raises(SettingsError):
        Recalling(profile=wrong)


# town


def lived_in_town() -> Memory:
    memory = hourly((0, "same", 1.0), (24, "other", 0.0), (48, "half", 0.4), now=48)
    memory.now = 24
    memory[0].stream.add("social", "no vector", importance=0.6)
    memory.now = 48
    memory[0].stream.add("social", "same", importance=1.0, tags="idle")
    return memory


def test_town_by_hand() -> None:
    # Recency .99 ** days: .9801, .99, 1, .99; the idle one stretches nothing.
    middle = (0.99 - 0.9801) / (1 - 0.9801)
    scores = find_scores(lived_in_town(), profile="town")
    assert list(scores) == [2, 0, 3, 1]
    assert scores == pytest.approx(
        {
            2: 1 + 0.4 + math.sqrt(0.5),
            0: 0 + 1 + 1,
            3: middle + 0.6 + 0,  # without a vector 0, though the least cosine is 0 as well
            1: middle + 0 + 0,
        },
        abs=1e-5,
    )


def test_town_without_a_vector_is_0_even_where_all_cosines_are_below() -> None:
    plane = {"query": (1.0, 0.0), "far": (-1.0, 0.0), "near": (-1.0, 1.0)}
    memory = Memory(1, embedder=Given(plane))
    for text in ("far", "near", "nothing"):
        memory[0].stream.add("social", text)
    seen = memory[0].stream.search("query", profile="town", explain=True)
    dense = {m.id: m.terms["dense_weighted"] for m in seen}
    assert dense == {0: 0.0, 1: 1.0, 2: 0.0}


def test_town_gives_equal_values_and_a_single_candidate_a_half() -> None:
    one = hourly((0, "half", 0.4), now=5)
    assert find_scores(one, profile="town") == {0: 1.5}
    three = hourly((3, "half", 0.4), (3, "half", 0.4), (3, "half", 0.4), now=5)
    # All equal: ties go to the newer.
    assert list(find_scores(three, profile="town").items()) == [(2, 1.5), (1, 1.5), (0, 1.5)]


def test_town_breaks_ties_by_the_later_access() -> None:
    memory = hourly((3, "half", 0.4), (3, "half", 0.4), now=5)
    created = replace(PROFILES["town"], since="created")
    memory[0].stream.search("query", k=1, where=Filter(kind="event"), profile=created)
    assert memory[0].stream.column("accesses", [0, 1]).tolist() == [0, 1]
    memory.now = 6
    memory.streams.put("accessed", memory.streams.find(0, [0]), 6)
    assert list(find_scores(memory, profile=created)) == [0, 1]


def test_towns_recency_falls_with_age_and_within_a_day() -> None:
    memory = hourly(*[(hour, "half", 0.5) for hour in (0, 30, 31, 47, 48)], now=48)
    seen = memory[0].observed.stream.search("query", 5, profile="town", explain=True)
    assert [m.id for m in seen] == [4, 3, 2, 1, 0]
    recency = [m.terms["recency"] for m in seen]
    assert recency == pytest.approx([0.99 ** (age / 24) for age in (0, 1, 17, 18, 48)], abs=1e-6)
    assert all(a > b for a, b in pairwise(recency))


def test_towns_recency_counts_from_the_last_access_by_default() -> None:
    memory = hourly((0, "half", 0.5), (20, "half", 0.5), now=40)
    memory[0].stream.search("query", where=Filter(days=(0, 0)), k=2)
    memory.streams.put("accessed", memory.streams.find(0, [1]), 20)
    assert list(find_scores(memory, profile="town")) == [0, 1]
    assert list(find_scores(memory, profile=replace(PROFILES["town"], since="created"))) == [1, 0]


def test_town_finds_its_own_k_and_a_query_without_a_vector_is_no_error() -> None:
    memory = hourly(*[(hour, "half", 0.5) for hour in range(9)], now=9)
    assert len(find_scores(memory, profile="town")) == 4
    assert len(find_scores(memory, profile="town", k=7)) == 7
    seen = memory[0].stream.search("unknown", profile="town", explain=True)
    assert {m.terms["dense_weighted"] for m in seen} == {0.0}


# working


def working() -> Memory:
    memory = hourly((5, "storm", 1.0), now=5)
    for hour, text, importance in (
        (18, "Storm near harbour", 1.0),
        (30, "bread market", 0.0),
        (24, "STORMS again", 0.0),
    ):
        memory.now = hour
        memory[0].stream.add("social", text, importance=importance)
    memory.now = 30
    return memory


def test_working_by_hand() -> None:
    # The first is 25 hours old and gone. Of query and three texts two hold "storm".
    storm, rare = math.log(5 / 3) + 1, math.log(5 / 2) + 1
    v = storm / math.sqrt(storm**2 + 2 * rare**2)
    assert v == pytest.approx(0.486934, abs=1e-6)
    base = 0.7 * v + 0.3 * len("storm") / len("Storm near harbour")
    scores = find_scores(working(), "storm", profile="working")
    assert scores == pytest.approx(
        {
            1: base * 0.95**2 * 1.2,
            3: 5 / 12 * 0.95 * 0.8,  # "storms" is another word: the keyword alone, in full
        },
        abs=1e-5,
    )
    assert list(scores) == [1, 3], "the one of score 0 is not returned"


def test_workings_decay_has_a_floor_and_its_memories_a_time_to_live() -> None:
    lasting = replace(PROFILES["working"], time_to_live=None)
    memory = hourly((0, "storm", 0.5), now=24)
    half = 0.5
    at_a_day = 0.95**4 * (0.8 + 0.4 * half)
    assert find_scores(memory, "storm", profile="working") == pytest.approx({0: at_a_day}, abs=1e-5)
    memory.now = 25
    assert find_scores(memory, "storm", profile="working") == {}
    memory.now = 10_000
    floor = 0.1 * (0.8 + 0.4 * half)
    assert find_scores(memory, "storm", profile=lasting) == pytest.approx({0: floor}, abs=1e-6)


def test_workings_empty_query_finds_nothing_and_text_counts_in_lower_case() -> None:
    memory = hourly((0, "The Storm", 0.5), now=0)
    assert find_scores(memory, "", profile="working") == {}
    upper = find_scores(memory, "the STORM", profile="working")
    lower = find_scores(memory, "the storm", k=5, profile="working")
    assert upper == lower
    assert upper[0] == pytest.approx(0.8 + 0.4 * 0.5, abs=1e-6)


def test_time_scales_count_ticks_where_a_tick_is_longer_than_a_day() -> None:
    memory = hourly((0, "storm", 0.5), (1, "storm", 0.5), now=2)
    memory.ticks_per_day = 1 / 30
    act = memory[0].observed.stream.search("storm", profile="act", explain=True)
    assert {m.id: m.terms["recency"] for m in act} == {1: 0.5, 0: 0.25}
    assert list(find_scores(memory, "storm", profile="working")) == [1]


def test_working_never_reads_another_agents_memories() -> None:
    memory = Memory(2, embedder=Given(PLANE))
    memory[1].stream.add("social", "storm")
    assert memory[0].stream.search("storm", profile="working") == []


# society


def test_society_by_hand_the_three_nearest_newest_first() -> None:
    texts = ["other", "same", "half", "no vector", "half"]
    memory = hourly(*[(hour, text, 0.5) for hour, text in enumerate(texts)], now=9)
    scores = find_scores(memory, profile="society")
    assert list(scores) == [4, 2, 1]
    assert scores == pytest.approx({4: math.sqrt(0.5), 2: math.sqrt(0.5), 1: 1.0}, abs=1e-6)
    many = memory.observed.stream.search("query", k=9, profile="society")
    assert many.ids.tolist() == [[4, 3, 2, 1, 0, -1, -1, -1, -1]]


# Custom terms


def test_feeling_prefers_memories_of_similar_valence() -> None:
    memory = Memory(1)
    for valence in (-1.0, 0.0, 1.0):
        memory[0].stream.add("social", "the storm", valence=valence)
    alike = Profile(feeling=1.0)
    assert find_scores(memory, profile=alike, feeling=-1.0) == {0: 1.0, 1: 0.5, 2: 0.0}
    assert find_scores(memory, profile=alike, feeling=0.5) == pytest.approx(
        {2: 0.75, 1: 0.75, 0: 0.25}
    )
    assert set(find_scores(memory, profile=alike).values()) == {0.0}
    with pytest.raises(ParameterError, match="feeling must be between"):
        memory[0].stream.search("storm", profile=alike, feeling=math.nan)


def test_feelings_may_differ_between_agents() -> None:
    memory = Memory(2)
    for valence in (-1.0, 1.0):
        memory.stream.add("social", "the storm", valence=valence)
    both = memory.stream.search("storm", k=1, profile=Profile(feeling=1), feeling=[-1.0, 1.0])
    assert both.ids.tolist() == [[0], [1]]


def test_context_is_the_share_of_matching_tags() -> None:
    memory = Memory(1)
    for tags in ((), ("urgent",), ("urgent", "home", "work")):
        memory[0].stream.add("social", "the storm", tags=tags)
    match = Profile(context=1.0)
    assert find_scores(memory, profile=match, where=Filter(tags=("urgent", "home"))) == {
        2: 1.0,
        1: 0.5,
    }
    assert find_scores(memory, profile=match, where=Filter(tags="unheard of")) == {}
    assert set(find_scores(memory, profile=match).values()) == {0.0}


def test_consolidation_prefers_frequently_recalled_memories() -> None:
    memory = Memory(1)
    memory[0].stream.add("social", "rain", importance=0.0)
    memory[0].stream.add("social", "sun", importance=0.0)
    for _ in range(3):
        memory[0].stream.search("rain", k=1)
    firm = find_scores(memory, profile=Profile(consolidation=1.0))
    # Both are new: 0.3 for that, and a half of ln 4 / ln 100 for three recalls.
    assert firm == pytest.approx({0: 0.3 + 0.5 * math.log(4) / math.log(100), 1: 0.3}, abs=1e-6)


def test_consolidated_memories_fade_more_slowly() -> None:
    memory = Memory(1)
    memory[0].stream.add("other", "rain")
    memory.now = 14 * 24
    fading = Profile(recency=1.0, half_life=24.0, fading="adaptive", since="created")
    firm = 0.2 * 14 / 365 + 0.3 * 0.5
    slow = 2 ** (-14 / (1 + 2 * firm))
    assert find_scores(memory, profile=fading) == pytest.approx({0: slow}, rel=1e-3)


# filters


def test_filters_of_a_call_override_those_of_the_profile() -> None:
    memory = Memory(1)
    memory[0].stream.add("social", "storm")
    memory[0].stream.add("economy", "storm", tags="urgent", valence=-0.5)
    own = Profile(relevance=1.0, where=Filter(topic="social", kind="event"))
    assert list(find_scores(memory, profile=own)) == [0]
    assert list(find_scores(memory, profile=own, where=Filter(topic="economy"))) == [1]
    assert list(find_scores(memory, where=Filter(sign="negative"))) == [1]
    assert list(find_scores(memory, where=Filter(sign="positive"))) == []
    assert list(find_scores(memory, where=Filter(sign="urgent", tags=["urgent", "home"]))) == [1]
    assert list(find_scores(memory, profile=Profile(relevance=1, without=("urgent",)))) == [0]
    with pytest.raises(ParameterError, match="sign is 'bad'"):
        memory[0].stream.search("storm", where=Filter(sign="bad"))


@pytest.mark.parametrize("profile", ["act", "town", "working", "society"])
def test_no_profile_finds_forgotten_memories(profile: str) -> None:
    memory = hourly((0, "same", 1.0), (1, "half", 0.4), (1, "other", 0.4), now=2)
    memory[0].stream.forget([0])
    query = "half other" if profile == "working" else "query"  # a score of 0 is no result
    assert sorted(find_scores(memory, query, profile=profile)) == [1, 2]


# verbs


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_profile_follows_every_recall_policy(profile: str) -> None:
    memory = hourly((0, "same", 1.0), (1, "half", 0.4), (2, "other", 0.4), now=2)
    memory.recall = "none"
    query = "other" if profile == "working" else "query"  # a score of 0 is no result
    assert [m.id for m in memory[0].stream.search(query, profile=profile)] == [2]
    memory.recall = "random"
    seen = memory[0].stream.search("query", k=2, profile=profile)
    assert len(seen) == 2
    assert all(math.isfinite(m.score) for m in seen)
    before = memory[0].stream.column("accesses", [0, 1, 2]).tolist()
    assert sum(before) == 3
    memory[0].observed.stream.search("query", profile=profile)
    memory[0].observed.stream.recommend(profile=profile)
    memory[0].observed.stream.focus(["query"], profile=profile)
    assert memory[0].stream.column("accesses", [0, 1, 2]).tolist() == before


def test_focal_points_record_one_access_per_memory() -> None:
    memory = hourly((0, "storm", 1.0), (1, "bread", 0.4), (2, "storm bread", 0.4), now=2)
    about = memory[0].stream.focus(["storm", "bread"], k=2, explain=True)
    assert [sorted(m.id for m in one) for one in about] == [[0, 2], [1, 2]]
    assert "relevance" in about[0][0].terms
    assert memory[0].stream.column("accesses", [0, 1, 2]).tolist() == [1, 1, 1]
    many = memory.stream.focus(["storm", "bread"], k=2)
    assert [one.ids.shape for one in many] == [(1, 2), (1, 2)]
    with pytest.raises(ParameterError, match="several str"):
        memory[0].stream.focus("storm")
    assert memory[0].stream.focus([]) == []


def test_recommendations_need_no_query_and_record_access() -> None:
    memory = hourly((0, "storm", 0.2), (1, "bread", 1.0), (2, "rain", 0.4), now=2)
    best = memory[0].stream.recommend(k=1, explain=True)
    assert [m.id for m in best] == [1]
    assert best[0].terms["importance_weighted"] == pytest.approx(0.4)
    assert memory[0].stream.column("accesses", [0, 1, 2]).tolist() == [0, 1, 0]
    assert memory.observed.stream.recommend(k=2).ids.shape == (1, 2)
    # Text terms have nothing to go by, so the rest of a profile ranks.
    assert memory[0].observed.stream.recommend(k=3, profile="working")[0].id == 1


@pytest.mark.parametrize("k", [0, -3, 2.5, math.nan, "3", True])
def test_k_must_be_a_positive_integer(k: Any) -> None:
    memory = hourly((0, "storm", 0.2), now=2)
    for verb in (
        lambda: memory[0].stream.search("storm", k),
        lambda: memory[0].stream.focus(["storm"], k),
        lambda: memory[0].stream.recommend(k),
        lambda: memory[0].stream.today(None, k),
    ):
        with pytest.raises(ParameterError, match="k is"):
            verb()
    one: Any = np.int64(1)
    assert len(memory[0].stream.search("storm", k=one)) == 1


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(UnknownNameError, match="town"):
        Memory(1)[0].stream.search("storm", profile="city")


def test_explained_terms_add_up_to_the_score() -> None:
    memory = lived_in_town()
    weights: dict[str, Any] = dict.fromkeys(TERMS, 0.5)
    every = Profile(**weights, fading="adaptive")
    for one in memory[0].stream.search("query", profile=every, feeling=0.5, explain=True):
        shares = [value for name, value in one.terms.items() if name.endswith("_weighted")]
        assert sum(shares) == pytest.approx(one.score, rel=1e-5)
    for one in memory[0].stream.search("same", profile="working", explain=True):
        factors = math.prod(one.terms[f"{n}_weighted"] for n in ("recency", "importance"))
        assert one.terms["base"] * factors == pytest.approx(one.score, rel=1e-5)
