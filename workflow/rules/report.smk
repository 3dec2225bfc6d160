# in:  the cubes of a study
# out: the verdict on each of its claims


rule verdicts:
    input:
        lambda w: [f"{folder(w)}/{CUBE.format(grid=grid)}" for grid in study(w).grids],
    output:
        f"{STUDY}/{VERDICTS}",
    log:
        log(VERDICTS),
    conda:
        ENVIRONMENT
    params:
        **of("verdicts", verdicts_spec),
        folder=lambda w: folder(w),
    shell:
        "python -m isobath.stages.verdicts --spec {params.spec:q} --code {params.code}"
        " --folder {params.folder:q} --output {output:q} --log {log:q}"
