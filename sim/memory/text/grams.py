"""Texts in scripts without word pieces, as groups of consecutive characters.

The shipped word pieces are English. Runs of other scripts are split by their kind of script:

- Chinese and Japanese: all pairs of characters, and single Chinese characters, so that a query of
  one character finds the words with it. Traditional Chinese characters equal simplified ones.
- Korean: all pairs of syllables of a word, and its first syllable, since most particles and
  endings follow the stem.
- Alphabets with spaces (Cyrillic, Greek, Arabic, Hebrew, Indic and others): each word, and all
  groups of three of its characters, so that inflected forms and parts of words are similar.
- Thai, Lao, Khmer and Burmese, which have no spaces: all groups of three characters.
- Emoji: each one, without skin tones.

Source: character n-grams as in McNamee & Mayfield 2004, doi:10.1023/B:INRT.0000009441.78971.be;
pairs for Chinese, Japanese and Korean as in Lucene's CJKBigramFilter.
"""

import re
import tomllib
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import shake_128
from operator import add
from pathlib import Path
from unicodedata import is_normalized, normalize

import numpy as np

from memopolis.sim.arrays import Int8

ASSETS = Path(__file__).with_name("assets")
# Stop words, and words that mark a text as good, bad or urgent, separated by blanks.
WORD_LISTS = tomllib.loads((ASSETS / "word_lists.toml").read_text(encoding="utf-8"))
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Includes combining voice marks (3099, 309a) and half-width kana (ff66..ff9f).
_KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa1-\uffdc"
_UNSPACED = (
    "\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0eff\u1000-\u1049\u1050-\u109f"
    "\u1780-\u17d3\u17dc-\u17e9"
)
_ALPHABETS = (
    "\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u0559\u0560-\u0588\u0591-\u05bd\u05bf"
    "\u05c1\u05c2\u05c4\u05c5\u05c7-\u05f2\u0610-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u06ff"
    "\u0710-\u07f5\u0800-\u0829\u0840-\u085b\u0860-\u0963\u0966-\u096f\u0971-\u0df3\u0f18-\u0f39"
    "\u0f40-\u0fbc\u10a0-\u10fa\u10fc-\u10ff\u1200-\u135f\u1369-\u13fd\u1c80-\u1c8f\u1f00-\u1fff"
    "\u2de0-\u2dff\ua640-\ua69f\ufb1d-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc"
)
# Without the symbols that are word pieces, such as stars and hearts of playing cards.
_EMOJI = (
    "\u231a\u231b\u23e9-\u23fa\u2600-\u2604\u2607\u2608\u260a-\u265f\u2661\u2662\u2664\u2667-\u266c"
    "\u266e\u2670-\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001faff"
)
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_IN_EMOJI = "\u200d\ufe0f\u20e3\U0001f3fb-\U0001f3ff"

_UNSPACED_RUNS = (
    rf"(?P<han>[{_HAN}{_KANA}]+)|(?P<thai>[{_UNSPACED}]+)"
    rf"|(?P<emoji>[{_EMOJI}][{_EMOJI}{_IN_EMOJI}]*)"
)
# A run of a script that `words` cannot split into words, or of emoji.
UNSPACED = re.compile(_UNSPACED_RUNS)

RUN = re.compile(
    rf"{_UNSPACED_RUNS}|(?P<hangul>[{_HANGUL}]+)|(?P<word>[{_ALPHABETS}][{_ALPHABETS}\u0300-\u036f]*)"
)
"""A run of a script without word pieces, or of emoji."""

# Marks within words of Indic scripts, which are no letters for regular expressions.
MARKS = "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0980-\u0983\u09bc-\u09cd\u0a01-\u0dff"
_64_BITS = 2**64 - 1
_ONE = re.compile(f"[{_HAN}]")
_EACH_EMOJI = re.compile(f"{_FLAG}|[{_EMOJI}]")
_TONES = re.compile("[\U0001f3fb-\U0001f3ff]")
# Ligatures, full-width letters and digits, and letters of mathematical alphabets.
_STYLED = re.compile("[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]+")
# Accents and vowel points of Greek, Cyrillic, Hebrew and Arabic, which writers may omit.
_POINTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
_POINTED = re.compile("[\u0370-\u06ff]")
_LETTERS = str.maketrans("ىیةک", "ييهك")
_GROUP = 3

