"""One citizen on the page: who that is, what it remembers, thinks and answers."""
