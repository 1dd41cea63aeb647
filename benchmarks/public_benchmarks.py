"""Measure retrieval, and optionally answers, on a user's copy of a public benchmark."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from public_answers import Answers
from public_beam import read_beam
from public_locomo import read_locomo
from public_longmemeval import read_longmemeval
from public_measures import Measured
from public_methods import RECALL, CachedMiniLM, ranked
from public_shapes import Part
from quality_pages import plain

READERS: dict[str, Callable[..., Iterator[Part]]] = {
    "locomo": read_locomo,
    "longmemeval": read_longmemeval,
    "beam": read_beam,
}
EVERY = 30.0
"""Seconds between lines on the progress."""


def public_report(
    name: str,
    path: Path,
    *,
    model: bool = True,
    most: int | None = None,
    answers: Answers | None = None,
) -> str:
    """Measure a public benchmark and format its tables.

    Args:
        name: One of READERS.
        path: The user's copy of the file.
        model: Whether to include the methods that need the sentence model.
        most: Maximum number of entries to read; None for all.
        answers: Asks a model; None for retrieval only.

    Raises:
        DataFileError: If the file is invalid.
        ServerError: If the model's server cannot be reached or rejects every call.
    """
    measured, notes, size = Measured(), Counter[str](), Counter[str]()
    kept = CachedMiniLM() if model else None
    shown = time.monotonic()
    for part in READERS[name](path, most=most):
        results = ranked(part.material, kept)
        measured.add(part.material, results)
        if answers is not None:
            answers.add(part.material, results[RECALL])
        notes += part.notes
        streams = part.material.streams
        size += Counter(
            streams=len(streams),
            memories=sum(len(stream.memories) for stream in streams),
            questions=len(part.material.questions),
        )
        if time.monotonic() - shown > EVERY:
            shown = time.monotonic()
            print(f"{size['questions']:,} questions measured", file=sys.stderr, flush=True)
    lines = [", ".join(f"{count:,} {what}" for what, count in size.items())]
    lines += [f"{count:,} {what}" for what, count in sorted(notes.items())]
    tables = [*measured.tables(), *(answers.tables() if answers else [])]
    return "\n".join([*lines, *map(plain, tables)])
