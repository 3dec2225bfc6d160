"""Findings of runs whose results are not at hand any more, beside those of others: none of theirs change."""

import errno
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from findings_runs import PNG, SVG, claim, run, sealed
from house import ROOT

from isobath import __main__ as commands
from isobath.disk import whole_files
from isobath.findings import figures, folder
from isobath.operations.findings import make

DECAY = "ntk_decay_is_depth_free"


@pytest.fixture
def kernels(tmp_path):
    return run(tmp_path / "a", claim(DECAY), figures=[("exponents", SVG, PNG), ("gram", SVG, PNG)])


@pytest.fixture
def fractals(tmp_path):
    return run(tmp_path / "b", claim("deeper_is_better"), study="fractals", figures=[("figure4", SVG + b" ", PNG)])


def kept(results, output):
    return make(results, output, ROOT, keep=True)


def test_runs_one_after_the_other_give_the_findings_of_both(kernels, fractals, tmp_path):
    output = tmp_path / "findings"
    folder.write(output, make([kernels], output, ROOT))
    assert kept([fractals], output) == make([kernels, fractals], output, ROOT)


def test_kept_findings_need_no_results(kernels, fractals, tmp_path):
    output = tmp_path / "findings"
    expected = make([kernels, fractals], output, ROOT)
    folder.write(output, make([kernels], output, ROOT))
    (tmp_path / "a").rename(tmp_path / "elsewhere")
    folder.write(output, kept([fractals], output))
    assert {path.name for path in (output / "figures").iterdir()} == {
        "kernels-exponents.svg",
        "kernels-gram.svg",
        "fractals-figure4.svg",
    }
    assert make([], output, ROOT) == expected


def test_results_replace_those_of_the_same_study_scale_and_seed(kernels, fractals, tmp_path):
    output = tmp_path / "findings"
    folder.write(output, make([kernels, fractals], output, ROOT))
    again = run(tmp_path / "c", claim(DECAY, verdict="inconclusive"), figures=[("exponents", SVG + b"\n", PNG)])
    assert kept([again], output) == make([again, fractals], output, ROOT)


def test_a_figure_is_that_of_the_run_with_most_networks_kept_or_new(kernels, tmp_path):
    output = tmp_path / "findings"
    folder.write(output, make([kernels], output, ROOT))
    known = json.loads((output / "provenance.json").read_text(encoding="utf-8"))
    other = run(tmp_path / "b", claim(DECAY), seed=1, figures=[("exponents", SVG + b" ", PNG)])
    assert kept([other], output) == make([kernels, other], output, ROOT)  # of equals the first
    assert kept([other], output)["figures/kernels-exponents.svg"] == SVG
    known["runs"][0]["studies"]["kernels"]["cubes"]["theory"]["networks"]["fitted"] = 1
    (output / "provenance.json").write_bytes(sealed(known))
    assert kept([other], output)["figures/kernels-exponents.svg"] == SVG + b" "


def test_a_figure_at_the_size_of_its_source_stands_beside_that_of_the_largest_run(fractals, tmp_path):
    output = tmp_path / "findings"
    folder.write(output, make([fractals], output, ROOT))
    drawn = [("figure4", SVG + b"\n", PNG)]
    at_source = run(tmp_path / "c", claim("deeper_is_better"), study="fractals", scale="source", figures=drawn)
    found = kept([at_source], output)
    assert found == make([fractals, at_source], output, ROOT)
    assert found["figures/fractals-figure4.svg"] == SVG + b" "
    assert found["figures/fractals-figure4-source.svg"] == SVG + b"\n"
    page = found["fractals.md"].decode()
    assert page.index("### Figure 4\n") < page.index("### Figure 4, at the scale source\n")


def test_every_scale_that_has_sizes_of_the_source_has_its_figure(fractals, tmp_path):
    names = ["source", "source_wide"]
    drawn = {scale: SVG + scale.encode() for scale in names}
    options = {scale: {"scale": scale, "figures": [("figure4_bounds", drawn[scale], PNG)]} for scale in names}
    runs = [run(tmp_path / s, claim("deeper_is_better"), study="fractals", **options[s]) for s in names]
    found = make([fractals, *runs], tmp_path / "findings", ROOT)
    assert [found[f"figures/fractals-figure4_bounds-{scale}.svg"] for scale in names] == list(drawn.values())
    page = found["fractals.md"].decode()
    assert page.count("### Figure 4 bounds, at the scale source\n") == 1
    assert page.count("### Figure 4 bounds, at the scale source_wide\n") == 1


