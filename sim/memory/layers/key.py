"""Key memories: facts that are always part of a context.

A key memory is pinned by a user, or found in the memories: a statement of a person about themselves
(see `FRAMES`), or the gist of a cluster that is often returned. Those that were found are
limited in number for each person who said them: the one whose memories were recalled least gives
way to a new one. Small talk, questions and requests are never key memories.

A statement is a sentence with a frame, such as "I live in" or "my daughter is". A frame such as the
home has one value, so a new statement replaces the old one; so does one that announces a change
("actually", "no longer") and has a word in common with the old one.

Source: the frames are this project's, illustrative; English. A model that writes gists needs none.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from memopolis.sim.arguments import INT64, check_text, shown, whole_number
from memopolis.sim.arrays import Int32, Int64, Ints
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.summaries import (
    KEY_MEMORIES,
    SUMMARIES,
    Passage,
    Summary,
    Writer,
    load_entries,
    load_passage,
    split_sentences,
    write,
    write_entries,
)
from memopolis.sim.memory.night import clusters
from memopolis.sim.memory.retrieval.recollection import Recollection, format_memories
from memopolis.sim.memory.streams.cluster_columns import founders_by_row
from memopolis.sim.memory.text.pieces import STOP_WORDS

Source = Literal["user", "auto"]

# Most members of a cluster that its gist is written from: those nearest the centroid.
GIST_MEMBERS = 20
NO_ACTOR = -1
TAG = "key"  # tag of the memories from which a key memory was made

_AM = r"\b(?:i|we)(?: am|'m|\u2019m| are|'re|\u2019re)"
_WOULD = r"\b(?:i|we)(?: would|'d|\u2019d)"
_NOT = r"(?:no longer|never|can't|can\u2019t|cannot|don't|don\u2019t|do not|won't|won\u2019t)"
_OFTEN = r"(?:(?:now|really|still|always|usually|currently|just) )*"
_PEOPLE = (
    "wife|husband|partner|mother|father|mum|mom|dad|parents|sister|brother|daughter|son|child|kids|"
    "children|grandmother|grandfather|friend|boss|dog|cat|dogs|cats"
)

SINGLE = ("name", "home", "work")
"""Frames of which only the newest statement is true."""

FRAMES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "name": r"\bmy name(?: is|'s|\u2019s)\b|\b(?:please )?call me\b",
        "home": rf"\b(?:i|we) {_OFTEN}(?:live|moved?|stay) (?:in|to|near|at|with)\b|"
        rf"{_AM} {_OFTEN}(?:living|moving) (?:in|to|near|at|with)\b|"
        r"\bmy (?:new )?(?:home|flat|house|address) is (?:in|at|near)\b",
        "work": rf"\b(?:i|we) (?:{_NOT} )?{_OFTEN}work (?:as|at|for|in)\b|"
        rf"{_AM} {_OFTEN}working (?:as|at|for|in)\b|\bmy (?:new )?(?:job|profession) is\b",
        "origin": rf"{_AM} from\b|\bi grew up in\b",
        "ability": rf"\b(?:i|we) {_NOT} (?:eat|drink|spend|swim|drive|fly|smoke|like|want|read)\b|"
        rf"{_AM} (?:not |no longer )?(?:allergic|vegetarian|vegan|diabetic|afraid|pregnant|deaf)\b",
        "wish": rf"{_WOULD} {_OFTEN}(?:rather|prefer|love|like) (?!to (?:help|know|hear|ask)\b)|"
        rf"\b(?:i|we) {_OFTEN}(?:want|hope|plan|wish|intend) to (?!know|ask|hear|check|see if)|"
        rf"\b(?:i|we) {_OFTEN}(?:prefer|love|hate|like)\b(?! to (?:say|think))|"
        r"\bmy (?:dream|goal|plan|wish|favou?rite)\b",
        "circle": rf"\bmy (?:\w+ )?(?:{_PEOPLE})(?: \w+)? (?:is|are|has|was|lives?|works?|turns)\b|"
        r"\b(?:i|we) have (?:an?|two|three|four|no) \w+|\bmy (?:birthday|budget|phone|car) is\b",
        "change": r"\bi(?: have|'ve|\u2019ve)? changed my mind\b",
    }.items()
}
"""Frames of statements, by name."""

_CHANGES = re.compile(
    r"\b(?:actually|instead|no longer|any ?more|changed my mind|after all|not any more)\b",
    re.IGNORECASE,
)
_QUOTE = re.compile('["\u201c\u201d]')
_WORD = re.compile(r"[^\W\d_]+|\d+")
_SMALL = """
    anything back bye cool course day done else evening everything fine glad go good got great ha
    happy haha hello help hey hi hope know later let like lot love may might morning much need never
    nice night no oh ok okay one perfect please question right see soon sorry sounds sure thank
    thanks tomorrow want welcome well wonderful worries would yep yes
    """
"""Words of thanks, greetings and offers of help."""
_REQUEST = re.compile(
    r"(?:please )?(?:write|give|tell|show|list|make|explain|suggest|translate|find|help|repeat)\b",
    re.IGNORECASE,
)
_COMMON = frozenset((*_SMALL.split(), *STOP_WORDS))


@dataclass(frozen=True, slots=True)
class KeyMemory:
    """One pinned fact."""

    id: int  # its id, unique among all key memories the agent ever had
    time: int  # tick at which it was pinned or last edited
    source: Source  # "user" if it was pinned, "auto" if it was promoted
    text: str  # its text
    # Ids of the memories it was promoted from; empty if it was pinned.
    memories: tuple[int, ...] = ()
    actor: int = NO_ACTOR  # unique_id of the person who said it, -1 for the agent itself

    def __str__(self) -> str:
        return f"- {self.text}"


def key_memories(memory: Memory, row: int) -> list[KeyMemory]:
    """Return the key memories of one agent: pinned ones first, then promoted ones, each by id."""
    return load_entries(KeyMemory, memory, row, KEY_MEMORIES)


def pin(memory: Memory, row: int, text: str) -> int:
    """Add a key memory of the user to one agent; return its id."""
    return _add(memory, row, KeyMemory(0, memory.now, "user", _checked(text)))


def keep(memory: Memory, row: int, text: str, ids: Sequence[int], actor: int = NO_ACTOR) -> int:
    """Add a key memory that was found in memories `ids`, with the name of its actor; return its id.

    It takes the place of those found before that it repeats or replaces and, beyond the limit, of
    the least useful one of the same actor.
    """
    facts = key_memories(memory, row)
    own = [fact for fact in facts if fact.source == "auto" and fact.actor == actor]
    speaker = f"{memory.name_of(actor)}: " if actor >= 0 else ""
    before = {fact.id: fact.text.removeprefix(speaker) for fact in own}
    gone = [number for number, old in before.items() if old == text or replaces(text, old)]
    rest = [fact for fact in own if fact.id not in gone]
    if len(rest) >= memory.layer_settings.max_key_memories:
        gone.append(min(rest, key=lambda fact: (_count_accesses(memory, row, fact), fact.id)).id)
    if gone:
        _store(memory, row, [fact for fact in facts if fact.id not in gone])
    new = KeyMemory(0, memory.now, "auto", speaker + text, tuple(ids), actor)
    return _add(memory, row, new)


def _add(memory: Memory, row: int, fact: KeyMemory) -> int:
    """Store a key memory under the next id of its agent; return the id."""
    numbers = memory.streams.agent_column("key_numbers", np.int32)
    number = int(numbers[row])
    _store(memory, row, [*key_memories(memory, row), replace(fact, id=number)])
    numbers[row] = number + 1
    return number


def _count_accesses(memory: Memory, row: int, fact: KeyMemory) -> int:
    """Return how often the memories of a fact were recalled, as far as they are remembered."""
    return sum(source.accesses for source in format_memories(memory, row, fact.memories))


def convert_times(memory: Memory, row: int, convert: Callable[[Int64], Ints]) -> None:
    """Convert the ticks of an agent's summaries and key memories to the clock of its new memory."""
    written = load_entries(Summary, memory, row, SUMMARIES)
    for at, one in enumerate(written):
        time, since, until = convert(np.array([one.time, one.since, one.until])).tolist()
        written[at] = replace(one, time=time, since=since, until=until)
    facts = key_memories(memory, row)
    times = convert(np.array([fact.time for fact in facts], np.int64)).tolist()
    facts = [replace(fact, time=time) for fact, time in zip(facts, times, strict=True)]
    if written:
        write_entries(memory, row, SUMMARIES, written)
    if facts:
        write_entries(memory, row, KEY_MEMORIES, facts)


