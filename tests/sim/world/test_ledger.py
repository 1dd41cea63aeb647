"""Accounts and payments."""

from collections.abc import Callable

import numpy as np
import pytest

from memopolis.sim.errors import MemopolisError, ParameterError, SchemaError, UnknownNameError
from memopolis.sim.world.ledger import Flow, Ledger


@pytest.fixture
def ledger() -> Ledger:
    """A bank (0) with 10,000 cents, citizens (1, 2, 3) with 100 each, a firm (4)."""
    ledger = Ledger()
    bank = ledger.open("bank", issuer=True)
    citizens = ledger.open("citizen", 3)
    ledger.open("firm")
    ledger.create(bank, 10_300, "start")
    ledger.pay(bank, citizens, 100, "start")
    ledger.clear_flows()
    return ledger


def test_payments_conserve_money(ledger: Ledger) -> None:
    paid = ledger.pay([1, 2], 4, [30, 100], "food")
    assert paid.tolist() == [30, 100]
    assert ledger.balance(range(5)).tolist() == [10_000, 70, 0, 100, 130]
    assert ledger.total == ledger.created == 10_300


def test_payments_of_one_account_sum_up(ledger: Ledger) -> None:
    ledger.pay([1, 1, 2], [4, 2, 4], [10, 20, 30], "food")
    assert ledger.balance([1, 2, 4]).tolist() == [70, 90, 40]


@pytest.mark.parametrize(
    ("short", "paid"),
    [("refuse", [60, 0, 40, 0, 100]), ("part", [60, 40, 0, 0, 100]), ("owe", [60, 50, 40, 1, 100])],
)
def test_short_decides_what_happens_without_enough_money(
    ledger: Ledger, short: str, paid: list[int]
) -> None:
    result = ledger.pay([1, 1, 1, 1, 2], 4, [60, 50, 40, 1, 100], "food", short=short)  # type: ignore[arg-type]
    assert result.tolist() == paid
    assert ledger.balance(1) == 100 - sum(paid[:4])
    assert ledger.total == 10_300


def test_an_account_below_zero_pays_nothing(ledger: Ledger) -> None:
    ledger.pay(1, 4, 150, "food", short="owe")
    assert ledger.balance(1) == -50
    assert ledger.pay(1, 4, 10, "food", short="part").tolist() == [0]
    assert ledger.pay(1, 4, 10, "food").tolist() == [0]
    assert ledger.pay(1, 4, 0, "food").tolist() == [0]


def test_received_money_cannot_be_spent_in_the_same_call(ledger: Ledger) -> None:
    assert ledger.pay([1, 4], [4, 2], [100, 50], "food").tolist() == [100, 0]


def test_flows_are_summed_by_kind_and_reason(ledger: Ledger) -> None:
    ledger.pay([1, 2], 4, [30, 40], "food")
    ledger.pay([1, 2], 4, [5, 500], "food")
    ledger.pay(4, 3, 20, "wage")
    ledger.create(0, 7, "interest")
    assert ledger.flows() == [
        Flow("citizen", "firm", "food", 75, 3),
        Flow("created", "bank", "interest", 7, 1),
        Flow("firm", "citizen", "wage", 20, 1),
    ]
    ledger.clear_flows()
    assert ledger.flows() == []


def test_accounts_may_be_opened_later(ledger: Ledger) -> None:
    late = ledger.open("citizen", 2)
    assert late.tolist() == [5, 6]
    ledger.pay(0, late, 9, "gift")
    assert ledger.balance(late).tolist() == [9, 9]
    assert len(ledger) == 7
    assert ledger.open("citizen", 0).size == 0


def test_empty_payments_change_nothing(ledger: Ledger) -> None:
    assert ledger.pay([], 4, [], "food").size == 0
    assert ledger.flows() == []


def test_balances_are_copies(ledger: Ledger) -> None:
    ledger.balance([1, 2])[:] = 0
    assert ledger.balance(1) == 100


def test_state_continues_where_it_was_saved(ledger: Ledger) -> None:
    ledger.pay(1, 4, 130, "food", short="owe")
    again = Ledger()
    again.restore(ledger.state())
    ledger.pay(4, 2, 5, "wage")
    again.pay(4, 2, 5, "wage")
    assert again.balance(range(5)).tolist() == ledger.balance(range(5)).tolist()
    assert again.flows() == ledger.flows()
    again.create(again.open("bank"), 1, "interest")
    assert (again.created, ledger.created) == (10_301, 10_300)


def test_a_damaged_state_is_refused(ledger: Ledger) -> None:
    state = ledger.state()
    state["balances"][0] += 1
    with pytest.raises(SchemaError, match="damaged"):
        ledger.restore(state)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda book: book.create(1, 5, "x"), ParameterError, "citizen cannot create"),
        (lambda book: book.create(0, 5.0, "x"), SchemaError, "whole cents"),
        (lambda book: book.create(0, 2**62, "x"), ParameterError, "overflow"),
        (lambda book: book.pay(1, 4, -1, "x"), ParameterError, "swap payer and payee"),
        (lambda book: book.pay(1, 4, 0.5, "x"), SchemaError, "whole cents"),
        (lambda book: book.pay(1, 5, 1, "x"), UnknownNameError, "no account 5"),
        (lambda book: book.pay(-1, 4, 1, "x"), UnknownNameError, "no account -1"),
        (lambda book: book.pay(1.0, 4, 1, "x"), UnknownNameError, "no account 1.0"),
        (lambda book: book.pay([1, 2], [4, 4, 4], 1, "x"), ParameterError, "of one length"),
        (lambda book: book.pay([1, 2], 4, 2**61, "x"), ParameterError, "overflow"),
        (
            lambda book: book.pay(1, 4, 1, "x", short="steal"),
            ParameterError,
            "refuse, part and owe",
        ),
        (lambda book: book.balance(9), UnknownNameError, "no account 9"),
        (lambda book: book.open("created"), ParameterError, "created"),
        (lambda book: book.open("firm", -1), ParameterError, "-1"),
    ],
)
def test_invalid_payments_are_refused_and_change_nothing(
    ledger: Ledger, wrong: Callable[[Ledger], object], error: type[MemopolisError], message: str
) -> None:
    before = ledger.balance(range(5))
    with pytest.raises(error, match=message):
        wrong(ledger)
    assert np.array_equal(ledger.balance(range(5)), before)
