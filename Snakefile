# isobath: what depth does to learning. Load and check the config, include the rules, name the targets.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.10")
HERE = Path(workflow.basedir)
sys.path.insert(0, str(HERE / "src"))

from isobath import config as checks

try:
    checks.require_writable(Path("results"))
    CONFIG = checks.load_config(HERE / "config.yaml", config)
    STUDIES = {
        name: checks.load_study(HERE / f"workflow/studies/{name}.yaml", CONFIG.scale)
        for name in CONFIG.studies
    }
    for name, study in STUDIES.items():
        checks.require_files(study, CONFIG.data, f"study {name}")
except checks.ConfigError as error:
    raise WorkflowError(str(error))


include: "workflow/rules/common.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/learning_rates.smk"
include: "workflow/rules/networks.smk"
include: "workflow/rules/ensembles.smk"
include: "workflow/rules/kernels.smk"
include: "workflow/rules/cubes.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        [path for study in STUDIES for path in everything(study)],
