"""Where the parts of a society run: local processes, Dask or Ray."""
