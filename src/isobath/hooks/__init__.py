"""Hooks of the rules into a run of Snakemake: before its first job, between jobs and after the last."""