def test_a_drawing_that_was_too_large_is_named_and_stays_left_out(kernels, fractals, tmp_path, monkeypatch):
    output = tmp_path / "findings"
    monkeypatch.setattr(figures, "ROOM", len(SVG))
    folder.write(output, make([kernels], output, ROOT))
    monkeypatch.undo()
    files = kept([fractals], output)
    assert files["kernels.md"].decode().count("Left out: the drawing is too large.") == 1
    assert {name for name in files if "/" in name} == {"figures/kernels-exponents.svg", "figures/fractals-figure4.svg"}


def test_a_kept_run_names_the_commit_at_which_it_was_read(kernels, fractals, tmp_path):
    output = tmp_path / "findings"
    folder.write(output, make([kernels], output, ROOT))
    known = json.loads((output / "provenance.json").read_text(encoding="utf-8"))
    known["commit"] = "a" * 40
    del known["runs"][0]["studies"]["kernels"]["commit"]  # of findings made before there were these
    (output / "provenance.json").write_bytes(sealed(known))
    files = kept([fractals], output)
    read = {study: each["commit"] for study, each in json.loads(files["provenance.json"])["runs"][0]["studies"].items()}
    assert read["kernels"] == "a" * 40
    assert read["fractals"] == json.loads(files["provenance.json"])["commit"]
    assert f"| `{'a' * 12}` |" in files["README.md"].decode()


def test_claims_that_the_workflow_lost_are_kept(fractals, tmp_path):
    output = tmp_path / "findings"
    old = run(tmp_path / "a", claim(DECAY), claim("an_older_claim", own=True, verdict="holds"))
    folder.write(output, make([old], output, ROOT))
    assert kept([fractals], output) == make([old, fractals], output, ROOT)


def test_numbers_of_kept_runs_that_were_edited_are_refused(kernels, fractals, tmp_path):
    output = tmp_path / "findings"
    folder.write(output, make([kernels], output, ROOT))
    table = output / "numbers.csv"
    table.write_text(table.read_text(encoding="utf-8").replace(",0.5,", ",0.4,"), encoding="utf-8")
    words = ["findings", "--workflow", str(ROOT), "--keep", str(fractals), "--output", str(output)]
    done = CliRunner().invoke(commands.main, words)
    assert done.exit_code == 1
    assert "the numbers of kernels at smoke with seed 0 are not those of the verdicts" in done.stderr


def test_a_folder_without_findings_has_none_to_keep(fractals, tmp_path):
    for results in ([], [str(fractals), "--keep"]):
        words = ["findings", "--workflow", str(ROOT), *results, "--output", str(tmp_path / "empty")]
        done = CliRunner().invoke(commands.main, words)
        assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
        assert "provenance.json is missing: the folder has no findings that could be kept" in done.stderr


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("last", ["provenance.json", "verdicts.csv", "numbers.csv", "figures/fractals-figure4.svg"])
def test_a_disk_that_is_full_in_the_middle_changes_nothing(kernels, fractals, tmp_path, monkeypatch, last):
    output = tmp_path / "findings"
    folder.write(output, make([kernels], output, ROOT))
    before, replace = contents(output), whole_files.replace

    def full(path, content):
        if path.as_posix().endswith(last):
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(path, content)

    monkeypatch.setattr(whole_files, "replace", full)
    files = kept([fractals], output)
    with pytest.raises(OSError, match="No space left"):
        folder.write(output, files)
    assert contents(output) == before
    monkeypatch.undo()
    folder.write(output, files)
    assert make([], output, ROOT) == files


def test_the_ledger_takes_its_place_after_all_that_it_names_and_before_the_pages(kernels, tmp_path, monkeypatch):
    output, placed, replace = tmp_path / "findings", [], Path.replace

    def noted(path, target):
        if target.parent in (output, output / "figures"):
            placed.append(target.relative_to(output).as_posix())
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", noted)
    folder.write(output, make([kernels], output, ROOT))
    of_ledger = placed.index("provenance.json")
    pages = {name for name in placed if name.endswith(".md")}
    assert {*placed[of_ledger + 1 :]} == pages
    assert {"verdicts.csv", "numbers.csv", "figures/kernels-gram.svg"} <= {*placed[:of_ledger]}
