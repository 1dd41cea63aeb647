"""Money: accounts in whole cents, and payments between them.

Payments conserve money: the sum of all balances changes only by `create` and `destroy`, exactly.
Flows are summed by the kinds of the accounts and the reason, until they are recorded and cleared
once per step.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError, SchemaError, UnknownNameError

type Cents = NDArray[np.int64]
type Accounts = NDArray[np.intp]
type Short = Literal["refuse", "part", "owe"]

NOWHERE = "created"  # source of created money, in place of the kind of an account
GONE = "destroyed"  # destination of destroyed money
_LIMIT = 2**62  # keeps balances well within 64 bits


@dataclass(frozen=True, order=True)
class Flow:
    """Sum of payments between two kinds of accounts for one reason."""

    source: str  # kind of the accounts paid from, "created" for new money
    to: str  # kind of the accounts paid to, "destroyed" for money taken away
    why: str  # reason of the payments
    cents: int  # sum of the payments in whole cents
    payments: int  # number of payments


class Ledger:
    """The balances of all accounts. Accounts are numbered from 0 in the order opened."""

    def __init__(self) -> None:
        self._balances: Cents = np.zeros(0, dtype=np.int64)
        self._kind_of: NDArray[np.int16] = np.zeros(0, dtype=np.int16)
        self._kinds: list[str] = []
        self._issuers: set[str] = set()
        self._created = 0
        self._owed = 0
        self._flows: dict[tuple[str, str, str], tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._balances)

    @property
    def total(self) -> int:
        """Sum of all balances in cents."""
        return int(self._balances.sum())

    @property
    def created(self) -> int:
        """Cents created minus cents destroyed; always equal to `total`."""
        return self._created

    def open(self, kind: str, count: int = 1, *, issuer: bool = False) -> Accounts:
        """Open empty accounts, and return their numbers, shape (count,).

        `kind` is the kind of owner, such as "citizen" or "bank", by which flows are summed. An
        `issuer` may `create` money; this applies to the whole kind.
        """
        if count < 0 or kind in {NOWHERE, GONE}:
            raise ParameterError(f"cannot open {count} accounts of kind {kind!r}")
        if kind not in self._kinds:
            self._kinds.append(kind)
        if issuer:
            self._issuers.add(kind)
        first = len(self)
        number = self._kinds.index(kind)
        self._balances = np.append(self._balances, np.zeros(count, dtype=np.int64))
        self._kind_of = np.append(self._kind_of, np.full(count, number, dtype=np.int16))
        return np.arange(first, first + count, dtype=np.intp)

    def balance(self, accounts: ArrayLike) -> Cents:
        """Return a copy of the balances in cents, of the shape of `accounts`."""
        balances: Cents = np.array(self._balances[self._check(accounts)])
        return balances

    def create(self, account: ArrayLike, cents: int, why: str) -> None:
        """Create money on an account of a kind opened with `issuer=True`, such as the bank's."""
        number, amount, kind = self._issuing(account, cents, "create")
        self._check_room(amount)
        self._balances[number] += amount
        self._created += amount
        self._book(NOWHERE, kind, why, amount, 1)

    def destroy(self, account: ArrayLike, cents: int, why: str) -> None:
        """Destroy money: the counterpart of `create`.

        The balance may become negative, such as the bank's own when it writes off loans that exceed
        its capital.
        """
        number, amount, kind = self._issuing(account, cents, "destroy")
        self._check_room(amount)
        before = max(0, int(self._balances[number]))
        self._owed += max(0, amount - before)
        self._balances[number] -= amount
        self._created -= amount
        self._book(kind, GONE, why, amount, 1)

    def _issuing(self, account: ArrayLike, cents: int, what: str) -> tuple[int, int, str]:
        """Return number, cents and kind of an account that may create or destroy money."""
        number = self._check(account).item()
        amount = whole_cents(cents).item()
        kind = self._kinds[self._kind_of[number]]
        if kind not in self._issuers:
            allowed = ", ".join(sorted(self._issuers)) or "none yet: open one with issuer=True"
            raise ParameterError(f"a {kind} cannot {what} money; kinds that can: {allowed}")
        return number, amount, kind

    def pay(
        self,
        source: ArrayLike,
        to: ArrayLike,
        cents: ArrayLike,
        why: str,
        *,
        short: Short = "refuse",
    ) -> Cents:
        """Make payments between accounts, all at once; return the cents paid, shape (payments,).

        Money received in this call cannot be spent in it. Payments of the same payer are made in
        the order given, so randomize that order if balances may not suffice.

        Accounts and whole cents, >= 0, are one or of shape (payments,); `why` is the reason, for
        the tables. If a balance does not suffice, `short` is to "refuse" the whole payment (a
        later, smaller one of the same payer may still succeed), to pay the "part" that is left, or
        to "owe": pay in full with a negative balance. Raises UnknownNameError if an account does
        not exist, SchemaError if cents are not whole, or ParameterError if they are negative or too
        large.
        """
        payers, payees, asked = _aligned(self._check(source), self._check(to), whole_cents(cents))
        total = float(asked.sum(dtype=np.float64))
        self._check_room(int(total))
        paid = asked
        if short == "owe":
            self._owed += int(asked.sum())
        elif short == "part":
            paid = paid_in_turn(self._balances, payers, asked)
        elif short == "refuse":
            paid = _all_or_nothing(self._balances, payers, asked)
        else:
            raise ParameterError(f"short is {short!r}; allowed are refuse, part and owe")
        np.subtract.at(self._balances, payers, paid)
        np.add.at(self._balances, payees, paid)
        self._book_payments(payers, payees, paid, why)
        return paid

    def flows(self) -> list[Flow]:
        """Return the flows since `clear_flows`, sorted by kinds and reason."""
        return sorted(Flow(*key, *sums) for key, sums in self._flows.items())

    def clear_flows(self) -> None:
        """Reset the sums of flows."""
        self._flows = {}

    def state(self) -> dict[str, Any]:
        """Return a copy of the state of the ledger: two arrays, and plain values."""
        return {
            "balances": self._balances.copy(),
            "kind_of": self._kind_of.copy(),
            "kinds": list(self._kinds),
            "issuers": sorted(self._issuers),
            "created": self._created,
            "owed": self._owed,
            "flows": [(*key, *sums) for key, sums in sorted(self._flows.items())],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the content by a saved state; SchemaError if its sums differ."""
        balances = np.array(state["balances"], dtype=np.int64)
        if int(balances.sum()) != state["created"]:
            raise SchemaError(
                f"the saved balances sum to {balances.sum()}, not to the {state['created']} "
                "cents created: the saved ledger is damaged"
            )
        self._balances = balances
        self._kind_of = np.array(state["kind_of"], dtype=np.int16)
        self._kinds = list(state["kinds"])
        self._issuers = set(state["issuers"])
        self._created = state["created"]
        self._owed = state["owed"]
        self._flows = {(a, b, c): (cents, count) for a, b, c, cents, count in state["flows"]}

    def _check(self, accounts: ArrayLike) -> Accounts:
        numbers = np.asarray(accounts)
        if numbers.size == 0:
            return numbers.astype(np.intp)
        if numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= len(self):
            raise UnknownNameError(
                f"no account {accounts!r}; accounts are whole numbers below {len(self)}, "
                "as open() gave them"
            )
        return numbers.astype(np.intp, copy=False)

    def _check_room(self, cents: int) -> None:
        if self._created + self._owed + cents >= _LIMIT:
            raise ParameterError(f"{cents} cents more would overflow an account")

    def _book_payments(self, payers: Accounts, payees: Accounts, paid: Cents, why: str) -> None:
        kinds = self._kinds
        pair = self._kind_of[payers].astype(np.intp) * len(kinds) + self._kind_of[payees]
        sums = np.zeros(len(kinds) ** 2, dtype=np.int64)
        np.add.at(sums, pair, paid)  # not bincount, whose float64 is exact to 2**53 only
        payments = np.bincount(pair[paid > 0], minlength=len(sums))
        for number in np.flatnonzero(payments).tolist():
            source, to = divmod(number, len(kinds))
            self._book(kinds[source], kinds[to], why, int(sums[number]), int(payments[number]))

    def _book(self, source: str, to: str, why: str, cents: int, payments: int) -> None:
        old_cents, old_payments = self._flows.get((source, to, why), (0, 0))
        self._flows[source, to, why] = (old_cents + cents, old_payments + payments)


def whole_cents(cents: ArrayLike) -> Cents:
    """Check amounts of money of any shape, >= 0, and return them as 64-bit integers."""
    amounts = np.asarray(cents)
    if amounts.size == 0:
        return amounts.astype(np.int64)
    if amounts.dtype.kind not in "iu":
        raise SchemaError(
            f"amounts are of type {amounts.dtype}; money is counted in whole cents, so round them"
        )
    if amounts.min() < 0:
        raise ParameterError(
            f"a payment is {amounts.min()} cents; at least 0 are needed, so swap payer and payee"
        )
    if float(amounts.max()) >= _LIMIT:
        raise ParameterError(f"{amounts.max()} cents would overflow an account")
    return amounts.astype(np.int64, copy=False)


def _aligned(source: Accounts, to: Accounts, cents: Cents) -> tuple[Accounts, Accounts, Cents]:
    try:
        payers, payees, asked = np.broadcast_arrays(
            np.atleast_1d(source), np.atleast_1d(to), np.atleast_1d(cents)
        )
    except ValueError:
        raise ParameterError(
            f"source, to and cents are one value each or of one length, given shapes "
            f"{source.shape}, {to.shape} and {cents.shape}"
        ) from None
    return payers, payees, asked.copy()


def paid_in_turn(balances: Cents, payers: Accounts, asked: Cents) -> Cents:
    """Pay amounts in the order given until the balance of a payer is used up, (payments,)."""
    total = np.zeros_like(balances)
    np.add.at(total, payers, asked)
    if (total[payers] <= balances[payers]).all():
        return asked.copy()
    order = np.argsort(payers, kind="stable")
    ends = np.cumsum(asked[order])
    before = ends - asked[order]
    _, first, count = np.unique(payers[order], return_index=True, return_counts=True)
    before -= np.repeat(before[first], count)  # earlier payments of the same payer
    paid = np.empty_like(asked)
    paid[order] = np.clip(balances[payers[order]] - before, 0, asked[order])
    return paid


def _all_or_nothing(balances: Cents, payers: Accounts, asked: Cents) -> Cents:
    """Make the payments, in order, for which the balance suffices; shapes (payments,)."""
    paid = paid_in_turn(balances, payers, asked)
    # Only payers with insufficient balances need the loop.
    short = np.unique(payers[paid < asked])
    left = dict(zip(short.tolist(), balances[short].tolist(), strict=True))
    for payment in np.flatnonzero(np.isin(payers, short)).tolist():
        payer, amount = payers.item(payment), asked.item(payment)
        paid[payment] = amount if amount <= left[payer] else 0
        left[payer] -= paid.item(payment)
    return paid
