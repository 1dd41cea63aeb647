"""Answer questions from the memories of an agent: its days, talks, sources and all others."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from memopolis.analysis.interview.questions import (
    RELEVANT,
    compute_relevance,
    find_subjects,
    read_announcers,
    read_plainly,
    read_subjects,
)
from memopolis.analysis.interview.speech import (
    join_sentences,
    phrase,
    say_event,
    say_memory,
    say_names,
    say_time,
    say_weekday,
    translate,
    voice_of,
)
from memopolis.analysis.interview.status_answers import household_of, read_household
from memopolis.analysis.interview.wording import RecordAnswer, gist, quote_memories
from memopolis.analysis.labels import plural
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

EVENTS = 3  # maximum number of events of one day in an answer
WEEK = 7  # days of a week
_DAY = 24.0  # hours
_MOST_SOURCES = 2
_NEAR = 0.75  # least relevance of a memory of a subject, relative to the best (illustrative)
_SPEECH = re.compile(
    r"(?P<by>[^:\"]{1,60}?) (?P<did>told|answered|posted|reported)\b[^:\"]{0,60}: ", re.DOTALL
)
_OWN = ("lived", "own post")  # sources of what an agent did or lived through
_TALKS = "social"  # topic of memories of meetings and of what an agent said
_SPOKEN = ("said", "heard")  # sources of what was said in a talk
_PLEASANT = ("best", "happiest", "nicest", "good thing", "enjoy")
_TOGETHER = ("together", "friend")
_STAY = "stay"  # topic of memories of where evacuees stayed
_FAMILY = ("family", "household", "husband", "wife", "parents", "children")


def plain_answer(
    life: Life, text: str, details: str = "", memories: tuple[int, ...] = ()
) -> RecordAnswer:
    """Return an answer that explains no decision."""
    return RecordAnswer(text, memories, life.decisions.iloc[:0], details)


def find_sources(texts: pd.Series) -> pd.Series:
    """Return by whom memories were said, or how they came about.

    "said" or "own post" by the agent itself, "heard" from the one who said it in a talk, "post" by
    another or an outlet, "news" that reach everybody, and else "lived".
    """
    return texts.map({text: _find_source(text) for text in texts.unique()})


def _find_source(text: str) -> str:
    speech = _SPEECH.match(text)
    if speech is None:
        return "news" if text.startswith(read_announcers()) else "lived"
    is_own = speech["by"] in {"I", "We"}
    if speech["did"] in {"told", "answered"}:
        return "said" if is_own else "heard"
    return "own post" if is_own else "post"


def list_memories(life: Life, kind: str) -> pd.DataFrame:
    """Return the memories of a kind, "event" or "thought"."""
    memories = life.memories
    return memories if memories.empty else memories[memories["kind"].astype(str) == kind]


def list_events(life: Life, sources: Sequence[str] = ()) -> pd.DataFrame:
    """Return the memories of events with their `source`, of some sources or, if empty, of all."""
    events = list_memories(life, "event")
    if events.empty:
        return events.assign(source="")
    events = events.assign(source=find_sources(events["text"].astype(str)))
    return events[events["source"].isin(sources)] if sources else events


def find_about(memories: pd.DataFrame, question: str, *, by_words: bool = False) -> pd.DataFrame:
    """Return the memories of the narrowest subject of a question of which there are any.

    With `by_words`, or if the question names no subject, they are those that share its words and
    have at least `_NEAR` of the relevance of the best one.
    """
    if memories.empty:
        return memories
    texts, topics = memories["text"].astype(str), memories["topic"].astype(str)
    subjects = find_subjects(question)
    if subjects and not by_words:
        others = {topic for subject in read_subjects().values() for topic in subject.topics}
        for subject in subjects:
            is_typed = topics.isin(subject.topics)
            is_named = texts.str.contains(subject.pattern) & ~topics.isin(others)
            is_named &= (topics == _TALKS) | (not is_typed.any())
            about = memories[is_named | is_typed]
            if len(about):
                return about
        return memories.iloc[:0]
    distinct = [*dict.fromkeys(texts)]
    shares = dict(zip(distinct, compute_relevance(question, distinct), strict=True))
    relevance = texts.map(shares)
    return memories[relevance >= max(RELEVANT, _NEAR * relevance.max())]


def recall(run: Run, life: Life, question: str, what: Mapping[str, Any]) -> RecordAnswer | None:
    """Quote the memories of a kind of question, as its `recall` in the table describes.

    None if the agent has none, and the kind has no sentence for that.
    """
    events, asked = list_events(life, what.get("sources", ())), read_plainly(question).casefold()
    names_subject, search = bool(find_subjects(question)), what.get("search", "")
    if what.get("subject") and not names_subject:
        return None
    is_deed = search == "always"
    together = "people" in what or (is_deed and any(word in asked for word in _TOGETHER))
    if together:
        friends = list_friends(run, life)
        if not friends:
            return None
        events = events[events["actor"].isin(friends)] if len(events) else events
    if what.get("sign") and len(events):
        events = events[events["valence"] * what["sign"] > 0]
    is_filtered = names_subject or (search and not together)
    about = find_about(events, question, by_words=is_deed) if is_filtered else events
    name = what["say"]
    if what["order"] == "strongest" and len(about):
        name = "best" if any(word in asked for word in _PLEASANT) else "worst"
        weight = about["valence"] * about["importance"] * (1 if name == "best" else -1)
        about = about[weight == weight.max()] if weight.max() > 0 else about.iloc[:0]
    if about.empty:
        return plain_answer(life, voice_of(life).say(what["none"])) if "none" in what else None
    chosen = _choose(about, what["order"], what.get("most", 1))
    details, ids = quote_memories(life, chosen.index)
    voice, lines, before = voice_of(life), list[str](), ""
    count = phrase("once") if len(about) == 1 else phrase("times", count=len(about))
    for row in chosen.to_dict("records"):
        when, text = say_time(run, row["time"]), str(row["text"])
        quote = say_memory(text.partition(": ")[2] if row["source"] == "own post" else text)
        again = lines and (name == "views" or when == before)
        line = "line" if lines else name
        lines.append(quote if again else voice.say(line, when=when, quote=quote, count=count))
        before = when
    return plain_answer(life, join_sentences(lines), details, ids)


def _choose(memories: pd.DataFrame, order: str, most: int) -> pd.DataFrame:
    """Return at most so many memories without repeats, in the order of time."""
    if order == "important":
        weight = memories["importance"] + memories["source"].isin(_OWN)
        ranked = memories.loc[weight.sort_values(ascending=False, kind="stable").index]
    else:
        ranked = memories.sort_values("time", ascending=order == "first", kind="stable")
    ranked = ranked[~ranked["text"].astype(str).map(gist).duplicated()]
    return ranked.head(most).sort_values("time", kind="stable")


def describe_events(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Report what an agent did on the last day, on the day before, or on each of the last seven.

    With steps longer than a day, it is the last step. None if nothing happened to the agent.
    """
    own = list_events(life)
    if own.empty:
        return None
    asked, days = read_plainly(question).casefold(), own["time"].dt.normalize()
    last, voice = days.max(), voice_of(life)
    if run.hours > _DAY:
        chosen = own[own["time"] == own["time"].max()]
    elif any(word in asked for word in ("week", "days")):
        chosen = own[days > last - pd.Timedelta(days=WEEK)]
    elif "yesterday" in asked:
        chosen = own[days == last - pd.Timedelta(days=1)]
    else:
        chosen = own[days == last]
    if chosen.empty:
        return plain_answer(life, voice.say("no_day"))
    # What an agent did or lived through comes before news.
    chosen = chosen.assign(weight=chosen["importance"] + chosen["source"].isin(_OWN))
    best = chosen.sort_values("weight", ascending=False, kind="stable").drop_duplicates("text")
    day = best["time"].dt.normalize()
    is_week = len(day.unique()) > 1
    best = best.groupby(day).head(1) if is_week else best.head(EVENTS)
    best = best.sort_values("time", kind="stable")
    texts = [say_event(str(text)) for text in best["text"]]
    if is_week:
        days = best["time"].map(say_weekday)
        texts = [
            phrase("line", when=day, quote=text) for day, text in zip(days, texts, strict=True)
        ]
    details, ids = quote_memories(life, best.index, most=WEEK)
    is_idle = not is_week and (best["source"] == "news").all()
    lead = voice.say("only_news") if is_idle else ""
    text = phrase("separator" if is_week else "stop").join(texts) + phrase("stop").rstrip()
    return plain_answer(life, join_sentences([lead, text]), details, ids)


