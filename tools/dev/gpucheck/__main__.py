"""tools/gpu-check: packs zyxc for a machine with a GPU, and checks and times kernels there."""
import argparse
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import compiletimes
import pack
import run
from program import PLACES, Unusable

ROOT = pathlib.Path(__file__).resolve().parents[3]
ARCHIVE = ROOT / "build/gpu-check/zyxc-gpu-check.tar.xz"


def main():
    parser = argparse.ArgumentParser(prog="tools/gpu-check", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    packing = actions.add_parser("pack", help="build zyxc statically and pack it with the kernels")
    packing.add_argument("--out", type=pathlib.Path, default=ARCHIVE, help="the archive to write")
    packing.add_argument("--zyxc", type=pathlib.Path, help="pack this program; do not build")
    running = actions.add_parser("run", help="check and time all kernels on this machine's GPU")
    running.add_argument("archive", type=pathlib.Path, nargs="?", help="what pack wrote")
    running.add_argument("--zyxc", type=pathlib.Path, help="run this program; no archive")
    running.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-check"),
                         help="folder of results.tsv, report.txt and log.txt")
    running.add_argument("--minutes", type=float, default=9, help="time for everything")
    running.add_argument("--steps", default=",".join(run.STEPS),
                         help=f"some of {','.join(run.STEPS)}")
    running.add_argument("--only", default="", help="cases and kernels whose name matches")
    timing = actions.add_parser("compile", help="time the compilation of the cases; needs no GPU")
    timing.add_argument("--zyxc", type=pathlib.Path,
                        help=f"time this program; default: the first of {', '.join(PLACES)}")
    timing.add_argument("--only", default="", help="cases whose name matches")
    timing.add_argument("--repeat", type=int, default=10, help="samples, of which the least counts")
    timing.add_argument("--assemble-for", default="sm_90a", help="architecture of the machine code")
    args = parser.parse_args()
    try:
        return act(parser, args)
    except Unusable as error:
        message = str(error)
    except subprocess.CalledProcessError as error:  # what it said stands above
        message = f"`{' '.join(str(word) for word in error.cmd)}` failed"
    except OSError as error:
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    print(f"tools/gpu-check {args.action}: {message}", file=sys.stderr)
    return 2


def act(parser, args):
    if args.action != "pack":
        try:
            re.compile(args.only)
        except re.error as error:
            parser.error(f"--only: {error}")
    if args.action == "compile":
        return compiletimes.run(ROOT, args)
    if args.action == "pack":
        return pack.pack(ROOT, args.out, args.zyxc)
    unknown = [step for step in args.steps.split(",") if step not in run.STEPS]
    if unknown:
        parser.error(f"no step '{unknown[0]}'; there are: {' '.join(run.STEPS)}")
    archive = args.archive or (ARCHIVE if ARCHIVE.exists() and not args.zyxc else None)
    return run.run(ROOT, archive, args)


if __name__ == "__main__":
    sys.exit(main())
