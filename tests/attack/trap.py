"""A run folder made by a stranger, and everything that shows whether a command acted on it."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attack.server import ModelServer
from tests.attack.watched import changes, content_of, opened_in
from tests.attack.workshop import (
    Workshop,
    edit_checkpoints,
    edit_manifest,
    edit_settings,
    in_group,
)

KEY = "sk-stranger-0123456789"
_CODE = """
from pathlib import Path
from memopolis.scenarios.{package} import {name} as Base
with Path({marker!r}).open("a") as marker:
    marker.write("imported")
class {name}(Base):
    pass
"""
_CLASSES = {"hurricane": "Hurricane", "polarization": "Polarization"}
_COUNTS = ("calls", "tokens_in", "tokens_out", "failed", "unsent", "fallbacks")
_MIND = {"model": "m", **dict.fromkeys(_COUNTS, 0)}


class Trap:
    """A stranger's run in a folder, with code, files and a server beside it.

    Args:
        workshop: Where it is.
        source: Name of the shared run that it is made from.

    Attributes:
        run: The folder of the run.
        elsewhere: Files outside the run that no command may open.
        server: A model server that no command may ask.
    """

    def __init__(self, workshop: Workshop, source: str) -> None:
        self.run = workshop.copy(source)
        self.home = workshop.folder
        self.elsewhere = self.home / "elsewhere"
        self.server = ModelServer()
        self._marker = self.home / "marker"
        self._make_files()

    def _make_files(self) -> None:
        (self.elsewhere / "prompts").mkdir(parents=True)
        for name in ("table.csv", "survey.toml", "cassette.jsonl", "prompts/system.jinja"):
            (self.elsewhere / name).write_text("")
        for place in (self.elsewhere / "evil.py", self.run / "evil.py", self.module):
            place.parent.mkdir(exist_ok=True)
            place.write_text(
                _CODE.format(
                    package=self.scenario, name=_CLASSES[self.scenario], marker=str(self._marker)
                )
            )

    @property
    def module(self) -> Path:
        """The stranger's module, in a folder that is in PYTHONPATH."""
        # Named after the case, so that no other case of this process has imported it.
        return self.home / "modules" / f"evil_{self.home.name.replace('-', '_')}.py"

    @property
    def scenario(self) -> str:
        """Name of the scenario of the run."""
        return "hurricane" if (self.run / "tables" / "weather").is_dir() else "polarization"

    @property
    def env(self) -> dict[str, str]:
        """Environment of a user with a key who can import the stranger's module."""
        return {"OPENAI_API_KEY": KEY, "PYTHONPATH": _with_own_path(self.module.parent)}

    def name_scenario(self, reference: str, module: str, *, keep_reference: bool = True) -> None:
        """Let the manifest name another scenario."""
        name = _CLASSES[self.scenario]

        def edit(content: dict[str, Any]) -> None:
            content["scenario"] = f"{module}:{name}"
            content["reference"] = f"{reference}:{name}"
            if not keep_reference:
                content["scenario"] = content.pop("reference")

        edit_manifest(self.run, edit)

    @contextmanager
    def watched(self) -> Iterator[list[str]]:
        """Watch everything that a command must leave alone.

        Yields:
            A list that is filled when the context ends: everything that was done.
        """
        acts: list[str] = []
        before = content_of(self.elsewhere)
        with self.server, opened_in(self.elsewhere) as events:
            yield acts
        acts += self.server.faults
        acts += events + changes(before, content_of(self.elsewhere))
        if self._marker.exists():
            acts.append("the stranger's code was executed")
            self._marker.unlink()


def _with_own_path(folder: Path) -> str:
    """Return a PYTHONPATH with one more folder at its end."""
    return os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH", ""), str(folder))))


@dataclass(frozen=True)
class Probe:
    """One thing that a stranger's manifest may ask for.

    Attributes:
        name: What it is.
        set_up: Puts it into the run of a trap.
        source: The shared run that it needs, "opinions" or "finished".
        acts_when_trusted: Whether it is tried with `--trust`, too, and must act then.
    """

    name: str
    set_up: Callable[[Trap], None]
    source: str = "opinions"
    acts_when_trusted: bool = False


def _file(trap: Trap) -> None:
    trap.name_scenario(f"{trap.elsewhere}/evil.py", "memopolis_file_evil_00000000")


def _own_file(trap: Trap) -> None:
    trap.name_scenario(f"{trap.run}/evil.py", "memopolis_file_evil_00000000")


def _relative_file(trap: Trap) -> None:
    trap.name_scenario("run/evil.py", "", keep_reference=False)


