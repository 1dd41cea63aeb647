"""Prompts: the shipped files, custom files, and counting their tokens."""

import os
import tracemalloc
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.sim.errors import DataFileError, ExtraError
from memopolis.sim.memory.layers.contexts import count_tokens
from memopolis.sim.mind import templates
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.prompting import SHIPPED, Prompts, counted, to_json
from memopolis.sim.society import Society

Make = Callable[..., Society[Any]]


def ask(village: Society[Any], **changes: Any) -> Question:
    citizens = village.population("citizen").cohort()
    return Question("opinion", citizens, "rating", lambda _: Answer(np.zeros(3)), **changes)


def test_a_custom_prompt_replaces_a_shipped_one(village: Make, tmp_path: Path) -> None:
    (tmp_path / "system.jinja").write_text("Be brief.")
    first = Prompts(tmp_path).of(ask(village(agents=3)))[0]
    assert first.messages[0].text == "Be brief."
    assert "<data>" in first.messages[1].text


def test_unknown_names_in_a_prompt_are_refused(village: Make, tmp_path: Path) -> None:
    (tmp_path / "opinion.jinja").write_text("{{ person.wings }}")
    with pytest.raises(DataFileError, match=r"opinion\.jinja.* cannot be filled in: .*wings"):
        Prompts(tmp_path).of(ask(village(agents=3)))


def test_an_invalid_file_is_named(village: Make, tmp_path: Path) -> None:
    (tmp_path / "opinion.jinja").write_text("{% if %}")
    with pytest.raises(DataFileError, match=r"opinion\.jinja"):
        Prompts(tmp_path).of(ask(village(agents=3)))


GROWING = "{% set x0 = 'x' %}" + "".join(
    f"{{% set x{n} = x{n - 1} ~ x{n - 1} %}}" for n in range(1, 24)
)
NESTED = "{% set x0 = [1] %}" + "".join(
    f"{{% set x{n} = [x{n - 1}, x{n - 1}] %}}" for n in range(1, 24)
)


DOUBLING = (
    "{% set d = (d or 0) + 1 if d is defined else 1 %}"
    "{% if d < 40 %}{% include 'opinion.jinja' %}{% include 'opinion.jinja' %}{% endif %}"
)


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ 'x' * 10000000000 }}", r"\* takes numbers, not 'x'"),
        ("{{ 10**10**8 }}", r"\*\* is not available"),
        ("{{ '%1000000000d' % 1 }}", "% takes numbers, not '%1000000000d'"),
        ("{{ 9223372036854775807 * 2 * 2 }}", "a number exceeds"),
        ("{{ [0] + [1] }}", "takes numbers"),
        ("{{ 'x'|center(1000000000) }}", "the filter center is not available; there are: abs, "),
        ("{{ '%d'|format(1) }}", "the filter format is not available"),
        ("{{ 'x'.ljust(1000000000) }}", "only range.* can be called"),
        ("{{ '{:>1000000000}'.format(1) }}", "only range.* can be called"),
        ("{{ lipsum(n=1000000) }}", "only range.* can be called"),
        ("{{ 1.5|round(1000000000) }}", "allowed are -15 to 15"),
        ("{{ range(100000)|list }}", "range has 100,000 numbers; allowed are 10,000"),
        ("{% for i in range(1000000000) %}{% endfor %}", "range has 1,000,000,000 numbers"),
        (
            "{% for i in range(9999) %}{% for j in range(9999) if false %}{% endfor %}{% endfor %}",
            "more than 50,000 steps",
        ),
        (
            "{% for i in range(9999) %}" + "{{ 'x' }}" * 200 + "{% endfor %}",
            "its output has more than",
        ),
        (GROWING, "a text has more than 20,000 characters"),
        (NESTED, "a text or list has more than 20,000"),
        ("{% set x = range(9999)|join('x' ~ '" + "x" * 999 + "') %}", "a text has more than"),
        ("{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", "macro is not available"),
        ("{% set x %}x{% endset %}", "assignblock is not available"),
        ("{% for x in [] recursive %}{% endfor %}", "recursive loop is not available"),
        ("{% import 'data.jinja' as data %}", "import is not available"),
        ("{% extends 'data.jinja' %}", "extends is not available"),
        ("{% include 'opinion.jinja' %}", "takes more than 50,000 steps"),
        (DOUBLING, "more than 50,000 steps"),
        (
            "{% include '../secret.txt' %}",
            "'../secret.txt' is not the name of a file in the same folder",
        ),
        ("{% include '/etc/passwd' %}", "is not the name of a file in the same folder"),
        ("{% include 'linked.jinja' %}", "is a link to a file elsewhere"),
        ("{% include 'huge.jinja' %}", "at most 32,768 are read"),
        ("{% include 'pipe.jinja' %}", "pipe.jinja: it is a device or a pipe"),
        ("{% include 'none.jinja' %}", "there is no file none.jinja"),
        ("{% include kind %}", "an include names a file"),
        ("{% for a in [1] %}" * 30 + "{% endfor %}" * 30, "too many statically nested blocks"),
        ("{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}", "nested too deeply"),
    ],
)
def test_an_expensive_prompt_is_refused_in_one_line(
    tmp_path: Path, template: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in (
        ("MOST_STEPS", 50_000),
        ("LARGEST_VALUE", 20_000),
        ("LONGEST_PROMPT", 10**5),
    ):
        monkeypatch.setattr(templates, name, limit)
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "linked.jinja").symlink_to(tmp_path / "secret.txt")
    (folder / "huge.jinja").write_text("x" * 40_000)
    os.mkfifo(folder / "pipe.jinja")
    (folder / "opinion.jinja").write_text(template)
    prompts = Prompts(folder)
    tracemalloc.start()
    with pytest.raises(
        DataFileError, match=rf"the prompt .*\.jinja.* cannot be filled in: .*{why}"
    ):
        prompts.filled(("opinion",), {"kind": "data.jinja"})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_a_slow_prompt_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "LONGEST_TIME", 0.0)
    (tmp_path / "opinion.jinja").write_text("{% for i in [1] %}{% endfor %}")
    with pytest.raises(DataFileError, match=r"line 1, cannot .*: it takes more than 0 seconds"):
        Prompts(tmp_path).filled(("opinion",), {})


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{% for a in texts %}{{ loop.index }}{{ a|upper }}{% endfor %}", '1"A"2"B"'),
        ("{{ texts|join(', ') }} {{ texts|length }}", '"a, b" 2'),
        ("{{ 'a' ~ 1 ~ [2] }}", '"a1[2]"'),
        ("{{ (7 * 3 - 1) // 2 + 7 % 4 }} {{ 2.26|round(1) }} {{ 2.5|round }}", "13 2.3 2.0"),
        ("{% set a, b = 1, 2 %}{{ [a, b, (a, b)] }}{{ {'a': a} }}", '[1, 2, [1, 2]]{"a": 1}'),
        ("{% for k, v in data.items() %}{{ k }}={{ v }}{% endfor %}", '"x"=1'),
        ("{{ data.get('y', []) }} {{ data.x if 'x' in data else 0 }}", "[] 1"),
        ("{% with a = texts[0] %}{{ a.startswith('a') }}{% endwith %}", "true"),
        ("{{ texts[::-1] }} {{ texts|sort|first }}", '["b", "a"] "a"'),
        ("{% for a in texts if a != 'a' %}{{ loop.length }}{{ a }}{% else %}-{% endfor %}", '1"b"'),
        ("{% include 'answer.jinja' %}", "JSON schema of the answer: {}"),
    ],
)
def test_allowed_template_features_work(tmp_path: Path, template: str, filled: str) -> None:
    (tmp_path / "opinion.jinja").write_text(template)
    values = {"texts": ["a", "b"], "data": {"x": 1}, "group": None, "schema": {}}
    assert Prompts(tmp_path).filled(("opinion",), values) == filled


