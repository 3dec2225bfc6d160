"""Findings: pages in Markdown that a repository keeps of its runs, with their verdicts, numbers and figures.

``gathering`` reads results, ``tables`` and ``ledger`` hold the content of the pages, ``overview``, ``study_page`` and
``methods`` compose them, and ``folder`` writes and reads all of it. The tables have every number to full precision:
from them and the ledger (``provenance.json``) the records of the verdicts are made again, to the byte, and compared
with the digests of the files that they came from. So the pages can be made and checked without the results, and equal
results give equal bytes.

The page of a study begins with the text that people write on it, ``workflow/studies/<study>/findings.md``, or the file
of that name beside the ``study.yaml`` of one's own. The overview begins with ``workflow/findings.md``. Links in these
texts are those of the folder of the findings; ``number_tables`` puts tables in place of their blocks of numbers.
"""

OVERVIEW, METHODS = "README.md", "methods.md"


class FindingsError(ValueError):
    """Results that do not belong together, or tables that do not belong to their verdicts, in one sentence."""


def page_of(study: str) -> str:
    """Return the name of the page of a study. Raises FindingsError for one that is that of another page.

    Capitals do not tell two pages apart, since on some file systems they are one.
    """
    name = f"{study}.md"
    if namesake := next((page for page in (OVERVIEW, METHODS) if page.lower() == name.lower()), None):
        raise FindingsError(f"the findings of a study {study} would replace their page {namesake}; take another name")
    return name
