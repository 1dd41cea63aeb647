"""Tools that list citizens and describe the life of one."""

import operator
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from memopolis.mcp_server.answers import CitizenLife, Citizens
from memopolis.mcp_server.arguments import AgentId, Limit, Offset, RunName, Step
from memopolis.mcp_server.open_runs import Tools, note_of
from memopolis.mcp_server.paging import page_of, plain
from memopolis.sim.errors import ParameterError, UnknownNameError, did_you_mean

_ALWAYS = ("agent", "name", "zone_name")
_FEW = 12  # default columns of a citizen
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(rf"\s*([\w.]+)\s*({'|'.join(_SIGNS)})\s*(.*?)\s*", re.DOTALL)
_LONGEST = 500  # maximum characters of a condition, because long blanks take minutes to match
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class CitizenTools(Tools):
    """Tools about citizens and other agents."""

    def list_citizens(
        self,
        *,
        run: RunName = "",
        name: Annotated[
            str, Field(max_length=200, description="Part of the name, or the number; any if empty")
        ] = "",
        where: Annotated[
            list[str] | None,
            Field(
                max_length=20,
                description='Conditions on the status, combined by "and", such as "age >= 65", '
                '"evacuated = true", "zone_name = North Charleston"',
            ),
        ] = None,
        columns: Annotated[
            list[str] | None,
            Field(
                max_length=50,
                description="Columns besides number and name; a default selection if null",
            ),
        ] = None,
        population: Annotated[
            str, Field(max_length=200, description='Population, such as "firm"; citizens if empty')
        ] = "",
        step: Step = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Citizens:
        """Find citizens, firms or other agents by name or latest status.

        describe_run lists the attributes of citizens under `attributes`.
        """
        opened = self._runs.run(run, step)
        people = opened.people(population)
        chosen = matching(people, where or ())
        if text := name.strip().casefold():
            names = people["name"].astype(str).str.casefold()
            is_number = people["agent"].astype(str) == text
            chosen &= (names.str.contains(text, regex=False) | is_number).to_numpy(np.bool_)
        shown = people[_columns(people, columns)][chosen].reset_index(drop=True)
        page = page_of(shown, offset=offset, limit=limit, note=note_of(opened))
        return Citizens(
            **dict(page),
            population=population or opened.populations[0],
            populations=list(opened.populations),
        )

    def citizen_life(
        self,
        *,
        agent: AgentId,
        run: RunName = "",
        step: Step = None,
        decisions: Annotated[
            int, Field(ge=0, le=100, description="Number of latest decisions and thoughts")
        ] = 10,
    ) -> CitizenLife:
        """Describe an agent: profile, status, latest decisions and thoughts, with reasons.

        Use search_memory to search its memories. `evidence` of a decision has the texts of the
        memories that it is based on.
        """
        opened = self._runs.run(run, step)
        life = opened.life(agent)
        topics = life.memories.get("topic", pd.Series(dtype=object)).value_counts()
        status = life.status.iloc[-1] if len(life.status) else pd.Series(dtype=object)
        return CitizenLife.of(
            agent=agent,
            name=life.name,
            population=life.population,
            at=opened.end,
            profile=plain(life.profile),
            status=plain(status.to_dict()),
            status_at=status.name if len(status) else None,
            memories_by_topic={str(name): int(n) for name, n in topics.items() if n},
            decisions=life.decisions.iloc[::-1].head(decisions),
            thoughts=life.thoughts.iloc[::-1].head(decisions),
            note=note_of(opened),
        )


def _columns(people: pd.DataFrame, names: list[str] | None) -> list[str]:
    recorded = [str(name) for name in people]
    for name in names or ():
        check_attribute(people, name)
    selected = recorded[:_FEW] if names is None else names
    return [name for name in recorded if name in {*_ALWAYS, *selected}]


def matching(frame: pd.DataFrame, conditions: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows meet all conditions, shape (rows,).

    These are such as "age >= 65", "evacuated = true" or "gender = female"; texts are compared
    without regard to capitals.
    """
    meets = np.ones(len(frame), np.bool_)
    for condition in conditions:
        meets &= _meets(frame, condition)
    return meets


def check_attribute(frame: pd.DataFrame, name: str) -> None:
    """Raise an UnknownNameError if a table of citizens lacks a column."""
    if name not in frame:
        raise UnknownNameError(
            f"no agent has an attribute {name[:80]!r}; "
            f"{did_you_mean(name[:80], map(str, frame))}there are {', '.join(map(str, frame))}"
        )


def _meets(frame: pd.DataFrame, condition: str) -> NDArray[np.bool_]:
    read = _FORM.fullmatch(condition) if len(condition) <= _LONGEST else None
    if read is None:
        raise ParameterError(
            f"{condition[:80]!r} is not a condition; write 'age >= 65' or 'zone_name = North'"
        )
    name, sign, value = read.groups()
    check_attribute(frame, name)
    column = frame[name]
    if pd.api.types.is_bool_dtype(column):
        return _compared(column, sign, _truth(name, value))
    if pd.api.types.is_numeric_dtype(column):
        return _compared(column, sign, _number(name, value))
    return _compared(column.astype(str).str.casefold(), sign, value.strip("'\"").casefold())


def _compared(column: pd.Series, sign: str, value: Any) -> NDArray[np.bool_]:
    met = _SIGNS[sign](column, value)
    return np.asarray(met.fillna(False), np.bool_)  # noqa: FBT003 - the value that is filled in


def _truth(name: str, value: str) -> bool:
    if value.casefold() not in _TRUTH:
        raise ParameterError(f"{name} must be true or false, not {value[:80]!r}")
    return _TRUTH[value.casefold()]


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"{name} must be a number, not {value[:80]!r}") from None
