# TARGETS: the results that do not gather others, for a plan in parts; the rule all is in the Snakefile.


rule single_results:
    """Make all results but those that gather others: for a plan in parts (--batch)."""
    input:
        lambda _: everything(but=results.having("OUTCOME")),


if str(rules.page.output[0]) != result("page"):
    raise WorkflowError(
        "the module has a prefix or replace_prefix, which jobs that gather results do not know; "
        "its results are in results/<scale>: leave it out"
    )
