"""The contract of figures, over every kind: a module with ``draw``, and settings that say which names they hold."""

import typing

import pytest

from isobath import binding, plugins
from isobath.contracts.common import kinds
from isobath.figures import FigureModule
from isobath.results import networks
from isobath.settings import Names

TABLES = {
    "searches": "protocols",
    "task": "tasks",
    "tasks": "tasks",
    "groups": "tasks",
    "protocol": "protocols",
    "kernel": "kernels",
    "construction": "constructions",
    "law": "laws",
    "laws": "laws",
    "calculation": "calculations",
}


def tables(annotation) -> set[str]:
    """Return the tables of the study whose names a setting holds, at any depth of its type."""
    inner = set().union(*(tables(argument) for argument in typing.get_args(annotation)))
    marks = getattr(annotation, "__metadata__", ())
    return inner | {mark.table for mark in marks if isinstance(mark, Names)}


@pytest.mark.parametrize("kind", kinds("figure"))
def test_every_figure_meets_the_contract(kind):
    module = binding.load("figure", kind)
    assert isinstance(module, FigureModule)
    settings = tuple(f"{family}_" for family in networks.FAMILIES)
    assert {name for name in getattr(module, "READS", ()) if not name.startswith(settings)} <= {*networks.VARIABLES}
    for name, (annotation, _) in plugins.schema("figure", kind).items():
        if name in TABLES:
            assert tables(annotation) == {TABLES[name]}, f"the setting {name} of the figure {kind} has the wrong type"
