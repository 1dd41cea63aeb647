"""How good a context is: its best sentence for a question, compared with the answer."""

import math
import re
from collections import Counter

from memopolis.sim.memory.layers.context import Context
from memopolis.sim.memory.layers.cutting import sentences
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.texts import Texts

_WORD = re.compile(r"[㐀-鿿豈-﫿぀-ヿ]|[^\W_㐀-鿿豈-﫿぀-ヿ]+")
"""A word; in Chinese and Japanese, where no space ends one, a single character."""

_ARTICLES = frozenset(("a", "an", "the"))


def words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def token_f1(said: str, answer: str) -> float:
    """Compare two texts by the words they share, each as often as both have it.

    Args:
        said: What was said.
        answer: What was right.

    Returns:
        2 P R / (P + R) with P the share of the words said that are right and R the share of
        the right words said, 0..1; 1 if both are empty, 0 if one is. Articles do not count.

    Source:
        P. Rajpurkar et al. (2016), SQuAD: 100,000+ Questions for Machine Comprehension of
        Text, EMNLP, F1 of its evaluation script.
    """
    given = Counter(word for word in words(said) if word not in _ARTICLES)
    right = Counter(word for word in words(answer) if word not in _ARTICLES)
    if not given or not right:
        return float(given == right)
    same = (given & right).total()
    return 2 * same / (given.total() + right.total())


def bleu_1(said: str, answer: str) -> float:
    """Share of the words said that are right, with a penalty for saying less than the answer.

    Args:
        said: What was said.
        answer: What was right.

    Returns:
        p exp(min(0, 1 - r / c)), 0..1, with c and r the words of both and p the share of the
        c words that are in the answer, each counted at most as often as there; 1 if both are
        empty, 0 if one is.

    Source:
        K. Papineni et al. (2002), BLEU: a Method for Automatic Evaluation of Machine
        Translation, ACL, with N = 1 and one reference.
    """
    given, right = Counter(words(said)), Counter(words(answer))
    if not given or not right:
        return float(given == right)
    precision = (given & right).total() / given.total()
    return precision * math.exp(min(0.0, 1 - right.total() / given.total()))


def best_sentence(context: Context, question: str) -> str:
    """The sentence of a context that speaks most of a question.

    Ranked by the relevance R that searches use, with pieces weighted by how rare they are
    among the context's own sentences; ties go to the shorter sentence, then to the later one.
    The present input is not searched.

    Args:
        context: Of any policy.
        question: What is asked.

    Returns:
        The sentence; "" if the context holds no memory.

    Source:
        This project: a reader that is the same for every policy. R: see `lexical`.
    """
    lines = [line for part in context.parts if part.name != "input" for line in part.lines]
    found = list(dict.fromkeys(s for line in lines for s in sentences(line.said)))
    if not found:
        return ""
    texts = Texts()
    numbers = texts.intern_many(found)
    table, rows = LexicalIndex(texts).table([question])
    worth = table[rows[0], numbers].tolist()
    return found[max(range(len(found)), key=lambda at: (worth[at], -len(words(found[at])), at))]
