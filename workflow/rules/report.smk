# REPORT: the verdicts on the claims of a study, and the page of all studies.
#
# REQUIRED INPUTS
#   cubes     results/<scale>/<study>/cubes/<grid>.zarr.zip, of all grids
#   outcomes  verdicts, cubes and figures of all studies
# OUTPUTS
#   results/<scale>/<study>/verdicts.json
#   results/<scale>/index.html
report: "../report/workflow.rst"


rule verdicts:
    """Judge every claim of a study by its cubes."""
    input:
        cubes=read("verdicts", "cubes"),
    output:
        result("verdicts"),
    log:
        logfile("verdicts"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        spec=spec("verdicts"),
        code=code("verdicts"),
        folder=folder,
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" verdicts \
            --spec {params.spec:q} \
            --code {params.code} \
            --folder {params.folder:q} \
            --output {output:q} \
            --log {log:q}
        """


rule page:
    """Show the verdicts, figures and numbers of all studies on one page."""
    input:
        outcomes=[*plan.read(RUN, "page", {})],
    output:
        report(
            result("page"),
            category="verdicts, figures and numbers",
            caption="../report/page.rst",
        ),
    log:
        logfile("page"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        spec=spec("page"),
        code=code("page"),
        folder=folder,
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" page \
            --spec {params.spec:q} \
            --code {params.code} \
            --folder {params.folder:q} \
            --output {output:q} \
            --log {log:q}
        """
