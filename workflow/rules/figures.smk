# in:  the cube of a grid
# out: a figure, as PDF, SVG and PNG


rule figure:
    input:
        figure_cube,
    output:
        expand(f"{STUDY}/{FIGURE}", format=FORMATS, allow_missing=True),
    log:
        log("figures/{figure}"),
    conda:
        ENVIRONMENT
    params:
        **of("figures", figure_spec),
    shell:
        "python -m isobath.stages.figures --spec {params.spec:q} --code {params.code}"
        " --cube {input:q} --outputs {output:q} --log {log:q}"
