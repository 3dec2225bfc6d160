"""The run that a folder of results belongs to, for the commands that look after it."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from isobath.study import loading
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import plan


def run_of(results: Path, overrides: Mapping[str, Any]) -> Run:
    """The run that makes ``results/<scale>``: the config beside it, with ``overrides``, and its studies that are there.

    Raises ConfigError.
    """
    folder = results.resolve()
    home = folder.parents[1]
    given = {"scale": folder.name, **overrides}
    asked = loading.load_config(home / "config.yaml", given).studies
    studies = [study for study in asked if (folder / study).is_dir()]
    if not studies:
        known = f"results/<scale>, with {asked} in it, or with those of --config studies=[...]"
        raise ConfigError(f"{results} has no folder of a study; it must be {known}")
    return replace(plan.load(home, {**given, "studies": studies}), home=home)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Let a command take the folder of the results, and of the config what Snakemake was given."""
    parser.add_argument("results", type=Path, help="results/<scale>")
    parser.add_argument("--config", nargs="+", default=[], metavar="key=value", help="as Snakemake was given it")


def asked(parsed: argparse.Namespace) -> Run:
    """The run that the command line names. Raises SystemExit with one sentence."""
    pairs = (pair.partition("=") for pair in parsed.config)
    try:
        return run_of(parsed.results, {key: yaml.safe_load(value) for key, _, value in pairs})
    except ConfigError as error:
        raise SystemExit(str(error)) from None