def delete(memory: Memory, row: int, ids: set[int]) -> int:
    """Delete key memories of one agent by id; return how many existed."""
    facts = key_memories(memory, row)
    remaining = [fact for fact in facts if fact.id not in ids]
    if len(remaining) < len(facts):
        _store(memory, row, remaining)
    return len(facts) - len(remaining)


def edit(memory: Memory, row: int, number: int, text: str) -> None:
    """Replace the text of a key memory of one agent."""
    fact = _checked(text)
    number = whole_number("number", number, least=INT64[0], most=INT64[1])
    facts = {fact.id: fact for fact in key_memories(memory, row)}
    if number not in facts:
        known = ", ".join(map(str, facts)) or "none"
        raise UnknownNameError(f"no key memory has the id {shown(number)}; there are: {known}")
    facts[number] = replace(facts[number], time=memory.now, text=fact)
    _store(memory, row, list(facts.values()))


def promotions_due(memory: Memory, rows: Int64) -> tuple[Int64, Int64]:
    """Find clusters with enough hits to promote: index into `rows` and number, shape (m,)."""
    settings = memory.layer_settings
    places, numbers = np.nonzero(clusters.hits_of(memory, rows) > settings.hit_threshold)
    if not len(places):
        return places, numbers
    founders = founders_by_row(memory.streams, settings.max_clusters)[rows[places], numbers]
    due = _promoted(memory)[rows[places], numbers] != founders
    return places[due], numbers[due]


