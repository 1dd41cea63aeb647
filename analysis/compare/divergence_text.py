"""Describe a row that differs between two runs: its agent, and its values in each run."""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from memopolis.analysis.compare.divergence import Difference, Divergence
from memopolis.analysis.labels import short
from memopolis.analysis.run.run import Run
from memopolis.sim.memory.retrieval.recollection import fill_template

_TEXTS = {
    "memories": {"text": "texts"},
    "decisions": {"text": "texts"},
    "model_calls": {"prompt": "prompts", "answer": "prompts"},
}
"""Columns with hashes of texts, and the table with the texts."""
_MAX_COLUMNS = 4  # columns of a row that are described; the others are counted
_MAX_LETTERS = 160  # letters of a text before it is shortened


class DifferenceText:
    """Describe differences between two runs in words."""

    def __init__(self, divergence: Divergence) -> None:
        self._readers = tuple(_Reader(run) for run in divergence.runs)

    def subject(self, difference: Difference) -> str:
        """Return the agent and subject of a row, such as "Ann Smith (citizen 3): stay_or_go"."""
        key, reader = difference.key, self._readers[0 if difference.a is not None else 1]
        if "agent" not in key:
            return ", ".join(str(value) for name, value in key.items() if name != "tick" and value)
        population = str(key.get("population") or difference.table.removeprefix("agents_"))
        agent = reader.label_of(int(key["agent"]), population)
        cells = {**(difference.a or difference.b or {}), **key}
        named = [str(cells[name]) for name in ("survey", "kind", "item") if cells.get(name)]
        about = " ".join(dict.fromkeys(named))
        subjects = {"memories": f"memory {key.get('id')}", "decisions": about, "survey": about}
        return ": ".join(filter(None, (agent, subjects.get(difference.table, ""))))

    def sides(self, difference: Difference) -> tuple[str, str]:
        """Describe the row in A and in B; "nothing" if a run has no such row."""
        a, b = (
            reader.describe(difference, cells)
            for reader, cells in zip(self._readers, (difference.a, difference.b), strict=True)
        )
        if a == b:  # the difference is not described, or too small to be seen in few digits
            a, b = (_exactly(difference, cells) for cells in (difference.a, difference.b))
        return a, b


def _exactly(difference: Difference, cells: Mapping[str, Any] | None) -> str:
    names = difference.columns[:_MAX_COLUMNS]
    return ", ".join(f"{name} {_digits((cells or {}).get(name))}" for name in names)


def _digits(value: object) -> str:
    """Format a number with enough digits to distinguish values in single precision."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


class _Reader:
    """Read texts and names of one run when they are first needed."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def label_of(self, agent: int, population: str) -> str:
        name, number = self._run.name_of(agent), f"{population} {agent}"
        return number if name in {number, f"agent {agent}"} else f"{name} ({number})"

    def describe(self, difference: Difference, cells: Mapping[str, Any] | None) -> str:
        """Describe the cells that differ."""
        if cells is None:
            return "nothing"
        if difference.table == "memories":
            return f"{self._memory(cells)} ({cells['topic']})"
        if difference.table == "decisions":
            return self._decision(cells)
        names = difference.columns or tuple(cells)
        parts = [f"{n} {self._cell(difference.table, n, cells)}" for n in names[:_MAX_COLUMNS]]
        more = [f"{len(names) - _MAX_COLUMNS} more"] if len(names) > _MAX_COLUMNS else []
        return ", ".join([*parts, *more])

    def _decision(self, cells: Mapping[str, Any]) -> str:
        text = self._text("texts", cells["text"]).replace(" {evidence}", "")
        answer = text or str(cells["choice"]) or short(cells["value"])
        used = len(cells["evidence"] or ())
        on = f"based on {used} {'memory' if used == 1 else 'memories'}" if used else ""
        chance, draw = cells.get("probability"), cells.get("draw")
        is_drawn = chance is not None and math.isfinite(chance)
        drawn = f"chance {chance:.3g}, draw {draw:.3g}" if is_drawn else ""
        how = ", ".join(filter(None, (cells["emotion"], cells["reason"], cells["mind"], on, drawn)))
        return f"{answer} ({how})"

    def _memory(self, cells: Mapping[str, Any]) -> str:
        template = self._text("texts", cells["text"]).replace(" {evidence}", "")
        return fill_template(
            template,
            int(cells["actor"]),
            int(cells["place"]),
            name_of=self._run.name_of,
            place_name=self._run.place_name,
        )

    def _cell(self, table: str, name: str, cells: Mapping[str, Any]) -> str:
        value = cells[name]
        if name in _TEXTS.get(table, {}):
            return repr(self._text(_TEXTS[table][name], value))
        if isinstance(value, bool):
            return "yes" if value else "no"
        return short(value) if isinstance(value, float) else str(value)

    def _text(self, table: str, number: int) -> str:
        if not number:
            return ""
        text = str(self._by_hash.get(table, {}).get(number, "(a text that was not recorded)"))
        return text if len(text) <= _MAX_LETTERS else f"{text[:_MAX_LETTERS].rstrip()} ..."

    @cached_property
    def _by_hash(self) -> dict[str, dict[int, str]]:
        tables = [name for name in ("texts", "prompts") if name in self._run.tables]
        frames = ((name, self._run.table(name)) for name in tables)
        return {name: dict(zip(rows["hash"], rows["text"], strict=True)) for name, rows in frames}
