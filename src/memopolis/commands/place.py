"""`memopolis place new`: build the folder of a place."""

from pathlib import Path

from memopolis.commands.options.runs import PlaceOptions
from memopolis.commands.terminal import print_line, waiting
from memopolis.scenarios.places.fit import Fit, measure_fit, write_fit
from memopolis.scenarios.places.new_place import Sources, build_place
from memopolis.scenarios.places.place_folder import write_place
from memopolis.sim.run_folder.folder import check_unused
from memopolis.sim.world.place import Place

REPORT = "report"  # folder of the report within that of a place


def build_new_place(options: PlaceOptions) -> None:
    """Build a place and print what it consists of."""
    sources = Sources(_split(options.counties), _split(options.zips), options.geojson, options.csv)
    folder = options.out or Path("places") / options.name
    check_unused(folder)
    with waiting("Building the place"):
        new = build_place(options.name, sources)
    place = new.place
    print_line(f"{new.title}: {len(place)} zones, {place.population.sum():,.0f} people")
    with waiting("Writing the place and its report"):
        fit = measure_fit(place, options.agents)
        write_place(new, folder, lambda draft: _write_report(fit, place, draft))
    for phrase in new.taken_over:
        print_line(f"taken over: {phrase}")
    print_line(_summarise(fit))
    print_line(f"Report {folder / REPORT / 'fit.md'}, with map.png and fit.png")
    print_line(f"Written to {folder}. Use it: memopolis run hurricane --set place={folder}")


def _split(text: str | None) -> list[str]:
    """Split a list at its commas."""
    return [part.strip() for part in text.split(",") if part.strip()] if text else []


def _write_report(fit: Fit, place: Place, folder: Path) -> None:
    """Write tables and figures of the fit."""
    from memopolis.analysis.figures.new_place import draw_fit, draw_place

    write_fit(fit, place, folder / REPORT)
    draw_place(folder).savefig(folder / REPORT / "map.png", dpi=150)
    draw_fit(folder).savefig(folder / REPORT / "fit.png", dpi=150)


def _summarise(fit: Fit) -> str:
    """Return the largest deviations of a fit in one line."""
    zones = fit.zones["deviation"].abs().max()
    worst = fit.whole.iloc[int(fit.whole["deviation"].abs().argmax())]
    return (
        f"fit: zones within {zones:.2%} of their marginals; {int(fit.whole['fits'].sum())} of "
        f"{len(fit.whole)} marginals of the whole place fit, largest deviation "
        f"{worst['deviation']:+.1%} ({worst['marginal']})"
    )
