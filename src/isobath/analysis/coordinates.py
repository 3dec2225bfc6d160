"""Coordinates of cubes that ``cubes.describe`` makes of settings, and the meaning of variables without a long_name."""

from isobath import results
from isobath.binding import singular
from isobath.study.checks import TABLES


def is_setting(name: str) -> bool:
    """Tell whether a coordinate is a setting of a plug-in that blocks name: see cubes.describe."""
    return name.startswith(tuple(f"{singular(entry)}_" for entry in TABLES))


def meaning_of(name: str) -> str:
    """Return the meaning of a variable without long_name: an axis, or a setting of a plug-in of the study."""
    family, _, setting = name.partition("_")
    return f"setting {setting!r} of the {family}" if is_setting(name) else results.dimensions().get(name, "")
