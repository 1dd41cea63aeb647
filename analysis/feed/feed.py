"""The feed of a run: what happened, the newest first, filtered by person, place and kind."""

import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.feed import speech
from memopolis.analysis.feed.rows import KINDS, PackedRows, Rows, Vocabulary, empty_rows
from memopolis.analysis.labels import words
from memopolis.analysis.run.life import zone_attribute
from memopolis.analysis.run.reader import Shared
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.texts import OTHER_TEXTS, fill_thoughts
from memopolis.sim.memory.retrieval.recollection import fill_template

_KINDS = {"News": "news", "Message": "message"}
"""Kind of line by kind of shock; an order for all others."""
_IN_FORCE = {
    0: "Evacuation order lifted",
    1: "Voluntary evacuation order",
    2: "Mandatory evacuation order",
}
"""Text of an order by its number in the table `weather`."""
MOST_NAMED = 3  # most agents or zones that a line names


@dataclass(frozen=True)
class ShockLine:
    """A shock, or a change of the orders in force, in words."""

    tick: int  # step in which it happened, from 0
    kind: str  # kind of line: news, order or message
    title: str  # what it is, such as "News"
    text: str  # text of the shock
    audience: str = ""  # its audience, and other values
    by_hand: bool = False  # whether a user sent it
    zones: tuple[str, ...] = ()  # names of the zones that it is for; () for no zone in particular
    agents: tuple[int, ...] = ()  # agents that it is sent to; () for none in particular


def shock_lines(run: Run) -> list[ShockLine]:
    """Return the past shocks of a run at a moment, in the order of their steps."""
    sent = [(int(tick), repr(shock)) for tick, shock in run.manifest["interventions"]["shocks"]]
    lines = []
    for tick, shock in run.manifest["timeline"]["past"]:
        if tick < run.ticks:
            mark = (int(tick), repr(shock))
            by_hand = mark in sent
            if by_hand:
                sent.remove(mark)
            lines.append(_line(run, int(tick), shock, by_hand=by_hand))
    ordered = {line.tick for line in lines if line.title == "Order"}
    changes = [line for line in _orders_in_force(run) if line.tick not in ordered]
    return sorted([*lines, *changes], key=lambda line: line.tick)


def _line(run: Run, tick: int, shock: Mapping[str, Any], *, by_hand: bool) -> ShockLine:
    name = str(shock.get("shock", ""))
    kind = _KINDS.get(name, "order")
    values = {key: value for key, value in shock.items() if key != "shock"}
    if name == "Message":
        to = tuple(int(agent) for agent in values.get("to", ()))
        return ShockLine(
            tick, kind, name, str(values["text"]), f"to {_named(run, to)}", by_hand, agents=to
        )
    if name == "News":
        zones = _zones_in(run, [values["audience"]])
        audience = f"to {_zone_label(run, str(values['audience']))}"
        return ShockLine(tick, kind, name, str(values["text"]), audience, by_hand, zones)
    if name == "Order":
        named = [str(zone) for zone in values["zones"]]
        text = f"{words(str(values['status']))} order"
        audience = f"to {_listed([_zone_label(run, zone) for zone in named])}"
        return ShockLine(tick, kind, name, text, audience, by_hand, _zones_in(run, named))
    if name == "Policy":
        return ShockLine(tick, kind, name, f"{words(str(values['key']))} is {values['value']}")
    text = str(values.pop("text", ""))
    rest = " · ".join(f"{words(key).lower()} {_plain(value)}" for key, value in values.items())
    return ShockLine(tick, kind, words(name), text, rest, by_hand)


def _orders_in_force(run: Run) -> Iterator[ShockLine]:
    """Yield a line for each change of the orders in force, by the table `weather`."""
    if not run.has("weather", "order"):
        return
    rows = run.table("weather", ["tick", "zone", "order"])
    rows = rows[rows["tick"] < run.ticks]
    ticks, row = np.unique(rows["tick"], return_inverse=True)
    numbers, column = np.unique(rows["zone"], return_inverse=True)
    orders = np.zeros((len(ticks) + 1, len(numbers)), np.int64)  # none before the first step
    orders[row + 1, column] = rows["order"]
    changed = orders[1:] != orders[:-1]
    for at in np.flatnonzero(changed.any(axis=1)).tolist():
        now = orders[at + 1]
        for order in np.unique(now[changed[at]]).tolist():
            where = numbers[changed[at] & (now == order)]
            zones = tuple(run.place_name(int(zone)) for zone in where)
            text, named = _IN_FORCE.get(order, f"Order {order}"), f"in {_listed(zones)}"
            yield ShockLine(int(ticks[at]), "order", "In force", text, named, zones=zones)


