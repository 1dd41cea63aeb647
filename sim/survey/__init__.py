"""Surveys: questions to agents at scheduled times, which never change a society.

survey    items, respondents, scores, answers    rule      answers of the rule mind
asking    ask a survey                            schedule  times of surveys
named     built-in surveys, in `surveys/`, and files
"""
