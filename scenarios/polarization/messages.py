"""Messages on a subject: what authors say, composed from their stance, conviction and memories.

A message is a memory of its author and of those who read or hear it. Its topic is an attitude and
its valence the stance, from -1 (of laws on guns: against stricter ones) to 1 (for them), so that
it expresses the opinion 5 + 5 times the valence. The text has an opening, a claim of the level
nearest the stance, and the grounds for the claim. The phrases are in `data/messages.toml`, and
those of other subjects in the files that `subjects.toml` names.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.agents.conversation import ANSWERED, Remarks
from memopolis.agents.everyday import RECEIVED, REPLIES
from memopolis.agents.grammar import Grammar
from memopolis.agents.replies import Remembered
from memopolis.agents.thoughts import find_sign
from memopolis.scenarios.polarization.subjects import GUNS, Subject
from memopolis.sim.arrays import Float32, Float64, Floats, Int8, Int32, Intp, Ints
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.timeline import News

DATA = Path(__file__).parent / "data"

LEVELS = 7  # number of levels of stance, from strongly against to strongly for

POSTED = "{actor} posted: "
REPORTED = "{actor} reported: "
WROTE = "{actor} wrote to me: "
MINE = "I posted: "
"""Prefixes of memories of messages: who said it to whom. Those of talks are in
`agents/conversation.py`."""

STATEMENTS = (RECEIVED, ANSWERED, POSTED)
"""Beginnings of memories of what a friend said or posted."""

GROUNDS = (
    "principle", "owner", "rural", "urban", "news", "friend", "post", "story", "campaign",
    "support up", "support down", "gap up", "gap down", "appeal",
)  # fmt: skip
"""Kinds of grounds for a claim; authors without any other use the first."""

CLAIM_SIDES = ("against", "torn", "for")  # sides of claims, by the sign of their level

FIRM = 0.2  # conviction from which a citizen speaks firmly (illustrative)
OPEN = 0.3  # absolute stance below which a citizen speaks openly (illustrative)
NOTED = 1.0
"""Distance of an outlook from 5, in points, from which an institution mentions the response
(illustrative)."""

DRAWS = 3  # number of uniform draws that choose the phrases of a message


MIN_VALENCE = 1 / 127  # minimum absolute valence of a message with a stance: 0 means none


@dataclass(frozen=True)
class Draft:
    """What authors want to say, one entry each, shape (m,)."""

    topic: Ints  # position in the topics of the subject
    stance: Floats  # from -1 to 1
    u: Float64  # uniform draws in [0, 1) that choose the phrases, shape (m, `DRAWS`)
    subject: Subject = GUNS

    @property
    def level(self) -> Intp:
        """Level of each stance; see `compute_level`."""
        return compute_level(self.stance)


@dataclass(frozen=True)
class Statements:
    """Statements, one entry each, shape (m,)."""

    topic: Int8  # position in the topics of the subject, -1 for neutral statements
    stance: Float32  # from -1 to 1, 0 for neutral statements
    text: Int32  # number of the text, without a prefix
    subject: Subject = GUNS

    def __len__(self) -> int:
        return len(self.topic)

    def at(self, rows: Ints) -> "Statements":
        """Select some of the statements."""
        return replace(self, topic=self.topic[rows], stance=self.stance[rows], text=self.text[rows])

    def reword(self, text: Int32) -> "Statements":
        """Return the statements with other texts, shape (m,)."""
        return replace(self, text=text)

    def remarks(self, importance: float | Floats, confidence: float | Floats) -> Remarks:
        """Return what readers or listeners remember."""
        topic = np.where(self.topic < 0, len(self.subject.topics), self.topic)
        topics = (*self.subject.topics, self.subject.neutral)
        return Remarks(topics, topic, self.text, importance, self.stance, confidence)


@cache
def read_messages(subject: Subject = GUNS) -> Grammar:
    """Read the phrases of messages on a subject, and the closings of talks."""
    return Grammar.read(REPLIES, *list_phrase_files(subject))


def list_phrase_files(subject: Subject) -> tuple[Path, ...]:
    """Return the files of phrases of a subject; keys of later ones replace those of earlier."""
    own = (DATA / subject.file,) if subject.file else ()
    return (DATA / "messages.toml", *own)


def write_claims(texts: Texts, draft: Draft, *, opening: Intp, ground: Ints) -> Statements:
    """Compose statements of citizens and persuaders, given numbers of openings and of `GROUNDS`."""
    side = find_side(draft.stance) + 1
    keys = [f"{one} {kind}" for one in CLAIM_SIDES for kind in GROUNDS]
    grounds = read_messages(draft.subject).numbers("ground", keys).reshape(len(CLAIM_SIDES), -1)
    claim = _number_levels("claim", draft)
    return _compose(texts, draft, opening=opening, claim=claim, ground=grounds[side, ground])


def write_replies(texts: Texts, draft: Draft, *, agreement: Intp, closing: Intp) -> Statements:
    """Compose replies, which give no ground; a closing and a ground make too many texts."""
    claim = _number_levels("claim", draft)
    return _compose(texts, draft, agreement=agreement, claim=claim, closing=closing)


def write_stories(texts: Texts, draft: Draft, *, opening: Intp) -> Statements:
    """Compose the stories of outlets."""
    return _compose(texts, draft, opening=opening, story=_number_levels("story", draft))


def write_neutral(texts: Texts, u: Float64, subject: Subject = GUNS) -> Statements:
    """Compose statements without a stance."""
    zeros = np.zeros(len(u), np.intp)
    text = read_messages(subject).compose({"neutral": zeros}, u[:, None], texts)
    topic = zeros.astype(np.int8) - np.int8(1)
    return Statements(topic, zeros.astype(np.float32), text, subject)


def _compose(texts: Texts, draft: Draft, **parts: Intp) -> Statements:
    """Compose statements from numbers of keys by section, in the order of the sentences."""
    text = read_messages(draft.subject).compose(parts, draft.u, texts)
    topic = draft.topic.astype(np.int8)
    return Statements(topic, avoid_zero(draft.stance), text, draft.subject)


def _number_levels(section: str, draft: Draft) -> Intp:
    """Return the number of each statement's key of a section, by topic and level, shape (m,)."""
    topics = draft.subject.topics
    keys = [f"{topic} {level - LEVELS // 2}" for topic in topics for level in range(LEVELS)]
    numbers = read_messages(draft.subject).numbers(section, keys).reshape(len(topics), LEVELS)
    return np.asarray(numbers[draft.topic, draft.level])


