"""Answer questions about the attitudes of an agent: their levels, changes and what moved them."""

import pandas as pd

from memopolis.analysis.interview.questions import (
    compute_relevance,
    drop_opinion,
    find_subjects,
    read_attitude_words,
    read_plainly,
)
from memopolis.analysis.interview.speech import (
    join_sentences,
    phrase,
    say_attitude,
    say_memory,
    say_time,
    translate,
    voice_of,
)
from memopolis.analysis.interview.wording import RecordAnswer, date, quote_memories, words
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run

CHANGES = 3  # maximum number of changes of an attitude in an answer
LEAST_CHANGE = 0.005  # smallest change of an attitude, in points, that is reported
MIDDLE = 5.0  # level of an attitude to neither side
LARGE = 1.0  # change from which an attitude has clearly changed, in points (illustrative)
SMALL = 0.25  # change from which it has changed at all (illustrative)
_SCALES = ("scale", "how strongly", "0 to 10", "10分")
_LEAST_SHARED = 0.08  # least share of a subject in the words of an attitude (illustrative)


def describe_attitude(run: Run, life: Life, subject: str) -> RecordAnswer | None:
    """Describe the attitude to a subject, and its last changes with their evidence."""
    name, asked = matching_attitude(run, life, subject), read_plainly(subject).casefold()
    asks_level = any(word in asked for word in _SCALES)
    if asks_level and life.population == "citizen" and not name and not find_subjects(subject):
        name = next(iter(list_attitudes(run, life)), "")
    if not name:
        return None
    column = f"attitude.{name}"
    levels = life.status[column].dropna() if column in life.status else [life.profile[column]]
    now, first = (float([*levels][at]) for at in (-1, 0))
    _, _, scale = str(run.attributes(life.population)[column]["description"]).partition(", from ")
    between = f", on a scale from {scale}" if scale else ""
    moved = "It was the same" if abs(now - first) < LEAST_CHANGE else f"It was {first:.1f}"
    text = [f"My attitude to {words(name)} is {now:.1f} of 10{between}."]
    text.append(f"{moved} when it was first recorded.")
    changes = _changes(life, name, first)
    quoted: list[int] = []
    for change in changes.to_dict("records"):
        step = f"{change['change']:+.2f} to {change['value']:.2f}"
        text.append(f"It changed on {date(change['time'])} by {step}: {change['reason']}.")
        # Only the first memory is certain to speak for the change.
        ids = [one for one in change["rests_on"][:1] if one not in quoted]
        quotes, own = quote_memories(life, ids, lead="I remembered")
        text.append(quotes)
        quoted += own
    rows, voice = life.decisions.loc[changes.index[:1]], voice_of(life)
    spoken = [say_attitude(name, now, life)]
    if asks_level:
        label = translate(words(name))
        spoken.append(voice.say("on_scale", label=label, value=f"{now:.1f}"))
    for number in quoted[:1]:
        quote = say_memory(str(life.memories.loc[number, "text"]))
        change = next(row for row in changes.to_dict("records") if number in row["rests_on"][:1])
        sentence = "moved_back" if _opposes(change["change"], now) else "moved"
        spoken.append(voice.say(sentence, quote=quote))
    return RecordAnswer(join_sentences(spoken), tuple(quoted), rows, " ".join(filter(None, text)))


def _changes(life: Life, name: str, first: float, *, most: int | None = CHANGES) -> pd.DataFrame:
    """Return the last decisions that changed an attitude, newest first, with their changes.

    `most` is their maximum number, None for all.
    """
    decisions = life.decisions
    if decisions.empty:
        return pd.DataFrame(columns=["time", "value", "change", "reason", "rests_on"])
    own = decisions[(decisions["kind"].astype(str) == "attitude") & (decisions["item"] == name)]
    changes = own.assign(change=own["value"].diff().fillna(own["value"] - first))
    return changes[changes["change"].abs() >= LEAST_CHANGE].iloc[::-1].iloc[:most]