def _zones_in(run: Run, named: list[Any]) -> tuple[str, ...]:
    known = set(run.zones["zone"].astype(str)) if run.has("zones", "zone", "label") else set()
    return tuple(_zone_label(run, str(zone)) for zone in named if str(zone) in known)


def _zone_label(run: Run, zone: str) -> str:
    """Return the name of a zone by its code, or a text that is not one unchanged."""
    if zone == "all":
        return "everybody"
    if not run.has("zones", "zone", "label"):
        return zone
    codes = run.zones["zone"].astype(str).tolist()
    return run.place_name(codes.index(zone)) if zone in codes else zone


def _named(run: Run, agents: tuple[int, ...]) -> str:
    return _listed([run.name_of(agent) for agent in agents])


def _listed(names: list[str] | tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


_MOST_LISTENERS = 10  # most persons of a filter for which also what each of them heard is read
_ORDER = ("news", "message", "order", "decision", "attitude", "speech", "thought")
"""Order of the lines of a step: what happens comes before what follows from it."""
_MOST_THOUGHTS = 400  # number of thoughts that are kept written out
type Moment = tuple[int, int]
"""unique_id of an agent, and a step."""
DECISION_COLUMNS = ("kind", "value", "choice", "text", "reason", "probability", "draw")


@dataclass(frozen=True)
class FeedQuery:
    """Filters of a feed; a line must pass all of them."""

    kinds: tuple[str, ...] = KINDS  # kinds of lines, of `KINDS`
    person: str = ""  # part of a name, or a unique_id; "" for all
    zone: int = -1  # number of the zone in which people are at the moment; -1 for all
    # Most lines of each kind in a step, so that no kind hides the others; 0 for all
    per_kind: int = 0


@dataclass(frozen=True)
class FeedLine:
    """A line of a feed: what an agent did, or a shock.

    Its fields are those of `rows.ROW`, with words, names and texts in place of numbers, and `verb`,
    what a speaker did, such as "posted"; `more`, the number of other lines of this kind in the step
    that `per_kind` leaves out; and `shock`, for lines that are no agent's.
    """

    tick: int
    kind: str
    agent: int = -1
    name: str = ""
    other: int = -1
    other_name: str = ""
    count: int = 0
    places: int = 0
    place: str = ""
    subject: str = ""
    item: str = ""
    choice: str = ""
    previous: str = ""
    value: float = np.nan
    before: float = np.nan
    reason: str = ""
    verb: str = ""
    text: str = ""
    more: int = 0
    shock: ShockLine | None = None


class Feed:
    """The feed of a run, for all its moments. Thread-safe.

    Tables are read once, from the step up to which they were read before.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words = Vocabulary()
        self._decisions = DecisionRows(self._words)
        self._speech: speech.SpeechRows | None = None
        self._read = 0
        self._rows = PackedRows()
        self._thoughts: dict[tuple[int, int], str] = {}

    def newest(self, run: Run, query: FeedQuery, most: int) -> list[FeedLine]:
        """Return up to `most` of the newest lines that pass the filters, the newest first."""
        with self._lock:
            self._extend(run.whole)
            agents = _people(run, query)
            rows, more = self._selected(run, query, agents, most)
            self._write_thoughts(run, rows[-most:])
            kept = zip(rows[-most:], more[-most:].tolist(), strict=True)
            lines = [replace(self._line(run, row), more=left) for row, left in kept]
        shocks = [shock for shock in shock_lines(run) if _passes(shock, run, query, agents)]
        lines += [FeedLine(shock.tick, shock.kind, shock=shock) for shock in shocks[-most:]]
        return sorted(lines, key=lambda line: (-line.tick, _ORDER.index(line.kind)))[:most]

    def _extend(self, run: Run) -> None:
        """Read the steps that were recorded since the last time."""
        if run.ticks <= self._read:
            return
        made = []
        if "decisions" in run.tables:
            parts = run.reader.between("decisions", self._read, columns=DECISION_COLUMNS)
            made += [self._decisions.extract(rows) for rows in parts]
        if "memories" in run.tables and run.has("memories", "actor"):
            if self._speech is None:
                self._speech = speech.SpeechRows(self._words, run.population_of)
            parts = run.reader.between("memories", self._read, columns=speech.COLUMNS)
            made += [self._speech.extract(rows, run.reader.texts) for rows in parts]
        self._read = run.ticks
        new = np.concatenate([empty_rows(), *made])
        # Stable, so that decisions precede what is said in the same step.
        self._rows.append(new[np.argsort(new["tick"], kind="stable")])

    def _selected(
        self, run: Run, query: FeedQuery, agents: NDArray[np.int64] | None, most: int
    ) -> tuple[Rows, NDArray[np.int64]]:
        """Return at least the `most` newest rows that pass the filters, as `_limited`."""
        is_few = agents is not None and 0 < len(agents) <= _MOST_LISTENERS
        listeners = agents if query.person and is_few and "speech" in query.kinds else None
        passing, count = [], 0
        for batch in self._rows.newest_first(run.ticks):
            passing.append(_passing(batch, query, agents))
            count += len(_limited(passing[-1], query.per_kind)[0])
            if count >= most and listeners is None:
                break
        rows = np.concatenate(passing[::-1])
        if listeners is not None:
            rows = self._with_heard(run, rows, listeners)
        return _limited(rows, query.per_kind)

    def _with_heard(self, run: Run, rows: Rows, agents: NDArray[np.int64]) -> Rows:
        """Add what a few agents heard together with others."""
        if self._speech is None:
            return rows
        own = [run.reader.read("memories", speech.COLUMNS, agent=int(agent)) for agent in agents]
        heard = np.concatenate([self._speech.extract(spoken, run.reader.texts) for spoken in own])
        heard = heard[(heard["kind"] == KINDS.index("speech")) & (heard["tick"] >= 0)]
        both = np.concatenate([rows, heard])
        _, first = np.unique(
            both[["tick", "kind", "agent", "text", "subject", "item"]], return_index=True
        )
        both = both[np.sort(first)]
        return both[np.argsort(both["tick"], kind="stable")]

    def _line(self, run: Run, row: np.void) -> FeedLine:
        kind, words = KINDS[int(row["kind"])], self._words
        agent, other, place = int(row["agent"]), int(row["other"]), int(row["place"])
        text, verb = "", ""
        if kind == "thought":
            text = self._thoughts.get((agent, int(row["tick"])), "")
        elif row["text"]:
            template = run.reader.texts().get(int(row["text"]), "")
            spoken = speech.utterance_in(template) if agent >= 0 else None
            verb, template = ("", template) if spoken is None else spoken
            if kind == "speech" and spoken is None:
                verb = "passed on"
            if kind == "order" and row["places"] > 1:
                template = template.replace("{place}", f"{row['places']} zones")
            text = fill_template(
                template, agent, place, name_of=run.name_of, place_name=run.place_name
            )
        return FeedLine(
            int(row["tick"]),
            kind,
            agent,
            run.name_of(agent) if agent >= 0 else "",
            other,
            run.name_of(other) if other >= 0 else "",
            int(row["count"]),
            int(row["places"]),
            run.place_name(place) if place >= 0 else "",
            words[int(row["subject"])],
            words[int(row["item"])],
            words[int(row["choice"])],
            words[int(row["previous"])],
            float(row["value"]),
            float(row["before"]),
            words[int(row["reason"])],
            verb,
            text,
        )

    def _write_thoughts(self, run: Run, rows: Rows) -> None:
        """Write out the thoughts among some rows that are not written out yet."""
        own = rows[rows["kind"] == KINDS.index("thought")]
        wanted = set(zip(own["agent"].tolist(), own["tick"].tolist(), strict=True))
        self._thoughts |= write_thoughts(run, wanted - self._thoughts.keys())
        if len(self._thoughts) > _MOST_THOUGHTS:
            self._thoughts = {key: self._thoughts[key] for key in wanted & self._thoughts.keys()}


def _passing(rows: Rows, query: FeedQuery, agents: NDArray[np.int64] | None) -> Rows:
    """Return the rows that pass the filters."""
    mask = np.isin(rows["kind"], [KINDS.index(kind) for kind in query.kinds])
    if agents is not None:
        own = np.isin(rows["agent"], agents) | np.isin(rows["other"], agents)
        if query.zone >= 0 and not query.person:
            own |= (rows["place"] == query.zone) & (rows["agent"] < 0)
        mask &= own
    return rows[mask]


def _limited(rows: Rows, per_kind: int) -> tuple[Rows, NDArray[np.int64]]:
    """Return the first rows of each step and kind, and how many others the last one stands for."""
    if not per_kind or not len(rows):
        return rows, np.zeros(len(rows), np.int64)
    rows = rows[np.lexsort([rows["kind"], rows["tick"]])]
    begins = (np.diff(rows["tick"]) != 0) | (np.diff(rows["kind"]) != 0)
    starts = np.flatnonzero(np.append(True, begins))
    sizes = np.diff(np.append(starts, len(rows)))
    place = np.arange(len(rows)) - np.repeat(starts, sizes)
    more = np.where(place == per_kind - 1, np.repeat(sizes, sizes) - per_kind, 0)
    return rows[place < per_kind], more[place < per_kind]


_FEEDS: WeakKeyDictionary[Shared, Feed] = WeakKeyDictionary()


def feed_of(run: Run) -> Feed:
    """Return the feed of a run, which all its moments share."""
    return _FEEDS.setdefault(run.reader.shared, Feed())


def _people(run: Run, query: FeedQuery) -> NDArray[np.int64] | None:
    """Return the agents that pass the filters by person and zone; None for all agents."""
    if not query.person.strip() and query.zone < 0:
        return None
    chosen = [_people_in(run, population, query) for population in run.populations]
    return np.concatenate([np.zeros(0, np.int64), *chosen])


def _people_in(run: Run, population: str, query: FeedQuery) -> NDArray[np.int64]:
    if f"agents_{population}" not in run.tables:
        return np.zeros(0, np.int64)
    people = run.people(population)
    passes = np.ones(len(people), np.bool_)
    person = query.person.strip()
    if person.isdecimal():
        passes &= (people["agent"].astype(str) == person).to_numpy()
    elif person:
        passes &= people["name"].str.contains(person, case=False, regex=False).to_numpy(bool)
    if query.zone >= 0:
        known = zone_attribute(run.attributes(population))
        zone = people["zone"] if "zone" in people and known else None
        passes &= False if zone is None else (zone == query.zone).to_numpy()
    return people["agent"].to_numpy(np.int64)[passes]


def _passes(shock: ShockLine, run: Run, query: FeedQuery, agents: NDArray[np.int64] | None) -> bool:
    """Check whether a shock passes the filters; one for everybody passes each zone."""
    if shock.kind not in query.kinds:
        return False
    if shock.agents:
        return agents is None or bool(np.isin(shock.agents, agents).any())
    if query.person.strip():
        return False
    return query.zone < 0 or not shock.zones or run.place_name(query.zone) in shock.zones


def write_thoughts(run: Run, wanted: Collection[Moment]) -> dict[Moment, str]:
    """Return what some agents thought in some steps; one without a record is missing."""
    if not wanted:
        return {}
    decisions = _of_agents(run, "decisions", ("kind", "text", "evidence"), wanted)
    keys = set(wanted)
    at = zip(decisions["agent"].to_pylist(), decisions["tick"].to_pylist(), strict=True)
    is_wanted = np.array([key in keys for key in at], np.bool_)
    is_wanted &= decisions["text"].to_numpy() != 0
    thoughts = decisions.filter(is_wanted).to_pandas()
    thoughts = thoughts[~thoughts["kind"].astype(str).isin(OTHER_TEXTS)]
    thoughts = thoughts.assign(text=run.templates_of(thoughts["text"]))
    written = fill_thoughts(thoughts, _evidence(run, thoughts))
    texts = written["text"].fillna("").astype(str)
    return dict(zip(zip(written["agent"], written["tick"], strict=True), texts, strict=True))


def _evidence(run: Run, thoughts: pd.DataFrame) -> pd.DataFrame:
    """Return the memories that some thoughts are based on, with names filled in."""
    pairs = thoughts[["agent", "evidence"]].explode("evidence").dropna()
    if pairs.empty or not run.has("memories", "text"):
        return pd.DataFrame()
    columns = ("text", "actor", "place", "importance")
    known = set(zip(pairs["agent"].tolist(), pairs["evidence"].astype(int).tolist(), strict=True))
    rows = _of_agents(run, "memories", columns, known)
    at = zip(rows["agent"].to_pylist(), rows["id"].to_pylist(), strict=True)
    memories = rows.filter(np.array([moment in known for moment in at], np.bool_)).to_pandas()
    return run.fill_names(memories)


def _of_agents(
    run: Run, table: str, columns: tuple[str, ...], pairs: Collection[tuple[int, int]]
) -> pa.Table:
    """Read the rows of the agents of some pairs."""
    agents = sorted({agent for agent, _ in pairs})
    pieces = [run.reader.read(table, columns, agent=agent) for agent in agents]
    return pa.concat_tables(pieces, promote_options="permissive").unify_dictionaries()


LEAST_ATTITUDE = 0.1  # least change of an attitude, from 0 to 10, that is a line of the feed
LEAST_SHARE = 0.25
"""Least relative change of another number, such as hours of work, that is a line of the feed."""
_TINY = 1e-6


class DecisionRows:
    """Extract rows of decisions, attitudes and thoughts; each call continues the previous one.

    A decision is a row if it differs from the agent's last one on the same subject: another
    choice, an attitude that moved by `LEAST_ATTITUDE`, another number by `LEAST_SHARE`. A decision
    carried out by a draw is a row each time. A first decision has nothing to differ from.
    """

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._keys = np.zeros(0, np.int64)
        self._values = np.zeros(0, np.float32)
        self._choices = np.zeros(0, np.int32)

    def extract(self, rows: pa.Table) -> Rows:
        """Return the rows of some consecutive steps of the table `decisions`."""
        words = self._words
        subject, item = words.numbers(rows["kind"]), words.numbers(rows["item"])
        value = rows["value"].to_numpy().astype(np.float32)
        choice = words.numbers(rows["choice"])
        agent = rows["agent"].to_numpy().astype(np.int64)
        key = (agent << 32) | ((subject.astype(np.int64) & 0xFFFF) << 16) | (item & 0xFFFF)
        before, previous = self._exchange(key, value, choice)

        has_choice = choice != words.number("")
        is_attitude = subject == words.number("attitude")
        text = rows["text"].to_numpy()
        no_thoughts = [words.number(kind) for kind in OTHER_TEXTS]
        is_thought = (text != 0) & ~np.isin(subject, no_thoughts)
        probability, draw = _drawn(rows)
        changed = has_choice & (previous >= 0) & (choice != previous)
        least = np.where(is_attitude, LEAST_ATTITUDE, LEAST_SHARE * np.abs(before) + _TINY)
        moved = ~has_choice & (np.abs(value - before) >= least)
        drawn = ~np.isnan(probability)
        shown = np.where(drawn, draw < probability, changed | moved)
        shown = (is_thought & (text != 0)) | (shown & (text == 0))

        made = empty_rows(int(shown.sum()))
        kinds = [KINDS.index(name) for name in ("thought", "attitude", "decision")]
        made["kind"] = np.select([is_thought, is_attitude], kinds[:2], kinds[2])[shown]
        columns: dict[str, NDArray[Any]] = {
            "tick": rows["tick"].to_numpy(),
            "agent": agent,
            "subject": subject,
            "item": item,
            "choice": choice,
            "previous": previous,
            "value": value,
            "before": before,
            "reason": words.numbers(rows["reason"]),
            "text": text,
        }
        for name, values in columns.items():
            made[name] = values[shown]
        return made

    def _exchange(
        self, keys: NDArray[np.int64], values: NDArray[np.float32], choices: NDArray[np.int32]
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return the last value and choice before each row, NaN and -1 for none."""
        known = len(self._keys)
        all_keys = np.concatenate([self._keys, keys])
        all_values = np.concatenate([self._values, values])
        all_choices = np.concatenate([self._choices, choices])
        order = np.argsort(all_keys, kind="stable")
        same = all_keys[order][1:] == all_keys[order][:-1]
        before = np.full(len(order), np.nan, np.float32)
        previous = np.full(len(order), -1, np.int32)
        before[order[1:][same]] = all_values[order[:-1][same]]
        previous[order[1:][same]] = all_choices[order[:-1][same]]
        newest = order[np.append(~same, True)] if len(order) else order
        self._keys, self._values = all_keys[newest], all_values[newest]
        self._choices = all_choices[newest]
        return before[known:], previous[known:]


def _drawn(rows: pa.Table) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return probabilities and draws, NaN where nothing was drawn or an old run has none."""
    missing = np.full(rows.num_rows, np.nan, np.float32)
    if "probability" not in rows.column_names:
        return missing, missing
    return rows["probability"].to_numpy(), rows["draw"].to_numpy()
