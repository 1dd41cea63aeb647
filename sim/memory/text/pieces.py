"""Word pieces of texts: the units of lexical relevance and static vectors."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memopolis.sim.arguments import check_text
from memopolis.sim.arrays import Int64, UInt8, UInt16
from memopolis.sim.memory.text.grams import ASSETS, STOP, WORD_LISTS, gram_number, split_grams

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Fields of a template. They are filled on reading and are not words of the text.
TEMPLATE_FIELDS = ("actor", "place", "evidence")
UNKNOWN = 100
PUNCTUATION = range(999, 1_037)
NUMBERS = 65_535  # upper bound of piece numbers, so that a number plus one fits into 16 bits
STOP_WORDS = WORD_LISTS["stop"]["english"].split()  # words that are too common to be informative
_FIELD = re.compile("|".join(rf"\{{{field}\}}" for field in TEMPLATE_FIELDS))
_WORD = re.compile(r"[a-z0-9]+|[^a-z0-9 ]")
_CACHED_WORDS = 200_000
_NO_FORMS: Mapping[str, str] = MappingProxyType({})
_CACHED_SENTENCES = 4_096
_LONGEST_CACHED = 100


class _Words(dict[str, tuple[int, ...]]):
    """The pieces of ASCII words, which `split` computes when a word is first read."""

    def __init__(self, split: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_CACHED:
            return (UNKNOWN,)
        if len(self) >= _CACHED_WORDS:
            self.clear()
        pieces = self[word] = self._split(word)
        return pieces


class WordPieces:
    """A tokenizer with a vocabulary of word pieces (shipped: BERT's, lower case).

    Texts of other scripts have groups of characters (see `grams`), with numbers from
    `len(vocabulary)` to below `NUMBERS`. Only `distinct` returns them, since the static table has
    no vectors for them.
    """

    def __init__(self, vocabulary: Sequence[str], forms: Mapping[str, str] = _NO_FORMS) -> None:
        """Create a tokenizer from word pieces in the order of their numbers.

        `forms` are inflected forms, each with the piece whose number it shares.
        """
        self.vocabulary = tuple(vocabulary)
        self._numbers = {piece: number for number, piece in enumerate(self.vocabulary)}
        self._numbers |= {form: self._numbers[piece] for form, piece in forms.items()}
        self._words = _Words(self._split)
        self._sentences: dict[str, list[int]] = {}
        stop = set(STOP_WORDS)
        counts = bytearray(piece not in stop for piece in self.vocabulary)
        for number in (UNKNOWN, *PUNCTUATION):
            counts[number] = False
        self._counts = bytes(counts)

    def tokens(self, text: str) -> list[int]:
        """Split a text into pieces, in reading order, with repetitions and unknown pieces."""
        check_text("text", text)
        return list(self._tokens(text))

    def _tokens(self, text: str) -> Iterable[int]:
        text = without_fields(text)
        if not (text.isascii() and text.isprintable()):
            return self._encode(text)
        # ASCII is split as by the tokenizer, and the pieces of words are cached: ten times faster.
        return chain.from_iterable(map(self._words.__getitem__, _WORD.findall(text.lower())))

    def distinct(self, text: str) -> list[int]:
        """Split a text into distinct informative pieces in order; groups of characters are last."""
        check_text("text", text)
        rest, grams = split_grams(text)
        sentences = split_clauses(rest) if rest.isascii() else [rest]
        pieces = list(dict.fromkeys(chain.from_iterable(map(self._informative, sentences))))
        return pieces + self._number(grams) if grams else pieces

    def _informative(self, sentence: str) -> list[int]:
        """Return the informative pieces of a sentence, cached, since sentences are repeated."""
        pieces = self._sentences.get(sentence)
        if pieces is None:
            counts = self._counts
            pieces = [piece for piece in self._tokens(sentence) if counts[piece]]
            if len(self._sentences) >= _CACHED_SENTENCES:
                self._sentences.clear()
            if len(sentence) <= _LONGEST_CACHED:
                self._sentences[sentence] = pieces
        return pieces

    def _number(self, grams: list[str]) -> list[int]:
        first = len(self.vocabulary)
        informative = [gram for gram in dict.fromkeys(grams) if gram not in STOP]
        return list(dict.fromkeys(gram_number(gram, first, NUMBERS) for gram in informative))

    def _split(self, word: str) -> tuple[int, ...]:
        """Split an ASCII word as the tokenizer does, the longest known piece first."""
        pieces: list[int] = []
        rest = word
        while rest:
            parts = (rest[:end] for end in range(len(rest), len("##") * bool(pieces), -1))
            piece = next((part for part in parts if part in self._numbers), None)
            if piece is None:
                pieces = [UNKNOWN]
                break
            pieces.append(self._numbers[piece])
            rest = rest[len(piece) :] and "##" + rest[len(piece) :]
        return tuple(pieces)

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        """The tokenizer, built for the first text that is not ASCII."""
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

        tokenizer = Tokenizer(models.WordPiece(self._numbers, unk_token="[UNK]"))  # noqa: S106
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        return tokenizer

    def _encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def split_clauses(text: str) -> list[str]:
    """Split a text after stops and colons, which are left out: what people say is often repeated.

    Examples:
        >>> split_clauses("{actor} answered: It rained. Did it? Yes!")
        ['{actor} answered', 'It rained', 'Did it', 'Yes!']
    """
    return text.replace(": ", ". ").replace("? ", ". ").replace("! ", ". ").split(". ")


def without_fields(text: str) -> str:
    """Return a text with each field of a template replaced by a blank."""
    return _FIELD.sub(" ", text) if "{" in text else text


@cache
def word_pieces() -> WordPieces:
    """Load the tokenizer with BERT's vocabulary and further words, once per process.

    BERT splits less frequent words into pieces without meaning, such as commute into com and
    ##mute. Each line of `words.txt` is a word and its inflected forms, which share its number.
    """
    pieces, forms = list(bert_pieces().vocabulary), {}
    known = set(pieces)
    for line in (ASSETS / "words.txt").read_text(encoding="utf-8").splitlines():
        word, *inflected = line.split()
        forms.update(dict.fromkeys(inflected, word))
        pieces += [] if word in known else [word]
    return WordPieces(pieces, forms)


@cache
def bert_pieces() -> WordPieces:
    """Load the tokenizer with BERT's vocabulary alone, as sentence models need it."""
    return WordPieces((ASSETS / "vocabulary.txt").read_text(encoding="utf-8").splitlines())


class Likeness(NamedTuple):
    """Similar pieces of each piece from `start` on, itself first, with similarity 1..255.

    Pieces include groups of characters; most of those are similar to themselves only.
    """

    start: Int64  # index of each list's first entry, and the number of entries
    piece: UInt16
    likeness: UInt8


@cache
def likeness() -> Likeness:
    """Load the shipped lists, once per process."""
    with np.load(ASSETS / "likeness.npz") as lists:
        start = np.concatenate([[0], np.cumsum(lists["length"], dtype=np.int64)])
        return Likeness(start, lists["piece"], lists["likeness"])
