"""Models of the package fastembed, by name or from a folder."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.errors import DataFileError, UnknownNameError
from memopolis.sim.memory.vectors.embedders.protocol import Thresholds, measure_thresholds

if TYPE_CHECKING:
    from fastembed import TextEmbedding

_FILES = ("tokenizer.json", "tokenizer_config.json", "config.json")
_MODELS = ("model.onnx", "onnx/model.onnx")


class FastEmbed:
    """A model of fastembed, by name or from a folder.

    A folder is loaded without a network. It contains tokenizer.json, tokenizer_config.json,
    config.json and model.onnx (or onnx/model.onnx); positions are averaged unless
    1_Pooling/config.json selects the first. fastembed downloads other models if necessary.

    Raises DataFileError for a broken or missing file, and UnknownNameError for an unknown name.
    """

    def __init__(self, model: str) -> None:
        self.name = f"fastembed:{model}"
        folder = Path(model).expanduser()
        self._model = _local(folder.resolve()) if folder.is_dir() else _named(model)

    def vectors(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts, embedded one at a time so that they are independent."""
        return np.stack(list(self._model.embed(list(texts), batch_size=1)))

    @cached_property
    def thresholds(self) -> Thresholds:
        """Measured thresholds."""
        return measure_thresholds(self)


def _named(model: str) -> "TextEmbedding":
    from fastembed import TextEmbedding

    known = [str(listed["model"]) for listed in TextEmbedding.list_supported_models()]
    if model.lower() not in map(str.lower, known):
        raise UnknownNameError(
            f"fastembed has no model {model!r} and there is no such folder; some models are "
            f"{', '.join(sorted(known)[:3])}: see TextEmbedding.list_supported_models()"
        )
    return _loaded(model)


def _local(folder: Path) -> "TextEmbedding":
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    files = [*_FILES, next((m for m in _MODELS if (folder / m).is_file()), _MODELS[0])]
    for file in files:
        if not (folder / file).is_file():
            raise DataFileError(f"the model in {folder} has no {file}")
    name = f"memopolis/{folder}"
    known = [str(model["model"]).lower() for model in TextEmbedding.list_supported_models()]
    path = folder / "1_Pooling" / "config.json"
    pooling = _read(path) if path.is_file() else {}
    if name.lower() not in known:
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType["CLS" if pooling.get("pooling_mode_cls_token") else "MEAN"],
            normalization=False,
            sources=ModelSource(hf=name),  # unused: the folder is given
            dim=int(_read(folder / "config.json").get("hidden_size", 1)),
            model_file=files[-1],
        )
    return _loaded(name, folder)


def _loaded(name: str, folder: Path | None = None) -> "TextEmbedding":
    from fastembed import TextEmbedding

    local: dict[str, Any] = (
        {} if folder is None else {"specific_model_path": str(folder), "local_files_only": True}
    )
    try:
        return TextEmbedding(name, threads=1, cuda=False, **local)
    except Exception as error:  # noqa: BLE001 - a broken file can raise anything
        first = str(error).partition("\n")[0]
        raise DataFileError(f"fastembed cannot load {folder or name}: {first}") from None


def _read(path: Path) -> dict[str, str | int]:
    try:
        content: dict[str, str | int] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataFileError(f"{path} cannot be read: {error}") from None
    return content
