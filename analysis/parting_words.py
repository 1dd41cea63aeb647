"""A row that two runs do not share, told in words: who it is, and what there was in each."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from memopolis.analysis.load import Run
from memopolis.analysis.parting import Difference, Parting
from memopolis.analysis.tables import column_names, read_table
from memopolis.analysis.wording import short
from memopolis.sim.memory.streams.telling import filled

_TEXTS = {
    "memories": {"text": "texts"},
    "decisions": {"text": "texts"},
    "model_calls": {"prompt": "prompts", "answer": "prompts"},
}
"""Columns that hold the hash of a text, and the table where it stands."""
_MOST = 4
"""Columns told of a row; the others are counted."""
_LONG = 160
"""Letters of a text that are told."""


class Told:
    """Tells differences of two runs in words.

    Args:
        parting: Where the runs part.
    """

    def __init__(self, parting: Parting) -> None:
        self._parting = parting
        self._readers = tuple(_Reader(run) for run in parting.runs)

    def whom(self, difference: Difference) -> str:
        """Whose row it is, and what it is about, such as "Ann Smith (citizen 3): stay_or_go"."""
        key, reader = difference.key, self._readers[0 if difference.a is not None else 1]
        if "agent" not in key:
            return ", ".join(str(value) for name, value in key.items() if name != "tick" and value)
        population = str(key.get("population") or difference.table.removeprefix("agents_"))
        whom = reader.named(int(key["agent"]), population)
        cells = {**(difference.a or difference.b or {}), **key}
        about = " ".join(str(cells[name]) for name in ("survey", "kind", "item") if cells.get(name))
        told = {"memories": f"memory {key.get('id')}", "decisions": about, "survey": about}
        return ": ".join(filter(None, (whom, told.get(difference.table, ""))))

    def sides(self, difference: Difference) -> tuple[str, str]:
        """What there was in A and in B; "nothing" where a run has no such row."""
        a, b = (
            reader.told(difference, cells)
            for reader, cells in zip(self._readers, (difference.a, difference.b), strict=True)
        )
        if a == b:  # what differs is not told, or too small to be seen in few digits
            a, b = (_exactly(difference, cells) for cells in (difference.a, difference.b))
        return a, b


def _exactly(difference: Difference, cells: Mapping[str, Any] | None) -> str:
    names = difference.columns[:_MOST]
    return ", ".join(f"{name} {_digits((cells or {}).get(name))}" for name in names)


def _digits(value: object) -> str:
    """A number with as many digits as tell apart what was kept in single precision."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


class _Reader:
    """Texts and names of one run, read when they are first needed."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._names: dict[str, dict[int, str]] = {}

    def named(self, agent: int, population: str) -> str:
        name = self._names_of(population).get(agent)
        return f"{name} ({population} {agent})" if name else f"{population} {agent}"

    def told(self, difference: Difference, cells: Mapping[str, Any] | None) -> str:
        """The cells that differ, in words."""
        if cells is None:
            return "nothing"
        if difference.table == "memories":
            return f"{self._memory(cells)} ({cells['topic']})"
        if difference.table == "decisions":
            return self._decision(cells)
        names = difference.columns or tuple(cells)
        told = [f"{name} {self._cell(difference.table, name, cells)}" for name in names[:_MOST]]
        more = [f"{len(names) - _MOST} more"] if len(names) > _MOST else []
        return ", ".join([*told, *more])

    def _decision(self, cells: Mapping[str, Any]) -> str:
        text = self._text("texts", cells["text"]).replace(" {evidence}", "")
        answer = text or str(cells["choice"]) or short(cells["value"])
        rests = len(cells["evidence"] or ())
        on = f"rests on {rests} {'memory' if rests == 1 else 'memories'}" if rests else ""
        how = ", ".join(filter(None, (cells["emotion"], cells["reason"], cells["mind"], on)))
        return f"{answer} ({how})"

    def _memory(self, cells: Mapping[str, Any]) -> str:
        template = self._text("texts", cells["text"]).replace(" {evidence}", "")
        return filled(
            template,
            int(cells["actor"]),
            int(cells["place"]),
            name_of=self._name_of,
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
        text = str(self._by_hash[table].get(number, "(a text that was not recorded)"))
        return text if len(text) <= _LONG else f"{text[:_LONG].rstrip()} ..."

    @cached_property
    def _by_hash(self) -> dict[str, dict[int, str]]:
        found: dict[str, dict[int, str]] = {"texts": {}, "prompts": {}}
        for name in found:
            if name in self._run.tables:
                table = read_table(self._run.folder, name)
                texts = table["text"].to_pylist()
                found[name] = dict(zip(table["hash"].to_pylist(), texts, strict=True))
        return found

    def _name_of(self, agent: int) -> str:
        for population in self._run.manifest["populations"]:
            if agent in self._names_of(population):
                return self._names_of(population)[agent] or f"{population} {agent}"
        return f"agent {agent}"

    def _names_of(self, population: str) -> dict[int, str]:
        """Names by unique_id; "" for those of a population without names."""
        if population not in self._names:
            table, names = f"agents_{population}", dict[int, str]()
            there = column_names(self._run.folder, table)
            if there:
                wanted = "name" if "name" in there else "agent"
                # Only two columns: a table of many citizens is large.
                read = read_table(self._run.folder, table, columns=[wanted])
                told = read["name"].to_pylist() if wanted == "name" else [""] * len(read)
                names = dict(zip(read["agent"].to_pylist(), told, strict=True))
            self._names[population] = names
        return self._names[population]
