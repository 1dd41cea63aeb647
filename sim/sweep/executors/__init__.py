"""Where the runs of a sweep are made: processes of this machine, or a cluster."""
