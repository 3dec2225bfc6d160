"""Judged parts of a claim, as the page of a run shows them."""

from isobath.page.contents import Build

BUILD = Build("0.1.0", "0123456789abcdef", changed=True)
MADE = {"spec": '{"a</script>": "--> <!--"}', "code": "c0de", "inputs": "1a", "versions": '{"numpy": "2.0"}'}


def part(estimate=0.1234, low=0.0234, high=0.2234, above=0.0, below=None, verdict="reproduced"):
    ends = {"low": low, "high": high, "above": above, "below": below}
    counts = {
        "count": 5,
        "unit": "networks",
        "counted": 5,
        "trained": 6,
        "check": False,
        "reason": "",
        "published": None,
    }
    return {"label": "L = 1", "estimate": estimate, **counts, **ends, "verdict": verdict}


def judged(parts, verdict="reproduced", statement="deep beats shallow"):
    about = {"source": "Fig. 7", "statistic": "error(L=1) - error(L=7)", "verdict": verdict}
    about |= {"own": False, "headline": f"{verdict}, 2 of 3 parts run"}
    claim = {"claim": "deep_wins", "statement": statement, **about, "parts": parts}
    return {"study": "locality", "scale": "demo", "source": "M and U", "claims": [claim], **MADE}
