# in:  the cube of a grid
# out: a figure, as PDF, SVG and PNG


def figure_spec(w):
    return grids.figure_spec(study(w), w.figure)


def figure_cube(w):
    return f"{folder(w)}/{CUBE.format(grid=study(w).figures[w.figure].grid)}"


def figures(name):
    """Every figure of a study, in every format."""
    return expand(
        f"{STUDY}/{FIGURE}", scale=CONFIG.scale, study=name, figure=STUDIES[name].figures, format=FORMATS
    )


rule figure:
    input:
        figure_cube,
    output:
        expand(f"{STUDY}/{FIGURE}", format=FORMATS, allow_missing=True),
    log:
        log("figures/{figure}"),
    params:
        **of("figures", figure_spec),
    shell:
        "python -m isobath.stages.figures --spec {params.spec:q} --code {params.code}"
        " --cube {input:q} --outputs {output:q} &>{log:q}"
