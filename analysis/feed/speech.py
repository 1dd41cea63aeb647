"""Find what agents said to others and what they heard of orders, among recorded memories."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from memopolis.analysis.feed.rows import KINDS, Rows, Vocabulary, empty_rows

COLUMNS = ("topic", "kind", "text", "actor", "place")
ORDER_TOPICS = ("order", "closure")
"""Topics of memories by which scenarios report orders and closures."""
_SPOKEN = re.compile(r"\{actor\} ([^:{}]{1,40}): (.*)", re.DOTALL)


class Utterance(NamedTuple):
    """What a listener remembers, in parts."""

    verb: str  # what the speaker did, such as "posted"
    words: str  # the words, which may contain {actor} and {place}


def utterance_in(template: str) -> Utterance | None:
    """Return the words that a memory of a listener reports; None if it reports none.

    Blocks write such memories as "{actor}", what it did, a colon and the words.
    """
    match = _SPOKEN.fullmatch(template)
    return None if match is None else Utterance(match[1].removesuffix(" me"), match[2])


class SpeechRows:
    """Extract rows of speech, one for all that hear the same words, and of orders heard first.

    `words` receives topics and kinds of memories; `population_of` returns the population of an
    agent.
    """

    def __init__(self, words: Vocabulary, population_of: Callable[[int], str]) -> None:
        self._words, self._population_of = words, population_of
        self._spoken: dict[int, bool | None] = {}
        self._heard: set[tuple[int, int]] = set()

    def extract(self, rows: pa.Table, texts: Callable[[], Mapping[int, str]]) -> Rows:
        """Return the rows of some consecutive steps of the table `memories`.

        `texts` returns texts by their hashes; it is called if there are new ones.
        """
        words = self._words
        is_event = words.numbers(rows["kind"]) == words.number("event")
        actor = rows["actor"].to_numpy()
        spoken = is_event & (actor >= 0) & (actor != rows["agent"].to_numpy())
        spoken[spoken] = self._are_spoken(rows, np.flatnonzero(spoken), texts)
        topic = words.numbers(rows["topic"])
        orders = is_event & (actor < 0) & np.isin(topic, [*map(words.number, ORDER_TOPICS)])
        return np.concatenate([_speech(rows, spoken), self._orders(rows, orders)])

    def _are_spoken(
        self, rows: pa.Table, places: NDArray[np.intp], read_texts: Callable[[], Mapping[int, str]]
    ) -> NDArray[np.bool_]:
        """Check which memories of other agents' acts report words."""
        hashes = rows["text"].to_numpy()[places]
        distinct, number = np.unique(hashes, return_inverse=True)
        texts: Mapping[int, str] = {}
        for text in distinct.tolist():
            if text not in self._spoken:
                texts = texts or read_texts()
                template = texts.get(text, "{actor}")
                # Without a name in it, the words themselves were passed on, if by one of them.
                bare = None if "{actor}" not in template else False
                self._spoken[text] = bare if utterance_in(template) is None else True
        known = [self._spoken[text] for text in distinct.tolist()]
        answer = np.array([one is True for one in known], np.bool_)[number]
        bare_rows = np.flatnonzero(np.array([one is None for one in known], np.bool_)[number])
        if len(bare_rows):
            people = rows["population"].cast("string").to_pylist()
            actors = rows["actor"].to_numpy()
            for one in bare_rows.tolist():
                row = int(places[one])
                answer[one] = self._population_of(int(actors[row])) == people[row]
        return answer

    def _orders(self, rows: pa.Table, mask: NDArray[np.bool_]) -> Rows:
        """Return a row for each order and step in which a zone first hears of it."""
        tick, text, place, agent = (
            rows[name].to_numpy()[mask] for name in ("tick", "text", "place", "agent")
        )
        pairs = zip(text.tolist(), place.tolist(), strict=True)
        new = np.array([pair not in self._heard for pair in pairs], np.bool_)
        tick, text, place, agent = tick[new], text[new], place[new], agent[new]
        self._heard |= set(zip(text.tolist(), place.tolist(), strict=True))
        groups: dict[tuple[int, int], list[int]] = {}
        for row, group in enumerate(zip(tick.tolist(), text.tolist(), strict=True)):
            groups.setdefault(group, []).append(row)
        made = empty_rows(len(groups))
        made["kind"] = KINDS.index("order")
        for number, (group, members) in enumerate(groups.items()):
            zones = np.unique(place[members])
            made[number]["tick"], made[number]["text"] = group
            made[number]["other"], made[number]["count"] = agent[members[0]], len(members)
            made[number]["place"], made[number]["places"] = zones[0], len(zones)
        return made


def _speech(rows: pa.Table, mask: NDArray[np.bool_]) -> Rows:
    """Return one row for each step, speaker and text."""
    tick, actor, text, place, agent = (
        rows[name].to_numpy()[mask] for name in ("tick", "actor", "text", "place", "agent")
    )
    order = np.lexsort([agent, text, actor, tick])
    changes = [np.diff(column[order]) != 0 for column in (tick, actor, text)]
    begins = np.flatnonzero(np.append(True, np.logical_or.reduce(changes))) if len(order) else order
    first = order[begins]
    made = empty_rows(len(first))
    made["kind"] = KINDS.index("speech")
    made["count"] = np.diff(np.append(begins, len(order)))
    values = {"tick": tick, "agent": actor, "other": agent, "text": text, "place": place}
    for name, column in values.items():
        made[name] = column[first]
    return made
