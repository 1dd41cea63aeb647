"""The body clock: the processes that regulate sleep.

Sleep pressure rises while awake and falls while asleep (process S). Sleep begins when it reaches an
upper threshold and ends at a lower one, and both thresholds follow the time of day (process C).
Sleep that an alarm ends too early leaves a debt, which lowers the lower threshold: people sleep
longer as soon as nothing wakes them. Who gets up for work or school goes to bed earlier as soon as
the time until the alarm is less than the sleep needed.

Source: Borbely 1982; equations and time constants of Daan, Beersma and Borbely 1984,
doi:10.1152/ajpregu.1984.246.2.R161; reviewed by Borbely and others 2016, doi:10.1111/jsr.12371.
A debt over days that changes where sleep ends is that of Rajdev and others 2013,
doi:10.1016/j.jtbi.2013.04.013 (recalled); here, it is the sleep lacking in hours, as that decays.
"""

import numpy as np

from memopolis.sim.arrays import Float32, Float64, Floats

FALLS = 4.2  # time constant of sleep pressure while asleep, hours (found)
RISES = 18.2  # the same while awake, of adults, hours (found)
AMPLITUDE = 0.1  # amplitude of both thresholds (found)
# Fitted to the hours of sleep in time-use diaries, like the tables by age below.
UPPER = 0.688  # mean of the upper threshold (0.67 found)
LOWER = 0.005  # mean of the lower threshold (0.17 found)
PHASE = 6.45  # hour at which process C rises through 0, at age 40
DEBT_LASTS = 168.0  # time constant of sleep debt, hours
DEBT_LOWERS = 0.012  # how much an hour of sleep debt lowers the lower threshold
RESTED, EXHAUSTED = 0.03, 0.70  # pressure at which people wake and fall asleep at any hour
EARLY = 0.01  # how much each hour that the alarm will cut short lowers the upper threshold

_AGES = (0, 6, 12, 20, 40, 60, 80)
# Chronotype is latest at 20 and then earlier with age (Roenneberg and others 2007, recalled).
_PHASES = (-1.2, -0.9, -0.1, 0.7, 0.0, -0.75, -0.7)
# Pressure rises faster in the young (Jenni, Achermann and Carskadon 2005, recalled).
_RISES = (9.0, 12.0, 14.5, 16.3, RISES, 17.5, 17.0)
_LOWERS = (-0.08, -0.03, -0.05, 0.03, 0.0, 0.0, 0.015)
_NEEDED = (12.4, 10.6, 9.5, 9.9, 8.5, 8.6, 9.3)  # hours of sleep needed
CHRONOTYPES = 0.8  # standard deviation of chronotypes, hours (1.2 to 1.4 recalled)
NEED_HOURS = 0.5  # standard deviation of the hours needed
_HARMONICS = (0.97, 0.22, 0.07, 0.03, 0.001)  # of process C (found)


def circadian(hours: Float64) -> Float64:
    """Return process C some hours after its phase, a skewed sine in about [-1, 1]."""
    angle = 2 * np.pi * hours / 24
    waves = [size * np.sin(n * angle) for n, size in enumerate(_HARMONICS, 1)]
    return np.sum(waves, axis=0)


def find_phases(age: Floats, chronotype: Floats) -> Float32:
    """Return the hour at which process C rises through 0, by age in years, shape (agents,).

    `chronotype` is standard normal: positive for people who rise late.
    """
    shift = np.interp(age, _AGES, _PHASES) + CHRONOTYPES * chronotype
    return (PHASE + shift).astype(np.float32)


def find_lower_thresholds(age: Floats, debt: Floats) -> Float32:
    """Return the mean lower threshold by age in years and hours of debt, shape (agents,)."""
    return (LOWER + np.interp(age, _AGES, _LOWERS) - DEBT_LOWERS * debt).astype(np.float32)


def find_rise_times(age: Floats) -> Float32:
    """Return the time constant of sleep pressure while awake by age in years, hours, (agents,)."""
    return np.interp(age, _AGES, _RISES).astype(np.float32)


def find_needs(age: Floats, sleeper: Floats) -> Float32:
    """Return the hours of sleep a day that people need, by age in years, shape (agents,).

    `sleeper` is standard normal: positive for long sleepers.
    """
    return (np.interp(age, _AGES, _NEEDED) + NEED_HOURS * sleeper).astype(np.float32)


def change_pressure(pressure: Floats, asleep: Floats, hours: float, rise: Floats) -> Float32:
    """Return sleep pressure after some hours, of which a share `asleep` was slept, (agents,).

    `pressure` is in [0, 1], and `rise` the time constant while awake in hours.
    """
    risen = 1 - (1 - pressure) * np.exp(-hours * (1 - asleep) / rise)
    return (risen * np.exp(-hours * asleep / FALLS)).astype(np.float32)


def change_debt(debt: Floats, slept: Floats, needed: Floats) -> Float32:
    """Return the hours of debt after a day with some hours of sleep, of those needed, (agents,)."""
    changed: Float32 = (debt * np.exp(-24 / DEBT_LASTS) + needed - slept).astype(np.float32)
    return changed
