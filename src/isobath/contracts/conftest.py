"""Surroundings of the contract tests: one thread, as jobs have."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything imports NumPy or torch
