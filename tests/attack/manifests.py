"""Odd names of scenarios, and manifests with wrong values."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import CommandResult, call, start
from tests.attack.workshop import Workshop, edit_manifest

_NAMES = (
    ".:H", "..:H", "...", "/:H", ":H", "a:", "a.:H", ".a:H", "a..b:H", ".py:H", "/.py:H",
    "hurricane:", "os:path", "os:system", "sys:exit", "memopolis:nothing.deep", "sim/:X", "",
    "é.ü:H", "a" * 5_000, "a\nb:H", "folder.py",
)  # fmt: skip


def _names(workshop: Workshop) -> Outcome:
    """Give odd names of scenarios to every command that takes one."""
    (workshop.folder / "folder.py").mkdir()
    faults = []
    for name in _NAMES:
        for words in (("run", name), ("scenarios", name), ("compare", name, "--arms", "a,b")):
            result = call(*words, cwd=workshop.folder).refusal_faults()
            faults += [f"{words[0]} {name[:20]!r}: {fault}" for fault in result]
    return judge(faults, f"{len(_NAMES)} names, 3 commands, all refused")


def _one_name(workshop: Workshop, *, words: tuple[str, ...]) -> Outcome:
    result = start(*words, cwd=workshop.folder)
    return judge(result.refusal_faults(), result.summary)


# --- wrong values in a manifest ---------------------------------------------------------------

_VALUES: dict[str, dict[str, Any]] = {
    "a text for the seed": {"seed": "many"},
    "a negative seed": {"seed": -1},
    "a list for the scenario": {"scenario": ["hurricane"]},
    "a number for the reference": {"reference": 5},
    "a list of settings": {"settings": []},
    "no settings": {"settings": {}},
    "a text for the agents": {"settings": {"agents": "many"}},
    "1e300 days": {"settings": {"days": 1e300}},
    "a date that there is not": {"start": "2026-02-31T00:00:00"},
    "a start with a time zone": {"start": "2026-02-01T00:00:00+01:00"},
    "steps of 0 hours": {"tick_hours": 0},
    "steps of -1 hours": {"tick_hours": -1},
    "a text for the steps made": {"made": "six", "ticks": "six"},
    "10 ** 30 steps": {"ticks": 10**30, "made": 10**30},
    "-5 steps": {"ticks": -5, "made": -5},
    "a text for the last step": {"until": "never"},
    "measures that are numbers": {"measures": [1, 2]},
    "populations that are a list": {"populations": ["citizen"]},
    "a population of -1": {"populations": {"citizen": -1}},
    "attributes that are texts": {"attributes": {"citizen": "all"}},
    "a timeline that is a text": {"timeline": "soon"},
    "shocks by hand without a step": {"interventions": {"shocks": [["soon"]], "surveys": 3}},
    "an unknown status": {"status": "sleeping"},
    "a status that is a list": {"status": []},
    "a fork of a number": {"fork": 7},
    "a mind that is a list": {"mind": [1]},
    "resumed that is a number": {"resumed": 4},
    "data that is a list": {"data": ["a"]},
    "blocks that are a text": {"blocks": "all"},
    "facts that are a list": {"facts": [1]},
    "a title that is a number": {"title": 5},
    "surveys that are texts": {"surveys": ["ces_d"]},
    "a format of the future": {"format": 999},
    "null for everything": dict.fromkeys(("seed", "settings", "start", "ticks", "measures")),
}
_OF_MANIFEST = (
    ("show", "run", "--agent", "1"),
    ("query", "run", "select count(*) from measures"),
    ("compare", "run", "other"),
    ("verify", "run"),
    ("resume", "run", "--no-report", "--days", "7"),
    ("fork", "run", "--at", "4", "--out", "forked", "--no-report"),
    ("repeat", "run", "--out", "again", "--no-report"),
)


def _wrong_value(workshop: Workshop, *, names: tuple[str, ...]) -> Outcome:
    """Put wrong values into a manifest, then read and continue the run."""
    faults = []
    for number, name in enumerate(names):
        part = workshop.part(str(number))
        part.copy("opinions", "other")
        edit_manifest(part.copy("opinions"), partial(_merge, changes=_VALUES[name]))
        for words in _OF_MANIFEST:
            result = call(*words, cwd=part.folder)
            actual = _faults(result) if result.code else []
            faults += [f"{name}, {words[0]}: {fault}" for fault in actual]
    return judge(faults, f"{len(names)} values, {len(_OF_MANIFEST)} commands, 0 tracebacks")


def _faults(result: CommandResult) -> list[str]:
    """Return why this is no refusal; `verify` prints its findings as results."""
    is_listing = result.code == 1 and "damaged" in result.stdout
    return result.crash_faults() if is_listing else result.refusal_faults()


def _merge(content: dict[str, Any], *, changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if isinstance(value, dict) and value and isinstance(content.get(name), dict):
            _merge(content[name], changes=value)
        else:
            content[name] = value


def _manifest_bytes(workshop: Workshop) -> Outcome:
    """Write manifests that are no JSON object, or a hostile one."""
    contents = (
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"seed": ' + b"9" * 10_000 + b"}",
        b'{"format": 1, "seed": NaN}', b'{"a": "\\ud800"}', b"\0" * 100,
    )  # fmt: skip
    faults = []
    for number, content in enumerate(contents):
        part = workshop.part(str(number))
        (part.copy("opinions") / "manifest.json").write_bytes(content)
        part.copy("opinions", "other")
        for words in (*_OF_MANIFEST, ("report", "run")):
            result = _faults(call(*words, cwd=part.folder))
            faults += [f"{content[:20]!r}, {words[0]}: {fault}" for fault in result]
    return judge(faults, f"{len(contents)} contents, {len(_OF_MANIFEST) + 1} commands, all refused")


def _cases() -> Iterator[Case]:
    for words in (("run", ".:H"), ("dashboard", "..:H", "--no-open")):
        tried = f"`memopolis {' '.join(words)}`"
        yield Case(tried, "refused in one line", partial(_one_name, words=words))
    yield Case(f"{len(_NAMES)} odd names of scenarios", "each refused in one line", _names)
    step = 7
    for first in range(0, len(_VALUES), step):
        names = tuple(_VALUES)[first : first + step]
        yield Case(
            f"manifests with {', '.join(names)}",
            "reading and continuing: success or one line each",
            partial(_wrong_value, names=names),
        )
    yield Case("manifests that are no JSON object", "each refused in one line", _manifest_bytes)


CASES = list(_cases())
