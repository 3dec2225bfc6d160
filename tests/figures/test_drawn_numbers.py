"""Figures draw the numbers of their cubes, of which every one differs: every kind, on both axes, with bars and labels.

The modules ``figures_of_...`` beside this one say what each has to draw.
"""

import importlib
from pathlib import Path

import pytest
from artists import cut_off, differences, legend, unexplained
from planted_numbers import CASES

from isobath import binding, plugins

for module in sorted(Path(__file__).parent.glob("figures_of_*.py")):
    importlib.import_module(module.stem)


@pytest.mark.parametrize(("name", "kind", "make"), CASES, ids=[case[0] for case in CASES])
def test_a_figure_draws_the_numbers_of_its_cube(name, kind, make):
    case = make()
    figure = binding.load("figure", kind).draw(case.cube, **case.settings)
    assert differences(figure, case.panels) == [], name
    assert unexplained(figure) == set()
    assert case.legend in (None, legend(figure), tuple(legend(figure)))
    assert not case.framed or cut_off(figure) == []
    said = " ".join(figure.get_suptitle().split())
    assert [words for words in case.says if words not in said] == []


def test_every_kind_of_figure_is_compared_with_its_numbers():
    assert {kind for _, kind, _ in CASES} == {*plugins.kinds("figure")}
