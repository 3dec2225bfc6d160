"""Settings of a kind of one's own: names that a study can give, and the arguments of its ``check``."""

import pytest
from house import ROOT
from own_folders import write

from isobath import roots
from isobath.contracts.test_settings import test_every_setting_has_a_type_and_a_name_that_a_study_can_give as contract
from isobath.operations import kinds
from isobath.plugins import PluginError
from isobath.study.loading import completed
from isobath.study.schema import ConfigError, Protocol

PROTOCOL = (ROOT / "src/isobath/templates/protocol.py").read_text(encoding="utf-8")
TASK = '''"""Signs."""

from isobath.settings import Count


def sample(n: int, *, generator: object, dimension: Count, {setting}: Count = 1):
    """Sample."""
'''


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def lay(place, **files):
    """Lay a folder of one's own over the package."""
    roots.use([write(place / "own", {name.replace("__", "/") + ".py": text for name, text in files.items()})])


@pytest.mark.parametrize("setting", ["max_epochs", "kind", "like"])
def test_a_setting_that_is_called_as_a_key_of_every_protocol_is_refused(setting, tmp_path):
    lay(
        tmp_path,
        protocols__mine=PROTOCOL.replace("    beta: Fraction", f"    {setting}: Count = 2500,\n    beta: Fraction"),
    )
    content = {"kind": "mine", "network": "mlp", "learning_rate": 1, "max_epochs": 400}
    with pytest.raises(ConfigError) as refusal:
        completed("protocol", content, "study.yaml", "protocols.slow", model=Protocol)
    for words in (
        "study.yaml: protocols.slow",
        "own/protocols/mine.py",
        f"the setting {setting} of train",
        "store, like",
    ):
        assert words in str(refusal.value)
    with pytest.raises(PluginError, match=f"the setting {setting} of train must have another name"):
        kinds.described("protocol", "mine")
    with pytest.raises(PluginError, match=f"the setting {setting}"):
        contract("protocol", "mine")


def test_only_keys_of_its_own_family_are_taken(tmp_path):
    lay(tmp_path, tasks__mine=TASK.format(setting="max_epochs"), tasks__other=TASK.format(setting="n_test"))
    contract("task", "mine")
    with pytest.raises(PluginError, match=r"the setting n_test of sample .* are keys of every task"):
        contract("task", "other")


CHECK = '''

def check({arguments}) -> None:
    """Refuse a small beta."""
    if beta < 0.5:
        raise ValueError(f"beta is {{beta}}; it must be 0.5 or more")
'''


def signum(place, arguments, **settings):
    lay(place, protocols__mine=PROTOCOL + CHECK.format(arguments=arguments))
    content = {"kind": "mine", "network": "mlp", "learning_rate": 1, **settings}
    return completed("protocol", content, "study.yaml", "protocols.slow", model=Protocol)


@pytest.mark.parametrize(
    "arguments", ["*, beta: float", "*, beta: float, **_: object", "*, beta: float, other: int = 1"]
)
def test_a_check_is_called_with_the_settings_that_it_names(arguments, tmp_path):
    assert signum(tmp_path, arguments).settings == {"batch_size": 50, "beta": 0.9}
    with pytest.raises(ConfigError, match=r"protocols\.slow: beta is 0\.1; it must be 0\.5 or more"):
        signum(tmp_path, arguments, beta=0.1)


def test_a_check_of_what_is_no_setting_is_refused_with_its_file(tmp_path):
    with pytest.raises(ConfigError, match=r"own/protocols/mine\.py: check takes gamma, which is no setting; there are"):
        signum(tmp_path, "*, beta: float, gamma: float")
