"""``python -m isobath.operations.summary results/demo``: the claims, their verdicts, and where the figures are."""

import sys
import textwrap
from pathlib import Path
from typing import Any

from isobath.disk import store


def main(folder: Path) -> None:
    """Print what has been judged below a results folder."""
    files = sorted(folder.glob("*/verdicts.json"))
    if not files:
        raise SystemExit(f"{folder}: no */verdicts.json below it. Has the workflow been run?")
    for file in files:
        record = store.read_record(file)
        print(f"\n{record['study']}, scale {record['scale']}: {record['source']}\n")
        for claim in record["claims"]:
            print(*_lines(claim), sep="\n")
        counts = [c["verdict"] for c in record["claims"]]
        print("\n" + ", ".join(f"{counts.count(v)} {v}" for v in dict.fromkeys(sorted(counts, key=ORDER.index))))
        print("Intervals: 95 %, over networks and test sample; the training set is fixed. All parts: " + str(file))
        print("Figures:", *sorted(str(p) for p in file.parent.glob("figures/*.pdf")), sep="\n  ")


ORDER = ["reproduced", "not reproduced", "inconclusive", "not run"]
MARK = {"reproduced": "+", "not reproduced": "-", "inconclusive": "?", "not run": " "}


def _lines(claim: dict[str, Any]) -> list[str]:
    title = f"{claim['statement']} [{claim['source']}]"
    first, *rest = textwrap.wrap(title, 92)
    lines = [f"{claim['verdict']:<15} {first}", *(f"{'':<15} {line}" for line in rest)]
    if claim["verdict"] == "not run":
        return lines
    parts = [f"{MARK[p['verdict']]} {p['label']}: {_number(p)}" for p in claim["parts"]]
    return [*lines, *(f"{'':<18}{part}" for part in parts)]


def _number(part: dict[str, Any]) -> str:
    if part["estimate"] is None:
        return "not run"
    bounds = [f"{word} {part[side]:g}" for side, word in (("above", ">"), ("below", "<")) if part[side] is not None]
    interval = "one network" if part["low"] is None else f"{part['low']:+.3f}, {part['high']:+.3f}"
    return f"{part['estimate']:+.3f} [{interval}], claimed {' and '.join(bounds)}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m isobath.operations.summary results/<scale>")
    main(Path(sys.argv[1]))
