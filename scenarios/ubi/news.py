"""Announcement of the policy."""

from memopolis.sim.timeline import News

LEAD = 1
"""Months from the announcement to the first payment (choice)."""

_WHO = {
    "all": "every adult",
    "low_income": "adults of low income",
    "unemployed": "adults without work",
}
_FUNDING = {
    "tax": " A new surtax is to pay for it.",
    "created": " The central bank creates the money.",
    "none": " The government borrows the money.",
}


def policy_news(
    *, amount: float, funding: str, start: int, schedule: str, who: str
) -> list[tuple[int, News]]:
    """Return the news of the policy, with the month of publication.

    Args:
        amount: USD per month and adult; 0 for no policy and no news.
        funding: "tax", "created" or "none".
        start: Month of the first payment.
        schedule: "monthly" or "once".
        who: "all", "low_income" or "unemployed".

    Returns:
        Months from 0, each with its news, which has no stance.
    """
    if amount <= 0:
        return []
    often = "once" if schedule == "once" else "every month"
    text = f"The government announced a basic income: {_WHO[who]} will be paid {often}."
    announced = News(text + _FUNDING[funding], topic="policy", stance=0.0, importance=0.5)
    return [(max(start - LEAD, 0), announced)]