def gist_passage(memory: Memory, row: int, number: int) -> Passage | None:
    """Load the members of a cluster that its gist is written from; None if there are none."""
    every = clusters.clusters_of(memory, row, observed=True)
    ids: list[int] = next(
        (cluster.ids.tolist() for cluster in every if cluster.number == number), []
    )
    members = [
        member.id
        for member in format_memories(memory, row, ids)
        if _is_of_person(memory, member) and not is_small_talk(member.text)
    ]
    passage = load_passage(memory, row, np.array(members, np.int64), "gist")
    if passage is None or len(passage.memories) <= GIST_MEMBERS:
        return passage
    nearest = np.argsort(-passage.centrality, kind="stable")[:GIST_MEMBERS]
    return load_passage(memory, row, passage.ids[np.sort(nearest)], "gist")


def _is_of_person(memory: Memory, one: Recollection) -> bool:
    """Return whether a memory is of an actor whose memories may become key memories."""
    actors = memory.layer_settings.key_actors
    return actors is None or one.actor in actors


def store_gist(memory: Memory, row: int, number: int, ids: Ints, text: str) -> None:
    """Pin the gist of a cluster, written from members `ids`, unless empty; mark it as promoted."""
    founders = founders_by_row(memory.streams, memory.layer_settings.max_clusters)
    _promoted(memory)[row, number] = founders[row, number]
    if text:
        keep(memory, row, text, ids.tolist())


def promote(memory: Memory, rows: Int64, writer: Writer) -> Int32:
    """Promote every cluster that is due; return the number by agent, shape (n,)."""
    counts = np.zeros(len(rows), np.int32)
    places, numbers = promotions_due(memory, rows)
    # An agent that is in a cohort twice gets a key memory once.
    _, once = np.unique(rows[places] << 32 | numbers, return_index=True)
    for place, number in zip(places[once].tolist(), numbers[once].tolist(), strict=True):
        row = int(rows[place])
        passage = gist_passage(memory, row, number)
        if passage is None:
            store_gist(memory, row, number, np.empty(0, np.int64), "")
        else:
            store_gist(memory, row, number, passage.ids, write(writer, passage))
            counts[place] += 1
    return counts


