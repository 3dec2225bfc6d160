# in:  the cube of a grid
# out: a figure, as PDF, SVG and PNG, and what it is: its caption, its cube, the checksums of the three


localrules:
    figure,


rule figure:
    input:
        figure_cube,
    output:
        record=f"{STUDY}/{FIGURE_RECORD}",
        drawings=drawings(),
    log:
        log(FIGURE_RECORD),
    conda:
        ENVIRONMENT
    params:
        **of("figure"),
    shell:
        "python -m isobath.stages.figures --spec {params.spec:q} --code {params.code}"
        " --cube {input:q} --record {output.record:q} --outputs {output.drawings:q} --log {log:q}"
