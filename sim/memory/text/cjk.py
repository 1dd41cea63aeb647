"""Text without spaces between words: Chinese and Japanese by pairs of characters.

A run of Chinese characters and kana is cut into every two characters that follow each
other, and Chinese characters count on their own too, so that one character asked for finds
the words it stands in. A single kana counts only where it stands alone.

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
# Marks of voice written apart (3099, 309a) and kana of half width (ff66..ff9f) included.
_KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"

RUN = re.compile(f"[{_HAN}{_KANA}]+")
"""Characters of languages written without spaces, as many as follow each other."""

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
"""Characters and pairs too common to tell one memory from another."""


def grams(text: str) -> list[str]:
    """Cut the runs of a text into pairs of characters and single Chinese characters.

    Args:
        text: Any text; what is no Chinese or Japanese is passed over.

    Returns:
        In reading order, repeated ones included; first the pairs of a run, then its single
        characters.
    """
    found: list[str] = []
    for run in RUN.findall(text):
        plain = run if is_normalized("NFKC", run) else normalize("NFKC", run)
        if len(plain) == 1:
            found.append(plain)
        else:
            found += map(add, plain, plain[1:])
            found += _ONE.findall(plain)
    return found


def apart(text: str) -> tuple[str, list[str]]:
    """Take the runs out of a text.

    Returns:
        The text with a blank in place of each run, and the `grams` of the runs.
    """
    if text.isascii() or not RUN.search(text):
        return text, []
    return RUN.sub(" ", text), grams(text)


@lru_cache(1 << 16)
def gram_number(gram: str, first: int, stop: int) -> int:
    """Number of a pair or single character, the same in every run.

    Numbers are fewer than pairs: two pairs share one about once in `stop - first` times.

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
    """Signs of a pair or single character, as good as random and the same in every run.

    Args:
        gram: One or two characters.
        dimensions: How many.

    Returns:
        -1 and 1, int8, shape (dimensions,); not to be written to.
    """
    drawn = np.frombuffer(shake_128(gram.encode()).digest((dimensions + 7) // 8), np.uint8)
    return np.unpackbits(drawn, count=dimensions).astype(np.int8) * np.int8(2) - np.int8(1)
