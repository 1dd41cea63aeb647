"""Answer questions from the memories of an agent: its days, talks, sources, and what moved it."""

import re
from collections.abc import Sequence

import pandas as pd

from memopolis.analysis.interview.questions import (
    RELEVANT,
    compute_relevance,
    read_announcers,
    read_plainly,
)
from memopolis.analysis.interview.speech import say_memory, say_time, voice_of
from memopolis.analysis.interview.status_answers import household_of, read_household
from memopolis.analysis.interview.wording import TALK, RecordAnswer, join_names, quote_memories
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.sim.memory.retrieval.recollection import quote_speech

EVENTS = 3  # maximum number of events of one day in an answer
WEEK = 7  # days of a week
_DAY = 24.0  # hours
MOST_NAMES = 5
_MOST_SOURCES = 2
_HEARD = 0.15  # least share of a question in news that an agent heard of it (illustrative)
_NEAR = 0.75  # least relevance of a memory of a subject, relative to the best (illustrative)
_DEED = re.compile(r"(?:I|We) (?!told|answered)")  # begins a memory of what an agent did itself
_NO_DEED = re.compile(rf"(?!{_DEED.pattern})")
_POST = re.compile(r".{1,60}? (?:posted|reported): ")
_OWN_POST = re.compile("I posted: ")
_PLEASANT = ("best", "happiest", "nicest", "good thing", "enjoy")
_TOGETHER = ("together", "friend")
_STAY = "stay"  # topic of memories of where evacuees stayed
_FAMILY = ("family", "household", "husband", "wife", "parents", "children")


def plain_answer(
    life: Life, text: str, details: str = "", memories: tuple[int, ...] = ()
) -> RecordAnswer:
    """Return an answer that explains no decision."""
    return RecordAnswer(text, memories, life.decisions.iloc[:0], details)


def list_memories(life: Life, kind: str) -> pd.DataFrame:
    """Return the memories of a kind, "event" or "thought"."""
    memories = life.memories
    return memories if memories.empty else memories[memories["kind"].astype(str) == kind]


def _list_events(life: Life, pattern: re.Pattern[str]) -> pd.DataFrame:
    """Return the memories of events whose texts begin with a match of a pattern."""
    events = list_memories(life, "event")
    return events[events["text"].astype(str).str.match(pattern)] if len(events) else events


