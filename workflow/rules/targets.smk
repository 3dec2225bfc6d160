# What the workflow makes: the results of a grid, of a study.


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
    for cell, seeds in grids.ensemble_cells(study(w), blocks).items():
        names = cell._asdict() | {"networks": seeds}
        yield f"{folder(w)}/{ENSEMBLES.format(**names)}"


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
    for blocks in asked.grids.values():
        for cell, count in grids.ensemble_cells(asked, blocks).items():
            yield at(ENSEMBLES, **cell._asdict(), networks=count)
    for cell in (*ASKED[name], *regressions):
        yield at(TRAINING_SET, **cell._asdict())
        split = grids.is_split(asked, cell.task)
        yield at(SPLIT_TEST_SET if split else TEST_SET, **cell._asdict())


def figure_spec(w):
    return grids.figure_spec(study(w), w.figure)


def figure_cube(w):
    return f"{folder(w)}/{CUBE.format(grid=study(w).figures[w.figure].grid)}"


def verdicts_spec(w):
    return grids.verdicts_spec(study(w), w.study, CONFIG.scale)
