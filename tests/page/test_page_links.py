"""The head of a page and its links: findings first, every claim with its figure, its code and its publication."""

import dataclasses
import re
from importlib.metadata import PackageNotFoundError

import pytest
from made_up_pages import Document, figure, page, study
from made_up_pages import study as page_study
from page_parts import BUILD, judged, part

import isobath
from isobath.disk import store
from isobath.operations import summary
from isobath.page import claims, document, findings, links, provenance
from isobath.page.contents import Build, Code, Study
from isobath.results import verdicts
from isobath.stages import page as pages

OWN = {"own": True, "verdict": "does not hold", "claim": "deep_wins_again", "source": "not in the paper"}


def two_claims():
    record = judged([part(), part(0.5, 0.4, 0.6)])
    against = part(-0.5, -0.75, -0.25, verdict="does not hold")
    record["claims"].append({**record["claims"][0], **OWN, "parts": [against, part()]})
    return record


def linked(**more):
    drawn = [figure("figure7"), figure("figure8")]
    code = {"deep_wins": Code("src/isobath/claims/locality/networks.py", ["figure8"])}
    works = {"M and U": "arXiv:2005.12488"}
    return dataclasses.replace(study(drawn, two_claims()), code=code, works=works, **more)


def article(html, name):
    return re.search(rf'<article[^>]* id="locality-{name}">(.*?)</article>', html, re.DOTALL)[1]


def test_what_was_found_stands_first_with_a_mark_for_each_claim():
    html = page(linked()).decode()
    assert (
        html.index('id="overview"')
        < html.index('id="verdicts"')
        < html.index('id="explorer"')
        < html.index('id="figures"')
    )
    overview = html.partition('id="overview"')[2].partition('id="verdicts"')[0]
    cells = re.findall(r'<a href="#([^"]*)" data-verdict="(.*?)" title=".*?" aria-label="(.*?)">(.)</a>', overview)
    assert cells == [
        ("locality-deep_wins", "reproduced", "reproduced: deep beats shallow", "+"),
        ("locality-deep_wins_again", "does not hold", "does not hold: deep beats shallow", "\u2212"),
    ]
    measured = re.findall(r'<span class="measured">(.*?)</span>', overview)
    assert measured == [
        "L = 1: 0.12 [0.02, 0.22], claimed &gt; 0; 1 more",
        "L = 1: \u22120.50 [\u22120.75, \u22120.25], claimed &gt; 0; 1 more",
    ]


def test_every_claim_has_a_permalink_and_links_to_its_figures_code_and_publication():
    html = page(linked()).decode()
    first, own = article(html, "deep_wins"), article(html, "deep_wins_again")
    assert '<a class="permalink" href="#locality-deep_wins" aria-label="Link to this claim">#</a>' in first
    assert re.findall(r'href="#figure:locality-(figure\d)"', first) == ["figure7", "figure8"]
    assert '<a href="https://arxiv.org/abs/2005.12488">arXiv:2005.12488</a>' in first
    assert "<code>src/isobath/claims/locality/networks.py</code>" in first
    assert "arxiv" not in own
    assert "figure7" not in own
    figures = html.partition('id="figures"')[2]
    assert figures.count('<li><a href="#locality-deep_wins">deep beats shallow</a>: reproduced</li>') == 2


def test_a_claim_and_a_figure_of_one_name_have_targets_of_their_own():
    namesakes = study([figure("deep_wins")], two_claims())
    document = Document(page(dataclasses.replace(namesakes, code={"deep_wins": Code("a.py", ["deep_wins"])})))
    targets = [attrs["id"] for _, attrs in document.elements if "id" in attrs]
    assert len(targets) == len(set(targets))
    links = {attrs["href"] for attrs in document.all("a") if attrs.get("href", "").startswith("#")}
    assert {link.removeprefix("#") for link in links} <= set(targets)
    assert {"#locality-deep_wins", "#figure:locality-deep_wins"} <= links


def test_a_claim_has_a_figure_or_says_that_it_has_none_and_where_its_numbers_are():
    """Once a claim without a figure said nothing: its reader had to search for one."""
    html = page(linked()).decode()
    claims = re.findall(r'<article class="claim".*?</article>', html, re.DOTALL)
    none = 'no figure, numbers in <a href="locality/verdicts.json">verdicts.json</a>'
    assert [("#figure:locality-figure" in claim, none in claim) for claim in claims] == [(True, False), (False, True)]
    assert verdicts.PATH == "verdicts.json"


@pytest.mark.parametrize(
    ("source", "figures"),
    [
        ("Fig. 2 (a), (b)", ["figure2"]),
        ("section 7, Figs 2 A and 8 A", ["figure2", "figure8"]),
        ("section 5 and Tables 1 and 2", ["table1", "table2"]),
        ("Jacot, Geiger et al., Fig. 7 and section 6", ["figure7"]),
        ("eq. 10 and Fig. 6 D", ["figure6"]),
        ("section 2 of 2020", []),
        ("Theorem 5 and its footnote", []),
    ],
)
def test_figures_of_the_source_are_found_by_their_numbers(source, figures):
    names = ["figure2", "figure5", "figure6", "figure7", "figure8", "figure10", "table1", "table2"]
    drawn = Study("s", "", "", figures=[figure(name) for name in names])
    assert links.figures_of(drawn, {"claim": "x", "source": source, "own": False}) == figures


