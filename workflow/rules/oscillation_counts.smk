# OSCILLATION COUNTS: those of the networks of a block on sawtooth labels, at their start and after training.
#
# REQUIRED INPUTS
#   networks  results/<scale>/<study>/networks/<task>/<protocol>/..., whose weights are stored
# OUTPUTS
#   results/<scale>/<study>/oscillation_counts/<task>/<protocol>/depth<L>_width<H>_n<N>_draw<draw>_seeds<seeds>.zarr.zip


rule oscillation_counts:
    """Count the intervals of the networks of a block, and where they are wrong, from their kinks."""
    input:
        networks=read("oscillation_counts", "networks"),
    output:
        result("oscillation_counts"),
    log:
        logfile("oscillation_counts"),
    conda:
        ENVIRONMENT
    params:
        spec=spec("oscillation_counts"),
        code=code("oscillation_counts"),
    shell:
        r"""
        python -IS "$ISOBATH_CLIENT" oscillation_counts \
            --spec {params.spec:q} \
            --code {params.code} \
            --networks {input.networks:q} \
            --output {output:q} \
            --log {log:q}
        """