def keep_statements(memory: Memory, rows: Int64) -> None:
    """Keep what persons stated about themselves since the last call, each agent once."""
    if not memory.layer_settings.statements:
        return
    read_to = memory.streams.agent_column("statements", np.int32)
    for row in rows.tolist():
        stop = int(memory.streams.next[row])
        for recent in format_memories(memory, row, range(int(read_to[row]), stop)):
            if recent.kind == "event" and _is_of_person(memory, recent):
                for sentence in find_statements(recent.text):
                    keep(memory, row, sentence, (recent.id,), recent.actor)
        read_to[row] = stop


def _promoted(memory: Memory) -> Int32:
    """Return the founder of the cluster last promoted under each cluster number, -1 for none.

    Cluster numbers are reused, founders are not: so each cluster is promoted once, even if its key
    memory is deleted later. int32, shape (agents, max_clusters).
    """
    width = memory.layer_settings.max_clusters
    column = memory.streams.agent_column("promoted", np.int32, fill=-1, width=width)
    return column.reshape(-1, width)


def _checked(text: str) -> str:
    check_text("text", text)
    if not text.strip():
        raise ParameterError(f"text is {shown(text)}; a text that is not blank is needed")
    return text.strip()


def _store(memory: Memory, row: int, facts: list[KeyMemory]) -> None:
    """Replace the key memories of one agent, and tag the memories that they were made from."""
    before, after = _sources(key_memories(memory, row)), _sources(facts)
    order = sorted(facts, key=lambda fact: (fact.source != "user", fact.id))
    write_entries(memory, row, KEY_MEMORIES, order)
    bit = np.uint16(memory.tags.bits(TAG))
    for ids, is_key in ((after - before, True), (before - after, False)):
        numbers = np.array(sorted(ids), np.int64)
        rows = np.full(len(numbers), row)
        slots = memory.streams.locate(rows, numbers)
        slots = slots[slots >= 0]
        tags = memory.streams.at("tags", slots)
        memory.streams.put("tags", slots, tags | bit if is_key else tags & ~bit)
        if memory.store is not None and len(ids):
            memory.store.queue(changed=[(rows, numbers)])


def _sources(facts: Sequence[KeyMemory]) -> set[int]:
    return {number for fact in facts for number in fact.memories}


def find_statements(text: str) -> list[str]:
    """Return the sentences of a text that state something about the person who says them."""
    return [sentence for sentence in split_sentences(text) if find_frame(sentence)]


@lru_cache(4_096)
def find_frame(sentence: str) -> str:
    """Return the name of the frame of a statement; "" for any other sentence.

    Questions, quotations and sentences such as "I love it", which say nothing alone, are none.
    """
    if sentence.endswith(("?", "\uff1f")) or _QUOTE.search(sentence):
        return ""
    if not _content_words(sentence):
        return ""
    return next((name for name, frame in FRAMES.items() if frame.search(sentence)), "")


@lru_cache(4_096)
def is_small_talk(text: str) -> bool:
    """Return whether a text is a question or request, or has fewer than two words with content.

    Of texts in other scripts than English, only questions are recognised.
    """
    asks = text.rstrip().endswith(("?", "\uff1f")) or _REQUEST.match(text) is not None
    return asks or (text.isascii() and len(_content_words(text)) < 2)


def replaces(new: str, old: str) -> bool:
    """Return whether a statement replaces an older one of the same person."""
    frame = find_frame(new)
    if frame in SINGLE and frame == find_frame(old):
        return True
    return _CHANGES.search(new) is not None and bool(_content_words(new) & _content_words(old))


def _content_words(text: str) -> set[str]:
    """Return the words that are neither common nor small talk, without a plural s."""
    words = (word.removesuffix("s") for word in _WORD.findall(text.lower()) if word not in _COMMON)
    return {word for word in words if len(word) > 1}
