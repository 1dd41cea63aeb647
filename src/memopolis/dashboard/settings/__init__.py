"""Settings on the page: changed in a form, and taken by the next reset."""
