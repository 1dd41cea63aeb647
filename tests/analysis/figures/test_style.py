"""Colours and hatches of figures are distinguishable in grey and for colour-blind readers."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from matplotlib import colormaps
from matplotlib.colors import Colormap, to_rgb
from numpy.typing import NDArray

from memopolis.analysis.figures.lines import QUINTILES, Panel, looks_of
from memopolis.analysis.figures.style import COLOURS, OPINIONS, Look, canvas, look, percent

# Complete loss of one cone: Machado, Oliveira and Fernandes 2009, table 1, severity 1.0,
# doi:10.1109/TVCG.2009.113; on linear RGB.
SEEN = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
APART = 15
"""Distance in CIELAB at which two colours are distinguishable on lines and small areas."""
TO_XYZ = [
    [0.4124, 0.3576, 0.1805],
    [0.2126, 0.7152, 0.0722],
    [0.0193, 0.1192, 0.9505],
]


def linear(colour: str) -> NDArray[np.float64]:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB of linear RGB."""
    xyz = np.array(TO_XYZ) @ rgb / [0.9505, 1.0, 1.089]
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str, other: str, way: str) -> float:
    """How far two colours are apart as they are seen in one way."""
    colours = [linear(colour) for colour in (one, other)]
    if way == "grey":
        a, b = (lab(rgb)[0] for rgb in colours)
        return float(abs(a - b))
    a, b = (lab(np.clip(np.array(SEEN[way]) @ rgb, 0, 1)) for rgb in colours)
    return float(np.linalg.norm(a - b))


def is_distinguishable(one: Look, other: Look) -> bool:
    if (one.dash, one.marker) != (other.dash, other.marker):
        return True
    return all(distance(one.colour, other.colour, way) >= APART for way in ("grey", *SEEN))


def test_the_simulation_detects_indistinguishable_colours() -> None:
    # Red and green of one lightness are one colour to those without the one or the other cone.
    assert distance("#D00000", "#D00000", "protanopia") == 0
    for way in SEEN:
        assert distance("#C06000", "#6E8C00", way) < APART
    assert distance("#000000", "#FFFFFF", "grey") == pytest.approx(100, abs=0.1)
    # The palette's blue and vermilion are nearly one grey: without dashes they would be one line.
    assert not is_distinguishable(Look(COLOURS[0]), Look(COLOURS[1]))


@pytest.mark.parametrize(
    "groups",
    [
        ["a", "b", "c", "d", "e", "f", "g"],
        [f"series {i}" for i in range(20)],
        list(QUINTILES),
        ["Democrat", "Independent", "Republican"],
        ["mandatory", "voluntary", "none"],
        ["support", "support democrat", "support independent", "support republican"],
        [str(n) for n in range(12)],
    ],
    ids=len,
)
def test_any_two_lines_are_distinguishable(groups: Sequence[str]) -> None:
    drawn = list(looks_of(groups).values())
    for i, one in enumerate(drawn):
        assert all(is_distinguishable(one, other) for other in drawn[:i])


def test_neighbouring_bands_have_different_hatches() -> None:
    assert len({look(i).hatch for i in range(len(COLOURS))}) == len(COLOURS)


def test_colours_are_distinguishable_for_colour_blind_readers() -> None:
    # Dash and marker are small on a dot or a word: there the palette itself must do, but in grey.
    for i, one in enumerate(COLOURS):
        for other in COLOURS[:i]:
            for way in SEEN:
                assert distance(one, other, way) >= 9, (one, other, way)


@pytest.mark.parametrize(
    ("share", "message"),
    [(0.1 + 0.2, "30%"), (0.125, "12.5%"), (1, "100%"), (-0.0, "0%"), (-1e-17, "0%")],
)
def test_percents_have_the_digits_they_need(share: float, message: str) -> None:
    assert percent(share) == message


def test_light_and_dark_bars_are_distinguishable_in_grey() -> None:
    # Night among the hours of departure, and weights among counted memories.
    for one, other in ((COLOURS[6], COLOURS[5]), (COLOURS[0], COLOURS[5])):
        assert min(distance(one, other, way) for way in ("grey", *SEEN)) >= APART


@pytest.mark.parametrize("scale", [OPINIONS, colormaps["YlGnBu"], colormaps["viridis_r"]])
def test_colour_scales_get_darker(scale: Colormap) -> None:
    from matplotlib.colors import to_hex

    light = [lab(linear(to_hex(scale(x))))[0] for x in np.linspace(0, 1, 50)]
    assert (np.diff(light) < 0).all()


def test_lines_and_their_labels_have_the_same_style() -> None:
    times = pd.date_range("2026-01-01", periods=3)
    _, (axes,) = canvas("Lines")
    Panel({f"s{i}": pd.Series([i, i, i], times, dtype=float) for i in range(6)}).draw(axes)
    drawn = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.lines]
    assert len(set(drawn)) == 6
    samples = [
        (child.get_color(), child.get_linestyle(), child.get_marker())
        for box in axes.artists
        for child in box.offsetbox.get_children()  # type: ignore[attr-defined]
    ]
    assert sorted(map(str, samples)) == sorted(map(str, drawn))
