"""Progress bars of a society on a terminal."""

import io
import time
from datetime import datetime

import pytest
from rich.console import Console

from memopolis.commands.terminal import building, ticking
from memopolis.sim.compilation import FIRST_RUN, compilation


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=120)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def compile_function() -> None:
    """Report a function as numba does, without the time that compiling takes."""
    compilation.begin()
    compilation.end()


def test_compilation_has_a_bar_until_the_next_step(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "functions", FIRST_RUN.functions // 2)
    with building(console, 100):
        time.sleep(0.15)
        assert FIRST_RUN.notice not in printed(console)
        compile_function()
        time.sleep(0.15)
    assert FIRST_RUN.notice in printed(console)
    assert "50%" in printed(console)
    before = printed(console)
    with ticking(console) as show:
        compile_function()
        time.sleep(0.15)
        assert FIRST_RUN.notice in printed(console)[len(before) :]
        show(1, 4, datetime(2026, 1, 1, 1))
        time.sleep(0.15)
        before = printed(console)
        time.sleep(0.15)
    assert FIRST_RUN.notice not in printed(console)[len(before) :]
    assert "25%" in printed(console)


def test_without_a_terminal_nothing_is_shown() -> None:
    console = Console(file=io.StringIO())
    with building(console, 100), ticking(console) as show:
        show(1, 4, datetime(2026, 1, 1, 1))
    assert not printed(console)
    assert compilation.display is None
