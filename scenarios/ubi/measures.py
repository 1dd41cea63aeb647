"""Measures and outcomes of the scenario."""

from memopolis.sim.measures import Measure, Statistic

# There is one government, one bank and one bureau. For their balances, the mean is the value
# itself, while a sum would count as a flow and be accumulated over months.


def _published(name: str, unit: str, chart: str, description: str) -> Measure:
    return Measure(name, name, description, unit=unit, population="statistics_bureau", chart=chart)


def _public(name: str, chart: str, description: str, *, of: Statistic = "sum") -> Measure:
    return Measure(
        f"government_{name}",
        name,
        description,
        of=of,
        unit="cents",
        population="government",
        chart=chart,
    )


def _by_quintile(name: str, chart: str, description: str, *, of: Statistic = "mean") -> Measure:
    return Measure(
        f"{name}_by_quintile",
        name,
        description,
        of=of,
        unit="cents",
        group="quintile",
        population="household",
        chart=chart,
    )


MEASURES = (
    _by_quintile("disposable", "Disposable income by quintile", "Mean of households"),
    _by_quintile("consumption", "Consumption by quintile", "Mean of households"),
    Measure(
        "hours_by_quintile",
        "hours",
        "Mean weekly hours of the employed, by household income",
        unit="h/week",
        group="quintile",
        where="at_work",
        chart="Hours of the employed by quintile",
    ),
    _published("price_level", "", "Price level", "Price of a fixed basket, 1 at the start"),
    _published(
        "inflation", "1/year", "Inflation and interest", "Change of prices over twelve months"
    ),
    Measure(
        "rate",
        "rate",
        "Interest rate on loans",
        unit="1/year",
        population="bank",
        chart="Inflation and interest",
    ),
    _published("gini", "", "Gini of disposable income", "Of households, over twelve months"),
    _published(
        "poverty", "share", "Gini of disposable income", "Share below half the median income"
    ),
    _published("unemployment", "share", "Labour market", "Unemployed share of the labour force"),
    _published("participation", "share", "Labour market", "Share of adults in the labour force"),
    _published("vacancies", "", "Labour market", "Vacancies relative to the labour force"),
    _published("hours", "h/week", "", "Mean weekly hours of the employed"),
    _published("wage", "USD/h", "", "Mean hourly wage of the employed"),
    _published("gdp", "USD", "Output", "Output of the month, at initial prices"),
    _published("nominal_gdp", "USD", "Output", "Output of the month, at current prices"),
    _published("income", "USD", "", "Mean monthly disposable income of households"),
    _published("consumption", "USD", "", "Mean monthly spending of households"),
    _published("depression", "", "Depression score", "Mean CES-D of the last panel"),
    _published("cases", "share", "", "Share of the last panel with a CES-D of 16 or more"),
    _published("life_satisfaction", "0-10", "Life satisfaction", "Mean of adults"),
    _public("revenue", "Government account", "Taxes collected in the month"),
    _public("benefits", "Government account", "Benefits paid in the month"),
    _public("basic_income", "Government account", "Basic income paid in the month"),
    _public("purchases", "Government account", "Goods bought in the month"),
    _public("deficit", "Government account", "Spending minus revenue in the month"),
    _public("debt", "Government debt", "Debt at the end of the month", of="mean"),
    Measure(
        "money", "deposits", "Sum of all accounts", unit="cents", population="bank", chart="Money"
    ),
    Measure("loans", "loans", "Loans outstanding", unit="cents", population="bank", chart="Money"),
    Measure(
        "reserves",
        "reserves",
        "Money created without a loan",
        unit="cents",
        population="bank",
        chart="Money",
    ),
    Measure(
        "work_attitude", "attitude.work", "Mean attitude to work", unit="0-10", chart="Attitudes"
    ),
    Measure(
        "government_trust",
        "attitude.government_trust",
        "Mean trust in the government",
        unit="0-10",
        chart="Attitudes",
    ),
    Measure(
        "basic_income_attitude",
        "attitude.basic_income",
        "Mean attitude towards a basic income",
        unit="0-10",
        chart="Attitudes",
    ),
    _published("births", "people", "", "Births in the month"),
    _published("deaths", "people", "", "Deaths in the month"),
    _published("new_firms", "firms", "Firms", "Firms founded in the month"),
    _published("failed_firms", "firms", "Firms", "Firms that failed in the month"),
)

OUTCOMES = (
    "income",
    "consumption",
    "hours",
    "participation",
    "unemployment",
    "gini",
    "price_level",
    "depression",
    "life_satisfaction",
)
"""Outcomes of comparisons by default."""
