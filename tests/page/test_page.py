"""The page of a run: it shows what the results hold, whatever they are, and needs nothing else."""

import base64
import dataclasses
import math
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from house import ROOT
from made_up_pages import DRAWING, Document, csvs, cube, figure, page, study
from page_parts import MADE, judged, part

from isobath.disk import sealed_documents, store, whole_files
from isobath.page import exhibits, intervals, tables
from isobath.page.contents import Figure, Study
from isobath.results import page as page_kind
from isobath.stages import page as pages
from isobath.workflow import plan

HOSTILE = '<script>alert("x")</script> & "N^-1/4" \' </figure> {{ 7 * 7 }} %} ü 🌊'


def test_verdicts_say_what_was_judged():
    parts = [part(), part(None, None, None, verdict="not run"), part(-0.5, -0.75, -0.25, None, 1, "reproduced")]
    text = Document(page(study(verdicts=judged(parts, "not reproduced")))).text
    for said in (
        "deep beats shallow",
        "Fig. 7",
        "scale demo",
        "error(L=1) − error(L=7)",
        "not reproduced 1",
        "5 of 6 trainings count",
    ):
        assert said in text
    assert "0.12 [0.02, 0.22] > 0" in text
    assert "−0.50 [−0.75, −0.25] < 1" in text
    assert "not run" in text


def test_deviations_of_the_settings_are_said():
    """Once only the study file said where its settings are not those of the paper."""
    document = Document(page(dataclasses.replace(study(), deviations=["The rates are ours", "Widths & depths <b>"])))
    assert "The rates are ours" in document.text
    assert "Widths & depths <b>" in document.text
    assert "not those of the source" not in Document(page(study(verdicts=judged([part()])))).text


def test_what_the_source_asserts_and_no_claim_judges_is_said():
    """Once it stood in the docstrings of claims, which no reader of a page sees."""
    title = "What the source asserts and no claim judges"
    text = Document(page(dataclasses.replace(study(), not_judged=["That N^-1/4 is <small>: no grid has it"]))).text
    assert title in text
    assert "is <small>: no grid has it" in text
    assert title not in Document(page(study())).text


def test_a_page_needs_nothing_but_itself():
    content = page(study([figure()], judged([part()])))
    document = Document(content)
    assert [script.get("src") for script in document.all("script")] == [None] * 3
    assert [script.get("id") for script in document.all("script")] == ["measurements", "made", None]
    assert not [e for e in document.elements if e[0] in ("iframe", "object", "embed", "base", "form")]
    assert [a["href"] for a in document.all("link")] == ["data:,"]
    assert all(image["src"].startswith("data:image/") and image["alt"] == "errors" for image in document.all("img"))
    links = [a["href"] for a in document.all("a")]
    relative = [link for link in links if not link.startswith(("#", "data:", "https:"))]
    assert relative == [
        "locality/verdicts.json",  # of the claim, which no figure bears on
        *(f"locality/figures/figure1.{suffix}" for suffix in ("pdf", "png", "svg")),
        "locality/cubes/samples.zarr.zip",
    ]
    targets = {attrs["id"] for _, attrs in document.elements if "id" in attrs}
    assert {link[1:] for link in links if link.startswith("#")} <= targets
    bare = re.sub(rb'base64,[\w+/=]+|<a href="https://[^"]*"', b"", content)
    assert not re.search(rb"url\(|@import|fetch\(|XMLHttp|https?://(?!www\.w3\.org)", bare)


def test_the_numbers_behind_a_figure_are_those_of_its_cube():
    found = csvs(Document(page(study([figure(settings={"task": "a"})]))))[0]
    fitted, loose = found[found.over == "fitted"], found[found.over == "not diverged"]
    assert fitted.width.tolist() == [3, 5]
    assert fitted.networks.tolist() == [2, 2]
    assert fitted.trained.tolist() == [3, 3]
    assert fitted.test_error.tolist() == pytest.approx([0.15, 0.4], rel=1e-12)
    assert fitted.test_error_sd.tolist() == pytest.approx([0.1 / 2**0.5, 0.2 / 2**0.5], rel=1e-12)
    assert loose.width.tolist() == [5]  # the first width has no unfitted network
    assert loose.test_error.tolist() == pytest.approx([0.5], rel=1e-12)
    assert "outputs" not in found


