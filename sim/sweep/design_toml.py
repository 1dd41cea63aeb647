"""Read design files: TOML with a scenario, and error messages that name the line."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memopolis.sim.errors import DataFileError, ParameterError, did_you_mean
from memopolis.sim.toml_files import read_toml


class DesignToml:
    """The content of a design file, a TOML file with a scenario, and other `keys` and tables."""

    def __init__(self, path: Path, keys: Sequence[str]) -> None:
        self._path = path
        self._text, self.content = read_toml(
            path,
            unreadable=f"cannot read the design {path}",
            invalid=f"the design {path} is not valid TOML",
        )
        for key in self.content:
            if key not in keys:
                advice = did_you_mean(key, keys) or "settings go below [settings]; "
                raise DataFileError(
                    f"{self._place(key)}: a design has no key {key!r}; {advice}allowed are "
                    f"{', '.join(keys)}"
                )
        if not isinstance(self.content.get("scenario"), str):
            raise DataFileError(f'{path}: it lacks the scenario; write scenario = "hurricane"')

    @property
    def scenario(self) -> str:
        """The scenario; the path of a scenario file may be relative to the design's folder."""
        scenario = str(self.content["scenario"])
        file, colon, name = scenario.partition(".py")
        near = self._path.parent / f"{file}.py"
        if colon and not Path(f"{file}.py").is_file() and near.is_file():
            return f"{near}{name}"
        return scenario

    def table(self, name: str) -> dict[str, Any]:
        """Return a table, empty if it is missing. Raises ParameterError if it is not a table."""
        table = self.content.get(name, {})
        if not isinstance(table, dict):
            raise ParameterError(f"{name} is {table!r}; write a table below [{name}]")
        return dict(table)

    @contextmanager
    def naming_lines(self) -> Iterator[None]:
        """Convert a `ParameterError` to a `DataFileError` with the line that it is about."""
        try:
            yield
        except ParameterError as error:
            words = re.findall(r"[A-Za-z_][\w.]*", str(error))
            named = [part for word in words for part in (word, word.rpartition(".")[2])]
            key = next((key for key in named if self._line(key)), "")
            raise DataFileError(f"{self._place(key)}: {error}") from None

    def _line(self, key: str) -> int:
        """Return the line of a key or table, from 1; 0 if there is none."""
        wanted = re.compile(rf"""\s*(?:\[+\s*)?["']?{re.escape(key)}["']?\s*[\].=]""")
        lines = enumerate(self._text.splitlines(), 1)
        return next((number for number, line in lines if wanted.match(line)), 0)

    def _place(self, key: str) -> str:
        number = self._line(key) if key else 0
        return f"{self._path}, line {number}" if number else str(self._path)
