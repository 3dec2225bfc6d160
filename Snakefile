# isobath: what depth does to learning. Load and check the config, include the rules, name the targets.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.10")
HERE = Path(workflow.current_basedir)
MAIN = [(HERE / name).resolve() for name in ("Snakefile", "workflow/Snakefile")]
# Snakemake puts the folder of a Snakefile first: there a file such as xarray.py would stand in for a library.
sys.path[:] = [str(HERE / "src"), *(path for path in sys.path if path != str(HERE))]

from isobath.jobs import variables
from isobath.study import loading, places
from isobath.workflow import environment, forecasts, plan

try:
    PLACE = environment.place_of_config(HERE, Path(workflow.workdir_init))
    environment.require_runnable(HERE, Path.cwd())
    variables.check()
    if Path(workflow.main_snakefile).resolve() in MAIN:
        environment.require_strict(workflow.configfiles)
        RUN = plan.load(PLACE, config)
    else:  # a module of another workflow, which gives the whole config
        ORIGIN = "config of the module"
        RUN = plan.of(
            loading.config_of(loading.given(config), ORIGIN), Path.cwd(), ORIGIN
        )
    forecasts.require_countable(RUN)
except (loading.ConfigError, variables.VariableError, OSError) as error:
    raise WorkflowError(str(error))


RULES = sorted((HERE / "workflow/rules").glob("[!.]*.smk"))
for part in sorted(RULES, key=lambda part: part.stem != "common"):  # all share it

    include: str(part)


ENVIRONMENT = str(HERE / "envs/environment.yaml")  # of rules that lie elsewhere
for part in places.rules():

    include: str(part)


rule all:
    default_target: True
    input:
        everything(),
