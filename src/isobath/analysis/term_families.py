"""Labels that differ in their number of terms alone: m = 1 is local, m = d global."""

from isobath.analysis.cells import Cells

Family = tuple[int, int]  # k and d of the labels


def term_families(cells: Cells, kind: str, *, rotated: bool = False) -> dict[Family, dict[int, str]]:
    """Return the tasks of a kind that networks were trained on, by k and d and their number of terms, increasing."""
    by_family: dict[Family, dict[int, str]] = {}
    for task in cells.tasks("networks", kind=kind, rotated=rotated):
        settings = cells.settings(task)
        by_family.setdefault((settings["k"], settings["dimension"]), {})[settings["terms"]] = task
    return {family: dict(sorted(tasks.items())) for family, tasks in sorted(by_family.items())}
