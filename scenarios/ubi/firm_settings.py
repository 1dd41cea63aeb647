"""Settings of firms, markets, the bank, the statistics bureau and shocks."""

from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.settings import SettingsGroup, Share

TABLE = read_declarations(__file__, "settings.toml")


class FirmMemorySettings(SettingsGroup, table=TABLE["firms"]["memory"]):
    """Effect of a firm's memories on its decisions."""

    memories: int = FROM_TABLE
    span: float = FROM_TABLE
    curvature: float = FROM_TABLE
    sales: Share = FROM_TABLE
    price: float = FROM_TABLE
    stock: float = FROM_TABLE
    wage: float = FROM_TABLE


class BankMemorySettings(SettingsGroup, table=TABLE["bank"]["memory"]):
    """Effect of the bank's memories on its interest rate."""

    memories: int = FROM_TABLE
    span: float = FROM_TABLE
    curvature: float = FROM_TABLE
    inflation: Share = FROM_TABLE


class BureauSettings(SettingsGroup, table=TABLE["bureau"]):
    """Headlines of the statistics bureau."""

    headlines: bool = FROM_TABLE
    headline_every: int = FROM_TABLE
    memories: int = FROM_TABLE
    importance: Share = FROM_TABLE


class FirmSettings(SettingsGroup, table=TABLE["firms"]):
    """Targets of firms, entry and exit."""

    citizens: float = FROM_TABLE
    size_exponent: float = FROM_TABLE
    labour_share: float = FROM_TABLE
    learning: Share = FROM_TABLE
    stock: float = FROM_TABLE
    stock_pace: float = FROM_TABLE
    utilisation: float = FROM_TABLE
    price_step: float = FROM_TABLE
    menu: float = FROM_TABLE
    buffer: float = FROM_TABLE
    credit: float = FROM_TABLE
    patience: int = FROM_TABLE
    entry: Share = FROM_TABLE
    entry_shortage: float = FROM_TABLE
    memory: FirmMemorySettings = FirmMemorySettings()


class LabourMarketSettings(SettingsGroup, table=TABLE["labour_market"]):
    """Search, quits, layoffs and wage offers."""

    contact: Share = FROM_TABLE
    vacancies_seen: int = FROM_TABLE
    on_the_job: Share = FROM_TABLE
    better_pay: Share = FROM_TABLE
    quits: Share = FROM_TABLE
    staff_pace: float = FROM_TABLE
    wage_step: float = FROM_TABLE
    wage_patience: int = FROM_TABLE


class GoodsMarketSettings(SettingsGroup, table=TABLE["goods_market"]):
    """Search for sellers."""

    sellers: int = FROM_TABLE
    sensitivity: float = FROM_TABLE
    review: Share = FROM_TABLE
    cheaper: Share = FROM_TABLE
    imports: Share = FROM_TABLE
    interest_effect: float = FROM_TABLE


class BankSettings(SettingsGroup, table=TABLE["bank"]):
    """Interest rates, credit limits and write-offs."""

    neutral: Share = FROM_TABLE
    premium: Share = FROM_TABLE
    passed_on: Share = FROM_TABLE
    household_credit: float = FROM_TABLE
    revolving: float = FROM_TABLE
    repayment: Share = FROM_TABLE
    arrears: int = FROM_TABLE
    capital: Share = FROM_TABLE
    memory: BankMemorySettings = BankMemorySettings()


class ShockSettings(SettingsGroup, table=TABLE["shocks"]):
    """Aggregate shocks, which cause business cycles."""

    demand: Share = FROM_TABLE
    demand_persistence: float = FROM_TABLE
    productivity: Share = FROM_TABLE
    productivity_persistence: float = FROM_TABLE
