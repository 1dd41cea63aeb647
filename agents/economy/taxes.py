"""Income tax by brackets, exact in whole cents."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Cents, Intp
from memopolis.sim.errors import DataFileError, ParameterError, SchemaError
from memopolis.sim.world.columns import Column, check_table
from memopolis.sim.world.frames import Source, read_frame

FILING = ("single", "joint", "head of household")  # filing statuses, in the order of their numbers
SINGLE, JOINT, HEAD_OF_HOUSEHOLD = range(len(FILING))

BASIS = 10_000  # basis points in 1. Rates are whole basis points, so taxes are exact.

BRACKET_COLUMNS = {
    "filing_status": Column("text", options=FILING),
    "marginal_rate": Column("number"),
    "upper_threshold_usd": Column("number", blank=True, default=np.inf),
    "standard_deduction_usd": Column("number", least=0, most=1e12),
    "year": Column("whole", required=False, blank=True, default=0, least=0),
    "bracket": Column("whole", required=False, blank=True),  # its number, for readers of the file
}
_TOP = np.iinfo(np.int64).max // BASIS
"""Maximum taxable cents per year without overflow: about 9 trillion USD."""


@dataclass(frozen=True, eq=False)
class Brackets:
    """Marginal rates by taxable income and filing status."""

    # Lower bound of each bracket in cents per year, ascending from 0, unused brackets at the upper
    # limit, shape (statuses, brackets); statuses as in `FILING`
    lower: Cents
    rate: Cents  # rate of each bracket in basis points, shape (statuses, brackets)
    deduction: Cents  # standard deduction in cents per year, shape (statuses,)

    @classmethod
    def read(cls, source: Source, year: int | None = None) -> "Brackets":
        """Read brackets from a table with `BRACKET_COLUMNS`, ascending by filing status.

        The upper limit of the top bracket is empty. Without rows for heads of household, the
        brackets of singles apply to them. `year` is needed only if the table holds several. Raises
        DataFileError if limits do not rise or are negative, a rate is outside [0, 1], a status has
        no top bracket, or the year is missing.
        """
        frame, name = read_frame(source)
        table = check_table(frame, BRACKET_COLUMNS, source=name)
        table["row"] = np.arange(1, len(table) + 1)
        years = sorted(table["year"].unique().tolist())
        if year is None and len(years) > 1:
            raise DataFileError(
                f"{name}: contains the years {_format_list(years)}; select one of them"
            )
        if year is not None and year not in years:
            raise DataFileError(f"{name}: no brackets for {year}; available: {_format_list(years)}")
        table = table[table["year"] == (years[0] if year is None else year)]
        bands = [_read_bands(table[table["filing_status"] == status], name) for status in FILING]
        for status, rows in zip(FILING[:2], bands[:2], strict=True):
            if rows is None:
                raise DataFileError(f"{name}: no row with filing_status {status}")
        return cls._stack(bands[0], bands[1], bands[2] or bands[0])

    @classmethod
    def _stack(cls, *bands: "_Bands | None") -> "Brackets":
        known = [band for band in bands if band is not None]
        widest = max(len(band.rate) for band in known)
        lower = np.full((len(known), widest), _TOP, np.int64)
        rate = np.zeros((len(known), widest), np.int64)
        for status, band in enumerate(known):
            lower[status, : len(band.lower)] = band.lower
            rate[status, : len(band.rate)] = band.rate
            rate[status, len(band.rate) :] = band.rate[-1]
        return cls(lower, rate, np.array([band.deduction for band in known], np.int64))

    def taxable(self, income: ArrayLike, filing: ArrayLike) -> Cents:
        """Subtract the standard deduction from yearly income, cents, shape (units,)."""
        status = _check_filing(filing)
        taxable: Cents = np.maximum(check_cents(income) - self.deduction[status], 0)
        return taxable

    def tax(self, taxable: ArrayLike, filing: ArrayLike) -> Cents:
        """Compute the yearly tax on taxable income, cents, half a cent rounded up, (units,).

        Raises SchemaError if cents are not whole, or ParameterError if they are negative or too
        large, or the filing status does not exist.

        Source: 26 U.S.C. 1 (j): the tax tables for 2018 and after.
        """
        cents, status = np.broadcast_arrays(check_cents(taxable), _check_filing(filing))
        points = np.zeros(cents.shape, np.int64)
        lower, rate = self.lower[status], self.rate[status]
        step = np.diff(rate, axis=-1, prepend=0)
        for band in range(rate.shape[-1]):
            points += step[..., band] * np.maximum(cents - lower[..., band], 0)
        return (points + BASIS // 2) // BASIS

    def withheld(self, income: ArrayLike, filing: ArrayLike) -> Cents:
        """Return the tax withheld in a month, a twelfth of that on twelve equal months, cents."""
        year = 12 * check_cents(income)
        return (self.tax(self.taxable(year, filing), filing) + 6) // 12


@dataclass(frozen=True)
class _Bands:
    lower: Cents
    rate: Cents
    deduction: int


def _read_bands(table: Any, name: str) -> _Bands | None:
    """Read and check the brackets of one filing status."""
    if table.empty:
        return None
    lower, rates = [0], []
    columns = ("row", "marginal_rate", "upper_threshold_usd")
    rows = list(zip(*(table[column] for column in columns), strict=True))
    for number, rate, upper in rows:
        where = f"{name}, row {number}"
        points = round(rate * BASIS)
        if not 0 <= rate <= 1 or abs(rate * BASIS - points) > 1e-6:
            raise DataFileError(
                f"{where}, column marginal_rate: {rate:g}; it must be a share from 0 to 1 with at "
                "most four decimals"
            )
        rates.append(points)
        if np.isinf(upper):
            break
        if upper * 100 > _TOP:
            raise DataFileError(
                f"{where}, column upper_threshold_usd: {upper:g}; the maximum is {_TOP // 100}; "
                "leave the limit of the top bracket empty"
            )
        if round(upper * 100) <= lower[-1]:
            raise DataFileError(
                f"{where}, column upper_threshold_usd: {upper:g} is not above the lower limit "
                f"{lower[-1] / 100:g}; order brackets from lowest to highest"
            )
        lower.append(round(upper * 100))
    if len(rates) < len(rows):
        raise DataFileError(
            f"{name}, row {rows[len(rates) - 1][0]}, column upper_threshold_usd: empty, but only "
            "the last bracket of a filing status has no upper limit"
        )
    if len(lower) > len(rates):
        raise DataFileError(
            f"{name}, row {rows[-1][0]}: the top bracket is missing; leave the last "
            "upper_threshold_usd empty"
        )
    deductions = table["standard_deduction_usd"].unique()
    if len(deductions) > 1:
        raise DataFileError(
            f"{name}, from row {rows[0][0]}: standard_deduction_usd is "
            f"{_format_list(deductions)}; it must be the same for all brackets of a filing status"
        )
    return _Bands(np.array(lower), np.array(rates), round(float(deductions[0]) * 100))


def check_cents(cents: ArrayLike) -> Cents:
    """Convert amounts to 64-bit integers, checked to be whole cents from 0 to the maximum."""
    amounts = np.asarray(cents)
    if amounts.size and amounts.dtype.kind not in "iu":
        raise SchemaError(f"taxes require whole cents, got {amounts.dtype}; round the values")
    if amounts.size and (amounts.min() < 0 or amounts.max() > _TOP):
        raise ParameterError(
            f"cents per year must be from 0 to {_TOP}, got {amounts.min()} to {amounts.max()}"
        )
    return amounts.astype(np.int64, copy=False)


def _check_filing(filing: ArrayLike) -> Intp:
    status = np.asarray(filing)
    if status.size and (status.min() < 0 or status.max() >= len(FILING)):
        raise ParameterError(f"filing must be a number below {len(FILING)}: {', '.join(FILING)}")
    return status.astype(np.intp)


def _format_list(values: Any) -> str:
    return ", ".join(f"{value:g}" for value in values)
