# in:  every cell of a grid
# out: its cube


localrules:
    cube,


rule cube:
    input:
        cells,
    output:
        f"{STUDY}/{CUBE}",
    log:
        log(CUBE),
    conda:
        ENVIRONMENT
    params:
        **of("cube"),
        folder=lambda w: folder(w),
    shell:
        "python -m isobath.stages.cubes --spec {params.spec:q} --code {params.code}"
        " --folder {params.folder:q} --output {output:q} --log {log:q}"
