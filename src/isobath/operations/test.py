"""Tests of work of one's own: the contracts of the families, and the tests in the folder of the user's own."""

import importlib.util
import os
import subprocess
import sys

import click

from isobath import roots
from isobath.operations import arguments
from isobath.study.schema import ConfigError

CONTRACTS = "isobath.contracts"


@click.command(cls=arguments.Command, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[OPTION OF PYTEST ...]")
def command(words: tuple[str, ...]) -> None:
    """Test the kinds and claims of one's own.

    They are held to the contracts that ours keep, and the tests in own/tests are run. It takes pytest.
    """
    if importlib.util.find_spec("pytest") is None:
        raise ConfigError(
            "isobath test needs pytest, which is not installed beside isobath: `pip install pytest` installs it, or "
            "`make .venv/ready-dev` in a clone"
        )
    arguments.lay_own()
    places = [str(folder / "tests") for folder in roots.own() if (folder / "tests").is_dir()]
    options = ["-q", "--import-mode=importlib", "--pyargs", CONTRACTS]
    command = [sys.executable, "-P", "-m", "pytest", *options, *places, *words]
    # Under -O Python leaves out every assert, and with it what some contracts compare.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONOPTIMIZE"}
    raise SystemExit(subprocess.run(command, env=environment, check=False).returncode)  # noqa: S603
