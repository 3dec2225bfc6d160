"""The process that jobs are forked from: it holds nothing that a fork would break, and no stage knows of it."""

import os
import subprocess
import sys
from pathlib import Path

from launcher_house import ONE

from isobath.launcher import server


def test_before_a_fork_there_is_no_thread_and_no_gpu():
    """Otherwise a job might hang."""
    code = """
import os, pathlib, sys, threading
from isobath.launcher import server
assert server.load()
import torch
tasks = pathlib.Path("/proc/self/task")
print(threading.active_count(), len([*tasks.iterdir()]) if tasks.is_dir() else 1, torch.cuda.is_initialized())
"""
    run = subprocess.run([sys.executable, "-c", code], env=os.environ | ONE, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1", "1", "False"]


def test_a_module_that_cannot_be_imported_is_left_to_the_job_that_needs_it(tmp_path):
    (tmp_path / "broken.py").write_text("raise ValueError", encoding="utf-8")
    (tmp_path / "half.py").write_text("def f(", encoding="utf-8")
    code = """
from isobath.launcher import server
server.modules = lambda: iter(["broken", "half", "torch", "numpy"])
print(server.load())
"""
    environment = os.environ | ONE | {"PYTHONPATH": f"{Path(server.__file__).parents[2]}{os.pathsep}{tmp_path}"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"]


def test_no_stage_imports_the_launcher():
    source = Path(server.__file__).parents[1]
    others = [path for path in source.rglob("*.py") if path.parent.name != "launcher"]
    assert [path for path in others if "isobath.launcher" in path.read_text(encoding="utf-8")] == []