def describe_stay(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Report where an agent stayed while it was away: arrival, one evening there, and leaving.

    None if it remembers no stay.
    """
    del question
    events = list_events(life)
    stay = events[(events["topic"].astype(str) == _STAY) & (events["actor"] < 0)]
    if stay.empty:
        return None
    first, last = stay.index[0], stay.index[-1]
    evenings = stay.iloc[1:-1].sort_values("importance", ascending=False, kind="stable")
    chosen = stay.loc[[*dict.fromkeys([first, *evenings.index[:1], last])]]
    details, ids = quote_memories(life, chosen.index)
    voice = voice_of(life)
    lines = [
        voice.say("line", when=say_time(run, row["time"]), quote=say_memory(str(row["text"])))
        for row in chosen.to_dict("records")
    ]
    return plain_answer(life, join_sentences(lines), details, ids)


def describe_sources(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Say where the news of an agent comes from: outlets, posts, talks and announcements."""
    del question
    events = list_events(life, ("post", "heard", "news"))
    if events.empty:
        return None
    source, actors = events["source"], events["actor"]
    populations = {int(actor): run.population_of(int(actor)) for actor in actors.unique()}
    is_post = source == "post"
    is_outlet = is_post & ~actors.map(populations).isin(["citizen", ""])
    lines = [
        ("from_outlets", events[is_outlet]),
        ("from_posts", events[is_post & ~is_outlet & (actors >= 0)]),
        ("from_talks", events[source == "heard"]),
    ]
    parts = [phrase(name, names=_name_most(run, rows)) for name, rows in lines if len(rows)]
    announced = events[source == "news"].tail(1)
    parts += [phrase("from_reports")] if len(announced) else []
    voice = voice_of(life)
    spoken = [voice.say("news", sources=say_names(parts))]
    details, ids = quote_memories(life, announced.index)
    if ids:
        spoken.append(voice.say("last_news", quote=say_memory(str(announced.iloc[0]["text"]))))
    return plain_answer(life, join_sentences(spoken), details, ids)


def _name_most(run: Run, events: pd.DataFrame, most: int = _MOST_SOURCES) -> str:
    """Name the actors of most of the memories, "" if there are none."""
    counts = events["actor"].value_counts(sort=False)
    ranked = sorted(counts.items(), key=lambda pair: (-int(pair[1]), int(str(pair[0]))))
    names = [run.name_of(int(str(actor))) for actor, _ in ranked[:most]]
    return say_names([*names, *([phrase("others")] if len(ranked) > most else [])], most + 1)


def describe_talks(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Name those with whom an agent talked about a subject, or in the last week.

    If the question asks for the last one, it is named alone.
    """
    talks, asked, voice = (
        list_events(life, _SPOKEN),
        read_plainly(question).casefold(),
        voice_of(life),
    )
    is_family = any(word in asked for word in _FAMILY) and read_household(life) is not None
    if is_family and len(talks):
        talks = talks[talks["actor"].isin(household_of(run, life))]
    names_subject = bool(find_subjects(question))
    about = find_about(talks, question)
    if names_subject and about.empty and life.population == "citizen":
        return plain_answer(life, voice.say("no_family_talk" if is_family else "no_talk"))
    if talks.empty:
        return plain_answer(life, voice.say("no_family_talk")) if is_family else None
    is_last = "last" in asked.replace("last week", "")
    name, chosen = "talked_about", about
    if about.empty or (not names_subject and run.hours <= _DAY and "week" in asked):
        days = talks["time"].dt.normalize()
        end = list_events(life)["time"].dt.normalize().max()
        name, chosen = "talked_in_week", talks[days > end - pd.Timedelta(days=WEEK)]
        if chosen.empty or is_last:
            name, chosen = "talked_last", talks.iloc[-1:]
    elif is_last:
        name, chosen = "talked_last_about", about.iloc[-1:]
    heard = chosen[chosen["source"] == "heard"]
    last = (heard if len(heard) else chosen).iloc[[-1]]
    details, ids = quote_memories(life, last.index)
    spoken = voice.say(
        name,
        names=_name_most(run, chosen, 5),
        when=say_time(run, chosen.iloc[-1]["time"]),
        quote=say_memory(str(last.iloc[0]["text"])),
    )
    return plain_answer(life, spoken, details, ids)


def describe_friends_party(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Count the parties of the friends of an agent; None if it has none, or parties are unknown."""
    del question
    people = run.people(life.population)
    friends = people[people["agent"].isin(list_friends(run, life))]
    if friends.empty or "party" not in friends:
        return None
    parties = friends["party"].astype(str).tolist()
    counts = [
        phrase("number", count=count, label=translate(plural(party) if count > 1 else party))
        for party, count in Counter(parties).most_common()
    ]
    spoken = voice_of(life).say("friends_of", count=len(friends), names=say_names(counts))
    return plain_answer(life, spoken)


def list_friends(run: Run, life: Life) -> set[int]:
    """Return the unique_ids of the friends of an agent."""
    ties = run.ties("friend")
    mine = ties[(ties["source"] == life.agent) | (ties["target"] == life.agent)]
    return {int(agent) for agent in (*mine["source"], *mine["target"])} - {life.agent}
