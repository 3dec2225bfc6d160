"""The contract of settings, over every kind of every family: a study can set each of them."""

from inspect import Parameter, signature

import pytest

from isobath import binding, plugins
from isobath.contracts.common import kinds
from isobath.study.keys import require_free_names
from isobath.study.loading import settings_model

KINDS = [(family, kind) for family in plugins.families() for kind in kinds(family)]


HANDED = {  # functions that are handed all settings of the verb
    "task": ("ends", "check"),
    "network": ("apply", "Workspace", "compiled", "tangent", "check"),
    "loss": ("derivative_", "unsatisfied", "check"),
    "kernel": ("check", "singularities"),
    "construction": ("accept", "check"),
    "form": ("parameters", "coefficients", "formula", "check"),
}


@pytest.mark.parametrize(("family", "kind"), KINDS)
def test_functions_beside_the_verb_take_all_settings(family, kind):
    settings = {*plugins.schema(family, kind)}
    for name in HANDED.get(family, ("check",)):
        function = getattr(binding.load(family, kind), name, None)
        taken = signature(function).parameters if function else {}
        if function and all(each.kind != Parameter.VAR_KEYWORD for each in taken.values()):
            assert settings <= {*taken}, f"{name} does not take {', '.join(sorted(settings - {*taken}))}"


@pytest.mark.parametrize(("family", "kind"), KINDS)
def test_every_setting_has_a_type_and_a_name_that_a_study_can_give(family, kind):
    require_free_names(family, kind)
    assert settings_model(family, kind).model_fields.keys() == plugins.schema(family, kind).keys()
