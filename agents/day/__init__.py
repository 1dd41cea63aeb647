"""How a day is spent: body clock, calendar, hours of work and school, and diaries."""
