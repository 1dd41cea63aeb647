"""Build the tables of the quality benchmark from the measurements."""

import re
from collections.abc import Sequence

import numpy as np
import quality_methods as standard
from numpy.typing import NDArray
from quality_measured import (
    DENSE,
    DENSE_MINILM,
    FORMS,
    LATE_MINILM,
    YARDSTICKS,
    Measured,
    Results,
    Shares,
    resampled,
)
from quality_pages import Table
from quality_shapes import Material

CLAIMS = (
    *(("recall", name) for name in YARDSTICKS),
    (DENSE_MINILM, "recall"),
    *((DENSE_MINILM, name) for name in ("MiniLM", "BM25 + MiniLM")),
    (LATE_MINILM, DENSE_MINILM),
)
MODELS = ("MiniLM", "BM25 + MiniLM")
GROUPS = ("none", "one", "two or more")


def claims_table(results: Sequence[Results]) -> Table:
    """Compare the profiles with the standard methods on each material."""
    pairs = [pair for pair in CLAIMS if all(name in results[0] for name in pair)]
    lines = [
        (f"{ours} over {other}", *(claim(one[ours], one[other]) for one in results))
        for ours, other in pairs
    ]
    lines += [
        (
            f"recall over {name}, best of four forms",
            *(claim(one["recall"], one.best(name, FORMS)) for one in results),
        )
        for name in MODELS
        if name in results[0]
    ]
    return Table("Comparisons", ("in the best ten, %", *(r.material.name for r in results)), lines)


def claim(ours: Measured, other: Measured) -> str:
    """Format both shares, the paired difference with its interval, and the verdict."""
    away = ours.at_ten - other.at_ten
    low, high = (round(100 * bound, 1) for bound in resampled(away))
    verdict = "better" if low > 0 else "worse" if high < 0 else "open"
    return f"{percent(ours.mean)} : {percent(other.mean)}, {difference(away)}, {verdict}"


def difference(values: Shares) -> str:
    """Format the mean of a difference with its interval."""
    low, high = resampled(values)
    return f"{100 * values.mean():+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def percent(value: float) -> str:
    """Format a share in percent."""
    return f"{100 * value:.1f}"


def tables(results: Results) -> list[Table]:
    """Build all tables of one material except those of contexts."""
    names = (*YARDSTICKS, "recall", DENSE_MINILM, LATE_MINILM)
    main_rows = [results[name] for name in names if name in results]
    return [
        found_table(results),
        session_table(main_rows),
        form_table(results),
        kind_table(results.material, main_rows),
        overlap_table(results.material, main_rows),
        stream_table(results.material, main_rows),
    ]


def found_table(results: Results) -> Table:
    """Tabulate the evidence found by method, with halves, interval and difference to `recall`."""
    half = results.material.half
    recall = results["recall"].at_ten
    lines = []
    for row in results.rows():
        low, high = resampled(row.at_ten)
        away = "" if row.name == "recall" else difference(row.at_ten - recall)
        halves = f"{percent(row.at_ten[:half].mean())} / {percent(row.at_ten[half:].mean())}"
        figures = [percent(value) for value in row.values.mean(axis=1)]
        lines.append((row.name, *figures, halves, f"{percent(low)} to {percent(high)}", away))
    head = ("method", "top 5", "top 10", "top 20", "halves", "95% interval", "against recall")
    return Table("Share of a question's evidence found, %", head, lines)


def form_table(results: Results) -> Table:
    """Tabulate the evidence among the best ten by form of the texts, for standard methods."""
    columns = [results.standard[form] for form in FORMS]
    lines = [
        (rows[0].name, *(percent(row.mean) for row in rows)) for rows in zip(*columns, strict=True)
    ]
    head = ("method", "name", "text alone", "turn before, name", "month, name")
    return Table("In the best ten, by form of the texts, %", head, lines)


def session_table(rows: Sequence[Measured]) -> Table:
    """Tabulate how well sessions are ranked by the best of their memories."""
    lines = [(row.name, *(percent(value) for value in row.sessions.mean(axis=1))) for row in rows]
    return Table(
        "Sessions, ranked by their best memory, %", ("method", "hit at 1", "NDCG at 5"), lines
    )


def kind_table(material: Material, rows: Sequence[Measured]) -> Table:
    """Tabulate the evidence among the best ten by kind of question."""
    kinds = np.array([question.kind for question in material.questions])
    groups = {f"{kind} ({(kinds == kind).sum()})": kinds == kind for kind in material.kinds}
    return grouped("In the best ten, by kind of question, %", groups, rows)


def overlap_table(material: Material, rows: Sequence[Measured]) -> Table:
    """Tabulate the evidence among the best ten by the number of question words in it."""
    shared = np.minimum(overlap(material), 2)
    counts = np.bincount(shared, minlength=3)
    groups = {
        f"{name} ({count}, {count / len(shared):.0%})": shared == number
        for number, (name, count) in enumerate(zip(GROUPS, counts, strict=True))
    }
    words = "In the best ten, by words shared with the evidence, %"
    return grouped(words, groups, rows)


def overlap(material: Material) -> NDArray[np.int64]:
    """Count the words of each question that occur in its evidence."""
    return np.array(
        [
            len(
                content(question.text, material)
                & set().union(
                    *(content(stream.memories[e].template, material) for e in question.evidence)
                )
            )
            for stream in material.streams
            for question in stream.questions
        ]
    )


def content(text: str, material: Material) -> set[str]:
    """Return the stems of a text, without stop words and the names that searches know."""
    names = "|".join(map(re.escape, material.names))
    text = re.sub(rf"\b(?:{names})\b", "", text)
    return set(standard.words(text, stems=True))


def stream_table(material: Material, rows: Sequence[Measured]) -> Table:
    """Tabulate the evidence among the best ten by stream."""
    whose = np.repeat(
        np.arange(len(material.streams)), [len(s.questions) for s in material.streams]
    )
    groups = {stream.name: whose == number for number, stream in enumerate(material.streams)}
    return grouped("In the best ten, by stream, %", groups, rows)


def grouped(words: str, groups: dict[str, NDArray[np.bool_]], rows: Sequence[Measured]) -> Table:
    """Tabulate the evidence among the best ten by group of questions."""
    lines = [
        (row.name, *(percent(row.at_ten[group].mean()) for group in groups.values()))
        for row in rows
    ]
    return Table(words, ("method", *groups), lines)


def better_forms(results: Results) -> str:
    """Describe which form of the texts suits the dense methods better, and the size of vectors."""
    cells = []
    for name in (name for name in DENSE if name in results):
        named, alone = (results.best(name, [form]).mean for form in FORMS[:2])
        best = "the text alone" if alone > named else "the name in front"
        cells.append(f"{name} {best} ({percent(max(named, alone))} : {percent(min(named, alone))})")
    text = f"Better for the dense methods: {', '.join(cells)}"
    if results.memory is None:
        return text
    whole, tokens = results.memory
    return (
        f"{text}. Per text, MiniLM takes {whole:.0f} bytes for one vector and {tokens:,.0f} bytes "
        f"for the vectors of its tokens"
    )
