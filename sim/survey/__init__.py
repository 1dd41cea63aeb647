"""Surveys: questions to agents at scheduled times, which never change a society.

item      one question and its scale            survey    items, respondents, scores, answers
rule      answers of the rule mind              asking    ask a survey
schedule  times of surveys                      named     built-in surveys and files
`depression` (CES-D) and `opinions` (gun control, satisfaction with life) are built in.
"""
