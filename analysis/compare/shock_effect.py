"""Find the effect of a shock: who received it, who passed it on, and what differs without it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa

from memopolis.analysis.feed.speech import utterance_in
from memopolis.analysis.run.run import Run

_KEYS = ("tick", "block", "kind", "agent", "item")
_COMPARED = ("value", "choice", "probability", "draw")
_DECISIONS = (
    *("tick", "agent", "kind", "item", "with", "without"),
    *("choice_with", "choice_without", "is_other"),
)
_LEAST = 1e-6  # least difference of two numbers that counts


@dataclass(frozen=True)
class Spread:
    """How a text spread."""

    # unique_ids of the agents that received it directly, in the order of steps
    received: tuple[int, ...] = ()
    # Agents that heard it from each agent that passed it on, by unique_ids
    passed_on: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    reached: int = 0  # number of agents that have it in any way


@dataclass(frozen=True, eq=False)
class Differences:
    """What differs between a run with a shock and the same run without it, at the same step."""

    step: int  # number of steps that both have done
    # Agents whose attitude differs, the largest difference first: agent, attitude, with, without,
    # difference
    attitudes: pd.DataFrame
    # Decisions that differ, those with another outcome first: tick, agent, kind, item, with,
    # without (NaN where only the other run has the decision), choice_with, choice_without,
    # is_other, whether the choice differs or only one of them was made or carried out
    decisions: pd.DataFrame
    # Measures that differ at the last step, by the relative difference: measure, group, with,
    # without
    measures: pd.DataFrame


def trace_spread(run: Run, text: str, since: int, *, sender: int = -1) -> Spread:
    """Trace who received a text and who passed it on, by the memories recorded from a step on.

    `text` is as it was sent, `sender` the unique_id of the agent that sent it, -1 for none.
    """
    if "memories" not in run.tables or not text:
        return Spread()
    texts = run.reader.texts()
    direct = [number for number, known in texts.items() if known == text]
    spoken = [number for number, known in texts.items() if text in known and _is_spoken(known)]
    received: dict[int, None] = {}
    passed: dict[int, dict[int, None]] = {}
    for rows in run.reader.between("memories", since, columns=("text", "actor")):
        number, agent, actor = (rows[name].to_numpy() for name in ("text", "agent", "actor"))
        is_direct = np.isin(number, direct)
        is_sent = is_direct & (actor == sender)
        received |= dict.fromkeys(agent[is_sent].tolist())
        heard = (np.isin(number, spoken) | is_direct) & ~is_sent & (actor >= 0) & (actor != agent)
        for speaker, listener in zip(actor[heard].tolist(), agent[heard].tolist(), strict=True):
            passed.setdefault(speaker, {})[listener] = None
    listeners = {listener for heard in passed.values() for listener in heard}
    by_speaker = {speaker: tuple(heard) for speaker, heard in passed.items()}
    return Spread(tuple(received), by_speaker, len(listeners | received.keys()))


def _is_spoken(template: str) -> bool:
    return utterance_in(template) is not None


def find_differences(run: Run, without: Run, since: int) -> Differences:
    """Compare a run with the same run without a shock, from a step on.

    Both are cut at the same step.
    """
    return Differences(
        run.ticks,
        _attitudes(run, without, since),
        _decisions(run, without, since),
        _measures(run, without, since),
    )


def _rows(run: Run, table: str, since: int, columns: tuple[str, ...]) -> pa.Table | None:
    """Return the recorded rows of a table from a step on, None if there are none."""
    known = [name for name in columns if run.has(table, name)]
    parts = list(run.reader.between(table, since, columns=known)) if run.has(table) else []
    return pa.concat_tables(parts, promote_options="permissive") if parts else None


def _newest(
    one: pa.Table | None, other: pa.Table | None
) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Return the rows of the newest step that both tables have; None if there is none."""
    if one is None or other is None:
        return None
    ticks = np.intersect1d(one["tick"].to_numpy(), other["tick"].to_numpy())
    if not len(ticks):
        return None
    first, second = (rows.filter(rows["tick"].to_numpy() == ticks[-1]) for rows in (one, other))
    return first.to_pandas(), second.to_pandas()