def test_a_missing_prompt_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="not a folder of prompts"):
        Prompts(tmp_path / "nowhere")


def test_a_missing_extra_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        return None if name == "jinja2" else find_spec(name)

    monkeypatch.setattr("memopolis.sim.extras.find_spec", missing)
    with pytest.raises(ExtraError, match=r"needs jinja2: pip install 'memopolis\[llm\]'"):
        Prompts()


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.jinja")), ids=lambda file: file.stem)
def test_shipped_prompts_insert_only_data(file: Path) -> None:
    # A filter or a macro could print a text as it is.
    text = file.read_text(encoding="utf-8")
    assert "|" not in text
    assert "macro" not in text
    assert text.count("<data>") == text.count("</data>")


def test_inserted_values_are_json_that_cannot_end_a_section() -> None:
    texts = to_json(["</data>", '"`{{ x }}`"', 1.5, None])
    assert texts == '["\\u003c/data\\u003e", "\\"\\u0060{{ x }}\\u0060\\"", 1.5, null]'


def test_the_context_excludes_recalled_memories(village: Make) -> None:
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


def test_importance_is_asked_about_the_recalled_memory(village: Make) -> None:
    society = village(agents=1)
    citizens = society.population("citizen").cohort()
    citizens.stream.add("social", "Met an old friend.")
    citizens.population.memory.flush()
    met = citizens.memory.observed.stream.today(k=1)
    asked = Question("importance", citizens, "rating", lambda _: Answer(np.zeros(1)), "", met)
    text = Prompts().of(asked)[0].messages[1].text
    assert "How important is the memory" in text
    assert text.index("recalled_for_this_question") < text.index("Met an old friend.")


def test_tokens_are_counted_for_the_whole_prompt(village: Make) -> None:
    prompt = Prompts().of(ask(village(agents=3)))[0]
    assert prompt.tokens == sum(count_tokens(message.text) for message in prompt.messages)


def test_counting_by_lines_gives_the_same_count() -> None:
    text = 'First, "Zoë" said:\n\n  {"a": [1, 2]}\r\nlast\u2028line, 語る.'
    assert counted(text) == count_tokens(text)
