# in:  the cubes of a study
# out: the verdict on each of its claims


rule verdicts:
    input:
        cubes,
    output:
        f"{STUDY}/{VERDICTS}",
    log:
        log(VERDICTS),
    conda:
        ENVIRONMENT
    params:
        **of("verdicts"),
        folder=lambda w: folder(w),
    shell:
        "python -m isobath.stages.verdicts --spec {params.spec:q} --code {params.code}"
        " --folder {params.folder:q} --output {output:q} --log {log:q}"
