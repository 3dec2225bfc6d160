"""The pages of docs/theory say what the code does: the calculations at their ends come out as they are written."""

import re

import pytest
from house import ROOT

PAGES = sorted((ROOT / "docs/theory").glob("*.md"))
SETTINGS = {
    path.parent.name: path.read_text(encoding="utf-8") for path in (ROOT / "workflow/studies").glob("*/study.yaml")
}
STUDIES = sorted(study for study in SETTINGS if (ROOT / f"docs/theory/{study}.md").is_file())


def test_every_study_of_published_works_has_a_page():
    assert {page.stem for page in PAGES} - {"README"} == {*STUDIES}
    assert {study for study, text in SETTINGS.items() if "\nworks:" in text} == {*STUDIES}


@pytest.mark.parametrize("study", STUDIES)
def test_the_check_of_a_page_holds(study):
    text = (ROOT / f"docs/theory/{study}.md").read_text(encoding="utf-8")
    (check,) = re.findall(r"^```python\n(.*?)^```$", text.partition("## Check it")[2], flags=re.DOTALL | re.MULTILINE)
    assert check.count("assert ") >= 3
    exec(compile(check, f"docs/theory/{study}.md", "exec"), {})
