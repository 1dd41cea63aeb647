"""Declare commands from functions and the dataclasses of their options."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import typer


def command[F: Callable[..., Any]](app: typer.Typer, name: str | None = None) -> Callable[[F], F]:
    """Return a decorator that makes a function a command with its docstring as help.

    A parameter `options` is a dataclass, whose fields become the options and arguments. A command
    that returns False exits with code 1.
    """

    def declare(run: F) -> F:
        own = signature(run, eval_str=True)
        options = own.parameters["options"].annotation if "options" in own.parameters else None

        def call(**values: Any) -> None:
            is_passed = run(**values) if options is None else run(options(**values))
            if is_passed is False:
                raise typer.Exit(1)

        call.__doc__ = run.__doc__
        call.__signature__ = own if options is None else signature(options)  # type: ignore[attr-defined]
        app.command(name or run.__name__)(call)
        return run

    return declare
