"""Columns of the tables of findings: the type and the meaning of each, by which they are read again."""

from isobath.archive.datapackage import Field

COLUMNS = {
    field.name: field
    for field in (
        Field("scale", "string", "size of the experiments of the run"),
        Field("seed", "integer", "root of every random stream of the run"),
        Field("study", "string", "study that judges the claim"),
        Field("claim", "string", "name of the claim, that of its function"),
        Field("statement", "string", "what is claimed"),
        Field("source", "string", "where it is claimed"),
        Field("own", "boolean", "whether no source makes the claim, but isobath"),
        Field("statistic", "string", "what is measured"),
        Field("verdict", "string", "verdict on the claim, or on the part"),
        Field("headline", "string", "verdict on the claim with the number of its parts that were run and agree"),
        Field(
            "criteria",
            "string",
            "whether the verdict is by the criteria that the claim has at present, or by former ones",
        ),
        Field("label", "string", "name of the part"),
        Field("check", "boolean", "whether the part compares code with a theorem and does not vote"),
        Field("estimate", "number", "measured number; empty if it was not run or is undetermined"),
        Field(
            "count",
            "integer",
            "number of independent units of the interval; 0 where it has none, as for N*, extremes and some laws",
        ),
        Field(
            "unit",
            "string",
            "what the independent units are: networks, data sets, or empty if the statistic alone says it",
        ),
        Field(
            "counted",
            "integer",
            "networks that count in the estimate, each once; 0 where they are not counted",
        ),
        Field("trained", "integer", "networks that were trained for the estimate, counted alike"),
        Field("low", "number", "lower end of the 95 % interval"),
        Field("high", "number", "upper end of the 95 % interval"),
        Field("above", "number", "bound above which the claim says that the number lies; empty for none"),
        Field("below", "number", "bound below which the claim says that the number lies; empty for none"),
        Field("published_value", "number", "number of the source"),
        Field("published_place", "string", "place of that number in the source"),
        Field("published_tolerance", "number", "difference from that number that counts as agreement"),
        Field("published_same_size", "boolean", "whether that number is of experiments of the same size"),
        Field("reason", "string", "reason why the part decides nothing, or was not run"),
    )
}
