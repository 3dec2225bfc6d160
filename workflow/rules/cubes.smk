# in:  every cell of a grid
# out: its cube


def cube_spec(w):
    return grids.cube_spec(study(w), w.grid)


def cells(w):
    """The networks and kernels of a grid; blocks of seeds that are on disk are kept as they are."""
    blocks, home = study(w).grids[w.grid], folder(w)
    for cell, seeds in grids.network_cells(blocks).items():
        for first, last in seed_blocks(Path(home), cell._asdict(), seeds, CONFIG.seeds_per_job):
            yield f"{home}/{NETWORKS.format(**cell._asdict(), seeds=f'{first}-{last}')}"
    for cell in grids.kernel_cells(blocks):
        yield f"{home}/{KERNELS.format(**cell._asdict())}"


rule cube:
    input:
        lambda w: list(cells(w)),
    output:
        f"{STUDY}/{CUBE}",
    log:
        log(CUBE),
    params:
        **of("cubes", cube_spec),
        folder=lambda w: folder(w),
    shell:
        "python -m isobath.stages.cubes --spec {params.spec:q} --code {params.code}"
        " --folder {params.folder:q} --output {output:q} &>{log:q}"
