"""The word pieces of every text in use, and the number of texts with each piece."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.text.following import Numbers
from memopolis.sim.memory.text.pieces import NUMBERS, WordPieces, word_pieces
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.text.token_index import TokenIndex


class TextPieces(TokenIndex):
    """Word pieces of all texts; see `TokenIndex`.

    Attributes:
        words: The tokenizer.
        width: Upper bound of the numbers of pieces in any text so far: the size of the
            vocabulary, or `NUMBERS` once a text has Chinese or Japanese pairs.
    """

    def __init__(self, texts: Texts, pieces: WordPieces | None = None) -> None:
        """Create an empty index of `texts`; None for the shipped word pieces."""
        super().__init__(texts)
        self.words = pieces or word_pieces()
        self.flat = np.zeros(0, np.uint16)
        self.df = np.zeros(NUMBERS, np.int64)
        self.width = len(self.words.vocabulary)

    def _tokenise(self, numbers: Numbers) -> tuple[NDArray[Any], ...]:
        texts = self._following.texts
        pieces = [self.words.distinct(texts[number]) for number in numbers.tolist()]
        self.length[numbers] = np.fromiter(map(len, pieces), np.int32, len(pieces))
        total = int(self.length[numbers].sum())
        flat = np.fromiter((piece for text in pieces for piece in text), np.uint16, total)
        if self.width < NUMBERS and flat.max(initial=0) >= self.width:
            self.width = NUMBERS
        return (flat,)
