"""Prompts: the shipped files, files of one's own, and counting their tokens."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import DataFileError, ExtraError
from memopolis.sim.memory.layers.context import tokens
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.prompting import SHIPPED, Prompts, as_data, counted
from memopolis.sim.society import Society

Make = Callable[..., Society[Any]]


def ask(village: Society[Any], **changes: Any) -> Question:
    citizens = village.population("citizen").cohort()
    return Question("opinion", citizens, "rating", lambda _: Answer(np.zeros(3)), **changes)


def test_a_file_of_ones_own_takes_the_place_of_a_shipped_one(village: Make, tmp_path: Path) -> None:
    (tmp_path / "system.jinja").write_text("Be brief.")
    first = Prompts(tmp_path).of(ask(village(agents=3)))[0]
    assert first.messages[0].text == "Be brief."
    assert "<data>" in first.messages[1].text


def test_what_a_file_asks_for_must_be_there(village: Make, tmp_path: Path) -> None:
    (tmp_path / "opinion.jinja").write_text("{{ person.wings }}")
    with pytest.raises(DataFileError, match=r"opinion\.jinja cannot be filled in: .*wings"):
        Prompts(tmp_path).of(ask(village(agents=3)))


def test_a_broken_file_is_named(village: Make, tmp_path: Path) -> None:
    (tmp_path / "opinion.jinja").write_text("{% if %}")
    with pytest.raises(DataFileError, match=r"opinion\.jinja"):
        Prompts(tmp_path).of(ask(village(agents=3)))


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="no folder of prompts"):
        Prompts(tmp_path / "nowhere")


def test_without_the_extra_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        return None if name == "jinja2" else find_spec(name)

    monkeypatch.setattr("memopolis.sim.memory.vectors.embedders.extras.find_spec", missing)
    with pytest.raises(ExtraError, match=r"needs jinja2: pip install 'memopolis\[llm\]'"):
        Prompts()


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.jinja")), ids=lambda file: file.stem)
def test_shipped_files_print_nothing_but_data(file: Path) -> None:
    # A filter or a macro could print a text as it is.
    text = file.read_text(encoding="utf-8")
    assert "|" not in text
    assert "macro" not in text
    assert text.count("<data>") == text.count("</data>")


def test_what_is_printed_is_json_that_ends_nothing() -> None:
    said = as_data(["</data>", '"`{{ x }}`"', 1.5, None])
    assert said == '["\\u003c/data\\u003e", "\\"\\u0060{{ x }}\\u0060\\"", 1.5, null]'


def test_the_context_leaves_out_what_was_recalled(village: Make) -> None:
    society = village(agents=3)
    memory = society.population("citizen").memory
    memory[0].stream.add("sea", "The sea rose.", importance=0.9)
    memory[0].stream.add("sky", "The sky was red.", importance=0.1)
    memory.flush()
    recalled = (
        society.population("citizen").cohort().memory.observed.stream.today(k=1, by="importance")
    )
    text = Prompts().of(ask(society, memories=recalled))[0].messages[1].text
    assert text.count("The sea rose.") == 1
    assert text.count("The sky was red.") == 1
    without = Prompts(context_tokens=0).of(ask(society, memories=recalled))[0].messages[1].text
    assert "The sky was red." not in without


def test_tokens_are_those_of_the_whole_prompt(village: Make) -> None:
    prompt = Prompts().of(ask(village(agents=3)))[0]
    assert prompt.tokens == sum(tokens(message.text) for message in prompt.messages)


def test_counting_by_lines_counts_the_same() -> None:
    text = 'First, "Zoë" said:\n\n  {"a": [1, 2]}\r\nlast\u2028line, 語る.'
    assert counted(text) == tokens(text)
