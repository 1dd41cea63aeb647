"""Pages of a long list."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """One page of a list."""

    number: int  # number of the page, from 0
    size: int  # maximum number of rows of a page
    rows: int  # number of rows of the whole list

    @property
    def pages(self) -> int:
        """Number of pages; an empty list has one."""
        return max(1, -(-self.rows // self.size))

    @property
    def part(self) -> slice:
        """Positions of the page's rows in the list."""
        first = self.number * self.size
        return slice(first, min(first + self.size, self.rows))

    @property
    def description(self) -> str:
        """Description of the page, such as "1 to 50 of 200"."""
        if not self.rows:
            return "none"
        first, last = self.part.start + 1, self.part.stop
        return f"{first:,} to {last:,} of {self.rows:,}" if self.pages > 1 else f"{self.rows:,}"


def page_at(number: int, rows: int, *, size: int) -> Page:
    """Return a page of a list, or the nearest existing one."""
    last = Page(0, size, rows).pages - 1
    return Page(min(max(number, 0), last), size, rows)
