"""Submissions: the predictions of an engine as a CSV file, frozen by its hash when it is read.

| column | content |
| --- | --- |
| case | name of a case |
| quantity | name of a quantity of the case |
| member | random seed, or any name of a member of the ensemble; optional for a single value |
| value | predicted value; shares as fractions, such as 0.53 |
| any other | ignored, such as a note |

Memopolis writes its own predictions in this format, too. The name of the file is the name of the
engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from memopolis.analysis.challenge.case import Case, check_file, shipped_names
from memopolis.sim.errors import DataFileError, ParameterError, did_you_mean
from memopolis.sim.files import hash_of_file
from memopolis.sim.world.columns import read_rules, read_table

COLUMNS = read_rules(__file__, "predictions")
BASELINES = Path(__file__).with_name("baselines")  # folder of the naive baselines, as submissions
LARGEST = 20_000_000  # maximum size of a submission, in bytes
_LONGEST_NAME = 60


@dataclass(frozen=True, eq=False)
class Submission:
    """Frozen predictions of an engine."""

    engine: str  # name of the engine
    file: Path
    sha256: str  # hash of the file as it was read
    # Predictions by member, by case and quantity
    predictions: Mapping[tuple[str, str], Mapping[str, float]]

    def check(self) -> None:
        """Raise a DataFileError if the file has changed since it was read."""
        check_file(self.file, LARGEST)
        if hash_of_file(self.file) != self.sha256:
            raise DataFileError(f"{self.file} changed after it was frozen; start again")


def read_submission(file: str | Path, cases: Sequence[Case]) -> Submission:
    """Read and freeze the predictions of an engine, a CSV file with the columns above.

    Rows of shipped cases that are not among `cases` are ignored. Raises DataFileError if the file
    is not readable, or a case or quantity is unknown or occurs twice with the same member.
    """
    file = Path(file)
    if not file.stem.isprintable() or len(file.stem) > _LONGEST_NAME:
        raise DataFileError(f"{file.name!r}: name the file as the engine, within 60 characters")
    check_file(file, LARGEST)
    sha256 = hash_of_file(file)
    table = read_table(file, COLUMNS, others_kept=True)
    known = {case.name: [quantity.name for quantity in case.quantities] for case in cases}
    others = set(shipped_names()) - set(known)
    values: dict[tuple[str, str], dict[str, float]] = {}
    for number, row in enumerate(table.itertuples(index=False), start=1):
        case, quantity, member = str(row.case), str(row.quantity), str(row.member)
        if case in others:
            continue
        _refuse_unknown(f"{file}, row {number}", known, case, quantity)
        members = values.setdefault((case, quantity), {})
        if member in members:
            raise DataFileError(
                f"{file}, row {number}: {case}, {quantity} has member {member} twice; give each "
                "member once"
            )
        members[member] = float(row.value)  # type: ignore[arg-type]
    return Submission(file.stem, file, sha256, values)


def check_engines(names: Sequence[str]) -> None:
    """Raise a ParameterError if two engines have the same name."""
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"two engines are called {name!r}; rename a file")


def write_submission(file: Path, rows: Sequence[tuple[str, str, str, float]]) -> None:
    """Write predictions: case, quantity, member and value of each."""
    pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(file, index=False)


def _refuse_unknown(
    source: str, known: Mapping[str, Sequence[str]], case: str, quantity: str
) -> None:
    for kind, name, names in (("case", case, known), ("quantity", quantity, known.get(case, ()))):
        if name not in names:
            advice = did_you_mean(name, names)
            raise DataFileError(
                f"{source}, column {kind}: {name!r} is unknown; {advice}known are "
                f"{', '.join(names)}"
            )
