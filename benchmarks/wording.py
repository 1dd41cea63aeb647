"""Words and phrases that are wrong in this project: `python benchmarks/wording.py [FOLDER ...]`.

The list is `wording.toml`, with a replacement for each entry. In Python files the check covers the
names that a file defines, comments, docstrings, help texts and error messages, but no other
strings, since agents may speak as people do. In Markdown files it covers everything but code.
Without arguments, the folders and files that the list names as unchecked are left out. Prints each
place and exits with 1 if there is any.
"""

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHECKED = (
    "agents", "analysis", "benchmarks", "conftest.py", "docs", "notebooks", "scenarios", "sim",
    "src", "tests", "tools",
)  # fmt: skip
HELP = {"description", "help", "label", "title", "ylabel", "xlabel"}
"""Keyword arguments whose strings a user reads."""
CODE = re.compile(r"^```.*?^```|`[^`\n]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Wording:
    """The list of wrong words.

    Attributes:
        names: Words that no name may contain, with replacements.
        whole_names: Names that no variable may have, with replacements.
        text: Matches any phrase that no text may contain; a numbered group for each.
        phrases: Replacements by number of the group.
        unchecked: Folders and files that are not checked yet.
    """

    names: dict[str, str]
    whole_names: dict[str, str]
    text: re.Pattern[str]
    phrases: tuple[str, ...]
    unchecked: tuple[str, ...]


@dataclass(frozen=True)
class Match:
    """A wrong word at its place."""

    file: str
    line: int
    words: str
    replacement: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.words!r}: {self.replacement}"


def load_wording(path: Path = ROOT / "benchmarks" / "wording.toml") -> Wording:
    """Read the list."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    phrases = table["text"]
    pattern = "|".join(f"({one})" for one in phrases).replace(" ", r"\s+")
    text = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    unchecked = tuple(table["unchecked"])
    return Wording(table["names"], table["whole_names"], text, tuple(phrases.values()), unchecked)


def find_in_python(source: str, wording: Wording) -> Iterator[tuple[int, str, str]]:
    """Yield line, words and replacement of each match in Python code."""
    tree = ast.parse(source)
    for line, name in _defined_names(tree):
        if name in wording.whole_names:
            yield line, name, wording.whole_names[name]
        for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name):
            if word.lower() in wording.names:
                yield line, name, wording.names[word.lower()]
    for line, text in _texts(tree):
        yield from _find(text, line, wording)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from _find(token.string, token.start[0], wording)


def find_in_markdown(source: str, wording: Wording) -> Iterator[tuple[int, str, str]]:
    """Yield line, words and replacement of each match outside of code and link targets."""
    yield from _find(CODE.sub(lambda code: re.sub(r"[^\n]", "`", code[0]), source), 1, wording)


def find_in_files(files: Sequence[Path], wording: Wording) -> list[Match]:
    """List all matches in files, in order."""
    matches = []
    for file in files:
        find = find_in_python if file.suffix == ".py" else find_in_markdown
        name = file.relative_to(ROOT).as_posix()
        places = find(file.read_text(encoding="utf-8"), wording)
        matches += [Match(name, *place) for place in sorted(set(places))]
    return matches


def list_files(folders: Sequence[str] = CHECKED, unchecked: Sequence[str] = ()) -> list[Path]:
    """List Python and Markdown files, those in Chinese and those unchecked left out."""
    files = [
        file
        for folder in folders
        for file in ([ROOT / folder] if Path(folder).suffix else sorted((ROOT / folder).rglob("*")))
        if file.suffix in {".py", ".md"} and not file.name.endswith(".zh.md")
    ]
    skipped = [ROOT / name for name in unchecked]
    return [file for file in files if not any(file.is_relative_to(one) for one in skipped)]


def main() -> None:
    """Print all matches."""
    wording = load_wording()
    folders = sys.argv[1:]
    files = list_files(folders) if folders else list_files(unchecked=wording.unchecked)
    matches = find_in_files(files, wording)
    for match in matches:
        print(match)
    sys.exit(1 if matches else 0)


def _find(text: str, line: int, wording: Wording) -> Iterator[tuple[int, str, str]]:
    for match in wording.text.finditer(text):
        replacement = wording.phrases[(match.lastindex or 1) - 1]
        yield line + text[: match.start()].count("\n"), " ".join(match[0].split()), replacement


def _defined_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Docstrings, strings below assignments, help texts, and messages of errors."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            strings: Iterator[ast.AST] = iter([node.value])
        elif isinstance(node, ast.keyword) and node.arg in HELP:
            strings = ast.walk(node.value)
        elif isinstance(node, ast.Raise):
            strings = ast.walk(node)
        else:
            continue
        for string in strings:
            if isinstance(string, ast.Constant) and isinstance(string.value, str):
                yield string.lineno, string.value


if __name__ == "__main__":
    main()
