"""Links of a claim: to the publication, to figures, and to the code that measured it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from isobath.page.contents import Build, Study

RESOLVERS = {"arXiv": "https://arxiv.org/abs/", "doi": "https://doi.org/"}
NUMBERED = re.compile(r"\b(Fig|Table)s?\b(.*?)(?=section|eq|appendix|Fig|Table|Theorem|;|$)")
SHORT = 12  # digits of a commit that are shown


class Link(NamedTuple):
    """The text of a link, and its address; empty for text without a link."""

    text: str
    address: str


def works(study: Study) -> list[Link]:
    """Return links to the publications of a study."""
    return [Link(identifier, address(identifier)) for identifier in study.works.values()]


def address(identifier: str) -> str:
    """Return the address of an arXiv number or a DOI; an address is one."""
    kind, _, number = identifier.partition(":")
    return RESOLVERS[kind] + number if kind in RESOLVERS else identifier


def of_source(study: Study, record: Mapping[str, Any]) -> list[Link]:
    """Return links to the publications in which a claim is made: those that it names, or the only one of its study.

    Our own claims have none, unless they name one.
    """
    identifiers = [identifier for words, identifier in study.works.items() if words in record["source"]]
    alone = [] if record["own"] or len(study.works) != 1 else [*study.works.values()]
    return [Link(identifier, address(identifier)) for identifier in identifiers or alone]


def figures_of(study: Study, record: Mapping[str, Any]) -> list[str]:
    """Return the figures that bear on a claim: those with the numbers in its source, those that the study names.

    A figure ``figure2`` or ``table1`` has the number of the source's.
    """
    names = [figure.name for figure in study.figures if figure.record is not None]
    numbered = [] if record["own"] else [*_numbered(record["source"])]
    code = study.code.get(record["claim"])
    bearing = {*numbered, *(code.figures if code else ())}
    return [name for name in names if name in bearing]


def _numbered(source: str) -> Iterator[str]:
    """Yield 'figure2' for 'Fig. 2 (a)', and 'figure2', 'figure8' for 'Figs 2 A and 8 A'."""
    for kind, numbers in NUMBERED.findall(source):
        yield from ({"Fig": "figure", "Table": "table"}[kind] + number for number in re.findall(r"\d+", numbers))


def of_code(build: Build, file: str) -> Link:
    """Return the file of a claim or a figure, with a link if there is a public repository and the commit is known."""
    public = build.repository and build.commit and not build.changed and file.startswith("src/")
    return Link(file, f"{build.repository.rstrip('/')}/blob/{build.commit}/{file}" if public else "")


def version(build: Build) -> str:
    """Say which isobath it was: '0.1.0, commit 0123456789ab with changes'."""
    changes = " with changes that were not committed" if build.changed else ""
    return f"{build.version}, commit {build.commit[:SHORT]}{changes}" if build.commit else build.version
