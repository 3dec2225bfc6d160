"""Environment variables that a workflow hands on to its jobs."""

import os
import sys
from pathlib import Path


def inherit(source: Path) -> None:
    """Let the jobs of this process run ``source`` with this Python, whatever is activated or installed.

    The shell lines of the rules call the client of the launcher, which is $ISOBATH_CLIENT.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ["PYTHONPATH"] = str(source)
    os.environ["ISOBATH_CLIENT"] = str(source / "isobath/launcher/client.py")
