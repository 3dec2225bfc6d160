"""Plug-ins and claims of the user's own, imported before any job, since the last one may be the first to need one."""

import importlib
from pathlib import Path

from isobath import claim_files, plugins, roots
from isobath.study.plugin_modules import plugin_modules
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.syntax import plugin_errors


def require(run: Run) -> None:
    """Import the user's own plug-ins and claims that the studies of a run name.

    Those of the package are not imported: this would delay every start by a second. Raises ConfigError for one that
    can't be imported, and for a claim that is none.
    """
    for study, settings in run.studies.items():
        for name in settings.claims:
            file = _own(claim_files.claim_module(study, name))
            if file is not None:
                _require_claim(file, study, name)
        for module in dict.fromkeys(plugin_modules(study, settings)):
            file = _own(module)
            if file is not None:
                _imported(file, f"{file}: it", module)


def _own(module: str) -> Path | None:
    """Return the file of a module of the user's own; None for one of the package."""
    place = Path(*module.split(".")[1:]).with_suffix(".py")
    return next((folder / place for folder in roots.own() if (folder / place).is_file()), None)


def _imported(file: Path, subject: str, module: str) -> None:
    try:
        with plugin_errors(f"{subject} can't be imported"):
            importlib.import_module(module)
    except plugins.PluginError as error:
        raise ConfigError(f"{error}; mend the file") from None


def _require_claim(file: Path, study: str, name: str) -> None:
    from isobath.analysis.verdicts import Claim  # noqa: PLC0415 (it imports xarray)

    _imported(file, f"{file}: the claim {name}", claim_files.claim_module(study, name))
    loaded = claim_files.load_claim(study, name)
    if not isinstance(loaded, Claim):
        raise ConfigError(f"{file}: the claim {name} is {loaded!r:.80}; a function below @claim(...) alone is allowed")
