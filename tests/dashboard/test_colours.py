"""Contrast of the page's colours in light and in dark mode, after WCAG 2.2, level AA."""

import re
from pathlib import Path

import pytest

import memopolis
from memopolis.dashboard.map.frames import GROUPS

FOLDER = Path(memopolis.__file__).parent / "dashboard"
PAIR = re.compile(r"--([\w-]+): light-dark\((#\w+), (#\w+)\);")
ONE = re.compile(r"--([\w-]+): (#\w+);")
USED = re.compile(r"var\(--([\w-]+)\)")
NAMED = re.compile(r"\"--([\w-]+)\"")  # in scripts
HEX = re.compile(r"""[\s"'(:]#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})\b""")
CODE = {".css", ".js", ".html", ".py"}
TEXTS = {
    "page": "ink grey blue red green-ink",
    "panel": "ink grey blue red blue-ink",
    "blue": "on-blue",
    "blue-pale": "ink blue blue-ink",
    "red-pale": "red",
    "green-pale": "green-ink",
    "mark-pale": "ink grey",
    "tip": "on-tip",
    "map-zone": "map-ink",
    "map-water": "map-ink",
}
"""Colours of texts by that of their ground."""
GRAPHICS = {
    "page": "grey field unknown",
    "panel": "field blue green red purple mark unknown",
    "map-zone": "map-storm map-coming voluntary mandatory unknown map-wind "
    + " ".join(f"group-{number}" for number, _ in enumerate(GROUPS, 1)),
    "map-water": "map-storm map-coming blue",
}
"""Colours of what else must be seen, by that of its ground."""


ICON = "fill='#0072B2'/><circle cx='11' cy='10' r='3.4' fill='#D55E00'/>"
"""Of the page's icon, which has no mode."""


def read_colours(mode: int) -> dict[str, str]:
    text = (FOLDER / "colours.css").read_text(encoding="utf-8")
    pairs = {name: modes[mode] for name, *modes in PAIR.findall(text)}
    return pairs | dict(ONE.findall(text))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXTS, 4.5), (GRAPHICS, 3.0)], ids=["text", "rest"])
def test_colours_have_enough_contrast(pairs: dict[str, str], least: float, mode: int) -> None:
    known = read_colours(mode)
    checked = [(ground, name) for ground, names in pairs.items() for name in names.split()]
    ratios = {pair: round(contrast(known[pair[0]], known[pair[1]]), 2) for pair in checked}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < least} == {}


def test_all_colours_are_in_one_file() -> None:
    files = [file for file in FOLDER.rglob("*.*") if file.suffix in CODE]
    files.remove(FOLDER / "colours.css")
    texts = {file: file.read_text(encoding="utf-8").replace(ICON, "") for file in files}
    whole = "\n".join(texts.values())
    scripts = "\n".join(text for file, text in texts.items() if file.suffix == ".js")
    assert HEX.findall(whole) == []
    used = {*USED.findall(whole), *NAMED.findall(scripts)}
    own = set(re.findall(r"--([\w-]+)['\"]?:", whole))
    known = {*read_colours(0)}
    assert used - own <= known
    # Some names are put together, such as those of shades by their number.
    parts = {re.sub(r"\d$|-area$", "", name) for name in known - used}
    assert parts == {"shade-", "heat-", "group-", "voluntary", "mandatory"}
