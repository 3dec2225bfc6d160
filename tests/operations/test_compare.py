"""Two runs side by side: their differences, in standard errors."""

import math

import pytest
import xarray as xr
from click.testing import CliRunner
from page_parts import BUILD, MADE

from isobath import __main__ as commands
from isobath.analysis.standard_errors import Z
from isobath.disk import store
from isobath.operations import compare
from isobath.operations.compare import standard_errors
from isobath.page.contents import Build
from isobath.page.document import compose


def part(label, estimate, half=None, verdict="reproduced"):
    bounds = {"low": None, "high": None} if half is None else {"low": estimate - half, "high": estimate + half}
    return {"label": label, "estimate": estimate, "verdict": verdict, **bounds}


def written(folder, parts, *, verdict="reproduced", seed=0, extra=()):
    """Write the results of a run: one claim, and a cube that states its seed."""
    claim = {"claim": "deeper_is_better", "verdict": verdict, "parts": parts}
    store.write_record({"study": "s", "claims": [claim]}, folder / "s/verdicts.json")
    store.write(xr.Dataset(attrs={"seed": seed, "code": "c"}), folder / "s/cubes/g.zarr.zip")
    for name in extra:
        store.write(xr.Dataset(), folder / name)
    return folder


def test_a_difference_is_in_standard_errors_of_the_sides_that_face():
    a = {"estimate": 0.0, "low": -100.0, "high": 3 * Z}
    b = {"estimate": 10.0, "low": 10 - 4 * Z, "high": 1000.0}
    assert standard_errors(a, b) == pytest.approx(2.0)  # 10 / hypot(3, 4)
    assert standard_errors(b, a) == pytest.approx(-2.0)
    assert standard_errors(a, {**b, "low": None, "high": None}) is None
    point = {"estimate": 1.0, "low": 1.0, "high": 1.0}
    assert standard_errors(point, dict.fromkeys(point, 2.0)) is None


def test_runs_of_two_seeds_differ_beyond_two_errors_once_in_twenty():
    """Estimates of one quantity, with intervals of the right width, have the share that the report calls chance."""
    import numpy as np  # noqa: PLC0415

    pairs = np.random.default_rng(0).standard_normal((2000, 2))
    errors = [standard_errors(*(part("x", value, Z) for value in pair)) for pair in pairs.tolist()]
    assert sum(abs(error) > 2 for error in errors) / len(errors) == pytest.approx(
        0.0455, abs=4 * math.sqrt(0.0455 / 2000)
    )


def test_a_run_does_not_differ_from_itself(tmp_path):
    a, b = (written(tmp_path / name, [part("x", 1.0, 0.5), part("x", 2.0)]) for name in "ab")
    done = CliRunner().invoke(commands.main, ["compare", str(a), str(b)])
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Verdicts: 0 of 1 differ." in done.stdout
    assert "Numbers: 0 of 2 parts differ." in done.stdout
    assert "Files: 0 of 2 differ in bytes." in done.stdout
    assert "made from other" not in done.stdout


def test_commits_are_printed_where_pages_name_them(tmp_path):
    a, b = (written(tmp_path / name, [part("x", 1.0)]) for name in "ab")
    assert not [line for line in compare.report(a, b) if line.startswith("pages made")]
    (a / "index.html").write_bytes(compose((), scale="demo", seed=0, origin=MADE, build=BUILD))
    said = "pages made at the commits: 0123456789ab with changes that were not committed and "
    assert f"{said}unknown" in compare.report(a, b)
    build = Build("0.1.0", "fedcba9876543210")
    (b / "index.html").write_bytes(compose((), scale="demo", seed=0, origin=MADE, build=build))
    assert f"{said}fedcba987654" in compare.report(a, b)
    (b / "index.html").write_text("<dt>isobath</dt><dd>0.1.0, commit 0</dd>", encoding="utf-8")  # not sealed
    assert f"{said}unknown" in compare.report(a, b)


