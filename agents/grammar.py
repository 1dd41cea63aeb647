"""Compose sentences from a data file.

A grammar has sections, a section has keys, and a key has phrases that may replace each other. A
text is composed of one phrase of each section, chosen by key and by a random draw. The line
"I am [glad|happy]." of a file is short for two phrases.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np

from memopolis.sim.arrays import Float64, Int32, Int64, Intp, Ints
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.threads import CACHES

OTHERS = "others"  # key that replaces keys which a section does not have

_ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")

# Maximum number of cached texts per combination of sections; one call may exceed it.
_MOST_CACHED = 65_536


@dataclass(frozen=True)
class Grammar:
    """Phrases by section and key."""

    # Phrases by section and key; an empty phrase adds nothing to a text
    sections: Mapping[str, Mapping[str, tuple[str, ...]]]

    @classmethod
    def read(cls, *paths: Path) -> Self:
        """Read TOML files of phrases by section and key; later keys replace earlier ones."""
        sections: dict[str, dict[str, tuple[str, ...]]] = {}
        for path in paths:
            for section, entries in tomllib.loads(path.read_text(encoding="utf-8")).items():
                phrases = {
                    key: tuple(phrase for line in lines for phrase in expand(line))
                    for key, lines in entries.items()
                }
                sections.setdefault(section, {}).update(phrases)
        return cls(sections)

    def numbers(self, section: str, keys: Sequence[str]) -> Intp:
        """Return the numbers of keys, that of "others" for unknown keys, shape (keys,)."""
        places = self._places[section]
        return np.array([places.get(key, places.get(OTHERS, 0)) for key in keys], np.intp)

    def phrases(self, section: str) -> list[str]:
        """Return all phrases of a section, key by key."""
        return self._flat[section]

    def draw(self, section: str, key: Ints, u: Float64) -> Int64:
        """Draw one phrase of each key: places in `phrases`, shape (agents,)."""
        first, count = self._ranges[section]
        return np.asarray(first[key] + (u * count[key]).astype(np.int64))

    def compose(self, parts: Mapping[str, Ints], u: Float64, texts: Texts) -> Int32:
        """Compose one text for each agent; return their numbers, shape (agents,).

        `parts` has the numbers of keys by section, in the order of the sentences; `u` are draws in
        [0, 1) that choose the phrases, shape (agents, sections).
        """
        code = np.zeros(len(u), np.int64)
        for place, (section, key) in enumerate(parts.items()):
            phrase = self.draw(section, key, u[:, place])
            code = code * len(self._flat[section]) + phrase
        return self._number_all(code.tolist(), tuple(parts), texts)

    def _number_all(self, codes: list[int], sections: tuple[str, ...], texts: Texts) -> Int32:
        """Return the numbers of the texts of some codes; those composed before are cached."""
        with CACHES:
            cuts, known = self._numbers.get(texts, (-1, {}))
            if cuts != len(texts.cuts):  # texts were removed, and their numbers given to others
                cuts, known = self._numbers[texts] = len(texts.cuts), {}
            numbered = known.setdefault(sections, {})
            if len(numbered) > _MOST_CACHED:
                numbered.clear()
        numbers = list(map(numbered.get, codes))
        if None in numbers:
            flat = [self._flat[section] for section in reversed(sections)]
            missing = [code for code, number in zip(codes, numbers, strict=True) if number is None]
            new = {code: texts.intern(_text(code, flat)) for code in dict.fromkeys(missing)}
            numbered.update(new)
            numbers = [
                new[code] if number is None else number
                for code, number in zip(codes, numbers, strict=True)
            ]
        return np.array(numbers, np.int32)

    @cached_property
    def _places(self) -> dict[str, dict[str, int]]:
        """Number of each key, by section."""
        return {
            section: {key: place for place, key in enumerate(entries)}
            for section, entries in self.sections.items()
        }

    @cached_property
    def _numbers(
        self,
    ) -> WeakKeyDictionary[Texts, tuple[int, dict[tuple[str, ...], dict[int, int]]]]:
        """Number of removals of texts, and numbers of texts by sections and code of the phrases."""
        return WeakKeyDictionary()

    @cached_property
    def _flat(self) -> dict[str, list[str]]:
        """All phrases of each section, key by key."""
        return {
            section: [phrase for phrases in entries.values() for phrase in phrases]
            for section, entries in self.sections.items()
        }

    @cached_property
    def _ranges(self) -> dict[str, tuple[Int64, Int64]]:
        """Place of the first phrase and number of phrases of each key, by section."""
        ranges = {}
        for section, entries in self.sections.items():
            count = np.array([len(phrases) for phrases in entries.values()], np.int64)
            ranges[section] = (np.cumsum(count) - count, count)
        return ranges


def expand(line: str) -> list[str]:
    """Return the phrases that a line stands for, one for each combination of its alternatives.

    Examples:
        >>> expand("[It|This] is [fair|a relief].")
        ['It is fair.', 'It is a relief.', 'This is fair.', 'This is a relief.']
    """
    parts = _ALTERNATIVES.split(line)  # plain text and alternatives in turn
    options = [part.split("|") if at % 2 else [part] for at, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*options)]


def _text(code: int, phrases: Sequence[Sequence[str]]) -> str:
    """Return the text of a code; `phrases` are those of each section, the last section first."""
    text = ""
    for some in phrases:
        code, place = divmod(code, len(some))
        if some[place]:
            text = f"{some[place]} {text}" if text else some[place]
    return text
