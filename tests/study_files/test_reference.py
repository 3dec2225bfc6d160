"""Each key is described once, in the schema; the reference and the JSON schemas are made from it."""

import copy
import json
import re
from functools import reduce

import jsonschema
import pytest
from house import ROOT
from pydantic import BaseModel

from isobath import plugins
from isobath.study import reference, schema
from isobath.study.json_schema import config_schema, study_schema
from isobath.study.yaml import load

MODELS = [m for m in vars(schema).values() if isinstance(m, type) and issubclass(m, BaseModel) and m is not BaseModel]
FILES = sorted((ROOT / "workflow/studies").glob("*/*.yaml"))
VALID = {
    "study": jsonschema.Draft202012Validator(study_schema(overlay=False)),
    "scale": jsonschema.Draft202012Validator(study_schema(overlay=True)),
    "config": jsonschema.Draft202012Validator(config_schema()),
}


def validator(path):
    return VALID["study" if path.name == "study.yaml" else "scale"]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_every_key_is_described(model):
    for key, field in model.model_fields.items():
        assert field.description, key
        assert not field.description.endswith("."), key


@pytest.mark.parametrize("path", list(reference.files("")))
def test_the_reference_is_up_to_date(path):
    page = (ROOT / reference.PAGE).read_text(encoding="utf-8")
    assert reference.files(page)[path] == (ROOT / path).read_text(encoding="utf-8"), "run: make schema"


def test_writing_the_reference_again_changes_nothing(tmp_path):
    for path in reference.files(""):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    text = (ROOT / reference.PAGE).read_text(encoding="utf-8")
    (tmp_path / reference.PAGE).write_text(text, encoding="utf-8")
    assert set(reference.write(tmp_path)) == set(reference.files(""))
    assert (tmp_path / reference.PAGE).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_the_tables_have_a_row_for_every_key(model):
    text = (ROOT / reference.PAGE).read_text(encoding="utf-8")
    for key in model.model_fields:
        assert re.search(rf"^\| `{key}` \| .+ \| .+ \| .+ \|$", text, flags=re.MULTILINE), key


@pytest.mark.parametrize("path", [ROOT / "config.yaml", *FILES], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_file_is_valid_by_its_schema_and_names_that_or_none(path):
    expected = VALID["config"] if path.name == "config.yaml" else validator(path)
    assert not list(expected.iter_errors(load(path) or {}))
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", path.read_text(encoding="utf-8"))
    assert named or path.parent.name not in ("isobath", "fractals", "kernels", "locality", "width")
    if named:
        assert json.loads((path.parent / named[1]).read_text(encoding="utf-8")) == expected.schema


@pytest.mark.parametrize("name", list(VALID))
def test_the_schemas_are_schemas(name):
    VALID[name].check_schema(VALID[name].schema)


def paths(content, *place):
    """Yield every key of a file, by the keys and indices that lead to it."""
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        if isinstance(key, str):
            yield (*place, key)
        yield from paths(value, *place, key)


def named_by_the_author(place):
    """Tell whether a key is a name that may be any: of an entry, of a dim, of a start in the legend of a figure."""
    return len(place) == 2 or (len(place) > 2 and place[-2] in ("each", "select", "initialisations"))


@pytest.mark.parametrize(("family", "kind"), [(f, k) for f in plugins.families() for k in plugins.kinds(f)])
def test_every_setting_has_a_meaning(family, kind):
    lacking = plugins.declared(family, kind).keys() - plugins.meanings(family, kind).keys()
    assert not lacking, f"{plugins.path(family, kind)}: its docstring needs a list item - ``name``: words for {lacking}"


@pytest.mark.parametrize("schema", ["study", "scale"])
def test_a_misspelt_key_is_refused_wherever_it_stands(schema):
    seen = set()
    for path in (path for path in FILES if validator(path) is VALID[schema]):
        written = load(path)
        for *above, key in paths(written):
            owner = reduce(lambda mapping, step: mapping[step], above, written)
            case = (*above[:1], owner.get("kind"), key)
            if case in seen or named_by_the_author((*above, key)):
                continue
            seen.add(case)
            content = copy.deepcopy(written)
            misspelt = reduce(lambda mapping, step: mapping[step], above, content)
            misspelt[f"{key}x"] = misspelt.pop(key)
            assert not VALID[schema].is_valid(content), (path, *above, key)
    assert len(seen) > 100


@pytest.mark.parametrize("family", ["task", "kernel", "construction", "calculation", "form", "figure", "protocol"])
def test_editors_know_every_kind_and_its_settings(family):
    definitions = VALID["study"].schema["$defs"]
    entries = [d for d in definitions.values() if d.get("allOf") and any(_names(c, family) for c in d["allOf"])]
    assert entries  # of the table and, where settings are such plug-ins, of these
    assert all(entry["properties"]["kind"]["enum"] == plugins.kinds(family) for entry in entries)
    for kind in plugins.kinds(family):
        known = definitions[f"{family}-{kind}"]["properties"]
        assert set(plugins.declared(family, kind)) <= set(known)


def _names(case, family):
    return case["then"].get("$ref", "").startswith(f"#/$defs/{family}-")


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("scale", {"tasks": {"a": {"kind": "k_local", "k": "two"}}}, ["tasks", "a"]),
        ("scale", {"tasks": {"a": {"kind": "k_locale"}}}, ["tasks", "a", "kind"]),
        ("scale", {"tasks": {"a/b": None}}, ["tasks"]),
        ("scale", {"protocols": {"a": {"network": {"kind": "mlp", "betas": 1}}}}, ["protocols", "a", "network"]),
        (
            "scale",
            {"protocols": {"a": {"network": {"kind": "mlp", "initialisation": "he"}}}},
            ["protocols", "a", "network"],
        ),
        ("scale", {"protocols": {"a": {"loss": "hinge"}}}, ["protocols", "a", "loss"]),
        ("scale", {"grids": {"g": [{"protocols": ["a"]}]}}, ["grids", "g"]),
        ("scale", {"n_test": 0}, ["n_test"]),
        ("study", {"title": "t"}, []),
        ("config", {"scale": "demo", "studies": []}, ["studies"]),
    ],
)
def test_wrong_values_are_refused_where_they_stand(name, content, where):
    places = [list(error.absolute_path) for error in VALID[name].iter_errors(content)]
    assert any(place[: len(where)] == where for place in places)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"tasks": None, "grids": {"g": None}},
        {"protocols": {"a": {"learning_rate": {"folds": None}, "network": {"initialisation": "he_normal"}}}},
        {"laws": {"a": {"like": "b", "statistic": None}}},
        {"kernels": {"f": {"name": "{beta}", "each": {"beta": [0, 1]}, "kind": "ntk"}}},
    ],
)
def test_what_an_overlay_may_say_is_not_marked(content):
    assert not list(VALID["scale"].iter_errors(content))
