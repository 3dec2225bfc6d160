"""Messages about a user's own code: they name the file at fault, and say where in it an error arose."""

import importlib

import pytest
from own_folders import CLAIM, own, write

from isobath import roots
from isobath.jobs import command_line
from isobath.study.schema import ConfigError
from isobath.workflow import plan

SLIP = '''"""Depths."""


def deepest(depths):
    """Return the largest depth."""
    return max(depths)["depth"]
'''
FILE = "own/claims/waves.py"
UNKNOWN = "claims[0] is 'majority_is_learned'; "


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        (
            {FILE: CLAIM.replace("@claim(", "@clam(")},
            [UNKNOWN, f"{FILE} has the function", "decorated with @claim"],
        ),
        ({"own/claims/wave.py": CLAIM}, [UNKNOWN, f"there is no src/isobath/claims/waves.py or {FILE}"]),
        (
            {FILE: CLAIM + CLAIM[CLAIM.index("@claim(") :]},
            [f"{FILE}: the claim majority_is_learned stands there twice; rename one of the two"],
        ),
    ],
)
def test_a_claim_that_is_not_found_is_looked_for_and_one_that_stands_twice_is_refused(
    claims, words, tmp_path, monkeypatch
):
    monkeypatch.chdir(own(tmp_path))
    (tmp_path / FILE).unlink()
    write(tmp_path, claims)
    with pytest.raises(ConfigError) as refusal:
        plan.load(tmp_path, {})
    assert "\n" not in str(refusal.value)
    for word in words:
        assert word in str(refusal.value)


@pytest.fixture
def reason(tmp_path, monkeypatch):
    """Return an error that the user's module ``depths`` raises."""
    monkeypatch.chdir(write(own(tmp_path), {"own/depths.py": SLIP}))
    roots.use([tmp_path / "own"])
    with pytest.raises(TypeError) as raised:
        importlib.import_module("isobath.depths").deepest([1])
    return raised.value


def test_the_file_and_the_line_of_the_users_own_are_named(reason):
    wrapped = RuntimeError("the claim fails")
    assert command_line._own_place(wrapped) == ""
    wrapped.__cause__ = reason
    assert command_line._own_place(wrapped) == command_line._own_place(reason) == " (own/depths.py, line 6)"


def test_messages_for_a_terminal_lose_their_colours():
    assert command_line.COLOURS.sub("", "\x1b[1m\x1b[31;1mUnknown\x1b[0m 'betta'") == "Unknown 'betta'"
