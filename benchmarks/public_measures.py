"""Measure rankings of turns and sessions, and tabulate the measures."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from public_methods import ALONE, NAMED, RECALL, STANDARD
from public_shapes import PublicQuestion
from quality_measured import DENSE_MINILM, LATE_MINILM
from quality_pages import Table
from quality_recall import Found
from quality_sessions import by_session, ndcg, session_of
from quality_shapes import Material

from memopolis.analysis.compare.intervals import bootstrap_interval

DEPTHS = (5, 10, 20, 30)
ANY = (5, 10)
HEAD = (
    *(f"recall at {k}" for k in DEPTHS),
    "MRR",
    *(f"any at {k}" for k in ANY),
    "hit at 1",
    "NDCG at 5",
)
COMPARED = {"recall at 5": 0, "recall at 10": 1, "MRR": len(DEPTHS)}
"""Columns of the comparisons."""
UNITS = ("turns", "sessions")
RESAMPLES = 2_000

Values = NDArray[np.float64]


def measures(ranking: NDArray[np.int64], evidence: Sequence[int]) -> list[float]:
    """Measure one ranking.

    Args:
        ranking: Distinct items, best first.
        evidence: Items that answer the question, at least one.

    Returns:
        Recall at 5, 10, 20 and 30; reciprocal rank of the first evidence, 0 if none is ranked;
        whether any evidence is among the first 5 and 10, and is first; NDCG at 5.
    """
    places = np.flatnonzero(np.isin(ranking, evidence))
    first = int(places[0]) if len(places) else len(ranking)
    return [
        *(float((places < k).sum() / len(evidence)) for k in DEPTHS),
        1 / (first + 1) if len(places) else 0.0,
        *(float(len(places) > 0 and first < k) for k in (*ANY, 1)),
        ndcg(ranking, evidence, 5),
    ]


@dataclass
class Measured:
    """Measures of all methods over the questions with evidence.

    Attributes:
        kinds: Kind of each question, by unit.
        unanswerable: Whether each question has no answer, by unit.
        values: Measures of each question, by unit and method.
    """

    kinds: dict[str, list[str]] = field(default_factory=lambda: {unit: [] for unit in UNITS})
    unanswerable: dict[str, list[bool]] = field(
        default_factory=lambda: {unit: [] for unit in UNITS}
    )
    values: dict[str, dict[str, list[list[float]]]] = field(
        default_factory=lambda: {unit: {} for unit in UNITS}
    )

    def add(self, material: Material, ranked: dict[str, Found]) -> None:
        """Measure the rankings of a part."""
        for number, stream in enumerate(material.streams):
            sessions = session_of(stream)
            for at, question in enumerate(stream.questions):
                assert isinstance(question, PublicQuestion)
                for unit, evidence in zip(
                    UNITS, (question.evidence, question.sessions), strict=True
                ):
                    if not evidence:
                        continue
                    self.kinds[unit].append(question.kind)
                    self.unanswerable[unit].append(question.unanswerable)
                    for name, tables in ranked.items():
                        ranking = tables[number][at]
                        ranking = ranking[ranking >= 0]
                        if unit == "sessions":
                            ranking = by_session(ranking, sessions)
                        row = measures(ranking, evidence)
                        self.values[unit].setdefault(name, []).append(row)

    def tables(self) -> list[Table]:
        """Build the tables of each unit: all questions, comparisons, each kind of question."""
        tables = []
        for unit in UNITS:
            values = {name: np.array(rows) for name, rows in self.values[unit].items()}
            kinds = np.array(self.kinds[unit])
            answerable = ~np.array(self.unanswerable[unit], bool)
            if not answerable.any():
                continue
            tables.append(_table(f"{unit}, all questions with an answer", values, answerable))
            tables.append(_comparisons(unit, values, answerable))
            tables += [
                _table(f"{unit}, {kind}", values, kinds == kind)
                for kind in dict.fromkeys(self.kinds[unit])
            ]
        return tables


def _table(title: str, values: dict[str, Values], chosen: NDArray[np.bool_]) -> Table:
    rows = [
        (name, *(f"{100 * mean:.1f}" for mean in one[chosen].mean(axis=0)))
        for name, one in values.items()
    ]
    return Table(f"{title} ({chosen.sum()}), %", ("method", *HEAD), rows)


def _comparisons(unit: str, values: dict[str, Values], chosen: NDArray[np.bool_]) -> Table:
    """Tabulate paired differences to each standard method, in its form with more recall at 10."""
    rows = []
    for ours in (RECALL, DENSE_MINILM, LATE_MINILM):
        others = [_better(values, name, chosen) for name in STANDARD if name + NAMED in values]
        for other in [*others, *([RECALL] if ours != RECALL else [])]:
            if ours in values:
                away = values[ours][chosen] - values[other][chosen]
                cells = (_difference(away[:, column]) for column in COMPARED.values())
                rows.append((f"{ours} minus {other}", *cells))
    title = f"{unit}, paired differences with 95% intervals, percentage points"
    return Table(title, ("methods", *COMPARED), rows)


def _better(values: dict[str, Values], name: str, chosen: NDArray[np.bool_]) -> str:
    at_ten = COMPARED["recall at 10"]
    forms = (name + NAMED, name + ALONE)
    return max(forms, key=lambda form: float(values[form][chosen, at_ten].mean()))


def _difference(values: Values) -> str:
    one = bootstrap_interval(values, resamples=RESAMPLES)
    return f"{100 * one.mean:+.1f} ({100 * one.low:+.1f} to {100 * one.high:+.1f})"