def describe_events(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Report what an agent did on the last day, on the day before, or on each of the last seven.

    With steps longer than a day, it is the last step. None if nothing happened to the agent.
    """
    own = list_memories(life, "event")
    if own.empty:
        return None
    asked, days = read_plainly(question).casefold(), own["time"].dt.normalize()
    last = days.max()
    if run.hours > _DAY:
        chosen = own[own["time"] == own["time"].max()]
    elif any(word in asked for word in ("week", "days")):
        chosen = own[days > last - pd.Timedelta(days=WEEK)]
    elif "yesterday" in asked:
        chosen = own[days == last - pd.Timedelta(days=1)]
    else:
        chosen = own[days == last]
    if chosen.empty:
        return plain_answer(life, "I remember nothing of that day.")
    is_deed = chosen["text"].astype(str).str.match(_DEED)
    chosen = chosen.assign(weight=chosen["importance"] + is_deed)  # deeds before news
    best = chosen.sort_values("weight", ascending=False, kind="stable").drop_duplicates("text")
    day = best["time"].dt.normalize()
    is_week = len(day.unique()) > 1
    best = best.groupby(day).head(1) if is_week else best.head(EVENTS)
    best = best.sort_values("time", kind="stable")
    lines = [
        (f"{row['time']:%A}: " if is_week else "") + quote_speech(str(row["text"])).rstrip(".")
        for row in best.to_dict("records")
    ]
    details, ids = quote_memories(life, best.index, most=WEEK)
    joined = "; ".join(lines) if is_week else ". ".join(lines)
    is_idle = not is_week and best["text"].astype(str).str.startswith(read_announcers()).all()
    lead = f"{_upper(voice_of(life).i)} only heard the news. " if is_idle else ""
    return plain_answer(life, f"{lead}{joined}.", details, ids)


def describe_deeds(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Report what an agent did where or with what the question names; None if there is nothing."""
    deeds = _list_events(life, _DEED)
    asked = read_plainly(question).casefold()
    if any(word in asked for word in _TOGETHER):
        best = deeds[deeds["actor"].isin(list_friends(run, life))] if len(deeds) else deeds
    else:
        best = find_about(deeds, question)
    if best.empty:
        return None
    best = best.iloc[::-1].drop_duplicates("text").head(EVENTS).iloc[::-1]
    details, ids = quote_memories(life, best.index)
    lines = [
        f"{_upper(say_time(run, row['time']))}: {quote_speech(str(row['text'])).rstrip('.')}."
        for row in best.to_dict("records")
    ]
    return plain_answer(life, " ".join(lines), details, ids)


def describe_stay(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Report where an agent stayed while it was away: arrival, one evening there, and leaving.

    None if it remembers no stay.
    """
    del question
    stay = list_memories(life, "event")
    if len(stay):
        stay = stay[(stay["topic"].astype(str) == _STAY) & (stay["actor"] < 0)]
    if stay.empty:
        return None
    first, last = stay.index[0], stay.index[-1]
    evenings = stay.iloc[1:-1].sort_values("importance", ascending=False, kind="stable")
    chosen = stay.loc[[*dict.fromkeys([first, *evenings.index[:1], last])]]
    details, ids = quote_memories(life, chosen.index)
    lines = [
        f"{_upper(say_time(run, row['time']))}: {str(row['text']).rstrip('.')}."
        for row in chosen.to_dict("records")
    ]
    return plain_answer(life, " ".join(lines), details, ids)


def find_about(memories: pd.DataFrame, question: str, *, least: float = RELEVANT) -> pd.DataFrame:
    """Return the memories whose words a question shares, in their order; empty if there are none.

    Memories with less than `_NEAR` of the relevance of the best one are left out.
    """
    if memories.empty:
        return memories
    texts = memories["text"].astype(str)
    distinct = [*dict.fromkeys(texts)]
    shares = dict(zip(distinct, compute_relevance(question, distinct), strict=True))
    relevance = texts.map(shares)
    return memories[relevance >= max(least, _NEAR * relevance.max())]


def describe_first_news(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Say when and from whom an agent first heard of a subject; None if it never did."""
    heard = _list_events(life, _NO_DEED)
    about = find_about(heard, question, least=_HEARD)
    if about.empty:
        return None
    first = about.sort_values("time", kind="stable").iloc[[0]]
    row = first.iloc[0]
    voice, text = voice_of(life), str(row["text"])
    when = say_time(run, row["time"])
    details, ids = quote_memories(life, first.index)
    spoken = f"{_upper(voice.i)} first heard of it {when}: {say_memory(text)}"
    return plain_answer(life, spoken, details, ids)


def describe_sources(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Say where the news of an agent comes from: outlets, posts, talks and announcements."""
    del question
    events = list_memories(life, "event")
    if events.empty:
        return None
    texts = events["text"].astype(str)
    is_post, is_heard = texts.str.match(_POST), texts.str.contains(" told me: ", regex=False)
    others = events["actor"] >= 0
    populations = {int(actor): run.population_of(int(actor)) for actor in events["actor"].unique()}
    is_outlet = is_post & ~events["actor"].map(populations).isin(["citizen", ""])
    lines = [
        ("from {names}", _name_most(run, events[is_outlet])),
        ("from posts by {names}", _name_most(run, events[is_post & others & ~is_outlet])),
        ("from talks with {names}", _name_most(run, events[is_heard & ~is_outlet])),
    ]
    parts = [text.replace("{names}", names) for text, names in lines if names]
    announced = events[texts.str.startswith(read_announcers())]
    quotes = announced.iloc[[-1]] if len(announced) else announced
    parts += ["from public reports"] if len(announced) else []
    if not parts:
        return None
    spoken = f"My news comes {join_names(parts)}."
    details, ids = quote_memories(life, quotes.index)
    if ids:
        spoken += f" The last was: {say_memory(str(quotes.iloc[0]['text']))}"
    return plain_answer(life, spoken, details, ids)


def _name_most(run: Run, events: pd.DataFrame, most: int = _MOST_SOURCES) -> str:
    """Name the actors of most of the memories, "" if there are none."""
    counts = events["actor"].value_counts(sort=False)
    ranked = sorted(counts.items(), key=lambda pair: (-int(pair[1]), int(str(pair[0]))))
    names = [run.name_of(int(str(actor))) for actor, _ in ranked[:most]]
    return join_names([*names, *(["others"] if len(ranked) > most else [])])


def describe_posts(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Quote the last message that an agent posted; None if agents of this run post nothing."""
    del question
    if "posted" not in run.attributes(life.population):
        return None
    own = _list_events(life, _OWN_POST)
    if own.empty:
        return plain_answer(life, "I have posted nothing that I remember; I only read.")
    last = own.iloc[[-1]]
    details, ids = quote_memories(life, last.index)
    count = "once" if len(own) == 1 else f"{len(own)} times"
    when = say_time(run, last.iloc[0]["time"])
    text = say_memory(str(last.iloc[0]["text"]).removeprefix("I posted: "))
    return plain_answer(life, f"I posted {count}, last {when}: {text}", details, ids)


def describe_talks(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Name those with whom an agent talked in the last week, or about what the question names."""
    talks = _list_events(life, TALK)
    asked = read_plainly(question).casefold()
    is_family = any(word in asked for word in _FAMILY) and read_household(life) is not None
    if is_family:
        talks = talks[talks["actor"].isin(household_of(run, life))]
    if talks.empty and is_family:
        return plain_answer(life, "I remember no talk with my family.")
    if talks.empty:
        return None  # other memories may answer
    about = find_about(talks, question)
    chosen, spoken = about, "I talked about that with {names}."
    if about.empty or (run.hours <= _DAY and "week" in asked):
        days = talks["time"].dt.normalize()
        end = list_memories(life, "event")["time"].dt.normalize().max()
        chosen = talks[days > end - pd.Timedelta(days=WEEK)]
        spoken = "In the last week I talked with {names}."
        if chosen.empty:
            chosen = talks.iloc[-1:]
            spoken = f"I last talked with {{names}}, {say_time(run, chosen.iloc[0]['time'])}."
    names = _name_most(run, chosen, MOST_NAMES)
    heard = chosen[chosen["text"].astype(str).str.contains(r" (?:told me|answered): ")]
    last = (heard if len(heard) else chosen).iloc[[-1]]
    details, ids = quote_memories(life, last.index)
    spoken = f"{spoken.replace('{names}', names)} {say_memory(str(last.iloc[0]['text']))}"
    return plain_answer(life, spoken, details, ids)


def describe_strongest(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Quote the worst memory of an agent, or the best if the question asks for that."""
    events = list_memories(life, "event")
    if events.empty:
        return None
    is_best = any(word in read_plainly(question).casefold() for word in _PLEASANT)
    sign = 1 if is_best else -1
    weight = events["valence"] * events["importance"] * sign
    if weight.max() <= 0:
        return None
    row = events.loc[[weight.idxmax()]]
    details, ids = quote_memories(life, row.index)
    voice = voice_of(life)
    when = say_time(run, row.iloc[0]["time"])
    word = "best" if is_best else "worst"
    spoken = f"The {word} that {voice.i} remember was {when}: {say_memory(row.iloc[0]['text'])}"
    return plain_answer(life, spoken, details, ids)


def describe_friends_views(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Quote what a friend said last on a subject; an agent knows of others only what it heard."""
    friends = list_friends(run, life)
    events = list_memories(life, "event")
    if events.empty or not friends:
        return None
    texts = events["text"].astype(str)
    is_speech = texts.str.contains(r" (?:told me|answered|posted): ") & events["actor"].isin(
        friends
    )
    heard = events[is_speech]
    about = find_about(heard, question)
    heard = about if len(about) else heard
    if heard.empty:
        return plain_answer(life, "I cannot say what my friends think; none of them told me.")
    latest = heard.drop_duplicates("actor", keep="last").iloc[-2:]
    details, ids = quote_memories(life, latest.index)
    quotes = [say_memory(str(text)) for text in latest["text"]]
    return plain_answer(
        life, f"I know it only of those who said so. {' '.join(quotes)}", details, ids
    )


def list_friends(run: Run, life: Life) -> set[int]:
    """Return the unique_ids of the friends of an agent."""
    ties = run.ties("friend")
    mine = ties[(ties["source"] == life.agent) | (ties["target"] == life.agent)]
    return {int(agent) for agent in (*mine["source"], *mine["target"])} - {life.agent}


def say_about(life: Life, question: str) -> tuple[str, tuple[int, ...]]:
    """Quote the last bad memory that shares the words of a question, "" if there is none."""
    events = list_memories(life, "event")
    events = events[events["valence"] < 0] if len(events) else events
    about = find_about(events, question)
    if about.empty:
        return "", ()
    text = str(about.iloc[-1]["text"])
    voice = voice_of(life)
    return f"{_upper(voice.i)} remember: {say_memory(text)}", (int(about.index[-1]),)


def shorten(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Join the first of some names, and the number of the others."""
    rest = len(names) - most
    return join_names([*names[:most], *([f"{rest} more"] if rest > 0 else [])])


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
