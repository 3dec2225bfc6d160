"""Stages: one module per rule, run as a job: read, call, write. A job imports the code that was fingerprinted."""

from isobath import sources

sources.import_once_read()
