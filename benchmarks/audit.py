"""The audit table with some times the page's runs: every mechanism of the lab, sound, as published and broken.

Ends with an error if a mechanism that is believed to be sound is refuted, if a broken one is not, or if a canary that
never arrives passes for an audit.
"""

import argparse
import sys
import time

from pages.attack.audits.table import AUDITS, CONFIDENCE, TOGETHER

WIDTHS = (72, 9, 10, 16, 10, 11)


def row(*cells: str) -> str:
    first, *others = (cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))
    return first + "".join(others).rstrip()


def main() -> int:
    """Print the table; the number of surprises is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=float, default=3.0, help="how many times the page's runs (3)")
    parser.add_argument("--seed", type=int, default=0, help="of the streams (0)")
    given = parser.parse_args()
    print(
        f"Lower bounds on epsilon, each at {100 * CONFIDENCE:.2f}% confidence: the table together at {TOGETHER:.0%}. "
        "A bound can refute a claim;\nit proves none. Void: the canary never reached the mechanism. *: its noise is "
        "proved to be Gaussian.\n"
    )
    print(row("mechanism", "claimed", "at least", "verdict", "seconds", "runs"))
    surprises = 0
    for audit in AUDITS.values():
        begin, runs = time.perf_counter(), max(100, round(audit.runs * given.times))
        bound = audit.audited(runs=runs, seed=given.seed)
        verdict = audit.verdict(bound, arrives=audit.arrives(given.seed))
        name, seconds = f"{audit.family}: {audit.what}", time.perf_counter() - begin
        if verdict != audit.expected:
            surprises, verdict = surprises + 1, f"{verdict} (!)"
        name += f" (could show {audit.most:.2f})" if audit.most < audit.epsilon else ""
        least = f"{bound.epsilon:.2f}{'*' if audit.gaussian else ''}"
        print(row(name, f"{audit.epsilon:g}", least, verdict, f"{seconds:.1f}", f"{bound.trials:,}"), flush=True)
    print(f"\n{len(AUDITS)} audits, {surprises} not as expected (!)")
    return surprises


if __name__ == "__main__":
    sys.exit(main())