def _attitudes(run: Run, without: Run, since: int) -> pd.DataFrame:
    frames = [
        _attitudes_of(run, without, population, since)
        for population in run.populations
        if run.has(f"agents_{population}") and without.has(f"agents_{population}")
    ]
    columns = ["agent", "attitude", "with", "without", "difference"]
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return pd.DataFrame(columns=columns)
    joined = pd.concat(frames, ignore_index=True)[columns]
    order = joined["difference"].abs().sort_values(ascending=False, kind="stable").index
    return joined.loc[order].reset_index(drop=True)


def _attitudes_of(run: Run, without: Run, population: str, since: int) -> pd.DataFrame:
    """Compare the newest attitudes that both runs have recorded at the same step."""
    table = f"agents_{population}"
    names = tuple(name for name in run.attributes(population) if name.startswith("attitude."))
    one, other = (_rows(each, table, since, names) for each in (run, without))
    newest = _newest(one, other)
    if not names or newest is None:
        return pd.DataFrame()
    now, then = (each.set_index("agent") for each in newest)
    differences = []
    for name in (name for name in names if name in now and name in then):
        both = now[[name]].join(then[name].rename("without"), how="inner").dropna()
        both = both.rename(columns={name: "with"}).astype(float)
        both["difference"] = both["with"] - both["without"]
        both = both[both["difference"].abs() > _LEAST].reset_index()
        differences.append(both.assign(attitude=name.removeprefix("attitude.")))
    return pd.concat(differences, ignore_index=True) if differences else pd.DataFrame()


def _decisions(run: Run, without: Run, since: int) -> pd.DataFrame:
    one, other = (_rows(each, "decisions", since, ("kind", *_COMPARED)) for each in (run, without))
    if one is None or other is None:
        return pd.DataFrame({name: [] for name in ("tick", "agent", "kind", "item", "is_other")})
    names = {"value": "", "choice": "choice_", "made": "made_"}
    frames = (
        _keyed(rows).rename(columns={name: f"{start}{side}" for name, start in names.items()})
        for rows, side in ((one, "with"), (other, "without"))
    )
    rows = next(frames).merge(next(frames), on=[*_KEYS, "nth"], how="outer")
    gap = (rows["with"] - rows["without"]).abs().fillna(0)
    # Rows of only one run have no value of the other.
    is_other = (rows["choice_with"] != rows["choice_without"]) | (
        rows["made_with"] != rows["made_without"]
    )
    rows = rows.assign(is_other=is_other, gap=gap)[is_other | (gap > _LEAST)]
    rows = rows.sort_values(
        ["is_other", "gap", "tick"], ascending=[False, False, True], kind="stable"
    )
    chosen: pd.DataFrame = rows[list(_DECISIONS)].reset_index(drop=True)
    return chosen


def _keyed(rows: pa.Table) -> pd.DataFrame:
    """Return decisions with `nth` of those with the same key, and `made`, whether carried out."""
    frame: pd.DataFrame = rows.select([*_KEYS, *_COMPARED]).to_pandas()
    for name in frame.select_dtypes("category"):
        frame[name] = frame[name].astype(object)
    frame["made"] = frame.pop("draw") < frame.pop("probability")
    frame["nth"] = frame.groupby([*_KEYS]).cumcount()
    return frame


def _measures(run: Run, without: Run, since: int) -> pd.DataFrame:
    names = ["measure", "group", "with", "without"]
    one, other = (_rows(each, "measures", since, ("value",)) for each in (run, without))
    newest = _newest(one, other)
    if newest is None:
        return pd.DataFrame(columns=names)
    keys = {"measure": str, "group": str}
    now, then = (each.astype(keys).set_index([*keys])["value"] for each in newest)
    both = now.rename("with").to_frame().join(then.rename("without"), how="inner").dropna()
    gap = (both["with"] - both["without"]).abs()
    scale = both.abs().max(axis=1)
    both = both.assign(relative=gap / scale.where(scale > 0, 1.0))
    both = both[both["relative"] > _LEAST].sort_values("relative", ascending=False, kind="stable")
    return both.reset_index()[names]
