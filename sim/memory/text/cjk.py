"""Chinese and Japanese text, which has no spaces, as pairs of characters.

A run of Chinese characters and kana is split into all pairs of consecutive characters. Single
Chinese characters count too, so that a query of one character finds the words with it. A single
kana counts only if it is a run by itself.

Source: bigrams of Chinese and Japanese characters as in Lucene's CJKBigramFilter.
"""

import re
from functools import lru_cache
from hashlib import shake_128
from operator import add
from unicodedata import is_normalized, normalize

import numpy as np
from numpy.typing import NDArray

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Includes combining voice marks (3099, 309a) and half-width kana (ff66..ff9f).
_KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"

RUN = re.compile(f"[{_HAN}{_KANA}]+")
"""A run of characters of languages without spaces."""

_64_BITS = 2**64 - 1
_ONE = re.compile(f"[{_HAN}]")

STOP = frozenset(
    """
    的 了 是 在 我 你 您 他 她 它 们 和 与 有 就 不 也 都 这 那 吗 呢 吧 啊 把 被 对 从 到 为 以
    之 着 过 很 会 个 么 什 其 而 或 及 所 等 我们 你们 他们 她们 它们 这个 那个 这是 那是 我的
    你的 他的 她的 什么 怎么 为什 是在 也是 都是 就是 不是 的是 是我 我在 我是 有了 了我 在我 也有
    都有 会不 我有 是不 です ます まし した する して いる てい から まで ない では には この その
    あの こと もの よう って った ので のは のが のを れる られ ある あり さん たち でし せん ませ
    はい んで んだ いう ただ
    """.split()  # noqa: SIM905
)
"""Characters and pairs that are too common to be informative."""


def grams(text: str) -> list[str]:
    """Split the runs of a text into pairs of characters and single Chinese characters.

    Args:
        text: Any text; other languages are ignored.

    Returns:
        Pairs and characters in reading order, with repetitions; for each run first the pairs,
        then the single characters.
    """
    parts: list[str] = []
    for run in RUN.findall(text):
        plain = run if is_normalized("NFKC", run) else normalize("NFKC", run)
        if len(plain) == 1:
            parts.append(plain)
        else:
            parts += map(add, plain, plain[1:])
            parts += _ONE.findall(plain)
    return parts


def split_grams(text: str) -> tuple[str, list[str]]:
    """Separate the runs from a text.

    Returns:
        The text with each run replaced by a blank, and the `grams` of the runs.
    """
    if text.isascii() or not RUN.search(text):
        return text, []
    return RUN.sub(" ", text), grams(text)


@lru_cache(1 << 16)
def gram_number(gram: str, first: int, stop: int) -> int:
    """Hash a pair or single character to a number, reproducibly.

    Two pairs share a number with a probability of about 1 / (stop - first).

    Args:
        gram: One or two characters.
        first: Least number.
        stop: Number after the greatest.
    """
    mixed = (ord(gram[0]) << 21 | ord(gram[1:] or "\0")) * 0x9E3779B97F4A7C15 & _64_BITS
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 & _64_BITS
    return first + (mixed ^ mixed >> 32) % (stop - first)


@lru_cache(1 << 13)
def gram_signs(gram: str, dimensions: int) -> NDArray[np.int8]:
    """Hash a pair or single character to pseudo-random signs, reproducibly.

    Args:
        gram: One or two characters.
        dimensions: Number of signs.

    Returns:
        -1 and 1, int8, shape (dimensions,); must not be written to.
    """
    drawn = np.frombuffer(shake_128(gram.encode()).digest((dimensions + 7) // 8), np.uint8)
    return np.unpackbits(drawn, count=dimensions).astype(np.int8) * np.int8(2) - np.int8(1)
