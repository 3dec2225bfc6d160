# DATA: training sets and test sets.
#
# REQUIRED INPUTS
#   nothing for tasks that are sampled; the files of a finite data set in resources/ or in the data: folder
# OUTPUTS
#   resources/<file>                                     a file of a finite data set, as it is published
#   results/<scale>/<study>/data/<task>/n<N>_draw<draw>.zarr.zip       a training set
#   results/<scale>/<study>/data/<task>/test.zarr.zip                  the test set of a task that is sampled
#   results/<scale>/<study>/data/<task>/n<N>_draw<draw>_test.zarr.zip  the rest of a finite data set


rule download:
    """Download one file of a data set and verify it."""
    output:
        paths.data_file("{file}", None),
    log:
        "logs/{file}.log",
    localrule: True
    conda:
        ENVIRONMENT
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" downloads \
            --file {wildcards.file:q} \
            --output {output:q} \
            --log {log:q}
        """


rule training_sets:
    """Sample the training set of a task, or take it from a finite data set."""
    input:
        files=read("training_sets", "files"),
    output:
        result("training_sets"),
    log:
        logfile("training_sets"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        spec=spec("training_sets"),
        code=code("training_sets"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" data \
            --spec {params.spec:q} \
            --code {params.code} \
            --files {input.files:q} \
            --output {output:q} \
            --log {log:q}
        """


rule test_sets:
    """Sample the test set of a task."""
    output:
        result("test_sets"),
    log:
        logfile("test_sets"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        spec=spec("test_sets"),
        code=code("test_sets"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" data \
            --spec {params.spec:q} \
            --code {params.code} \
            --output {output:q} \
            --log {log:q}
        """


rule split_test_sets:
    """Take the test set from the rest that a training set leaves of a finite data set."""
    input:
        files=read("split_test_sets", "files"),
    output:
        result("split_test_sets"),
    log:
        logfile("split_test_sets"),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        spec=spec("split_test_sets"),
        code=code("split_test_sets"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" data \
            --spec {params.spec:q} \
            --code {params.code} \
            --files {input.files:q} \
            --output {output:q} \
            --log {log:q}
        """
