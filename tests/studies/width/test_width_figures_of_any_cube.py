"""Every figure of the width study can be drawn from any of its cubes, and draws nothing that the cube does not have."""

import io

import numpy as np
import pytest
from matplotlib import style
from width_cubes import ASKED, cube
from width_figures import AT, SETTINGS, draw, labels

from isobath import binding
from isobath.plotting.saving import METADATA
from isobath.plotting.style import STYLE


@pytest.fixture(scope="module")
def tree():
    return cube()


def test_a_law_that_is_not_justified_has_no_line():
    asked = {name: law | {"above": 1e9} for name, law in ASKED.items()}
    tree = cube(asked=asked)
    for kind, settings in SETTINGS.items():
        drawn = labels(draw(kind, tree, **settings))
        assert not [label for label in drawn if label.startswith("law")], kind


@pytest.mark.parametrize("kind", SETTINGS)
@pytest.mark.parametrize("left_out", [["laws"], ["jamming"], ["ensembles"], ["ensembles", "jamming", "laws"]])
def test_what_is_not_there_is_not_drawn(kind, left_out, tree):
    drawn = labels(draw(kind, tree.drop_nodes(left_out), **SETTINGS[kind]))
    assert "N*" not in drawn or "jamming" not in left_out
    assert "laws" not in left_out or not [label for label in drawn if label.startswith("law")]


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_cube_without_numbers_can_be_drawn(kind, tree):
    bare = tree.copy(deep=True)
    for group in ("networks", "ensembles"):
        data = bare[group].to_dataset()
        numbers = [n for n in data.data_vars if n not in ("status", "n_weights", "width")]
        bare[group] = data.assign({n: data[n] * np.nan for n in numbers})
    draw(kind, bare, **SETTINGS[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", SETTINGS)
def test_the_same_cube_gives_the_same_bytes(kind, tree):
    def images():
        with style.context(["default", STYLE]):
            figure = binding.load("figure", kind).draw(tree, **AT, **SETTINGS[kind])
            for suffix, metadata in METADATA.items():
                file = io.BytesIO()
                figure.savefig(file, format=suffix[1:], metadata=metadata)
                yield file.getvalue()

    assert list(images()) == list(images())
