"""Words, colours and marks of figures: formulas and texts as print sets them, one palette, no interval that is none."""

import numpy as np
import pytest
import xarray as xr
from cycler import Cycler
from matplotlib.figure import Figure

from isobath.figures.norms import REACH, _slope
from isobath.findings.markdown import written
from isobath.plotting.curves import draw_kernel_curve
from isobath.plotting.laws import _free_exponent
from isobath.plotting.style import STYLE
from isobath.plotting.typesetting import typeset, typeset_figure


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("the bound (e k / d)^(t d)", r"the bound $(e\ k\ /\ d)^{t\ d}$"),
        ("grey: H^(-1/2)", "grey: $H^{-1/2}$"),
        ("2^4 + 1", "$2^{4}$ + 1"),
        ("\u03bc_k / \u03ba(1)", "$\u03bc_{k}$ / \u03ba(1)"),
        ("rf over rf_bias L=2", "rf over rf bias L=2"),
        (r"law $\propto N^{-1/4}$, a_b", r"law $\propto N^{-1/4}$, a_b"),
        ("test error", "test error"),
    ],
)
def test_powers_and_indices_are_mathematics_and_names_are_words(text, printed):
    assert typeset(text) == printed


def test_all_words_of_a_figure_are_set():
    figure = Figure()
    axis = figure.subplots()
    axis.plot([1, 2], label="needed, r^n")
    axis.set(title="cantor_1d", xlabel="x^2")
    figure.legend()
    typeset_figure(figure)
    assert axis.get_title() == "cantor 1d"
    assert axis.get_xlabel() == "$x^{2}$"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["needed, $r^{n}$"]


def test_figures_have_one_palette_without_the_green_and_red_of_the_default():
    cycle = STYLE["axes.prop_cycle"]
    assert isinstance(cycle, Cycler)
    colors = cycle.by_key()["color"]
    assert len(set(colors)) == len(colors) >= 6
    assert not {"#2ca02c", "#d62728"} & {*colors}


def group(value, low, high):
    shape = (("fit", "parameter"), [[value]])
    data = {"value": shape, "low": (shape[0], [[low]]), "high": (shape[0], [[high]])}
    return xr.Dataset(data, {"fit": ["free"], "parameter": ["exponent"]})


def test_an_exponent_without_an_interval_says_so():
    assert _free_exponent(group(2.22, 1.0, 3.0)) == "free exponent 2.22 [1.00, 3.00]"
    assert _free_exponent(group(2.22, np.nan, np.nan)) == "free exponent 2.22, without an interval"
    assert _free_exponent(group(np.nan, np.nan, np.nan)) == "no free exponent justified"


@pytest.mark.parametrize(("sizes", "marker"), [([100], "_"), ([100, 200], "")])
def test_a_kernel_at_one_size_is_seen(sizes, marker):
    """A dashed line through one point has no length: once the kernel stood in the legend and nowhere else."""
    axis = Figure().subplots()
    errors = xr.DataArray([0.3] * len(sizes), dims="n_train", coords={"n_train": sizes})
    draw_kernel_curve(axis, errors, along="n_train", color="black", label="NTK")
    assert axis.lines[0].get_marker() == marker


def test_the_slope_for_the_eye_crosses_no_curve():
    """Nor between the points of a curve, where it leaves the reach of the slope."""
    axis = Figure().subplots()
    distance = [0.2, 0.4, 1.0, 3.0]
    curves = [[60.0, 50.0, 15.0, 9.0], [70.0, 40.0, 90.0, 9.0]]
    for curve in curves:
        axis.plot(distance, curve)
    _slope(axis, 0.2)
    x, y = axis.lines[-1].get_data()
    assert list(x) == pytest.approx([0.2, 0.2 * REACH])
    assert y[0] / y[1] == pytest.approx(REACH**2)
    at = np.linspace(*np.log(x), 200)
    for curve in curves:
        assert (np.interp(at, np.log(x), np.log(y)) > np.interp(at, np.log(distance), np.log(curve))).all()


def test_text_that_people_wrote_is_typeset_but_for_code_and_links():
    text = "**l_4** as N^-1/4 ([here](a_1.md#x_2)), `w_0^2`; it is -0.1"
    typed = "**l<sub>4</sub>** as N<sup>\u22121/4</sup> ([here](a_1.md#x_2)), `w_0^2`; it is -0.1"
    assert written(text) == typed