def test_a_claim_that_names_one_of_several_works_links_to_that():
    several = Study("s", "", "", works={"Telgarsky": "arXiv:1602.04485", "Arora": "doi:10.1000/x"})
    named = links.of_source(several, {"source": "the notes (Telgarsky)", "own": False})
    assert named == [("arXiv:1602.04485", "https://arxiv.org/abs/1602.04485")]
    assert links.of_source(several, {"source": "the notes", "own": False}) == []
    assert links.works(several)[1] == ("doi:10.1000/x", "https://doi.org/10.1000/x")


def test_code_is_linked_at_the_commit_of_a_public_repository_and_nowhere_else():
    file, public = "src/isobath/claims/a.py", Build("1", "c0", repository="https://example.org/r/")
    assert links.of_code(public, file) == (file, f"https://example.org/r/blob/c0/{file}")
    for build in (BUILD, Build("1"), dataclasses.replace(public, changed=True)):
        assert links.of_code(build, file) == (file, "")
    assert links.of_code(public, "own/claims/a.py") == ("own/claims/a.py", "")


def test_a_clone_that_is_on_the_path_alone_has_a_page_without_links_to_its_repository(monkeypatch):
    """A package that was not installed has no metadata."""

    def no_metadata(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(pages, "metadata", no_metadata)
    build = pages._build()
    assert (build.version, build.repository) == (isobath.__version__, "")


def test_the_page_says_what_made_it():
    text = Document(page(linked(), dataclasses.replace(linked(), name="width"))).text
    assert "isobath 0.1.0, commit 0123456789ab with changes that were not committed \u00b7 seed 3" in text


def test_the_page_says_what_it_lacks_and_what_is_stale():
    text = Document(page(linked(stale=["the verdicts are old"]), lacks=["width", "kernels"])).text
    assert "This page lacks the studies width, kernels of config.yaml, which were not asked for" in text
    assert "Stale, of locality: the verdicts are old." in text
    assert "lacks" not in Document(page(linked())).text


@pytest.mark.parametrize(("scale", "said"), [("demo", True), ("laptop", False)])
def test_verdicts_of_the_demo_illustrate_by_the_page_and_the_summary(tmp_path, scale, said):
    text = Document(page(linked(), scale=scale)).text
    store.write_record(two_claims() | {"scale": scale, "spec": '{"grids": []}'}, tmp_path / "locality/verdicts.json")
    printed = "\n".join(summary.summary(tmp_path))
    caveat = "Sizes of the demo of isobath's own studies were chosen where effects show, so their verdicts illustrate."
    for words in (text, printed):
        assert (caveat in words) == said


def test_a_column_of_published_numbers_is_there_if_there_are_any():
    known = {"value": 0.2, "place": "Fig. 2", "tolerance": 0.1, "same_size": True}
    for published, columns in ((None, 7), (known, 8)):
        html = page(study(verdicts=judged([{**part(), "published": published}]))).decode()
        head = re.search(r'<table class="parts">.*?<thead>(.*?)</thead>', html, re.DOTALL)[1]
        assert head.count("<th ") == columns
        assert ("published</th>" in head) == (columns == 8)


def claims_of(*listed):
    """Return claims with these verdicts and parts."""
    record = judged([part()])
    (one,) = record["claims"]
    record["claims"] = [{**one, "verdict": verdict, "parts": list(parts)} for verdict, parts in listed]
    return claims.of_study(page_study(verdicts=record), BUILD)


def test_a_finding_has_the_first_part_of_its_own_verdict():
    against = part(-0.5, -0.75, -0.25, verdict="not reproduced")
    (found,) = findings.decided(claims_of(("reproduced", [against, part(0.5, 0.4, 0.6)])), findings.FOR)
    assert (found.part["estimate"], found.others) == (0.5, 1)


def test_the_matrix_counts_each_verdict_in_its_column_and_a_violated_claim_is_found():
    listed = claims_of(*[("reproduced", [part()])] * 2, ("does not hold", [part()]), ("violated", [part()]))
    head = document._head({"s": listed})
    (row,) = head["matrix"]
    assert dict(zip(head["words"], row.counts, strict=True)) == {"reproduced": 2, "does not hold": 1, "violated": 1}
    assert [each.claim.record["verdict"] for each in head["found"]["s"][1]] == ["does not hold", "violated"]


def test_the_provenance_of_a_result_has_its_code_and_its_inputs():
    (origin,) = provenance.origins([page_study()])
    assert (origin.result, origin.code, origin.inputs) == ("locality/cubes/samples", "c0de", "1a")


def test_the_summary_counts_claims_of_the_source_and_our_own_apart(tmp_path):
    record = judged([part()]) | {"scale": "laptop", "spec": '{"grids": []}'}
    record["claims"].append({**record["claims"][0], "own": True, "verdict": "does not hold", "claim": "again"})
    store.write_record(record, tmp_path / "locality/verdicts.json")
    lines = [line.strip() for line in summary.summary(tmp_path)]
    assert "Claims of the source: 1 reproduced" in lines
    assert "Claims of our own: 1 does not hold" in lines
