"""When surveys are asked: from dates, from settings, and after a state was saved."""

import json
from datetime import datetime, timedelta

import pytest

from memopolis.sim.clock import Clock
from memopolis.sim.errors import DataFileError, ParameterError, SettingsError, UnknownNameError
from memopolis.sim.settings import Settings, SurveySettings
from memopolis.sim.survey.named import CES_D, GUN_CONTROL
from memopolis.sim.survey.schedule import Schedule
from memopolis.sim.survey.survey import Item, Survey


def clock() -> Clock:
    return Clock(datetime(2026, 1, 1), timedelta(hours=1))


def ticks_of(schedule: Schedule, last: int = 100) -> list[int]:
    return [tick for tick in range(last) if schedule.due(tick)]


def planned(**settings: object) -> Schedule:
    schedule = Schedule(clock())
    schedule.plan(SurveySettings().with_changes({"ask": ("ces_d",), **settings}), 72)
    return schedule


def test_a_survey_is_due_in_the_tick_of_its_date() -> None:
    schedule = Schedule(clock())
    schedule.at("2026-01-02 10:30", CES_D)
    schedule.at(datetime(2026, 1, 2, 10), GUN_CONTROL)
    schedule.at("2026-01-02 10:00", CES_D)
    assert schedule.due(34) == [CES_D, GUN_CONTROL]
    assert ticks_of(schedule) == [34]
    assert len(schedule) == 2


def test_a_date_that_has_passed_is_refused() -> None:
    schedule = Schedule(clock())
    with pytest.raises(ParameterError, match="has passed"):
        schedule.at("2025-12-31", CES_D)


def test_two_surveys_cannot_share_a_name() -> None:
    schedule = Schedule(clock())
    schedule.on([1], CES_D)
    with pytest.raises(ParameterError, match="another survey 'ces_d'"):
        schedule.on([2], Survey("ces_d", (Item("a", "A?"),)))


def test_a_schedule_is_restored() -> None:
    first, second = Schedule(clock()), Schedule(clock())
    first.on([3, 7], CES_D)
    first.on([7], GUN_CONTROL)
    second.restore(first.state())
    assert second.due(3) == [CES_D]
    assert second.due(7) == [CES_D, GUN_CONTROL]


def test_without_a_time_a_survey_is_asked_in_the_last_step() -> None:
    assert ticks_of(planned()) == [71]


def test_a_daily_survey_is_asked_in_the_last_hour() -> None:
    assert ticks_of(planned(every=24)) == [23, 47, 71]


def test_dates_and_an_interval_can_be_combined() -> None:
    assert ticks_of(planned(at="2026-01-01 05:00,2026-01-03", every="36")) == [5, 35, 48, 71]


def test_no_survey_asks_nothing() -> None:
    assert len(planned(ask="none", every=1)) == 0


@pytest.mark.parametrize("date", ["2025-12-31", "2026-01-04"])
def test_a_date_outside_of_the_run_is_refused(date: str) -> None:
    with pytest.raises(SettingsError, match=r"survey\.at"):
        planned(at=date)


def test_an_unknown_survey_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="ces_d, gun_control"):
        planned(ask="happiness")


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot read"), ("name = ", "not valid TOML"), ("name = 'a'", "at least one item")],
)
def test_an_invalid_survey_file_is_reported(
    tmp_path_factory: pytest.TempPathFactory, text: str | None, message: str
) -> None:
    path = tmp_path_factory.mktemp("surveys") / "mine.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DataFileError, match=message):
        planned(ask=str(path))


def test_survey_settings_survive_json() -> None:
    options = Settings().with_changes(
        {"survey.ask": "ces_d", "survey.at": "2026-01-01 05:00", "survey.share": "0.5"}
    )
    again = Settings(**json.loads(options.model_dump_json()))
    assert again == options
    assert again.survey.at == (datetime(2026, 1, 1, 5),)
