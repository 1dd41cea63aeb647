"""Shell blocks of the pages: which are run, which are only checked, and how.

A block of a page is run line by line in the page's folder, as a reader would. A comment on the
line above it says otherwise; readers of the page do not see it:

    <!-- checked: asks a model server -->   options and settings are checked, nothing is run
    <!-- slow: four runs of ten seconds --> is run with the tests of the extras
    <!-- output -->                         a `text` block that the block before must have printed

A block of any language whose first line is a comment with a file's name, `# design.toml`, is that
file from there on. The root's conftest.py gives all this to Sybil.
"""

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sybil import Document, Example, Region
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer

_MARK = re.compile(r"<!--+\s*(checked|slow)\s*:\s*(\S.*?)\s*--+>\s*\Z")
_OUTPUT = re.compile(r"<!--+\s*output\s*--+>\s*\Z")
_NAMED = re.compile(r"# ([\w./-]+\.(?:py|toml|csv|yaml|json))\n")
_COMPARED = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class ShellBlock:
    """A block of shell lines.

    Attributes:
        line: Of the page, at which it begins.
        source: Its lines.
        mark: "run", "slow" or "checked".
        reason: Why it is not simply run.
    """

    line: int
    source: str
    mark: str = "run"
    reason: str = ""

    @property
    def commands(self) -> list[list[str]]:
        """Return its commands as words, without comments; `a && b` are two."""
        return [words for line in _whole_lines(self.source) for words in _commands(line)]


def blocks_of(document: Document) -> Iterator[tuple[Region, ShellBlock]]:
    """Return every shell block of a page, with its position."""
    for region in FencedCodeBlockLexer("sh")(document):
        match = _MARK.search(document.text[: region.start])
        mark, reason = match.groups() if match else ("run", "")
        line = document.text.count("\n", 0, region.start) + 1
        yield region, ShellBlock(line, str(region.lexemes["source"]), mark, reason)


def read_page(path: Path) -> list[ShellBlock]:
    """Return every shell block of a file; `bash` blocks are scripts for a cluster and never run."""
    document = Document(path.read_text(encoding="utf-8"), str(path))
    scripts = [
        ShellBlock(document.text.count("\n", 0, token.start) + 1, str(token.lexemes["source"]))
        for token in FencedCodeBlockLexer("bash")(document)
    ]
    checked = [replace(script, mark="checked", reason="a script") for script in scripts]
    return [*(block for _, block in blocks_of(document)), *checked]


class ShellParser:
    """Gives Sybil the shell blocks that are run."""

    def __call__(self, document: Document) -> Iterable[Region]:
        """Return shell blocks to run."""
        for region, block in blocks_of(document):
            if block.mark != "checked":
                yield Region(region.start, region.end, parsed=block, evaluator=_run_block)


class OutputParser:
    """Gives Sybil the `text` blocks that say what the shell block before them prints."""

    def __call__(self, document: Document) -> Iterable[Region]:
        """Return text blocks below the mark."""
        for region in FencedCodeBlockLexer("text")(document):
            if _OUTPUT.search(document.text[: region.start]):
                source = str(region.lexemes["source"])
                yield Region(region.start, region.end, parsed=source, evaluator=_compare)


def named_file(source: str) -> str | None:
    """Return the file that a block defines, or None."""
    result = _NAMED.match(source)
    return result[1] if result else None


def write_named_files(text: str, folder: Path) -> None:
    """Write each block whose first line names a file to that file.

    Args:
        text: Of the page.
        folder: Where the page's blocks are run.
    """
    for region in FencedCodeBlockLexer(r"\w+")(Document(text, "")):
        source = str(region.lexemes["source"])
        if name := named_file(source):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")


def _whole_lines(source: str) -> Iterator[str]:
    """Return lines, joined where a quote or a backslash continues."""
    kept = ""
    for line in source.splitlines():
        kept += line
        if kept.endswith("\\"):
            kept = kept[:-1]
            continue
        try:
            shlex.split(kept, comments=True)
        except ValueError:  # a quote is open
            kept += "\n"
            continue
        yield kept
        kept = ""
    assert not kept, f"a quote is not closed: {kept}"


def _commands(line: str) -> list[list[str]]:
    words = shlex.split(line, comments=True)
    result: list[list[str]] = [[]]
    for word in words:
        if word == "&&":
            result.append([])
        else:
            result[-1].append(word)
    return [command for command in result if command]


def _run_block(example: Example) -> None:
    printed = [_run(command) for command in example.parsed.commands]
    example.namespace["_printed"] = "".join(printed)


def _run(command: list[str]) -> str:
    """Run one command in the folder of the page and return its output."""
    name, *arguments = command
    if Path(name).name == "memopolis":
        return _memopolis(arguments)
    if name == "python":
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)  # noqa: PLW1510
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout
    raise AssertionError(f"{name!r} is not run by the tests; mark the block <!-- checked: why -->")


def _memopolis(arguments: list[str]) -> str:
    """Run a memopolis command in this process, where the kernels are loaded."""
    from typer.testing import CliRunner

    from memopolis.cli import app

    done = CliRunner().invoke(app, arguments)
    if done.exit_code != 0:
        text = f"memopolis {shlex.join(arguments)}: exit code {done.exit_code}\n{done.output}"
        raise AssertionError(text) from done.exception
    return done.stdout


def _compare(example: Example) -> None:
    got = example.namespace["_printed"]
    same = doctest.OutputChecker().check_output(example.parsed, got, _COMPARED)
    assert same, f"the page says:\n{example.parsed}\nprinted was:\n{got}"
