"""Create prompts from Jinja templates, one for each kind of question.

Templates insert all values as JSON, so the text of an agent can neither end its section nor be
mistaken for the template. The templates are in `prompts/`; files of the same name in a folder of
the user replace them.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from memopolis.sim.errors import DataFileError
from memopolis.sim.extras import require
from memopolis.sim.memory.layers.contexts import count_tokens
from memopolis.sim.mind.call import Message
from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.person import Person, describe_people
from memopolis.sim.mind.reading import possible_options, schema_of


@dataclass(frozen=True)
class Wording:
    """What a kind of question asks; fields as in the table."""

    ask: str = ""
    unit: str = ""
    low: str = ""  # what the lowest rating means
    high: str = ""  # what the highest rating means
    options: Mapping[str, str] = field(default_factory=dict)  # what each option means
    # Names in prompts of what the agents know, by its name in the question
    known: Mapping[str, str] = field(default_factory=dict)

    def name_facts(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an agent knows by the names that the prompt uses."""
        if not self.ask:
            return dict(known)
        return {name: known[own] for own, name in self.known.items() if own in known}


def word_question(kind: str, about: str = "") -> Wording:
    """Return what a kind of question asks; without `ask` for kinds that the table does not have.

    `about` is the attitude that a question of the kind "attitude" is about.
    """
    if kind == "attitude":
        name = about.replace("_", " ")
        ask, low, high = _read()["attitude"].get(
            about, (name, "oppose strongly", "support strongly")
        )
        return Wording(ask, "points", low, high)
    return Wording(**_read()["kind"].get(kind, {}))


@cache
def _read() -> Mapping[str, Any]:
    path = Path(__file__).with_name("kinds.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


SHIPPED = Path(__file__).parent / "prompts"  # folder of the shipped templates

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "`": "\\u0060"})


class Prompt(NamedTuple):
    """Prompt for one agent, or for a group represented by its first member."""

    agent: int  # unique_id of the agent
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]  # JSON schema of the answer
    max_tokens: int = 0  # maximum number of tokens of the answer; 0 for that of the mind

    @property
    def tokens(self) -> int:
        """Number of tokens of the prompt, as counted by Memopolis."""
        return sum(counted(message.text) for message in self.messages)


class Prompts:
    """Create the prompts of questions.

    Files in `folder` replace shipped ones of the same name. The context has at most
    `context_tokens` tokens, in addition to the recalled memories; 0 for none. Raises DataFileError
    if the folder does not exist, or ExtraError if jinja2 is not installed.
    """

    def __init__(self, folder: str | Path | None = None, *, context_tokens: int = 600) -> None:
        require("llm", "jinja2", "json_repair", what="a mind that asks a model")
        from memopolis.sim.mind.templates import Templates

        if folder is not None and not Path(folder).is_dir():
            raise DataFileError(
                f"{folder} is not a folder of prompts; the shipped ones are in {SHIPPED}"
            )
        self.context_tokens = context_tokens
        folders = [SHIPPED] if folder is None else [Path(folder), SHIPPED]
        self._templates = Templates(folders, to_json)

    def of(self, question: Question) -> list[Prompt]:
        """Return one prompt for each agent that is asked."""
        people = describe_people(question, self.context_tokens)
        return [
            self.of_one(question, at, person, schema_of(question, at))
            for at, person in enumerate(people)
        ]

    def of_one(
        self,
        question: Question,
        at: int,
        person: Person,
        schema: Mapping[str, Any],
        *,
        group: Mapping[str, Any] | None = None,
        max_tokens: int = 0,
    ) -> Prompt:
        """Return the prompt of one agent, or of a group described as one person.

        `at` is the position in the cohort of the agent whose options are used; `group` has the
        values for `group.jinja`: people, answers and spread. `max_tokens` is 0 for the limit of the
        mind.
        """
        wording = word_question(question.kind, question.about)
        variables = {
            "person": person, "schema": schema, "group": group, "wording": wording,
            "facts": wording.name_facts(person.known),
        }  # fmt: skip
        asked = self.filled((question.kind, question.form), _of_question(question, at) | variables)
        messages = (self.system, Message("user", asked))
        return Prompt(person.agent, messages, schema, max_tokens)

    @cached_property
    def system(self) -> Message:
        """The system message of every prompt."""
        return Message("system", self.filled(("system",), {}))

    def repair(self, prompt: Prompt, reply: str, fault: str) -> Prompt:
        """Return the request to repair an unreadable answer, given the reason why it is."""
        again = self.filled(("repair",), {"fault": fault, "schema": prompt.schema})
        wrote = Message("assistant", reply[:2_000] or "(nothing)")
        return prompt._replace(messages=(*prompt.messages, wrote, Message("user", again)))

    def filled(self, names: tuple[str, ...], values: Mapping[str, Any]) -> str:
        """Fill in the first template that exists, named without extension."""
        return self._templates.fill([f"{name}.jinja" for name in names], values).strip()


def to_json(value: object) -> str:
    """Convert a value to JSON without characters that could end a section of a prompt."""
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)


def _of_question(question: Question, at: int) -> dict[str, Any]:
    settings = question.cohort.population.memory.layer_settings
    options = possible_options(question, at)
    wording = word_question(question.kind, question.about)
    described = dict(zip(question.options, question.descriptions, strict=False))
    descriptions = {**wording.options, **described}
    return {
        "kind": question.kind,
        "form": question.form,
        "about": question.about,
        "low": question.low,
        "high": question.high,
        "options": options,
        "descriptions": {name: descriptions[name] for name in options if name in descriptions},
        "longest": settings.max_summary_length,
    }


@lru_cache(maxsize=64)
def counted(text: str) -> int:
    """Return the number of word pieces of a text, cached."""
    # Line by line: no piece spans two lines, and plain lines are counted quickly.
    return sum(map(count_tokens, text.splitlines()))
