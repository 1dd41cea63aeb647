"""Find surveys by name: built-in ones, and files."""

from pathlib import Path

from memopolis.sim.errors import DataFileError, ParameterError, UnknownNameError
from memopolis.sim.survey.survey import SURVEY_FILE, Survey
from memopolis.sim.toml_files import read_toml


def find_survey(name: str) -> Survey:
    """Find a built-in survey by name, or read a TOML file.

    The file has the fields of `Survey`, the items as `[[items]]` and the scores as `[[scores]]`.
    """
    if name.endswith(SURVEY_FILE):
        return _read(Path(name))
    if name not in SURVEYS:
        raise UnknownNameError(
            f"no survey is called {name!r}; there are {', '.join(SURVEYS)}, or give a .toml file"
        )
    return SURVEYS[name]


def _read(path: Path) -> Survey:
    _, values = read_toml(
        path,
        unreadable=f"cannot read the survey {path}",
        invalid=f"the survey {path} is not valid TOML",
    )
    try:
        return Survey.from_dict(values)
    except ParameterError as error:
        raise DataFileError(f"the survey {path}: {error}") from None


SURVEYS: dict[str, Survey] = {
    path.stem: _read(path) for path in sorted((Path(__file__).parent / "surveys").glob("*.toml"))
}
"""Built-in surveys by name; their files name the sources."""

CES_D = SURVEYS["ces_d"]
"""The Center for Epidemiologic Studies Depression Scale; its total runs from 0 to 60."""
CUT_OFF = 16  # smallest total of the CES-D that counts as a case (Radloff 1977)
GUN_CONTROL = SURVEYS["gun_control"]
"""Five items on gun control: a rating, three choices and a free text."""
LIFE_SATISFACTION = SURVEYS["life_satisfaction"]  # one item, rated from 0 to 10
