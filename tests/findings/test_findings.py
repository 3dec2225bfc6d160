"""Findings: made again from their own tables, to the byte; of the verdicts that they name; complete."""

import csv
import functools
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from findings_runs import PNG, SVG, claim, made, part, png, run
from house import ROOT
from PIL import Image

from isobath import __main__ as commands
from isobath.disk import store
from isobath.findings import FindingsError, figures, folder, outlines
from isobath.operations.findings import make

DECAY, RANDOM = "ntk_decay_is_depth_free", "random_features_decay_is_depth_free"
PUBLISHED = {"value": 0.25, "place": "Fig. 2", "tolerance": 0.01, "same_size": False}
REASON = 'rate not found: 0.01, "the largest",\nis the best'


@pytest.fixture
def runs(tmp_path):
    """Make runs of two seeds: a claim that changes, one that does not, and one that only the second seed has."""
    parts = [part("d = 3, | and *", published=PUBLISHED), part("d = 3, | and *", 1.0, check=True, verdict="verified")]
    unsure = part("L = 2", None, "inconclusive", reason=REASON)
    a = run(tmp_path / "a", claim(DECAY, *parts), claim(RANDOM), figures=[("exponents", SVG, PNG)])
    odd = claim("an_older_claim", own=True, verdict="holds")
    b = run(tmp_path / "b", claim(DECAY, *parts, unsure, verdict="inconclusive"), claim(RANDOM), odd, seed=1)
    return a, b


