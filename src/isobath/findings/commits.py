"""Commit of a workflow: the last that changed what results depend on."""

import shutil
import subprocess
from pathlib import Path

WATCHED = ("src", "workflow", "envs", "Snakefile", "config.yaml", ":(exclude)*.md")


def of(source: Path) -> tuple[str, bool]:
    """Return the commit that last changed code or settings in ``source``, and whether they have changed since.

    The commit is empty outside of a repository.
    """
    commit = _git(source, "log", "-1", "--format=%H", "--", *WATCHED).strip()
    return commit, bool(commit and _git(source, "status", "--porcelain", "--", *WATCHED))


def _git(source: Path, *words: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    done = subprocess.run([git, *words], cwd=source, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout if done.returncode == 0 else ""
