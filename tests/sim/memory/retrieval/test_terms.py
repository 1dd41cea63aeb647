"""Further terms, and how they become a score, on numbers worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from memopolis import Memory
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retention import ages
from memopolis.sim.memory.retrieval import by_numpy
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.terms import congruence, coverage, strength, tfidf
from memopolis.sim.memory.text.words import TextWords


def weights(**weights: float) -> dict[str, float]:
    """Weights by name."""
    return weights


def row(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, np.float32)


def test_context_is_overlap_by_tags_asked() -> None:
    tags = np.array([0b0000, 0b0110, 0b1111, 0x8001], np.uint16)
    asked = np.array([0b0111, 0b0011, 0b0011, 0x8003], np.uint16)
    match = congruence.context_match(tags, asked)
    assert match.tolist() == pytest.approx([0, 1 / 2, 1, 2 / 3])
    nothing = congruence.context_match(tags, np.zeros(4, np.uint16))
    assert nothing.tolist() == [0, 0, 0, 0]


def test_feeling_falls_by_half_the_distance() -> None:
    valence = np.array([-127, 0, 64, 127], np.int8)
    match = congruence.feeling_match(valence, row(1, 1, 1, 1))
    assert match.tolist() == pytest.approx([0, 0.5, 0.5 + 32 / 127, 1], abs=1e-6)
    assert congruence.check_feeling([0.5, -1], 2).tolist() == [0.5, -1]
    with pytest.raises(ParameterError, match="shape"):
        congruence.check_feeling([0.5, -1], 3)
    with pytest.raises(ParameterError, match="between -1 and 1"):
        congruence.check_feeling(1.5, 3)


def test_full_consolidation_triples_half_life() -> None:
    age, firm = np.array([24, 24, 72, 48, -3], np.int32), row(0, 1, 1, 0.5, 0)
    table, pace = strength.fading_table(), strength.pace(24.0)
    recency = strength.adaptive_recency(age, firm, pace, np.float32(2), table)
    assert recency.tolist() == pytest.approx([0.5, 2 ** (-1 / 3), 0.5, 0.5, 1], abs=1e-6)


def test_recency_has_a_floor_and_a_power() -> None:
    table = ages.recency_table(1.0, 10)
    assert ages.apply_floor(table) is table
    assert ages.apply_floor(table, floor=0.25)[:5].tolist() == [1, 0.5, 0.25, 0.25, 0.25]
    assert ages.apply_floor(table, floor=0.25, power=2)[:4].tolist() == [1, 0.25, 0.0625, 0.0625]


def test_a_time_scale_in_ticks_longer_than_a_day_counts_ticks() -> None:
    assert ages.in_ticks(24.0, 24.0) == 24
    assert ages.in_ticks(24.0, 4.0) == 4
    assert ages.in_ticks(48.0, 1 / 30) == 2


def test_min_max_looks_at_the_memories_of_an_agent_that_pass() -> None:
    values = row(2, 4, 3, 9, 7, 7, np.nan, 1)
    passing = np.array([1, 1, 1, 0, 1, 1, 1, 1], np.bool_)
    owner = np.array([0, 0, 0, 0, 1, 1, 1, 2])
    out = by_numpy.rescale(values, passing, owner, 3)
    assert out.tolist() == [0, 1, 0.5, 0, 0.5, 0.5, 0, 0.5]


def test_a_sum_adds_the_terms_that_have_a_weight() -> None:
    options = {"recency": row(1, 0), "importance": row(0.5, 1), "bm25": row(0.25, 0)}
    out = by_numpy.combine_sum(options, weights(recency=2, bm25=4))
    assert out["score"].tolist() == [3, 0]
    assert set(out) == {"recency_weighted", "bm25_weighted", "score"}


def test_a_product_by_hand() -> None:
    options = {
        "recency": row(0.5, 0.5),
        "importance": row(1, 0),
        "tfidf": row(0.5, 0),
        "keyword": row(0.25, 0.25),
    }
    chosen = weights(recency=1, importance=0.4, tfidf=0.7, keyword=0.3)
    out = by_numpy.combine_product(options, chosen)
    # 0.7 v + 0.3 w, and w alone where v is 0; times decay; times 0.8 + 0.4 importance.
    assert out["base"].tolist() == pytest.approx([0.425, 0.25])
    assert out["score"].tolist() == pytest.approx([0.425 * 0.5 * 1.2, 0.25 * 0.5 * 0.8])


def test_a_product_without_text_terms_begins_with_1() -> None:
    options = {"importance": row(1, 0), "recency": row(0.5, 0.5)}
    out = by_numpy.combine_product(options, weights(importance=1))
    assert out["score"].tolist() == [1.5, 0.5]


def words(*texts: dict[int, int]) -> TextWords:
    """Words of texts given as number: count."""
    lengths = np.array([len(text) for text in texts], np.int32)
    return TextWords(
        flat=np.array([word for text in texts for word in text], np.int32),
        count=np.array([count for text in texts for count in text.values()], np.int32),
        start=np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64),
        length=lengths,
        size=9,
    )


def test_tf_idf_by_hand() -> None:
    texts = words({0: 1, 1: 2}, {1: 1}, {2: 1}, {})
    query = words({0: 1, 8: 1}, {})
    logs = tfidf.logarithms(10)
    chosen = np.array([0, 1, 1, 3], np.int32)
    result = tfidf.cosines(texts, chosen, query, 0, logs)
    # Five documents: the query and four memories; word 0 is in two, 1 in three, 8 in one.
    zero, one, eight = (math.log(6 / (1 + df)) + 1 for df in (2, 3, 1))
    norm = math.hypot(zero, 2 * one) * math.hypot(zero, eight)
    assert result.tolist() == pytest.approx([zero * zero / norm, 0, 0, 0])
    assert tfidf.cosines(texts, chosen, query, 1, logs).tolist() == [0, 0, 0, 0]
    same = tfidf.cosines(texts, np.array([2], np.int32), words({2: 3}), 0, logs)
    assert same.tolist() == pytest.approx([1])


def test_each_piece_of_a_query_counts_where_it_matches_best_nearby() -> None:
    matches = np.array([[255, 0], [0, 0], [0, 51], [0, 255], [0, 0]], np.uint8)
    weight = np.array([3, 1], np.int32)
    continues = np.array([False, True, True, True, False])
    alone = coverage.coverage(matches, weight, continues, 0)
    assert alone.tolist() == pytest.approx([0.75, 0, 0.05, 0.25, 0])
    window = coverage.coverage(matches, weight, continues, 2)
    assert window.tolist() == pytest.approx([0.8, 1, 1, 0.25, 0])
    session = coverage.coverage(matches, weight, continues, coverage.ALL)
    assert session.tolist() == pytest.approx([1, 1, 1, 1, 0])
    assert coverage.coverage(matches[:, :0], weight[:0], continues, 2).tolist() == [0] * 5


TALK = (
    ("Did you sell the boat?", False),
    ("Yes, to Piet.", True),
    ("He paid in coins.", True),
    ("The boat is gone.", False),
)


def values_of(name: str, query: str = "boat") -> list[float]:
    """The values of a term for the memories of TALK."""
    memory = Memory(1)
    for text, continues in TALK:
        memory[0].stream.add("social", text, continues=continues)
    profile = replace(Profile(relevance=1), **{name: 1.0})  # type: ignore[arg-type]
    matches = memory[0].observed.stream.search(query, 4, profile=profile, explain=True)
    by_text = {one.text: one.terms[name] for one in matches}
    return [by_text[text] for text, _ in TALK]


def test_a_reply_gets_the_relevance_of_what_it_replies_to_most_of_a_question() -> None:
    # "Yes, to Piet" has no piece of the query, so "He paid" gets nothing from it.
    assert values_of("answer") == pytest.approx([0, 1, 0, 0])
    assert values_of("answer", "Piet")[2] == pytest.approx(0.6)


def test_a_question_is_no_statement() -> None:
    assert values_of("statement") == [0, 1, 1, 1]


def test_a_text_of_more_and_rarer_words_contains_more_information() -> None:
    sold, yes, paid, gone = values_of("information")
    assert 0 < gone < paid < sold + paid <= 2
    assert yes > 0


def test_a_neighbour_lends_its_cosine_within_the_interaction() -> None:
    own, lent = values_of("dense"), values_of("dense_near")
    assert lent == pytest.approx([max(own[1], 0), max(own[0], own[2], 0), max(own[1], 0), 0])
