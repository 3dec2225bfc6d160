"""What the contract tests of all families share."""

from pathlib import Path

from isobath import plugins
from isobath.study.schema import Study
from isobath.workflow import plan

STUDIES = Path(__file__).parent.parent / "workflow/studies"


def studies() -> list[Study]:
    """Load every study of the workflow, at its smallest scale."""
    found = []
    for folder in sorted(path.parent for path in STUDIES.glob("*/study.yaml")):
        scales = {path.stem for path in folder.glob("*.yaml")} - {"study"}
        smallest = next((scale for scale in ("smoke", "demo") if scale in scales), min(scales))
        found.append(plan.load_study(folder, smallest))
    return found


def required(family, kind, **known):
    """Return settings that a kind takes: those without default, ``known`` or 2, and no others."""
    schema = plugins.schema(family, kind)
    return {name: known.get(name, 2) for name, (_, default) in schema.items() if default is ...}


def check_documented(family, kind):
    """Assert that a kind's module and its verb say what they are."""
    for text in plugins.about(family, kind):
        assert text, f"{family} {kind}: its module or its function has no docstring"
