"""Keep the tables of this scenario's README as the code is.

`python -m memopolis.scenarios.hurricane.odd` writes anew what stands between the markers
`<!-- table: NAME -->` and `<!-- end -->`; a test fails while a table is out of date.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from memopolis.agents.activities import PLANS, Activity, Need, Plan, Where
from memopolis.agents.appraisal import BAD, GOOD, RELIEVES
from memopolis.agents.blocks.cognition import ATTITUDES
from memopolis.agents.blocks.needs import RELIEFS
from memopolis.scenarios.hurricane.blocks.endure_storm import LEVELS
from memopolis.scenarios.hurricane.blocks.hear_orders import NOTICES
from memopolis.scenarios.hurricane.measures import MEASURES
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.sim.errors import ParameterError
from memopolis.sim.settings_text import SettingRow, describe

README = Path(__file__).with_name("README.md")
COMMAND = "python -m memopolis.scenarios.hurricane.odd"

_PART = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SMALL = 50
"""Citizens of the society that is built to list agents and blocks."""


def filled(text: str) -> str:
    """Put the tables between their markers.

    Args:
        text: A text with pairs of markers.

    Raises:
        ParameterError: If a marker names no table.
    """
    return _PART.sub(lambda found: f"{found[1]}{_table(found[2])}\n{found[3]}", text)


def settings() -> str:
    """Every setting with range, unit, default and origin."""
    head = ("setting", "default", "unit", "range", "origin", "what it is")
    rows = describe(HurricaneSettings)
    return _markdown(head, ((*_named(row), row.origin, row.description) for row in rows))


def attributes() -> str:
    """Every state variable of every kind of agent."""
    head = ("agent", "variable", "type", "unit", "range", "default", "what it is")
    rows = []
    for population in _society().populations:
        for one in population.memory.columns.schema.attributes.values():
            bounds = "" if one.low is None else f"{one.low:g} to {_or_more(one.high)}"
            default = "(empty)" if one.default == "" else str(one.default)
            cells = (one.kind, one.unit, bounds, default, one.description)
            rows.append((population.name, f"`{one.name}`", *cells))
    return _markdown(head, rows)


def schedule() -> str:
    """Blocks in the order in which they run in a step."""
    rows = [
        (population.name, f"`{type(block).__name__}`", _first_line(type(block)))
        for population in _society().populations
        for block in population.blocks
    ]
    return _markdown(("agents", "block", "what it does"), rows)


def plans() -> str:
    """What plans are made of; all numbers illustrative."""
    head = ("plan", "serves", "steps", "topic", "importance", "valence", "attitude", "norm")
    return _markdown(
        head,
        (
            (
                plan.name,
                _word(Need(plan.need).name),
                _steps(plan),
                plan.topic if plan.memory else "(not remembered)",
                *(f"{n:g}" for n in (plan.importance, plan.valence, plan.attitude, plan.norm)),
            )
            for plan in PLANS
            if plan.steps
        ),
    )


def reliefs() -> str:
    """What doings give back to needs in an hour."""
    rows = ((_word(r.doing.name), r.need, f"{r.hourly:g}") for r in RELIEFS)
    return _markdown(("doing", "need", "gain, 1/h"), rows)


def attitudes() -> str:
    """What memories of a topic say for or against an attitude."""
    rows = ((a.name, a.query, _pairs(a.effect)) for a in ATTITUDES)
    return _markdown(("attitude", "what is searched for", "effect by topic"), rows)


def feelings() -> str:
    """Which feeling a bad or good memory of a topic moves."""
    topics = sorted({*BAD, *GOOD})
    rows = [
        (t, BAD.get(t, "sadness"), GOOD.get(t, "joy"), "yes" if t in RELIEVES else "")
        for t in topics
    ]
    rows.append(("any other", "sadness", "joy", ""))
    return _markdown(("topic", "bad moves", "good moves", "good also lowers fear"), rows)


def notices() -> str:
    """What is remembered of announcements and of the storm itself."""
    told = [(kind, *_cells(*notice)) for kind, notice in NOTICES.items()]
    felt = [
        (f"gust of {gust:g} kt", *_cells("disaster", weight, valence, text))
        for gust, weight, valence, text in LEVELS
    ]
    return _markdown(("what happens", "topic", "importance", "valence", "memory"), told + felt)


def measures() -> str:
    """What is measured in every step."""
    rows = ((f"`{m.name}`", m.of, m.unit, m.group, m.description) for m in MEASURES)
    return _markdown(("measure", "statistic", "unit", "by", "what it is"), rows)


TABLES: Mapping[str, Callable[[], str]] = {
    "settings": settings,
    "attributes": attributes,
    "schedule": schedule,
    "plans": plans,
    "reliefs": reliefs,
    "attitudes": attitudes,
    "feelings": feelings,
    "notices": notices,
    "measures": measures,
}
"""Tables by the name in their marker."""


def main() -> None:
    """Write the README anew, where a table has changed."""
    old = README.read_text(encoding="utf-8")
    new = filled(old)
    README.write_text(new, encoding="utf-8")
    sys.stdout.write(f"{README}: {'as it was' if new == old else 'written anew'}\n")


def _table(name: str) -> str:
    if name not in TABLES:
        raise ParameterError(f"there is no table {name!r}; there are: {', '.join(TABLES)}")
    return TABLES[name]()


def _society() -> Hurricane:
    return Hurricane(agents=_SMALL, rng=1)


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, tuple("---" for _ in head), *rows)
    return "\n".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |" for line in lines)


def _named(row: SettingRow) -> tuple[str, str, str, str]:
    allowed = " or ".join(row.options) if row.type == "choice" else row.range
    return f"`{row.key}`", row.default, row.unit, allowed or row.type


def _or_more(high: float | None) -> str:
    return "more" if high is None else f"{high:g}"


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]


def _word(name: str) -> str:
    return name.lower().replace("_", " ")


def _steps(plan: Plan) -> str:
    return ", ".join(
        f"{_word(Activity(s.doing).name)} ({_word(Where(s.where).name)}"
        f"{'' if s.hours > 24 else f', {s.hours:g} h'})"
        for s in plan.steps
    )


def _pairs(effect: Mapping[str, float]) -> str:
    return ", ".join(f"{topic} {value:+g}" for topic, value in effect.items())


def _cells(topic: str, importance: float, valence: float, text: str) -> tuple[str, ...]:
    return topic, f"{importance:g}", f"{valence:g}", text


if __name__ == "__main__":
    main()
