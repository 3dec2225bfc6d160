"""The contract of settings, over every kind of every family: a study can set each of them."""

import pytest

from isobath import plugins
from isobath.contracts.common import kinds
from isobath.study.keys import require_free_names
from isobath.study.loading import settings_model

KINDS = [(family, kind) for family in plugins.families() for kind in kinds(family)]


@pytest.mark.parametrize(("family", "kind"), KINDS)
def test_every_setting_has_a_type_and_a_name_that_a_study_can_give(family, kind):
    require_free_names(family, kind)
    assert settings_model(family, kind).model_fields.keys() == plugins.schema(family, kind).keys()
