# Shared by all rules: wildcards, the environment of a job, and its settings in the plan.
from isobath import paths, plugins, results
from isobath.hooks import nested
from isobath.paths import STUDY_FOLDER
from isobath.workflow import environment, job_costs, job_digests
from isobath.workflow.job_answers import answers
from snakemake_interface_executor_plugins.executors.real import RealExecutor

environment.inherit(plugins.PACKAGE.parent)
nested.leave_out_folder(RealExecutor)

# The conda environment of every rule, for those who use --software-deployment-method conda.
ENVIRONMENT = "../../envs/environment.yaml"

BRIEF = 10  # minutes; starting a job on a cluster takes a good part of a minute


NUMBER = r"(?:0|[1-9]\d*)"  # written as results are: no second name for one file
COUNTS = dict.fromkeys(("depth", "width", "n_train", "draw", "networks"), NUMBER) | {
    "seeds": f"{NUMBER}-{NUMBER}"
}
NAMES = {name: r"[^/]+" for kind in results.kinds() for name in results.wildcards(kind)}


wildcard_constraints:
    **({"scale": r"[^/]+", "study": r"[^/]+", "file": r".+"} | NAMES | COUNTS),


def everything(but=()):
    """Return the paths of all results of a run, but for those of some kinds."""
    return [p for job in plan.walk(RUN) if job.rule not in but for p in job.outputs]


def result(kind):
    """Return the path of a kind of result, with wildcards."""
    return template(kind, results.kinds()[kind].PATH)


def template(kind, path):
    """Return a path of a kind of result, from the folder of the workflow."""
    return path if results.option(kind, "SCOPE") == "run" else f"{STUDY_FOLDER}/{path}"


def logfile(kind):
    """Return the path of the log of a kind of result."""
    return paths.log(result(kind))


def drawings():
    """Return a figure in every format; Snakemake's report shows it as SVG."""
    files = [template("figures", path) for path in results.option("figures", "ALSO")]
    shown = {
        "category": "{study}",
        "labels": {"figure": "{figure}"},
        "caption": "../report/figure.rst",
    }
    return [report(path, **shown) if path.endswith("svg") else path for path in files]


def of(kind, w):
    """Return the answers to Snakemake on a job of a kind of result: inputs, spec, time and memory."""
    try:
        return answers(RUN, kind, tuple(w.items()))
    except loading.ConfigError as error:
        raise WorkflowError(str(error))


def read(kind, name):
    """Return the function that gives the files of one input of a job."""

    def files(w):
        return of(kind, w).inputs[name]

    return files


def spec(kind):
    """Return the function that gives the spec of a job: the settings on which its result depends."""

    def text(w):
        return of(kind, w).text

    return text


def code(kind):
    """Return the function that gives the fingerprint of the code of a job."""

    def fingerprint(w):
        names = dict(w.items())
        try:
            job_digests.require(RUN, kind, names)
        except loading.ConfigError as error:
            raise WorkflowError(str(error))
        return plan.code(kind, of(kind, w).spec)

    return fingerprint


def folder(w):
    """Return the folder of the study of a job, or of all studies where its result is theirs."""
    names = dict(w.items())
    return (
        paths.STUDY_FOLDER.format(**names) if "study" in names else f"results/{w.scale}"
    )


def minutes(kind):
    """Return the function that gives a time limit in minutes, longer with every attempt, up to the longest."""

    def runtime(w, attempt):
        return min(job_costs.LONGEST, attempt * of(kind, w).minutes)

    return runtime


def brief(kind):
    """Return the function that gives the group of jobs that end soon: a cluster may run several of them as one."""
    runtime = minutes(kind)

    def group(w):
        if (
            workflow.is_main_process and workflow.local_exec
        ):  # here every group would hold one job, and planning groups takes as long again
            return None
        return "brief" if runtime(w, attempt=1) <= BRIEF else None

    return group


def planned_mb(kind):
    """Return the function that gives the memory that a job plans with: a retry cuts its stack into the same parts."""

    def memory(w):
        return of(kind, w).memory

    return memory


def wanted_mb(kind):
    """Return the function that gives the memory that a job asks for, more with every attempt."""
    planned = planned_mb(kind)

    def memory(w, attempt):
        return attempt * planned(w)

    return memory
