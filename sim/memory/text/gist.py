"""The gist of several similar texts: the words that most of them share."""

import re
from difflib import SequenceMatcher
from functools import lru_cache

GAP = "…"  # stands for words that differ
SHARED = 0.5  # a word is kept if more than this share of the texts has it
LEAST = 0.5  # least share of the words of the first text that a gist keeps

# Words of a text; characters of scripts without spaces, and fields such as {actor}, are words.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\{{\w+\}}|[{_UNSPACED}]|[^\s{{{_UNSPACED}]+|\{{")
_EDGES = re.compile(r"^\W+|\W+$")


@lru_cache(4_096)  # agents of a society often have the same memories
def find_gist(texts: tuple[str, ...], counts: tuple[int, ...]) -> str:
    """Return the words of the first text that most of the texts share, in order.

    Words are aligned as by `difflib`, ignoring case and punctuation; "…" stands for words that
    differ. The first text is returned if less than half of it is shared.

    Args:
        texts: Distinct similar texts, the most typical one first.
        counts: How often each occurred.
    """
    spans = list(_WORD.finditer(texts[0]))
    words = [_plain(span.group()) for span in spans]
    votes = [counts[0]] * len(words)
    for text, count in zip(texts[1:], counts[1:], strict=True):
        rest = [_plain(word) for word in _WORD.findall(text)]
        matcher = SequenceMatcher(None, words, rest, autojunk=False)
        for begin, _, size in matcher.get_matching_blocks():
            for at in range(begin, begin + size):
                votes[at] += count
    kept = [vote > SHARED * sum(counts) for vote in votes]
    if sum(kept) < LEAST * len(words) or all(kept):
        return texts[0]
    parts: list[str] = []
    for at, span in enumerate(spans):
        before = texts[0][spans[at - 1].end() if at else 0 : span.start()]
        if kept[at]:
            parts += [before, span.group()]
        elif not at or kept[at - 1]:
            parts += [before, GAP]
    return "".join(parts) + ("" if kept[-1] else texts[0][spans[-1].end() :])


def _plain(word: str) -> str:
    return _EDGES.sub("", word).lower() or word
