"""Commit of a workflow, the last that changed code or settings on which results depend; and that of a page."""

import re
import shutil
import subprocess
from pathlib import Path

from isobath import roots
from isobath.disk import sealed_documents, store

ON_PAGE = re.compile("<dt>isobath</dt><dd>[^<]*, commit ([^<]+)</dd>")
WATCHED = ("src", "workflow", "envs", "Snakefile", "config.yaml", ":(exclude)*.md")


def of(source: Path) -> tuple[str, bool]:
    """Return the commit that last changed code or settings in ``source``, and whether they have changed since.

    The user's own folders count where they lie in the same repository. The commit is empty outside of one.
    """
    repository = _repository(source)
    patterns = [pattern for folder in roots.own() if _repository(folder) == repository for pattern in _patterns(folder)]
    commit = last(source, *WATCHED, *patterns)
    return commit, bool(commit and _git(source, "status", "--porcelain", "--", *WATCHED, *patterns))


def of_page(page: Path) -> str:
    """Return the commit of isobath that the page of a run names, and whether it had changes; "" if it is unknown."""
    try:
        store.require_file(page)
        document = page.read_bytes()
        sealed_documents.unseal(document)
    except (OSError, ValueError):
        return ""
    match = ON_PAGE.search(document.decode())
    return "" if match is None else match[1]


def own_changed() -> bool:
    """Tell whether one of the user's own folders, in whatever repository, has changes that were not committed."""
    return any(_git(folder, "status", "--porcelain", "--", *_patterns(folder)) for folder in roots.own())


def last(source: Path, *patterns: str) -> str:
    """Return the commit that last changed files of these patterns; empty if there is none."""
    return _git(source, "log", "-1", "--format=%H", "--", *patterns).strip()


def _patterns(folder: Path) -> list[str]:
    """Return the patterns of the files of an own folder that are code or settings."""
    excluded = (*roots.BESIDE, "*.md", "*__pycache__/*")
    return [str(folder), *(f":(exclude){folder / name}" for name in excluded)]


def _repository(folder: Path) -> str:
    """Return the folder of the repository in which a folder lies; empty outside of one."""
    return _git(folder, "rev-parse", "--show-toplevel")


def _git(source: Path, *words: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    result = subprocess.run([git, *words], cwd=source, capture_output=True, text=True, check=False)  # noqa: S603
    return result.stdout if result.returncode == 0 else ""
