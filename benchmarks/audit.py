"""Attack every mechanism of the audit table, and compare each verdict with the expected one.

    make audit
    make audit ARGS="--times 10"   # ten times the usual number of runs
    make audit ARGS=--record       # also write the table that the page shows

- *mechanism*: family and version of the mechanism.
- *claimed*: epsilon that the mechanism claims. *at least*: measured lower bound of epsilon. A star
  marks a bound that uses that the noise is Gaussian.
- *verdict*: "consistent", "caught" or "void". A bound can refute a claim and cannot prove one. An
  audit is void if its canary never reached the mechanism. "(!)" marks an unexpected verdict.
- *seconds*, *runs*: cost of the audit.

The exit status is the number of unexpected verdicts.
"""

import argparse
import csv
import math
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.audits.table import AUDITS, CONFIDENCE, FULL, TOGETHER, Audit
from dpcore.attacks.lower_bound import LowerBound

RECORD = Path(__file__).parents[1] / "pages" / "attack" / "audits" / "audits.csv"
WIDTHS = (72, 9, 10, 16, 10, 11)
# Of each audit, in each world.
LEAST_RUNS = 100


def line(*cells: str) -> str:
    """Return a line of the printed table."""
    padded = [cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)]
    return "".join(padded).rstrip()


def printed(audit: Audit, bound: LowerBound, verdict: str, seconds: float) -> str:
    """Return the line of an audit."""
    name = f"{audit.family}: {audit.what}"
    if audit.most < audit.epsilon:
        name += f" (could show {audit.most:.2f})"
    lower_bound = f"{bound.epsilon:.2f}"
    if audit.gaussian:
        lower_bound += "*"
    if verdict != audit.expected:
        verdict += " (!)"
    return line(
        name, f"{audit.epsilon:g}", lower_bound, verdict, f"{seconds:.1f}", f"{bound.trials:,}"
    )


def recorded(key: str, audit: Audit, bound: LowerBound, verdict: str) -> dict[str, object]:
    """Return the row of an audit in the recorded table."""
    replayed = audit.replayed()
    replayed_text = ""
    if replayed is not None:
        replayed_text = f"{replayed:.3g}"
    return {
        "key": key,
        "mechanism": audit.family,
        "version": audit.what,
        "expected": audit.expected,
        "verdict": verdict,
        "claimed": audit.epsilon,
        "delta": audit.delta,
        # Rounded down, so that it remains a lower bound.
        "lower_bound": math.floor(1e4 * bound.epsilon) / 1e4,
        "confidence": f"{bound.confidence:.6f}",
        "assumed": bound.assumes,
        "pitfall": audit.pitfall,
        "replayed": replayed_text,
        "runs": bound.trials,
        "neighbours": str(audit.adjacency),
        "unit": audit.unit,
    }


def record(rows: Sequence[Mapping[str, object]]) -> None:
    """Write the table that the page shows."""
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> int:
    """Print the table, and return the number of unexpected verdicts."""
    options = read_options()
    print(
        f"Lower bounds on epsilon, each at {100 * CONFIDENCE:.2f}% confidence: the table together"
        f" at {TOGETHER:.0%}. A bound can refute a claim;\nit proves none. Void: the canary never"
        " reached the mechanism. *: its noise is proved to be Gaussian.\n"
    )
    print(line("mechanism", "claimed", "at least", "verdict", "seconds", "runs"))
    rows = []
    unexpected = 0
    for key, audit in AUDITS.items():
        begin = time.perf_counter()
        runs = max(LEAST_RUNS, round(audit.runs * options.times))
        bound = audit.audited(runs=runs, seed=options.seed)
        verdict = audit.verdict(bound, arrives=audit.arrives(options.seed))
        print(printed(audit, bound, verdict, time.perf_counter() - begin), flush=True)
        rows.append(recorded(key, audit, bound, verdict))
        if verdict != audit.expected:
            unexpected += 1
    print(f"\n{len(AUDITS)} audits, {unexpected} not as expected (!)")
    if options.record:
        record(rows)
    return unexpected


def read_options() -> argparse.Namespace:
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--times", type=float, default=FULL, help=f"how many times the runs of the list ({FULL:g})"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the streams (0)")
    parser.add_argument("--record", action="store_true", help="write the table that the page shows")
    options = parser.parse_args()
    if options.record and options.times < FULL:
        parser.error(f"--record needs --times {FULL:g} at least")
    return options


if __name__ == "__main__":
    sys.exit(main())