def test_tables_follow_the_settings_of_the_figure():
    law = xr.Dataset({"value": (("fit", "parameter"), [[1.0, np.nan]])}, {"fit": ["fixed"], "parameter": ["a", "b"]})
    averaged = tables.averages(cube(**{"laws/norm": law, "laws/other": law}))
    titles = [table.title for table in tables.of_figure(averaged, {"law": "norm", "widths": [5]})]
    assert titles == ["networks", "law norm by fit, parameter"]
    frames = [table.frame for table in tables.of_figure(averaged, {"laws": ["other"], "width": 5})]
    assert frames[0].width.unique().tolist() == [5]
    assert frames[1].to_dict("list") == {"fit": ["fixed"], "parameter": ["a"], "value": [1.0]}
    assert [table.title for table in tables.of_figure(averaged, {"task": "none"})] == []


def test_pages_without_figures_or_verdicts_say_so():
    for nothing in (page(), page(study()), page(Study("width", "Width", "J"))):
        Document(nothing)
    text = Document(page(Study("width", "Width", "J", None, [Figure("figure2")]))).text
    assert "have not been judged" in text
    assert "Figure 2 has not been drawn" in text


@pytest.mark.slow
def test_five_hundred_figures_fit_and_what_does_not_is_said():
    large = {"svg": b"<svg/>" * 100_000, "png": DRAWING["png"]}
    content = page(study([figure(f"figure{n}", drawings=large) for n in range(500)]))
    assert len(content) < 20_000_000
    assert len(Document(content).all("img")) == 500  # as PNG
    huge = {"svg": large["svg"], "png": DRAWING["png"] + bytes(100_000)}
    content = page(study([figure(f"figure{n}", drawings=huge) for n in range(500)]))
    assert len(content) < 20_000_000
    document = Document(content)
    assert document.all("img") == []
    assert document.text.count("The drawing is left out") == 500


def test_tables_without_room_are_named(monkeypatch):
    monkeypatch.setattr(exhibits, "ROOM", len(base64.b64encode(DRAWING["svg"])) + 100)
    text = Document(page(study([figure()]))).text
    assert "Left out, to keep this page small: networks." in text


@pytest.mark.parametrize("text", [HOSTILE, "</style>", "javascript:alert(1)", "a" * 5000])
def test_words_are_words(text):
    record = judged([dict(part(), label=text)], statement=text)
    bad = dataclasses.replace(study([figure(caption=text)], record), title=text, source=text)
    document = Document(page(bad))
    assert len(document.all("script")) == 3
    assert document.all("img")[0]["alt"] == text
    assert "49" not in document.text


