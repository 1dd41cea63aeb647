"""Speak of status, decisions and memories in the first person, without codes and scales.

The sentences are in `speech.toml`, in English and Chinese. Answers are in the language of the
question: `in_language_of` sets it, and `say` and `translate` read it.
"""

import calendar
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis import labels
from memopolis.analysis.interview.questions import CHINESE
from memopolis.analysis.interview.wording import join_names, words
from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.sim.memory.retrieval.recollection import quote_speech

_is_chinese: ContextVar[bool] = ContextVar("_is_chinese", default=False)
_LEVELS = (7.5, 5.5, 4.5, 2.5, 0.0)  # least values of the sentences of an attitude
_DAY = 24.0
MOST_NAMES = 5  # maximum number of names in a sentence
_MOMENT = re.compile(r"(\d\d) ([A-Z][a-z]{2}) \d\d:\d\d")  # a moment as labelled in tables
_MONTHS = [name[:3] for name in calendar.month_name]
_VALUE = re.compile(r"(?P<amount>-?[\d,.]+)(?: (?P<unit>[^\d]+))?")  # a number with its unit
_ROUNDED = ("USD/year", "USD", "h/week")  # units of values that people round
# A sentence of a person, alone or as the first of a table or list
_PERSONAL = re.compile(r"(?:[^\"']*[\"'])?(?:I|My) ")
_ABOUT = 1_000  # amount of money from which people round (illustrative)
_CODE = re.compile(r" \d{5}$")  # ZIP code of a zone whose name is not unique
_SAID = re.compile(r'(?P<by>.+?) (?P<did>[a-z]+)(?: (?P<to>[^:"]+))?: "(?P<quote>.*)"', re.DOTALL)


@contextmanager
def in_language_of(question: str) -> Iterator[None]:
    """Speak Chinese if a question has a Chinese character, else English."""
    token = _is_chinese.set(bool(CHINESE.search(question)))
    try:
        yield
    finally:
        _is_chinese.reset(token)


def translate(text: str) -> str:
    """Return "English | Chinese" in the language spoken; a word of the table `words` likewise."""
    english, _, chinese = text.partition(" | ")
    if not _is_chinese.get():
        return english
    return chinese or str(_read()["words"].get(english, english))


def phrase(name: str, /, **fields: object) -> str:
    """Return a phrase or sentence of the table `sentences` without pronouns."""
    return fill(_read()["sentences"][name], fields)


def fill(sentence: str, fields: Mapping[str, object]) -> str:
    """Return a sentence in the language spoken, with its {fields} filled."""
    return re.sub(
        r"\{(\w+)\}", lambda field: str(fields.get(field[1], field[0])), translate(sentence)
    )


@dataclass(frozen=True)
class Voice:
    """Pronouns of an agent in both languages: those of a person or of an institution."""

    i: str
    my: str
    me: str

    def fill(self, sentence: str, /, **fields: object) -> str:
        """Fill {I}, {We}, {My}, {my}, {me} and other fields of a sentence."""
        i, my, me = map(translate, (self.i, self.my, self.me))
        own = {"I": i, "We": capitalise(i), "my": my, "My": capitalise(my), "me": me}
        return fill(sentence, own | fields)

    def say(self, name: str, /, **fields: object) -> str:
        """Say a sentence of the table `sentences`."""
        return capitalise(self.fill(_read()["sentences"][name], **fields))


PERSON = Voice("I | 我", "my | 我的", "me | 我")
INSTITUTION = Voice("we | 我们", "our | 我们的", "us | 我们")
_OTHERS = {
    "female": Voice("she | 她", "her | 她的", "her | 她"),
    "male": Voice("he | 他", "his | 他的", "him | 他"),
}


def voice_of(life: Life) -> Voice:
    """Return the voice of an agent: citizens say "I", all others "we"."""
    return PERSON if life.population == "citizen" else INSTITUTION


def voice_of_other(life: Life) -> Voice:
    """Return the pronouns by which others speak of an agent."""
    usual = Voice("they | 他们", "their | 他们的", "them | 他们")
    return _OTHERS.get(str(life.profile.get("gender", "")), usual)


def join_sentences(sentences: Sequence[str], *, space: str = " ") -> str:
    """Join sentences; those in Chinese without spaces."""
    return ("" if _is_chinese.get() else space).join(filter(None, sentences))


