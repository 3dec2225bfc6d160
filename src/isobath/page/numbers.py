"""Numbers as text: rounded to significant digits, with minus signs instead of hyphens."""

import math
from collections.abc import Mapping
from typing import Any

MINUS = "\N{MINUS SIGN}"
MOST, LEAST = 6, 1e-4  # decimals of a number, and the number below which it may have a power of ten in their place


def significant(value: Any) -> str:
    """Format a number with four significant digits; whole numbers in full, NaN as empty text, words unchanged."""
    if isinstance(value, str | bool):
        return str(value)
    if math.isnan(value):
        return ""
    text = (
        f"{'-' * (value < 0)}∞"
        if math.isinf(value)
        else f"{value:.0f}"
        if float(value).is_integer() and abs(value) < 1e9
        else f"{value:.4g}"
    )
    return text.replace("-", MINUS)


def estimate(part: Mapping[str, Any]) -> str:
    """Format the estimate of a part of a claim to two digits of its error."""
    return _decimal(part["estimate"], _decimals(part))


def interval(part: Mapping[str, Any]) -> str:
    """Format the 95 % interval of a part of a claim with the decimals of its estimate; a dash if it has none."""
    if part["low"] is None or part["high"] is None:
        return "–"
    low, high = (_decimal(part[end], _decimals(part)) for end in ("low", "high"))
    return f"[{low}, {high}]"


def count(part: Mapping[str, Any]) -> str:
    """Format the numbers behind a part of a claim: '6 data sets, 17 of 18 trainings count'; empty without any.

    Trainings at several rates or widths, and in both of two cells that are compared, are more than the independent
    units of the interval, which come first; they are left out where all of them count.
    """
    units = f"{part['count']} data sets" if part["unit"] == "data sets" else f"n = {part['count']}"
    words = [units] if part["count"] else []
    counted, trained = part["counted"], part["trained"]
    if counted != trained or (trained and not words):
        words.append(f"{counted} of {trained} trainings count" if counted != trained else f"{trained} trainings")
    return ", ".join(words)


def of_source(part: Mapping[str, Any]) -> str:
    """Format the published number of a part for a column of them: '0.054 (Fig. 2), other size'."""
    return published(part).removeprefix("published ")


def published(part: Mapping[str, Any]) -> str:
    """Format the published number of a part: 'published 0.054 (Fig. 2), other size'; empty without one."""
    publication = part["published"]
    if not publication:
        return ""
    text = f"published {publication['value']:g}".replace("-", MINUS) + f" ({publication['place']})"
    return text if publication["same_size"] else f"{text}, other size"


def region(part: Mapping[str, Any]) -> str:
    """Format the region in which a claim expects the estimate of a part."""
    above, below = (
        None if part[side] is None else f"{part[side]:.4g}".replace("-", MINUS) for side in ("above", "below")
    )
    if above and below and above == below:
        middle, half = (part["above"] + part["below"]) / 2, (part["below"] - part["above"]) / 2
        return f"{middle:.4g} ± {half:.2g}".replace("-", MINUS)
    if above and below:
        return f"{above} to {below}"
    return f"> {above}" if above else f"< {below}" if below else "–"


def _decimals(part: Mapping[str, Any]) -> int:
    """Return the decimals that give two digits to half of the interval, or three to the estimate if it has none."""
    ends, value = (part["low"], part["high"]), part["estimate"]
    error, digits = (0.0, 0) if None in ends else ((ends[1] - ends[0]) / 2, 2)
    error, digits = (error, digits) if error else (abs(value), 3)
    return max(0, digits - 1 - math.floor(math.log10(error))) if error else 0


def _decimal(value: float, decimals: int) -> str:
    """Return a number with as many decimals, or with two digits and a power of ten where there would be too many."""
    if decimals > MOST and 0 < abs(value) < LEAST:
        return f"{value:.1e}".replace("-", MINUS)
    text = f"{value:.{min(decimals, MOST)}f}"
    return text.replace("-", MINUS) if float(text) else text.lstrip("-")
