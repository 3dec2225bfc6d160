"""Commit of a workflow: the last that changed code or settings on which results depend."""

import shutil
import subprocess
from pathlib import Path

WATCHED = ("src", "workflow", "envs", "Snakefile", "config.yaml", ":(exclude)*.md")


def of(source: Path) -> tuple[str, bool]:
    """Return the commit that last changed code or settings in ``source``, and whether they have changed since.

    The commit is empty outside of a repository.
    """
    commit = last(source, *WATCHED)
    return commit, bool(commit and _git(source, "status", "--porcelain", "--", *WATCHED))


def last(source: Path, *patterns: str) -> str:
    """Return the commit that last changed files of these patterns; empty if there is none."""
    return _git(source, "log", "-1", "--format=%H", "--", *patterns).strip()


def _git(source: Path, *words: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    done = subprocess.run([git, *words], cwd=source, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout if done.returncode == 0 else ""
