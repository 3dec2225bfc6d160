"""Typesetting of the words in figures: powers and indices as mathematics, names of kernels and tasks as words."""

import re

from matplotlib.figure import Figure
from matplotlib.text import Text

POWER = re.compile(r"(\([^()]*\)|\w+)\^(\([^()]*\)|[-\u2212]?\w+)")  # (k + 1)^L, H^(-1/2)
INDEX = re.compile(r"(?<!\w)([A-Za-z\u03bc])_(\w)(?!\w)")  # mu_k
NAME = re.compile(r"(?<=\w)_(?=\w)")  # rf_bias


def typeset(text: str) -> str:
    """Return a text with powers and indices in mathematics, and without underscores; one with mathematics as it is."""
    if "$" in text:
        return text
    text = POWER.sub(lambda m: f"${_spaced(m[1])}^{{{_spaced(m[2].removeprefix('(').removesuffix(')'))}}}$", text)
    words = text.split("$")  # those at even places are no mathematics
    words[::2] = [
        NAME.sub(" ", part) if not INDEX.search(part) else INDEX.sub(r"$\1_{\2}$", part) for part in words[::2]
    ]
    return "$".join(words)


def typeset_figure(figure: Figure) -> None:
    """Typeset the titles, labels, legends and remarks of a figure."""
    for text in figure.findobj(Text):
        text.set_text(typeset(text.get_text()))


def _spaced(formula: str) -> str:
    return formula.replace(" ", r"\ ")
