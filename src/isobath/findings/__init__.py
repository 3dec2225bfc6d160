"""Findings: pages in Markdown that a repository keeps of its runs, with their verdicts, numbers and figures.

``gathering`` reads results, ``tables`` and ``ledger`` hold the content of the pages, ``pages`` composes them, and
``folder`` writes and reads all of it. The tables have every number to full precision: from them and the ledger
(``provenance.json``) the records of the verdicts are made again, to the byte, and compared with the digests of the
files that they came from. So the pages can be made and checked without the results, and equal results give equal bytes.

The page of a study begins with the text that people write on it, ``workflow/studies/<study>/findings.md``. The overview
begins with ``workflow/findings.md``. Links in these texts are those of the folder of the findings.
"""


class FindingsError(ValueError):
    """Results that do not belong together, or tables that do not belong to their verdicts, in one sentence."""
