"""Memory of every agent: status and stream, and the search that scores them."""
