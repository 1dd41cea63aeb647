"""What every embedder must give, checked in one place."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.pieces import check_text, without_fields


@runtime_checkable
class Embedder(Protocol):
    """Anything that gives texts vectors.

    It may also say `thresholds` (see `thresholds.py`), and `bits` (8 or 16) in which its
    vectors are kept (see `rounding.py`).
    """

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors of texts, of any length, shape (texts, dimensions)."""
        ...


def embed(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed texts and check what comes back.

    A text without anything but space and template fields is not sent: it says nothing, so
    its vector is zero whatever a model would make of it.

    Args:
        embedder: What embeds them.
        texts: Any texts.

    Returns:
        float32, shape (texts, dimensions).

    Raises:
        ParameterError: If `texts` is itself a str or one of them is not, or the embedder gives
            something else than a row of finite numbers for each text.
    """
    if isinstance(texts, str):
        raise ParameterError(f"a sequence of texts is needed, got the str {texts!r}")
    said = [plain(text) for text in texts]
    full = [place for place, text in enumerate(said) if text and not text.isspace()]
    if not full:
        return np.zeros((len(said), dimensions_of(embedder)), np.float32)
    given = _checked(embedder, embedder.vectors([said[place] for place in full]), len(full))
    if len(full) == len(said):
        return given
    whole = np.zeros((len(said), given.shape[1]), np.float32)
    whole[full] = given
    return whole


def plain(text: str) -> str:
    """Take {actor}, {place} and {evidence} out of a template: they are no words of it."""
    check_text(text)
    return without_fields(text)


def dimensions_of(embedder: Embedder) -> int:
    """Length of an embedder's vectors: what it says itself, else that of a word's."""
    said = getattr(embedder, "dimensions", None)
    if said is not None:
        return int(said)
    return int(_checked(embedder, embedder.vectors(["word"]), 1).shape[1])


def name_of(embedder: Any) -> str:
    """What errors call an embedder."""
    return str(getattr(embedder, "name", type(embedder).__name__))


def _checked(embedder: Embedder, given: Any, texts: int) -> NDArray[np.float32]:
    try:
        vectors = np.asarray(given, np.float32)
    except (TypeError, ValueError):
        vectors = np.empty(0, np.float32)
    if vectors.ndim != 2 or len(vectors) != texts or not vectors.shape[1]:
        raise ParameterError(
            f"the embedder {name_of(embedder)} gave {_seen(given)} where an array of shape "
            f"({texts}, dimensions) is needed"
        )
    if not np.isfinite(vectors).all():
        raise ParameterError(
            f"the embedder {name_of(embedder)} gave vectors with nan or infinity in them"
        )
    return vectors


def _seen(given: Any) -> str:
    shape = getattr(given, "shape", None)
    return f"a {type(given).__name__}" + ("" if shape is None else f" of shape {tuple(shape)}")
