"""Fine curves after five times the steps of the laptop scale: how much of what they cost is a matter of time.

Networks have 50 units in five layers, one rate that is among the best of the runs, and data sets that no run has.
"""

import pytest

import isobath
from isobath.randomness import stream
from isobath.tasks import fractal

STEPS_PER_EPOCH, LAPTOP, EPOCHS = 500, 200, 1000  # 50,000 samples in batches of 100; 100,000 steps at laptop scale
START = {"kind": "lecun_truncated", "bias": 0.1}


def errors(system, curve, draw):
    """Return the test errors (step, half of the test set) of a network on the way."""
    task = {"levels": 4, "system": system, "curve": curve}
    generator = stream(0, "longer_training", system, draw)
    data, test = (fractal.sample(n, generator=generator, **task) for n in (50_000, 5_000))
    network = isobath.train(
        *data, test=test, depth=5, width=50, networks=1, draw=draw, protocol="adam", rate=0.0003, batch_size=100,
        loss="linear_hinge", max_epochs=EPOCHS, check_every=20, record_every=20,
        network={"kind": "mlp", "initialisation": START},
    )  # fmt: skip
    return [network[f"recorded_{half}_half_error"].values.ravel() for half in ("first", "second")]


@pytest.mark.slow
@pytest.mark.parametrize(("system", "draw", "learns"), [("cantor", 0, True), ("cantor", 1, True), ("vicsek", 0, False)])
def test_the_finest_curve_after_five_times_the_steps(system, draw, learns):
    """The finest Cantor curve is learned in the end, that of the Vicsek set is not."""
    first, second = errors(system, 6, draw)
    at_laptop_scale, best = (int(first[: i + 1].argmin()) for i in (LAPTOP // 20, EPOCHS // 20))
    early, late = (float(second[i]) for i in (at_laptop_scale, best))
    print(f"{system}, finest curve: {early:.3f} within 100,000 steps, {late:.3f} within {EPOCHS * STEPS_PER_EPOCH:,}")
    assert early > 0.15
    assert (late < 0.06) == learns