def test_what_differs_is_listed_the_largest_first(tmp_path):
    a = written(tmp_path / "a", [part("near", 1.0, 1.0), part("far", 1.0, Z), part("bare", 1.0), part("A", 0.0)])
    parts = [part("near", 1.5, 1.0), part("far", 6.0, Z, "not reproduced"), part("bare", 2.0)]
    b = written(tmp_path / "b", parts, verdict="inconclusive", seed=1, extra=["s/networks/t/x.zarr.zip"])
    lines = list(compare.report(a, b))
    text = "\n".join(lines)
    assert "made from other seed: 0 and 1" in lines
    assert "Verdicts: 1 of 1 differ." in text
    assert "  s, deeper_is_better: reproduced -> inconclusive" in lines
    counted = "3 of 3 parts differ, 1 are in A alone; of 2 with intervals 1 by more than 2 standard errors"
    assert f"Numbers: {counted}, the largest by 3.5." in text
    far = lines.index("  s, deeper_is_better: far: 1 -> 6, +3.5 standard errors")
    assert lines.index("  s, deeper_is_better: bare: 1 -> 2, no interval") < far
    assert "  s, deeper_is_better: far: reproduced -> not reproduced" in lines
    assert "near" not in text
    assert "Files: 2 of 2 differ in bytes, 1 are in B alone: 1 cubes, 1 verdicts.json." in text


def test_a_folder_without_verdicts_is_refused(tmp_path):
    a = written(tmp_path / "a", [part("x", 1.0)])
    done = CliRunner().invoke(commands.main, ["compare", str(a), str(tmp_path / "b")])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "there is no such folder; results of a run are a folder results/<scale>" in done.stderr
    (tmp_path / "b").mkdir()
    done = CliRunner().invoke(commands.main, ["compare", str(a), str(tmp_path / "b")])
    assert "the workflow was not run, or jobs failed, which isobath status" in done.stderr


def test_a_file_that_was_damaged_behind_its_seal_is_not_called_equal(tmp_path):
    a, b = (written(tmp_path / name, [part("x", 1.0)], extra=["s/networks/t/x.zarr.zip"]) for name in "ab")
    damaged = b / "s/networks/t/x.zarr.zip"
    content = bytearray(damaged.read_bytes())
    content[40] ^= 1
    damaged.write_bytes(content)
    done = CliRunner().invoke(commands.main, ["compare", str(a), str(b)])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"{damaged}: its content does not match its checksum" in done.stderr


@pytest.mark.parametrize("lacks", ["parts", "label", "verdict"])
def test_a_claim_that_lacks_an_entry_is_refused_in_one_sentence(tmp_path, lacks):
    a = written(tmp_path / "a", [part("x", 1.0)])
    claim = {"claim": "c", "verdict": "reproduced", "parts": [part("x", 1.0)]}
    (claim if lacks in claim else claim["parts"][0]).pop(lacks)
    b = tmp_path / "b"
    store.write_record({"study": "s", "claims": [claim]}, b / "s/verdicts.json")
    done = CliRunner().invoke(commands.main, ["compare", str(a), str(b)])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert f"{b / 's/verdicts.json'}: a claim of it, or a part of one, lacks {lacks}." in done.stderr


def test_verdicts_of_another_study_are_refused(tmp_path):
    a = written(tmp_path / "a", [part("x", 1.0)])
    b = tmp_path / "b"
    store.write_record({"study": "t", "claims": []}, b / "s/verdicts.json")
    done = CliRunner().invoke(commands.main, ["compare", str(a), str(b)])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"{b / 's/verdicts.json'}: it has the verdicts of t, not s. The file is not the one of" in done.stderr


def test_studies_that_are_links_are_compared_once(tmp_path):
    """Once their files were left out, so that runs that differ seemed the same."""
    run = written(tmp_path / "a", [part("x", 1.0)], extra=["s/kernels/k.zarr.zip"])
    before = {*compare.files(run)}
    (run / "s").rename(tmp_path / "s")
    (run / "s").symlink_to(tmp_path / "s")
    (run / "circle").symlink_to(run)
    assert {*compare.files(run)} == before == {"s/verdicts.json", "s/cubes/g.zarr.zip", "s/kernels/k.zarr.zip"}
