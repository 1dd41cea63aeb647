"""The map and the network of the page, drawn in the browser; `js` has modules for any page."""
