"""Quality of a context: its best sentence for a question, compared with the answer."""

import math
import re
from collections import Counter

from memopolis.sim.memory.layers.contexts import Context
from memopolis.sim.memory.layers.summaries import split_sentences
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.texts import Texts

_WORD = re.compile(r"[㐀-鿿豈-﫿぀-ヿ]|[^\W_㐀-鿿豈-﫿぀-ヿ]+")
"""A word, or a single Chinese or Japanese character."""

_ARTICLES = frozenset(("a", "an", "the"))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def token_f1(prediction: str, answer: str) -> float:
    """Compute the token F1 of a predicted answer.

    Returns 2 P R / (P + R), 0..1, with precision P and recall R over words, counted with
    multiplicity and without articles; 1 if both texts are empty, 0 if one is.

    Source: P. Rajpurkar et al. (2016), SQuAD: 100,000+ Questions for Machine Comprehension of Text,
    EMNLP, F1 of its evaluation script.
    """
    predicted = Counter(word for word in words(prediction) if word not in _ARTICLES)
    correct = Counter(word for word in words(answer) if word not in _ARTICLES)
    if not predicted or not correct:
        return float(predicted == correct)
    return 2 * (predicted & correct).total() / (predicted.total() + correct.total())


def bleu_1(prediction: str, answer: str) -> float:
    """Compute BLEU-1: unigram precision with a brevity penalty.

    Returns p exp(min(0, 1 - r / c)), 0..1, with c and r the number of words of the prediction and
    the answer and p the clipped precision; 1 if both are empty, 0 if one is.

    Source: K. Papineni et al. (2002), BLEU: a Method for Automatic Evaluation of Machine
    Translation, ACL, with N = 1 and one reference.
    """
    predicted, correct = Counter(words(prediction)), Counter(words(answer))
    if not predicted or not correct:
        return float(predicted == correct)
    precision = (predicted & correct).total() / predicted.total()
    return precision * math.exp(min(0.0, 1 - correct.total() / predicted.total()))


def best_sentence(context: Context, question: str) -> str:
    """Return the sentence of a context that is most relevant to a question.

    Sentences are ranked by lexical relevance R, with word pieces weighted by their rarity among the
    sentences of the context. Ties go to the shorter, then to the later sentence. The input part is
    not searched. Returns the sentence; "" if the context contains no memory.

    Source: This project: the same reader for every policy. R: see `lexical`.
    """
    lines = [line for part in context.parts if part.name != "input" for line in part.lines]
    candidates = list(dict.fromkeys(s for line in lines for s in split_sentences(line.content)))
    if not candidates:
        return ""
    texts = Texts()
    numbers = texts.intern_many(candidates)
    table, rows = LexicalIndex(texts).table([question])
    relevance = table[rows[0], numbers].tolist()
    order = range(len(candidates))
    return candidates[max(order, key=lambda at: (relevance[at], -len(words(candidates[at])), at))]
