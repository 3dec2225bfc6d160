"""Archives of a run: a zip with its results and sources, tables, a dictionary, checksums and provenance."""
