"""Runs the stages of tools/check and sums what their test runners counted."""
import argparse
import pathlib
import sys
import time

sys.dont_write_bytecode = True

from counts import Counts
from session import Session, run_stage
from stages import LONG_STAGES, PART_STAGES, STAGES, default_jobs


def main():
    parser = argparse.ArgumentParser(prog="tools/check", description="builds and runs every check")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help="only these stages")
    parser.add_argument("--all", action="store_true", help="the long mode")
    parser.add_argument("--list", action="store_true", help="name the stages and stop")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="parallel processes")
    args = parser.parse_args()
    if args.list:
        print("\n".join(STAGES))
        return 0
    unknown = [name for name in args.stages if name not in STAGES]
    if unknown:
        parser.error(f"no stage '{unknown[0]}'; there are: {' '.join(STAGES)}")
    left_out = PART_STAGES if args.all else PART_STAGES | LONG_STAGES
    names = [name for name in STAGES if name not in left_out]
    session = Session(pathlib.Path(__file__).resolve().parents[3], args.all, args.jobs)
    start = time.monotonic()
    total = Counts()
    for name in args.stages or names:
        total += run_stage(session, name, STAGES[name])
    print(f"logs are in build/check; {time.monotonic() - start:.0f} s")
    print(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
