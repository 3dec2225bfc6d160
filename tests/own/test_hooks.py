"""Contracts say all that the code looks up in a plug-in: other hooks could be found by reading the code alone."""

import ast

import pytest
from house import ROOT

from isobath import plugins

SOURCE = ROOT / "src/isobath"
EVERY = " ".join(map(plugins.contract, plugins.contracts()))


def called(node):
    """Return the last name of the function of a call."""
    return getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""


def of_results(node, path):
    """Tell whether a call of ``option`` is that of results, and not that of a command line."""
    return ast.unparse(node.func) == "results.option" or path.parent.name == "results"


def texts(nodes):
    return [node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None for node in nodes]


def looked_up():
    """Yield (family or None, name of the hook, place) for each look-up of a constant or function of a plug-in."""
    for path in sorted(SOURCE.rglob("*.py")):
        file, nodes = path.relative_to(SOURCE), ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for node in (node for node in nodes if isinstance(node, ast.Call | ast.Compare)):
            place, name = f"{file}:{node.lineno}", called(node)
            arguments = texts(node.args) if isinstance(node, ast.Call) else []
            if name in ("literal", "words", "table") and len(arguments) > 2 and arguments[2]:
                yield arguments[0], arguments[2], place
            elif name == "option" and len(arguments) > 1 and arguments[1] and of_results(node, path):
                yield "result", arguments[1], place
            elif name == "having" and arguments and arguments[0]:
                yield "result", arguments[0], place
            elif name in ("companion", "getattr") and len(arguments) > 1 and arguments[1]:
                if name == "companion" or ast.unparse(node.args[0]).endswith("module"):
                    yield None, arguments[1], place
            elif isinstance(node, ast.Compare) and called(node.comparators[0]) == "functions":
                yield None, texts([node.left])[0] or "VERBS", place


LOOKED_UP = [(family, hook, place) for family, hook, place in looked_up() if not hook.startswith("__")]


def test_look_ups_are_found():
    families = {family for family, _, _ in LOOKED_UP}
    assert {"task", "network", "protocol", "loss", "result", None} <= families
    assert {"SIZE", "EPOCHS", "BLOCK", "accept", "check", "singularities", "Compiled"} <= {h for _, h, _ in LOOKED_UP}


@pytest.mark.parametrize(("family", "hook", "place"), LOOKED_UP)
def test_a_contract_names_the_hook(family, hook, place):
    if hook not in ("VERBS", "PROVIDED", "DEFAULT"):  # of the family itself, see plugins
        assert f"{hook}" in (plugins.contract(family) if family else EVERY), f"{place} looks up {hook}"


@pytest.mark.parametrize("family", plugins.families())
def test_every_contract_says_that_settings_can_be_refused(family):
    for hook in ("check", "NEEDS"):  # plugins.check looks them up in every family
        assert f"``{hook}" in plugins.contract(family) or f"    {hook}" in plugins.contract(family), family
