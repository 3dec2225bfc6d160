# What the workflow makes: all results of every study, so that any that is lost is made again.


def everything():
    return [path for job in plan.jobs(RUN) for path in job.outputs]


def cells(w):
    """The networks, kernels and ensembles of a grid."""
    return plan.cells_of(RUN, w.study, w.grid)


def cubes(w):
    return [f"{folder(w)}/{CUBE.format(grid=grid)}" for grid in study(w).grids]


def figure_cube(w):
    return f"{folder(w)}/{CUBE.format(grid=study(w).figures[w.figure].grid)}"


def drawings():
    """A figure in every format; Snakemake's report shows it as SVG."""
    path = f"{STUDY}/{FIGURE}"
    paths = [path.replace("{format}", suffix) for suffix in FORMATS]
    about = {"labels": {"figure": "{figure}"}, "caption": "../report/figure.rst"}
    shown = {"category": "{study}", **about}
    return [report(p, **shown) if p.endswith("svg") else p for p in paths]
