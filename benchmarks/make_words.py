"""Make the list of English words that BERT's vocabulary splits, with their inflected forms.

    apt-get install scowl wordnet-base
    python benchmarks/make_words.py

Source: the common words of SCOWL (Kevin Atkinson and others) that are headwords of WordNet 3.0
(Princeton University). A line is a headword that is no word piece of BERT, or a word piece, and
then its inflected forms that are no word pieces. Forms follow WordNet's own rules (morphy) and
lists of exceptions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ASSETS = Path(__file__).parents[1] / "sim/memory/text/assets"
SCOWL = Path("/usr/share/dict/scowl")
WORDNET = Path("/usr/share/wordnet")
COMMON, LESS_COMMON = (10, 20, 35), 40  # sizes of SCOWL's lists; words of the last need uses
USES = 3  # in WordNet's glosses, from which a word of LESS_COMMON is listed
PARTS = ("noun", "verb", "adj", "adv")
ENDINGS = {
    "noun": (
        ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
"""Endings of inflected forms and of their headwords.

Source: WordNet's manual page morphy(7).
"""
WORD = re.compile(r"[a-z]{3,}")


def read(path: Path) -> Iterator[str]:
    """Yield the lines of a file of WordNet or SCOWL, without the indented licence."""
    for line in path.read_text(encoding="latin-1").splitlines():
        if line and not line.startswith("  "):
            yield line


def synsets(folder: Path = WORDNET) -> Iterator[tuple[str, list[str], str]]:
    """Yield the part of speech, the words and the gloss of each synset."""
    for part in PARTS:
        for line in read(folder / f"data.{part}"):
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            names = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            yield part, [re.sub(r"\(.*\)", "", name).replace("_", " ") for name in names], gloss


def common_words(folder: Path = SCOWL) -> dict[str, int]:
    """Return the words of SCOWL's lists with the size of the first list that has them."""
    sizes: dict[str, int] = {}
    for size in (*COMMON, LESS_COMMON):
        for variety in ("english", "american", "british"):
            path = folder / f"{variety}-words.{size}"
            for word in read(path) if path.exists() else ():
                if WORD.fullmatch(word):
                    sizes.setdefault(word, size)
    return sizes


class Headwords:
    """The headwords of WordNet, and the headwords of inflected forms."""

    def __init__(self, folder: Path = WORDNET) -> None:
        self.parts: defaultdict[str, set[str]] = defaultdict(set)
        self.irregular: defaultdict[str, list[str]] = defaultdict(list)
        for part in PARTS:
            for line in read(folder / f"index.{part}"):
                self.parts[line.split()[0]].add(part)
            for line in read(folder / f"{part}.exc"):
                form, *heads = line.split()
                self.irregular[form] += heads

    def of(self, form: str) -> list[str]:
        """Return the headwords of which a word is an inflected form."""
        heads = list(self.irregular.get(form, []))
        for part, endings in ENDINGS.items():
            for ending, end in endings:
                head = form.removesuffix(ending) + end
                if form.endswith(ending) and part in self.parts.get(head, ()):
                    heads.append(head)
        return [head for head in dict.fromkeys(heads) if head != form and WORD.fullmatch(head)]


def list_words(pieces: Iterable[str]) -> dict[str, list[str]]:
    """Return the headwords in alphabetical order, each with its inflected forms."""
    known, sizes, heads = set(pieces), common_words(), Headwords()
    uses = Counter(word for _, _, gloss in synsets() for word in WORD.findall(gloss.lower()))
    split = {word: heads.of(word) for word in sizes if word not in known}
    new = {
        word
        for word, own in split.items()
        if not any(head in known or head in split for head in own)
        and (sizes[word] != LESS_COMMON or (word in heads.parts and uses[word] >= USES))
    }
    listed: dict[str, list[str]] = {word: [] for word in new}
    for word, own in split.items():
        # The headword of a form that is a headword itself may be a word piece.
        head = next((head for head in own if head in new or head in known), None)
        if word not in new and head is not None:
            listed.setdefault(head, []).append(word)
    return {head: sorted(listed[head]) for head in sorted(listed)}


def main() -> None:
    """Write `words.txt`."""
    pieces = (ASSETS / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    words = list_words(pieces)
    lines = "".join(" ".join((head, *forms)) + "\n" for head, forms in words.items())
    (ASSETS / "words.txt").write_text(lines, encoding="utf-8")
    print(f"{len(set(words) - set(pieces)):,} words, {sum(map(len, words.values())):,} forms")


if __name__ == "__main__":
    main()
