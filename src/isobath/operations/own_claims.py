"""Claims of the user's own, imported before any job: the verdicts that ask for them are the last job of a study."""

from pathlib import Path

from isobath import plugins, roots
from isobath.study.run import Run
from isobath.study.schema import ConfigError


def require(run: Run) -> None:
    """Import the user's own claims that the studies of a run ask for. Raises ConfigError for one that is none.

    Those of the package are not imported: this would delay every start by a second.
    """
    for study, settings in run.studies.items():
        for name in settings.claims:
            file = _own(plugins.claim_module(study, name))
            if file is not None:
                _require_claim(file, study, name)


def _own(module: str) -> Path | None:
    """Return the file of a module of the user's own; None for one of the package."""
    place = Path(*module.split(".")[1:]).with_suffix(".py")
    return next((folder / place for folder in roots.own() if (folder / place).is_file()), None)


def _require_claim(file: Path, study: str, name: str) -> None:
    from isobath.analysis.verdicts import Claim  # noqa: PLC0415 (it imports xarray)

    try:
        found = plugins.load_claim(study, name)
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(f"{file}: the claim {name} can't be imported: {why}; mend the file") from None
    if not isinstance(found, Claim):
        raise ConfigError(f"{file}: the claim {name} is {found!r:.80}; a function below @claim(...) alone is allowed")
