"""Environment variables that a workflow hands on to its jobs."""

import os
import sys
from pathlib import Path


def inherit(source: Path) -> None:
    """Let the jobs of this process run ``source`` with this Python, whatever is activated or installed."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ["PYTHONPATH"] = str(source)
