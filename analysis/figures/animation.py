"""Animate the map of a run as a GIF."""

import io
from collections.abc import Callable, Sequence

from PIL import Image

from memopolis.analysis.figures.style import as_png
from memopolis.analysis.figures.zones_now import zones_now
from memopolis.analysis.run.run import Run

DOTS = 100  # resolution in dots per inch
MILLISECONDS = 180  # duration of a frame
_COLOURS = 64


def animate_map(
    run: Run, steps: Sequence[int], progress: Callable[[int, int], None] | None = None
) -> bytes:
    """Draw the map after each of some numbers of steps, and return the bytes of a looping GIF.

    `progress` is called after each frame with the number of frames done and in total.
    """
    frames = []
    for done, step in enumerate(steps, 1):
        figure = zones_now(run.until(step))
        figure.set_dpi(DOTS)
        frames.append(Image.open(io.BytesIO(as_png(figure))).convert("RGB"))
        if progress is not None:
            progress(done, len(steps))
    # Colours that appear later, such as those of orders, are in the frame of the middle.
    palette = frames[len(frames) // 2].quantize(_COLOURS)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    file = io.BytesIO()
    first.save(
        file,
        "GIF",
        save_all=True,
        append_images=others,
        duration=MILLISECONDS,
        loop=0,
        optimize=True,
    )
    return file.getvalue()
