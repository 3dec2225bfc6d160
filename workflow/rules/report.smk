report: "../report/workflow.rst"


# in:  the cubes of a study
# out: the verdict on each of its claims


localrules:
    verdicts,
    page,


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


# in:  the verdicts, cubes and figures of all studies
# out: the page that shows them


rule page:
    input:
        plan.shown(RUN),
    output:
        report(
            PAGE,
            category="verdicts, figures and numbers",
            caption="../report/page.rst",
        ),
    log:
        log(PAGE),
    conda:
        ENVIRONMENT
    params:
        **of("page"),
        folder=lambda w: f"results/{RUN.config.scale}",
    shell:
        "python -m isobath.stages.pages --spec {params.spec:q} --code {params.code}"
        " --folder {params.folder:q} --output {output:q} --log {log:q}"
