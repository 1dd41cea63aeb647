"""Every command on a page is valid; a block that is not run gives the reason."""

import re
import shlex
from pathlib import Path

import pytest
from tests.docs.checking import check
from tests.docs.pages import PAGES, ROOT, RUN_PAGES, title
from tests.docs.shell_blocks import read_page
from typer.main import get_command

from memopolis.cli import app

INLINE = re.compile(r"(?<!`)`(memopolis [a-z][^`]*)`(?!`)")
RUNS = ("memopolis", "python")

every = pytest.mark.parametrize("page", PAGES, ids=title)


@every
def test_commands_in_blocks_are_valid(page: Path) -> None:
    for block in read_page(page):
        for command in block.commands:
            _held(command, page, block.line)


@every
def test_commands_in_the_text_are_valid(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for item in INLINE.finditer(text):
        command = shlex.split(item[1])
        line = text.count("\n", 0, item.start()) + 1
        if len(command) == 2:  # a command's name alone
            assert command[1] in get_command(app).commands, f"{title(page)}:{line}: {command}"  # type: ignore[attr-defined]
        elif "..." not in item[1]:
            _held(command, page, line)


@pytest.mark.parametrize("page", RUN_PAGES, ids=title)
def test_blocks_to_run_contain_only_runnable_commands(page: Path) -> None:
    for block in read_page(page):
        if block.mark != "checked":
            strange = [c[0] for c in block.commands if Path(c[0]).name not in RUNS]
            assert strange == [], f"{title(page)}:{block.line}: mark it <!-- checked: why -->"


def _held(command: list[str], page: Path, line: int) -> None:
    try:
        check(command)
    except Exception as error:
        raise AssertionError(
            f"{page.relative_to(ROOT)}:{line}: {shlex.join(command)}: {error}"
        ) from error


@pytest.mark.parametrize(
    "wrong",
    [
        "memopolis rum hurricane",
        "memopolis run hurricane --agent 5",
        "memopolis run huricane",
        "memopolis run hurricane --set storm.name=dorian",
        "memopolis run hurricane --agents many",
        "memopolis compare hurricane --arms storm,no_strom",
        "memopolis show RUN",
        "make tests",
        "python -m pip install '.[lllm]'",
        "python -m pip install --group devs",
        "python -m memopoliss",
        "curl example.org",
    ],
)
def test_an_invalid_command_is_found(wrong: str) -> None:
    with pytest.raises(Exception, match=r"\w"):
        check(shlex.split(wrong))
