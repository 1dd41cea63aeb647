"""The body clock: two processes that regulate sleep.

Sleep pressure rises while awake and falls while asleep (process S). Sleep begins when it reaches an
upper threshold and ends at a lower one, and both thresholds follow the time of day (process C).

Source: Borbely 1982; equations and time constants of Daan, Beersma and Borbely 1984,
doi:10.1152/ajpregu.1984.246.2.R161; reviewed by Borbely and others 2016, doi:10.1111/jsr.12371.
"""

import numpy as np

from memopolis.sim.arrays import Float32, Float64, Floats

FALLS = 4.2  # time constant of sleep pressure while asleep, hours (found)
RISES = 18.2  # the same while awake, of adults, hours (found)
UPPER, AMPLITUDE = 0.67, 0.1  # mean of the upper threshold, amplitude of both (found)
LOWER = 0.055  # mean of the lower threshold (0.17 found; lower, for the nights of time-use diaries)
PHASE = 7.3  # hour at which process C rises through 0, at age 40 (fitted to diaries)

_AGES = (0, 6, 12, 20, 40, 60, 80)
# Recalled: chronotype is latest at 20 and then earlier with age (Roenneberg and others 2007).
_PHASES = (-1.2, -0.9, -0.1, 0.9, 0.0, -0.6, -0.7)
# Pressure rises faster in children (Jenni, Achermann and Carskadon 2005; values fitted to hours of
# sleep by age, which are recalled).
_RISES = (9.0, 12.0, 14.5, RISES, RISES, 17.5, 17.0)
_LOWERS = (-0.05, -0.045, -0.03, -0.01, 0.0, 0.0, -0.005)
CHRONOTYPES = 1.4  # standard deviation of chronotypes, hours (recalled: about 1.2 to 1.4)
NEEDS = 0.035  # standard deviation of the lower threshold, which makes long and short sleepers


LIE_IN = 0.02
"""What people who need not get up let the lower threshold fall by, at weekends (illustrative)."""
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


def find_lower_thresholds(age: Floats, need: Floats) -> Float32:
    """Return the mean lower threshold by age in years, shape (agents,).

    `need` is standard normal: positive for short sleepers.
    """
    return (LOWER + np.interp(age, _AGES, _LOWERS) + NEEDS * need).astype(np.float32)


def find_rise_times(age: Floats) -> Float32:
    """Return the time constant of sleep pressure while awake by age in years, hours, (agents,)."""
    return np.interp(age, _AGES, _RISES).astype(np.float32)


def change_pressure(pressure: Floats, asleep: Floats, hours: float, rise: Floats) -> Float32:
    """Return sleep pressure after some hours, of which a share `asleep` was slept, (agents,).

    `pressure` is in [0, 1], and `rise` the time constant while awake in hours.
    """
    risen = 1 - (1 - pressure) * np.exp(-hours * (1 - asleep) / rise)
    return (risen * np.exp(-hours * asleep / FALLS)).astype(np.float32)
