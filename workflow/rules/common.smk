# What all rules share: paths, wildcards, the environment of a job.
from isobath import costs, environment, estimates, grids
from isobath.layout import *
from isobath.plugins import fingerprint

environment.inherit(HERE / "src")

# What every rule runs in, for those who use --software-deployment-method conda.
ENVIRONMENT = "../../envs/environment.yaml"


# Grids share their cells: of each, as many seeds as any grid asks for.
ASKED = {
    name: grids.network_cells(grids.all_blocks(study))
    for name, study in STUDIES.items()
}


wildcard_constraints:
    scale=r"[^/]+",
    study=r"[^/]+",
    task=r"[^/]+",
    protocol=r"[^/]+",
    kernel=r"[^/]+",
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
    return STUDIES[w.study]


def folder(w):
    return STUDY.format(scale=CONFIG.scale, study=w.study)


def network_cell(w):
    return grids.NetworkCell(
        w.task, w.protocol, *map(int, (w.depth, w.width, w.n_train, w.draw))
    )


def of(stage, make):
    """The two params of every rule: what its job is asked, and what its code means."""

    def spec(w):
        return grids.canonical(make(w))

    def code(w):
        return fingerprint(stage, make(w))

    return {"spec": spec, "code": code}


def training_set_spec(w):
    return grids.data_spec(study(w), CONFIG.seed, w.task, int(w.n_train), int(w.draw))


def test_set_spec(w):
    size = grids.n_test(study(w), w.task)
    return grids.data_spec(study(w), CONFIG.seed, w.task, size, None)


def split_test_spec(w):
    n_train, draw = int(w.n_train), int(w.draw)
    return grids.split_test_spec(study(w), CONFIG.seed, w.task, n_train, draw)


def test_set(w):
    """The test set of a task, or of a cell where the data set is finite."""
    return f"{STUDY}/{SPLIT_TEST_SET if grids.is_split(study(w), w.task) else TEST_SET}"


def data_files(w):
    files = grids.plugins.files(study(w).tasks[w.task].kind)
    return [data_file(name, CONFIG.data) for name in files]


def learning_rate_spec(w):
    return grids.training_spec(study(w), CONFIG.seed, network_cell(w))


def networks_spec(w):
    first, last = map(int, w.seeds.split("-"))
    return grids.networks_spec(study(w), CONFIG.seed, network_cell(w), first, last)


def minutes(make):
    """A time limit, from what the job is asked; more with every attempt."""

    def runtime(w, attempt):
        task = study(w).tasks[w.task].settings
        return attempt * estimates.training_minutes(make(w), task)

    return runtime


def ensembles_spec(w):
    return grids.ensembles_spec(study(w), CONFIG.seed, network_cell(w), int(w.networks))


def first_networks(w):
    """The blocks of a cell that hold its first networks."""
    return list(blocks_of(w.study, network_cell(w), int(w.networks)))


def ensembles_memory(w):
    """The weights of all networks, and what reading and merging them takes."""
    task, count = study(w).tasks[w.task].settings, int(w.networks)
    return estimates.memory_mb(ensembles_spec(w), task, networks=count, copies=5)


def networks_memory(w):
    """4 GB for the stack, and the weights that are kept, as they are and as they are written."""
    spec = networks_spec(w)
    first, last = spec["seeds"]
    kept = last - first + 1 if spec["keep"] == "outputs" else 1
    task = study(w).tasks[w.task].settings
    return estimates.memory_mb(spec, task, networks=kept, copies=4)


def searched_rate(w):
    return f"{STUDY}/{LEARNING_RATE}" if grids.searched(study(w), w.protocol) else []


def kernels_spec(w):
    return grids.kernels_spec(
        study(w), grids.KernelCell(w.task, w.kernel, int(w.n_train), int(w.draw))
    )


def kernel_memory(w):
    """The Gram matrix and its factor, and what the rest takes; in MB."""
    return 1000 + int(1.05 * costs.regression_bytes(int(w.n_train)) / 1e6)


def cube_spec(w):
    return grids.cube_spec(study(w), w.grid)
