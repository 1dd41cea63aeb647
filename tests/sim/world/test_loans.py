"""Loans: money that appears and disappears, and the identity that holds all the time."""

from collections.abc import Callable

import numpy as np
import pytest

from memopolis.sim.errors import (
    MemopolisError,
    ParameterError,
    SchemaError,
    StateError,
    UnknownNameError,
)
from memopolis.sim.world.ledger import Flow, Ledger
from memopolis.sim.world.loans import Loans

BANK, ANN, BEN, FIRM = range(4)


@pytest.fixture
def loans() -> Loans:
    """A bank (0), citizens (1, 2) with 100 cents each made without a loan, a firm (3)."""
    ledger = Ledger()
    bank = ledger.open("bank", issuer=True)
    ledger.open("citizen", 2)
    ledger.open("firm")
    loans = Loans(ledger, int(bank[0]))
    loans.create(ANN, 100, "start")
    loans.create(BEN, 100, "start")
    ledger.clear_flows()
    return loans


def held(loans: Loans) -> list[int]:
    loans.check()
    balances: list[int] = loans.ledger.balance(range(len(loans.ledger))).tolist()
    return balances


def test_a_loan_creates_the_money_it_pays_out(loans: Loans) -> None:
    assert loans.lend([ANN, FIRM], [50, 70], "credit").tolist() == [50, 70]
    assert held(loans) == [0, 150, 100, 70]
    assert (loans.total, loans.reserves, loans.ledger.total) == (120, 200, 320)
    assert loans.of([ANN, BEN, FIRM]).tolist() == [50, 0, 70]
    assert loans.of(FIRM) == 70


def test_repayment_is_limited_by_debt_and_money(loans: Loans) -> None:
    loans.lend([ANN, FIRM], [50, 70], "credit")
    loans.ledger.pay(FIRM, BEN, 60, "wage")
    assert loans.repay([ANN, BEN, FIRM], [80, 10, 70], "repayment").tolist() == [50, 0, 10]
    assert held(loans) == [0, 100, 160, 0]
    assert (loans.total, loans.ledger.total) == (60, 260)


def test_an_account_may_repay_twice_in_one_call(loans: Loans) -> None:
    loans.lend(ANN, 50, "credit")
    assert loans.repay([ANN, ANN], [30, 30], "repayment").tolist() == [30, 20]
    assert held(loans) == [0, 100, 100, 0]


def test_a_write_off_is_a_loss_of_the_bank(loans: Loans) -> None:
    loans.lend(FIRM, 70, "credit")
    loans.ledger.pay(FIRM, ANN, 70, "wage")
    assert loans.write_off(FIRM, 100, "failure").tolist() == [70]
    assert held(loans) == [-70, 170, 100, 0]
    assert (loans.total, loans.reserves, loans.ledger.total) == (0, 200, 200)


def test_a_bank_without_capital_lends_and_is_repaid(loans: Loans) -> None:
    loans.lend(FIRM, 70, "credit")
    loans.write_off(FIRM, 70, "failure")
    loans.lend(ANN, 30, "credit")
    loans.create(BEN, 5, "gift")
    assert held(loans) == [-70, 130, 105, 70]
    loans.ledger.pay(ANN, BANK, 80, "interest")
    assert held(loans)[BANK] == 10


def test_flows_list_created_and_destroyed_money(loans: Loans) -> None:
    loans.lend(ANN, 30, "credit")
    loans.repay(ANN, 10, "repayment")
    assert loans.ledger.flows() == [
        Flow("bank", "citizen", "credit", 30, 1),
        Flow("bank", "destroyed", "repayment", 10, 1),
        Flow("citizen", "bank", "repayment", 10, 1),
        Flow("created", "bank", "credit", 30, 1),
    ]


def test_accounts_opened_later_can_borrow(loans: Loans) -> None:
    (late,) = loans.ledger.open("firm")
    assert loans.of(late) == 0
    loans.lend(late, 9, "founding")
    assert held(loans) == [0, 100, 100, 0, 9]


def test_empty_loans_do_nothing(loans: Loans) -> None:
    none = np.zeros(0, np.int64)
    for act in (loans.lend, loans.repay, loans.write_off):
        assert act(none, none, "nothing").tolist() == []
    assert held(loans) == [0, 100, 100, 0]
    assert loans.ledger.flows() == []


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda x: x.lend([ANN, 9], [5, 5], "credit"), UnknownNameError, "no account"),
        (lambda x: x.create(9, 5, "gift"), UnknownNameError, "no account"),
        (lambda x: x.lend([ANN, BEN], [5, -1], "credit"), ParameterError, "at least 0 are needed"),
        (lambda x: x.repay(ANN, -1, "repayment"), ParameterError, "at least 0 are needed"),
        (lambda x: x.write_off(ANN, -1, "failure"), ParameterError, "at least 0 are needed"),
        (lambda x: x.lend(ANN, 1.5, "credit"), SchemaError, "whole cents"),
    ],
)
def test_refused_calls_change_nothing(
    loans: Loans, act: Callable[[Loans], object], error: type[MemopolisError], message: str
) -> None:
    with pytest.raises(error, match=message):
        act(loans)
    assert held(loans) == [0, 100, 100, 0]
    assert (loans.total, loans.reserves) == (0, 200)


def test_unexplained_money_is_detected(loans: Loans) -> None:
    loans.ledger.create(BANK, 1, "mistake")
    with pytest.raises(StateError, match=r"sum to 201 cents.*0 and reserves 200: 1 cents"):
        loans.check()


def test_a_saved_state_is_restored(loans: Loans) -> None:
    loans.lend([ANN, FIRM], [50, 70], "credit")
    ledger, state = loans.ledger.state(), loans.state()
    loans.repay(ANN, 50, "repayment")
    loans.ledger.restore(ledger)
    loans.restore(state)
    assert held(loans) == [0, 150, 100, 70]
    assert loans.of([ANN, FIRM]).tolist() == [50, 70]


def test_a_state_that_does_not_fit_the_ledger_is_refused(loans: Loans) -> None:
    state = loans.state()
    state["reserves"] += 1
    with pytest.raises(StateError, match="-1 cents have no source"):
        loans.restore(state)


def test_only_an_issuer_destroys_money() -> None:
    ledger = Ledger()
    bank, firm = ledger.open("bank", issuer=True), ledger.open("firm")
    ledger.create(bank, 10, "start")
    with pytest.raises(ParameterError, match="a firm cannot destroy money; kinds that can: bank"):
        ledger.destroy(firm, 1, "loss")
    ledger.destroy(bank, 15, "loss")
    assert ledger.total == ledger.created == -5
    with pytest.raises(ParameterError, match="'destroyed'"):
        ledger.open("destroyed")
