"""Only entries of the bank create or destroy money."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.world.ledger import Ledger, Short
from memopolis.sim.world.loans import Loans

ACCOUNTS = 6
START = 1_000
account = st.integers(0, ACCOUNTS - 1)
payment = st.tuples(account, account, st.integers(0, 2 * START))
batch = st.tuples(st.lists(payment, max_size=12), st.sampled_from(["refuse", "part", "owe"]))


def open_ledger(start: int = START) -> Ledger:
    ledger = Ledger()
    people = ledger.open("citizen", ACCOUNTS - 1, issuer=True)
    ledger.open("firm")
    for person in people:
        ledger.create(person, start, "start")
    return ledger


def pay(ledger: Ledger, payments: list[tuple[int, int, int]], short: Short) -> list[int]:
    source, to, cents = np.array(payments, dtype=np.int64).reshape(-1, 3).T
    paid: list[int] = ledger.pay(source, to, cents, "trade", short=short).tolist()
    return paid


@given(st.lists(batch, max_size=8))
def test_the_sum_of_all_money_changes_only_by_creation(batches: list[tuple[Any, Short]]) -> None:
    ledger = open_ledger()
    for payments, short in batches:
        pay(ledger, payments, short)
        assert ledger.total == ledger.created == (ACCOUNTS - 1) * START
    ledger.create(0, 17, "interest")
    assert ledger.total == (ACCOUNTS - 1) * START + 17


@given(st.lists(payment, max_size=12), st.sampled_from(["refuse", "part", "owe"]))
def test_one_batch_of_payments_equals_single_payments(
    payments: list[tuple[int, int, int]], short: Short
) -> None:
    ledger = open_ledger()
    before = ledger.balance(range(ACCOUNTS))
    left = before.tolist()
    expected = []
    for source, _, cents in payments:
        whole = cents <= left[source] or short == "owe"
        paid = cents if whole else (max(0, left[source]) if short == "part" else 0)
        left[source] -= paid
        expected.append(paid)
    assert pay(ledger, payments, short) == expected
    for (_, to, _), paid in zip(payments, expected, strict=True):
        left[to] += paid
    assert ledger.balance(range(ACCOUNTS)).tolist() == left


@given(st.lists(batch, max_size=6))
def test_flows_explain_the_change_of_every_kind(batches: list[tuple[Any, Short]]) -> None:
    ledger = open_ledger()
    before = int(ledger.balance(ACCOUNTS - 1))
    for payments, short in batches:
        pay(ledger, payments, short)
    received = sum(flow.cents for flow in ledger.flows() if flow.to == "firm")
    spent = sum(flow.cents for flow in ledger.flows() if flow.source == "firm")
    assert int(ledger.balance(ACCOUNTS - 1)) == before + received - spent


@given(st.lists(st.integers(2**53 - 3, 2**53 + 3), min_size=1, max_size=20))
def test_sums_are_exact_beyond_float_precision(amounts: list[int]) -> None:
    ledger = open_ledger(start=2**58)
    ledger.pay(0, ACCOUNTS - 1, amounts, "trade")
    assert int(ledger.balance(ACCOUNTS - 1)) == sum(amounts)
    assert sum(flow.cents for flow in ledger.flows() if flow.why == "trade") == sum(amounts)


entry = st.tuples(
    st.sampled_from(["pay", "lend", "repay", "write off", "create", "close", "open"]),
    account,
    account,
    st.integers(0, 3 * START),
    st.sampled_from(["refuse", "part", "owe"]),
)


def enter(loans: Loans, what: str, who: tuple[int, int], cents: int, short: Short) -> None:
    """Make one entry of a bank's books."""
    one, other = who
    if what == "pay":
        loans.ledger.pay([one, other], [other, one], [cents, cents // 2], "trade", short=short)
    elif what == "lend":
        loans.lend([one, other], [cents, 1], "credit")
    elif what == "repay":
        loans.repay([one, other, one], [cents, 2 * cents, 1], "repayment")
    elif what == "write off":
        loans.write_off([one, other], [cents, 3], "failure")
    elif what == "create":
        loans.create(one, cents, "gift")
    elif what == "open":
        (late,) = loans.ledger.open("firm")
        loans.lend(late, cents, "founding")
    else:  # a firm closes: it pays what it can, the rest is lost, the owner gets what is left
        loans.repay(one, loans.of(one), "repayment")
        loans.write_off(one, loans.of(one), "failure")
        loans.ledger.pay(one, other, max(0, int(loans.ledger.balance(one))), "closing")


def books() -> Loans:
    """Return a ledger with a bank (account 0) and five other accounts."""
    ledger = Ledger()
    (bank,) = ledger.open("bank", issuer=True)
    people = ledger.open("citizen", ACCOUNTS - 1)
    loans = Loans(ledger, int(bank))
    for person in people:
        loans.create(person, START, "start")
    return loans


@given(st.lists(entry, max_size=30))
def test_deposits_equal_loans_plus_reserves_after_every_entry(entries: list[Any]) -> None:
    loans = books()
    for what, one, other, cents, short in entries:
        enter(loans, what, (one, other), cents, short)
        assert loans.ledger.total == loans.total + loans.reserves
        assert (loans.of(range(len(loans.ledger))) >= 0).all()


def test_a_thousand_random_entries_lose_no_cent() -> None:
    draw = np.random.default_rng(5)
    loans = books()
    kinds = ["pay", "lend", "repay", "write off", "create", "close", "open"]
    shorts: list[Short] = ["refuse", "part", "owe"]
    for _ in range(1_000):
        accounts = len(loans.ledger)
        one, other, kind, short = (int(draw.integers(n)) for n in (accounts, accounts, 7, 3))
        cents = int(10 ** draw.uniform(0, 9))
        enter(loans, kinds[kind], (one, other), cents, shorts[short])
        loans.check()
        assert loans.ledger.total == loans.total + loans.reserves
