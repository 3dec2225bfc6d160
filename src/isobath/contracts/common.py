"""Kinds, studies and settings that the contract tests of all families share."""

import contextlib
from pathlib import Path
from typing import Any

from isobath import plugins, roots
from isobath.study import layers, places
from isobath.study.loading import completed
from isobath.study.schema import ConfigError, Plugin, Study
from isobath.workflow import plan


def kinds(family: str) -> list[str]:
    """Return the kinds that are tested: those of the user's own where there are folders of these, else all."""
    every = plugins.kinds(family)
    return [kind for kind in every if roots.is_own(str(plugins.path(family, kind)))] if roots.own() else every


def studies() -> list[Study]:
    """Load every study of the workflow and of the user's own, at its smallest scale."""
    loaded, folders = [], places.studies(Path())
    for folder in folders.values():
        scales = layers.scales(folder, folders)
        smallest = next((scale for scale in ("smoke", "demo") if scale in scales), min(scales, default="smoke"))
        loaded.append(plan.load_study(folder, smallest, folders))
    return loaded


def required(family: str, kind: str, **values: Any) -> dict[str, Any]:
    """Return settings that a kind takes: those without default, ``values`` or 2, and no others."""
    schema = plugins.schema(family, kind)
    return {name: values.get(name, 2) for name, (_, default) in schema.items() if default is ...}


def doubled(family: str, kind: str, **values: Any) -> dict[str, Any]:
    """Return the settings of ``required``, and twice the default of each that is a number, where that is allowed."""
    settings = required(family, kind, **values)
    for name, (_, default) in plugins.schema(family, kind).items():
        if isinstance(default, int | float) and not isinstance(default, bool):
            with contextlib.suppress(ConfigError):
                completed(family, {"kind": kind, **settings, name: 2 * default}, "a test", kind, model=Plugin)
                settings[name] = 2 * default
    return settings


def check_documented(family: str, kind: str) -> None:
    """Assert that a kind's module and its verb have docstrings."""
    for text in plugins.about(family, kind):
        assert text, f"{family} {kind}: its module or its function has no docstring"
