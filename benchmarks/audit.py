"""The audit table with some times the page's runs: every mechanism of the lab, sound, as published and broken.

Ends with an error if a mechanism that is believed to be sound is refuted, or a broken one is not.
"""

import argparse
import sys
import time

from dpcore.experiments.attack_audits import AUDITS, CONFIDENCE

WIDTHS = (58, 9, 9, 12, 9, 11)


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
        f"Lower bounds on epsilon, each at {CONFIDENCE:.0%} confidence. A bound can refute a claim; it proves none.\n"
    )
    print(row("mechanism", "claimed", "at least", "verdict", "seconds", "runs"))
    surprises = 0
    for audit in AUDITS.values():
        begin, runs = time.perf_counter(), max(100, round(audit.runs * given.times))
        bound = audit.audited(runs=runs, seed=given.seed)
        caught, seconds = bound.refutes(audit.claim), time.perf_counter() - begin
        surprises += caught == audit.sound
        verdict = ("caught" if caught else "consistent") + (" (!)" if caught == audit.sound else "")
        name = f"{audit.family}: {audit.what}"
        print(row(name, f"{audit.epsilon:g}", f"{bound.epsilon:.2f}", verdict, f"{seconds:.1f}", f"{bound.trials:,}"))
    print(f"\n{len(AUDITS)} audits, {surprises} not as expected (!)")
    return surprises


if __name__ == "__main__":
    sys.exit(main())
