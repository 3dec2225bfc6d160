"""Plug-ins of a user's own that can't be read, imported or called are refused in one sentence with their file."""

import pytest
from own_folders import MAJORITY, own

from isobath import roots
from isobath.study.schema import ConfigError
from isobath.workflow import plan

CHECK = '''

def check(*, dimension: int) -> None:
    """Fail."""
    {}["x"]
'''
ENDS = "    return Ends(dimension, 2)"
OPEN = "dimension: Count)"
# What is changed of the task, by what, and what is said of it.
ODD = {
    "an import": (
        "import numpy",
        "import nopackage\nimport numpy",
        "it can't be imported: ModuleNotFoundError: No mod",
    ),
    "an exit": ("import numpy", "raise SystemExit(3)\nimport numpy", "it can't be imported: SystemExit: 3"),
    "files": (
        "import numpy",
        'FILES = tuple(f"{k}.csv" for k in "ab")\nimport numpy',
        "FILES is tuple((f'{k}.csv' for",
    ),
    "a name among files": ("import numpy", "D = 'a'\nFILES = (D,)\nimport numpy", "FILES is (D,), and is read without"),
    "ends that fail": (ENDS, "    raise KeyError(dimension)", "ends fails: KeyError: 5"),
    "ends that refuse": (ENDS, "    raise ValueError('two\\nlines')", "ends fails: ValueError: two lines"),
    "ends of nothing": (
        ENDS,
        "    return None",
        "ends returned None; Ends(features, outputs) of two counts is allowed",
    ),
    "ends of a tuple": (ENDS, "    return dimension, 2", "ends returned (5, 2); Ends(features, outputs)"),
    "ends of words": (ENDS, "    return Ends(dimension, 'two')", "ends returned Ends(features=5, outputs='two'"),
    "a check": (ENDS, ENDS + CHECK, "check fails: KeyError: 'x'"),
    "a type in quotes": (
        OPEN,
        'dimension: "Count")',
        "dimension of sample has its type in quotes; write Count without",
    ),
    "quotes in a type": (OPEN, 'dimension: Count, d: tuple["Count", ...] = (1,))', "its settings can't be checked: "),
    "no type": (OPEN, "dimension)", "dimension of sample has no type"),
    "an unknown type": (OPEN, "dimension: Cuont)", "the type of dimension is Cuont: name 'Cuont' is not defined; the"),
    "a type that fails": (OPEN, "dimension: Count[3])", "the type of dimension is Count[3]: "),
    "a name as default": (
        OPEN,
        "dimension: Count, d: int = D)",
        "the default of d of sample is D, and is read without",
    ),
    "a default": (OPEN, "dimension: Count, d: Count = 0)", "the default of d is 0; it must be greater than or eq"),
    "another default": (
        OPEN,
        "dimension: Count, d: Count = 'a')",
        "the default of d is 'a'; it must be a valid int",
    ),
    "bytes": (
        OPEN,
        "dimension: Count, d: str = b'a')",
        "its settings can't be checked: TypeError: Object of type bytes",
    ),
}


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


@pytest.mark.parametrize("name", ODD)
def test_an_odd_task_is_refused_in_one_sentence_with_its_file(tmp_path, name):
    old, new, words = ODD[name]
    assert MAJORITY.count(old) == 1
    place = own(tmp_path, **{"tasks/majority.py": MAJORITY.replace(old, new)})
    with pytest.raises(ConfigError) as refusal:
        plan.load(place, {})
    assert "\n" not in str(refusal.value)
    assert f"{place}/own/tasks/majority.py: {words}" in str(refusal.value)


def test_defaults_that_their_types_allow_are_not_refused(tmp_path):
    more = "dimension: Count, a: Count | None = None, b: tuple[float, ...] = (1, 2.5), c: dict[str, int] = {'x': 1})"
    text = MAJORITY.replace(OPEN, more).replace("*, dimension: int)", "*, dimension: int, **_: object)")
    plan.load(own(tmp_path, **{"tasks/majority.py": text}), {})
