"""Prompts: jinja files, one a kind of question, filled in with what is known as data.

All output of a template is JSON, so a text of an agent can neither end its section nor be
mistaken for the template. The files are in `prompts/`; files of the same name in a user's folder
replace them.
"""

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memopolis.sim.errors import DataFileError
from memopolis.sim.extras import require
from memopolis.sim.memory.layers.context import count_tokens
from memopolis.sim.mind.call import Message
from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.person import Person, people_of
from memopolis.sim.mind.reading import options_of, schema_of

if TYPE_CHECKING:
    from memopolis.sim.mind.templates import Templates

SHIPPED = Path(__file__).parent / "prompts"
"""Where the prompts are that come with Memopolis."""

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "`": "\\u0060"})


class Prompt(NamedTuple):
    """What one agent, or a group by one of its members, is asked.

    Attributes:
        agent: unique_id of the agent.
        messages: The messages.
        schema: JSON schema of the answer.
        max_tokens: Most tokens of the answer; 0 for what the mind allows.
    """

    agent: int
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    max_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of the prompt, as the engine counts them."""
        return sum(counted(message.text) for message in self.messages)


class Prompts:
    """Makes prompts of questions.

    Args:
        folder: Custom files, in place of those of the same name; None for none.
        context_tokens: Most tokens of the context beside the memories recalled; 0 for none.

    Raises:
        DataFileError: If there is no such folder.
        ExtraError: If jinja2 is not installed.
    """

    def __init__(self, folder: str | Path | None = None, *, context_tokens: int = 600) -> None:
        self.context_tokens = context_tokens
        self._templates = _templates(None if folder is None else Path(folder))

    def of(self, question: Question) -> list[Prompt]:
        """One prompt for each agent that is asked.

        Args:
            question: What is asked, and whom.

        Raises:
            DataFileError: If a file of prompts is wrong.
        """
        people = people_of(question, self.context_tokens)
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

        Args:
            question: What is asked.
            at: Whose options it has, by place in the cohort.
            person: Who it is put to.
            schema: JSON schema of the answer.
            group: What `group.jinja` says of the group: people, answers and spread; None for
                one agent.
            max_tokens: Most tokens of the answer; 0 for what the mind allows.
        """
        variables = {"person": person, "schema": schema, "group": group}
        asked = self.filled((question.kind, question.form), _of_question(question, at) | variables)
        messages = (self.system, Message("user", asked))
        return Prompt(person.agent, messages, schema, max_tokens)

    @cached_property
    def system(self) -> Message:
        """The message that stands before every question."""
        return Message("system", self.filled(("system",), {}))

    def repair(self, prompt: Prompt, reply: str, fault: str) -> Prompt:
        """The question to answer again, in the form that was asked for.

        Args:
            prompt: What was asked.
            reply: What the model wrote.
            fault: What is wrong with it, in the engine's words.
        """
        again = self.filled(("repair",), {"fault": fault, "schema": prompt.schema})
        wrote = Message("assistant", reply[:2_000] or "(nothing)")
        return prompt._replace(messages=(*prompt.messages, wrote, Message("user", again)))

    def filled(self, names: tuple[str, ...], values: Mapping[str, Any]) -> str:
        """Fill in a template.

        Args:
            names: Names of files without their ending; the first that is there counts.
            values: What the template may print, as data.

        Raises:
            DataFileError: If a file is wrong, asks for what is not there, or exceeds a limit.
        """
        return self._templates.fill([f"{name}.jinja" for name in names], values).strip()


def _templates(folder: Path | None) -> "Templates":
    require("llm", "jinja2", "json_repair", what="a mind that asks a model")
    from memopolis.sim.mind.templates import Templates

    if folder is not None and not folder.is_dir():
        raise DataFileError(f"{folder} is no folder of prompts; the shipped ones are in {SHIPPED}")
    return Templates([SHIPPED] if folder is None else [folder, SHIPPED], as_data)


def as_data(value: object) -> str:
    """Write a value as JSON, without the marks that could end a part of a prompt.

    Args:
        value: Anything a template prints.
    """
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)


def _of_question(question: Question, at: int) -> dict[str, Any]:
    settings = question.cohort.population.memory.layer_settings
    return {
        "kind": question.kind,
        "form": question.form,
        "about": question.about,
        "low": question.low,
        "high": question.high,
        "options": options_of(question, at),
        "longest": settings.max_summary_length,
    }


@lru_cache(maxsize=64)
def counted(text: str) -> int:
    """Tokens of a text by the shipped word pieces; what was counted lately is not again."""
    # Line by line: no piece goes over the end of a line, and plain lines are counted quickly.
    return sum(map(count_tokens, text.splitlines()))