def matching_attitude(run: Run, life: Life, subject: str) -> str:
    """Return the attitude that shares most words with a subject, "" for none."""
    names, more = list_attitudes(run, life), read_attitude_words()
    subject = drop_opinion(subject)
    if not names or not subject.strip():
        return ""
    own, others = (
        compute_relevance(subject, [text(name) for name in names])
        for text in (words, lambda name: more.get(name, "-"))
    )
    shared = {name: a + b / 2 for name, a, b in zip(names, own, others, strict=True)}
    best = max(shared, key=lambda name: shared[name])
    return best if shared[best] >= _LEAST_SHARED else ""


def list_attitudes(run: Run, life: Life) -> list[str]:
    """List the recorded attitudes of an agent; small children have none."""
    known = {name for name, value in life.profile.items() if pd.notna(value)}
    known |= {str(name) for name in life.status if life.status[name].notna().any()}
    names = [one for one in run.attributes(life.population) if one.startswith("attitude.")]
    return [name.removeprefix("attitude.") for name in names if name in known]


def describe_change_of_mind(run: Run, life: Life, question: str) -> RecordAnswer | None:
    """Say whether an attitude has changed since the start, and what moved it most at one update."""
    name = _asked_attitude(run, life, question)
    levels = _levels(life, name)
    if len(levels) < 2:
        return None
    first, now = float(levels.iloc[0]), float(levels.iloc[-1])
    before, after = say_attitude(name, first, life), say_attitude(name, now, life)
    voice, moved = voice_of(life), abs(now - first)
    much = "hardly" if moved < SMALL else "clearly" if moved >= LARGE else "a_little"
    is_other = moved >= SMALL and before != after
    from_to = phrase("from_to", before=before, after=after) if is_other else ""
    spoken = [voice.say(f"changed_{much}", from_to=from_to), "" if is_other else after]
    details = [f"Attitude to {words(name)}: at first {first:.2f}, now {now:.2f} of 10."]
    changes = _changes(life, name, first, most=None)
    first_ids = changes["rests_on"].map(lambda ids: next(iter(ids), -1))
    changes = changes[first_ids.isin(life.memories.index)]
    changes = changes.sort_values("change", key=abs, ascending=False, kind="stable")
    quoted: tuple[int, ...] = ()
    for change in changes.head(1).to_dict("records"):
        quotes, quoted = quote_memories(life, change["rests_on"][:1], lead="I remembered")
        sentence = "moved_most_back" if _opposes(change["change"], now) else "moved_most"
        text = say_memory(str(life.memories.loc[change["rests_on"][0], "text"]))
        spoken.append(voice.say(sentence, when=say_time(run, change["time"]), quote=text))
        details.append(f"{change['change']:+.2f} to {change['value']:.2f}. {quotes}")
    rows = life.decisions.loc[changes.index[:1]]
    return RecordAnswer(join_sentences(spoken), quoted, rows, " ".join(details))


def _opposes(change: float, level: float) -> bool:
    """Check whether a change leads away from the side of an attitude of a level of 0 to 10."""
    return (level - MIDDLE) * change < 0


def _asked_attitude(run: Run, life: Life, question: str) -> str:
    """Return the attitude that a question names, else the one that changed most, "" for none."""
    name = matching_attitude(run, life, question)
    if name or find_subjects(question):
        return name
    spread = {
        one: float(levels.iloc[-1] - levels.iloc[0])
        for one in list_attitudes(run, life)
        if len(levels := _levels(life, one))
    }
    return max(spread, key=lambda one: abs(spread[one])) if spread else ""


def _levels(life: Life, name: str) -> pd.Series:
    column = f"attitude.{name}"
    if column in life.status:
        return life.status[column].dropna()
    return pd.Series([life.profile[column]] if column in life.profile else [], dtype=float)