def test_equal_results_are_equal_bytes_and_a_flipped_one_is_found():
    content = page(study([figure()], judged([part()])))
    assert content == page(study([figure()], judged([part()])))
    assert sealed_documents.unseal(content) == MADE
    for place in np.random.default_rng(0).integers(len(content), size=50):
        flipped = bytearray(content)
        flipped[place] ^= 4
        with pytest.raises(ValueError, match=r"checksum|complete"):
            sealed_documents.unseal(bytes(flipped))
    for end in (0, 10, len(content) // 2, len(content) - 1):
        with pytest.raises(ValueError, match="complete"):
            sealed_documents.unseal(content[:end])


@pytest.fixture(scope="module")
def run():
    return plan.load(ROOT, {"scale": "smoke", "studies": ["locality", "fractals"]})


def test_the_plan_has_one_page_which_reads_all_that_it_shows(run, tmp_path):
    (job,) = [job for job in plan.jobs(run) if job.rule == "page"]
    assert (job.outputs, job.log) == (("results/smoke/index.html",), "logs/smoke/index.log")
    shown = {
        path
        for study, about in job.spec(run)["studies"].items()
        for path in page_kind.shown_paths(tmp_path / study, about)
    }
    assert {str(path.relative_to(tmp_path)) for path in shown} == {p.removeprefix("results/smoke/") for p in job.inputs}
    made = {output for other in plan.jobs(run) for output in other.outputs}
    assert set(job.inputs) <= made


def test_the_stage_shows_what_is_there_and_refuses_what_is_damaged(run, tmp_path):
    spec = plan.spec(run, "page", {})
    pages.main(spec, "c0de", tmp_path, tmp_path / "index.html")
    assert Document((tmp_path / "index.html").read_bytes()).text.count("have not been judged") == len(run.studies)
    record = dict(figure("bias").record)
    for suffix, content in {**DRAWING, "pdf": b"%PDF"}.items():
        whole_files.replace(tmp_path / f"locality/figures/bias.{suffix}", content)
        record["files"][f"bias.{suffix}"] = store.digest(tmp_path / f"locality/figures/bias.{suffix}")
    store.write_record(record, tmp_path / "locality/figures/bias.json")
    pages.main(spec, "c0de", tmp_path, tmp_path / "index.html")
    content = (tmp_path / "index.html").read_bytes()
    assert len(Document(content).all("img")) == 1
    assert sealed_documents.unseal(content)["code"] == "c0de"
    whole_files.replace(tmp_path / "locality/figures/bias.svg", DRAWING["svg"] + b" ")
    with pytest.raises(store.CorruptedStore, match=r"bias\.svg"):
        pages.main(spec, "c0de", tmp_path, tmp_path / "index.html")


def test_numbers_without_a_dim_have_a_row():
    cube = xr.DataTree.from_dict({"calculations/ones": xr.Dataset({"error": ((), 0.25)})})
    (table,) = tables.of_figure(tables.averages(cube), {})
    assert table.frame.error.tolist() == [0.25]


def test_a_group_whose_variables_are_all_of_samples_has_no_table():
    """Such variables are too long for a table; the group of a kind of result of one's own may have no others."""
    shares = xr.Dataset({"share": (("seed", "output"), np.ones((2, 3)))}, coords={"seed": [0, 1], "task_kind": "a"})
    averaged = tables.averages(xr.DataTree.from_dict({"affine_fits": shares}))
    assert list(averaged["affine_fits"]) == []
    assert tables.of_figure(averaged, {}) == []


def test_a_published_number_stands_beside_ours():
    known = {"value": 0.2, "place": "Fig. 2", "tolerance": 0.1, "same_size": False}
    shown = part() | {"published": known}
    html = page(study(verdicts=judged([shown]))).decode()
    assert '<td class="published">0.2 (Fig. 2), other size</td>' in html
    assert 'class="published"' in html
    (at,) = intervals.place([shown])
    assert at.estimate < at.published < intervals.WIDTH
    (far,) = intervals.place([part()])
    assert far.published is None


def test_a_long_table_is_shown_in_part_and_downloaded_whole():
    sheet = exhibits._sheet(tables.Table("t", pd.DataFrame({"x": range(150)})))
    assert (len(sheet.rows), sheet.length) == (exhibits.ROWS, 150)
    assert base64.b64decode(sheet.uri.partition(",")[2]).decode().splitlines() == ["x", *map(str, range(150))]


def test_the_deviation_over_data_sets_is_that_of_a_sample():
    spread = tables._spread(xr.Dataset({"test_error": (("depth", "draw"), [[0.1, 0.3], [0.2, math.nan]])}))
    assert spread.test_error_sd.values == pytest.approx([0.1 * 2**0.5, math.nan], nan_ok=True)
