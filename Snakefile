# isobath: what depth does to learning. Load and check the config, include the rules, name the targets.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.10")
HERE = Path(workflow.current_basedir)
sys.path.insert(0, str(HERE / "src"))

# The folder of config.yaml: where the workflow is started, if it is the workflow itself and no module of another.
STARTED = Path(workflow.main_snakefile).is_relative_to(HERE)
PLACE = Path.cwd() if STARTED and Path("config.yaml").is_file() else HERE

from isobath.study import loading, places
from isobath.workflow import environment, forecasts, plan

try:
    environment.require_plain(HERE, Path.cwd(), Path(sys.executable).parent)
    loading.require_writable(Path("results"))
    RUN = plan.load(PLACE, config)
    forecasts.require_countable(RUN)
except loading.ConfigError as error:
    raise WorkflowError(str(error))


include: "workflow/rules/common.smk"


for part in sorted((HERE / "workflow/rules").glob("*.smk")):
    if part.name != "common.smk":

        include: str(part)


ENVIRONMENT = str(HERE / "envs/environment.yaml")  # of rules that lie elsewhere

for part in places.rules():

    include: str(part)


rule all:
    default_target: True
    input:
        everything(),