def intern_neutral(texts: Texts, subject: Subject = GUNS) -> None:
    """Intern all neutral messages, since relevance depends on all texts of a society.

    This gives other texts the same weight in treatments with and without neutral messages.
    """
    phrases = read_messages(subject).phrases("neutral")
    texts.intern_many([prefix + phrase for prefix in ("", WROTE) for phrase in phrases])


def select_topic(by_topic: Sequence[Floats], topic: Ints) -> Float32:
    """Select the value of each speaker's topic from values in the order of a subject's topics."""
    return np.where(topic == 1, by_topic[1], by_topic[0]).astype(np.float32)


def number_openings(conviction: Floats, stance: Floats) -> Intp:
    """Return the number of the key of each citizen's opening, by conviction and stance, (m,)."""
    none, firm, undecided = read_messages().numbers("opening", ("none", "firm", "open"))
    decided = np.where(conviction >= FIRM, firm, none)
    return np.asarray(np.where(np.abs(stance) < OPEN, undecided, decided))


def number_outlook(institution: str, outlook: Floats) -> Intp:
    """Return the number of the key of each opening of an "outlet" or a "persuader"."""
    keys = [f"{institution} {way}" for way in ("plain", "up", "down")]
    return read_messages().numbers("opening", keys)[find_sign(outlook - 5, NOTED)]


def draw_stance(attitude: Floats, noise: Float64, *, spread: float) -> Float32:
    """Draw stances around (attitude - 5) / 5, clipped to [-1, 1], by standard normal noise."""
    return np.clip((attitude - 5) / 5 + spread * noise, -1, 1).astype(np.float32)


def avoid_zero(stance: Floats) -> Float32:
    """Keep stances away from 0, which means none; 0 itself becomes positive."""
    least = np.where(stance < 0, -MIN_VALENCE, MIN_VALENCE)
    return np.where(np.abs(stance) < MIN_VALENCE, least, stance).astype(np.float32)


def find_side(stance: Floats) -> Intp:
    """Return the side of the claims of stances: -1 against, 0 torn, 1 for, shape of `stance`."""
    return np.sign(compute_level(stance) - LEVELS // 2)


def take_up(memories: Sequence[Remembered], stance: float, agreement: str, u: float) -> str:
    """Return what a reply says of what the friend said or posted before, "" for nothing.

    The memories are of `STATEMENTS` on the topic, the newest first; `stance` is what the friend
    says now, and `agreement` "same", "near" or "apart"; `u` in [0, 1) chooses the phrase.
    """
    has_changed = bool(memories) and memories[0].valence * stance < 0
    if not memories or (agreement == "near" and not has_changed):
        return ""
    verb = "posted" if memories[0].text.startswith(POSTED) else "said"
    way = "changed" if has_changed else agreement
    phrases = read_messages().sections["remembered"][f"{verb} {way}"]
    return phrases[int(u * len(phrases))].replace("{when}", memories[0].when)


def compute_level(stance: Floats) -> Intp:
    """Return levels of stance, 0 (strongly against) to 6 (strongly for), by nearest third.

    An unknown stance, NaN, is in the middle.
    """
    middle = LEVELS // 2
    side = np.nan_to_num(stance)
    return np.clip(np.floor(middle * side + middle + 0.5), 0, LEVELS - 1).astype(np.intp)


def read_shooting() -> list[tuple[int, News]]:
    """Read the news of a school shooting, with the day of publication, from 0."""
    table = pd.read_csv(DATA / "shooting.csv", comment="#")
    return [
        (row["day"], News(row["text"], row["topic"], row["stance"], row["importance"]))
        for row in table.to_dict("records")
    ]
