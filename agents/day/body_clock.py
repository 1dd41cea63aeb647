"""The body clock: the processes that regulate sleep.

Sleep pressure rises while awake and falls while asleep (process S). Sleep begins when it reaches an
upper threshold and ends at a lower one, and both thresholds follow the time of day (process C).
After days with less sleep than needed, pressure falls to a higher level (sleep debt), so people
sleep longer as soon as nothing wakes them.

Source: Borbely 1982; equations and time constants of Daan, Beersma and Borbely 1984,
doi:10.1152/ajpregu.1984.246.2.R161; reviewed by Borbely and others 2016, doi:10.1111/jsr.12371.
Debt after Rajdev and others 2013, doi:10.1016/j.jtbi.2013.04.013 (recalled): there, the level to
which pressure falls itself rises towards 1 while awake and falls towards -2 while asleep. Here, it
is 0 for people who sleep as much as they need, whatever that is.
"""

import numpy as np

from memopolis.sim.arrays import Float32, Float64, Floats

FALLS = 4.2  # time constant of sleep pressure while asleep, hours (found)
RISES = 18.2  # the same while awake, of adults, hours (found)
AMPLITUDE = 0.1  # amplitude of both thresholds (found)
# Fitted to the hours of sleep in time-use diaries, like the tables by age below.
UPPER = 0.706  # mean of the upper threshold (0.67 found)
LOWER = 0.03  # mean of the lower threshold (0.17 found)
PHASE = 6.15  # hour at which process C rises through 0, at age 40
DEBT_LASTS = 168.0  # time constant of sleep debt, hours (recalled)
DEBT_PER_SHARE = 3.0  # debt towards which a lacking share of a day leads, 1 - -2 (recalled)
RESTED = 0.02  # how far above the debt pressure is when sleep ends at the latest (illustrative)
STAYS_UP = 0.007  # how much higher the upper threshold is on evenings before free days (fitted)

_AGES = (0, 6, 12, 20, 40, 60, 80)
# Chronotype is latest at 20 and then earlier with age (Roenneberg and others 2007, recalled).
_PHASES = (-1.2, -0.9, -0.1, 0.7, 0.0, -0.75, -0.7)
# Pressure rises faster in the young (Jenni, Achermann and Carskadon 2005, recalled).
_RISES = (9.0, 12.0, 14.5, 16.3, RISES, 17.5, 17.0)
_LOWERS = (-0.08, -0.03, -0.05, 0.03, 0.0, 0.0, 0.015)
_NEEDED = (12.4, 10.6, 9.4, 9.8, 8.4, 8.5, 9.2)  # hours of sleep needed
CHRONOTYPES = 1.0  # standard deviation of chronotypes, hours (1.2 to 1.4 recalled)
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


def find_lower_thresholds(age: Floats) -> Float32:
    """Return the mean lower threshold by age in years, shape (agents,)."""
    return (LOWER + np.interp(age, _AGES, _LOWERS)).astype(np.float32)


def find_rise_times(age: Floats) -> Float32:
    """Return the time constant of sleep pressure while awake by age in years, hours, (agents,)."""
    return np.interp(age, _AGES, _RISES).astype(np.float32)


def find_needs(age: Floats, sleeper: Floats) -> Float32:
    """Return the hours of sleep a day that people need, by age in years, shape (agents,).

    `sleeper` is standard normal: positive for long sleepers.
    """
    return (np.interp(age, _AGES, _NEEDED) + NEED_HOURS * sleeper).astype(np.float32)


def change_pressure(
    pressure: Floats, asleep: Floats, hours: float, rise: Floats, debt: Floats
) -> Float32:
    """Return sleep pressure after some hours, of which a share `asleep` was slept, (agents,).

    `pressure` is in [0, 1], `rise` the time constant while awake in hours, and `debt` the level
    towards which pressure falls while asleep.
    """
    risen = 1 - (1 - pressure) * np.exp(-hours * (1 - asleep) / rise)
    return (debt + (risen - debt) * np.exp(-hours * asleep / FALLS)).astype(np.float32)


def change_debt(debt: Floats, slept: Floats, needed: Floats) -> Float32:
    """Return sleep debt after a day with some hours of sleep, of those needed, shape (agents,)."""
    keeps = np.exp(-24 / DEBT_LASTS)
    leads_to = DEBT_PER_SHARE * (needed - slept) / 24
    changed: Float32 = (debt * keeps + leads_to * (1 - keeps)).astype(np.float32)
    return changed