_STOP = WORD_LISTS["stop"]
# Pairs and characters that are too common to be informative.
STOP = frozenset(_STOP["groups"].split())
# Words of other scripts that are too common to be informative.
STOP_WORDS = frozenset(_STOP["words"].split())


@cache
def _simplified() -> dict[int, str]:
    """Load the simplified form of each traditional Chinese character, once per process."""
    traditional, simplified = (ASSETS / "simplified.txt").read_text(encoding="utf-8").splitlines()
    return dict(zip(map(ord, traditional), simplified, strict=True))


def _han(run: str) -> list[str]:
    plain = (run if is_normalized("NFKC", run) else normalize("NFKC", run)).translate(_simplified())
    if len(plain) == 1:
        return [plain]
    return [*map(add, plain, plain[1:]), *_ONE.findall(plain)]


def _hangul(run: str) -> list[str]:
    plain = normalize("NFKC", run)
    if plain in STOP_WORDS:
        return []
    return [*map(add, plain, plain[1:]), plain[0]]


def _word(run: str) -> list[str]:
    plain = _plain_word(run)
    if plain in _PLAIN_STOP_WORDS:
        return []
    return _groups(plain) if len(plain) <= _GROUP else [*_groups(plain), plain]


def _plain_word(run: str) -> str:
    """Return a word in lower case, without accents and vowel points."""
    plain = normalize("NFKC", run).casefold()
    if _POINTED.search(plain):
        plain = _POINTS.sub("", normalize("NFD", plain)).translate(_LETTERS)
    return plain


def _groups(text: str) -> list[str]:
    """List the groups of three consecutive characters, or the text if it is shorter."""
    return [text[at : at + _GROUP] for at in range(max(1, len(text) - _GROUP + 1))] if text else []


_PLAIN_STOP_WORDS = frozenset(map(_plain_word, STOP_WORDS))
_SPLITTERS: dict[str, Callable[[str], list[str]]] = {
    "han": _han,
    "thai": lambda run: _groups(normalize("NFKC", run)),
    "hangul": _hangul,
    "word": _word,
    "emoji": lambda run: _EACH_EMOJI.findall(_TONES.sub("", run)),
}


def grams(text: str, runs: re.Pattern[str] = RUN) -> list[str]:
    """Split the runs, RUN or UNSPACED, of a text into groups of characters, and ignore the rest."""
    parts: list[str] = []
    for match in runs.finditer(text):
        parts += _SPLITTERS[match.lastgroup or ""](match.group())
    return parts


def split_grams(text: str, runs: re.Pattern[str] = RUN) -> tuple[str, list[str]]:
    """Separate the runs, RUN or UNSPACED, from a text: a text with blanks for them, and `grams`.

    Ligatures, full-width and styled letters of the text become plain letters.
    """
    if text.isascii():
        return text, []
    text = _STYLED.sub(lambda match: normalize("NFKC", match.group()), text)
    if not runs.search(text):
        return text, []
    return runs.sub(" ", text), grams(text, runs)


@lru_cache(1 << 16)
def gram_number(gram: str, first: int, stop: int) -> int:
    """Hash a group of characters to a number from `first` to `stop` - 1, reproducibly."""
    mixed = 0
    for at in range(0, len(gram), 2):
        pair = ord(gram[at]) << 21 | ord(gram[at + 1 : at + 2] or "\0")
        mixed = ((mixed ^ mixed >> 32) + pair) * 0x9E3779B97F4A7C15 & _64_BITS
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 & _64_BITS
    return first + (mixed ^ mixed >> 32) % (stop - first)


@lru_cache(1 << 13)
def gram_signs(gram: str, dimensions: int) -> Int8:
    """Hash a group of characters to signs, -1 and 1, int8, (dimensions,), not to be written to."""
    drawn = np.frombuffer(shake_128(gram.encode()).digest((dimensions + 7) // 8), np.uint8)
    return np.unpackbits(drawn, count=dimensions).astype(np.int8) * np.int8(2) - np.int8(1)
