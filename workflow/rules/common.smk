# What all rules share: paths, wildcards, the environment of a job.
from isobath import sizes
from isobath.study import grids
from isobath.workflow import environment, job_costs
from isobath.disk.layout import *

environment.inherit(HERE / "src")

# What every rule runs in, for those who use --software-deployment-method conda.
ENVIRONMENT = "../../envs/environment.yaml"

BRIEF = 10  # minutes; starting a job on a cluster takes a good part of one


wildcard_constraints:
    scale=r"[^/]+",
    study=r"[^/]+",
    task=r"[^/]+",
    protocol=r"[^/]+",
    kernel=r"[^/]+",
    construction=r"[^/]+",
    calculation=r"[^/]+",
    grid=r"[^/]+",
    figure=r"[^/]+",
    depth=r"\d+",
    width=r"\d+",
    n_train=r"\d+",
    draw=r"\d+",
    networks=r"\d+",
    seeds=r"\d+-\d+",
    file=r"[^/]+/[^/]+",


def study(w):
    return RUN.studies[w.study]


def folder(w):
    return STUDY.format(scale=RUN.config.scale, study=w.study)


def asked(rule, w):
    return plan.spec(RUN, rule, dict(w.items()))


def of(rule):
    """The two params of every rule: what its job is asked, and what its code means."""

    def spec(w):
        return grids.canonical(asked(rule, w))

    def code(w):
        return plan.code(rule, asked(rule, w))

    return {"spec": spec, "code": code}


def test_set(w):
    return plan.test_set(RUN, w.study, dict(w.items()))


def data_files(w):
    return plan.data_files(RUN, w.study, w.task)


def minutes(rule):
    """A time limit, from what the job is asked; more with every attempt."""

    def runtime(w, attempt):
        task = study(w).tasks[w.task].model_dump()
        return attempt * job_costs.training_minutes(asked(rule, w), task)

    return runtime


def work_minutes(rule):
    """The same for a job that is no training."""

    def runtime(w, attempt):
        job = plan.Job(rule, dict(w.items()), "", (), ())
        return attempt * job_costs.work_minutes(RUN, job)

    return runtime


def brief(runtime):
    """The group of the jobs that end soon: a cluster may run several of them as one."""

    def group(w):
        return "brief" if runtime(w, attempt=1) <= BRIEF else None

    return group


def memory(planned):
    """What a job asks for, more with every attempt; what it plans with, so that it is cut into the same parts."""

    def wanted(w, attempt):
        return attempt * planned(w)

    return {"mem_mb": wanted, "planned_mb": planned}


def first_networks(w):
    """The blocks of a cell that hold its first networks."""
    cell = plan.network_cell(dict(w.items()))
    return plan.blocks_of(RUN, w.study, cell, int(w.networks))


def ensembles_memory(w):
    """The weights of all networks, and what reading and merging them takes."""
    task, count = study(w).tasks[w.task].model_dump(), int(w.networks)
    return job_costs.memory_mb(asked("ensembles", w), task, networks=count, copies=5)


def search_memory(w):
    return 4000


def networks_memory(w):
    """4 GB for the stack, and the weights that are kept, as they are and as they are written."""
    spec = asked("networks", w)
    first, last = spec["seeds"]
    kept = last - first + 1 if spec["store"] == "outputs" else 1
    task = study(w).tasks[w.task].model_dump()
    return job_costs.memory_mb(spec, task, networks=kept, copies=4)


def searched_rate(w):
    return f"{STUDY}/{LEARNING_RATE}" if grids.searched(study(w), w.protocol) else []


def kernel_memory(w):
    """The Gram matrix and its factor, and what the rest takes; in MB."""
    return 1000 + int(1.05 * sizes.regression_bytes(int(w.n_train)) / 1e6)
