# in:  every cell of a grid
# out: its cube


rule cube:
    input:
        lambda w: list(cells(w)),
    output:
        f"{STUDY}/{CUBE}",
    log:
        log(CUBE),
    conda:
        ENVIRONMENT
    params:
        **of("cubes", cube_spec),
        folder=lambda w: folder(w),
    shell:
        "python -m isobath.stages.cubes --spec {params.spec:q} --code {params.code}"
        " --folder {params.folder:q} --output {output:q} --log {log:q}"
