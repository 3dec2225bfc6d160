# What all rules share: paths, wildcards, the environment of a job.
from isobath import costs, environment, grids
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
    seeds=r"\d+-\d+",


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
    return grids.data_spec(study(w), CONFIG.seed, w.task, study(w).n_test, None)


def learning_rate_spec(w):
    return grids.training_spec(study(w), CONFIG.seed, network_cell(w))


def networks_spec(w):
    first, last = map(int, w.seeds.split("-"))
    return grids.networks_spec(study(w), CONFIG.seed, network_cell(w), first, last)


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


def blocks_of(name, cell, seeds):
    """The paths of a cell's networks; blocks that are on disk are kept as they are."""
    home = STUDY.format(scale=CONFIG.scale, study=name)
    names, asked = cell._asdict(), ASKED[name][cell]
    for first, last in seed_blocks(Path(home), names, asked, CONFIG.seeds_per_job):
        if first < seeds:
            yield f"{home}/{NETWORKS.format(**names, seeds=f'{first}-{last}')}"


def cells(w):
    """The networks and kernels of a grid."""
    blocks = study(w).grids[w.grid]
    for cell, seeds in grids.network_cells(blocks).items():
        yield from blocks_of(w.study, cell, seeds)
    for cell in grids.kernel_cells(blocks):
        yield f"{folder(w)}/{KERNELS.format(**cell._asdict())}"


def figure_spec(w):
    return grids.figure_spec(study(w), w.figure)


def figure_cube(w):
    return f"{folder(w)}/{CUBE.format(grid=study(w).figures[w.figure].grid)}"


def everything(name):
    """All results of a study, so that any that is lost is made again."""

    def at(template, **names):
        return f"{STUDY}/{template}".format(scale=CONFIG.scale, study=name, **names)

    asked = STUDIES[name]
    yield at(VERDICTS)
    for figure in asked.figures:
        yield from (at(FIGURE, figure=figure, format=format) for format in FORMATS)
    yield from (at(CUBE, grid=grid) for grid in asked.grids)
    for cell, seeds in ASKED[name].items():
        yield from blocks_of(name, cell, seeds)
        if grids.searched(asked, cell.protocol):
            yield at(LEARNING_RATE, **cell._asdict())
    regressions = grids.kernel_cells(grids.all_blocks(asked))
    yield from (at(KERNELS, **cell._asdict()) for cell in regressions)
    for cell in (*ASKED[name], *regressions):
        yield at(TRAINING_SET, **cell._asdict())
        yield at(TEST_SET, **cell._asdict())


def verdicts_spec(w):
    return grids.verdicts_spec(study(w), w.study, CONFIG.scale)