@pytest.fixture(autouse=True, scope="module")
def _studies_are_read_once():
    """Read the studies of the workflow and their claims once: they do not change from test to test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outlines, "read", functools.cache(outlines.read))
        yield


def isobath(*words):
    return CliRunner().invoke(commands.main, ["findings", "--workflow", str(ROOT), *map(str, words)])


def test_equal_results_give_equal_bytes_wherever_and_in_whatever_order_they_lie(runs, tmp_path):
    a, b = runs
    moved = tmp_path / "elsewhere"
    (tmp_path / "a").rename(moved)
    assert make([b, moved / "results/smoke"], ROOT, ROOT) == make([moved / "results/smoke", b], ROOT, ROOT)
    again = make([moved / "results/smoke", b], ROOT, ROOT)
    moved.rename(tmp_path / "a")
    assert make([a, b], ROOT, ROOT) == again


def test_the_findings_name_no_folder_and_no_time(runs, tmp_path):
    for name, text in made(*runs).items():
        assert str(tmp_path) not in text, name
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b|\b\d\d:\d\d:\d\d\b", text), name


def test_pages_are_made_again_from_their_tables_without_the_results(runs, tmp_path):
    output = tmp_path / "findings"
    folder.write(output, make(runs, output, ROOT))
    assert make([], output, ROOT) == make(runs, output, ROOT)
    assert isobath("--output", output, "--check").exit_code == 0


def test_every_digest_is_that_of_a_file_of_verdicts(runs):
    known = json.loads(made(*runs)["provenance.json"])
    found = [each["studies"]["kernels"]["sha256"] for each in known["runs"]]
    assert found == [store.digest(results / "kernels/verdicts.json") for results in runs]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("numbers.csv", ",0.5,4,", ",0.6,4,"),
        ("numbers.csv", ",reproduced,", ",holds,"),
        ("numbers.csv", "0.25,Fig. 2", "0.35,Fig. 2"),
        ("verdicts.csv", ",reproduced,", ",not reproduced,"),
        ("verdicts.csv", f"smoke,0,kernels,{RANDOM}", f"smoke,1,kernels,{RANDOM}"),
        ("provenance.json", '"sha256": "', '"sha256": "0'),
        ("provenance.json", '"sha256"', '"digest"'),
        ("figures/kernels-exponents.svg", "svg", "gvs"),
    ],
)
def test_a_number_that_is_not_of_its_verdicts_is_refused(runs, tmp_path, file, old, new):
    output = tmp_path / "findings"
    folder.write(output, make(runs, output, ROOT))
    path = output / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="")
    done = isobath("--output", output, "--check")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)


def test_a_page_that_was_edited_is_named_and_made_again(runs, tmp_path):
    output = tmp_path / "findings"
    isobath(*runs, "--output", output)
    (output / "kernels.md").write_text("prose\n", encoding="utf-8")
    (output / "stray.md").write_text("prose\n", encoding="utf-8")
    done = isobath("--output", output, "--check")
    assert done.exit_code == 1
    assert "kernels.md would change" in done.stderr
    assert isobath("--output", output).exit_code == 0
    done = isobath("--output", output, "--check")
    assert done.exit_code == 1
    assert "stray.md is not of the findings; move it" in done.stderr
    (output / "stray.md").unlink()
    assert isobath("--output", output, "--check").exit_code == 0


def test_a_verdict_that_changes_with_the_seed_is_named(runs):
    pages = made(*runs)
    changes = pages["README.md"].partition("## Verdicts that change with the seed")[2].partition("\n## ")[0]
    (line,) = [line for line in changes.splitlines() if line.startswith("- ")]
    assert f"kernels.md#{DECAY}" in line
    assert "smoke, seed 0: **reproduced**; smoke, seed 1: **inconclusive**" in line
    assert pages["kernels.md"].count("The verdict changes with the seed.") == 1


def test_a_verdict_of_another_scale_or_of_one_run_is_no_change(tmp_path):
    a = run(tmp_path / "a", claim(DECAY))
    other = run(tmp_path / "b", claim(DECAY, verdict="not reproduced"), scale="demo")
    assert "No study was run with several seeds of one scale." in made(a, other)["README.md"]
    partly = run(tmp_path / "c", claim(DECAY, part(estimate=None, verdict="not run"), verdict="not run"), seed=1)
    text = made(a, partly)["README.md"]
    assert "## Verdicts that change with the seed\n\nNone.\n" in text
    assert "| reproduced | not run |" in text


def test_studies_and_claims_that_were_not_run_are_shown(runs):
    pages = made(*runs)
    assert "This study was not run." in pages["width.md"]
    assert "- **not run**" in pages["width.md"]
    assert "- smoke, seed 0; smoke, seed 1: **reproduced**, 1 of 2 parts run\n" in pages["kernels.md"]
    assert "This study was not run." not in pages["kernels.md"]
    rows = list(csv.DictReader(io.StringIO(pages["verdicts.csv"])))
    assert {row["verdict"] for row in rows if row["study"] == "width"} == {"not run"}
    (matrix,) = [line for line in pages["README.md"].splitlines() if f"#{RANDOM})" in line]
    assert matrix.endswith("| reproduced | reproduced |")
    claims = {(row["study"], row["claim"]) for row in rows}
    for study, ending in (("kernels", "| not run | not run |"), ("width", "|  |  |")):
        unjudged = [line for line in pages["README.md"].splitlines() if f"]({study}.md#" in line and ending in line]
        assert len(unjudged) == len([of for of, _ in claims if of == study]) - 3 * (study == "kernels")
    dropped = "| not run | holds (by former criteria) |"  # a claim that the study does not have
    assert any(line.endswith(dropped) for line in pages["README.md"].splitlines())


def test_the_page_of_a_study_has_numbers_published_values_and_reasons(runs):
    text = made(*runs)["kernels.md"]
    assert (
        "| d = 3, \\| and \\* | > 0 | 0.25 (Fig. 2), other size | 0.50 \\[0.40, 0.60\\]; n = 4 | reproduced |" in text
    )
    assert "| d = 3, \\| and \\* (check) |" in text
    assert '- smoke, seed 1, inconclusive: rate not found: 0.01, "the largest", is the best (L = 2)' in text
    assert "Depth \\| gains n \\< 3 \\* N\\*<sup>−1/4</sup>" in text
    assert "![Exponents](figures/kernels-exponents.svg)" in text
    assert "Caption of exponents. (smoke, seed 0)" in text
    assert "| smoke, seed 1 | theory | 1 | 2 |" in text


def test_every_row_of_a_table_has_the_cells_of_its_header(runs):
    for name, text in made(*runs).items():
        if name.endswith(".md"):
            for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
                assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, name


def test_the_provenance_counts_what_is_of_its_code(runs):
    text = made(*runs)["README.md"]
    assert "1 of the 4 verdicts and cubes are of the code of the commit at which they were read." in text
    assert "were read. Not so: smoke, seed 0, kernels: " in text
    assert "| kernels | smoke, seed 0 | 1 | 3 | 0.5 |" in text
    assert "- Versions: numpy 2.4\n" in text


def test_logs_are_found_from_wherever_results_are_named(runs, monkeypatch):
    monkeypatch.chdir(runs[0])
    for name in (Path(), Path("../smoke"), runs[0]):
        assert "| kernels | smoke, seed 0 | 1 | 3 | 0.5 |" in made(name)["README.md"]


def test_the_methods_say_what_would_have_refuted_a_claim(runs):
    (row,) = [line for line in made(*runs)["methods.md"].splitlines() if f"#{DECAY})" in line]
    assert row.endswith("| > 0 | an interval below 0 | > 0 |")


def test_what_people_write_stands_at_the_top_and_nothing_else_is_said(runs, tmp_path, monkeypatch):
    texts = {"kernels": "The source says *this*.", "": "Ten sentences."}
    monkeypatch.setattr("isobath.findings.outlines.texts", lambda *_: texts)
    pages = made(*runs)
    assert pages["kernels.md"].split("\n\n")[2] == texts["kernels"]
    assert pages["README.md"].split("\n\n")[1] == texts[""]
    monkeypatch.undo()
    output = tmp_path / "findings"
    folder.write(output, {name: text.encode() for name, text in pages.items()})
    refusal = isobath("--output", output, "--check").stderr
    assert all(name in refusal for name in ("README.md", "kernels.md", "would change"))


def test_figures_that_do_not_fit_are_left_out_the_largest_first(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "ROOM", 500)
    monkeypatch.setattr(figures, "SHARP", 100)
    noise = png(Image.effect_noise((30, 30), 100))
    drawn = [("gram", SVG, PNG), ("images", b"s" * 600, noise), ("lazy", b"s" * 300, PNG)]
    pages = made(run(tmp_path, claim(DECAY), figures=drawn))
    assert {name for name in pages if "/" in name} == {"figures/kernels-gram.svg", "figures/kernels-lazy.png"}
    assert pages["kernels.md"].count("Left out: the drawing is too large.") == 1


def test_a_png_has_a_palette_and_looks_the_same():
    image = Image.new("RGBA", (60, 40), (0, 0, 0, 0))
    image.paste((200, 30, 40, 255), (10, 10, 30, 30))
    reduced = Image.open(io.BytesIO(figures.with_a_palette(png(image))))
    assert reduced.mode == "P"
    assert [reduced.convert("RGB").getpixel(at) for at in ((0, 0), (20, 20))] == [(255, 255, 255), (200, 30, 40)]


def test_findings_larger_than_the_limit_are_refused(runs, monkeypatch):
    monkeypatch.setattr(folder, "LIMIT", 1000)
    with pytest.raises(FindingsError, match="MB are allowed"):
        made(*runs)


def test_pages_and_figures_of_earlier_findings_are_removed_and_other_files_stay(runs, tmp_path):
    output = tmp_path / "findings"
    isobath(*runs, "--output", output)
    (output / "notes.txt").write_text("mine", encoding="utf-8")
    isobath(runs[1], "--output", output)
    assert not (output / "figures/kernels-exponents.svg").exists()
    assert (output / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_ledger_of_another_form_is_refused_where_it_is_read_and_written_over(runs, tmp_path):
    output = tmp_path / "findings"
    output.mkdir()
    (output / "provenance.json").write_text('{"studies": {}, "runs": {}}', encoding="utf-8")
    assert "is not a provenance of findings" in isobath("--output", output).stderr
    assert isobath(*runs, "--output", output).exit_code == 0


def test_two_results_of_one_study_scale_and_seed_are_refused(runs, tmp_path):
    twin = run(tmp_path / "c", claim(DECAY))
    done = isobath(runs[0], twin, "--output", tmp_path / "findings")
    assert done.exit_code == 1
    assert "are both kernels at smoke with seed 0" in done.stderr


def test_studies_of_one_scale_and_seed_in_two_folders_are_one_run(runs, tmp_path):
    other = run(tmp_path / "c", claim("deeper_is_better"), study="fractals")
    header = "| study | claim | place | smoke, seed 0 |\n"
    assert header in made(runs[0], other)["README.md"]


def test_verdicts_of_other_cubes_are_refused(runs, tmp_path):
    content = (runs[1] / "kernels/cubes/theory.zarr.zip").read_bytes()
    (runs[0] / "kernels/cubes/theory.zarr.zip").write_bytes(content)
    done = isobath(runs[0], "--output", tmp_path / "findings")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "the verdicts are not those of the cubes beside them" in done.stderr


def test_the_findings_of_the_repository_are_those_of_their_verdicts():
    """Nobody has edited a page, and all pages are small, once there are findings."""
    output = ROOT / "docs/findings"
    if not output.exists():
        pytest.skip("there are no findings yet")
    assert folder.differences(output, make([], output, ROOT)) == []


@pytest.mark.runs
def test_a_run_of_the_workflow_has_findings(small_house):
    words = [sys.executable, "-m", "isobath", "findings", "results/smoke", "--output", "findings"]
    environment = {**os.environ, "PYTHONPATH": str(small_house / "src")}
    done = subprocess.run(words, cwd=small_house, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    known = json.loads((small_house / "findings/provenance.json").read_bytes())["runs"][0]["studies"]["small"]
    assert known["sha256"] == store.digest(small_house / "results/smoke/small/verdicts.json")
    assert known["current"]
    assert sum(known["cubes"]["depth"]["networks"].values()) == 6
    assert known["hours"] > 0
    assert "![Depth](figures/small-depth.svg)" in (small_house / "findings/small.md").read_text(encoding="utf-8")
