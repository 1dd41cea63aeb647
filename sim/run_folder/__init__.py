"""The folder of a run: its files, manifest, checksums, and the code version that it records."""
