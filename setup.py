"""Build of the package with its workflow: rules, studies and profiles lie in a wheel beside the modules."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HOME = "isobath/home"  # study.places looks for them there
FILES = ("Snakefile", "config.yaml", "pyproject.toml", "CITATION.cff", "LICENSE", "LICENSE-data")
FOLDERS = ("workflow", "envs")


class WithWorkflow(build_py):
    """The copying of modules, and of the workflow unless the modules are used where they are."""

    def run(self) -> None:
        """Copy."""
        super().run()
        if self.editable_mode:
            return
        home = Path(self.build_lib, HOME)
        home.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            shutil.copy2(file, home / file)
        for folder in FOLDERS:
            shutil.copytree(folder, home / folder, dirs_exist_ok=True)


setup(cmdclass={"build_py": WithWorkflow})