def _module(trap: Trap) -> None:
    trap.name_scenario(trap.module.stem, trap.module.stem)


def _model_settings(trap: Trap) -> dict[str, object]:
    """Return settings that let a model server answer the questions of all agents."""
    llm = {"model": "m", "base_url": trap.server.url, "budget_calls": 5, "retries": 0}
    return {"mind": "llm"} | {f"llm.{key}": value for key, value in llm.items()}


def _set_model(trap: Trap, settings: Mapping[str, object]) -> None:
    """Set what `_model_settings` returns and more, as in the manifest of such a mind."""
    edit_settings(trap.run, {**_model_settings(trap), **settings})
    edit_manifest(trap.run, lambda content: content.update(mind=dict(_MIND)))


def _model(trap: Trap) -> None:
    _set_model(trap, {})


def _checkpoint_model(trap: Trap) -> None:
    """As `_model`, in the checkpoints alone."""

    def edit(plain: dict[str, Any]) -> None:
        plain["settings"]["mind"] = "llm"
        plain["settings"]["llm"] |= {"model": "m", "base_url": trap.server.url}

    edit_checkpoints(trap.run, edit)
    edit_manifest(trap.run, lambda content: content.update(mind=dict(_MIND)))


def _record(trap: Trap) -> None:
    _set_model(trap, {"llm.cassette": f"{trap.elsewhere}/new.jsonl"})


def _replay(trap: Trap) -> None:
    cassette = f"{trap.elsewhere}/cassette.jsonl"
    _set_model(trap, {"llm.base_url": "", "llm.cassette": cassette, "llm.replay": True})


def _prompts(trap: Trap) -> None:
    _set_model(trap, {"llm.prompts": f"{trap.elsewhere}/prompts"})


def _path_settings(trap: Trap, *names: str) -> dict[str, object]:
    """Return settings that name files outside the run."""
    table, survey = f"{trap.elsewhere}/table.csv", f"{trap.elsewhere}/survey.toml"
    return {name: [survey] if name == "survey.ask" else table for name in names}


def _path(name: str) -> Callable[[Trap], None]:
    """Return a function that lets a setting of a trap's run name a file outside."""
    return lambda trap: edit_settings(trap.run, _path_settings(trap, name))


def _relative_path(trap: Trap) -> None:
    edit_settings(trap.run, {"news": "run/../elsewhere/table.csv"})


def _checkpoint_path(trap: Trap) -> None:
    path = f"{trap.elsewhere}/table.csv"
    edit_checkpoints(trap.run, lambda plain: in_group(plain, "news", path))


def _embedder(trap: Trap) -> None:
    edit_settings(trap.run, {"embedder": f"openai:m@{trap.server.url}"})


_PATHS = ("news", "profiles", "memories", "event", "network.kind", "survey.ask")


def _every_path(trap: Trap) -> None:
    edit_settings(trap.run, _path_settings(trap, *_PATHS))


def _everything(trap: Trap) -> None:
    cassette = {"llm.cassette": f"{trap.elsewhere}/new.jsonl"}
    _set_model(trap, cassette | _path_settings(trap, *_PATHS))
    _file(trap)


EVERYTHING = Probe("everything", _everything)

_SHARED = (
    Probe("a file scenario", _file, acts_when_trusted=True),
    Probe("a file scenario inside the run", _own_file),
    Probe("a file scenario by a relative path", _relative_file),
    Probe("a module in PYTHONPATH", _module),
    Probe("a model server", _model, acts_when_trusted=True),
    Probe("an embedding server", _embedder),
    Probe("a cassette to record in", _record, acts_when_trusted=True),
    Probe("a cassette to replay", _replay),
)

OF_READING = (*_SHARED, Probe("files in six settings", _every_path))
"""What reading commands are given, which refuse none of it."""

OF_CONTINUING = (
    *_SHARED,
    Probe("a model server in the checkpoints alone", _checkpoint_model),
    Probe("a folder of prompts", _prompts),
    Probe("a file of news", _path("news"), acts_when_trusted=True),
    Probe("a file of news by a relative path", _relative_path),
    Probe("a file of news in the checkpoints alone", _checkpoint_path),
    Probe("a file of profiles", _path("profiles")),
    Probe("a file of memories", _path("memories")),
    Probe("a file of a survey", _path("survey.ask")),
    Probe("a file of ties", _path("network.kind")),
    Probe("a file of events", _path("event")),
    Probe("a file of zones", _path("place"), "finished"),
    Probe("a file of a storm", _path("storm"), "finished"),
    Probe("a file of orders", _path("orders"), "finished"),
)
"""What commands that continue a run are given, one manifest each."""
