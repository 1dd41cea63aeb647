"""Fit vectors of word pieces to a sentence model, for `make_assets.py`.

The vector of a text is the weighted mean of the vectors of its pieces (`embedders/static.py`).
Vectors of single pieces say little about meaning in a sentence, so they are corrected: over the
glosses and examples of WordNet, the mean of the pieces shall equal the sentence model's vector.

    minimise  sum over texts |X (c V0 + D) - Y|^2 + RIDGE |D|^2

V0 are the vectors of single pieces, c the scale that fits best, X the weights of the pieces of each
text, which sum to 1, and Y the centred vectors of the texts. It is solved by conjugate gradients.

Source: this project; fitting static vectors to a sentence model as in model2vec's tokenlearn, with
Arora et al. (2017) for the weights. Texts: WordNet 3.0, Princeton University.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.pieces import UNKNOWN, WordPieces
from memopolis.sim.memory.vectors.embedders.static import piece_weights

RIDGE = 1.0
STEPS = 30
LONGEST = 200  # most characters of a text
NAMES = 4  # most words of a synset in front of its gloss
_EXAMPLE = re.compile(r'"([^"]+)"')
_EXAMPLES = re.compile(r';?\s*"[^"]*"')
_RARE = re.compile(r"(a |any of .* of the |type )?genus|.*\bfamily\b")  # scientific names


def sentences(synsets: Iterable[tuple[str, list[str], str]]) -> Iterator[str]:
    """Yield the glosses of WordNet with their words, and the examples, without proper names."""
    seen: set[str] = set()
    for part, names, gloss in synsets:
        meaning = _EXAMPLES.sub("", gloss.strip()).strip(" ;")
        if part == "noun" and (not any(map(str.islower, names)) or _RARE.match(meaning)):
            continue
        examples = _EXAMPLE.findall(gloss)
        for raw in (f"{', '.join(names[:NAMES])}: {meaning}", *examples):
            text = raw.strip().strip('"').strip()
            if 2 < len(text) < LONGEST and text not in seen:
                seen.add(text)
                yield text


def fit(
    start: NDArray[np.float64],
    texts: Sequence[str],
    targets: NDArray[np.float32],
    words: WordPieces,
) -> NDArray[np.float32]:
    """Correct the vectors of pieces.

    Args:
        start: V0, shape (pieces, dimensions).
        texts: The texts.
        targets: Y, shape (texts, dimensions).
        words: Splits the texts.

    Returns:
        c V0 + D, float32, shape (pieces, dimensions).
    """
    shares = _shares(texts, words, len(start))
    first = start.astype(np.float32)
    mean = shares @ first
    scale = np.float32((mean * targets).sum() / (mean * mean).sum())
    residual = shares.T @ (targets - scale * mean)
    change, direction = np.zeros_like(first), residual.copy()
    size = (residual * residual).sum(axis=0)
    for _ in range(STEPS):
        image = shares.T @ (shares @ direction) + np.float32(RIDGE) * direction
        step = size / ((direction * image).sum(axis=0) + 1e-12)
        change += step * direction
        residual -= step * image
        before, size = size, (residual * residual).sum(axis=0)
        direction = residual + size / (before + 1e-12) * direction
    fitted: NDArray[np.float32] = scale * first + change
    return fitted


def _shares(texts: Sequence[str], words: WordPieces, pieces: int) -> Any:
    """Return the weights of the pieces of each text, sparse, shape (texts, pieces)."""
    from scipy.sparse import csr_array, diags_array

    split = [[piece for piece in words.tokens(text) if piece != UNKNOWN] for text in texts]
    flat = np.concatenate([np.array(each, np.int64) for each in split])
    ends = np.concatenate(([0], np.cumsum([len(each) for each in split])))
    shape = (len(texts), pieces)
    weights = csr_array((piece_weights(pieces)[flat], flat, ends), shape=shape)
    weights.sum_duplicates()
    total = np.asarray(weights.sum(axis=1))
    return (diags_array(1 / np.where(total > 0, total, 1)) @ weights).tocsr().astype(np.float32)
