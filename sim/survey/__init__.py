"""Surveys: questions put to agents from outside, at set times, that change nothing.

item     one question and its scale            survey    items, whom they go to, scores
rule     how the rule mind answers             asking    put them to a cohort
score    points and sums                       schedule  when; `planned` reads settings
named    surveys by name: `depression` (CES-D), `guns`, or a file
"""
