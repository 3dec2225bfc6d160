"""Modules of the plug-ins that a study names, whether a grid uses them or not."""

from collections.abc import Iterator

from isobath import fingerprints
from isobath.study.grids import plain
from isobath.study.plugin_models import tables
from isobath.study.schema import Study


def plugin_modules(name: str, study: Study) -> Iterator[str]:
    """Yield the modules of all plug-ins of a study, those inside others included."""
    for table, model in tables().items():
        for plugin in getattr(study, table).values():
            yield from fingerprints.named({model.family: {"study": name, **plain(plugin)}})
