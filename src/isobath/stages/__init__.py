"""Stages: one module per rule, run as a job: read, call, write. A job runs the code that its result is labelled with."""

from isobath import sources

sources.import_once_read()
