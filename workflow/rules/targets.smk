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
