"""Ages in years from which people may do what; modules that only read runs use them as well."""

SCHOOL_AGES = 5, 17
"""First and last age of pupils, from kindergarten on (recalled)."""

AGE_OF_REASON = 7
"""Age from which people follow news, talk and form attitudes and thoughts (illustrative)."""

INDEPENDENT_AGE = 12
"""Age from which children are out without an adult of the household (illustrative)."""

SHOPPING_AGE = 16
"""Age from which people shop and pay for themselves (illustrative)."""

ADULT = 18
"""Age from which people are out in the evening and mind children (choice)."""