def say_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Join the first of some names, and the number of the others."""
    rest = len(names) - most
    shown = [*names[:most], *([phrase("more", rest=rest)] if rest > 0 else [])]
    if not _is_chinese.get():
        return join_names(shown)
    return "和".join(filter(None, ("、".join(shown[:-1]), *shown[-1:])))


def say_value(name: str, value: str, number: float | None, life: Life) -> str:
    """Return a sentence about an attribute, "" if there is nothing to say.

    `value` is the formatted value with its unit, and `number` the same as a number, if it is one.
    """
    table = _read()
    if name in table["silent"]:
        return ""
    usual = table["status"].get(name, _find_attitude(name) or table["sentences"]["value"])
    sentence = table["of"].get(life.population, {}).get(name, usual)
    if voice_of(life) == INSTITUTION and _PERSONAL.match(str(sentence)):
        sentence = table["sentences"]["institution_value"]
    if isinstance(sentence, list):
        if number is None:
            return ""
        sentence = next((text for least, text in sentence if number >= least), sentence[-1][1])
    elif isinstance(sentence, Mapping):
        sentence = sentence.get(value, sentence.get("", ""))
    percent = "" if number is None else f"{100 * number:.1f} %"
    label = translate(labels.lower_first(labels.words(name)))
    plain = _say_plainly(name, value, number)
    return capitalise(voice_of(life).fill(sentence, value=plain, percent=percent, label=label))


def _say_plainly(name: str, value: str, number: float | None) -> str:
    """Return a formatted value as people say it: without codes, hours and signs of units."""
    amount = _VALUE.fullmatch(value)
    if number is None or amount is None:
        text = labels.lower_first(value) if name == "emotion_word" else _CODE.sub("", value)
        return _MOMENT.sub(lambda at: _say_date(int(at[1]), _MONTHS.index(at[2])), translate(text))
    spoken, unit = amount["amount"], amount["unit"] or ""
    if unit in _ROUNDED:
        spoken = _round(float(spoken.replace(",", "")), unit)
    elif not unit and number.is_integer():
        spoken = f"{number:,.0f}"
    return fill(
        _read()["units"].get(unit, "{amount} {unit}"), {"amount": spoken, "unit": unit}
    ).strip()


def _round(amount: float, unit: str) -> str:
    """Return an amount of money or hours as people say it, with three digits at most."""
    if unit == "h/week" or amount < _ABOUT:
        return f"{amount:,.0f}"
    step = 10.0 ** (len(f"{amount:.0f}") - 3)
    rounded = round(amount / step) * step
    return phrase("exactly" if rounded == amount else "about", amount=f"{rounded:,.0f}")


def say_place(place: str) -> str:
    """Say in which zone a person is, "" for outside the region."""
    return phrase("inside", place=_CODE.sub("", place)) if place else phrase("outside")


def _find_attitude(name: str) -> list[tuple[float, str]]:
    """Return the levels of an attitude that has sentences."""
    sentences = _read()["attitudes"].get(name.removeprefix("attitude."), [])
    return list(zip(_LEVELS, sentences, strict=False)) if name.startswith("attitude.") else []


def say_role(life: Life) -> str:
    """Say what an institution is."""
    role = fill(_read()["roles"].get(life.population, "{name}"), {"name": life.name})
    return INSTITUTION.say("role", role=role)


def say_attitude(name: str, level: float, life: Life) -> str:
    """Say what an attitude of a level from 0 to 10 means."""
    return say_value(f"attitude.{name}", f"{level:.1f} of 10", level, life)


def say_decision(run: Run, life: Life, row: pd.Series) -> str:
    """Say what an agent decided, when, and why, in one sentence."""
    voice, choice, number = voice_of(life), str(row["choice"]), float(row["value"])
    choices = _read()["decided"].get(str(row["kind"]), {})
    did = choices.get(choice, choices.get("", phrase("decided", kind=words(row["kind"]))))
    did = fill(did, {
        "value": labels.short(round(number, 2)), "count": f"{number:,.0f}",
        "percent": f"{100 * number:.1f} %", "choice": translate(words(choice)),
    })  # fmt: skip
    because = say_because(str(row["reason"]), voice)
    return voice.say("decision", when=say_time(run, row["time"]), did=did, because=because)


def say_because(reason: str, voice: Voice, *, joint: str = "because") -> str:
    """Return a recorded reason as a clause after "because" or "when", "" for none."""
    plain = reason.partition(" (")[0].rstrip(".")
    known = _read()["reasons"].get(plain)
    if not plain:
        return ""
    return fill(
        _read()["sentences"][joint if known else "of_this"],
        {"reason": voice.fill(known or plain)},
    )


def say_intention(name: str, life: Life) -> str:
    """Say what an agent intends."""
    plan = _read()["intentions"].get(name)
    voice = voice_of(life)
    return voice.say("intends", plan=translate(plan)) if plan else voice.say("no_plan")


def say_time(run: Run, time: Any) -> str:
    """Say when something happened: "on Saturday, 31 August", "in August 2019" with long steps."""
    moment = pd.Timestamp(time)
    if run.hours > _DAY:
        name = calendar.month_name[moment.month]
        return phrase("in_month", name=name, month=moment.month, year=moment.year)
    day = _say_date(moment.day, moment.month)
    if moment.year < run.start.year:
        return phrase("on_date", date=day, year=moment.year)
    return phrase("on_day", weekday=say_weekday(moment), date=day)


def _say_date(day: int, month: int) -> str:
    return phrase("date", day=day, month=month, name=calendar.month_name[month])


def say_weekday(moment: pd.Timestamp) -> str:
    """Say the day of the week."""
    return translate(f"{moment:%A}")


def say_hour(hour: int) -> str:
    """Say an hour of the day from 0 to 23: "noon", "3 in the afternoon"."""
    if hour % 12 == 0:
        return phrase("noon" if hour else "midnight")
    parts = _read()["hours"].items()
    return fill(next(text for end, text in parts if hour < int(end)), {"hour": hour % 12})


def say_memory(text: str) -> str:
    """Quote a memory: what others said with their names, all else in quotation marks."""
    speech = _SAID.fullmatch(quote_speech(text))
    if speech is None:
        return _quote(f"{text.rstrip('.')}.")
    by, to = (translate(speech[part] or "") for part in ("by", "to"))
    lead = _read()["said"].get(speech["did"], "{by} {did} {to}")
    lead = fill(lead, {"by": by, "to": to, "did": speech["did"]}).strip()
    return phrase("quote_of", lead=lead, quote=_quote(speech["quote"]))


def _quote(text: str) -> str:
    return phrase("quote", quote=text, bare=text.rstrip("."))


def say_event(text: str) -> str:
    """Quote a memory without a stop; in English, what an agent did itself without quotes."""
    if _is_chinese.get():
        return say_memory(text).rstrip("。")
    return quote_speech(text).rstrip(".")


def capitalise(text: str) -> str:
    """Return a text whose first letter is a capital."""
    return text[:1].upper() + text[1:]


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("speech.toml").read_text(encoding="utf-8"))
