"""Docstrings as the site shows them: their words are no markup, and formulas stand as they are written."""

import importlib

import pytest
from house import ROOT


@pytest.fixture
def converted(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/_extensions"))
    return importlib.import_module("plain_docstrings").converted


def test_characters_of_formulas_are_no_markup(converted):
    assert converted(["Return |x|^2 of w_ and N*, as ``a_ * b`` does."]) == [
        r"Return \|x\|^2 of w\_ and N\*, as ``a_ * b`` does.",
        "",
    ]


def test_what_is_indented_stands_to_the_letter(converted):
    assert converted(["With", "", "    K = |x||y|", "", "it is"]) == [
        "With",
        "",
        "::",
        "",
        "        K = |x||y|",
        "",
        "it is",
        "",
    ]


def test_a_list_need_not_follow_an_empty_line(converted):
    assert converted(["It has", "- ``a``: one,", "  which goes on;", "- b."]) == [
        "It has",
        "",
        "- ``a``: one,",
        "  which goes on;",
        "- b.",
        "",
    ]
