"""The charts of the page, which grow in the browser by the new points of each step."""
