"""Measure how well the best sentence of a context answers, by policy."""

import statistics
import time

from context_quality import best_sentence, bleu_1, token_f1
from quality_pages import Table
from quality_recall import remember
from quality_shapes import Material

from memopolis.sim.memory.layers.contexts import (
    POLICIES,
    Context,
    Draft,
    Line,
    Part,
    count_tokens,
    fit,
    format_tick,
)
from memopolis.sim.memory.memory import Memory

BUDGETS = (200, 400, 1_000, 2_000, 4_000)
SEARCH = "search, recall"
"""Not a policy of the package: the results of one search alone, until the budget is full."""


def contexts(material: Material) -> Table:
    """Measure token F1, BLEU-1, evidence and latency by policy and token budget."""
    memory = remember(material)
    for row in range(len(memory)):
        memory[row].layers.summarise()
    lines = []
    for budget in BUDGETS:
        for policy in (*POLICIES, SEARCH):
            build_context(memory, 0, material.questions[0].text, budget, policy)  # fills caches
            lines.append((policy, str(budget), *measured(memory, material, policy, budget)))
    head = ("policy", "budget", "token F1", "BLEU-1", "evidence in it", "tokens", "ms a context")
    return Table("Best sentence of a context, %", head, lines)


def measured(memory: Memory, material: Material, policy: str, budget: int) -> tuple[str, ...]:
    """Measure one policy over all questions; return the cells of its row."""
    f1, bleu, recalled, sizes, seconds = [], [], [], [], []
    for row, stream in enumerate(material.streams):
        for question in stream.questions:
            begin = time.perf_counter()
            context = build_context(memory, row, question.text, budget, policy)
            seconds.append(time.perf_counter() - begin)
            sentence = best_sentence(context, question.text)
            f1.append(token_f1(sentence, question.answer))
            bleu.append(bleu_1(sentence, question.answer))
            recalled.append(
                len({*question.evidence} & {*context.evidence}) / len(question.evidence)
            )
            sizes.append(context.tokens)
    shares = (f"{100 * statistics.mean(values):.1f}" for values in (f1, bleu, recalled))
    return *shares, f"{statistics.mean(sizes):.0f}", f"{1000 * statistics.median(seconds):.2f}"


def build_context(memory: Memory, row: int, query: str, budget: int, policy: str) -> Context:
    """Build a context for one agent without recording an access."""
    person = memory[row].observed
    if policy != SEARCH:
        return person.context(query, budget, policy=policy)  # type: ignore[arg-type]
    matches = person.stream.search(query, k=budget // 8, profile="recall")
    lines = tuple(
        Line(f"- {format_tick(memory, one.time)}: {one.text}", one.text, (one.id,))
        for one in matches
    )
    parts = (Part("history", lines), Part("input", (Line(query, query),)))
    drops = tuple((0, at) for at in reversed(range(len(lines))))
    return fit(Draft(parts, drops), budget, count_tokens, SEARCH)
